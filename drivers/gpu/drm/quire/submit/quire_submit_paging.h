/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SUBMIT_PAGING_H
#define QUIRE_SUBMIT_PAGING_H

#include <linux/types.h>

struct quire_submit;

bool quire_submit_is_interruptible(const struct quire_submit *submit);
int quire_submit_find(struct quire_submit *submit, u32 index);
int quire_submit_page_in(struct quire_submit *submit, u32 index, u64 address, bool last);
int quire_submit_evict(struct quire_submit *submit, u32 index);
void quire_submit_unplan(struct quire_submit *submit);
int quire_submit_pause(struct quire_submit *submit, const u32 *held, u32 nr_held);

#endif
