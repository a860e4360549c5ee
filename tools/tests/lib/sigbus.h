/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Touches memory that may not be there. */
#ifndef QUIRE_SIGBUS_H
#define QUIRE_SIGBUS_H

#include <stdbool.h>

bool sigbus_on_read(const void *address);
bool sigbus_on_write(void *address);

#endif
