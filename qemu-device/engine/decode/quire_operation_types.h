/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: what there is to know of the packets of an opcode.
 */
#ifndef QUIRE_OPERATION_TYPES_H
#define QUIRE_OPERATION_TYPES_H

#include "../core/quire_budget.h"
#include "../core/quire_fault.h"
#include "quire_op_types.h"

/**
 * typedef quire_decode_fn - check a packet, and fill in what it asks for
 * @engine: the engine; not changed
 * @p: first byte of the packet; its size and flags are right
 * @op: filled in, with opcode, flags, size and address already
 *
 * Return: the fault that the packet deserves, if any.
 */
typedef struct quire_error quire_decode_fn(const struct quire_engine *engine, const uint8_t *p,
					   struct quire_op *op);

/**
 * typedef quire_execute_fn - do the next part of a packet
 * @engine: the engine
 * @ring: the ring it stands in; @done says how far it is, and is advanced, as is @progress
 * @op: the decoded packet, with something left to do
 * @budget: what the slice may use; what was used is taken off
 *
 * Return: the fault that stops the ring, if any; all that stands before it is done.
 */
typedef struct quire_error quire_execute_fn(struct quire_engine *engine, struct quire_ring *ring,
					    struct quire_op *op, struct quire_budget *budget);

/**
 * typedef quire_once_fn - do a packet as a whole
 * @engine: the engine
 * @op: the decoded packet
 *
 * Return: the fault that stops the ring, if any.
 */
typedef struct quire_error quire_once_fn(struct quire_engine *engine, struct quire_op *op);

/**
 * enum quire_resume - where a slice can end in a packet that was begun
 * @QUIRE_RESUME_NEVER: nowhere, it is done as a whole
 * @QUIRE_RESUME_WAITING: before anything is done, as it waits
 * @QUIRE_RESUME_UNITS: when some of its units are done
 * @QUIRE_RESUME_ANYWHERE: whatever is done
 */
enum quire_resume {
	QUIRE_RESUME_NEVER,
	QUIRE_RESUME_WAITING,
	QUIRE_RESUME_UNITS,
	QUIRE_RESUME_ANYWHERE,
};

/**
 * enum quire_named - how the address of a fault BAD_SEGMENT tells the segment
 * @QUIRE_NAMED_NUMBER: it is the number
 * @QUIRE_NAMED_BYTE: it is the number, which has 8 bits
 * @QUIRE_NAMED_ADDRESS: QUIRE_ADDRESS() that has it
 * @QUIRE_NAMED_PAGE: virtual address of a page that is in it
 */
enum quire_named {
	QUIRE_NAMED_NUMBER,
	QUIRE_NAMED_BYTE,
	QUIRE_NAMED_ADDRESS,
	QUIRE_NAMED_PAGE,
};

/**
 * struct quire_operation - the packets of one opcode
 * @fixed: bytes of the packet without its tail
 * @tail: page runs, page numbers, entries, or what is ignored, may follow
 * @flags: allowed flags of the header
 * @one_flag: exactly one of them
 * @decode: checks the packet; NULL if there is nothing to check, nor to do
 * @once: does it as a whole; NULL if it has @execute
 * @execute: does it in parts, or waits
 * @unit: what a slice does of it is a multiple of this; decoders may choose another one
 * @resume: where a slice can end in it
 * @kept: how many of &quire_ring.kept it uses
 * @reports: it has a &quire_op.result
 * @check: says what is wrong with a packet at work, of state that was loaded, or NULL; it is NULL
 *         if there is nothing to check
 * @faults: QUIRE_FAULT_BIT() of faults that it can end in, beside those that all can
 * @segments: a bit for each segment that it may name
 * @named: how a fault tells that it may not
 */
struct quire_operation {
	uint32_t fixed;
	bool tail;
	uint16_t flags;
	bool one_flag;
	quire_decode_fn *decode;
	quire_once_fn *once;
	quire_execute_fn *execute;
	uint32_t unit;
	enum quire_resume resume;
	uint32_t kept;
	bool reports;
	const char *(*check)(const struct quire_engine *engine, const struct quire_ring *ring,
			     const struct quire_op *op);
	uint32_t faults;
	uint32_t segments;
	enum quire_named named;
};

#define QUIRE_FAULT_BIT(code)	(1u << (code))

#endif
