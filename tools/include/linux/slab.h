/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_SLAB_H
#define QUIRE_TOOLS_LINUX_SLAB_H

#define GFP_KERNEL	0

#endif
