/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_COMPILER_H
#define QUIRE_TOOLS_LINUX_COMPILER_H

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile __typeof__(x) *)&(x) = (value))

#endif
