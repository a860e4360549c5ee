/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Quire virtual GPU: what the device sees.
 *
 * The only definition of registers, ring entries and packets, shared by the
 * device, the driver and the tests. Documentation/gpu/quire/device.rst is the
 * specification; this file is its table of numbers.
 *
 * Everything in memory is little endian and naturally aligned. Every field
 * named reserved, and every bit without a name, is zero; the device checks it in
 * ring entries, packets and page-table entries.
 */
#ifndef QUIRE_HW_H
#define QUIRE_HW_H

#if defined(__KERNEL__) || defined(__linux__)
#include <linux/types.h>
#else /* as drm.h has it */
typedef unsigned short __le16;
typedef unsigned int __le32;
typedef unsigned int __u32;
typedef unsigned long long __le64;
typedef unsigned long long __u64;
#endif

#define QUIRE_PCI_VENDOR_ID		0x1234
#define QUIRE_PCI_DEVICE_ID		0x7175

/* BARs. */
#define QUIRE_BAR_REGS			0 /* registers and doorbell pages */
#define QUIRE_BAR_WINDOW		1 /* aperture pages for the CPU; perhaps not there */
#define QUIRE_BAR_VRAM			2 /* the CPU-visible part of VRAM */
#define QUIRE_BAR_MSIX			4 /* MSI-X table and pending bits */
#define QUIRE_BAR_RANGES		5 /* windows of the swizzling ranges; perhaps not there */

#define QUIRE_BAR_REGS_SIZE		0x20000
#define QUIRE_DOORBELL_BASE		0x10000 /* doorbell page of ring 0 */
#define QUIRE_DOORBELL_STRIDE		0x1000
#define QUIRE_DOORBELL(ring)		(QUIRE_DOORBELL_BASE + (ring) * QUIRE_DOORBELL_STRIDE)

#define QUIRE_PAGE_SHIFT		12
#define QUIRE_PAGE_SIZE			0x1000ull

/*
 * Global registers (BAR 0). 32 bits wide, accessed with aligned 4-byte or, for
 * a _LO/_HI pair, 8-byte accesses. Writes to read-only registers are ignored.
 */
#define QUIRE_REG_ID			0x0000 /* RO, QUIRE_ID */
#define QUIRE_ID			0x52495551 /* "QUIR" */
#define QUIRE_REG_VERSION		0x0004 /* RO, major << 16 | minor */
#define QUIRE_VERSION_MAJOR		1
#define QUIRE_VERSION_MINOR		10
#define QUIRE_VERSION			(QUIRE_VERSION_MAJOR << 16 | QUIRE_VERSION_MINOR)
#define QUIRE_REG_RING_COUNT		0x0008 /* RO, the paging ring and all execution rings */
#define QUIRE_REG_MAX_SUBMISSION	0x000c /* RO, bytes of one submission */
#define QUIRE_REG_VRAM_SIZE_LO		0x0010 /* RO, bytes */
#define QUIRE_REG_VRAM_SIZE_HI		0x0014
#define QUIRE_REG_VRAM_VISIBLE_LO	0x0018 /* RO, bytes of BAR 2 */
#define QUIRE_REG_VRAM_VISIBLE_HI	0x001c
#define QUIRE_REG_APERTURE_SIZE_LO	0x0020 /* RO, bytes */
#define QUIRE_REG_APERTURE_SIZE_HI	0x0024
#define QUIRE_REG_CAPS			0x0028 /* RO, QUIRE_CAPS_* */
#define QUIRE_CAPS_FAULT_INJECTION	0x1u /* the INJECT registers work, also those of rings */
#define QUIRE_CAPS_DUMMY_REPORT		0x2u /* the DUMMY registers count */
#define QUIRE_REG_CONTROL		0x0030 /* RW */
#define QUIRE_CONTROL_RESET		0x1u /* WO: reset all but VRAM content and ranges */
#define QUIRE_REG_INT_STATUS		0x0034 /* W1C, QUIRE_INT_* */
#define QUIRE_REG_INT_ENABLE		0x0038 /* RW, QUIRE_INT_* */
#define QUIRE_INT_FENCE			0x1u /* a fence with IRQ, or a native one, was written */
#define QUIRE_INT_FAULT			0x2u /* a ring latched a fault */
#define QUIRE_INT_ALL			(QUIRE_INT_FENCE | QUIRE_INT_FAULT)
#define QUIRE_REG_RANGE_COUNT		0x0040 /* RO, swizzling ranges */
#define QUIRE_REG_RANGE_SIZE		0x0044 /* RO, bytes of a window; 0 if there are none */
#define QUIRE_REG_WINDOW_SIZE_LO	0x0048 /* RO, bytes of BAR 1; 0 if it is not there */
#define QUIRE_REG_WINDOW_SIZE_HI	0x004c
#define QUIRE_REG_RANGE_OLDEST		0x0050 /* RO, touched longest ago, but not enabled last */
#define QUIRE_RANGE_OLDEST_NONE		0xffffffffu /* no other one is enabled */
#define QUIRE_REG_TLB_ENTRIES		0x0054 /* RO, translations that the TLB holds; 0: none */

/* Faults on demand, for tests of drivers: counters, 0 = off (RW; RO 0 without the cap). */
#define QUIRE_REG_INJECT_DROP_IRQ	0x0088 /* drop the next n messages */

/* What the device holds, for tests of drivers and for debugging. */
#define QUIRE_REG_APERTURE_INDEX	0x0090 /* RW, page of the aperture */
#define QUIRE_REG_APERTURE_ENTRY_LO	0x0098 /* RO, what it points at, QUIRE_APERTURE_* */
#define QUIRE_REG_APERTURE_ENTRY_HI	0x009c
#define QUIRE_REG_POSTED		0x00a0 /* RO, bytes written that are not in memory yet */
#define QUIRE_POSTED_MAX		0x10000u /* at most */
#define QUIRE_REG_DUMMY_PAGES_LO	0x00a8 /* RO, dummy pages that packets accessed */
#define QUIRE_REG_DUMMY_PAGES_HI	0x00ac
#define QUIRE_REG_DUMMY_OFFSET_LO	0x00b0 /* RO, one of them, in the aperture */
#define QUIRE_REG_DUMMY_OFFSET_HI	0x00b4
#define QUIRE_REG_WALKS_LO		0x00b8 /* RO, walks from the root of a page table */
#define QUIRE_REG_WALKS_HI		0x00bc
#define QUIRE_REG_RESIDENCY_PAGE_LO	0x00c0 /* RW, a page of a segment, QUIRE_ADDRESS() */
#define QUIRE_REG_RESIDENCY_PAGE_HI	0x00c4
#define QUIRE_REG_RESIDENCY_ALLOCATION	0x00c8 /* RO, what notices say is there; 0: nothing */
#define QUIRE_REG_RESIDENCY_OFFSET	0x00cc /* RO, which of its pages */
#define QUIRE_REG_RESIDENCY_PAGES	0x00d0 /* RO, so many pages from here go on so, or 2^16 */
#define QUIRE_REG_MMU_SIZE_LO		0x00d8 /* RO, bytes that each MMU translates */
#define QUIRE_REG_MMU_SIZE_HI		0x00dc
#define QUIRE_REG_NATIVE_FENCE		0x00e0 /* RW, number of a native fence */
#define QUIRE_REG_NATIVE_OWNER_LO	0x00e8 /* RO, root of its address space; 0: it is nowhere */
#define QUIRE_REG_NATIVE_OWNER_HI	0x00ec
#define QUIRE_REG_NATIVE_CURRENT_LO	0x00f0 /* RO, where its current value is */
#define QUIRE_REG_NATIVE_CURRENT_HI	0x00f4
#define QUIRE_REG_NATIVE_MONITORED_LO	0x00f8 /* RO, where its monitored value is */
#define QUIRE_REG_NATIVE_MONITORED_HI	0x00fc
#define QUIRE_REG_NATIVE_INTERRUPTS_LO	0x0100 /* RO, signals that reached a monitored value */
#define QUIRE_REG_NATIVE_INTERRUPTS_HI	0x0104

/* An aperture entry: page-aligned DMA address and these bits; 0 if never mapped. */
#define QUIRE_APERTURE_VALID		0x1ull
#define QUIRE_APERTURE_COHERENT		0x2ull
#define QUIRE_APERTURE_DUMMY		0x4ull /* by UNMAP_APERTURE, never coherent */
#define QUIRE_APERTURE_CPU_VISIBLE	0x8ull /* the CPU sees it in BAR 1, too */
#define QUIRE_APERTURE_BITS		(QUIRE_APERTURE_VALID | QUIRE_APERTURE_COHERENT | \
					 QUIRE_APERTURE_DUMMY | QUIRE_APERTURE_CPU_VISIBLE)

/* MSI-X vectors. */
#define QUIRE_VECTOR_FENCE		0
#define QUIRE_VECTOR_FAULT		1
#define QUIRE_VECTOR_COUNT		2

/* Per-ring registers. */
#define QUIRE_RING_PAGING		0 /* executes paging operations; all others commands */
#define QUIRE_RING_MAX			8
#define QUIRE_REG_RING_BASE		0x1000
#define QUIRE_REG_RING_STRIDE		0x0200
#define QUIRE_REG_RING(ring, reg)	\
	(QUIRE_REG_RING_BASE + (ring) * QUIRE_REG_RING_STRIDE + (reg))

#define QUIRE_RING_ENTRIES_LO		0x00 /* RW while disabled, DMA address, page aligned */
#define QUIRE_RING_ENTRIES_HI		0x04
#define QUIRE_RING_FENCE_PAGE_LO	0x08 /* RW while disabled, DMA address, page aligned */
#define QUIRE_RING_FENCE_PAGE_HI	0x0c
#define QUIRE_RING_ORDER		0x10 /* RW while disabled, log2 of the number of entries */
#define QUIRE_RING_ORDER_MAX		12
#define QUIRE_RING_CONTROL		0x14 /* RW */
#define QUIRE_RING_CONTROL_ENABLE	0x1u /* 0 -> 1 starts at entry 0, clears the fault */
#define QUIRE_RING_STATUS		0x18 /* RO */
#define QUIRE_RING_STATUS_BUSY		0x1u /* work is fetched or waiting */
#define QUIRE_RING_STATUS_FAULT		0x2u /* stopped with a latched fault */
/* RPTR and OFFSET say where a ring stopped: a disabled ring keeps them. */
#define QUIRE_RING_RPTR			0x1c /* RO, next entry to execute, free running */
#define QUIRE_RING_OFFSET		0x20 /* RO, byte offset of the packet at work */
#define QUIRE_RING_FAULT_CODE		0x24 /* RO, enum quire_fault */
#define QUIRE_RING_FAULT_OFFSET		0x28 /* RO, byte offset of the packet at fault */
#define QUIRE_RING_FAULT_OPCODE		0x2c /* RO, first 32 bits of the packet at fault */
#define QUIRE_RING_FAULT_ADDR_LO	0x30 /* RO, address that was refused or failed */
#define QUIRE_RING_FAULT_ADDR_HI	0x34
#define QUIRE_RING_FAULT_FENCE_LO	0x38 /* RO, fence value of the submission at fault */
#define QUIRE_RING_FAULT_FENCE_HI	0x3c
#define QUIRE_RING_PROGRESS_LO		0x40 /* RO, bytes and packets done: a heartbeat */
#define QUIRE_RING_PROGRESS_HI		0x44
/* What the ring executed, for tests of drivers and for debugging. */
#define QUIRE_RING_PACKETS_LO		0x48 /* RO, packets executed since reset */
#define QUIRE_RING_PACKETS_HI		0x4c
#define QUIRE_RING_HISTORY_INDEX	0x50 /* RW, number of a packet, from 0 */
#define QUIRE_RING_HISTORY_HEADER	0x54 /* RO, its first 32 bits; 0 if it is not known */
#define QUIRE_RING_HISTORY_ADDR_LO	0x58 /* RO, its address, as the ring reads it */
#define QUIRE_RING_HISTORY_ADDR_HI	0x5c
#define QUIRE_RING_HISTORY_PACKETS	64u /* the last ones are known */
/* As the INJECT registers of the device, for this ring alone. */
#define QUIRE_RING_INJECT_HANG		0x60 /* stop for ever at the n-th packet from now */
#define QUIRE_RING_INJECT_FAULT		0x64 /* fault the n-th packet from now */
#define QUIRE_RING_PACKETS_OF(opcode)	(0x80 + 8 * (opcode)) /* RO, of one opcode; a pair */
#define QUIRE_OPCODE_COUNT		0x30u /* so many have room; they are below */

/*
 * Swizzling ranges: window n is [n * RANGE_SIZE, (n + 1) * RANGE_SIZE) of BAR 5, and shows
 * the linear form of the tiled image that the registers of range n tell.
 */
#define QUIRE_RANGE_MAX			16
#define QUIRE_REG_RANGE_BASE		0x2000
#define QUIRE_REG_RANGE_STRIDE		0x0040
#define QUIRE_RANGE(n, reg)		\
	(QUIRE_REG_RANGE_BASE + (n) * QUIRE_REG_RANGE_STRIDE + (reg))

#define QUIRE_RANGE_ADDR_LO		0x00 /* RW while disabled, offset in VRAM, page aligned */
#define QUIRE_RANGE_ADDR_HI		0x04
#define QUIRE_RANGE_LAYOUT		0x08 /* RW while disabled, QUIRE_RANGE_LAYOUT_OF() */
#define QUIRE_RANGE_LAYOUT_OF(kind, element_shift) \
	((kind) | (element_shift) << 8)
#define QUIRE_RANGE_LAYOUT_BITS		0xffffu
#define QUIRE_RANGE_WIDTH		0x0c /* RW while disabled, elements of a row of level 0 */
#define QUIRE_RANGE_HEIGHT		0x10 /* RW while disabled, rows of level 0 */
#define QUIRE_RANGE_LEVELS		0x14 /* RW while disabled, QUIRE_RANGE_LEVELS_OF() */
#define QUIRE_RANGE_LEVELS_OF(levels, array_size) \
	((levels) | (array_size) << 16)
#define QUIRE_RANGE_CONTROL		0x18 /* RW */
#define QUIRE_RANGE_CONTROL_ENABLE	0x1u /* 0 -> 1 checks all; reads 0 if that was refused */
#define QUIRE_RANGE_DATA		0x1c /* RO, 16 bits: how often it was enabled, wraps */

/* enum quire_fault - why a ring stopped */
enum quire_fault {
	QUIRE_FAULT_NONE		= 0,
	QUIRE_FAULT_BAD_RING		= 1,  /* entries, fence page or order refused at enable */
	QUIRE_FAULT_RING_DMA		= 2,  /* entry or fence page can not be read */
	QUIRE_FAULT_BAD_WPTR		= 3,  /* write pointer more than a ring ahead */
	QUIRE_FAULT_BAD_ENTRY		= 4,  /* reserved bits, alignment or size of a ring entry */
	QUIRE_FAULT_BUFFER_DMA		= 5,  /* the submission can not be read */
	QUIRE_FAULT_BAD_PACKET		= 6,  /* size or reserved bits of a packet */
	QUIRE_FAULT_BAD_OPCODE		= 7,  /* no such operation, or not on this ring */
	QUIRE_FAULT_BAD_SEGMENT		= 8,  /* no such segment, or not for this operation */
	QUIRE_FAULT_BAD_RANGE		= 9,  /* outside of the segment, misaligned, or too long */
	QUIRE_FAULT_BAD_RUNS		= 10, /* page runs do not cover the size exactly */
	QUIRE_FAULT_DMA			= 11, /* system memory can not be accessed */
	QUIRE_FAULT_APERTURE		= 12, /* aperture page that was never mapped */
	QUIRE_FAULT_FENCE_DMA		= 13, /* a fence value can not be written */
	QUIRE_FAULT_INJECTED		= 14, /* QUIRE_RING_INJECT_FAULT */
	QUIRE_FAULT_BAD_CONTEXT		= 15, /* none, bad, with a fault, or no registers */
	QUIRE_FAULT_PAGE		= 16, /* page-table entry that is not valid */
	QUIRE_FAULT_PROTECTION		= 17, /* access that the entry forbids */
	QUIRE_FAULT_BAD_PTE		= 18, /* entry that can not be, or is in no memory */
	QUIRE_FAULT_RESIDENCY		= 19, /* notice that contradicts the one before */
	QUIRE_FAULT_MMU			= 20, /* page of an MMU that is not mapped */
	QUIRE_FAULT_NATIVE_FENCE	= 21, /* native fence that is nowhere, or another's */
};

/* Segments: numbers in packets, in the driver and in the uAPI. */
#define QUIRE_SEGMENT_SYSTEM		0 /* pages by DMA address */
#define QUIRE_SEGMENT_VRAM		1
#define QUIRE_SEGMENT_APERTURE		2
/* What the MMUs show: each is a flat table that only MAP_MMU and UNMAP_MMU change. */
#define QUIRE_MMU_COUNT			2
#define QUIRE_SEGMENT_MMU(mmu)		(3 + (mmu))

/* An address in one number: a byte offset in a segment; of system memory a DMA address. */
#define QUIRE_ADDRESS_SEGMENT_SHIFT	56
#define QUIRE_ADDRESS(segment, offset) \
	((__u64)(segment) << QUIRE_ADDRESS_SEGMENT_SHIFT | (offset))
#define QUIRE_ADDRESS_SEGMENT(address)	((__u32)((address) >> QUIRE_ADDRESS_SEGMENT_SHIFT))
#define QUIRE_ADDRESS_OFFSET(address) \
	((address) & ((1ull << QUIRE_ADDRESS_SEGMENT_SHIFT) - 1))

/*
 * GPU virtual addresses: 48 bits, which four levels of page tables translate. A table is a
 * page of entries, in VRAM or in system memory; level 0 has those of pages of 4 KiB.
 */
#define QUIRE_VA_END			0x1000000000000ull /* behind the last */
#define QUIRE_PT_LEVELS			4
#define QUIRE_PT_LEVEL_BITS		9
#define QUIRE_PT_ENTRIES		512u
/* Bytes that an entry of a level covers, as a power of two. */
#define QUIRE_PT_SHIFT(level)		(QUIRE_PAGE_SHIFT + (level) * QUIRE_PT_LEVEL_BITS)
#define QUIRE_PT_SHIFT_64K		16
/* A page of 64 KiB has so many entries of level 0, which are all the same. */
#define QUIRE_PT_ENTRIES_64K		(1u << (QUIRE_PT_SHIFT_64K - QUIRE_PAGE_SHIFT))

/*
 * A page-table entry: the page-aligned address of a page or of a table, and these bits. The
 * first eleven are those of DXGK_PTE. What is not VALID has no other meaning.
 */
#define QUIRE_PTE_VALID			0x001ull
#define QUIRE_PTE_ZERO			0x002ull /* no page: reads as zero, writes are lost */
#define QUIRE_PTE_CACHE_COHERENT	0x004ull /* of a page of system memory */
#define QUIRE_PTE_READ_ONLY		0x008ull
#define QUIRE_PTE_NO_EXECUTE		0x010ull
#define QUIRE_PTE_SEGMENT_SHIFT		5 /* 5 bits, QUIRE_SEGMENT_* */
#define QUIRE_PTE_SEGMENT_MASK		0x3e0ull
#define QUIRE_PTE_LARGE			0x400ull /* level 1: a page of 2 MiB */
#define QUIRE_PTE_64K			0x800ull /* level 0: one of the entries of such a page */
#define QUIRE_PTE_ADDRESS_MASK		(~0xfffull)
#define QUIRE_PTE_SEGMENT(entry) \
	((__u32)(((entry) & QUIRE_PTE_SEGMENT_MASK) >> QUIRE_PTE_SEGMENT_SHIFT))
#define QUIRE_PTE(segment, address, bits) \
	((__u64)(address) | (__u64)(segment) << QUIRE_PTE_SEGMENT_SHIFT | (bits))

/**
 * struct quire_context_area - what the device keeps of a context in memory
 * @magic: %QUIRE_CONTEXT_MAGIC
 * @status: QUIRE_CONTEXT_*
 * @root: of its address space: the entry that leads to the table of level 3; 0 if it has none
 * @fault_address: virtual address that could not be accessed
 * @fault_entry: the page-table entry that says so; 0 if it is in no memory
 * @fault_code: enum quire_fault
 * @fault_access: QUIRE_ACCESS_OF()
 * @save: QUIRE_ADDRESS() of its struct quire_save_area; 0 if it has none
 * @reserved: zero
 *
 * A page, page aligned. INIT_CONTEXT makes it, with all but @magic zero, and UPDATE_CONTEXT
 * changes it. The device reads it when a submission of the context begins, and writes @status
 * and the members about the fault when one ends in a fault of its address space.
 *
 * Source: DXGKARGCB_CREATECONTEXTALLOCATION, the context save area.
 */
struct quire_context_area {
	__le32 magic;
	__le32 status;
	__le64 root;
	__le64 fault_address;
	__le64 fault_entry;
	__le32 fault_code;
	__le32 fault_access;
	__le64 save;
	__le64 reserved[506];
};

/* Registers of a context on each ring, of 64 bits. */
#define QUIRE_CONTEXT_REGISTERS		16u

/**
 * struct quire_save_area - registers of a context while it is not at work
 * @magic: %QUIRE_SAVE_MAGIC
 * @reserved0: zero
 * @reserved1: zero
 * @registers: by the number of the execution ring; those of ring 0 are zero
 * @reserved2: zero
 *
 * A page, page aligned. INIT_CONTEXT with %QUIRE_INIT_SAVE_AREA makes it, with all but @magic
 * zero. The device reads the registers of a ring when a submission of the context begins there,
 * and writes them when it ends, also in a fault, or when the ring is disabled.
 *
 * Source: DXGKARGCB_CREATECONTEXTALLOCATION, the context save area.
 */
struct quire_save_area {
	__le32 magic;
	__le32 reserved0;
	__le64 reserved1[7];
	__le64 registers[QUIRE_RING_MAX][QUIRE_CONTEXT_REGISTERS];
	__le64 reserved2[376];
};

#define QUIRE_SAVE_MAGIC		0x56415351u /* "QSAV" */

#define QUIRE_CONTEXT_MAGIC		0x58544351u /* "QCTX" */
#define QUIRE_CONTEXT_FAULT		0x1u /* until that is cleared it executes nothing */

/* What was tried, and with an entry of which level it ended; the root's is QUIRE_PT_LEVELS. */
#define QUIRE_ACCESS_READ		0x1u
#define QUIRE_ACCESS_WRITE		0x2u
#define QUIRE_ACCESS_EXECUTE		0x4u
#define QUIRE_ACCESS_OF(access, level)	((access) | (level) << 8)
#define QUIRE_ACCESS_KIND(value)	((value) & 0xff)
#define QUIRE_ACCESS_LEVEL(value)	((value) >> 8)

/**
 * struct quire_fence_page - shared by device and driver, one page per ring
 * @fence: value of the last completed submission; written by the device
 * @rptr: number of entries completed, free running; written by the device
 * @reserved0: zero
 * @doorbell_event: the device waits for a doorbell when @wptr moves on from
 *                  this value; written by the device
 * @reserved1: zero
 * @wptr: number of entries written, free running; written by the driver
 * @reserved2: zero
 *
 * The doorbell only says that @wptr changed; its value is ignored.
 */
struct quire_fence_page {
	__le64 fence;
	__le32 rptr;
	__le32 reserved0;
	__le32 doorbell_event;
	__le32 reserved1[11];
	__le32 wptr;
	__le32 reserved2[15];
};

/**
 * quire_doorbell_wanted - must the doorbell be rung?
 * @event: doorbell_event, read after a full memory barrier that follows the
 *         store of @wptr
 * @before: the write pointer before
 * @wptr: the write pointer now
 *
 * Returns: 1 if the device waits for a doorbell, else 0.
 */
static inline int quire_doorbell_wanted(__u32 event, __u32 before, __u32 wptr)
{
	return event - before < wptr - before;
}

/**
 * struct quire_ring_entry - one submission
 * @addr: DMA address of the packets, or virtual address; 8-byte aligned
 * @size: bytes, multiple of 8, at most MAX_SUBMISSION; 0 completes at once
 * @flags: QUIRE_ENTRY_*
 * @fence: value written to the fence page when all packets are executed
 * @context: QUIRE_ADDRESS() of its struct quire_context_area; 0 without %QUIRE_ENTRY_CONTEXT
 */
struct quire_ring_entry {
	__le64 addr;
	__le32 size;
	__le32 flags;
	__le64 fence;
	__le64 context;
};

#define QUIRE_ENTRY_IRQ			0x1u /* raise the fence vector on completion */
#define QUIRE_ENTRY_CONTEXT		0x2u /* virtual addresses are those of @context */
#define QUIRE_ENTRY_VIRTUAL		0x4u /* @addr is one of them; with CONTEXT only */

/* enum quire_opcode - operations of the paging ring; quire_command.h has the others' commands */
enum quire_opcode {
	QUIRE_OP_TRANSFER		= 0x0001,
	QUIRE_OP_FILL			= 0x0002,
	QUIRE_OP_DISCARD_CONTENT	= 0x0003,
	QUIRE_OP_READ_PHYSICAL		= 0x0004,
	QUIRE_OP_WRITE_PHYSICAL		= 0x0005,
	QUIRE_OP_MAP_APERTURE		= 0x0006,
	QUIRE_OP_UNMAP_APERTURE		= 0x0007,
	QUIRE_OP_SIGNAL_FENCE		= 0x0008,
	QUIRE_OP_MAP_APERTURE2		= 0x0009,
	QUIRE_OP_SPECIAL_LOCK		= 0x000a,
	QUIRE_OP_TRANSFER_VIRTUAL	= 0x000b,
	QUIRE_OP_FILL_VIRTUAL		= 0x000c,
	QUIRE_OP_INIT_CONTEXT		= 0x000d,
	QUIRE_OP_UPDATE_PAGE_TABLE	= 0x000e,
	QUIRE_OP_FLUSH_TLB		= 0x000f,
	QUIRE_OP_UPDATE_CONTEXT		= 0x0010,
	QUIRE_OP_COPY_PAGE_TABLE	= 0x0011,
	QUIRE_OP_SIGNAL_MONITORED	= 0x0012,
	QUIRE_OP_NOTIFY_RESIDENCY	= 0x0013,
	QUIRE_OP_NOTIFY_RESIDENCY2	= 0x0014,
	QUIRE_OP_NOTIFY_ALLOCATION	= 0x0015,
	QUIRE_OP_MAP_MMU		= 0x0016,
	QUIRE_OP_UNMAP_MMU		= 0x0017,
	QUIRE_OP_NOTIFY_FENCES		= 0x0018,
};

#define QUIRE_OP_MAX			QUIRE_OP_NOTIFY_FENCES

/**
 * struct quire_packet_header - starts every packet
 * @opcode: enum quire_opcode, or enum quire_command_opcode
 * @flags: of the operation; zero where none is named
 * @size: bytes of the packet with this header, multiple of 8
 */
struct quire_packet_header {
	__le16 opcode;
	__le16 flags;
	__le32 size;
};

/*
 * A page run: @count consecutive pages of system memory from page number
 * @first (DMA address >> QUIRE_PAGE_SHIFT), packed as first << 12 | count - 1.
 */
#define QUIRE_RUN_COUNT_BITS		12
#define QUIRE_RUN_MAX_PAGES		0x1000u
#define QUIRE_RUN(first, count)		((__u64)(first) << QUIRE_RUN_COUNT_BITS | ((count) - 1))
#define QUIRE_RUN_FIRST(run)		((__u64)(run) >> QUIRE_RUN_COUNT_BITS)
#define QUIRE_RUN_PAGES(run)		(((run) & (QUIRE_RUN_MAX_PAGES - 1)) + 1)

/**
 * struct quire_packet_transfer - copy bytes, with the meaning of memmove
 * @header: %QUIRE_OP_TRANSFER, no flags: with one it is struct quire_packet_swizzle
 * @src_segment: QUIRE_SEGMENT_*
 * @dst_segment: QUIRE_SEGMENT_*; at most one side is QUIRE_SEGMENT_SYSTEM
 * @src_address: byte offset in the segment; 0 for system memory
 * @dst_address: byte offset in the segment; 0 for system memory
 * @size: bytes, not 0
 * @runs: only with a system side: its pages, from the first byte of the first
 *        page; all runs together have exactly DIV_ROUND_UP(size, page) pages
 */
struct quire_packet_transfer {
	struct quire_packet_header header;
	__le32 src_segment;
	__le32 dst_segment;
	__le64 src_address;
	__le64 dst_address;
	__le64 size;
	__le64 runs[];
};

/* header.flags of QUIRE_OP_TRANSFER, never both: names and values of DXGK_TRANSFERFLAGS. */
#define QUIRE_TRANSFER_SWIZZLE		0x1u /* from the linear form to the tiled one */
#define QUIRE_TRANSFER_UNSWIZZLE	0x2u /* from the tiled form to the linear one */

/* How an image lies in VRAM; quire_layout.h says where each element is. */
#define QUIRE_LAYOUT_LINEAR		0 /* as the CPU sees it */
#define QUIRE_LAYOUT_TILE_4K		1 /* tiles of 4 KiB */
#define QUIRE_LAYOUT_TILE_64K		2 /* tiles of 64 KiB */

/**
 * struct quire_packet_swizzle - copy a rectangle of an image from one form to the other
 * @header: %QUIRE_OP_TRANSFER, %QUIRE_TRANSFER_SWIZZLE or %QUIRE_TRANSFER_UNSWIZZLE
 * @src_segment: QUIRE_SEGMENT_*: of the tiled side QUIRE_SEGMENT_VRAM, of the linear
 *               side another one
 * @dst_segment: QUIRE_SEGMENT_*: of the tiled side QUIRE_SEGMENT_VRAM, of the linear
 *               side another one
 * @src_address: of the tiled side 0; of the linear side where the first element of the
 *               rectangle begins, a multiple of the element: byte offset in the
 *               aperture, or in the first page of the runs in system memory, 0 to 4095
 * @dst_address: the same of the destination
 * @size: bytes of the rectangle, @columns * @rows << @element_shift
 * @layout: QUIRE_LAYOUT_TILE_*
 * @element_shift: log2 of the bytes of an element
 * @width: elements of a row of level 0
 * @height: rows of level 0
 * @levels: of the image
 * @array_size: slices of the image
 * @level: of the rectangle
 * @slice: of the rectangle
 * @reserved: zero
 * @x: first column of the rectangle, in elements of the level
 * @y: first row of the rectangle
 * @columns: of the rectangle, not 0
 * @rows: of the rectangle, not 0
 * @runs: with a linear side in system memory the pages that the rectangle touches
 *        there, exactly; then, as runs of page numbers of VRAM, the pages of the tiles
 *        from that of the first element to that of the last one, exactly, and each run
 *        a whole number of tiles
 */
struct quire_packet_swizzle {
	struct quire_packet_header header;
	__le32 src_segment;
	__le32 dst_segment;
	__le64 src_address;
	__le64 dst_address;
	__le64 size;
	__le16 layout;
	__le16 element_shift;
	__le32 width;
	__le32 height;
	__le16 levels;
	__le16 array_size;
	__le16 level;
	__le16 slice;
	__le32 reserved;
	__le32 x;
	__le32 y;
	__le32 columns;
	__le32 rows;
	__le64 runs[];
};

/**
 * struct quire_packet_special_lock - convert an image that has an alternate view
 * @image: as of %QUIRE_OP_TRANSFER, but %QUIRE_OP_SPECIAL_LOCK; its @reserved is
 *         QUIRE_SPECIAL_LOCK_RANGE() of the swizzling range that shows the image, or
 *         %QUIRE_SPECIAL_LOCK_NO_RANGE
 *
 * UNSWIZZLE leaves VRAM for the pages of the view, SWIZZLE comes back from them; the linear
 * side is system memory. Before anything is read, the range that is named is disabled if
 * its DATA register still says what the packet does: else it shows something else by now.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, SpecialLockTransfer, SwizzlingRangeId and
 * SwizzlingRangeData.
 */
struct quire_packet_special_lock {
	struct quire_packet_swizzle image;
};

#define QUIRE_SPECIAL_LOCK_RANGE(range, data)	((__u32)(range) | (__u32)(data) << 16)
#define QUIRE_SPECIAL_LOCK_NO_RANGE		0xffffffffu

/**
 * struct quire_packet_fill - repeat a 32-bit pattern
 * @header: %QUIRE_OP_FILL, no flags
 * @segment: QUIRE_SEGMENT_VRAM (an aperture is refused)
 * @pattern: value; its first byte (little endian) goes to @address
 * @address: byte offset in the segment, multiple of 4
 * @size: bytes, not 0, multiple of 4
 */
struct quire_packet_fill {
	struct quire_packet_header header;
	__le32 segment;
	__le32 pattern;
	__le64 address;
	__le64 size;
};

/**
 * struct quire_packet_discard - drop content
 * @header: %QUIRE_OP_DISCARD_CONTENT, no flags
 * @segment: QUIRE_SEGMENT_VRAM
 * @reserved: zero
 * @address: byte offset in the segment, page aligned
 * @size: bytes, not 0, multiple of the page size
 *
 * The content is gone: it reads as zero until it is written again. The host
 * gets the memory of large ranges back.
 */
struct quire_packet_discard {
	struct quire_packet_header header;
	__le32 segment;
	__le32 reserved;
	__le64 address;
	__le64 size;
};

/**
 * struct quire_packet_physical - read or write 1 to 8 bytes: a flush
 * @header: %QUIRE_OP_READ_PHYSICAL or %QUIRE_OP_WRITE_PHYSICAL, no flags
 * @segment: QUIRE_SEGMENT_*; @address is a DMA address for system memory
 * @size: bytes, 1 to 8
 * @address: byte offset in the segment; [@address, @address + @size) stays
 *           within one page
 * @value: what is written, from its low byte; zero for a read
 */
struct quire_packet_physical {
	struct quire_packet_header header;
	__le32 segment;
	__le32 size;
	__le64 address;
	__le64 value;
};

/* header.flags of QUIRE_OP_MAP_APERTURE */
#define QUIRE_MAP_CACHE_COHERENT	0x1u

/**
 * struct quire_packet_map - point aperture pages at system pages
 * @header: %QUIRE_OP_MAP_APERTURE, flags QUIRE_MAP_*
 * @segment: QUIRE_SEGMENT_APERTURE
 * @pages: number of pages, not 0
 * @first_page: page index in the segment
 * @runs: the system pages; all runs together have exactly @pages pages
 */
struct quire_packet_map {
	struct quire_packet_header header;
	__le32 segment;
	__le32 pages;
	__le64 first_page;
	__le64 runs[];
};

/* header.flags of QUIRE_OP_MAP_APERTURE2, with QUIRE_MAP_CACHE_COHERENT */
#define QUIRE_MAP_CONTIGUOUS		0x2u /* @adl is a page number, and there is no array */
#define QUIRE_MAP_CPU_VISIBLE		0x4u /* until they are unmapped, BAR 1 shows them */

/**
 * struct quire_packet_map2 - point aperture pages at system pages, by an address list
 * @header: %QUIRE_OP_MAP_APERTURE2, flags %QUIRE_MAP_CACHE_COHERENT,
 *          %QUIRE_MAP_CONTIGUOUS, %QUIRE_MAP_CPU_VISIBLE
 * @segment: QUIRE_SEGMENT_APERTURE
 * @pages: number of pages, not 0
 * @first_page: page index in the segment
 * @adl: contiguous: page number of the first of @pages consecutive system pages; else the
 *       address of @page_numbers of this packet itself, as the ring reads it: a DMA address,
 *       or a virtual one in a submission with %QUIRE_ENTRY_VIRTUAL
 * @page_numbers: not contiguous: @pages page numbers of system memory
 *
 * CPU-visible pages are the first ones of the aperture, as many as BAR 1 has.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment2; DXGK_ADL.
 */
struct quire_packet_map2 {
	struct quire_packet_header header;
	__le32 segment;
	__le32 pages;
	__le64 first_page;
	__le64 adl;
	__le64 page_numbers[];
};

/**
 * struct quire_packet_unmap - point aperture pages at the dummy page
 * @header: %QUIRE_OP_UNMAP_APERTURE, no flags
 * @segment: QUIRE_SEGMENT_APERTURE
 * @pages: number of pages, not 0
 * @first_page: page index in the segment
 * @dummy_page: DMA address, page aligned; accesses stay enabled and go there
 */
struct quire_packet_unmap {
	struct quire_packet_header header;
	__le32 segment;
	__le32 pages;
	__le64 first_page;
	__le64 dummy_page;
};

/**
 * struct quire_packet_signal - write a 64-bit value to system memory
 * @header: %QUIRE_OP_SIGNAL_FENCE, no flags
 * @address: DMA address, 8-byte aligned
 * @value: written after all that stands before in the ring
 */
struct quire_packet_signal {
	struct quire_packet_header header;
	__le64 address;
	__le64 value;
};

/* header.flags of QUIRE_OP_TRANSFER_VIRTUAL: values of DXGK_TRANSFERVIRTUALFLAGS. */
#define QUIRE_TRANSFER_SRC_64K		0x1u /* pages of the source have 64 KiB at least */
#define QUIRE_TRANSFER_DST_64K		0x2u /* pages of the destination do */

/* Values of DXGK_MEMORY_TRANSFER_DIRECTION. Local is VRAM; system, the aperture, too. */
#define QUIRE_DIRECTION_LOCAL_TO_SYSTEM	0
#define QUIRE_DIRECTION_SYSTEM_TO_LOCAL	1
#define QUIRE_DIRECTION_LOCAL_TO_LOCAL	2

/**
 * struct quire_packet_transfer_virtual - copy bytes, with the meaning of memmove
 * @header: %QUIRE_OP_TRANSFER_VIRTUAL, flags QUIRE_TRANSFER_SRC_64K, QUIRE_TRANSFER_DST_64K
 * @direction: QUIRE_DIRECTION_*: where the pages of both sides are
 * @reserved: zero
 * @src: virtual address
 * @dst: virtual address
 * @size: bytes, not 0
 *
 * Source: DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL.
 */
struct quire_packet_transfer_virtual {
	struct quire_packet_header header;
	__le32 direction;
	__le32 reserved;
	__le64 src;
	__le64 dst;
	__le64 size;
};

/**
 * struct quire_packet_fill_virtual - repeat a 32-bit pattern
 * @header: %QUIRE_OP_FILL_VIRTUAL, no flags
 * @dst: virtual address, multiple of 4
 * @size: bytes, not 0, multiple of 4
 * @pattern: value; its first byte (little endian) goes to @dst
 * @reserved: zero
 *
 * Source: DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL.
 */
struct quire_packet_fill_virtual {
	struct quire_packet_header header;
	__le64 dst;
	__le64 size;
	__le32 pattern;
	__le32 reserved;
};

/* header.flags of QUIRE_OP_INIT_CONTEXT and QUIRE_OP_UPDATE_PAGE_TABLE */
#define QUIRE_ADDRESS_VIRTUAL		0x8000u /* it is a virtual address, @segment zero */

/* header.flags of QUIRE_OP_INIT_CONTEXT */
#define QUIRE_INIT_SAVE_AREA		0x1u /* the page is a struct quire_save_area */

/**
 * struct quire_packet_init_context - make a context, or its save area
 * @header: %QUIRE_OP_INIT_CONTEXT, flags %QUIRE_ADDRESS_VIRTUAL, %QUIRE_INIT_SAVE_AREA
 * @segment: QUIRE_SEGMENT_*
 * @reserved: zero
 * @address: of the struct quire_context_area, or struct quire_save_area, page aligned
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, InitContextResource.
 */
struct quire_packet_init_context {
	struct quire_packet_header header;
	__le32 segment;
	__le32 reserved;
	__le64 address;
};

/**
 * struct quire_packet_update_context - change a context
 * @header: %QUIRE_OP_UPDATE_CONTEXT, no flags
 * @context: virtual address of the struct quire_context_area, page aligned
 * @offset: of the first byte that is written, multiple of 8
 * @bytes: how many, not 0, multiple of 8; to the end of the page at most
 * @data: what is written, to the end of the packet: @bytes
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION.
 */
struct quire_packet_update_context {
	struct quire_packet_header header;
	__le64 context;
	__le32 offset;
	__le32 bytes;
	__le64 data[];
};

/* header.flags of QUIRE_OP_UPDATE_PAGE_TABLE; the first four of DXGK_UPDATEPAGETABLEFLAGS. */
#define QUIRE_UPDATE_REPEAT		0x1u /* one entry is written to all places */
#define QUIRE_UPDATE_INITIAL		0x2u /* all other entries of the table become 0 */
#define QUIRE_UPDATE_NOTIFY_EVICTION	0x4u /* no entry is valid */
#define QUIRE_UPDATE_64K		0x8u /* level 0: of pages of 64 KiB, which are 32 */
#define QUIRE_UPDATE_CONTIGUOUS		0x10u /* each points behind the one before */

/**
 * struct quire_packet_update_page_table - write page-table entries
 * @header: %QUIRE_OP_UPDATE_PAGE_TABLE, flags QUIRE_UPDATE_*, %QUIRE_ADDRESS_VIRTUAL
 * @segment: %QUIRE_SEGMENT_SYSTEM or %QUIRE_SEGMENT_VRAM
 * @level: of the table, 0 to 3
 * @table: its address, page aligned
 * @start: first entry that is written; of pages of 64 KiB, counted in these
 * @count: how many, not 0; to the end of the table at most
 * @entries: @count of them; one with %QUIRE_UPDATE_REPEAT or %QUIRE_UPDATE_CONTIGUOUS, which
 *           exclude each other
 *
 * With %QUIRE_UPDATE_64K each is written to all places of its page, with %QUIRE_PTE_64K.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE.
 */
struct quire_packet_update_page_table {
	struct quire_packet_header header;
	__le32 segment;
	__le32 level;
	__le64 table;
	__le32 start;
	__le32 count;
	__le64 entries[];
};

/**
 * struct quire_packet_flush_tlb - forget translations
 * @header: %QUIRE_OP_FLUSH_TLB, no flags
 * @root: of the address space, as in struct quire_context_area
 * @start: virtual address, page aligned
 * @end: behind the last, page aligned, above @start; 0 with @start 0: all
 *
 * When it is done nothing is at work, either, that uses one of them.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_FLUSHTLB.
 */
struct quire_packet_flush_tlb {
	struct quire_packet_header header;
	__le64 root;
	__le64 start;
	__le64 end;
};

/**
 * struct quire_copy_range - entries of one table that are copied to another one
 * @src: virtual address of the table that is read, page aligned
 * @dst: virtual address of the table that is written, page aligned
 * @src_start: first entry there
 * @dst_start: first entry there
 * @count: how many, not 0; to the end of either table at most
 * @reserved: zero
 *
 * Source: DXGK_BUILDPAGINGBUFFER_COPY_RANGE.
 */
struct quire_copy_range {
	__le64 src;
	__le64 dst;
	__le32 src_start;
	__le32 dst_start;
	__le32 count;
	__le32 reserved;
};

/**
 * struct quire_packet_copy_page_table - copy page-table entries
 * @header: %QUIRE_OP_COPY_PAGE_TABLE, no flags
 * @ranges: one after the other, to the end of the packet, at least one; each with the meaning
 *          of memmove
 *
 * Source: DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES.
 */
struct quire_packet_copy_page_table {
	struct quire_packet_header header;
	struct quire_copy_range ranges[];
};

/* header.flags of QUIRE_OP_SIGNAL_MONITORED */
#define QUIRE_SIGNAL_IRQ		0x1u /* as that of a ring entry */

/**
 * struct quire_packet_signal_monitored - write a 64-bit value to a virtual address
 * @header: %QUIRE_OP_SIGNAL_MONITORED, flag %QUIRE_SIGNAL_IRQ
 * @address: virtual address, 8-byte aligned
 * @value: written after all that stands before in the ring, in one access
 *
 * Source: DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE.
 */
struct quire_packet_signal_monitored {
	struct quire_packet_header header;
	__le64 address;
	__le64 value;
};

/* header.flags of QUIRE_OP_NOTIFY_RESIDENCY and QUIRE_OP_NOTIFY_RESIDENCY2 */
#define QUIRE_NOTIFY_RESIDENT		0x1u

/**
 * struct quire_packet_notify_residency - an allocation comes to a place, or leaves it
 * @header: %QUIRE_OP_NOTIFY_RESIDENCY, flag %QUIRE_NOTIFY_RESIDENT
 * @allocation: whose, not 0
 * @pages: all of its pages, not 0; 0 when it leaves
 * @address: QUIRE_ADDRESS() of the first one, in VRAM or the aperture; 0 when it leaves
 *
 * The residency table has for each page of these segments the allocation that is there, and
 * nothing but notices changes it. Each change is told exactly once: what comes to a page that
 * has an allocation, or leaves and is nowhere, is a fault.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY.
 */
struct quire_packet_notify_residency {
	struct quire_packet_header header;
	__le32 allocation;
	__le32 pages;
	__le64 address;
};

/**
 * struct quire_packet_notify_residency2 - a part of an allocation comes, or leaves
 * @header: %QUIRE_OP_NOTIFY_RESIDENCY2, flag %QUIRE_NOTIFY_RESIDENT
 * @allocation: whose, not 0
 * @segment: %QUIRE_SEGMENT_VRAM or %QUIRE_SEGMENT_APERTURE
 * @offset: first page of the part, in the allocation
 * @pages: of the part, not 0
 * @runs: when it comes, runs of page numbers of the segment, which have exactly @pages pages;
 *        none when it leaves
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2.
 */
struct quire_packet_notify_residency2 {
	struct quire_packet_header header;
	__le32 allocation;
	__le32 segment;
	__le32 offset;
	__le32 pages;
	__le64 runs[];
};

/* header.flags of QUIRE_OP_NOTIFY_ALLOCATION: exactly one. */
#define QUIRE_NOTIFY_EVICTION		0x1u /* they leave the aperture: nothing is kept back */
#define QUIRE_NOTIFY_IOMMU_UNMAP	0x2u /* nothing remembers where they are */

/**
 * struct quire_packet_notify_allocation - pages of an allocation are about to go
 * @header: %QUIRE_OP_NOTIFY_ALLOCATION, flag %QUIRE_NOTIFY_EVICTION or
 *          %QUIRE_NOTIFY_IOMMU_UNMAP
 * @allocation: whose, not 0
 * @reserved: zero
 * @offset: byte offset of the part in the allocation, page aligned
 * @size: bytes of the part, not 0, multiple of the page size
 * @address: virtual address of the part, page aligned
 *
 * EVICTION: when the packet is done, what was posted to these pages is in memory.
 * IOMMU_UNMAP: when it is done the TLB has no translation, of any address space, that leads
 * to one of these pages, and nothing is at work that used one.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC.
 */
struct quire_packet_notify_allocation {
	struct quire_packet_header header;
	__le32 allocation;
	__le32 reserved;
	__le64 offset;
	__le64 size;
	__le64 address;
};

/**
 * struct quire_packet_map_mmu - point pages of an MMU at pages of memory
 * @header: %QUIRE_OP_MAP_MMU, flags %QUIRE_MAP_CACHE_COHERENT, %QUIRE_MAP_CONTIGUOUS
 * @mmu: which one, below %QUIRE_MMU_COUNT
 * @segment: %QUIRE_SEGMENT_SYSTEM or %QUIRE_SEGMENT_VRAM: where the pages are
 * @address: where the MMU shows them, page aligned
 * @pages: number of pages, not 0
 * @reserved: zero
 * @page_numbers: of the segment, @pages; one with %QUIRE_MAP_CONTIGUOUS, the first
 *
 * Packets name what an MMU shows as segment QUIRE_SEGMENT_MMU(). Where nothing is mapped an
 * access is a fault.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_MAPMMU.
 */
struct quire_packet_map_mmu {
	struct quire_packet_header header;
	__le32 mmu;
	__le32 segment;
	__le64 address;
	__le32 pages;
	__le32 reserved;
	__le64 page_numbers[];
};

/**
 * struct quire_packet_unmap_mmu - take pages of an MMU away
 * @header: %QUIRE_OP_UNMAP_MMU, no flags
 * @mmu: which one, below %QUIRE_MMU_COUNT
 * @pages: number of pages, not 0; what is not mapped stays so
 * @address: of the first one, page aligned
 *
 * When it is done nothing is at work that used one of them.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UNMAPMMU.
 */
struct quire_packet_unmap_mmu {
	struct quire_packet_header header;
	__le32 mmu;
	__le32 pages;
	__le64 address;
};

/* Native fences have numbers below it. */
#define QUIRE_NATIVE_FENCES		1024u

/**
 * struct quire_fence_place - where the storage of a native fence is
 * @fence: number of the fence, below %QUIRE_NATIVE_FENCES
 * @reserved: zero
 * @owner: root of the address space whose contexts may signal it, as in struct
 *         quire_context_area; valid
 * @current_value: QUIRE_ADDRESS() of a 64-bit number in the system segment, VRAM or the aperture;
 *                 8-byte aligned
 * @monitored_value: the same of another one
 *
 * One that is nowhere has @owner and both addresses zero; any other one has none of them zero.
 *
 * Source: DXGK_FENCERESIDENCYINFO of DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY.
 */
struct quire_fence_place {
	__le32 fence;
	__le32 reserved;
	__le64 owner;
	__le64 current_value;
	__le64 monitored_value;
};

/**
 * struct quire_packet_notify_fences - native fences come to places, or leave theirs
 * @header: %QUIRE_OP_NOTIFY_FENCES, no flags
 * @fences: one after the other, to the end of the packet, at least one
 *
 * The device has a table of native fences, and nothing else changes it. What was told of a fence
 * before is forgotten. %QUIRE_COMMAND_SIGNAL_NATIVE looks there.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY.
 */
struct quire_packet_notify_fences {
	struct quire_packet_header header;
	struct quire_fence_place fences[];
};

#endif
