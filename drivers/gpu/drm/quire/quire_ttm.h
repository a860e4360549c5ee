/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TTM_H
#define QUIRE_TTM_H

struct quire_device;
struct ttm_buffer_object;

int quire_ttm_init(struct quire_device *qdev);
void quire_ttm_remove(struct quire_device *qdev);
int quire_ttm_evict_all(struct quire_device *qdev);
void quire_ttm_swap_out(struct quire_device *qdev);
unsigned long quire_ttm_io_mem_pfn(struct ttm_buffer_object *tbo, unsigned long page_offset);

#endif
