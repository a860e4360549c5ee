/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_EXECUTION_RECOVERY_H
#define QUIRE_EXECUTION_RECOVERY_H

#include "hw/quire_ring.h"

struct quire_device;
struct quire_watchdog;

void quire_execution_stuck(struct quire_watchdog *watchdog, enum quire_ring_state state);
void quire_executions_start(struct quire_device *qdev);

#endif
