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
 * - Structures grow at their end; the kernel takes a shorter one as if its
 *   tail were zero. Queries are by type and size.
 * - There are no unions. Identifiers are enumerations, appended only.
 * - An ioctl that fails has changed nothing that a program can see, except
 *   that content which it found already gone stays gone.
 * - All of it is on the render node; no ioctl needs a capability.
 *
 * Errors that every ioctl can return: %ENODEV the device is unplugged or its
 * driver unbound, %EIO the device is wedged (its paging ring hung twice),
 * %EFAULT a pointer is bad, %EINTR or %ERESTARTSYS a signal came first.
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
 */
enum drm_quire_ioctl_id {
	DRM_QUIRE_QUERY = 0,
	DRM_QUIRE_BO_CREATE,
	DRM_QUIRE_BO_INFO,
	DRM_QUIRE_BO_MMAP_OFFSET,
	DRM_QUIRE_BO_WAIT,
	DRM_QUIRE_BO_PLACE,
	DRM_QUIRE_BO_MADVISE,
};

/**
 * enum drm_quire_segment_id - kinds of memory
 * @DRM_QUIRE_SEGMENT_SYSTEM: system pages that the device does not see
 * @DRM_QUIRE_SEGMENT_VRAM: memory of the device
 * @DRM_QUIRE_SEGMENT_APERTURE: system pages that the device sees through its
 *                              aperture
 */
enum drm_quire_segment_id {
	DRM_QUIRE_SEGMENT_SYSTEM = 0,
	DRM_QUIRE_SEGMENT_VRAM = 1,
	DRM_QUIRE_SEGMENT_APERTURE = 2,
};

/**
 * enum drm_quire_query_type - what &struct drm_quire_query asks for
 * @DRM_QUIRE_QUERY_DEVICE: one &struct drm_quire_device_info
 * @DRM_QUIRE_QUERY_SEGMENTS: an array of &struct drm_quire_segment_info
 */
enum drm_quire_query_type {
	DRM_QUIRE_QUERY_DEVICE = 0,
	DRM_QUIRE_QUERY_SEGMENTS = 1,
};

/**
 * struct drm_quire_query - argument of %DRM_IOCTL_QUIRE_QUERY
 *
 * With @pointer 0 only @size is returned. Otherwise at most @size bytes are
 * written and @size becomes the number written, so that a program made for a
 * shorter answer gets the part it knows.
 *
 * Errors: %EINVAL unknown type, or @pad not zero.
 */
struct drm_quire_query {
	/** @type: enum drm_quire_query_type */
	__u32 type;

	/** @size: bytes at @pointer; on return bytes of the answer */
	__u32 size;

	/** @pointer: user address of the answer, or 0 */
	__u64 pointer;

	/** @pad: must be zero */
	__u64 pad;
};

/**
 * struct drm_quire_device_info - answer to %DRM_QUIRE_QUERY_DEVICE
 */
struct drm_quire_device_info {
	/** @version: of the device interface, major << 16 | minor */
	__u32 version;

	/** @page_size: bytes; sizes and places are multiples of it */
	__u32 page_size;

	/** @max_bo_size: bytes of the largest buffer object */
	__u64 max_bo_size;

	/** @caps: DRM_QUIRE_CAP_* */
	__u64 caps;
};

/** define DRM_QUIRE_CAP_DEVICE_COPIES - moves are made by the device, not the CPU */
#define DRM_QUIRE_CAP_DEVICE_COPIES	(1ull << 0)

/**
 * struct drm_quire_segment_info - one entry of %DRM_QUIRE_QUERY_SEGMENTS
 */
struct drm_quire_segment_info {
	/** @id: enum drm_quire_segment_id */
	__u32 id;

	/** @pad: zero */
	__u32 pad;

	/** @size: bytes; 0 for system memory, which has no size of its own */
	__u64 size;

	/** @visible_size: bytes from the start that the CPU can reach */
	__u64 visible_size;

	/** @usage: bytes in use now, of all programs */
	__u64 usage;
};

/**
 * struct drm_quire_bo_create - argument of %DRM_IOCTL_QUIRE_BO_CREATE
 *
 * The object starts in system memory without pages of its own, reads as zero,
 * and is not moved until it is placed, mapped or written.
 *
 * Errors: %EINVAL @size is 0 or no multiple of the page size, or @flags is not
 * zero; %E2BIG @size is above &drm_quire_device_info.max_bo_size; %ENOMEM no
 * memory for it.
 */
struct drm_quire_bo_create {
	/** @size: bytes, multiple of the page size */
	__u64 size;

	/** @flags: must be zero */
	__u32 flags;

	/** @handle: returned */
	__u32 handle;
};

/**
 * struct drm_quire_bo_info - argument of %DRM_IOCTL_QUIRE_BO_INFO
 *
 * The answer may be out of date when the program sees it, unless only the
 * program itself moves objects and they all fit.
 *
 * Errors: %ENOENT no such handle; %EINVAL @pad is not zero.
 */
struct drm_quire_bo_info {
	/** @handle: of the object */
	__u32 handle;

	/** @pad: must be zero */
	__u32 pad;

	/** @size: bytes */
	__u64 size;

	/** @segment: enum drm_quire_segment_id of its place now */
	__u32 segment;

	/** @flags: DRM_QUIRE_BO_* */
	__u32 flags;
};

/** define DRM_QUIRE_BO_VISIBLE - all of it is where the CPU can reach it */
#define DRM_QUIRE_BO_VISIBLE		(1u << 0)
/** define DRM_QUIRE_BO_DONTNEED - madvise said that its content may go */
#define DRM_QUIRE_BO_DONTNEED		(1u << 1)
/** define DRM_QUIRE_BO_PURGED - its content is gone, it reads as zero */
#define DRM_QUIRE_BO_PURGED		(1u << 2)

/**
 * struct drm_quire_bo_mmap_offset - argument of %DRM_IOCTL_QUIRE_BO_MMAP_OFFSET
 *
 * Touching the mapping of an object in VRAM that the CPU can not reach moves
 * it into the visible part, or to system memory if that is full.
 *
 * Errors: %ENOENT no such handle; %EINVAL @pad is not zero.
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
 * Errors: %ENOENT no such handle; %EINVAL @pad is not zero; %ETIME it was not
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

/** define DRM_QUIRE_PLACE_VISIBLE - only the part of VRAM that the CPU can reach */
#define DRM_QUIRE_PLACE_VISIBLE		(1u << 0)
/** define DRM_QUIRE_PLACE_CONTIGUOUS - one run of pages in VRAM */
#define DRM_QUIRE_PLACE_CONTIGUOUS	(1u << 1)
/** define DRM_QUIRE_PLACE_INVISIBLE - only the part of VRAM that the CPU can not reach */
#define DRM_QUIRE_PLACE_INVISIBLE	(1u << 2)

/**
 * struct drm_quire_bo_place - argument of %DRM_IOCTL_QUIRE_BO_PLACE
 *
 * Moves the object to a segment now, evicting others if need be. Returns when
 * the move is queued; %DRM_IOCTL_QUIRE_BO_WAIT waits for it. The place is no
 * promise for later: others may evict it again.
 *
 * Errors: %ENOENT no such handle; %EINVAL no such segment, @flags unknown, not
 * for this segment or contradicting, or @pad is not zero; %ENOSPC it does not
 * fit even if everything else were evicted; %ENOMEM no memory for the move;
 * %ENODATA the object is purged, say WILLNEED first.
 */
struct drm_quire_bo_place {
	/** @handle: of the object */
	__u32 handle;

	/** @segment: enum drm_quire_segment_id */
	__u32 segment;

	/** @flags: DRM_QUIRE_PLACE_*, only with %DRM_QUIRE_SEGMENT_VRAM */
	__u32 flags;

	/** @pad: must be zero */
	__u32 pad;
};

/**
 * enum drm_quire_advice - for &struct drm_quire_bo_madvise
 * @DRM_QUIRE_MADV_WILLNEED: the content is needed (how objects start)
 * @DRM_QUIRE_MADV_DONTNEED: the content may go when room is needed
 */
enum drm_quire_advice {
	DRM_QUIRE_MADV_WILLNEED = 0,
	DRM_QUIRE_MADV_DONTNEED = 1,
};

/**
 * struct drm_quire_bo_madvise - argument of %DRM_IOCTL_QUIRE_BO_MADVISE
 *
 * A DONTNEED object that has to leave VRAM is discarded, not copied. WILLNEED
 * says what became of it: @retained is 1 if the content is whole, 0 if it is
 * gone; a gone object reads as zero and can be used again after WILLNEED.
 * Touching the mapping of a purged object raises SIGBUS until then.
 *
 * Errors: %ENOENT no such handle; %EINVAL unknown @advice, or @pad is not zero.
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

#if defined(__cplusplus)
}
#endif

#endif /* _UAPI_QUIRE_DRM_H_ */
