/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_EXECUTION_RECOVERY_H
#define QUIRE_EXECUTION_RECOVERY_H

#include "quire_watchdog.h"

struct quire_execution;

void quire_execution_stuck(struct quire_watchdog *watchdog, enum quire_ring_state state);
void quire_execution_give_up_begun(struct quire_execution *execution);

#endif
