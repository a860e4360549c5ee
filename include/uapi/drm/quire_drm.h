/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
#ifndef _UAPI_QUIRE_DRM_H_
#define _UAPI_QUIRE_DRM_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Rules of the interface
 *
 * - Structures are 8-byte aligned; padding is explicit, must be zero and is
 *   checked (%EINVAL).
 * - Flags are added, never removed; unknown flags are refused (%EINVAL).
 * - Fields that are room for later must be zero now and are checked
 *   (%EINVAL).
 * - The structure of an ioctl grows at its end; the kernel takes a shorter one
 *   as if its tail were zero. The version of the driver
 *   (%DRM_IOCTL_VERSION) says which fields it knows.
 * - Arrays have a stride and a count, &struct drm_quire_array, so that their
 *   elements can grow as well.
 * - There are no unions. Identifiers are enumerations, appended only.
 * - An ioctl that fails has changed nothing that a program can see, beside
 *   what may happen at any time: objects may have been evicted, and content
 *   that was lost is found to be gone.
 * - All of it is on the render node; no ioctl needs a capability, but for a context
 *   of %DRM_QUIRE_PRIORITY_HIGH.
 *
 * Errors that every ioctl can return, beside those that its structure names:
 *
 * - %EFAULT: the structure, or what it points at, can not be read, or can not
 *   be written where there is an answer;
 * - %ENODEV: the device is unplugged or its driver unbound;
 * - %EIO: the device is wedged, its paging ring hung twice;
 * - %EINTR: a signal came first, and its handler does not restart calls;
 * - %ENOMEM: the kernel has no memory.
 *
 * Why an ioctl was refused is in the kernel's log with drm.debug=0x2: the
 * field, its value and the limit.
 */

/**
 * enum drm_quire_ioctl_id - numbers of the ioctls
 * @DRM_QUIRE_QUERY: ask about the device, see &struct drm_quire_query
 * @DRM_QUIRE_BO_CREATE: create a buffer object, see &struct drm_quire_bo_create
 * @DRM_QUIRE_BO_INFO: ask about one, see &struct drm_quire_bo_info
 * @DRM_QUIRE_BO_MMAP_OFFSET: get its mmap offset, see
 *                            &struct drm_quire_bo_mmap_offset
 * @DRM_QUIRE_BO_WAIT: wait for its moves, see &struct drm_quire_bo_wait
 * @DRM_QUIRE_BO_PLACE: move it, see &struct drm_quire_bo_place
 * @DRM_QUIRE_BO_MADVISE: say if its content is needed, see
 *                        &struct drm_quire_bo_madvise
 * @DRM_QUIRE_CONTEXT_CREATE: create a context, see &struct drm_quire_context_create
 * @DRM_QUIRE_CONTEXT_DESTROY: destroy it, see &struct drm_quire_context_destroy
 * @DRM_QUIRE_CONTEXT_STATE: ask what became of its work, see
 *                           &struct drm_quire_context_state
 * @DRM_QUIRE_SUBMIT: have commands executed, see &struct drm_quire_submit
 * @DRM_QUIRE_VM_CREATE: create an address space, see &struct drm_quire_vm_create
 * @DRM_QUIRE_VM_DESTROY: destroy it, see &struct drm_quire_vm_destroy
 * @DRM_QUIRE_VM_BIND: change what its addresses lead to, see &struct drm_quire_vm_bind
 * @DRM_QUIRE_EXEC: have commands with virtual addresses executed, see &struct drm_quire_exec
 * @DRM_QUIRE_FENCE_CREATE: create a monitored fence, see &struct drm_quire_fence_create
 * @DRM_QUIRE_FENCE_SIGNAL: have its value written, see &struct drm_quire_fence_signal
 * @DRM_QUIRE_FENCE_WAIT: wait for a value, see &struct drm_quire_fence_wait
 * @DRM_QUIRE_MAKE_RESIDENT: hold objects resident, see &struct drm_quire_make_resident
 * @DRM_QUIRE_EVICT: hold them no more, see &struct drm_quire_evict
 */
enum drm_quire_ioctl_id {
	DRM_QUIRE_QUERY = 0,
	DRM_QUIRE_BO_CREATE,
	DRM_QUIRE_BO_INFO,
	DRM_QUIRE_BO_MMAP_OFFSET,
	DRM_QUIRE_BO_WAIT,
	DRM_QUIRE_BO_PLACE,
	DRM_QUIRE_BO_MADVISE,
	DRM_QUIRE_CONTEXT_CREATE,
	DRM_QUIRE_CONTEXT_DESTROY,
	DRM_QUIRE_CONTEXT_STATE,
	DRM_QUIRE_SUBMIT,
	DRM_QUIRE_VM_CREATE,
	DRM_QUIRE_VM_DESTROY,
	DRM_QUIRE_VM_BIND,
	DRM_QUIRE_EXEC,
	DRM_QUIRE_FENCE_CREATE,
	DRM_QUIRE_FENCE_SIGNAL,
	DRM_QUIRE_FENCE_WAIT,
	DRM_QUIRE_MAKE_RESIDENT,
	DRM_QUIRE_EVICT,
};

/**
 * struct drm_quire_array - elements in the memory of a program
 *
 * Program and driver may know different lengths of an element:
 *
 * - Of elements that the driver reads, it takes a shorter one as if its tail
 *   were zero. A longer one must have a zero tail: what the driver does not
 *   know may not ask for anything.
 * - Of elements that the driver writes, it writes as much as fits into
 *   @stride, and zero into what is left of @stride.
 *
 * With @count 0, @stride and @array are not looked at; only queries look at @array, see
 * &struct drm_quire_query.
 *
 * Errors: %EINVAL @stride is no multiple of 8, or shorter than the element was
 * in its first version; %E2BIG @stride is above 4096, the tail of an element
 * is not zero, or @count is above the limit that the ioctl names; %EFAULT as
 * usual.
 */
struct drm_quire_array {
	/** @stride: bytes from one element to the next */
	__u32 stride;

	/** @count: number of elements */
	__u32 count;

	/** @array: user address of the first element */
	__u64 array;
};

/**
 * DRM_QUIRE_ARRAY() - initialise a &struct drm_quire_array
 * @number: of elements
 * @pointer: to the first element, of the type of the elements
 */
#define DRM_QUIRE_ARRAY(number, pointer) \
	{ sizeof((pointer)[0]), (number), (__u64)(unsigned long)(pointer) }

/**
 * enum drm_quire_query_type - what &struct drm_quire_query asks for
 * @DRM_QUIRE_QUERY_DEVICE: one &struct drm_quire_device_info
 * @DRM_QUIRE_QUERY_SEGMENTS: a &struct drm_quire_segment_info for each segment
 * @DRM_QUIRE_QUERY_BUDGETS: a &struct drm_quire_budget_info for each segment
 */
enum drm_quire_query_type {
	DRM_QUIRE_QUERY_DEVICE = 0,
	DRM_QUIRE_QUERY_SEGMENTS,
	DRM_QUIRE_QUERY_BUDGETS,
};

/**
 * struct drm_quire_query - argument of %DRM_IOCTL_QUIRE_QUERY
 *
 * Every answer is an array. With &drm_quire_array.array 0 only its stride and
 * count are returned: the driver's length of an element, and how many there
 * are. Otherwise as many elements are written as there are and as fit, and
 * count becomes their number.
 *
 * Errors: %EINVAL unknown @type, or @pad is not zero; those of
 * &struct drm_quire_array.
 */
struct drm_quire_query {
	/** @type: enum drm_quire_query_type */
	__u32 type;

	/** @pad: must be zero */
	__u32 pad;

	/** @answer: where the answer goes; its stride and count are returned */
	struct drm_quire_array answer;
};

/**
 * struct drm_quire_device_info - the element of %DRM_QUIRE_QUERY_DEVICE
 */
struct drm_quire_device_info {
	/** @version: of the device interface, major << 16 | minor */
	__u32 version;

	/** @page_size: bytes; objects are multiples of it, and it is what mmap() maps */
	__u32 page_size;

	/** @max_bo_size: bytes of the largest buffer object */
	__u64 max_bo_size;

	/** @caps: DRM_QUIRE_CAP_* */
	__u64 caps;

	/**
	 * @swizzling_ranges: windows through which the CPU sees images in VRAM; 0: it sees
	 * none there, also where the device has only one: a copy needs two at once
	 */
	__u32 swizzling_ranges;

	/** @pad: zero */
	__u32 pad;

	/** @swizzling_range_size: bytes of the largest image that a window shows; 0 likewise */
	__u64 swizzling_range_size;

	/**
	 * @aperture_window_size: bytes of the aperture, from its start, that the CPU sees
	 * through the device, for objects of %DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE; 0:
	 * there can be none
	 */
	__u64 aperture_window_size;

	/** @execution_rings: rings that execute commands; 0: none are executed */
	__u32 execution_rings;

	/** @slots: rows of the resource table, see &struct drm_quire_patch_location */
	__u32 slots;

	/** @max_commands: bytes of the largest command buffer */
	__u64 max_commands;

	/** @max_exec: bytes of the most commands of one %DRM_IOCTL_QUIRE_EXEC */
	__u64 max_exec;

	/** @max_file_fences: monitored fences that a file may have created; since version 1.6 */
	__u32 max_file_fences;

	/** @max_file_native_fences: the same of native ones; since version 1.6 */
	__u32 max_file_native_fences;
};

/** define DRM_QUIRE_CAP_DEVICE_COPIES - moves are made by the device, not the CPU */
#define DRM_QUIRE_CAP_DEVICE_COPIES	(1ull << 0)

/**
 * enum drm_quire_segment_class - kinds of memory
 * @DRM_QUIRE_SEGMENT_SYSTEM: system pages that the device does not see
 * @DRM_QUIRE_SEGMENT_VRAM: memory of the device
 * @DRM_QUIRE_SEGMENT_APERTURE: system pages that the device sees through its
 *                              aperture
 */
enum drm_quire_segment_class {
	DRM_QUIRE_SEGMENT_SYSTEM = 0,
	DRM_QUIRE_SEGMENT_VRAM,
	DRM_QUIRE_SEGMENT_APERTURE,
};

/**
 * struct drm_quire_segment_info - the element of %DRM_QUIRE_QUERY_SEGMENTS
 *
 * A segment has one name everywhere: its @instance, which is unique on the
 * device whatever the class, so that a set of segments is a mask. A device may
 * have several segments of a class; there is exactly one of
 * %DRM_QUIRE_SEGMENT_SYSTEM.
 */
struct drm_quire_segment_info {
	/** @instance: name of the segment, 0 to 31, and its bit in a set */
	__u32 instance;

	/** @segment_class: enum drm_quire_segment_class */
	__u32 segment_class;

	/** @min_page_size: bytes; objects are placed in multiples of it */
	__u32 min_page_size;

	/** @pad: zero */
	__u32 pad;

	/** @size: bytes; 0 for system memory, which has no size of its own */
	__u64 size;

	/** @visible_size: bytes from the start that the CPU can reach; 0 as @size */
	__u64 visible_size;

	/**
	 * @usage: bytes of the objects that are there now, or for which room is being looked
	 * for, of all programs; never above @size. The old place of an object that is
	 * being moved counts until the move is done. Objects in system memory count with
	 * and without pages
	 */
	__u64 usage;
};

/**
 * struct drm_quire_budget_info - the element of %DRM_QUIRE_QUERY_BUDGETS
 *
 * What the file has of a segment, and what it should have: an equal share, the size divided by the
 * number of open files that have objects there, itself included. It is no limit. An object counts
 * for the file that created or imported it, until that closes its handle.
 *
 * A file that has asked, also for less than the element or only for a length, is sent one
 * &struct drm_quire_event_budget for a segment when its budget there is less than @budget, and less
 * than its usage.
 */
struct drm_quire_budget_info {
	/** @instance: of the segment */
	__u32 instance;

	/** @pad: zero */
	__u32 pad;

	/** @budget: bytes; all ones: there is no limit (system memory) */
	__u64 budget;

	/** @usage: bytes of its objects that are there */
	__u64 usage;

	/** @resident: bytes of those that it, or others, hold resident */
	__u64 resident;

	/**
	 * @to_trim: bytes that @usage is above @budget: so much of what nobody holds goes first
	 * when others need room in VRAM
	 */
	__u64 to_trim;
};

/** define DRM_QUIRE_EVENT_BUDGET - type of &struct drm_quire_event_budget */
#define DRM_QUIRE_EVENT_BUDGET		0x80000000

/**
 * struct drm_quire_event_budget - budgets of the file have shrunk
 *
 * Read from the file, as any event of DRM. None is sent to a file that does not ask, and at most
 * one for each segment after each time that it has asked (%DRM_QUIRE_QUERY_BUDGETS). While events
 * of 4096 bytes wait to be read, no more are sent: what was to be said then is said when some were
 * read, and something comes to the segment. None is lost for want of memory.
 *
 * Source: DXGKDDI_TRIM_NOTIFICATION_CALLBACK.
 */
struct drm_quire_event_budget {
	/** @base: %DRM_QUIRE_EVENT_BUDGET, and the length */
	struct drm_event base;

	/** @segments: set of the segments, see DRM_QUIRE_SEGMENT_BIT() */
	__u32 segments;

	/** @pad: zero */
	__u32 pad;
};

/**
 * DRM_QUIRE_SEGMENT_BIT() - a set of one segment
 * @instance: of the segment
 */
#define DRM_QUIRE_SEGMENT_BIT(instance)	(1u << (instance))

/**
 * enum drm_quire_caching - how the CPU caches system pages of an object
 * @DRM_QUIRE_CACHING_CACHED: cached; the device snoops
 * @DRM_QUIRE_CACHING_WRITE_COMBINED: write-combined, for what the CPU only writes: to read
 *                                    it is slow; the device does not snoop, and what it
 *                                    writes is in the pages when its fence signals
 *
 * Mappings of VRAM are write-combined, whatever is said here. Imported objects are
 * cached, whatever their exporter does.
 */
enum drm_quire_caching {
	DRM_QUIRE_CACHING_CACHED = 0,
	DRM_QUIRE_CACHING_WRITE_COMBINED,
};

/**
 * enum drm_quire_layout - how an image lies in VRAM
 * @DRM_QUIRE_LAYOUT_LINEAR: as everywhere else; also what is no image
 * @DRM_QUIRE_LAYOUT_TILE_4K: in tiles of 4 KiB
 * @DRM_QUIRE_LAYOUT_TILE_64K: in tiles of 64 KiB
 *
 * Programs always see the linear form: slices one after another, in each of them its
 * levels, in each of them its rows, without anything between. Level n has max(1, width >> n)
 * elements in a row, and max(1, height >> n) rows. In VRAM it may take more than that:
 * Documentation/gpu/quire/device.rst, "Layouts".
 */
enum drm_quire_layout {
	DRM_QUIRE_LAYOUT_LINEAR = 0,
	DRM_QUIRE_LAYOUT_TILE_4K,
	DRM_QUIRE_LAYOUT_TILE_64K,
};

/**
 * define DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE - the device shows it, in the aperture
 *
 * Mappings go through the device while it is in the aperture, and elsewhere as those of any
 * object: the same bytes at the same addresses. It is placed where the device can show it
 * (&drm_quire_device_info.aperture_window_size).
 */
#define DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE	(1u << 1)

/**
 * define DRM_QUIRE_BO_CREATE_MMU - commands may see it through an MMU; since version 1.4
 *
 * For %DRM_IOCTL_QUIRE_SUBMIT it need not be in one run of VRAM: an MMU of the device shows its
 * pieces as one. A submission that does not fit, and is executed in parts, has it in one run all
 * the same, and so has one for which an MMU has no room. A surface with tiles can not be in it.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_MAPMMU.
 */
#define DRM_QUIRE_BO_CREATE_MMU			(1u << 2)

/**
 * struct drm_quire_bo_create - argument of %DRM_IOCTL_QUIRE_BO_CREATE
 *
 * The object starts in system memory without pages of its own, reads as zero,
 * and is not moved until it is placed, mapped or written.
 *
 * @segments says where it may ever be: it can be placed nowhere else, and
 * eviction and CPU accesses put it nowhere else. System memory is where
 * objects begin and the last refuge of what is evicted, so it has to be one of
 * them.
 *
 * With a @layout it is an image, whose linear form the object holds: @size is that of the
 * form, rounded up to the page size; what lies behind the form in the last page is not
 * kept. When its mapping is touched in VRAM, it is seen through a swizzling range
 * (&drm_quire_device_info.swizzling_ranges); an image that can have none leaves VRAM.
 *
 * With a @vm the object is private to that address space: it can be bound there and nowhere
 * else, be used by no %DRM_IOCTL_QUIRE_SUBMIT, and not be exported. All private objects of one
 * have their fences in common, so that a program with many of them pays for one.
 *
 * With %DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW such an image never takes a range from others: it
 * leaves VRAM if none is free. While it is mapped it has pages of its own for that, and
 * keeps them when it comes back to VRAM, until it leaves or its content goes, so that it needs
 * no memory to leave again. It can not be exported.
 *
 * Errors: %EINVAL @size is 0 or no multiple of the page size or of
 * &drm_quire_segment_info.min_page_size of one of the @segments, @segments has
 * a segment that is not there or is without system memory, unknown @caching or @layout,
 * @element_size is not 1, 2, 4, 8 or 16, @width or @height is 0 or above 16384, @levels is 0
 * or more than it takes to come to one element, @array_size is 0 or above 2048, @size is not
 * that of the image, one of these is not zero without a @layout, @pad is not zero,
 * unknown @flags, an alternate view without a @layout or of what may be elsewhere than in
 * VRAM and system memory, with %DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE there is a
 * @layout or no segment of %DRM_QUIRE_SEGMENT_APERTURE among @segments, or with
 * %DRM_QUIRE_BO_CREATE_MMU there is a @layout, a @vm or no segment of %DRM_QUIRE_SEGMENT_VRAM
 * among @segments; %EOPNOTSUPP the device can not show its aperture, or has no MMU; %ENOENT no
 * such @vm; %E2BIG @size is above &drm_quire_device_info.max_bo_size, or above
 * &drm_quire_device_info.aperture_window_size for an aperture that the CPU sees; %ENOSPC the file
 * has no handle left, or the device no room for another object in what can be mapped of it
 * (1 TiB).
 */
struct drm_quire_bo_create {
	/** @size: bytes, multiple of the page size */
	__u64 size;

	/** @handle: returned */
	__u32 handle;

	/** @segments: set of the segments where it may be, see DRM_QUIRE_SEGMENT_BIT() */
	__u32 segments;

	/** @caching: enum drm_quire_caching */
	__u32 caching;

	/** @flags: DRM_QUIRE_BO_CREATE_* */
	__u32 flags;

	/** @layout: enum drm_quire_layout */
	__u32 layout;

	/** @vm: address space that it is private to; 0: none */
	__u32 vm;

	/** @element_size: bytes of an element: 1, 2, 4, 8 or 16 */
	__u32 element_size;

	/** @width: elements in a row of level 0 */
	__u32 width;

	/** @height: rows of level 0 */
	__u32 height;

	/** @levels: number of levels */
	__u32 levels;

	/** @array_size: number of slices */
	__u32 array_size;

	/** @pad: must be zero */
	__u32 pad;
};

/** define DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW - an image that needs no range to be mapped */
#define DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW	(1u << 0)

/**
 * struct drm_quire_bo_info - argument of %DRM_IOCTL_QUIRE_BO_INFO
 *
 * The answer may be out of date when the program sees it, unless only the
 * program itself moves objects and they all fit.
 *
 * Errors: %EINVAL @pad is not zero; %ENOENT no such handle.
 */
struct drm_quire_bo_info {
	/** @handle: of the object */
	__u32 handle;

	/** @segment: returned, instance of the segment where it is now */
	__u32 segment;

	/** @size: returned, bytes */
	__u64 size;

	/** @segments: returned, as in &struct drm_quire_bo_create */
	__u32 segments;

	/** @caching: returned, as in &struct drm_quire_bo_create */
	__u32 caching;

	/** @flags: returned, DRM_QUIRE_BO_* */
	__u32 flags;

	/** @pad: must be zero */
	__u32 pad;

	/** @vram_size: returned, bytes that it takes in VRAM */
	__u64 vram_size;

	/** @layout: returned, as in &struct drm_quire_bo_create */
	__u32 layout;

	/** @element_size: returned, as in &struct drm_quire_bo_create */
	__u32 element_size;

	/** @width: returned, as in &struct drm_quire_bo_create */
	__u32 width;

	/** @height: returned, as in &struct drm_quire_bo_create */
	__u32 height;

	/** @levels: returned, as in &struct drm_quire_bo_create */
	__u32 levels;

	/** @array_size: returned, as in &struct drm_quire_bo_create */
	__u32 array_size;
};

/** define DRM_QUIRE_BO_VISIBLE - all of it is where the CPU can reach it */
#define DRM_QUIRE_BO_VISIBLE		(1u << 0)
/** define DRM_QUIRE_BO_DONTNEED - madvise said that its content may go */
#define DRM_QUIRE_BO_DONTNEED		(1u << 1)
/**
 * define DRM_QUIRE_BO_PURGED - its content is gone
 *
 * Until %DRM_QUIRE_MADV_WILLNEED, touching its mapping raises SIGBUS; from then
 * on it reads as zero.
 */
#define DRM_QUIRE_BO_PURGED		(1u << 2)
/**
 * define DRM_QUIRE_BO_SWIZZLED - its pages hold an image as it was in VRAM
 *
 * Until somebody maps it or takes its pages.
 */
#define DRM_QUIRE_BO_SWIZZLED		(1u << 3)
/** define DRM_QUIRE_BO_ALTERNATE - it left VRAM for the pages of its alternate view */
#define DRM_QUIRE_BO_ALTERNATE		(1u << 4)

/**
 * struct drm_quire_bo_mmap_offset - argument of %DRM_IOCTL_QUIRE_BO_MMAP_OFFSET
 *
 * Touching the mapping of an object in VRAM that the CPU can not reach moves
 * it into the visible part; if that is full, into the aperture if the object
 * may be there, else to system memory. Touching the mapping of a purged object
 * raises SIGBUS.
 *
 * Errors: %EINVAL @pad is not zero; %ENOENT no such handle.
 */
struct drm_quire_bo_mmap_offset {
	/** @handle: of the object */
	__u32 handle;

	/** @pad: must be zero */
	__u32 pad;

	/** @offset: returned, for mmap() of the device node */
	__u64 offset;
};

/**
 * struct drm_quire_bo_wait - argument of %DRM_IOCTL_QUIRE_BO_WAIT
 *
 * Waits until everything that was queued for the object is done.
 *
 * Errors: %EINVAL @pad is not zero; %ENOENT no such handle; %ETIME it was not
 * done in time (with a @timeout_ns in the past: it is busy).
 */
struct drm_quire_bo_wait {
	/** @handle: of the object */
	__u32 handle;

	/** @pad: must be zero */
	__u32 pad;

	/** @timeout_ns: absolute, CLOCK_MONOTONIC; 0 only asks */
	__s64 timeout_ns;
};

/** define DRM_QUIRE_SYNC_SIGNAL - the syncobj gets the fence of the work */
#define DRM_QUIRE_SYNC_SIGNAL		(1u << 0)
/**
 * define DRM_QUIRE_SYNC_WAIT - the work begins after the fence that the syncobj has, also if that
 * ends with an error
 */
#define DRM_QUIRE_SYNC_WAIT		(1u << 1)

/** define DRM_QUIRE_MAX_SYNCS - most elements in one array of &struct drm_quire_sync */
#define DRM_QUIRE_MAX_SYNCS		64

/**
 * struct drm_quire_sync - a fence that goes in or out with some work
 *
 * The syncobj is binary if @point is 0, else a timeline. Points of a timeline
 * should be given out in ascending order; the DRM core keeps others, and
 * waits for them end early.
 */
struct drm_quire_sync {
	/** @handle: of the syncobj */
	__u32 handle;

	/** @flags: DRM_QUIRE_SYNC_* */
	__u32 flags;

	/** @point: of a timeline syncobj; 0 for a binary one */
	__u64 point;
};

/** define DRM_QUIRE_PLACE_VISIBLE - only the part of VRAM that the CPU can reach */
#define DRM_QUIRE_PLACE_VISIBLE		(1u << 0)
/** define DRM_QUIRE_PLACE_CONTIGUOUS - one run of pages in VRAM */
#define DRM_QUIRE_PLACE_CONTIGUOUS	(1u << 1)
/** define DRM_QUIRE_PLACE_INVISIBLE - only the part of VRAM that the CPU can not reach */
#define DRM_QUIRE_PLACE_INVISIBLE	(1u << 2)

/**
 * struct drm_quire_bo_place - argument of %DRM_IOCTL_QUIRE_BO_PLACE
 *
 * Moves the object to a segment now, evicting others if need be. It is a tool
 * for tests and for programs that want to see moves: work brings what it uses
 * to where it can be used by itself when it is submitted. The place is no
 * promise for later: others may evict the object again.
 *
 * Returns when the move is queued. @syncs get a fence that signals when the
 * move is done, with its error if it failed; it has signalled already if
 * nothing had to be moved and nothing was queued. %DRM_IOCTL_QUIRE_BO_WAIT
 * waits as well. If the ioctl fails, no syncobj has changed, and the object is
 * where it was, or in a place as good of the same segment.
 *
 * What fits is never refused because of others. Those who are in each other's
 * way have their turn one after the other, first come, first served; a signal
 * ends the wait, but a call that is made again soon goes on from its place in
 * the queue. (The driver's parameter fair_placement=0 turns that off: then
 * %ENOSPC and %ENOMEM may also mean that others were faster.) Who is at work
 * with the object, or with what is in its way, gets 15 seconds to end;
 * they go on in a call that is made again within a second of a signal.
 *
 * There is nothing to wait for before the move (every element of @syncs has
 * %DRM_QUIRE_SYNC_SIGNAL): moves of all programs are executed in one order, and
 * no program may hold up the others with a fence of its own.
 *
 * Errors: %EINVAL no such segment, @flags unknown, not for this segment or
 * contradicting, @pad is not zero, an element of @syncs has other flags than
 * %DRM_QUIRE_SYNC_SIGNAL, or the object may not be in the segment; those of
 * &struct drm_quire_array, at most %DRM_QUIRE_MAX_SYNCS elements; %ENOENT no
 * such handle of an object or syncobj; %EPERM the object is a monitored or a
 * native fence; %ENODATA the object is purged, say WILLNEED first; %ENOSPC it
 * does not fit even if everything else were evicted, or others were at work for
 * 15 seconds with what would make room; %EBUSY others have pinned the object in
 * system memory and it should go elsewhere, or work on it, of its own or of
 * others, was not done within 15 seconds.
 */
struct drm_quire_bo_place {
	/** @handle: of the object */
	__u32 handle;

	/** @segment: instance of the segment */
	__u32 segment;

	/** @flags: DRM_QUIRE_PLACE_*, only for segments of %DRM_QUIRE_SEGMENT_VRAM */
	__u32 flags;

	/** @pad: must be zero */
	__u32 pad;

	/** @syncs: of &struct drm_quire_sync */
	struct drm_quire_array syncs;
};

/**
 * enum drm_quire_advice - for &struct drm_quire_bo_madvise
 * @DRM_QUIRE_MADV_WILLNEED: the content is needed (how objects start)
 * @DRM_QUIRE_MADV_DONTNEED: the content may go when room is needed
 */
enum drm_quire_advice {
	DRM_QUIRE_MADV_WILLNEED = 0,
	DRM_QUIRE_MADV_DONTNEED,
};

/**
 * struct drm_quire_bo_madvise - argument of %DRM_IOCTL_QUIRE_BO_MADVISE
 *
 * A DONTNEED object that has to leave VRAM is discarded, not copied, and one in
 * system memory or the aperture is dropped, not swapped out, when memory is short: it
 * is purged from then on. Outside of VRAM that is never done to an object that is exported
 * or imported: others may have its pages, and an exported one is swapped out as any other; nor
 * is it done while parts of a submission still come to the object.
 * Until WILLNEED, touching the mapping of a purged object raises SIGBUS and
 * it can not be placed. WILLNEED says what became of it: @retained is 1 if the
 * content is whole, 0 if it was gone; the object reads as zero then.
 *
 * Errors: %EINVAL unknown @advice, or @pad is not zero; %ENOENT no such
 * handle; %EPERM the object is a monitored or a native fence; %EBUSY earlier
 * work on a purged object was not done within 15 seconds.
 */
struct drm_quire_bo_madvise {
	/** @handle: of the object */
	__u32 handle;

	/** @advice: enum drm_quire_advice */
	__u32 advice;

	/** @retained: returned, 1 if the content is whole, 0 if it is gone */
	__u32 retained;

	/** @pad: must be zero */
	__u32 pad;
};

/**
 * enum drm_quire_priority - whose work a ring takes first
 * @DRM_QUIRE_PRIORITY_NORMAL: as everybody
 * @DRM_QUIRE_PRIORITY_LOW: after that of everybody
 * @DRM_QUIRE_PRIORITY_HIGH: before that of everybody; needs CAP_SYS_NICE
 */
enum drm_quire_priority {
	DRM_QUIRE_PRIORITY_NORMAL = 0,
	DRM_QUIRE_PRIORITY_LOW,
	DRM_QUIRE_PRIORITY_HIGH,
};

/** define DRM_QUIRE_MAX_CONTEXTS - of one open file */
#define DRM_QUIRE_MAX_CONTEXTS		256

/**
 * struct drm_quire_context_create - argument of %DRM_IOCTL_QUIRE_CONTEXT_CREATE
 *
 * Work of one context on one ring is executed in the order in which it is submitted. What
 * happens to one context is nothing to the others.
 *
 * A context with a @vm executes %DRM_IOCTL_QUIRE_EXEC in that address space; one without
 * executes %DRM_IOCTL_QUIRE_SUBMIT. The device makes the first kind, after what is queued for it; a
 * signal ends the wait for that.
 *
 * Errors: %EINVAL unknown @priority, or @flags or a pad is not zero; %EACCES the priority
 * needs CAP_SYS_NICE; %ENOENT no such @vm; %ENOSPC the file has %DRM_QUIRE_MAX_CONTEXTS
 * already; %EIO the device gave up to make it.
 */
struct drm_quire_context_create {
	/** @priority: enum drm_quire_priority */
	__u32 priority;

	/** @flags: must be zero */
	__u32 flags;

	/** @context: returned, not 0 */
	__u32 context;

	/** @pad: must be zero */
	__u32 pad;

	/** @vm: address space of its commands; 0: none */
	__u32 vm;

	/** @pad2: must be zero */
	__u32 pad2;
};

/**
 * struct drm_quire_context_destroy - argument of %DRM_IOCTL_QUIRE_CONTEXT_DESTROY
 *
 * What was submitted is executed all the same.
 *
 * Errors: %EINVAL @pad is not zero; %ENOENT no such context.
 */
struct drm_quire_context_destroy {
	/** @context: of the file */
	__u32 context;

	/** @pad: must be zero */
	__u32 pad;
};

/**
 * enum drm_quire_context_status - what became of a context
 * @DRM_QUIRE_CONTEXT_GOOD: its work is executed
 * @DRM_QUIRE_CONTEXT_FAULTED: the device refused a command of it
 * @DRM_QUIRE_CONTEXT_HUNG: a command of it did not come to an end
 * @DRM_QUIRE_CONTEXT_LOST: the device was reset while a command of it was at work that can not
 *                          be executed twice; another one was to blame
 * @DRM_QUIRE_CONTEXT_INCOMPLETE: %DRM_IOCTL_QUIRE_SUBMIT failed after parts of the submission
 *                                were queued, for want of memory or because the program
 *                                was killed
 */
enum drm_quire_context_status {
	DRM_QUIRE_CONTEXT_GOOD = 0,
	DRM_QUIRE_CONTEXT_FAULTED,
	DRM_QUIRE_CONTEXT_HUNG,
	DRM_QUIRE_CONTEXT_LOST,
	DRM_QUIRE_CONTEXT_INCOMPLETE,
};

/**
 * struct drm_quire_context_state - argument of %DRM_IOCTL_QUIRE_CONTEXT_STATE
 *
 * A context that is not good any more executes nothing: fences of what was submitted end with
 * %ECANCELED, new submissions are refused with it. All but @status is 0 while it is good.
 *
 * Errors: %ENOENT no such context.
 */
struct drm_quire_context_state {
	/** @context: of the file */
	__u32 context;

	/** @status: returned, enum drm_quire_context_status */
	__u32 status;

	/** @submission: returned, &drm_quire_submit.submission that ended it */
	__u64 submission;

	/** @part: returned, number of the part of it, from 0 */
	__u32 part;

	/** @ring: returned, where it was executed */
	__u32 ring;

	/** @offset: returned, byte of the command buffer where the command is */
	__u32 offset;

	/** @fault: returned, enum quire_fault of quire_hw.h; 0: it hung or was lost */
	__u32 fault;

	/** @address: returned, what was refused or failed, as the device says it */
	__u64 address;

	/**
	 * @entry: returned, the page-table entry that @address ended with, QUIRE_PTE_* and the
	 * page; 0 if that is in no memory, or @access is 0
	 */
	__u64 entry;

	/**
	 * @access: returned, what was tried there, one of QUIRE_ACCESS_* of quire_hw.h; 0: the
	 * fault is none of an address space, or the context had another one on another ring just
	 * then; so is @level
	 */
	__u32 access;

	/** @level: returned, of the table that has @entry; %QUIRE_PT_LEVELS: it is the root's */
	__u32 level;
};

/** define DRM_QUIRE_ALLOCATION_WRITE - commands may write it */
#define DRM_QUIRE_ALLOCATION_WRITE	(1u << 0)

/** define DRM_QUIRE_MAX_ALLOCATIONS - most elements of &drm_quire_submit.allocations */
#define DRM_QUIRE_MAX_ALLOCATIONS	65536

/**
 * struct drm_quire_allocation - some bytes of an object that commands use
 *
 * Objects that may be in VRAM are brought there, in one run of addresses, or in pieces with
 * %DRM_QUIRE_BO_CREATE_MMU; others to the aperture. An image with a layout is tiled in VRAM, and
 * its bytes are those of the tiled form (&drm_quire_bo_info.vram_size).
 *
 * A @handle of 0 is no object: a slot that gets this allocation is unbound. All else is zero
 * then.
 */
struct drm_quire_allocation {
	/** @handle: of the object */
	__u32 handle;

	/** @flags: DRM_QUIRE_ALLOCATION_* */
	__u32 flags;

	/** @offset: of the first byte that commands may touch */
	__u64 offset;

	/** @size: bytes, not 0 */
	__u64 size;
};

/**
 * enum drm_quire_patch_field - which address field of a command
 * @DRM_QUIRE_PATCH_SRC: src, or the address of the surface src
 * @DRM_QUIRE_PATCH_DST: dst, or the address of the surface dst
 * @DRM_QUIRE_PATCH_RESULT: result
 */
enum drm_quire_patch_field {
	DRM_QUIRE_PATCH_SRC = 0,
	DRM_QUIRE_PATCH_DST,
	DRM_QUIRE_PATCH_RESULT,
};

/** define DRM_QUIRE_MAX_PATCHES - most elements of &drm_quire_submit.patches */
#define DRM_QUIRE_MAX_PATCHES		131072

/**
 * struct drm_quire_patch_location - one address field of the command buffer
 *
 * From byte @split_offset of the command buffer on, row @slot of the resource table holds
 * the allocation, until another element gives the row to another one. Bytes before can run
 * without it. The address of its object, plus @allocation_offset, is written to @patch_offset
 * before the command there is executed. Elements that share slot, allocation and split offset
 * are one binding that has several fields.
 *
 * Elements are in the order of their split offsets, and each split offset is where a command
 * begins: there the driver may divide the command buffer, see
 * Documentation/gpu/quire/splitting.rst. An element whose allocation has no object unbinds
 * the slot; its other fields are zero then.
 *
 * Source: D3DDDI_PATCHLOCATIONLIST.
 */
struct drm_quire_patch_location {
	/** @allocation: index of the element of &drm_quire_submit.allocations */
	__u32 allocation;

	/** @slot: row of the resource table, below &drm_quire_device_info.slots */
	__u32 slot;

	/** @driver_id: enum drm_quire_patch_field of the field */
	__u32 driver_id;

	/** @split_offset: byte of the command buffer */
	__u32 split_offset;

	/** @allocation_offset: byte of the object, not of the part of it that is listed */
	__u64 allocation_offset;

	/** @patch_offset: byte of the command buffer where the field is */
	__u32 patch_offset;

	/** @pad: must be zero */
	__u32 pad;
};

/**
 * enum drm_quire_refusal_where - in what of a submission something is wrong
 * @DRM_QUIRE_REFUSAL_SUBMIT: in none of the following
 * @DRM_QUIRE_REFUSAL_COMMANDS: in the command buffer
 * @DRM_QUIRE_REFUSAL_ALLOCATIONS: in an element of the allocation list
 * @DRM_QUIRE_REFUSAL_PATCHES: in an element of the patch-location list
 * @DRM_QUIRE_REFUSAL_SYNCS: in an element of the syncobjs
 */
enum drm_quire_refusal_where {
	DRM_QUIRE_REFUSAL_SUBMIT = 0,
	DRM_QUIRE_REFUSAL_COMMANDS,
	DRM_QUIRE_REFUSAL_ALLOCATIONS,
	DRM_QUIRE_REFUSAL_PATCHES,
	DRM_QUIRE_REFUSAL_SYNCS,
};

/**
 * struct drm_quire_submit - argument of %DRM_IOCTL_QUIRE_SUBMIT
 *
 * The form of commands is in include/quire/quire_command.h. All of the submission is copied
 * and checked before anything of it runs.
 *
 * It is executed after everything that the objects have to wait for: after all work that
 * writes what it uses, and all work that uses what it writes, and after the fences of
 * @syncs with %DRM_QUIRE_SYNC_WAIT. Those with %DRM_QUIRE_SYNC_SIGNAL get its own fence.
 *
 * If its objects do not fit into their segments together it is executed in parts, one
 * after the other, with paging in between; no work of another context is executed on the ring
 * between them. The call waits until all that it is executed after is done, and what was on the
 * ring, and returns when the last part is queued. Once the first part was queued, only a signal
 * that kills ends it.
 *
 * While a context has 2 MiB of commands on a ring, queued and not freed yet, the call waits for
 * them; each submission counts as 4 KiB more than it has. A signal ends that.
 *
 * Errors of the argument, %DRM_QUIRE_REFUSAL_SUBMIT: %EINVAL no such @ring, @flags or a pad is
 * not zero, the context has an address space, @commands_size is 0 or no multiple of 8; %E2BIG
 * it is above &drm_quire_device_info.max_commands; those of &struct drm_quire_array; %ENOENT no
 * such context; %ECANCELED the context is not good any more; %ENOSPC others were at work with
 * what is in its way for 15 seconds.
 *
 * Errors of an element, of which @refused_where, @refused_entry and @refused_offset tell, which
 * are returned with an error, too. Of an allocation: %EINVAL unknown flags; %ENOENT no such
 * object; %EPERM the object is private to an address space; %ENOMEDIUM an object that can not
 * be where commands could use it: in VRAM, or in the aperture if it has no tiles; %ENODATA it is
 * purged; %EBUSY others have pinned it in system memory, or were at work with it for 15 seconds.
 * Of a patch location: %EINVAL its pad is not zero. Of a syncobj: %EINVAL it has not exactly one
 * of its flags; %ENOENT there is none, or it is to be waited for and has no fence. Of commands,
 * and of what they use: %EBADR, %ERANGE, %EMSGSIZE, %EOPNOTSUPP, %EPROTO, %EDOM, %EADDRINUSE,
 * %EBADSLT, %ECHRNG, %EILSEQ, %EBADMSG, %EBADE, %ENXIO, %EEXIST, %EPROTOTYPE, %ESTALE,
 * %EDESTADDRREQ, %EADDRNOTAVAIL, %EMEDIUMTYPE, %EOVERFLOW, %EXDEV, %EACCES, each for one rule of
 * Documentation/gpu/quire/commands.rst; %EFBIG an object alone does not fit into its segment;
 * %EXFULL what the resource table holds at one point does not.
 *
 * So only %EINVAL and %ENOENT need @refused_where to say what they are about. Nothing has run
 * then, but for %EBUSY and %ENOSPC: @parts says how much has. What is purged or pinned at the
 * beginning is refused before any of it runs; from then on until all parts are queued nobody can
 * pin an object of it, and none that is offered is purged.
 */
struct drm_quire_submit {
	/** @context: of the file */
	__u32 context;

	/** @ring: below &drm_quire_device_info.execution_rings */
	__u32 ring;

	/** @commands: user address of the command buffer */
	__u64 commands;

	/** @commands_size: bytes, not 0, a multiple of 8 */
	__u32 commands_size;

	/** @flags: must be zero */
	__u32 flags;

	/** @allocations: of &struct drm_quire_allocation */
	struct drm_quire_array allocations;

	/** @patches: of &struct drm_quire_patch_location */
	struct drm_quire_array patches;

	/** @syncs: of &struct drm_quire_sync */
	struct drm_quire_array syncs;

	/** @submission: returned, its number in the context, from 1 */
	__u64 submission;

	/** @parts: returned, in how many parts it is executed */
	__u32 parts;

	/** @pad: must be zero */
	__u32 pad;

	/** @bytes_in: returned, bytes that were brought to where commands can use them */
	__u64 bytes_in;

	/** @bytes_out: returned, bytes that the submission took away for that, of its own */
	__u64 bytes_out;

	/** @refused_where: returned, enum drm_quire_refusal_where */
	__u32 refused_where;

	/** @refused_entry: returned, index of the element that was refused */
	__u32 refused_entry;

	/** @refused_offset: returned, byte of the command buffer that it is about */
	__u32 refused_offset;

	/** @pad2: must be zero */
	__u32 pad2;
};

/** define DRM_QUIRE_MAX_VMS - of one open file */
#define DRM_QUIRE_MAX_VMS		64

/** define DRM_QUIRE_VM_SIZE - bytes of an address space: addresses have 48 bits */
#define DRM_QUIRE_VM_SIZE		(1ull << 48)

/**
 * struct drm_quire_vm_create - argument of %DRM_IOCTL_QUIRE_VM_CREATE
 *
 * An address space (VM), in which nothing is bound yet. Its page tables are memory of the
 * device: Documentation/gpu/quire/uapi.rst, "Address spaces", says what becomes of them when
 * that is short.
 *
 * Errors: %EINVAL @pad is not zero; %ENOSPC the file has %DRM_QUIRE_MAX_VMS already.
 */
struct drm_quire_vm_create {
	/** @vm: returned, not 0 */
	__u32 vm;

	/** @pad: must be zero */
	__u32 pad;
};

/**
 * struct drm_quire_vm_destroy - argument of %DRM_IOCTL_QUIRE_VM_DESTROY
 *
 * Nothing can be bound in it any more. What is bound there stays, for contexts that have it, as
 * long as they exist; its private objects live as others do.
 *
 * Errors: %EINVAL @pad is not zero; %ENOENT no such address space.
 */
struct drm_quire_vm_destroy {
	/** @vm: of the file */
	__u32 vm;

	/** @pad: must be zero */
	__u32 pad;
};

/**
 * enum drm_quire_bind_operation - what &struct drm_quire_bind does to a range of addresses
 * @DRM_QUIRE_BIND_MAP: it leads to bytes of an object
 * @DRM_QUIRE_BIND_MAP_ZERO: it leads nowhere: reads give zero, and writes are lost
 * @DRM_QUIRE_BIND_UNMAP: an access is a fault, which ends the context
 * @DRM_QUIRE_BIND_COPY: it leads to what another range leads to, page by page: objects, zero,
 *                       flags and nothing; since version 1.4
 */
enum drm_quire_bind_operation {
	DRM_QUIRE_BIND_MAP = 0,
	DRM_QUIRE_BIND_MAP_ZERO,
	DRM_QUIRE_BIND_UNMAP,
	DRM_QUIRE_BIND_COPY,
};

/** define DRM_QUIRE_BIND_READ_ONLY - a write there is a fault; with MAP and MAP_ZERO */
#define DRM_QUIRE_BIND_READ_ONLY	(1u << 0)
/** define DRM_QUIRE_BIND_NO_EXECUTE - commands are not read from there; the same */
#define DRM_QUIRE_BIND_NO_EXECUTE	(1u << 1)

/** define DRM_QUIRE_MAX_COPIED - most ranges that all copies of a call bind, see %E2BIG there */
#define DRM_QUIRE_MAX_COPIED		65536

/** define DRM_QUIRE_MAX_BINDS - most elements of &drm_quire_vm_bind.binds */
#define DRM_QUIRE_MAX_BINDS		4096

/**
 * struct drm_quire_bind - a range of addresses, and what it leads to
 *
 * What the range was bound to before is replaced, whole or in part; what of that lies beside
 * the range stays. An object can be bound any number of times. An image with a layout is bound in
 * its tiled form (&drm_quire_bo_info.vram_size), and brought to VRAM alone.
 *
 * A copy is of what elements before it in the call have left, and is no link: what is bound at the
 * source later changes nothing at @address. The ranges may overlap: what they share is read before
 * it is written.
 *
 * Source: D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY.
 */
struct drm_quire_bind {
	/** @operation: enum drm_quire_bind_operation */
	__u32 operation;

	/** @flags: DRM_QUIRE_BIND_*; 0 with UNMAP and COPY */
	__u32 flags;

	/** @address: first virtual address, a multiple of the page size */
	__u64 address;

	/** @size: bytes, not 0, a multiple of the page size */
	__u64 size;

	/**
	 * @offset: with MAP: first byte of the object; with COPY: first virtual address of what is
	 * copied, the source; a multiple of the page size; else 0
	 */
	__u64 offset;

	/** @handle: with MAP: of the object; else 0 */
	__u32 handle;

	/** @pad: must be zero */
	__u32 pad;
};

/** define DRM_QUIRE_BIND_QUEUES - bind queues of an address space */
#define DRM_QUIRE_BIND_QUEUES		4

/**
 * struct drm_quire_vm_bind - argument of %DRM_IOCTL_QUIRE_VM_BIND
 *
 * All of @binds are done, one after the other, or none. Objects that are mapped are brought to
 * VRAM, or to the aperture where there is no room in VRAM or they may not be there; monitored
 * fences stay where they are.
 *
 * Without @syncs the call returns when the addresses lead where they should, or the program is
 * killed. With @syncs it returns when that is queued: it happens after the fences of those with
 * %DRM_QUIRE_SYNC_WAIT, and those with %DRM_QUIRE_SYNC_SIGNAL get its own. Calls of one @queue
 * are done in their order, and so are those whose ranges overlap, in any queue: the range of a
 * call is all from its first address to its last, sources of copies as well. Commands wait
 * for no bind by themselves: a program that uses an address before its fence has signalled
 * finds what was there before.
 *
 * While an address space has 2 MiB of such work queued and not done, the call waits for it; a
 * signal ends that.
 *
 * Errors of the argument, @refused_bind is then the number of elements: %EINVAL @queue is not
 * below %DRM_QUIRE_BIND_QUEUES, @flags is not zero, there are no @binds, or an element of
 * @syncs has not exactly one of its flags; those of &struct drm_quire_array; %ENOENT no such
 * address space, or no such syncobj or one that is to be waited for and has no fence.
 *
 * Errors of an element, the first of which is @refused_bind: %EINVAL unknown operation or
 * flags, a field is not zero that has to be, or @address, @size or @offset is no multiple of
 * the page size; %ERANGE @size is 0, or the range ends outside of the address space or of the
 * object, or the source of a copy does; %ENOENT no such object; %EPERM it is private to another
 * address space; %EACCES it is a monitored or a native fence, and the range not
 * %DRM_QUIRE_BIND_READ_ONLY; %ENOMEDIUM it can be neither in VRAM nor, or as it has tiles, in the
 * aperture; %ENODATA it is purged; %EBUSY others have pinned it in system memory, or were at work
 * with it for 15 seconds; %ENOSPC there is no room for it, or for page tables. The last three also
 * of an object that was bound at the source of a copy before the call. %E2BIG the copies up to
 * there may bind more than %DRM_QUIRE_MAX_COPIED ranges: of each are counted those bound at its
 * source before the call, and for each earlier element that changes some of that two, and what was
 * counted of it; but never more than there are pages.
 */
struct drm_quire_vm_bind {
	/** @vm: of the file */
	__u32 vm;

	/** @queue: below %DRM_QUIRE_BIND_QUEUES */
	__u32 queue;

	/** @flags: must be zero */
	__u32 flags;

	/** @refused_bind: returned: index of the element; without one the number of elements */
	__u32 refused_bind;

	/** @binds: of &struct drm_quire_bind */
	struct drm_quire_array binds;

	/** @syncs: of &struct drm_quire_sync */
	struct drm_quire_array syncs;
};

/**
 * struct drm_quire_exec - argument of %DRM_IOCTL_QUIRE_EXEC
 *
 * The form of commands is in include/quire/quire_command.h; each address in them is a virtual one
 * of the address space of the context. They are read from @address, when they are executed.
 * Nobody checks them before: one that is no command, or accesses what is not bound, ends
 * its context, &struct drm_quire_context_state, and nothing else.
 *
 * All that is bound is where the device can access it meanwhile: what was evicted is brought
 * back first. Commands begin after the fences of @syncs with %DRM_QUIRE_SYNC_WAIT, and what
 * was submitted to the context before; those with %DRM_QUIRE_SYNC_SIGNAL get the fence of
 * their end. No other fence of an object is waited for, and none is left there that others
 * would wait for by themselves.
 *
 * While a context has 2 MiB of commands on a ring, queued and not done yet, the call waits for
 * them; each call counts as 4 KiB. A signal ends that.
 *
 * Errors: %EINVAL no such @ring, @flags or @pad is not zero, @size is 0, or it or @address is
 * no multiple of 8, the context has no address space, an element of @syncs has not exactly one
 * of its flags; %ERANGE @address + @size is above %DRM_QUIRE_VM_SIZE; %E2BIG @size is above
 * &drm_quire_device_info.max_exec; those of &struct drm_quire_array; %ENOENT no such context
 * or syncobj, or one that is to be waited for and has no fence; %ECANCELED the context is not
 * good any more. Of an object that is bound, at @refused_address among others: %ENODATA it is
 * purged; %EBUSY others have pinned it in system memory, or were at work with it for 15
 * seconds; %ENOSPC there is no room for it; without @refused_address %ENOSPC there is none for
 * page tables, or for registers of the context. Nothing was queued then.
 */
struct drm_quire_exec {
	/** @context: of the file */
	__u32 context;

	/** @ring: below &drm_quire_device_info.execution_rings */
	__u32 ring;

	/** @address: virtual, of the first command */
	__u64 address;

	/** @size: bytes of commands */
	__u32 size;

	/** @flags: must be zero */
	__u32 flags;

	/** @syncs: of &struct drm_quire_sync */
	struct drm_quire_array syncs;

	/** @submission: returned, its number in the context, from 1 */
	__u64 submission;

	/** @refused_address: returned, with an error: where an object is bound; else all ones */
	__u64 refused_address;
};

/** define DRM_QUIRE_MAX_FENCES - monitored fences of a device, of all programs together */
#define DRM_QUIRE_MAX_FENCES		4096

/** define DRM_QUIRE_MAX_SIGNALS - of one monitored fence, queued and not done */
#define DRM_QUIRE_MAX_SIGNALS		64

/** define DRM_QUIRE_MAX_NATIVE_FENCES - native fences of a device, of all programs together */
#define DRM_QUIRE_MAX_NATIVE_FENCES	1024

/**
 * define DRM_QUIRE_FENCE_NATIVE - commands let it grow, and no ioctl; since version 1.5
 *
 * A native fence belongs to the address space @vm: its contexts signal it with the command
 * SIGNAL_NATIVE of include/quire/quire_command.h, which names it by @number, in
 * %DRM_IOCTL_QUIRE_EXEC; commands of other address spaces end their contexts with that, and so do
 * those of its own once the last handle is closed. %DRM_IOCTL_QUIRE_FENCE_SIGNAL fails with
 * %EOPNOTSUPP.
 *
 * It is an object of one page that is private to the address space, with the number in its first
 * 8 bytes, and in the 8 bytes from the 64th on the value that somebody waits for. It moves as
 * others do. The program reads it in a mapping, and commands where it is bound, as with a
 * monitored fence; what that forbids is forbidden here, too. If what it has is lost to a failed
 * move, %DRM_IOCTL_QUIRE_EXEC fails with %ENODATA until it is closed.
 */
#define DRM_QUIRE_FENCE_NATIVE		0x1u

/**
 * struct drm_quire_fence_create - argument of %DRM_IOCTL_QUIRE_FENCE_CREATE
 *
 * A monitored fence: a 64-bit number in memory that only grows, and that programs, commands and
 * calls can wait for. It is an object of one page of system memory, which never moves, with the
 * number in its first 8 bytes and zero behind; only %DRM_IOCTL_QUIRE_FENCE_SIGNAL writes there.
 *
 * The program reads it in a mapping (%DRM_IOCTL_QUIRE_BO_MMAP_OFFSET), which is shared and never
 * writable: mmap() and mprotect() for writing fail with %EACCES. Commands read it where it is
 * bound (%DRM_IOCTL_QUIRE_VM_BIND), with %DRM_QUIRE_BIND_READ_ONLY. To place it, to give advice
 * and to export it fail with %EPERM, and no %DRM_IOCTL_QUIRE_SUBMIT can use it (%ENOMEDIUM).
 *
 * It is closed as other objects are (%DRM_IOCTL_GEM_CLOSE). What was queued for it is done all
 * the same.
 *
 * Errors: %EINVAL @flags are none that there are, or @vm is not zero without
 * %DRM_QUIRE_FENCE_NATIVE; %ENOENT there is no such address space; %ENOSPC there are
 * %DRM_QUIRE_MAX_FENCES, or %DRM_QUIRE_MAX_NATIVE_FENCES native ones, or the file has created
 * &drm_quire_device_info.max_file_fences, or &drm_quire_device_info.max_file_native_fences, or has
 * no handle left.
 *
 * Source: D3DKMTCreateSynchronizationObject2, D3DDDI_MONITORED_FENCE;
 * D3DKMTCreateNativeFence.
 */
struct drm_quire_fence_create {
	/** @value: the number that it begins with */
	__u64 value;

	/** @handle: returned */
	__u32 handle;

	/** @flags: 0 or %DRM_QUIRE_FENCE_NATIVE */
	__u32 flags;

	/** @vm: address space of a native one, else 0 */
	__u32 vm;

	/** @number: returned, of a native one: what commands call it */
	__u32 number;
};

/**
 * struct drm_quire_fence_signal - argument of %DRM_IOCTL_QUIRE_FENCE_SIGNAL
 *
 * The call returns when it is queued. The device writes @value after the fences of @syncs with
 * %DRM_QUIRE_SYNC_WAIT, after all moves of objects that were queued before, and after what the
 * monitored fence was signalled with before; those with %DRM_QUIRE_SYNC_SIGNAL get the fence of
 * that. Binds that wait for something are not waited for. What a fence ends with makes no
 * difference.
 *
 * While there are %DRM_QUIRE_MAX_SIGNALS of it that are queued and not done the call waits; a
 * signal ends that.
 *
 * If the device can not do it, and goes on without, the value is not written, and the fence of
 * @syncs ends with %EIO. A larger one can be.
 *
 * Errors: %EINVAL @pad is not zero, an element of @syncs has not exactly one of its flags, or
 * @value is not above the one that was queued last, at first that of &struct
 * drm_quire_fence_create; those of &struct drm_quire_array; %ENOENT no such object or syncobj, or
 * one that is to be waited for and has no fence; %EMEDIUMTYPE the object is no fence;
 * %EOPNOTSUPP it is a native one.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE.
 */
struct drm_quire_fence_signal {
	/** @handle: of the monitored fence */
	__u32 handle;

	/** @pad: must be zero */
	__u32 pad;

	/** @value: that is written */
	__u64 value;

	/** @syncs: of &struct drm_quire_sync */
	struct drm_quire_array syncs;
};

/**
 * struct drm_quire_fence_wait - argument of %DRM_IOCTL_QUIRE_FENCE_WAIT
 *
 * Waits until the number in memory is @value or above, without sign; nothing need be queued for
 * that yet.
 *
 * A native fence has its monitored value set to the least value that is waited for, and the
 * device interrupts when that is reached.
 *
 * Errors: %EINVAL @pad is not zero; %ENOENT no such object; %EMEDIUMTYPE it is no fence;
 * %ETIME it was not there in time; %EIO the device was not able to write @value, or a larger one,
 * and nothing above has been written since, or it is wedged, or what a native fence has is lost;
 * %ENODEV it went meanwhile.
 *
 * Source: D3DKMTWaitForSynchronizationObjectFromCpu.
 */
struct drm_quire_fence_wait {
	/** @handle: of the monitored fence */
	__u32 handle;

	/** @pad: must be zero */
	__u32 pad;

	/** @value: that is waited for */
	__u64 value;

	/** @timeout_ns: absolute, CLOCK_MONOTONIC; 0 only asks */
	__s64 timeout_ns;
};

/** define DRM_QUIRE_MAX_RESIDENT - most elements of &drm_quire_make_resident.objects */
#define DRM_QUIRE_MAX_RESIDENT		1024

/**
 * struct drm_quire_resident - an object that is held resident, or not any more
 */
struct drm_quire_resident {
	/** @handle: of the object */
	__u32 handle;

	/** @pad: must be zero */
	__u32 pad;
};

/**
 * struct drm_quire_make_resident - argument of %DRM_IOCTL_QUIRE_MAKE_RESIDENT
 *
 * The file holds each of @objects resident once more: as often as it is among them. Those that
 * are not where the device can access them are brought there: to VRAM, or to the aperture where
 * there is no room in VRAM or they may not be there; so are those in the aperture that nobody
 * has held yet and that may be in VRAM. Room is found as %DRM_IOCTL_QUIRE_BO_PLACE does.
 *
 * What is held by any file is evicted last: when nothing else is left that makes room. It is no
 * promise that it stays. What had to leave all the same, also by %DRM_IOCTL_QUIRE_BO_PLACE, a
 * touch by the CPU or a suspend, is held as before and comes back when it is next used: by
 * %DRM_IOCTL_QUIRE_EXEC where it is bound, by %DRM_IOCTL_QUIRE_SUBMIT, or by this ioctl. Nothing
 * that uses an object asks if it is held. What is offered (%DRM_QUIRE_MADV_DONTNEED) goes first,
 * held or not.
 *
 * %DRM_IOCTL_QUIRE_EVICT takes references away, and so does closing the handle. They are kept
 * over a reset of the device.
 *
 * Returns when the moves are queued. @syncs, each with %DRM_QUIRE_SYNC_SIGNAL, get a fence that
 * signals when all of them are done, with the error of the first that failed: a timeline of the
 * program for its paging.
 *
 * If the ioctl fails, nothing is held that was not held before, and no syncobj has changed;
 * objects may have been moved.
 *
 * Errors of the argument, @refused_object is then the number of elements: %EINVAL @flags is not
 * zero, an element of @syncs has other flags than %DRM_QUIRE_SYNC_SIGNAL; those of
 * &struct drm_quire_array, at most %DRM_QUIRE_MAX_RESIDENT and %DRM_QUIRE_MAX_SYNCS elements;
 * %ENOENT no such syncobj; %ENOSPC all of @objects together are larger than VRAM and aperture, or
 * those that may only be in one of them than that.
 *
 * Errors of an element, the first of which is @refused_object: %EINVAL its pad is not zero;
 * %ENOENT no such object, or it was closed meanwhile; %EPERM it is a monitored or a
 * native fence; %ENOMEDIUM it can be neither in VRAM nor, or as it has tiles, in the aperture;
 * %ENODATA it is purged; %EBUSY others have pinned it in system memory, or were at work with it
 * for 15 seconds; %ENOSPC there is no room for it.
 *
 * Source: D3DKMTMakeResident.
 */
struct drm_quire_make_resident {
	/** @objects: of &struct drm_quire_resident */
	struct drm_quire_array objects;

	/** @syncs: of &struct drm_quire_sync */
	struct drm_quire_array syncs;

	/** @flags: must be zero */
	__u32 flags;

	/** @refused_object: returned, with an error: index of the element */
	__u32 refused_object;

	/**
	 * @to_trim: returned: bytes that the file is above its budgets then, see
	 * &struct drm_quire_budget_info
	 */
	__u64 to_trim;
};

/**
 * struct drm_quire_evict - argument of %DRM_IOCTL_QUIRE_EVICT
 *
 * The file holds each of @objects once less: as often as it is among them. What nobody holds any
 * more stays where it is, and goes as any other when its room is needed.
 *
 * Errors, @refused_object is then the number of elements, or the index of the one that it is
 * about: %EINVAL @flags or a pad is not zero, or the file does not hold an object that often;
 * those of &struct drm_quire_array, at most %DRM_QUIRE_MAX_RESIDENT elements; %ENOENT no such
 * object. Nothing has changed then.
 *
 * Source: D3DKMTEvict.
 */
struct drm_quire_evict {
	/** @objects: of &struct drm_quire_resident */
	struct drm_quire_array objects;

	/** @flags: must be zero */
	__u32 flags;

	/** @refused_object: returned, with an error: index of the element */
	__u32 refused_object;
};

#define DRM_IOCTL_QUIRE_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_QUERY, struct drm_quire_query)
#define DRM_IOCTL_QUIRE_BO_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_BO_CREATE, struct drm_quire_bo_create)
#define DRM_IOCTL_QUIRE_BO_INFO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_BO_INFO, struct drm_quire_bo_info)
#define DRM_IOCTL_QUIRE_BO_MMAP_OFFSET \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_BO_MMAP_OFFSET, struct drm_quire_bo_mmap_offset)
#define DRM_IOCTL_QUIRE_BO_WAIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_QUIRE_BO_WAIT, struct drm_quire_bo_wait)
#define DRM_IOCTL_QUIRE_BO_PLACE \
	DRM_IOW(DRM_COMMAND_BASE + DRM_QUIRE_BO_PLACE, struct drm_quire_bo_place)
#define DRM_IOCTL_QUIRE_BO_MADVISE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_BO_MADVISE, struct drm_quire_bo_madvise)
#define DRM_IOCTL_QUIRE_CONTEXT_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_CONTEXT_CREATE, struct drm_quire_context_create)
#define DRM_IOCTL_QUIRE_CONTEXT_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_QUIRE_CONTEXT_DESTROY, struct drm_quire_context_destroy)
#define DRM_IOCTL_QUIRE_CONTEXT_STATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_CONTEXT_STATE, struct drm_quire_context_state)
#define DRM_IOCTL_QUIRE_SUBMIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_SUBMIT, struct drm_quire_submit)
#define DRM_IOCTL_QUIRE_VM_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_VM_CREATE, struct drm_quire_vm_create)
#define DRM_IOCTL_QUIRE_VM_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_QUIRE_VM_DESTROY, struct drm_quire_vm_destroy)
#define DRM_IOCTL_QUIRE_VM_BIND \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_VM_BIND, struct drm_quire_vm_bind)
#define DRM_IOCTL_QUIRE_EXEC \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_EXEC, struct drm_quire_exec)
#define DRM_IOCTL_QUIRE_FENCE_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_FENCE_CREATE, struct drm_quire_fence_create)
#define DRM_IOCTL_QUIRE_FENCE_SIGNAL \
	DRM_IOW(DRM_COMMAND_BASE + DRM_QUIRE_FENCE_SIGNAL, struct drm_quire_fence_signal)
#define DRM_IOCTL_QUIRE_FENCE_WAIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_QUIRE_FENCE_WAIT, struct drm_quire_fence_wait)
#define DRM_IOCTL_QUIRE_MAKE_RESIDENT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_MAKE_RESIDENT, struct drm_quire_make_resident)
#define DRM_IOCTL_QUIRE_EVICT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_QUIRE_EVICT, struct drm_quire_evict)

#if defined(__cplusplus)
}
#endif

#endif /* _UAPI_QUIRE_DRM_H_ */
