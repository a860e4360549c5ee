/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: what it needs from its host.
 */
#ifndef QUIRE_HOST_H
#define QUIRE_HOST_H

#include <stdbool.h>
#include <stdint.h>

/**
 * enum quire_event - what the engine tells its host's tracing
 * @QUIRE_EVENT_DOORBELL: a doorbell was rung; no values
 * @QUIRE_EVENT_ENABLE: a ring starts; entries address, order
 * @QUIRE_EVENT_DISABLE: a ring was stopped; read pointer, packet offset
 * @QUIRE_EVENT_SUBMIT: a submission was copied in; fence value, bytes
 * @QUIRE_EVENT_PACKET: a packet starts; opcode, byte offset
 * @QUIRE_EVENT_COMPLETE: a submission completed; fence value, read pointer
 * @QUIRE_EVENT_FAULT: a ring latched a fault; enum quire_fault, address
 * @QUIRE_EVENT_WAIT: a ring begins to wait for a value, or for time to pass; opcode, byte
 *                    offset of the packet
 * @QUIRE_EVENT_HANG: a ring hangs by injection; byte offset, read pointer
 * @QUIRE_EVENT_DROP_IRQ: a message was dropped by injection; vector, left
 * @QUIRE_EVENT_DUMMY: a packet accesses dummy pages; offset of the first, how many
 * @QUIRE_EVENT_RANGE_ENABLE: a range, in place of the ring, is enabled; offset of its image
 *                            in VRAM, its LAYOUT
 * @QUIRE_EVENT_RANGE_DISABLE: it was disabled; no values
 * @QUIRE_EVENT_RANGE_MISS: an access found nothing in its window, or not all, which may be
 *                          one that is behind the last; offset in the window, bytes that
 *                          are in no image
 * @QUIRE_EVENT_WINDOW_MISS: an access to the window of the aperture found nothing, or not all;
 *                           offset in the window, bytes that are nowhere
 */
enum quire_event {
	QUIRE_EVENT_DOORBELL,
	QUIRE_EVENT_ENABLE,
	QUIRE_EVENT_DISABLE,
	QUIRE_EVENT_SUBMIT,
	QUIRE_EVENT_PACKET,
	QUIRE_EVENT_COMPLETE,
	QUIRE_EVENT_FAULT,
	QUIRE_EVENT_WAIT,
	QUIRE_EVENT_HANG,
	QUIRE_EVENT_DROP_IRQ,
	QUIRE_EVENT_DUMMY,
	QUIRE_EVENT_RANGE_ENABLE,
	QUIRE_EVENT_RANGE_DISABLE,
	QUIRE_EVENT_RANGE_MISS,
	QUIRE_EVENT_WINDOW_MISS,
};

/* Bytes of a copy or a fill that are done beside the engine. */
struct quire_work;

/**
 * struct quire_section - system memory that the engine reaches without its host
 * @addr: DMA address of the first byte
 * @size: bytes; @addr + @size may be 2^64
 * @ptr: the memory, which can be read and written
 * @region: what the host knows the memory by
 */
struct quire_section {
	uint64_t addr;
	uint64_t size;
	uint8_t *ptr;
	void *region;
};

/**
 * struct quire_host_ops - what the engine needs from its host
 * @dma_map: pointer to system memory at DMA address @addr for reading (or
 *           writing); *@len is shortened if less is contiguous. NULL if the
 *           address is no memory. The engine unmaps before it returns, or when
 *           the work that was started has ended.
 * @dma_unmap: ends @dma_map; @touched bytes were accessed
 * @dma_dirty: the engine wrote [@offset, @offset + @len) of @section; NULL if there are none
 * @dma_write64: one single-copy atomic store of a little endian value, ordered
 *               after all earlier accesses; false if the address is no memory
 * @vram_dirty: the engine wrote VRAM [@offset, @offset + @len)
 * @vram_discard: give the memory of VRAM [@offset, @offset + @len), page aligned,
 *                back: it reads as zero from now on; false if that can not be
 * @clock: nanoseconds, of a clock that never goes back
 * @time: nanoseconds of the machine's time, which stands still while the machine does, and
 *        goes on where it was in a machine that state is loaded into
 * @alarm: call quire_engine_run() when @time says @when, or soon after; in place of all that
 *         was said before
 * @work_least: bytes from which a copy or a fill is worth @work_start, now; NULL if
 *              none ever is
 * @work_start: have quire_work_do(@work) called by another thread, once, and then
 *              call quire_engine_run() again; only after @work_least
 * @work_end: is the work that was started for @ring done? With @wait this waits
 *            until it is. Not asked again once it said yes
 * @kick: work became runnable: call quire_engine_run() soon, not from here
 * @guest_error: one line about a mistake of the guest
 * @event: something worth a trace line; may be NULL
 */
struct quire_host_ops {
	void *(*dma_map)(void *opaque, uint64_t addr, uint64_t *len, bool write);
	void (*dma_unmap)(void *opaque, void *ptr, uint64_t len, bool write, uint64_t touched);
	void (*dma_dirty)(void *opaque, const struct quire_section *section, uint64_t offset,
			  uint64_t len);
	bool (*dma_write64)(void *opaque, uint64_t addr, uint64_t value);
	void (*vram_dirty)(void *opaque, uint64_t offset, uint64_t len);
	bool (*vram_discard)(void *opaque, uint64_t offset, uint64_t len);
	uint64_t (*clock)(void *opaque);
	uint64_t (*time)(void *opaque);
	void (*alarm)(void *opaque, uint64_t when);
	uint64_t (*work_least)(void *opaque);
	void (*work_start)(void *opaque, unsigned int ring, struct quire_work *work);
	bool (*work_end)(void *opaque, unsigned int ring, bool wait);
	void (*kick)(void *opaque);
	void (*guest_error)(void *opaque, const char *fmt, ...)
		__attribute__((__format__(__printf__, 2, 3)));
	void (*event)(void *opaque, enum quire_event event, unsigned int ring,
		      uint64_t a, uint64_t b);
};

/**
 * struct quire_engine_config - what a host decides
 * @ops: the host's operations
 * @opaque: handed to each of @ops
 * @vram: host memory of VRAM, @vram_size bytes, aligned for any access
 * @vram_size: bytes, multiple of the page size, not 0
 * @vram_visible: bytes of BAR 2, multiple of the page size, at most @vram_size
 * @aperture_size: bytes, multiple of the page size, not 0
 * @execution_rings: rings beside the paging ring, below QUIRE_RING_MAX
 * @range_count: swizzling ranges, at most QUIRE_RANGE_MAX
 * @range_size: bytes of each window, power of two, at least a page; unused without ranges
 * @window_size: bytes of BAR 1, power of two, at least a page, at most @aperture_size; 0 if
 *               there is none
 * @tlb_entries: translations that are remembered, a power of two from QUIRE_TLB_ENTRIES_MIN to
 *               QUIRE_TLB_ENTRIES_MAX; 0: none
 * @mmu_size: bytes that each MMU translates, multiple of the page size; 0: nothing can be mapped
 * @fault_injection: the guest may ask for faults, see the INJECT registers
 * @dummy_page_report: accesses to dummy pages are counted and told
 * @slice_ns: nanoseconds of a quire_engine_run(); 0 = default
 * @look_bytes: bytes to copy, fill or clear between two looks at the clock; other
 *              work counts as some bytes; 0 = default
 */
struct quire_engine_config {
	const struct quire_host_ops *ops;
	void *opaque;
	uint8_t *vram;
	uint64_t vram_size;
	uint64_t vram_visible;
	uint64_t aperture_size;
	uint32_t execution_rings;
	uint32_t range_count;
	uint32_t range_size;
	uint64_t window_size;
	uint32_t tlb_entries;
	uint64_t mmu_size;
	bool fault_injection;
	bool dummy_page_report;
	uint64_t slice_ns;
	uint64_t look_bytes;
};

#endif
