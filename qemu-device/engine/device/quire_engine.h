/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the device without its bus.
 *
 * Holds registers, rings and the aperture table, and executes packets on
 * memory that a host gives it through struct quire_host_ops. Knows no QEMU:
 * hw/quire is one host, the user-space tests and the fuzzer are others.
 *
 * Not thread safe: a host calls one function at a time, under a lock of its
 * own. Only quire_work_do() is for other threads, beside all the others: the
 * host may have long copies and fills done by it, and the lock stays free.
 *
 * Life cycle: quire_engine_init() allocates everything the engine will ever
 * need, quire_regs_write() and quire_regs_read() are the guest's accesses to
 * BAR 0, quire_window_write() and quire_window_read() those to BAR 1,
 * quire_ranges_write() and quire_ranges_read() those to BAR 5,
 * quire_engine_run() executes one slice of work whenever @kick was
 * called, quire_engine_fini() frees. After a slice and after a write to BAR 0,
 * when it is done with the engine, the host sends the messages that
 * quire_engine_take_interrupt() names, one by one.
 *
 * The layer of this file: accesses of the guest and calls of the host come in, packets of the
 * rings are executed slice by slice, fences and interrupts go out. It uses all layers below;
 * hosts use it, and the layer of saved state.
 */
#ifndef QUIRE_ENGINE_H
#define QUIRE_ENGINE_H

#include "../core/quire_engine_types.h"

/* One slice of quire_engine_run(), where the configuration says nothing. */
#define QUIRE_SLICE_NS		500000ull
#define QUIRE_LOOK_BYTES	0x20000ull

bool quire_engine_init(struct quire_engine *engine,
		       const struct quire_engine_config *config, const char **why);
void quire_engine_fini(struct quire_engine *engine);
void quire_engine_set_sections(struct quire_engine *engine, const struct quire_section *sections,
			       uint32_t count);
void quire_engine_reset(struct quire_engine *engine);
void quire_engine_reset_control(struct quire_engine *engine);
bool quire_engine_run(struct quire_engine *engine);
bool quire_engine_runnable(const struct quire_engine *engine);
void quire_engine_settle(struct quire_engine *engine);

#endif
