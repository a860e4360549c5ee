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
 */
#ifndef QUIRE_ENGINE_H
#define QUIRE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire_command.h"
#include "quire_hw.h"

#define QUIRE_MAX_SUBMISSION	(256u * 1024)

/* One slice of quire_engine_run(), where the configuration says nothing. */
#define QUIRE_SLICE_NS		500000ull
#define QUIRE_LOOK_BYTES	0x20000ull

/* What quire_engine_init() accepts; a host may be stricter. */
#define QUIRE_VRAM_SIZE_MAX	0x10000000000ull /* 1 TiB */
#define QUIRE_APERTURE_SIZE_MAX	0x400000000ull /* 16 GiB */
#define QUIRE_MMU_SIZE_MAX	0x400000000ull /* 16 GiB */
#define QUIRE_TLB_ENTRIES_MIN	4u /* or none */
#define QUIRE_TLB_ENTRIES_MAX	4096u

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

/* Bytes of a copy or a fill that are done beside the engine, and memory of their own. */
struct quire_work;
struct quire_tlb;

/**
 * struct quire_host_ops - what the engine needs from its host
 * @dma_map: pointer to system memory at DMA address @addr for reading (or
 *           writing); *@len is shortened if less is contiguous. NULL if the
 *           address is no memory. The engine unmaps before it returns, or when
 *           the work that was started has ended.
 * @dma_unmap: ends @dma_map; @touched bytes were accessed
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

/* Pages whose writes are posted at a time. */
#define QUIRE_POSTED_PAGES	(QUIRE_POSTED_MAX / QUIRE_PAGE_SIZE)

/**
 * struct quire_posted_page - bytes of a page that were written and are not in memory
 * @addr: DMA address of the first; 0 if there are none
 * @len: how many follow each other, all in one page; 0 if there are none
 */
struct quire_posted_page {
	uint64_t addr;
	uint32_t len;
};

/**
 * struct quire_posted - the write buffer: what went through non-coherent entries last
 * @bytes: for each of @pages its bytes, at their place in the page; first, so that entries of page
 *         tables are aligned there
 * @pages: no two are of the same page
 * @next: of @pages, the one that is used next: the oldest
 * @total: how many bytes there are, of all
 *
 * All but @total is migrated.
 */
struct quire_posted {
	uint8_t bytes[QUIRE_POSTED_PAGES][QUIRE_PAGE_SIZE];
	struct quire_posted_page pages[QUIRE_POSTED_PAGES];
	uint32_t next;
	uint32_t total;
};

/**
 * struct quire_range - a swizzling range: its registers, and when it was touched
 * @addr: byte offset in VRAM
 * @layout: kind, and element shift from bit 8 on
 * @width: of level 0
 * @height: of level 0
 * @levels: levels, and array size from bit 16 on
 * @control: QUIRE_RANGE_CONTROL_*
 * @data: how often it was enabled, 16 bits
 * @touched: when that was last, by &quire_engine.range_touches; 0 if never
 *
 * All of it is migrated. While it is enabled there is such an image, and it is in VRAM.
 */
struct quire_range {
	uint64_t addr;
	uint32_t layout;
	uint32_t width;
	uint32_t height;
	uint32_t levels;
	uint32_t control;
	uint32_t data;
	uint64_t touched;
};

/**
 * struct quire_table - entries of pages, of which many are zero
 * @entries: one for each page (migrated)
 * @pages: how many there are
 * @top: entries from here on are zero
 * @used: how many entries of each QUIRE_TABLE_CHUNK are not
 * @total: how many of all are not
 */
struct quire_table {
	uint64_t *entries;
	uint32_t pages;
	uint32_t top;
	uint16_t *used;
	uint32_t total;
};

/**
 * struct quire_extent - where allocations of some numbers are
 * @first: page of the residency table, none is in front of it
 * @end: none is there or behind it
 * @pages: how many they have; none: @first and @end mean nothing
 */
struct quire_extent {
	uint32_t first;
	uint32_t end;
	uint32_t pages;
};

/**
 * struct quire_extents - extents of all allocations
 * @of: those whose number, and @mask, is the index
 * @mask: a power of two, less 1
 */
struct quire_extents {
	struct quire_extent *of;
	uint32_t mask;
};

/* Entries of a table that are counted together. */
#define QUIRE_TABLE_CHUNK	512u

/**
 * struct quire_engine - the device
 * @ops: the host's operations
 * @opaque: handed to each of @ops
 * @vram: host memory of VRAM
 * @vram_size: bytes (register)
 * @vram_visible: bytes of BAR 2 (register)
 * @aperture_size: bytes (register)
 * @caps: QUIRE_CAPS_* (register)
 * @ring_count: rings, the paging ring among them (register)
 * @range_count: swizzling ranges (register)
 * @range_size: bytes of a window, 0 without ranges (register)
 * @window_size: bytes of BAR 1, 0 without it (register)
 * @tlb_entries: translations that @tlb can hold, perhaps 0 (register)
 * @tlb: translations that are remembered
 * @mmu_size: bytes that each MMU translates (register)
 * @aperture_pages: entries of @aperture
 * @aperture_top: entries of @aperture from here on are zero
 * @aperture_valid: how many entries of each QUIRE_APERTURE_CHUNK are not
 * @aperture_dummies: how many of them are dummy pages
 * @slice_ns: nanoseconds of a quire_engine_run()
 * @look_bytes: bytes between two looks at the clock
 * @worked: all work since the engine was made, in bytes that are copied meanwhile; what a
 *          host that models time makes @clock of
 * @int_status: QUIRE_INT_* (register, migrated)
 * @int_enable: QUIRE_INT_* (register, migrated)
 * @inject_drop_irq: messages to drop (register, migrated)
 * @aperture_index: page whose entry is shown (register, migrated)
 * @dummy_pages: dummy pages that packets accessed (register, migrated)
 * @dummy_offset: where the last of these packets did first (register, migrated)
 * @walks: of page tables from their root (register, migrated)
 * @residency_page: page whose allocation is shown (register, migrated)
 * @native_fence: number of the native fence that is shown (register, migrated)
 * @native_interrupts: signals that reached a monitored value (register, migrated)
 * @messages: vectors whose message is due; 0 when the host is done with a call
 * @loading: state is being loaded: nothing runs, and accesses find nothing, before it is accepted
 *           or the machine runs, which resets the device
 * @ring: the rings; those from @ring_count on are zero (migrated)
 * @turn: the execution ring that is first in the next slice, counted from 0
 * @range: the ranges; those from @range_count on are zero (migrated)
 * @range_touches: a clock: rises when one of them is enabled, and with each piece of an
 *                 access that one shows (migrated)
 * @range_newest: number of the one that was enabled last (migrated)
 * @posted: the write buffer (migrated)
 * @op: for each ring the packet at work, decoded; size 0 if it is not known
 * @work: for each ring the part of that packet that is copied or filled now
 * @aperture: one QUIRE_APERTURE_* entry per page (migrated)
 * @residency: for each page of VRAM, then of the aperture, an allocation, and from bit 32 on
 *             which of its pages is there; 0 if none is (migrated)
 * @extents: where in @residency to search allocations
 * @mmu: for each page of an MMU where it is, and QUIRE_FLAT_* bits (migrated)
 * @native: for each native fence three numbers, its owner and where both of its values are; 0 if
 *          it is nowhere (migrated)
 * @marks: a bit for each page of a segment, of the notice of parts at work
 * @marked: how many of them are set
 */
struct quire_engine {
	const struct quire_host_ops *ops;
	void *opaque;
	uint8_t *vram;
	uint64_t vram_size;
	uint64_t vram_visible;
	uint64_t aperture_size;
	uint32_t caps;
	uint32_t ring_count;
	uint32_t range_count;
	uint32_t range_size;
	uint64_t window_size;
	uint32_t tlb_entries;
	struct quire_tlb *tlb;
	uint64_t mmu_size;
	uint32_t aperture_pages;
	uint32_t aperture_top;
	uint16_t *aperture_valid;
	uint16_t *aperture_dummies;
	uint64_t slice_ns;
	uint64_t look_bytes;
	uint64_t worked;

	uint32_t int_status;
	uint32_t int_enable;
	uint32_t inject_drop_irq;
	uint32_t aperture_index;
	uint64_t dummy_pages;
	uint64_t dummy_offset;
	uint64_t walks;
	uint64_t residency_page;
	uint32_t native_fence;
	uint64_t native_interrupts;
	uint32_t messages;
	bool loading;
	struct quire_ring ring[QUIRE_RING_MAX];
	uint32_t turn;
	struct quire_range range[QUIRE_RANGE_MAX];
	uint64_t range_touches;
	uint32_t range_newest;
	struct quire_posted posted;
	struct quire_op *op;
	struct quire_work *work;
	uint64_t *aperture;
	struct quire_table residency;
	struct quire_extents extents;
	struct quire_table mmu[QUIRE_MMU_COUNT];
	struct quire_table native;
	uint8_t *marks;
	uint32_t marked;
};

/* Aperture entries that are counted together. */
#define QUIRE_APERTURE_CHUNK	512u

bool quire_engine_init(struct quire_engine *engine,
		       const struct quire_engine_config *config, const char **why);
void quire_engine_fini(struct quire_engine *engine);
void quire_engine_reset(struct quire_engine *engine);
bool quire_engine_run(struct quire_engine *engine);
bool quire_engine_take_interrupt(struct quire_engine *engine, unsigned int *vector);
bool quire_engine_runnable(const struct quire_engine *engine);
void quire_engine_settle(struct quire_engine *engine);
void quire_work_do(struct quire_work *work);
const char *quire_engine_check(const struct quire_engine *engine);
void quire_engine_pre_load(struct quire_engine *engine);
uint64_t *quire_engine_load_entries(struct quire_engine *engine, uint32_t first, uint32_t count);
uint64_t *quire_table_load(struct quire_table *table, uint32_t first, uint32_t count);
bool quire_engine_post_load(struct quire_engine *engine, const char **why);
void quire_engine_end_load(struct quire_engine *engine);

uint64_t quire_regs_read(struct quire_engine *engine, uint64_t offset, unsigned int size);
void quire_regs_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
		      uint64_t value);

uint64_t quire_ranges_read(struct quire_engine *engine, uint64_t offset, unsigned int size);
void quire_ranges_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
			uint64_t value);

uint64_t quire_window_read(struct quire_engine *engine, uint64_t offset, unsigned int size);
void quire_window_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
			uint64_t value);

const char *quire_fault_name(uint32_t code);

#endif
