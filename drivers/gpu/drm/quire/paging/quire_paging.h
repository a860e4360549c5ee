/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_H
#define QUIRE_PAGING_H

/**
 * DOC: Paging operations
 *
 * The folder paging/ turns paging operations into packets of the device. It uses nothing of
 * the rest of the driver, only include/quire and a few headers of the kernel, for which
 * tools/include stands in where it is compiled in user space. It allocates nothing, takes no
 * lock and reads no clock; only the callbacks of &struct quire_paging_list_ops may sleep.
 *
 * In: an operation with its arguments, &struct quire_paging_args, whose pages are runs of page
 * numbers, and the limits of the device, &struct quire_paging_caps. Out: packets and records in
 * a paging buffer.
 *
 * ==========================  =====================================================
 * files                       what
 * ==========================  =====================================================
 * quire_paging.c              table of operations, and what all of them share
 * _transfer, _swizzle,        the operations: check of the arguments, number of
 * _virtual, _map, _context,   units, one packet
 * _page_table, _pte, _notify
 * _pages, quire_page_cursor   lists of pages
 * _list, _sequence            operations of one move, in as many buffers as it takes
 * _patch                      what is written into a buffer right before submission
 * ==========================  =====================================================
 */

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/types.h>

#include <quire/quire_hw.h>
#include <quire/quire_layout.h>

/**
 * enum quire_build_status - the only answers of the builder
 * @QUIRE_BUILD_DONE: the operation is described; the window may have room left
 * @QUIRE_BUILD_FULL: the window is full; submit it and call again with a fresh
 *                    one and otherwise unchanged arguments
 * @QUIRE_BUILD_BUSY: the allocation has to be idle first; wait, set
 *                    @quire_paging_args.allocation_is_idle and call again
 *
 * Source: DXGKDDI_BUILDPAGINGBUFFER, return values: STATUS_SUCCESS,
 * STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, STATUS_GRAPHICS_ALLOCATION_BUSY.
 */
enum quire_build_status {
	QUIRE_BUILD_DONE,
	QUIRE_BUILD_FULL,
	QUIRE_BUILD_BUSY,
};

/**
 * enum quire_paging_operation - paging operations, numbered as the original's
 * @QUIRE_PAGING_TRANSFER: move content
 * @QUIRE_PAGING_FILL: repeat a 32-bit pattern over a memory segment
 * @QUIRE_PAGING_DISCARD_CONTENT: content leaves its place and is not copied
 * @QUIRE_PAGING_READ_PHYSICAL: read 1 to 8 bytes; the data is irrelevant
 * @QUIRE_PAGING_WRITE_PHYSICAL: write 1 to 8 bytes
 * @QUIRE_PAGING_MAP_APERTURE_SEGMENT: point aperture pages at system pages
 * @QUIRE_PAGING_UNMAP_APERTURE_SEGMENT: point aperture pages at the dummy page
 * @QUIRE_PAGING_SPECIAL_LOCK_TRANSFER: move content to or from its alternate backing
 * @QUIRE_PAGING_VIRTUAL_TRANSFER: copy bytes between virtual addresses
 * @QUIRE_PAGING_VIRTUAL_FILL: repeat a 32-bit pattern at a virtual address
 * @QUIRE_PAGING_INIT_CONTEXT_RESOURCE: make a context of a page
 * @QUIRE_PAGING_UPDATE_PAGE_TABLE: write page-table entries
 * @QUIRE_PAGING_FLUSH_TLB: invalidate translations
 * @QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION: write into a context
 * @QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES: copy page-table entries
 * @QUIRE_PAGING_NOTIFY_RESIDENCY: an allocation was placed, or leaves its place
 * @QUIRE_PAGING_SIGNAL_MONITORED_FENCE: write the value of a fence to its virtual address
 * @QUIRE_PAGING_MAP_APERTURE_SEGMENT2: point aperture pages at the pages of an address list;
 *                                      the CPU may access them there
 * @QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY: native fences were placed, or leave their places
 * @QUIRE_PAGING_MAP_MMU: point pages of an MMU at pages of memory
 * @QUIRE_PAGING_UNMAP_MMU: unmap pages of an MMU
 * @QUIRE_PAGING_NOTIFY_RESIDENCY2: a part of an allocation was placed, or leaves its pages
 * @QUIRE_PAGING_NOTIFY_ALLOC: pages of an allocation are about to be evicted or unmapped
 *
 * Source: DXGK_BUILDPAGINGBUFFER_OPERATION.
 */
enum quire_paging_operation {
	QUIRE_PAGING_TRANSFER			= 0,
	QUIRE_PAGING_FILL			= 1,
	QUIRE_PAGING_DISCARD_CONTENT		= 2,
	QUIRE_PAGING_READ_PHYSICAL		= 3,
	QUIRE_PAGING_WRITE_PHYSICAL		= 4,
	QUIRE_PAGING_MAP_APERTURE_SEGMENT	= 5,
	QUIRE_PAGING_UNMAP_APERTURE_SEGMENT	= 6,
	QUIRE_PAGING_SPECIAL_LOCK_TRANSFER	= 7,
	QUIRE_PAGING_VIRTUAL_TRANSFER		= 8,
	QUIRE_PAGING_VIRTUAL_FILL		= 9,
	QUIRE_PAGING_INIT_CONTEXT_RESOURCE	= 10,
	QUIRE_PAGING_UPDATE_PAGE_TABLE		= 11,
	QUIRE_PAGING_FLUSH_TLB			= 12,
	QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION	= 13,
	QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES	= 14,
	QUIRE_PAGING_NOTIFY_RESIDENCY		= 15,
	QUIRE_PAGING_SIGNAL_MONITORED_FENCE	= 16,
	QUIRE_PAGING_MAP_APERTURE_SEGMENT2	= 17,
	QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY	= 18,
	QUIRE_PAGING_MAP_MMU			= 19,
	QUIRE_PAGING_UNMAP_MMU			= 20,
	QUIRE_PAGING_NOTIFY_RESIDENCY2		= 21,
	QUIRE_PAGING_NOTIFY_ALLOC		= 22,
};

/* Behind the last operation. */
#define QUIRE_PAGING_OPERATIONS	23

/**
 * struct quire_page_run - consecutive pages
 * @first: page number: of a segment, its byte offset in pages; of system
 *         memory, its DMA address in pages
 * @count: pages, not 0
 */
struct quire_page_run {
	u64 first;
	u64 count;
};

/**
 * struct quire_paging_location - where an allocation's pages are
 * @segment: QUIRE_SEGMENT_*; system memory is what the original calls an MDL
 * @nr_runs: number of @runs
 * @start: page of the allocation that the first run begins with: not 0 where @runs are
 *         only those that a sub-transfer or a part of a map needs
 * @runs: the pages in the order of the allocation, already coalesced; they
 *        stay valid until the builder answers DONE
 */
struct quire_paging_location {
	u32 segment;
	u32 nr_runs;
	u64 start;
	const struct quire_page_run *runs;
};

/**
 * struct quire_paging_allocation - what the builder knows of an allocation
 * @needs_idle: moves and discards of it can not be described while the GPU
 *              may use it, so the builder answers BUSY first
 * @size: bytes of its backing: what all sub-transfers of a transfer move together if they
 *        convert, and it is a multiple of the page size then
 * @pitch_aligned_size: bytes that it has in VRAM: what they move together if they do not;
 *                      the same as @size if @layout is linear
 * @layout: of an image; of anything else %QUIRE_LAYOUT_LINEAR, the rest does not count
 * @id: what notices call it; 0: the device is told nothing of it
 *
 * Source: DXGK_ALLOCATIONINFO, Size and PitchAlignedSize.
 */
struct quire_paging_allocation {
	bool needs_idle;
	u64 size;
	u64 pitch_aligned_size;
	struct quire_layout layout;
	u32 id;
};

/* Flags of a transfer, DXGK_TRANSFERFLAGS; with those that packets have, too. */
#define QUIRE_TRANSFER_START	BIT(3) /* first sub-transfer of the allocation */
#define QUIRE_TRANSFER_END	BIT(4) /* last sub-transfer of the allocation */

#define QUIRE_TRANSFER_ALL	(QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE | \
				 QUIRE_TRANSFER_START | QUIRE_TRANSFER_END)

/* Flags of a map, of each kind. */
#define QUIRE_MAPAPERTURE_CACHE_COHERENT	BIT(0)

/**
 * struct quire_paging_transfer - arguments of %QUIRE_PAGING_TRANSFER
 * @source: where the content is; not both sides are system memory
 * @destination: where it goes
 * @transfer_offset: bytes, page multiple; added to a segment side only
 * @transfer_size: bytes of this sub-transfer, 0 needs no packet
 * @flags: QUIRE_TRANSFER_*
 * @mdl_offset: pages; added to a system side only
 *
 * With %QUIRE_TRANSFER_SWIZZLE or %QUIRE_TRANSFER_UNSWIZZLE offset and size are those of
 * the linear form of the image, and the tiled side has at least the tiles that
 * quire_paging_tiled_pages() names; it is in VRAM, the linear side is not. Without, the
 * bytes are copied as they are, also if the allocation has tiles.
 *
 * Sides in the same segment may overlap if each is one run and all of it is one
 * transfer: the result is memmove's. Longer run lists, and the sides of several
 * sub-transfers, must not share a page.
 *
 * An allocation moves as a whole, in one sub-transfer or in several, which follow each
 * other without a hole: &struct quire_paging_sequence.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer. A side is a run list there only
 * if it is an MDL.
 */
struct quire_paging_transfer {
	struct quire_paging_location source;
	struct quire_paging_location destination;
	u64 transfer_offset;
	u64 transfer_size;
	u32 flags;
	u64 mdl_offset;
};

/* No swizzling range showed the image. */
#define QUIRE_PAGING_NO_RANGE	U32_MAX

/**
 * struct quire_paging_special_lock - arguments of %QUIRE_PAGING_SPECIAL_LOCK_TRANSFER
 * @source: as of &struct quire_paging_transfer; VRAM, or pages of the alternate view
 * @destination: as of &struct quire_paging_transfer; the other of them
 * @transfer_offset: bytes, page multiple, of the linear form of the image; the list of pages
 *                   begins there
 * @transfer_size: bytes of this sub-transfer, 0 needs no packet
 * @flags: QUIRE_TRANSFER_*, one of SWIZZLE and UNSWIZZLE
 * @swizzling_range_id: number of the range that showed the image in VRAM, or
 *                      %QUIRE_PAGING_NO_RANGE
 * @swizzling_range_data: which use of the range that was, %QUIRE_RANGE_DATA; 0 if there is none
 *
 * The device ends that use of the range itself. What comes before the range is as in
 * &struct quire_paging_transfer, so that what reads these members there serves both.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, SpecialLockTransfer.
 */
struct quire_paging_special_lock {
	struct quire_paging_location source;
	struct quire_paging_location destination;
	u64 transfer_offset;
	u64 transfer_size;
	u32 flags;
	u32 swizzling_range_id;
	u32 swizzling_range_data;
};

/**
 * struct quire_paging_fill - arguments of %QUIRE_PAGING_FILL
 * @destination: pages of a memory segment, never of an aperture
 * @fill_size: bytes, multiple of 4; 0 needs no packet
 * @fill_pattern: repeated from the first byte; keeps its phase over splits
 */
struct quire_paging_fill {
	struct quire_paging_location destination;
	u64 fill_size;
	u32 fill_pattern;
};

/**
 * struct quire_paging_discard - arguments of %QUIRE_PAGING_DISCARD_CONTENT
 * @location: all pages of the allocation in a memory segment
 */
struct quire_paging_discard {
	struct quire_paging_location location;
};

/**
 * struct quire_paging_physical - arguments of READ_PHYSICAL, WRITE_PHYSICAL
 * @segment: QUIRE_SEGMENT_*
 * @size: bytes, 1 to 8, within one page
 * @physical_address: byte offset in the segment, DMA address in system memory
 * @value: what is written, from its low byte; 0 for a read
 */
struct quire_paging_physical {
	u32 segment;
	u32 size;
	u64 physical_address;
	u64 value;
};

/**
 * struct quire_paging_map - arguments of %QUIRE_PAGING_MAP_APERTURE_SEGMENT
 * @offset_in_pages: first page in the aperture segment
 * @number_of_pages: 0 needs no packet
 * @mdl: the system pages
 * @mdl_offset: pages of @mdl to skip
 * @flags: QUIRE_MAPAPERTURE_*
 */
struct quire_paging_map {
	u64 offset_in_pages;
	u64 number_of_pages;
	struct quire_paging_location mdl;
	u64 mdl_offset;
	u32 flags;
};

/**
 * struct quire_paging_unmap - arguments of %QUIRE_PAGING_UNMAP_APERTURE_SEGMENT
 * @offset_in_pages: first page in the aperture segment
 * @number_of_pages: 0 needs no packet
 * @dummy_page: DMA address, page aligned, that the range points at afterwards
 */
struct quire_paging_unmap {
	u64 offset_in_pages;
	u64 number_of_pages;
	u64 dummy_page;
};

/**
 * struct quire_paging_adl - an address description list: pages, by their numbers
 * @start: page of the allocation that the list begins with: not 0 where it has only what a
 *         part of a map needs
 * @page_count: pages of the list
 * @contiguous: they follow each other: @base_page_number, else @pages
 * @base_page_number: of the first
 * @pages: page numbers; they stay valid until the builder answers DONE
 *
 * Those of system memory are DMA addresses in pages, of a segment byte offsets in pages.
 *
 * Source: DXGK_ADL.
 */
struct quire_paging_adl {
	u64 start;
	u32 page_count;
	bool contiguous;
	union {
		u64 base_page_number;
		const u64 *pages;
	};
};

/**
 * struct quire_paging_map2 - arguments of %QUIRE_PAGING_MAP_APERTURE_SEGMENT2
 * @offset_in_pages: first page in the aperture segment
 * @number_of_pages: 0 needs no packet
 * @adl: the system pages
 * @adl_offset: page of the allocation that is mapped first
 * @flags: QUIRE_MAPAPERTURE_*
 * @cpu_visible_address: where the CPU sees the first page until the pages are unmapped, a
 *                       physical address; 0: nowhere. The device shows the first pages of
 *                       the aperture only, &quire_paging_caps.window_pages
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment2.
 */
struct quire_paging_map2 {
	u64 offset_in_pages;
	u64 number_of_pages;
	struct quire_paging_adl adl;
	u64 adl_offset;
	u32 flags;
	u64 cpu_visible_address;
};

/**
 * struct quire_paging_transfer_virtual - arguments of %QUIRE_PAGING_VIRTUAL_TRANSFER
 * @allocation_offset: bytes; the addresses have it already, so it is ignored
 * @transfer_size: bytes, 0 needs no packet
 * @source_virtual_address: page aligned
 * @destination_virtual_address: page aligned
 * @transfer_direction: QUIRE_DIRECTION_*, where the pages of both sides are
 * @flags: %QUIRE_TRANSFER_SRC_64K, %QUIRE_TRANSFER_DST_64K
 *
 * Both addresses are those of the context that the paging buffer is executed in. The sides
 * may overlap, the result is memmove's; but different addresses must not lead to the same
 * page.
 *
 * The original also has addresses of page tables of both sides, for drivers of older
 * behaviour. There is none here that needs them.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL, SourcePageTable and DestinationPageTable
 * left out.
 */
struct quire_paging_transfer_virtual {
	u64 allocation_offset;
	u64 transfer_size;
	u64 source_virtual_address;
	u64 destination_virtual_address;
	u32 transfer_direction;
	u32 flags;
};

/**
 * struct quire_paging_fill_virtual - arguments of %QUIRE_PAGING_VIRTUAL_FILL
 * @allocation_offset: bytes; the address has it already, so it is ignored
 * @fill_size: bytes, multiple of 4; 0 needs no packet
 * @destination_virtual_address: page aligned
 * @fill_pattern: repeated from the first byte; keeps its phase over splits
 *
 * Source: DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL.
 */
struct quire_paging_fill_virtual {
	u64 allocation_offset;
	u64 fill_size;
	u64 destination_virtual_address;
	u32 fill_pattern;
};

/**
 * struct quire_paging_init_context - arguments of %QUIRE_PAGING_INIT_CONTEXT_RESOURCE
 * @is_virtual: @address is a virtual address, @segment zero
 * @segment: QUIRE_SEGMENT_*
 * @address: of the page that becomes a context, page aligned: a byte offset in the segment,
 *           a DMA address in system memory
 * @save_area: it becomes the save area of one
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, InitContextResource; its VirtualAddress, where the CPU
 * sees the page, is left out: the device writes it.
 */
struct quire_paging_init_context {
	bool is_virtual;
	u32 segment;
	u64 address;
	bool save_area;
};

/**
 * struct quire_paging_pte - a page-table entry
 * @flags: QUIRE_PTE_* but %QUIRE_PTE_64K, with the segment
 * @page: page number of what it leads to, in its segment; of system memory its DMA address
 *        in pages
 *
 * One that is not valid has no other bit and no page, one that is zero no segment and no
 * page; only a page of system memory has %QUIRE_PTE_CACHE_COHERENT. What leads to a table has a
 * segment, VRAM or system memory, and no further bit.
 *
 * Source: DXGK_PTE.
 */
struct quire_paging_pte {
	u64 flags;
	u64 page;
};

/**
 * enum quire_page_table_update_mode - how a page table is reached
 * @QUIRE_PAGE_TABLE_CPU_VIRTUAL: by the CPU: the builder writes the entries itself
 * @QUIRE_PAGE_TABLE_GPU_VIRTUAL: by the device, at a virtual address
 * @QUIRE_PAGE_TABLE_GPU_PHYSICAL: by the device, in a segment
 *
 * Source: DXGK_PAGETABLEUPDATEMODE.
 */
enum quire_page_table_update_mode {
	QUIRE_PAGE_TABLE_CPU_VIRTUAL	= 0,
	QUIRE_PAGE_TABLE_GPU_VIRTUAL	= 1,
	QUIRE_PAGE_TABLE_GPU_PHYSICAL	= 2,
};

/**
 * union quire_page_table_address - where a page table is, as the mode says
 * @cpu_virtual: the table, as the CPU sees it; 8-byte aligned
 * @gpu_virtual: virtual address, page aligned
 * @gpu_physical: page aligned
 * @gpu_physical.segment: %QUIRE_SEGMENT_SYSTEM or %QUIRE_SEGMENT_VRAM
 * @gpu_physical.offset: bytes in the segment; a DMA address in system memory
 *
 * Source: DXGK_PAGETABLEUPDATEADDRESS.
 */
union quire_page_table_address {
	__le64 *cpu_virtual;
	u64 gpu_virtual;
	struct {
		u32 segment;
		u64 offset;
	} gpu_physical;
};

/**
 * struct quire_paging_update_page_table - arguments of %QUIRE_PAGING_UPDATE_PAGE_TABLE
 * @page_table_level: 0 to 3; 0 is that of pages of 4 KiB
 * @update_mode: which member of @page_table_address is set
 * @page_table_address: where the table is
 * @page_table_entries: what is written; one with %QUIRE_UPDATE_REPEAT. They stay valid until
 *                      the builder answers DONE
 * @start_index: first entry of the table that is written
 * @num_page_table_entries: how many, to the end of the table at most; 0 needs no packet
 * @flags: %QUIRE_UPDATE_REPEAT, %QUIRE_UPDATE_INITIAL, %QUIRE_UPDATE_NOTIFY_EVICTION,
 *         %QUIRE_UPDATE_64K
 * @first_pte_virtual_address: what the first entry maps, page aligned; only checked
 *
 * With %QUIRE_UPDATE_64K @start_index and @num_page_table_entries count pages of 64 KiB, of
 * which a table of level 0 has 32, and there is an entry for each of these.
 *
 * %QUIRE_PAGE_TABLE_CPU_VIRTUAL needs no window: all entries are written when the builder
 * answers, which is DONE, and there is no packet. It is for the first tables of an address
 * space, which the device can not reach.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE. DriverProtection, hProcess and
 * pPageTableEntries64KB are left out: entries say all themselves.
 */
struct quire_paging_update_page_table {
	u32 page_table_level;
	enum quire_page_table_update_mode update_mode;
	union quire_page_table_address page_table_address;
	const struct quire_paging_pte *page_table_entries;
	u32 start_index;
	u32 num_page_table_entries;
	u32 flags;
	u64 first_pte_virtual_address;
};

/**
 * struct quire_paging_flush_tlb - arguments of %QUIRE_PAGING_FLUSH_TLB
 * @root: of the address space: the entry that leads to its table of level 3, valid
 * @start_virtual_address: page aligned
 * @end_virtual_address: behind the last byte, page aligned; both 0: all of the address space
 *
 * Source: DXGK_BUILDPAGINGBUFFER_FLUSHTLB.
 */
struct quire_paging_flush_tlb {
	struct quire_paging_pte root;
	u64 start_virtual_address;
	u64 end_virtual_address;
};

/**
 * struct quire_paging_update_context - arguments of %QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION
 * @context_allocation: virtual address of the context, page aligned
 * @context_allocation_size: bytes of the allocation; the context is its first page
 * @driver_private_data: what is written, as the device has it in its page; it stays valid
 *                       until the builder answers DONE
 * @driver_private_data_size: bytes of it, multiple of 8; 0 needs no packet
 * @offset: bytes from the start of the context to the first that is written, multiple of 8
 *
 * Written from the first byte to the last, each 8 bytes as a whole. What has to change at
 * one moment stands in 8 bytes, for a submission of the context may begin in between.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION.
 */
struct quire_paging_update_context {
	u64 context_allocation;
	u64 context_allocation_size;
	const void *driver_private_data;
	u32 driver_private_data_size;
	u32 offset;
};

/**
 * struct quire_paging_copy_range - entries of one table that another one gets
 * @num_page_table_entries: how many, not 0; to the end of either table at most
 * @src_page_table_address: virtual address of the table that is read, page aligned
 * @dst_page_table_address: virtual address of the table that is written, page aligned
 * @src_start_pte_index: first entry there
 * @dst_start_pte_index: first entry there
 *
 * Source: DXGK_BUILDPAGINGBUFFER_COPY_RANGE.
 */
struct quire_paging_copy_range {
	u32 num_page_table_entries;
	u64 src_page_table_address;
	u64 dst_page_table_address;
	u32 src_start_pte_index;
	u32 dst_start_pte_index;
};

/**
 * struct quire_paging_copy_entries - arguments of %QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES
 * @num_ranges: 0 needs no packet
 * @ranges: copied one after the other; they stay valid until the builder answers DONE
 *
 * A restarted ring may execute a packet twice, so no range may write what it, or one before
 * it, reads. That is not found out.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES.
 */
struct quire_paging_copy_entries {
	u32 num_ranges;
	const struct quire_paging_copy_range *ranges;
};

/**
 * struct quire_paging_notify_residency - arguments of %QUIRE_PAGING_NOTIFY_RESIDENCY
 * @resident: it comes; else it leaves
 * @segment: %QUIRE_SEGMENT_VRAM or %QUIRE_SEGMENT_APERTURE; 0 when it leaves
 * @physical_address: of its first page, a byte offset in the segment, page aligned; 0 when it
 *                    leaves
 *
 * All of &quire_paging_args.allocation, whose pages follow each other there: in VRAM
 * &quire_paging_allocation.pitch_aligned_size, in the aperture &quire_paging_allocation.size.
 *
 * The device is told each change exactly once: that an allocation is there, after its content
 * was described; that it leaves, before another allocation is placed there.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY.
 */
struct quire_paging_notify_residency {
	bool resident;
	u32 segment;
	u64 physical_address;
};

/**
 * struct quire_paging_map_mmu - arguments of %QUIRE_PAGING_MAP_MMU
 * @virtual_address: where the MMU shows the first page, page aligned
 * @mmu_id: below %QUIRE_MMU_COUNT
 * @segment: %QUIRE_SEGMENT_SYSTEM or %QUIRE_SEGMENT_VRAM: where the pages are
 * @allocation_offset_in_pages: page of the allocation that is mapped first
 * @adl: the pages; mapped from that one on, to the end. None needs no packet
 * @flags: QUIRE_MAPAPERTURE_*, which the original has not
 *
 * Source: DXGK_BUILDPAGINGBUFFER_MAPMMU.
 */
struct quire_paging_map_mmu {
	u64 virtual_address;
	u16 mmu_id;
	u16 segment;
	u32 allocation_offset_in_pages;
	struct quire_paging_adl adl;
	u32 flags;
};

/**
 * struct quire_paging_unmap_mmu - arguments of %QUIRE_PAGING_UNMAP_MMU
 * @virtual_address: of the first page, page aligned
 * @mmu_id: below %QUIRE_MMU_COUNT
 * @allocation_offset: page of the allocation that it shows; ignored
 * @number_of_pages: 0 needs no packet; what is not mapped stays so
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UNMAPMMU.
 */
struct quire_paging_unmap_mmu {
	u64 virtual_address;
	u16 mmu_id;
	u32 allocation_offset;
	u32 number_of_pages;
};

/**
 * struct quire_paging_notify_residency2 - arguments of %QUIRE_PAGING_NOTIFY_RESIDENCY2
 * @allocation_offset_in_pages: first page of the part of &quire_paging_args.allocation
 * @size_in_pages: of the part; 0 needs no packet
 * @segment: %QUIRE_SEGMENT_VRAM or %QUIRE_SEGMENT_APERTURE, also when it leaves
 * @resident: it comes; else it leaves, and is said to be nowhere: neither @contiguous, nor
 *            any run in @mdl
 * @contiguous: the pages follow each other: @physical_address, else @mdl
 * @physical_address: of the first one, a byte offset in the segment, page aligned
 * @mdl: pages of the segment, which is its own, too
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2.
 */
struct quire_paging_notify_residency2 {
	u32 allocation_offset_in_pages;
	u32 size_in_pages;
	u32 segment;
	bool resident;
	bool contiguous;
	union {
		u64 physical_address;
		struct quire_paging_location mdl;
	};
};

/**
 * struct quire_paging_notify_alloc - arguments of %QUIRE_PAGING_NOTIFY_ALLOC
 * @flags: %QUIRE_NOTIFY_EVICTION or %QUIRE_NOTIFY_IOMMU_UNMAP
 * @offset_in_bytes: first byte of the part of &quire_paging_args.allocation, page aligned
 * @size_in_bytes: of the part, page multiple; 0 needs no packet
 * @gpu_virtual_address_at_offset: where the part is, page aligned
 *
 * With %QUIRE_NOTIFY_EVICTION the address is one of the context that the paging buffer is
 * executed in.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC; hKmdProcessHandle is left out: the device looks
 * for the pages, in whatever address space.
 */
struct quire_paging_notify_alloc {
	u32 flags;
	u64 offset_in_bytes;
	u64 size_in_bytes;
	u64 gpu_virtual_address_at_offset;
};

/**
 * struct quire_paging_signal_fence - arguments of %QUIRE_PAGING_SIGNAL_MONITORED_FENCE
 * @monitored_fence_gpu_va: virtual address, 8-byte aligned
 * @monitored_fence_value: what is written there when all that stands before is done
 *
 * CPUs wait for it, so there is an interrupt, too.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE.
 */
struct quire_paging_signal_fence {
	u64 monitored_fence_gpu_va;
	u64 monitored_fence_value;
};

/**
 * struct quire_paging_fence_residency - where the storage of a native fence is
 * @native_fence: its number, below %QUIRE_NATIVE_FENCES
 * @owner: root of the address space whose contexts may signal it, valid, as they have it
 * @current_value_address: QUIRE_ADDRESS() in system memory, VRAM or the aperture, 8-byte aligned
 * @monitored_value_address: the same, of the other value
 *
 * One that is nowhere has the last three 0; any other one has none of them 0.
 *
 * Source: the elements of FenceResidencyInfo of DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY:
 * hGlobalNativeFence, CurrentValuePhysicalAddress and MonitoredValuePhysicalAddress. The owner is
 * an addition: the device checks which contexts signal. CPU addresses are left out: it has no use
 * for them.
 */
struct quire_paging_fence_residency {
	u32 native_fence;
	u64 owner;
	u64 current_value_address;
	u64 monitored_value_address;
};

/**
 * struct quire_paging_notify_fences - arguments of %QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY
 * @num_fences: how many; 0 needs no packet
 * @fences: the fences, told in this order
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY.
 */
struct quire_paging_notify_fences {
	u32 num_fences;
	const struct quire_paging_fence_residency *fences;
};

/**
 * struct quire_page_cursor - a page of a location, and where it stands
 * @page: counted from the first page of the location's first run
 * @skip: the same, from the first page of its run
 * @run: index of its run
 *
 * All zero: the first page.
 */
struct quire_page_cursor {
	u64 page;
	u64 skip;
	u32 run;
};

/**
 * struct quire_paging_progress - what the builder remembers between its calls
 * @pages: of the whole operation, or its elements if it converts; 0: not counted yet
 * @source: next page to describe of a source, or of a page list to map or to tell of
 * @destination: next page to describe of what is written or dropped
 *
 * Saves walking the run lists again in every call. What is built does not
 * depend on it: where it is all zero, it is found out again.
 */
struct quire_paging_progress {
	u64 pages;
	struct quire_page_cursor source;
	struct quire_page_cursor destination;
};

/**
 * struct quire_paging_args - one call of the builder
 * @dma_buffer: first free byte of the window, 8-byte aligned; advanced
 * @dma_size: bytes left in the window; lowered
 * @private_data: first free byte of the private-data window; advanced
 * @private_data_size: bytes left there; lowered
 * @dma_buffer_gpu_address: DMA address of the buffer's start
 * @dma_buffer_write_offset: bytes from the buffer's start to @dma_buffer;
 *                           advanced
 * @multipass_offset: progress of the operation in pages, in elements if it converts, in
 *                    page-table entries, ranges of them, fences, or 8 bytes of a context;
 *                    zero before the first call, never touched by the caller between calls
 * @operation: which member of @u is set
 * @allocation_is_idle: nothing uses the allocation while the call lasts
 * @allocation: may be NULL, but of a notice: raw bytes, never BUSY
 * @progress: the builder's own
 * @u: arguments of the operation, the same in every call of it
 * @u.transfer: %QUIRE_PAGING_TRANSFER
 * @u.fill: %QUIRE_PAGING_FILL
 * @u.discard: %QUIRE_PAGING_DISCARD_CONTENT
 * @u.physical: %QUIRE_PAGING_READ_PHYSICAL, %QUIRE_PAGING_WRITE_PHYSICAL
 * @u.map: %QUIRE_PAGING_MAP_APERTURE_SEGMENT
 * @u.unmap: %QUIRE_PAGING_UNMAP_APERTURE_SEGMENT
 * @u.special_lock: %QUIRE_PAGING_SPECIAL_LOCK_TRANSFER
 * @u.map2: %QUIRE_PAGING_MAP_APERTURE_SEGMENT2
 * @u.transfer_virtual: %QUIRE_PAGING_VIRTUAL_TRANSFER
 * @u.fill_virtual: %QUIRE_PAGING_VIRTUAL_FILL
 * @u.init_context: %QUIRE_PAGING_INIT_CONTEXT_RESOURCE
 * @u.update_page_table: %QUIRE_PAGING_UPDATE_PAGE_TABLE
 * @u.flush_tlb: %QUIRE_PAGING_FLUSH_TLB
 * @u.update_context: %QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION
 * @u.copy_entries: %QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES
 * @u.notify_residency: %QUIRE_PAGING_NOTIFY_RESIDENCY
 * @u.signal_fence: %QUIRE_PAGING_SIGNAL_MONITORED_FENCE
 * @u.notify_fences: %QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY
 * @u.map_mmu: %QUIRE_PAGING_MAP_MMU
 * @u.unmap_mmu: %QUIRE_PAGING_UNMAP_MMU
 * @u.notify_residency2: %QUIRE_PAGING_NOTIFY_RESIDENCY2
 * @u.notify_alloc: %QUIRE_PAGING_NOTIFY_ALLOC
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER.
 */
struct quire_paging_args {
	void *dma_buffer;
	u32 dma_size;
	void *private_data;
	u32 private_data_size;
	u64 dma_buffer_gpu_address;
	u32 dma_buffer_write_offset;
	u32 multipass_offset;
	enum quire_paging_operation operation;
	bool allocation_is_idle;
	const struct quire_paging_allocation *allocation;
	struct quire_paging_progress progress;
	union {
		struct quire_paging_transfer transfer;
		struct quire_paging_fill fill;
		struct quire_paging_discard discard;
		struct quire_paging_physical physical;
		struct quire_paging_map map;
		struct quire_paging_unmap unmap;
		struct quire_paging_special_lock special_lock;
		struct quire_paging_map2 map2;
		struct quire_paging_transfer_virtual transfer_virtual;
		struct quire_paging_fill_virtual fill_virtual;
		struct quire_paging_init_context init_context;
		struct quire_paging_update_page_table update_page_table;
		struct quire_paging_flush_tlb flush_tlb;
		struct quire_paging_update_context update_context;
		struct quire_paging_copy_entries copy_entries;
		struct quire_paging_notify_residency notify_residency;
		struct quire_paging_signal_fence signal_fence;
		struct quire_paging_notify_fences notify_fences;
		struct quire_paging_map_mmu map_mmu;
		struct quire_paging_unmap_mmu unmap_mmu;
		struct quire_paging_notify_residency2 notify_residency2;
		struct quire_paging_notify_alloc notify_alloc;
	} u;
};

/**
 * struct quire_paging_record - private data: one for each emitted packet
 * @offset: bytes from the buffer's start to the packet
 * @operation: enum quire_paging_operation
 * @reserved: zero
 * @bytes: bytes that the packet moves, fills, drops, maps or unmaps; of page tables those of
 *         the entries that it writes, of a context or a fence what it writes; 0 of a flush
 *         and of notices
 *
 * The queue counts operations and bytes from these when it submits, and finds the
 * packets that it patches (quire_paging_patch.c) and those that change the aperture.
 */
struct quire_paging_record {
	u32 offset;
	u16 operation;
	u16 reserved;
	u64 bytes;
};

/**
 * struct quire_paging_caps - what the device can do
 * @vram_pages: size of segment 1
 * @aperture_pages: size of segment 2
 * @window_pages: pages of it, from its start, that the CPU can see; 0: none
 * @mmu_pages: pages that each MMU shows; 0: there is none
 * @max_packet_pages: most pages that one packet moves, fills, drops, maps, unmaps or tells
 *                    of, page-table entries that it writes, ranges of them that it
 *                    copies, or fences that it tells of; not 0. A notice that is of all of
 *                    an allocation, or of pages that are about to go, is one packet, and so
 *                    is what an MMU unmaps
 * @min_buffer_size: smallest fresh window the caller will ever offer, bytes
 * @min_private_data_size: smallest fresh private-data window, bytes
 */
struct quire_paging_caps {
	u64 vram_pages;
	u64 aperture_pages;
	u64 window_pages;
	u64 mmu_pages;
	u32 max_packet_pages;
	u32 min_buffer_size;
	u32 min_private_data_size;
};

/* A packet that converts, with one page and one tile: a fresh window holds any other. */
#define QUIRE_PAGING_MIN_BUFFER_SIZE	96
#define QUIRE_PAGING_MIN_PRIVATE_SIZE	sizeof(struct quire_paging_record)

const char *quire_paging_operation_name(enum quire_paging_operation operation);
int quire_paging_check_caps(const struct quire_paging_caps *caps);
int quire_paging_check_args(const struct quire_paging_caps *caps,
			    const struct quire_paging_args *args);
bool quire_paging_must_wait(const struct quire_paging_args *args);
u32 quire_paging_update_bytes(const struct quire_paging_caps *caps,
			      const struct quire_paging_update_page_table *update);
enum quire_build_status
quire_build_paging_buffer(const struct quire_paging_caps *caps,
			  struct quire_paging_args *args);

#endif
