/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_USER_BUILD_BUG_H
#define QUIRE_USER_BUILD_BUG_H

#include <assert.h>

/* The kernel's needs no text. */
#undef static_assert
#define static_assert(expression, ...)	_Static_assert(expression, #expression)

#endif
