/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TTM_H
#define QUIRE_TTM_H

struct quire_device;

int quire_ttm_init(struct quire_device *qdev);
void quire_ttm_remove(struct quire_device *qdev);
int quire_ttm_evict_all(struct quire_device *qdev);
void quire_ttm_swap_out(struct quire_device *qdev);

#endif
