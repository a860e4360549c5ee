/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Calls that wait for what does not end, for rows of undone.h. Each is made once, and ends when a
 * signal comes, or when the driver lets go of the device.
 */
#ifndef QUIRE_TEST_UNDONE_WAITING_H
#define QUIRE_TEST_UNDONE_WAITING_H

#include "undone.h"

/* What was waited for is over: the same call comes to its end. */
#define WAITING_WORKS(call)						\
	static int call##_works(struct stage *s)				\
	{								\
		waiting_end();						\
		return call(s);						\
	}

/* The same call, by a process that is killed where it waits. */
#define WAITING_KILLED(call, where)					\
	static int call##_killed(struct stage *s)				\
	{								\
		return waiting_kill(s, call, where);			\
	}

/* The same call, by many at the same time, as what a row runs. */
#define WAITING_CALLERS	20
#define WAITING_TOGETHER(call, expected)					\
	static int call##_together(struct stage *s)			\
	{								\
		return waiting_together(s, call, expected);		\
	}

/* Signals of a handler, the first one soon. */
void waiting_start_signals(void);
void waiting_set_signals(bool come);
int waiting_together(struct stage *s, int (*call)(struct stage *s), int expected);
int waiting_kill(struct stage *s, int (*call)(struct stage *s), const char *function);

/* To prepare: commands wait at a gate, and objects are in use by them; with signals, or none. */
void waiting_use(struct stage *s, uint32_t handle);
void waiting_use_dmabuf(struct stage *s, int dmabuf);
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
int waiting_exec_busy(struct stage *s);
int waiting_bind_busy(struct stage *s);

#endif
