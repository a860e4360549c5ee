/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_H
#define QUIRE_PAGING_H

/**
 * DOC: Paging operations
 *
 * The folder paging/ turns paging operations into packets of the device. It uses nothing of the
 * rest of the driver, and is compiled in user space, too, with the headers of tools/include. It
 * allocates nothing, takes no lock and reads no clock; only the callbacks of
 * &struct quire_paging_list_ops may sleep.
 *
 * In: an operation with its arguments, &struct quire_paging_args, and the limits of the device,
 * &struct quire_paging_caps. Out: packets and records in a paging buffer. quire_paging.c builds,
 * with the table in quire_paging_operations.c; quire_paging_list.c drives it for all operations of
 * a move; quire_paging_patch.c writes into a buffer right before submission.
 *
 * Structures, members and operations are those of the original, in kernel spelling:
 * DXGKARG_BUILDPAGINGBUFFER, its members and DXGK_BUILDPAGINGBUFFER_*. What neither builder nor
 * device would read is left out.
 */

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/types.h>

#include <quire/quire_hw.h>
#include <quire/quire_layout.h>

/**
 * enum quire_build_status - the only answers of the builder
 * @QUIRE_BUILD_DONE: the operation is described; the window may have room left
 * @QUIRE_BUILD_FULL: submit the window and call again with a fresh one, else the same arguments
 * @QUIRE_BUILD_BUSY: wait, set &quire_paging_args.allocation_is_idle and call again
 */
enum quire_build_status {
	QUIRE_BUILD_DONE,
	QUIRE_BUILD_FULL,
	QUIRE_BUILD_BUSY,
};

/* Paging operations, numbered as the original's, DXGK_BUILDPAGINGBUFFER_OPERATION. */
enum quire_paging_operation {
	QUIRE_PAGING_TRANSFER			= 0, /* move content */
	QUIRE_PAGING_FILL			= 1, /* a pattern, in a segment */
	QUIRE_PAGING_DISCARD_CONTENT		= 2, /* not copied anywhere */
	QUIRE_PAGING_READ_PHYSICAL		= 3, /* 1 to 8 bytes, which do not matter */
	QUIRE_PAGING_WRITE_PHYSICAL		= 4, /* 1 to 8 bytes */
	QUIRE_PAGING_MAP_APERTURE_SEGMENT	= 5, /* aperture pages to system pages */
	QUIRE_PAGING_UNMAP_APERTURE_SEGMENT	= 6, /* aperture pages to the dummy page */
	QUIRE_PAGING_SPECIAL_LOCK_TRANSFER	= 7, /* from or to the alternate view */
	QUIRE_PAGING_VIRTUAL_TRANSFER		= 8, /* between virtual addresses */
	QUIRE_PAGING_VIRTUAL_FILL		= 9, /* a pattern, at a virtual address */
	QUIRE_PAGING_INIT_CONTEXT_RESOURCE	= 10, /* make a context of a page */
	QUIRE_PAGING_UPDATE_PAGE_TABLE		= 11,
	QUIRE_PAGING_FLUSH_TLB			= 12,
	QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION	= 13, /* write into a context */
	QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES	= 14,
	QUIRE_PAGING_NOTIFY_RESIDENCY		= 15, /* an allocation comes or leaves */
	QUIRE_PAGING_SIGNAL_MONITORED_FENCE	= 16,
	QUIRE_PAGING_MAP_APERTURE_SEGMENT2	= 17, /* the same, by an address list */
	QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY	= 18, /* native fences come or leave */
	QUIRE_PAGING_MAP_MMU			= 19, /* pages of an MMU to pages of memory */
	QUIRE_PAGING_UNMAP_MMU			= 20,
	QUIRE_PAGING_NOTIFY_RESIDENCY2		= 21, /* a part comes or leaves */
	QUIRE_PAGING_NOTIFY_ALLOC		= 22, /* pages are about to go */
};

#define QUIRE_PAGING_OPERATIONS	23

/**
 * struct quire_page_run - consecutive pages
 * @first: page number: the byte offset in a segment, or a DMA address, in pages
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
 * @start: page of the allocation that @runs begin with: not 0 for a part of it
 * @runs: in the order of the allocation, coalesced
 */
struct quire_paging_location {
	u32 segment;
	u32 nr_runs;
	u64 start;
	const struct quire_page_run *runs;
};

/**
 * struct quire_paging_allocation - what the builder knows of an allocation
 * @needs_idle: moves and discards of it are BUSY while the GPU may use it
 * @size: bytes of its backing, what a transfer that converts moves; a page multiple then
 * @pitch_aligned_size: bytes in VRAM, what any other moves; @size if @layout is linear
 * @layout: of an image; of anything else only %QUIRE_LAYOUT_LINEAR counts
 * @id: what notices call it; 0: the device is told nothing of it
 */
struct quire_paging_allocation {
	bool needs_idle;
	u64 size;
	u64 pitch_aligned_size;
	struct quire_layout layout;
	u32 id;
};

/* DXGK_TRANSFERFLAGS, beside those that packets have. */
#define QUIRE_TRANSFER_START	BIT(3) /* first sub-transfer of the allocation */
#define QUIRE_TRANSFER_END	BIT(4) /* last sub-transfer of the allocation */

#define QUIRE_TRANSFER_ALL	(QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE | \
				 QUIRE_TRANSFER_START | QUIRE_TRANSFER_END)

#define QUIRE_MAPAPERTURE_CACHE_COHERENT	BIT(0)

/* No swizzling range showed the image. */
#define QUIRE_PAGING_NO_RANGE	U32_MAX

/**
 * struct quire_paging_adl - an address description list: pages, by their numbers (DXGK_ADL)
 * @start: page of the allocation that the list begins with
 * @page_count: pages of the list
 * @contiguous: they follow each other: @base_page_number, else @pages
 * @base_page_number: of the first, as &quire_page_run.first
 * @pages: page numbers
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
 * struct quire_paging_pte - a page-table entry
 * @flags: QUIRE_PTE_* but %QUIRE_PTE_64K, with the segment
 * @page: number of what it leads to, as &quire_page_run.first
 *
 * One that is not valid has no other bit and no page, one that is zero no segment and no page; only
 * a page of system memory has %QUIRE_PTE_CACHE_COHERENT. What leads to a table has a segment, VRAM
 * or system memory, and no further bit.
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
 * @gpu_physical: of the device
 * @gpu_physical.segment: %QUIRE_SEGMENT_SYSTEM or %QUIRE_SEGMENT_VRAM
 * @gpu_physical.offset: page aligned
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
 * struct quire_paging_copy_range - entries of one table that another one gets
 * @num_page_table_entries: how many, not 0; to the end of either table at most
 * @src_page_table_address: virtual, of the table that is read, page aligned
 * @dst_page_table_address: virtual, of the table that is written, page aligned
 * @src_start_pte_index: first entry there
 * @dst_start_pte_index: first entry there
 */
struct quire_paging_copy_range {
	u32 num_page_table_entries;
	u64 src_page_table_address;
	u64 dst_page_table_address;
	u32 src_start_pte_index;
	u32 dst_start_pte_index;
};

/**
 * struct quire_paging_fence_residency - where the storage of a native fence is
 * @native_fence: its number, below %QUIRE_NATIVE_FENCES
 * @owner: valid root of the address space whose contexts may signal it; an addition
 * @current_value_address: QUIRE_ADDRESS() in any of segments 0 to 2, 8-byte aligned
 * @monitored_value_address: the same, of the other value
 *
 * One that is nowhere has the last three 0; any other one has none of them 0.
 */
struct quire_paging_fence_residency {
	u32 native_fence;
	u64 owner;
	u64 current_value_address;
	u64 monitored_value_address;
};

/**
 * struct quire_page_cursor - a page of a location; all zero: the first one
 * @page: counted from the first page of the location's first run
 * @skip: the same, from the first page of its run
 * @run: index of its run
 */
struct quire_page_cursor {
	u64 page;
	u64 skip;
	u32 run;
};

/**
 * quire_page_cursor_seek - bring a cursor to a page
 * @cursor: all zero, or where it was before in the same location
 * @location: where the pages are
 * @page: one of them, counted from the first page of the allocation
 *
 * Costs nothing if it is there already, else a walk: from its run, or, backwards, from the first.
 */
static inline void quire_page_cursor_seek(struct quire_page_cursor *cursor,
					  const struct quire_paging_location *location, u64 page)
{
	u64 run_page = cursor->page - cursor->skip;

	page -= location->start;
	if (cursor->page == page)
		return;

	if (page < run_page) {
		run_page = 0;
		cursor->run = 0;
	}
	while (page - run_page >= location->runs[cursor->run].count)
		run_page += location->runs[cursor->run++].count;
	cursor->page = page;
	cursor->skip = page - run_page;
}

/* Page number of a cursor's page. */
static inline u64 quire_page_cursor_number(const struct quire_page_cursor *cursor,
					   const struct quire_paging_location *location)
{
	return location->runs[cursor->run].first + cursor->skip;
}

/* Pages of the run from a cursor's page on, not 0. */
static inline u64 quire_page_cursor_left(const struct quire_page_cursor *cursor,
					 const struct quire_paging_location *location)
{
	return location->runs[cursor->run].count - cursor->skip;
}

/* Step over @pages, at most those that are left of the run. */
static inline void quire_page_cursor_advance(struct quire_page_cursor *cursor,
					     const struct quire_paging_location *location,
					     u64 pages)
{
	cursor->page += pages;
	cursor->skip += pages;
	if (cursor->skip == location->runs[cursor->run].count) {
		cursor->run++;
		cursor->skip = 0;
	}
}

/**
 * struct quire_paging_progress - what the builder remembers between its calls
 * @pages: units of the whole operation; 0: not counted yet
 * @source: next page of a source, or of a page list to map or to tell of
 * @destination: next page of what is written or dropped
 *
 * Saves walking the run lists in every call; where it is all zero, they are walked again.
 */
struct quire_paging_progress {
	u64 pages;
	struct quire_page_cursor source;
	struct quire_page_cursor destination;
};

/*
 * Arguments of an operation, the member that &quire_paging_args.operation says. What pointers lead
 * to stays valid until the builder answers DONE. A size or number of 0 needs no packet. Addresses
 * are page aligned if nothing else is said: virtual, byte offsets in a segment, or DMA addresses.
 */
union quire_paging_arguments {
	/*
	 * With SWIZZLE or UNSWIZZLE offset and size are those of the linear form, which is not in
	 * VRAM; the tiled side is, with the tiles of quire_paging_tiled_pages(). Without, the bytes
	 * are copied as they are, also those of tiles.
	 *
	 * In one segment sides may overlap, as memmove's, if each is one run and there is one
	 * sub-transfer; else they must not share a page.
	 */
	struct quire_paging_transfer {
		struct quire_paging_location source; /* not both are in system memory */
		struct quire_paging_location destination;
		u64 transfer_offset; /* bytes, page multiple; of a segment side only */
		u64 transfer_size; /* bytes of this sub-transfer */
		u32 flags; /* QUIRE_TRANSFER_* */
		u64 mdl_offset; /* pages, of a system side only; ignored of a special lock */
		u32 swizzling_range_id; /* of a special lock: showed the image, or NO_RANGE */
		u32 swizzling_range_data; /* QUIRE_RANGE_DATA of it, whose use the device ends */
	} transfer, special_lock;

	struct quire_paging_fill {
		struct quire_paging_location destination; /* in VRAM */
		u64 fill_size; /* bytes, multiple of 4 */
		u32 fill_pattern; /* repeated from the first byte; keeps its phase over splits */
	} fill;

	struct {
		struct quire_paging_location location; /* all of the allocation, in VRAM */
	} discard;

	struct quire_paging_physical {
		u32 segment;
		u32 size; /* 1 to 8 bytes of one page */
		u64 physical_address; /* any byte */
		u64 value; /* written from its low byte; 0 for a read */
	} physical; /* READ_PHYSICAL, WRITE_PHYSICAL */

	struct quire_paging_map {
		u64 offset_in_pages; /* in the aperture segment */
		u64 number_of_pages;
		struct quire_paging_location mdl; /* in system memory */
		u64 mdl_offset; /* pages of mdl to skip */
		u32 flags; /* QUIRE_MAPAPERTURE_* */
	} map;

	struct quire_paging_unmap {
		u64 offset_in_pages; /* in the aperture segment */
		u64 number_of_pages;
		u64 dummy_page; /* DMA address, where the range points afterwards */
	} unmap;

	struct quire_paging_map2 {
		u64 offset_in_pages; /* in the aperture segment */
		u64 number_of_pages;
		struct quire_paging_adl adl; /* in system memory */
		u64 adl_offset; /* page of the allocation that is mapped first */
		u32 flags; /* QUIRE_MAPAPERTURE_* */
		u64 cpu_visible_address; /* in window_pages, until it is unmapped; 0: nowhere */
	} map2;

	/* The sides may overlap, but different addresses must not lead to one page. */
	struct quire_paging_transfer_virtual {
		u64 transfer_size;
		u64 source_virtual_address; /* of the context that executes the buffer */
		u64 destination_virtual_address;
		u32 transfer_direction; /* QUIRE_DIRECTION_* */
		u32 flags; /* QUIRE_TRANSFER_SRC_64K, QUIRE_TRANSFER_DST_64K */
	} transfer_virtual;

	struct quire_paging_fill_virtual {
		u64 fill_size; /* bytes, multiple of 4 */
		u64 destination_virtual_address;
		u32 fill_pattern; /* as of a fill */
	} fill_virtual;

	struct quire_paging_init_context {
		bool is_virtual; /* then there is no segment */
		u32 segment;
		u64 address;
		bool save_area; /* it becomes that of a context */
	} init_context;

	/*
	 * CPU_VIRTUAL needs no window and makes no packet: it is for the first tables of an address
	 * space, which the device can not reach.
	 */
	struct quire_paging_update_page_table {
		u32 page_table_level; /* 0 to 3; 0 is that of pages of 4 KiB */
		enum quire_page_table_update_mode update_mode;
		union quire_page_table_address page_table_address;
		const struct quire_paging_pte *page_table_entries; /* one with REPEAT */
		u32 start_index; /* with 64K both count pages of 64 KiB, 32 in a table */
		u32 num_page_table_entries;
		u32 flags; /* QUIRE_UPDATE_ with REPEAT, INITIAL, NOTIFY_EVICTION, 64K */
		u64 first_pte_virtual_address; /* what it maps; only checked */
	} update_page_table;

	struct quire_paging_flush_tlb {
		struct quire_paging_pte root; /* leads to the table of level 3; valid */
		u64 start_virtual_address; /* both 0: all of the address space */
		u64 end_virtual_address; /* behind the last byte */
	} flush_tlb;

	/* Written upwards, each 8 bytes as a whole: a submission of it may begin in between. */
	struct quire_paging_update_context {
		u64 context_allocation; /* virtual address; the context is the first page */
		u64 context_allocation_size;
		const void *driver_private_data;
		u32 driver_private_data_size; /* bytes, multiple of 8 */
		u32 offset; /* bytes into the context, multiple of 8 */
	} update_context;

	/*
	 * A restarted ring may execute a packet twice, so no range may write what it, or one before
	 * it, reads. That is not checked.
	 */
	struct quire_paging_copy_entries {
		u32 num_ranges;
		const struct quire_paging_copy_range *ranges;
	} copy_entries;

	/* All of the allocation, told after its content was described, and before others get it. */
	struct quire_paging_notify_residency {
		bool resident; /* it comes; else it leaves, and the rest is 0 */
		u32 segment; /* VRAM or APERTURE */
		u64 physical_address; /* its pages follow each other */
	} notify_residency;

	/* With an interrupt, after all that stands before. */
	struct quire_paging_signal_fence {
		u64 monitored_fence_gpu_va; /* 8-byte aligned */
		u64 monitored_fence_value;
	} signal_fence;

	struct quire_paging_notify_fences {
		u32 num_fences;
		const struct quire_paging_fence_residency *fences; /* told in this order */
	} notify_fences;

	struct quire_paging_map_mmu {
		u64 virtual_address; /* of the MMU */
		u16 mmu_id; /* below QUIRE_MMU_COUNT */
		u16 segment; /* of the pages: SYSTEM or VRAM */
		u32 allocation_offset_in_pages; /* page of the allocation that is mapped first */
		struct quire_paging_adl adl; /* mapped from there on, to the end */
		u32 flags; /* QUIRE_MAPAPERTURE_*, which the original has not */
	} map_mmu;

	struct quire_paging_unmap_mmu {
		u64 virtual_address;
		u16 mmu_id;
		u32 number_of_pages; /* what is not mapped stays so */
	} unmap_mmu;

	struct quire_paging_notify_residency2 {
		u32 allocation_offset_in_pages; /* of the part of the allocation */
		u32 size_in_pages;
		u32 segment; /* VRAM or APERTURE, also when it leaves */
		bool resident; /* it comes; else it leaves, and has no pages */
		bool contiguous; /* the pages follow each other: physical_address, else mdl */
		union {
			u64 physical_address;
			struct quire_paging_location mdl; /* in the same segment */
		};
	} notify_residency2;

	struct quire_paging_notify_alloc {
		u32 flags; /* QUIRE_NOTIFY_EVICTION or QUIRE_NOTIFY_IOMMU_UNMAP */
		u64 offset_in_bytes; /* of the part of the allocation, and its size: whole pages */
		u64 size_in_bytes;
		u64 gpu_virtual_address_at_offset; /* of this context, if it is an EVICTION */
	} notify_alloc;
};

/* Does a transfer, or a special lock, convert between the forms of an image? */
static inline bool quire_paging_converts(const struct quire_paging_transfer *transfer)
{
	return transfer->flags & (QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE);
}

/**
 * struct quire_paging_args - one call of the builder
 * @dma_buffer: first free byte of the window, 8-byte aligned; advanced
 * @dma_size: bytes left in the window; lowered
 * @private_data: first free byte of the private-data window; advanced
 * @private_data_size: bytes left there; lowered
 * @dma_buffer_gpu_address: DMA address of the buffer's start
 * @dma_buffer_write_offset: bytes from the buffer's start to @dma_buffer; advanced
 * @multipass_offset: units that are described; 0 before the first call, then the builder's own
 * @operation: which member of @u is set
 * @allocation_is_idle: nothing uses the allocation while the call lasts
 * @allocation: NULL: raw bytes, never BUSY; not of a notice
 * @progress: the builder's own
 * @u: arguments of the operation, the same in every call of it
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
	union quire_paging_arguments u;
};

/**
 * struct quire_paging_record - private data: one for each emitted packet
 * @offset: bytes from the buffer's start to the packet
 * @operation: enum quire_paging_operation
 * @reserved: zero
 * @bytes: that the packet moves, writes, drops, maps or unmaps; 0 of a flush and of notices
 *
 * The queue counts operations and bytes from these, and finds the packets that it patches
 * (quire_paging_patch.c) and those that change the aperture.
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
 * @max_packet_pages: most units of a packet without &quire_paging_operation_ops.unlimited; not 0
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

void quire_paging_tiled_pages(const struct quire_layout *layout, u64 offset, u64 bytes,
			      u64 *first, u64 *pages);
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
