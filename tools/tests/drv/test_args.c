// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Every bad argument of every ioctl has its own errno and changes nothing. */
#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "refuse.h"

#define INSTANCE(s, name)	((s)->fixture->segments[DRM_QUIRE_SEGMENT_##name].instance)

/* Instances start at 0, and there is one of each class. */
#define ANYWHERE		(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

/* Programs are built with these sizes: they may grow, never shrink, in steps of 8 bytes. */
static_assert(sizeof(struct drm_quire_array) == 16, "of arrays");
static_assert(sizeof(struct drm_quire_query) == 24, "of queries");
static_assert(sizeof(struct drm_quire_device_info) == 80, "of the device");
static_assert(sizeof(struct drm_quire_segment_info) == 40, "of segments");
static_assert(sizeof(struct drm_quire_budget_info) == 40, "of budgets");
static_assert(sizeof(struct drm_quire_event_budget) == 16, "of events of budgets");
static_assert(sizeof(struct drm_quire_bo_create) == 56, "of create");
static_assert(sizeof(struct drm_quire_bo_info) == 64, "of info");
static_assert(sizeof(struct drm_quire_bo_mmap_offset) == 16, "of mmap offset");
static_assert(sizeof(struct drm_quire_bo_wait) == 16, "of wait");
static_assert(sizeof(struct drm_quire_sync) == 16, "of syncs");
static_assert(sizeof(struct drm_quire_bo_place) == 32, "of place");
static_assert(sizeof(struct drm_quire_bo_madvise) == 16, "of madvise");
static_assert(sizeof(struct drm_quire_context_create) == 24, "of context create");
static_assert(sizeof(struct drm_quire_context_destroy) == 8, "of context destroy");
static_assert(sizeof(struct drm_quire_context_state) == 56, "of context state");
static_assert(sizeof(struct drm_quire_allocation) == 24, "of allocations");
static_assert(sizeof(struct drm_quire_patch_location) == 32, "of patch locations");
static_assert(sizeof(struct drm_quire_submit) == 120, "of submit");
static_assert(sizeof(struct drm_quire_vm_create) == 8, "of VM create");
static_assert(sizeof(struct drm_quire_vm_destroy) == 8, "of VM destroy");
static_assert(sizeof(struct drm_quire_bind) == 40, "of binds");
static_assert(sizeof(struct drm_quire_vm_bind) == 48, "of VM bind");
static_assert(sizeof(struct drm_quire_exec) == 56, "of exec");
static_assert(sizeof(struct drm_quire_fence_create) == 24, "of fence create");
static_assert(sizeof(struct drm_quire_fence_signal) == 32, "of fence signal");
static_assert(sizeof(struct drm_quire_fence_wait) == 24, "of fence wait");
static_assert(sizeof(struct drm_quire_resident) == 8, "of resident objects");
static_assert(sizeof(struct drm_quire_make_resident) == 48, "of make resident");
static_assert(sizeof(struct drm_quire_evict) == 24, "of evict");

#define CREATE(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_BO_CREATE, struct drm_quire_bo_create, expected, \
		"create: " name, __VA_ARGS__)
#define INFO(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_BO_INFO, struct drm_quire_bo_info, expected, \
		"info: " name, __VA_ARGS__)
#define OFFSET(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_BO_MMAP_OFFSET, struct drm_quire_bo_mmap_offset, expected, \
		"mmap offset: " name, __VA_ARGS__)
#define WAIT(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_BO_WAIT, struct drm_quire_bo_wait, expected, \
		"wait: " name, __VA_ARGS__)
#define PLACE(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_BO_PLACE, struct drm_quire_bo_place, expected, \
		"place: " name, __VA_ARGS__)
#define MADVISE(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_BO_MADVISE, struct drm_quire_bo_madvise, expected, \
		"madvise: " name, __VA_ARGS__)

static void test_pointer(struct subject *s, unsigned long request, const char *name)
{
	refused_by_core(s, request, (void *)BAD_POINTER, -EFAULT, name);
}

static void test_pointers(struct subject *s)
{
	test_pointer(s, DRM_IOCTL_QUIRE_QUERY, "query: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_BO_CREATE, "create: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_BO_INFO, "info: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_BO_MMAP_OFFSET, "mmap offset: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_BO_WAIT, "wait: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_BO_PLACE, "place: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_BO_MADVISE, "madvise: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_CONTEXT_CREATE, "context: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, "context destroy: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_CONTEXT_STATE, "context state: bad pointer");
	test_pointer(s, DRM_IOCTL_QUIRE_SUBMIT, "submit: bad pointer");
	refused_by_core(s, _IOWR(DRM_IOCTL_BASE, DRM_COMMAND_END - 1, uint64_t),
			(void *)BAD_POINTER, -EINVAL, "no ioctl of the driver: bad pointer");
	refused_by_core(s, _IOWR('x', DRM_COMMAND_BASE, uint64_t), (void *)BAD_POINTER, -ENOTTY,
			"no ioctl of DRM: bad pointer");
}

/* @argument can be read, but the answer can not be written. */
static void test_read_only(struct subject *s, unsigned long request, const void *argument,
			   size_t size, const char *name)
{
	void *page = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		tap_bail("mmap");
	memcpy(page, argument, size);
	mprotect(page, QUIRE_PAGE, PROT_READ);
	refused_by_core(s, request, page, -EFAULT, name);
	munmap(page, QUIRE_PAGE);
}

/* An object whose handle nobody learns, or an advice whose answer nobody sees. */
static void test_no_answer(struct subject *s)
{
	struct drm_quire_bo_madvise madvise = {
		.handle = s->object.handle, .advice = DRM_QUIRE_MADV_DONTNEED,
	};
	struct drm_quire_bo_create create = { .size = QUIRE_MIB, .segments = ANYWHERE };
	struct drm_quire_context_create context = { 0 };
	struct drm_quire_context_state state = { .context = 1 };

	test_read_only(s, DRM_IOCTL_QUIRE_BO_CREATE, &create, sizeof(create),
		       "create: the handle can not be returned");
	test_read_only(s, DRM_IOCTL_QUIRE_BO_MADVISE, &madvise, sizeof(madvise),
		       "madvise: the answer can not be returned");
	test_read_only(s, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &context, sizeof(context),
		       "context: its number can not be returned");
	tap_ret(quire_ioctl(s->fixture->fd, DRM_IOCTL_QUIRE_CONTEXT_STATE, &state), -ENOENT,
		"there is no context");
}

static void test_create_size(struct subject *s)
{
	uint64_t most = s->fixture->info.max_bo_size;

	CREATE(-EINVAL, "size 0", .segments = ANYWHERE);
	CREATE(-EINVAL, "size 1", .size = 1, .segments = ANYWHERE);
	CREATE(-EINVAL, "a byte less than a page", .size = QUIRE_PAGE - 1, .segments = ANYWHERE);
	CREATE(-EINVAL, "a byte more than a page", .size = QUIRE_PAGE + 1, .segments = ANYWHERE);
	CREATE(-EINVAL, "the largest number", .size = UINT64_MAX, .segments = ANYWHERE);
	CREATE(-E2BIG, "the largest multiple of a page", .size = -QUIRE_PAGE,
	       .segments = ANYWHERE);
	CREATE(-E2BIG, "half of all numbers", .size = 1ull << 63, .segments = ANYWHERE);
	CREATE(-E2BIG, "a page more than the most", .size = most + QUIRE_PAGE,
	       .segments = ANYWHERE);
}

static void test_create(struct subject *s)
{
	CREATE(-EINVAL, "flag 0", .size = QUIRE_PAGE, .segments = ANYWHERE, .flags = 1);
	CREATE(-EINVAL, "flag 31", .size = QUIRE_PAGE, .segments = ANYWHERE, .flags = 1u << 31);
	CREATE(-EINVAL, "pad", .size = QUIRE_PAGE, .segments = ANYWHERE, .pad = 1);
	CREATE(-EINVAL, "layout 1", .size = QUIRE_PAGE, .segments = ANYWHERE, .layout = 1);
	CREATE(-ENOENT, "vm 1", .size = QUIRE_PAGE, .segments = ANYWHERE, .vm = 1);
	CREATE(-EINVAL, "write-combined, flag 0", .size = QUIRE_PAGE, .segments = ANYWHERE,
	       .caching = DRM_QUIRE_CACHING_WRITE_COMBINED, .flags = 1);
	CREATE(-EINVAL, "caching 2", .size = QUIRE_PAGE, .segments = ANYWHERE, .caching = 2);
	CREATE(-EINVAL, "caching -1", .size = QUIRE_PAGE, .segments = ANYWHERE,
	       .caching = UINT32_MAX);
	CREATE(-EINVAL, "no segment", .size = QUIRE_PAGE);
	CREATE(-EINVAL, "VRAM without system memory", .size = QUIRE_PAGE,
	       .segments = ANYWHERE & ~DRM_QUIRE_SEGMENT_BIT(INSTANCE(s, SYSTEM)));
	CREATE(-EINVAL, "segment 3", .size = QUIRE_PAGE, .segments = ANYWHERE | 1u << 3);
	CREATE(-EINVAL, "segment 31", .size = QUIRE_PAGE, .segments = ANYWHERE | 1u << 31);
}

/* Seen through the window of the aperture. */
static void test_create_window(struct subject *s)
{
	const uint32_t window = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE;
	uint64_t size = s->fixture->info.aperture_window_size;

	CREATE(-EINVAL, "window, not in the aperture", .size = QUIRE_PAGE, .flags = window,
	       .segments = ANYWHERE & ~DRM_QUIRE_SEGMENT_BIT(INSTANCE(s, APERTURE)));
	CREATE(-EINVAL, "window and flag 2", .size = QUIRE_PAGE, .segments = ANYWHERE,
	       .flags = window | 1u << 3);
	if (!size) {
		CREATE(-EOPNOTSUPP, "no window", .size = QUIRE_PAGE, .segments = ANYWHERE,
		       .flags = window);
		return;
	}
	CREATE(-E2BIG, "a page more than the window", .size = size + QUIRE_PAGE,
	       .segments = ANYWHERE, .flags = window);
}

/* An image of one page, of which the last arguments make something else. */
#define IMAGE(expected, name, ...) \
	do {						\
		struct drm_quire_bo_create image = {	\
			.size = QUIRE_PAGE, .segments = ANYWHERE,	\
			.layout = DRM_QUIRE_LAYOUT_TILE_4K, .element_size = 4,	\
			.width = 32, .height = 32, .levels = 1, .array_size = 1,	\
		};					\
							\
		__VA_ARGS__;				\
		refused(s, DRM_IOCTL_QUIRE_BO_CREATE, &image, expected, "create: " name);	\
	} while (0)

static void test_create_image(struct subject *s)
{
	IMAGE(-EINVAL, "window", image.flags = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE);
	IMAGE(-EINVAL, "layout 3", image.layout = 3);
	IMAGE(-EINVAL, "layout -1", image.layout = UINT32_MAX);
	IMAGE(-EINVAL, "an image without a layout", image.layout = DRM_QUIRE_LAYOUT_LINEAR);
	IMAGE(-EINVAL, "elements of 0 bytes", image.element_size = 0);
	IMAGE(-EINVAL, "elements of 3 bytes", image.element_size = 3);
	IMAGE(-EINVAL, "elements of 32 bytes", image.element_size = 32, image.width = 1);
	IMAGE(-EINVAL, "elements of 2 GiB", image.element_size = 1u << 31);
	IMAGE(-EINVAL, "no width", image.width = 0);
	IMAGE(-EINVAL, "too wide", image.width = 16385, image.height = 1);
	IMAGE(-EINVAL, "wide as numbers are", image.width = UINT32_MAX, image.height = UINT32_MAX);
	IMAGE(-EINVAL, "no height", image.height = 0);
	IMAGE(-EINVAL, "too high", image.height = 16385, image.width = 1);
	IMAGE(-EINVAL, "no level", image.levels = 0);
	IMAGE(-EINVAL, "a level too many", image.levels = 7, image.size = 2 * QUIRE_PAGE);
	IMAGE(-EINVAL, "33 levels", image.levels = 33, image.size = 2 * QUIRE_PAGE);
	IMAGE(-EINVAL, "no slice", image.array_size = 0);
	IMAGE(-EINVAL, "too many slices", image.array_size = 2049, image.width = 1,
	      image.height = 1, image.size = 3 * QUIRE_PAGE);
	IMAGE(-EINVAL, "a page too few", image.height = 33);
	IMAGE(-EINVAL, "a page too many", image.size = 2 * QUIRE_PAGE);
	CREATE(-EINVAL, "elements without a layout", .size = QUIRE_PAGE, .segments = ANYWHERE,
	       .element_size = 1);
	CREATE(-EINVAL, "slices without a layout", .size = QUIRE_PAGE, .segments = ANYWHERE,
	       .array_size = 1);
}

static void test_info(struct subject *s)
{
	INFO(-ENOENT, "handle 0", .handle = 0);
	INFO(-ENOENT, "unknown handle", .handle = NO_HANDLE);
	INFO(-EINVAL, "pad", .handle = s->object.handle, .pad = 1);
}

static void test_offset(struct subject *s)
{
	OFFSET(-ENOENT, "handle 0", .handle = 0);
	OFFSET(-ENOENT, "unknown handle", .handle = NO_HANDLE);
	OFFSET(-EINVAL, "pad", .handle = s->object.handle, .pad = 1);
}

static void test_wait(struct subject *s)
{
	WAIT(-ENOENT, "handle 0", .handle = 0);
	WAIT(-ENOENT, "unknown handle", .handle = NO_HANDLE);
	WAIT(-EINVAL, "pad", .handle = s->object.handle, .pad = 1);
	WAIT(0, "idle, only asks", .handle = s->object.handle);
	WAIT(0, "idle, a time in the past", .handle = s->object.handle, .timeout_ns = 1);
	WAIT(0, "idle, a negative time", .handle = s->object.handle, .timeout_ns = INT64_MIN);
	WAIT(0, "idle, the end of time", .handle = s->object.handle, .timeout_ns = INT64_MAX);
}

static void test_place(struct subject *s)
{
	uint32_t handle = s->object.handle, vram = INSTANCE(s, VRAM);
	uint32_t system_memory = INSTANCE(s, SYSTEM), aperture = INSTANCE(s, APERTURE);

	PLACE(-ENOENT, "handle 0", .segment = vram);
	PLACE(-ENOENT, "unknown handle", .handle = NO_HANDLE, .segment = vram);
	PLACE(-EINVAL, "segment 3", .handle = handle, .segment = 3);
	PLACE(-EINVAL, "segment -1", .handle = handle, .segment = UINT32_MAX);
	PLACE(-EINVAL, "pad", .handle = handle, .segment = system_memory, .pad = 1);
	PLACE(-EINVAL, "flag 3", .handle = handle, .segment = vram, .flags = 1u << 3);
	PLACE(-EINVAL, "flag 31", .handle = handle, .segment = vram, .flags = 1u << 31);
	PLACE(-EINVAL, "visible and invisible", .handle = handle, .segment = vram,
	      .flags = DRM_QUIRE_PLACE_VISIBLE | DRM_QUIRE_PLACE_INVISIBLE);
	PLACE(-EINVAL, "visible system memory", .handle = handle, .segment = system_memory,
	      .flags = DRM_QUIRE_PLACE_VISIBLE);
	PLACE(-EINVAL, "contiguous aperture", .handle = handle, .segment = aperture,
	      .flags = DRM_QUIRE_PLACE_CONTIGUOUS);
	PLACE(-EINVAL, "invisible aperture", .handle = handle, .segment = aperture,
	      .flags = DRM_QUIRE_PLACE_INVISIBLE);
}

static void test_place_too_large(struct subject *s, uint64_t size, uint32_t segment,
				 uint32_t flags, const char *name)
{
	uint32_t handle;

	if (size > s->fixture->info.max_bo_size) {
		tap_ret(quire_bo_create(s->fixture->fd, size, &handle), -E2BIG, "create: %s", name);
		return;
	}
	if (!tap_ret(quire_bo_create(s->fixture->fd, size, &handle), 0, "create: %s", name))
		return;
	REFUSED(s, DRM_IOCTL_QUIRE_BO_PLACE, struct drm_quire_bo_place, -ENOSPC, name,
		.handle = handle, .segment = s->fixture->segments[segment].instance,
		.flags = flags);
	quire_bo_close(s->fixture->fd, handle);
}

static void test_no_room(struct subject *s)
{
	const struct drm_quire_segment_info *segments = s->fixture->segments;
	uint64_t vram = segments[DRM_QUIRE_SEGMENT_VRAM].size;
	uint64_t visible = segments[DRM_QUIRE_SEGMENT_VRAM].visible_size;
	static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
	struct drm_quire_segment_info before[QUIRE_SEGMENTS];
	struct object held;

	tap_ret(fixture_rest(s->fixture, before), 0, "query");
	tap_ret(object_create(s->fixture, &held, QUIRE_PAGE, 9), 0, "create another");
	tap_ret(object_place_and_wait(s->fixture, &held, &aperture), 0, "in the aperture");
	test_place_too_large(s, vram + QUIRE_PAGE, DRM_QUIRE_SEGMENT_VRAM, 0,
			     "a page more than VRAM");
	test_place_too_large(s, segments[DRM_QUIRE_SEGMENT_APERTURE].size + QUIRE_PAGE,
			     DRM_QUIRE_SEGMENT_APERTURE, 0, "a page more than the aperture");
	test_place_too_large(s, visible + QUIRE_PAGE, DRM_QUIRE_SEGMENT_VRAM,
			     DRM_QUIRE_PLACE_VISIBLE, "a page more than is visible");
	test_place_too_large(s, vram - visible + QUIRE_PAGE, DRM_QUIRE_SEGMENT_VRAM,
			     DRM_QUIRE_PLACE_INVISIBLE, "a page more than is invisible");
	tap_ok(object_is_at(s->fixture, &held, &aperture), "nothing had to make room");
	object_close(s->fixture, &held);
	tap_ok(fixture_settles(s->fixture, before), "it is gone");
}

static void test_madvise(struct subject *s)
{
	MADVISE(-ENOENT, "handle 0", .handle = 0);
	MADVISE(-ENOENT, "unknown handle", .handle = NO_HANDLE);
	MADVISE(-EINVAL, "advice 2", .handle = s->object.handle, .advice = 2);
	MADVISE(-EINVAL, "advice -1", .handle = s->object.handle, .advice = UINT32_MAX);
	MADVISE(-EINVAL, "pad", .handle = s->object.handle, .pad = 1);
}

/* A shorter structure is taken as if its tail were zero. */
static void test_short_wait(const struct subject *s)
{
	unsigned long request = _IOC(_IOC_WRITE, DRM_IOCTL_BASE,
				     DRM_COMMAND_BASE + DRM_QUIRE_BO_WAIT, 8);
	struct drm_quire_bo_wait wait = { .handle = s->object.handle, .timeout_ns = -1 };

	tap_ret(quire_ioctl(s->fixture->fd, request, &wait), 0, "wait: structure of 8 bytes");
	wait.handle = NO_HANDLE;
	tap_ret(quire_ioctl(s->fixture->fd, request, &wait), -ENOENT,
		"wait: 8 bytes, unknown handle");
}

/* Without the segments there is no object, and so no handle that nobody learns. */
static void test_short_create(struct subject *s)
{
	struct drm_quire_bo_create create = {
		.size = QUIRE_PAGE, .segments = ANYWHERE, .flags = UINT32_MAX,
	};
	const unsigned int number = DRM_COMMAND_BASE + DRM_QUIRE_BO_CREATE;
	int ret;

	ret = quire_ioctl(s->fixture->fd, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, 16),
			  &create);
	tap_ok(!ret && create.handle, "create: structure of 16 bytes");
	quire_bo_close(s->fixture->fd, create.handle);
	refused(s, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, 12), &create, -EINVAL,
		"create: structure of 12 bytes");
}

static void test_numbers(struct subject *s)
{
	static const unsigned int numbers[] = {
		DRM_QUIRE_EVICT + 1, DRM_QUIRE_EVICT + 2, 0x3f, 0x5f,
	};
	uint8_t argument[256] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		refused_by_core(s, DRM_IOWR(DRM_COMMAND_BASE + numbers[i], argument), argument,
				-EINVAL, "an ioctl that does not exist");
}

static void test_other_file(struct subject *s)
{
	struct drm_quire_bo_info info = { .handle = s->object.handle };
	int other = quire_open();

	tap_ret(quire_ioctl(other, DRM_IOCTL_QUIRE_BO_INFO, &info), -ENOENT,
		"a handle is unknown in another file");
	close(other);
}

static int map_error(const struct fixture *fixture, uint64_t size, uint64_t offset)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fixture->fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, size);
	return 0;
}

static void test_mmap(struct subject *s)
{
	struct drm_quire_bo_mmap_offset offset = { .handle = s->object.handle };
	const struct fixture *fixture = s->fixture;

	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_MMAP_OFFSET, &offset), 0,
		"mmap offset");
	tap_ret(map_error(fixture, s->object.size, offset.offset), 0, "mmap: all of it");
	tap_ret(map_error(fixture, s->object.size + QUIRE_PAGE, offset.offset), -EINVAL,
		"mmap: a page more");
	tap_ret(map_error(fixture, QUIRE_PAGE, 0), -EINVAL, "mmap: offset 0");
	tap_ret(map_error(fixture, QUIRE_PAGE, 1ull << 50), -EINVAL, "mmap: unknown offset");
	tap_ok(subject_is_unchanged(s), "mmap: nothing changed");
}

/* Whoever has the node open may use it. */
static void test_no_privilege(const struct fixture *fixture)
{
	struct object object;
	pid_t pid = child_start(60);

	if (!pid) {
		if (setgid(65534) || setuid(65534) ||
		    object_create(fixture, &object, QUIRE_PAGE, 1) ||
		    object_place_and_wait(fixture, &object, &places[2]) ||
		    object_check(fixture, &object))
			_exit(1);
		object_close(fixture, &object);
		_exit(0);
	}
	if (getuid())
		tap_skip("not root", "no ioctl needs a privilege");
	else
		tap_ret(child_status(pid), 0, "no ioctl needs a privilege");
}

int main(void)
{
	struct subject subject;
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	subject_make(&subject, &fixture);
	test_pointers(&subject);
	test_no_answer(&subject);
	test_create_size(&subject);
	test_create(&subject);
	test_create_window(&subject);
	test_create_image(&subject);
	test_info(&subject);
	test_offset(&subject);
	test_wait(&subject);
	test_place(&subject);
	test_no_room(&subject);
	test_madvise(&subject);
	test_short_wait(&subject);
	test_short_create(&subject);
	test_numbers(&subject);
	test_other_file(&subject);
	subject_remember(&subject);
	test_mmap(&subject);
	test_no_privilege(&fixture);
	subject_close(&subject);
	return tap_done();
}
