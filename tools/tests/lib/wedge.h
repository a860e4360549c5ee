/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A device that is given up. */
#ifndef QUIRE_TEST_WEDGE_H
#define QUIRE_TEST_WEDGE_H

#include "fixture.h"

void wedge_begin(const struct fixture *fixture);
void wedge_restore(const struct fixture *fixture, const char *command);
void wedge_end(void);
void wedge(const struct fixture *fixture);
void wedge_by_reset(const struct fixture *fixture);

#endif
