/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_CONTEXT_END_H
#define QUIRE_CONTEXT_END_H

#include <linux/types.h>

/**
 * struct quire_context_end - what ended a context
 * @status: enum drm_quire_context_status; all else is 0 while it is good
 * @submission: its number in the context
 * @part: of the submission
 * @ring: number of the execution ring
 * @offset: byte of the command buffer
 * @fault: enum quire_fault
 * @address: of the fault
 * @entry: of the page table, that @address ended with
 * @access: QUIRE_ACCESS_OF(); 0: the fault is none of an address space
 */
struct quire_context_end {
	u32 status;
	u64 submission;
	u32 part;
	u32 ring;
	u32 offset;
	u32 fault;
	u64 address;
	u64 entry;
	u32 access;
};

#endif
