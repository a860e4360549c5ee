/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * tools/include: stand-in for the few kernel headers that the paging builder
 * and its KUnit tests include, so that both compile unchanged in user space
 * with -I tools/include -I include. Each adds to the system's header of that
 * name what only the kernel has.
 */
#ifndef QUIRE_TOOLS_LINUX_TYPES_H
#define QUIRE_TOOLS_LINUX_TYPES_H

#include_next <linux/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#ifndef __force
#define __force
#endif

#endif
