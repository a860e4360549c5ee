/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_ARRAY_SIZE_H
#define QUIRE_TOOLS_LINUX_ARRAY_SIZE_H

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#endif
