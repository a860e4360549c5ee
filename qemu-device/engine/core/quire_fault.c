// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: faults, for people.
 */
#include "quire_fault.h"
#include "quire_numbers.h"

/**
 * quire_fault_name - a word for a fault code
 * @code: enum quire_fault, or anything
 *
 * Return: a constant string.
 */
const char *quire_fault_name(uint32_t code)
{
	static const char * const names[] = {
		[QUIRE_FAULT_NONE] = "none",
		[QUIRE_FAULT_BAD_RING] = "bad ring",
		[QUIRE_FAULT_RING_DMA] = "ring DMA",
		[QUIRE_FAULT_BAD_WPTR] = "bad write pointer",
		[QUIRE_FAULT_BAD_ENTRY] = "bad entry",
		[QUIRE_FAULT_BUFFER_DMA] = "submission DMA",
		[QUIRE_FAULT_BAD_PACKET] = "bad packet",
		[QUIRE_FAULT_BAD_OPCODE] = "bad opcode",
		[QUIRE_FAULT_BAD_SEGMENT] = "bad segment",
		[QUIRE_FAULT_BAD_RANGE] = "bad range",
		[QUIRE_FAULT_BAD_RUNS] = "bad page runs",
		[QUIRE_FAULT_DMA] = "DMA",
		[QUIRE_FAULT_APERTURE] = "unmapped aperture page",
		[QUIRE_FAULT_FENCE_DMA] = "fence DMA",
		[QUIRE_FAULT_INJECTED] = "injected",
		[QUIRE_FAULT_BAD_CONTEXT] = "bad context",
		[QUIRE_FAULT_PAGE] = "page",
		[QUIRE_FAULT_PROTECTION] = "protection",
		[QUIRE_FAULT_BAD_PTE] = "bad page-table entry",
		[QUIRE_FAULT_RESIDENCY] = "residency",
		[QUIRE_FAULT_MMU] = "unmapped page of an MMU",
		[QUIRE_FAULT_NATIVE_FENCE] = "native fence",
	};

	if (code >= QUIRE_ARRAY_SIZE(names))
		return "unknown";
	return names[code];
}
