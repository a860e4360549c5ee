/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A device that is given up. */
#ifndef QUIRE_TEST_WEDGE_H
#define QUIRE_TEST_WEDGE_H

#include "fixture.h"

void wedge(const struct fixture *fixture);
void wedge_by_reset(const struct fixture *fixture);

#endif
