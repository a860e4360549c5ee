/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TOOLS_LINUX_STRING_H
#define QUIRE_TOOLS_LINUX_STRING_H

#include <string.h>

#endif
