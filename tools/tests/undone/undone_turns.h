/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Room that is not to be had: somebody has the turn, or is at work where the room is. For rows of
 * undone.h.
 */
#ifndef QUIRE_TEST_UNDONE_TURNS_H
#define QUIRE_TEST_UNDONE_TURNS_H

#include "undone_waiting.h"

/* To prepare: turns_take() is to follow, once in each run. */
void turns_begin(struct stage *s);
void turns_begin_import(struct stage *s);
void turns_take(struct stage *s);
int turns_give(struct stage *s);
int turns_export(struct stage *s);
int turns_import(void);

/* To prepare: commands of another file are at work with half of VRAM; with signals, or none. */
void turns_fill_half(struct stage *s);
void turns_fill_half_signals(struct stage *s);

/* Calls for more than half of VRAM, made once. */
int turns_place(struct stage *s);
int turns_hold(struct stage *s);
int turns_submit(struct stage *s);
int turns_submit_killed(struct stage *s);
int turns_submit_late(struct stage *s);
int turns_submit_late_killed(struct stage *s);
int turns_exec(struct stage *s);
int turns_bind(struct stage *s);

#endif
