/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_STDDEF_H
#define QUIRE_TOOLS_LINUX_STDDEF_H

#include_next <linux/stddef.h>

#include <stddef.h>

#define sizeof_field(type, member)	sizeof((((type *)NULL)->member))

#endif
