/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DMEM_H
#define QUIRE_DMEM_H

struct quire_device;

int quire_dmem_init(struct quire_device *qdev);

#endif
