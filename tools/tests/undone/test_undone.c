// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What calls about the device, objects, their residence and fences take is given back: after a
 * success that is undone, after each refusal, and where an answer can not be written.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "syncs.h"
#include "undone.h"

#define SYSTEM		DRM_QUIRE_SEGMENT_SYSTEM
#define VRAM		DRM_QUIRE_SEGMENT_VRAM
#define APERTURE	DRM_QUIRE_SEGMENT_APERTURE
#define ALL		(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)
#define NOWHERE		((uint64_t)BAD_POINTER)

/* More than there are of something on the device, so that a lost one is missed. */
#define MANY_FENCES	(DRM_QUIRE_MAX_FENCES + 100)
#define MANY_NATIVES	(DRM_QUIRE_MAX_NATIVE_FENCES + 100)

/*
 * QUERY
 */
static struct drm_quire_budget_info budgets[QUIRE_SEGMENTS];

UNDONE_IOCTL(query_budgets, QUERY, drm_quire_query, .type = DRM_QUIRE_QUERY_BUDGETS,
	     .answer = DRM_QUIRE_ARRAY(QUIRE_SEGMENTS, budgets))
UNDONE_IOCTL(query_length, QUERY, drm_quire_query, .type = DRM_QUIRE_QUERY_BUDGETS)
UNDONE_IOCTL(query_nothing, QUERY, drm_quire_query, .type = 77)
UNDONE_IOCTL(query_nowhere, QUERY, drm_quire_query, .type = DRM_QUIRE_QUERY_SEGMENTS,
	     .answer = { .stride = 64, .count = QUIRE_SEGMENTS, .array = NOWHERE })
UNDONE_IOCTL(query_stride, QUERY, drm_quire_query, .type = DRM_QUIRE_QUERY_DEVICE,
	     .answer = { .stride = 4, .count = 1, .array = (uintptr_t)budgets })

static int query_segments(struct stage *s)
{
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];

	return quire_query_segments(s->fd, segments);
}

/* Another file comes into VRAM, so that the budgets shrink, and its event is read. */
static int query_event(struct stage *s)
{
	struct drm_quire_event_budget event;
	struct fixture other = s->scene.work.fixture;
	uint32_t handle;
	int ret;

	other.fd = quire_open();
	ret = query_budgets(s) ?: quire_bo_create(other.fd, QUIRE_PAGE, &handle) ?:
	      quire_bo_place(other.fd, handle, VRAM, 0);
	close(other.fd);
	if (!ret && fd_is_ready(s->fd, 0) && read(s->fd, &event, sizeof(event)) < 0)
		ret = -errno;
	return ret;
}

/* More than half of VRAM, which is more than a share. */
static void take_much(struct stage *s)
{
	uint64_t size = fixture_vram(&s->scene.work.fixture) / 4 * 3;
	uint32_t handle;

	if (quire_bo_create(s->fd, size, &handle) || undone_place(s, handle, VRAM))
		tap_bail("most of VRAM");
}

/*
 * BO_CREATE, and its mapping
 */
static int create_and_close(struct stage *s, struct drm_quire_bo_create create)
{
	int ret;

	if (!create.size)
		create.size = UNDONE_SIZE;
	if (!create.segments)
		create.segments = ALL;
	ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);
	if (!ret) {
		s->number = create.handle;
		ret = quire_bo_close(s->fd, create.handle);
	}
	return ret;
}

#define CREATE_CLOSE(name, ...)						\
	static int create_##name(struct stage *s)				\
	{								\
		return create_and_close(s, (struct drm_quire_bo_create){ __VA_ARGS__ }); \
	}

#define IN_VRAM	.segments = DRM_QUIRE_SEGMENT_BIT(0) | DRM_QUIRE_SEGMENT_BIT(VRAM)
#define IMAGE	.layout = DRM_QUIRE_LAYOUT_TILE_4K, .element_size = 4, .width = 64, .height = 64, \
		.levels = 1, .array_size = 1

CREATE_CLOSE(cached, .caching = DRM_QUIRE_CACHING_CACHED)
CREATE_CLOSE(combined, .caching = DRM_QUIRE_CACHING_WRITE_COMBINED)
CREATE_CLOSE(window, .flags = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE)
CREATE_CLOSE(mmu, .flags = DRM_QUIRE_BO_CREATE_MMU)
CREATE_CLOSE(private, .vm = s->vm)
CREATE_CLOSE(image, IMAGE)
CREATE_CLOSE(view, IMAGE, IN_VRAM, .flags = DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW)
CREATE_CLOSE(flags, .flags = 0x80000000u)
CREATE_CLOSE(odd, .size = 4097)
CREATE_CLOSE(large, .size = 1ull << 62)
CREATE_CLOSE(nowhere, .segments = DRM_QUIRE_SEGMENT_BIT(1))
CREATE_CLOSE(no_vm, .vm = 77)
CREATE_CLOSE(layout, .layout = 77)

UNDONE_IOCTL(create_half, BO_CREATE, drm_quire_bo_create, .size = 0)

/* The answer has no place: its page can not be written. */
static int untold(struct stage *s, unsigned long request)
{
	static void *page;

	if (!page)
		page = mmap(NULL, QUIRE_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return quire_ioctl(s->fd, request, page);
}

static int create_untold(struct stage *s)
{
	return untold(s, DRM_IOCTL_QUIRE_BO_CREATE);
}

/* Mapped, touched, and closed before it is unmapped. @segment: where it is then */
static int map_in(struct stage *s, uint32_t segment, struct drm_quire_bo_create create)
{
	uint32_t *map;
	int ret;

	create.size = UNDONE_SIZE;
	create.segments = ALL;
	ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);
	if (ret)
		return ret;
	ret = undone_place(s, create.handle, segment) ?:
	      quire_bo_map(s->fd, create.handle, create.size, (void **)&map);
	quire_bo_close(s->fd, create.handle);
	if (!ret) {
		sigbus_on_read(map);
		munmap(map, create.size);
	}
	return ret;
}

static int map_system(struct stage *s)
{
	return map_in(s, SYSTEM, (struct drm_quire_bo_create){ 0 });
}

static int map_vram(struct stage *s)
{
	return map_in(s, VRAM, (struct drm_quire_bo_create){ 0 });
}

static int map_window(struct stage *s)
{
	return map_in(s, APERTURE, (struct drm_quire_bo_create){
		      .flags = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE });
}

static int map_image(struct stage *s)
{
	return map_in(s, VRAM, (struct drm_quire_bo_create){ IMAGE });
}

/*
 * BO_INFO, BO_MMAP_OFFSET, BO_WAIT, BO_MADVISE
 */
UNDONE_IOCTL(info, BO_INFO, drm_quire_bo_info, .handle = s->object)
UNDONE_IOCTL(info_pad, BO_INFO, drm_quire_bo_info, .handle = s->object, .pad = 1)
UNDONE_IOCTL(info_none, BO_INFO, drm_quire_bo_info, .handle = NO_HANDLE)
UNDONE_IOCTL(offset, BO_MMAP_OFFSET, drm_quire_bo_mmap_offset, .handle = s->object)
UNDONE_IOCTL(offset_pad, BO_MMAP_OFFSET, drm_quire_bo_mmap_offset, .handle = s->object, .pad = 1)
UNDONE_IOCTL(offset_none, BO_MMAP_OFFSET, drm_quire_bo_mmap_offset, .handle = NO_HANDLE)
UNDONE_IOCTL(wait, BO_WAIT, drm_quire_bo_wait, .handle = s->object)
UNDONE_IOCTL(wait_pad, BO_WAIT, drm_quire_bo_wait, .handle = s->object, .pad = 1)
UNDONE_IOCTL(wait_none, BO_WAIT, drm_quire_bo_wait, .handle = NO_HANDLE)
UNDONE_IOCTL(needed, BO_MADVISE, drm_quire_bo_madvise, .handle = s->object)
UNDONE_IOCTL(advice, BO_MADVISE, drm_quire_bo_madvise, .handle = s->object, .advice = 77)
UNDONE_IOCTL(advice_none, BO_MADVISE, drm_quire_bo_madvise, .handle = NO_HANDLE)
UNDONE_IOCTL(advice_fence, BO_MADVISE, drm_quire_bo_madvise, .handle = s->fence)

static int info_untold(struct stage *s)
{
	return untold(s, DRM_IOCTL_QUIRE_BO_INFO);
}

static int not_needed(struct stage *s)
{
	return quire_bo_madvise(s->fd, s->object, DRM_QUIRE_MADV_DONTNEED, NULL) ?:
	       quire_bo_madvise(s->fd, s->object, DRM_QUIRE_MADV_WILLNEED, NULL);
}

/* Its content goes, and it is filled with zero. */
static int purge(struct stage *s)
{
	bool retained = true;
	int ret = quire_bo_madvise(s->fd, s->object, DRM_QUIRE_MADV_WILLNEED, NULL) ?:
		  undone_place(s, s->object, VRAM) ?:
		  quire_bo_madvise(s->fd, s->object, DRM_QUIRE_MADV_DONTNEED, NULL) ?:
		  debugfs_write(s->scene.work.fixture.debugfs, "evict_all", "1") ?:
		  quire_bo_madvise(s->fd, s->object, DRM_QUIRE_MADV_WILLNEED, &retained);

	return ret ?: retained ? -EILSEQ : undone_place(s, s->object, SYSTEM);
}

static struct gate gate;

static void open_gate(void)
{
	work_gate_raise(&gate, 1);
}

/* Commands are at work with an object until this process ends. */
static void make_busy(struct stage *s)
{
	struct work *work = &s->scene.work;
	struct quire_object *object = work_object(work, UNDONE_SIZE);

	work_gate_open_apart(work, &gate);
	atexit(open_gate);
	work_wait_at(work, &gate, 1);
	quire_recorder_fill(work->recorder, quire_at(object, 0), QUIRE_PAGE, 7);
	if (work_submit(work, work_context(work), 0, NULL, NULL))
		tap_bail("commands that wait");
	s->other = quire_object_handle(object);
}

UNDONE_IOCTL(wait_busy, BO_WAIT, drm_quire_bo_wait, .handle = s->other)

/*
 * BO_PLACE
 */
static int there_and_back(struct stage *s, uint32_t handle, uint32_t segment)
{
	return undone_place(s, handle, segment) ?: undone_place(s, handle, SYSTEM);
}

static int place_vram(struct stage *s)
{
	return there_and_back(s, s->object, VRAM);
}

static int place_aperture(struct stage *s)
{
	return there_and_back(s, s->object, APERTURE);
}

static int place_between(struct stage *s)
{
	return undone_place(s, s->object, VRAM) ?: there_and_back(s, s->object, APERTURE);
}

/* All else is evicted. */
static int place_large(struct stage *s)
{
	uint32_t handle;
	int ret = quire_bo_create(s->fd, fixture_vram(&s->scene.work.fixture), &handle) ?:
		  undone_place(s, s->object, VRAM) ?: undone_place(s, handle, VRAM);

	quire_bo_close(s->fd, handle);
	return ret;
}

static int place_with(struct stage *s, uint32_t handle, uint32_t segment, uint32_t flags,
		      struct drm_quire_sync second)
{
	const struct drm_quire_sync syncs[] = {
		{ .handle = s->signal, .flags = DRM_QUIRE_SYNC_SIGNAL }, second,
	};

	return quire_bo_place_syncs(s->fd, handle, segment, flags, syncs, 2);
}

static int place_syncs(struct stage *s)
{
	return place_with(s, s->object, VRAM, 0, (struct drm_quire_sync){
			  .handle = s->empty, .flags = DRM_QUIRE_SYNC_SIGNAL }) ?:
	       undone_wait(s, s->signal) ?: undone_place(s, s->object, SYSTEM);
}

#define PLACE_WITH(name, handle, flags, ...)				\
	static int place_##name(struct stage *s)				\
	{								\
		return place_with(s, handle, VRAM, flags,		\
				  (struct drm_quire_sync){ __VA_ARGS__ }); \
	}

PLACE_WITH(no_sync, s->object, 0, .handle = NO_HANDLE, .flags = DRM_QUIRE_SYNC_SIGNAL)
PLACE_WITH(sync_flags, s->object, 0, .handle = s->done, .flags = DRM_QUIRE_SYNC_WAIT)
PLACE_WITH(none, NO_HANDLE, 0, .handle = s->done, .flags = DRM_QUIRE_SYNC_SIGNAL)
PLACE_WITH(flags, s->object, 0x80, .handle = s->done, .flags = DRM_QUIRE_SYNC_SIGNAL)
PLACE_WITH(fence, s->fence, 0, .handle = s->done, .flags = DRM_QUIRE_SYNC_SIGNAL)
PLACE_WITH(purged, s->purged, 0, .handle = s->done, .flags = DRM_QUIRE_SYNC_SIGNAL)
PLACE_WITH(system, s->system, 0, .handle = s->done, .flags = DRM_QUIRE_SYNC_SIGNAL)
PLACE_WITH(too_large, s->other, 0, .handle = s->done, .flags = DRM_QUIRE_SYNC_SIGNAL)

/* Points of timelines, whose memory is taken before. */
static int place_point(struct stage *s)
{
	const struct drm_quire_sync syncs[] = {
		{ .handle = s->signal, .flags = DRM_QUIRE_SYNC_SIGNAL, .point = 7 },
		{ .handle = NO_HANDLE, .flags = DRM_QUIRE_SYNC_SIGNAL, .point = 8 },
	};

	return quire_bo_place_syncs(s->fd, s->object, VRAM, 0, syncs, 2);
}

UNDONE_IOCTL(place_nowhere, BO_PLACE, drm_quire_bo_place, .handle = s->object, .segment = 77)
UNDONE_IOCTL(place_bad_syncs, BO_PLACE, drm_quire_bo_place, .handle = s->object, .segment = 1,
	     .syncs = { .stride = sizeof(struct drm_quire_sync), .count = 1, .array = NOWHERE })

static void make_too_large(struct stage *s)
{
	if (quire_bo_create(s->fd, fixture_vram(&s->scene.work.fixture) + QUIRE_PAGE, &s->other))
		tap_bail("a large object");
}

/*
 * PRIME
 */
static int export(struct stage *s)
{
	int dmabuf = dmabuf_export(s->fd, s->object);

	if (dmabuf < 0)
		return dmabuf;
	close(dmabuf);
	return 0;
}

/* For another file, which closes first or last. */
static int import_own(struct stage *s)
{
	int dmabuf = dmabuf_export(s->fd, s->object), other = quire_open();
	uint32_t handle;
	int ret;

	if (dmabuf < 0)
		return dmabuf;
	ret = dmabuf_import(other, dmabuf, &handle) ?: quire_bo_place(other, handle, VRAM, 0) ?:
	      dmabuf_import(s->fd, dmabuf, &handle);
	close(other);
	close(dmabuf);
	return ret ?: handle == s->object ? undone_place(s, handle, SYSTEM) : -EILSEQ;
}

/* @segment: where the device can see it, or not */
static int import_foreign(struct stage *s, uint32_t segment)
{
	int dmabuf = udmabuf_create(UNDONE_SIZE);
	uint32_t handle;
	int ret;

	if (dmabuf < 0)
		return dmabuf;
	ret = dmabuf_import(s->fd, dmabuf, &handle);
	close(dmabuf);
	if (ret)
		return ret;
	ret = undone_place(s, handle, segment);
	s->number = handle;
	quire_bo_close(s->fd, handle);
	return ret;
}

static int import_system(struct stage *s)
{
	return import_foreign(s, SYSTEM);
}

static int import_aperture(struct stage *s)
{
	return import_foreign(s, APERTURE);
}

static int import_vram(struct stage *s)
{
	return import_foreign(s, VRAM);
}

/* What is no dma-buf. */
static int import_none(struct stage *s)
{
	uint32_t handle;

	return dmabuf_import(s->fd, STDIN_FILENO, &handle);
}

static int export_secret(struct stage *s)
{
	return dmabuf_export(s->fd, s->secret);
}

static int export_fence(struct stage *s)
{
	return dmabuf_export(s->fd, s->fence);
}

static int export_native(struct stage *s)
{
	return dmabuf_export(s->fd, s->native);
}

/*
 * MAKE_RESIDENT, EVICT
 */
static int hold_with(struct stage *s, uint32_t second, struct drm_quire_sync sync)
{
	const struct drm_quire_resident objects[] = {
		{ .handle = s->object }, { .handle = second },
	};
	struct drm_quire_make_resident hold = {
		.objects = DRM_QUIRE_ARRAY(2, objects), .syncs = DRM_QUIRE_ARRAY(1, &sync),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &hold);
}

/* @second: 0: only the first. Memory that fails does so once. */
static int release(struct stage *s, uint32_t first, uint32_t second)
{
	const struct drm_quire_resident objects[] = { { .handle = first }, { .handle = second } };
	struct drm_quire_evict evict = { .objects = DRM_QUIRE_ARRAY(second ? 2 : 1, objects) };

	int ret;

	do {
		ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_EVICT, &evict);
	} while (ret == -ENOMEM);
	return ret;
}

static struct drm_quire_sync signal_to(uint32_t syncobj)
{
	return (struct drm_quire_sync){ .handle = syncobj, .flags = DRM_QUIRE_SYNC_SIGNAL };
}

static struct drm_quire_sync wait_of(uint32_t syncobj)
{
	return (struct drm_quire_sync){ .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT };
}

/* Held, they are released, whatever fails in between. */
static int hold(struct stage *s)
{
	int ret = hold_with(s, s->other, signal_to(s->signal)), waited;

	if (ret)
		return ret;
	waited = undone_wait(s, s->signal);
	return release(s, s->object, s->other) ?: waited ?: undone_place(s, s->object, SYSTEM) ?:
	       undone_place(s, s->other, SYSTEM);
}

/* What the handle held goes with it. */
static int hold_and_close(struct stage *s)
{
	uint32_t handle = 0;
	int ret = undone_object(s, &handle), waited;

	if (ret)
		return ret;
	ret = hold_with(s, handle, signal_to(s->signal));
	waited = ret ?: undone_wait(s, s->signal);
	quire_bo_close(s->fd, handle);
	return ret ?: release(s, s->object, 0) ?: waited ?: undone_place(s, s->object, SYSTEM);
}

#define HOLD_WITH(name, second, sync)					\
	static int hold_##name(struct stage *s)				\
	{								\
		return hold_with(s, second, sync);			\
	}

HOLD_WITH(none, NO_HANDLE, signal_to(s->signal))
HOLD_WITH(fence, s->fence, signal_to(s->signal))
HOLD_WITH(system, s->system, signal_to(s->signal))
HOLD_WITH(purged, s->purged, signal_to(s->signal))
HOLD_WITH(no_sync, s->other, signal_to(NO_HANDLE))
HOLD_WITH(sync_flags, s->other, wait_of(s->done))

UNDONE_IOCTL(hold_nowhere, MAKE_RESIDENT, drm_quire_make_resident,
	     .objects = { .stride = 8, .count = 2, .array = NOWHERE })

static int release_more(struct stage *s)
{
	return release(s, s->object, s->other);
}

static int release_none(struct stage *s)
{
	return release(s, s->object, NO_HANDLE);
}

UNDONE_IOCTL(release_nowhere, EVICT, drm_quire_evict,
	     .objects = { .stride = 8, .count = 2, .array = NOWHERE })

/*
 * FENCE_CREATE, FENCE_SIGNAL, FENCE_WAIT
 */
static int fence_with(struct stage *s, uint32_t flags, uint32_t vm)
{
	struct drm_quire_fence_create create = { .flags = flags, .vm = vm };
	int ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_FENCE_CREATE, &create);

	if (ret)
		return ret;
	s->number = flags ? create.number : create.handle;
	return quire_bo_close(s->fd, create.handle);
}

static int fence(struct stage *s)
{
	return fence_with(s, 0, 0);
}

static int fence_native(struct stage *s)
{
	return fence_with(s, DRM_QUIRE_FENCE_NATIVE, s->vm);
}

static int fence_flags(struct stage *s)
{
	return fence_with(s, 77, 0);
}

static int fence_no_vm(struct stage *s)
{
	return fence_with(s, DRM_QUIRE_FENCE_NATIVE, 77);
}

static int fence_untold(struct stage *s)
{
	return untold(s, DRM_IOCTL_QUIRE_FENCE_CREATE);
}

/* @vm: of native ones; 0: monitored ones. Returns how many there are more, until one is refused. */
static unsigned int take_fences(int fd, uint32_t vm)
{
	unsigned int taken = 0;
	int ret;

	do {
		struct drm_quire_fence_create create = {
			.flags = vm ? DRM_QUIRE_FENCE_NATIVE : 0, .vm = vm,
		};

		ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_FENCE_CREATE, &create);
		taken += !ret;
	} while (!ret);
	if (ret != -ENOSPC)
		tap_bail("fences: %d", ret);
	return taken;
}

/* All that a file may have. */
static void take_quota(struct stage *s)
{
	if (take_fences(s->fd, 0) < s->scene.work.fixture.info.max_file_fences / 2)
		tap_bail("not many fences");
}

static void take_native_quota(struct stage *s)
{
	if (take_fences(s->fd, s->vm) < s->scene.work.fixture.info.max_file_native_fences / 2)
		tap_bail("not many native fences");
}

/* All that the device has, by other files: this one may have some yet. They are left open. */
static void take_all_fences(struct stage *s)
{
	(void)s;
	while (take_fences(quire_open(), 0))
		;
}

static void take_all_native_fences(struct stage *s)
{
	struct drm_quire_vm_create create;
	int fd;

	(void)s;
	do {
		fd = quire_open();
		create = (struct drm_quire_vm_create){ 0 };
		if (quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_CREATE, &create))
			tap_bail("no address space");
	} while (take_fences(fd, create.vm));
}

static int signal_with(struct stage *s, uint32_t handle, uint64_t value, uint32_t flags,
		       uint32_t syncobj)
{
	const struct drm_quire_sync syncs[] = {
		signal_to(s->signal), { .handle = syncobj, .flags = flags },
	};
	struct drm_quire_fence_signal signal = {
		.handle = handle, .value = value, .syncs = DRM_QUIRE_ARRAY(2, syncs),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_FENCE_SIGNAL, &signal);
}

static int wait_for(struct stage *s, uint32_t handle, uint64_t value)
{
	struct drm_quire_fence_wait wait = {
		.handle = handle, .value = value,
		.timeout_ns = quire_now_ns() + (value == UINT64_MAX ? 1000ll :
							      WAIT_MS * 1000000ll),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_FENCE_WAIT, &wait);
}

static int signal_fence(struct stage *s)
{
	return signal_with(s, s->fence, ++s->value, DRM_QUIRE_SYNC_WAIT, s->done) ?:
	       wait_for(s, s->fence, s->value) ?: undone_wait(s, s->signal);
}

#define SIGNAL_WITH(name, handle, value, flags, syncobj)			\
	static int signal_##name(struct stage *s)				\
	{								\
		return signal_with(s, handle, value, flags, syncobj);	\
	}

SIGNAL_WITH(less, s->fence, 0, DRM_QUIRE_SYNC_WAIT, s->done)
SIGNAL_WITH(none, NO_HANDLE, 1, DRM_QUIRE_SYNC_WAIT, s->done)
SIGNAL_WITH(object, s->object, 1, DRM_QUIRE_SYNC_WAIT, s->done)
SIGNAL_WITH(native, s->native, 1, DRM_QUIRE_SYNC_WAIT, s->done)
SIGNAL_WITH(no_sync, s->fence, ~0ull, DRM_QUIRE_SYNC_WAIT, NO_HANDLE)
SIGNAL_WITH(empty, s->fence, ~0ull, DRM_QUIRE_SYNC_WAIT, s->empty)
SIGNAL_WITH(flags, s->fence, ~0ull, 0, s->done)

UNDONE_IOCTL(signal_nowhere, FENCE_SIGNAL, drm_quire_fence_signal, .handle = s->fence,
	     .value = ~0ull,
	     .syncs = { .stride = sizeof(struct drm_quire_sync), .count = 1, .array = NOWHERE })

#define WAIT_FOR(name, handle, value)					\
	static int fence_wait_##name(struct stage *s)				\
	{								\
		return wait_for(s, handle, value);			\
	}

WAIT_FOR(less, s->fence, 0)
WAIT_FOR(more, s->fence, UINT64_MAX)
WAIT_FOR(native, s->native, UINT64_MAX)
WAIT_FOR(none, NO_HANDLE, 0)
WAIT_FOR(object, s->object, 0)

/* A file, and one of each with it. */
static int file(struct stage *s)
{
	struct drm_quire_vm_create vm = { 0 };
	struct drm_quire_context_create context = { 0 };
	struct drm_quire_fence_create create = { .flags = DRM_QUIRE_FENCE_NATIVE };
	struct drm_quire_bo_create secret = { .size = QUIRE_PAGE, .segments = ALL };
	struct drm_quire_bind bind = { .address = UNDONE_BASE, .size = QUIRE_PAGE };
	struct drm_quire_vm_bind call = { .binds = DRM_QUIRE_ARRAY(1, &bind) };
	int fd = quire_open(), ret;
	uint32_t handle;

	(void)s;
	ret = quire_bo_create(fd, QUIRE_PAGE, &handle) ?: quire_bo_place(fd, handle, VRAM, 0) ?:
	      quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_CREATE, &vm);
	context.vm = vm.vm;
	create.vm = vm.vm;
	secret.vm = vm.vm;
	ret = ret ?: quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &context) ?:
	      quire_ioctl(fd, DRM_IOCTL_QUIRE_FENCE_CREATE, &create) ?:
	      quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_CREATE, &secret);
	call.vm = vm.vm;
	bind.handle = secret.handle;
	ret = ret ?: quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_BIND, &call);
	close(fd);
	return ret;
}

static const struct row rows[] = {
	ROW(0, query_budgets, "QUERY budgets", .runs = 50000),
	ROW(0, query_length, "QUERY their length"),
	ROW(0, query_event, "QUERY budgets, and events", .prepare = take_much),
	ROW(0, query_segments, "QUERY segments"),
	ROW(-EINVAL, query_nothing, "QUERY what is not there"),
	ROW(-EFAULT, query_nowhere, "QUERY to nowhere"),
	ROW(-EINVAL, query_stride, "QUERY with a short element"),
	ROW(0, create_cached, "BO_CREATE"),
	ROW(0, create_combined, "BO_CREATE write-combined"),
	ROW(0, create_window, "BO_CREATE for the aperture's BAR"),
	ROW(0, create_mmu, "BO_CREATE for an MMU"),
	ROW(0, create_private, "BO_CREATE private"),
	ROW(0, create_image, "BO_CREATE an image"),
	ROW(0, create_view, "BO_CREATE an image with an alternate view"),
	ROW(-EINVAL, create_flags, "BO_CREATE with unknown flags"),
	ROW(-EINVAL, create_odd, "BO_CREATE of an odd size"),
	ROW(-E2BIG, create_large, "BO_CREATE too large"),
	ROW(-EINVAL, create_nowhere, "BO_CREATE without system memory"),
	ROW(-ENOENT, create_no_vm, "BO_CREATE private to no address space"),
	ROW(-EINVAL, create_layout, "BO_CREATE in an unknown layout"),
	ROW(-EINVAL, create_half, "BO_CREATE without a size"),
	ROW(-EFAULT, create_untold, "BO_CREATE without a place for the answer"),
	ROW(0, map_system, "mmap in system memory"),
	ROW(0, map_vram, "mmap in VRAM"),
	ROW(0, map_window, "mmap through the aperture's BAR"),
	ROW(0, map_image, "mmap of an image in VRAM"),
	ROW(0, info, "BO_INFO"),
	ROW(-EINVAL, info_pad, "BO_INFO with a pad"),
	ROW(-ENOENT, info_none, "BO_INFO of nothing"),
	ROW(-EFAULT, info_untold, "BO_INFO without a place for the answer"),
	ROW(0, offset, "BO_MMAP_OFFSET"),
	ROW(-EINVAL, offset_pad, "BO_MMAP_OFFSET with a pad"),
	ROW(-ENOENT, offset_none, "BO_MMAP_OFFSET of nothing"),
	ROW(0, wait, "BO_WAIT"),
	ROW(-EINVAL, wait_pad, "BO_WAIT with a pad"),
	ROW(-ENOENT, wait_none, "BO_WAIT for nothing"),
	ROW(-ETIME, wait_busy, "BO_WAIT for what is busy", .prepare = make_busy),
	ROW(0, needed, "BO_MADVISE WILLNEED"),
	ROW(0, not_needed, "BO_MADVISE DONTNEED and WILLNEED"),
	ROW(0, purge, "BO_MADVISE, and the content goes", .runs = 400),
	ROW(-EINVAL, advice, "BO_MADVISE with unknown advice"),
	ROW(-ENOENT, advice_none, "BO_MADVISE about nothing"),
	ROW(-EPERM, advice_fence, "BO_MADVISE about a fence"),
	ROW(0, place_vram, "BO_PLACE in VRAM and back"),
	ROW(0, place_aperture, "BO_PLACE in the aperture and back"),
	ROW(0, place_between, "BO_PLACE in VRAM, the aperture and back"),
	ROW(0, place_large, "BO_PLACE, and all else is evicted", .runs = 400),
	ROW(0, place_syncs, "BO_PLACE with syncobjs"),
	ROW(-ENOENT, place_no_sync, "BO_PLACE with a syncobj that is not there"),
	ROW(-ENOENT, place_point, "BO_PLACE with points of a timeline that is not there"),
	ROW(-EINVAL, place_sync_flags, "BO_PLACE with a syncobj to wait for"),
	ROW(-EFAULT, place_bad_syncs, "BO_PLACE with syncobjs nowhere"),
	ROW(-ENOENT, place_none, "BO_PLACE of nothing"),
	ROW(-EINVAL, place_flags, "BO_PLACE with unknown flags"),
	ROW(-EPERM, place_fence, "BO_PLACE of a fence"),
	ROW(-ENODATA, place_purged, "BO_PLACE of what is purged"),
	ROW(-EINVAL, place_system, "BO_PLACE where it may not be"),
	ROW(-ENOSPC, place_too_large, "BO_PLACE where it does not fit", .prepare = make_too_large),
	ROW(-EINVAL, place_nowhere, "BO_PLACE in no segment"),
	ROW(0, export, "PRIME export"),
	ROW(0, import_own, "PRIME export and import"),
	ROW(0, import_system, "PRIME import"),
	ROW(0, import_aperture, "PRIME import and BO_PLACE in the aperture"),
	ROW(-EINVAL, import_vram, "PRIME import and BO_PLACE in VRAM"),
	ROW(-EINVAL, import_none, "PRIME import of what is no dma-buf"),
	ROW(-EPERM, export_secret, "PRIME export of what is private"),
	ROW(-EPERM, export_fence, "PRIME export of a monitored fence"),
	ROW(-EPERM, export_native, "PRIME export of a native fence"),
	ROW(0, hold, "MAKE_RESIDENT and EVICT"),
	ROW(0, hold_and_close, "MAKE_RESIDENT and close"),
	ROW(-ENOENT, hold_none, "MAKE_RESIDENT of nothing"),
	ROW(-EPERM, hold_fence, "MAKE_RESIDENT of a fence"),
	ROW(-ENOMEDIUM, hold_system, "MAKE_RESIDENT of what stays in system memory"),
	ROW(-ENODATA, hold_purged, "MAKE_RESIDENT of what is purged"),
	ROW(-ENOENT, hold_no_sync, "MAKE_RESIDENT with a syncobj that is not there"),
	ROW(-EINVAL, hold_sync_flags, "MAKE_RESIDENT with a syncobj to wait for"),
	ROW(-EFAULT, hold_nowhere, "MAKE_RESIDENT of objects nowhere"),
	ROW(-EINVAL, release_more, "EVICT of what is not held"),
	ROW(-ENOENT, release_none, "EVICT of nothing"),
	ROW(-EFAULT, release_nowhere, "EVICT of objects nowhere"),
	ROW(0, fence, "FENCE_CREATE", .runs = MANY_FENCES),
	ROW(0, fence_native, "FENCE_CREATE a native one", .runs = MANY_NATIVES),
	ROW(-EINVAL, fence_flags, "FENCE_CREATE with unknown flags"),
	ROW(-ENOENT, fence_no_vm, "FENCE_CREATE in no address space"),
	ROW(-EFAULT, fence_untold, "FENCE_CREATE without a place for the answer"),
	ROW(-ENOSPC, fence, "FENCE_CREATE above the quota of a file", .prepare = take_quota),
	ROW(-ENOSPC, fence_native, "FENCE_CREATE a native one above the quota of a file",
	    .prepare = take_native_quota),
	ROW(-ENOSPC, fence, "FENCE_CREATE above the limit of the device",
	    .prepare = take_all_fences),
	ROW(-ENOSPC, fence_native, "FENCE_CREATE a native one above the limit of the device",
	    .prepare = take_all_native_fences),
	ROW(0, signal_fence, "FENCE_SIGNAL and FENCE_WAIT"),
	ROW(-EINVAL, signal_less, "FENCE_SIGNAL with less than there is"),
	ROW(-ENOENT, signal_none, "FENCE_SIGNAL of nothing"),
	ROW(-EMEDIUMTYPE, signal_object, "FENCE_SIGNAL of an object"),
	ROW(-EOPNOTSUPP, signal_native, "FENCE_SIGNAL of a native fence"),
	ROW(-ENOENT, signal_no_sync, "FENCE_SIGNAL with a syncobj that is not there"),
	ROW(-ENOENT, signal_empty, "FENCE_SIGNAL with an empty syncobj"),
	ROW(-EINVAL, signal_flags, "FENCE_SIGNAL with a syncobj for nothing"),
	ROW(-EFAULT, signal_nowhere, "FENCE_SIGNAL with syncobjs nowhere"),
	ROW(0, fence_wait_less, "FENCE_WAIT"),
	ROW(-ETIME, fence_wait_more, "FENCE_WAIT in vain"),
	ROW(-ETIME, fence_wait_native, "FENCE_WAIT for a native fence in vain"),
	ROW(-ENOENT, fence_wait_none, "FENCE_WAIT for nothing"),
	ROW(-EMEDIUMTYPE, fence_wait_object, "FENCE_WAIT for an object"),
	ROW(0, file, "a file with one of each is closed"),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(900);
	undone_begin(argc > 1 ? argv[1] : "");
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
