/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Calls that wait for what does not end, for rows of undone.h. Each is made once, and ends when a
 * signal comes, or when the driver lets go of the device.
 */
#ifndef QUIRE_TEST_UNDONE_WAITING_H
#define QUIRE_TEST_UNDONE_WAITING_H

#include "undone.h"

/* To prepare: commands wait at a gate, and objects are in use by them; with signals, or none. */
void waiting_begin(struct stage *s);
void waiting_begin_signals(struct stage *s);
void waiting_begin_purged(struct stage *s);
void waiting_begin_purged_signals(struct stage *s);

/* To prepare: as much is queued as may be. Signals go on to come, but for _once. */
void waiting_fill_exec(struct stage *s);
void waiting_fill_submit(struct stage *s);
void waiting_fill_signals(struct stage *s);
void waiting_fill_binds(struct stage *s);
void waiting_fill_exec_once(struct stage *s);
void waiting_fill_submit_once(struct stage *s);
void waiting_fill_signals_once(struct stage *s);
void waiting_fill_binds_once(struct stage *s);

void waiting_end(void);

int waiting_bo(struct stage *s);
int waiting_place(struct stage *s);
int waiting_renew(struct stage *s);
int waiting_fence(struct stage *s);
int waiting_native(struct stage *s);
int waiting_hold(struct stage *s);
int waiting_submit(struct stage *s);
int waiting_exec(struct stage *s);
int waiting_submit_more(struct stage *s);
int waiting_signal(struct stage *s);
int waiting_bind(struct stage *s);

#endif
