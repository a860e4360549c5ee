/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Budgets of a file, and the events that tell of them. Whatever should not fail ends the test. */
#ifndef QUIRE_TEST_BUDGET_H
#define QUIRE_TEST_BUDGET_H

#include "fixture.h"

struct drm_quire_budget_info budget_ask(int fd, uint32_t segment);
uint32_t budget_event(int fd, int milliseconds);

#endif
