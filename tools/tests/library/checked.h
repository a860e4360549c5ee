/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the driver would say to lists, were there one. */
#ifndef QUIRE_TEST_CHECKED_H
#define QUIRE_TEST_CHECKED_H

#include "libquire.h"

int lists_check(const struct quire_lists *lists, uint32_t nr_objects, uint64_t object_size);

#endif
