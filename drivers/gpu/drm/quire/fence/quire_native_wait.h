/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_NATIVE_WAIT_H
#define QUIRE_NATIVE_WAIT_H

#include <linux/types.h>

struct quire_native;

int quire_native_wait(struct quire_native *native, u64 value, s64 timeout_ns);

#endif
