/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_ERRNO_H
#define QUIRE_TOOLS_LINUX_ERRNO_H

#include_next <linux/errno.h>

#define ERESTARTSYS	512

#endif
