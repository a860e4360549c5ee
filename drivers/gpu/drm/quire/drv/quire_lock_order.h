/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_LOCK_ORDER_H
#define QUIRE_LOCK_ORDER_H

struct quire_device;

void quire_lock_order_prime(struct quire_device *qdev);

#endif
