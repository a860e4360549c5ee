/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RECOVERY_H
#define QUIRE_RECOVERY_H

#include "hw/quire_ring.h"

struct quire_watchdog;

/**
 * struct quire_recovery - how often something was tried in vain
 * @at: the packet that was at work at the last strike
 * @restarts: how often the ring was restarted at @at
 * @strikes: how often it stopped working at @at after those
 */
struct quire_recovery {
	struct quire_ring_position at;
	unsigned int restarts;
	unsigned int strikes;
};

void quire_recovery_stuck(struct quire_watchdog *watchdog, enum quire_ring_state state);

#endif
