/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_USER_BUILD_BUG_H
#define QUIRE_USER_BUILD_BUG_H

#include <assert.h>

#endif
