/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_CONTAINER_OF_H
#define QUIRE_TOOLS_LINUX_CONTAINER_OF_H

#include <stddef.h>

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#endif
