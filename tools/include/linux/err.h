/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_ERR_H
#define QUIRE_TOOLS_LINUX_ERR_H

#include <linux/types.h>

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

/* Errors are the last page of addresses. */
static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= -4095UL;
}

#endif
