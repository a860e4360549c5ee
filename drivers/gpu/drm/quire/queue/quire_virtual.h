/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VIRTUAL_H
#define QUIRE_VIRTUAL_H

#include <linux/types.h>

struct quire_paging_work;

bool quire_virtual_is_chosen(void);
int quire_virtual_transfer(struct quire_paging_work *work);
int quire_virtual_fill(struct quire_paging_work *work);

#endif
