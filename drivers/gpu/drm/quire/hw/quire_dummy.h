/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DUMMY_H
#define QUIRE_DUMMY_H

struct quire_device;

void quire_dummy_watch(struct quire_device *qdev);
int quire_dummy_init(struct quire_device *qdev);
void quire_dummy_check(struct quire_device *qdev, const char *when);

#endif
