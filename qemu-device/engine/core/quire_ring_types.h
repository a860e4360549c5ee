/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: rings.
 */
#ifndef QUIRE_RING_TYPES_H
#define QUIRE_RING_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "quire_hw.h"

#define QUIRE_MAX_SUBMISSION	(256u * 1024)

/**
 * struct quire_record - a packet that was executed
 * @addr: its DMA address
 * @header: its first 32 bits
 */
struct quire_record {
	uint64_t addr;
	uint32_t header;
};

/* Numbers that a command keeps from one slice to the next. */
#define QUIRE_RING_KEPT		4

/**
 * struct quire_ring - one ring: registers and the work it holds
 * @entries: DMA address of the entries (register)
 * @fence_page: DMA address of struct quire_fence_page (register)
 * @order: log2 of the number of entries (register)
 * @control: QUIRE_RING_CONTROL_* (register)
 * @rptr: next entry to execute, free running (register)
 * @offset: byte offset of the packet at work in @submission (register)
 * @fault_code: enum quire_fault, QUIRE_FAULT_NONE while none (register)
 * @fault_offset: byte offset of the packet at fault (register)
 * @fault_opcode: first 32 bits of the packet at fault (register)
 * @fault_addr: address that was refused or failed (register)
 * @fault_fence: fence value of the submission at fault (register)
 * @progress: bytes and packets done since reset (register)
 * @executed: packets executed since reset, by opcode (registers)
 * @history: the last of them: number n is in n modulo QUIRE_RING_HISTORY_PACKETS
 * @history_index: number of the packet that is shown (register)
 * @inject_hang: packets until the ring hangs, 0 = never (register)
 * @inject_fault: packets until the ring faults, 0 = never (register)
 * @wptr: write pointer as last read from the fence page
 * @pending: the fence page is to be read: ring enabled or doorbell rung
 * @active: a submission is copied in and not completed
 * @started: the packet at @offset was counted, injected and checked
 * @hung: stopped by injection
 * @addr: DMA address of the active submission, or virtual address
 * @fence: fence value of the active submission
 * @size: bytes of the active submission
 * @flags: QUIRE_ENTRY_* of the active submission
 * @context: address of its context; 0 if it has none
 * @root: of the address space of that, as it was when the submission began
 * @save: address of its save area, likewise; 0 if it has none
 * @registers: of the context on this ring, while it has a save area
 * @done: units of the packet at @offset that are done: bytes, or pages of the
 *        aperture, or nanoseconds
 * @kept: what the command at @offset has found out in them, see quire_checksum.c and
 *        quire_compare.c; 0 of all others
 * @submission: copy of the active submission, QUIRE_MAX_SUBMISSION bytes; NULL if there is
 *              no such ring
 *
 * All of it is migrated.
 */
struct quire_ring {
	uint64_t entries;
	uint64_t fence_page;
	uint32_t order;
	uint32_t control;
	uint32_t rptr;
	uint32_t offset;
	uint32_t fault_code;
	uint32_t fault_offset;
	uint32_t fault_opcode;
	uint64_t fault_addr;
	uint64_t fault_fence;
	uint64_t progress;
	uint64_t executed[QUIRE_OPCODE_COUNT];
	struct quire_record history[QUIRE_RING_HISTORY_PACKETS];
	uint32_t history_index;
	uint32_t inject_hang;
	uint32_t inject_fault;
	uint32_t wptr;
	bool pending;
	bool active;
	bool started;
	bool hung;
	uint64_t addr;
	uint64_t fence;
	uint32_t size;
	uint32_t flags;
	uint64_t context;
	uint64_t root;
	uint64_t save;
	uint64_t registers[QUIRE_CONTEXT_REGISTERS];
	uint64_t done;
	uint64_t kept[QUIRE_RING_KEPT];
	uint8_t *submission;
};

#endif
