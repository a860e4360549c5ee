// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Every bad argument of every ioctl has its own errno and changes nothing. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define NO_HANDLE	0x7ffffff0u
#define BAD_POINTER	((void *)8)

/**
 * struct subject - an object that must not notice anything
 * @fixture: the device
 * @object: the object, in VRAM
 * @segments: before the bad ioctl
 * @info: before the bad ioctl
 */
struct subject {
	const struct fixture *fixture;
	struct object object;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	struct drm_quire_bo_info info;
};

static void remember(struct subject *subject)
{
	quire_query_segments(subject->fixture->fd, subject->segments);
	quire_bo_info(subject->fixture->fd, subject->object.handle, &subject->info);
}

static bool is_unchanged(const struct subject *subject)
{
	struct drm_quire_bo_info info;

	return fixture_is_unchanged(subject->fixture, subject->segments) &&
	       !quire_bo_info(subject->fixture->fd, subject->object.handle, &info) &&
	       !memcmp(&info, &subject->info, sizeof(info));
}

static void refused(struct subject *subject, unsigned long request, void *argument, int expected,
		    const char *name)
{
	int ret;

	remember(subject);
	ret = quire_ioctl(subject->fixture->fd, request, argument);
	if (tap_ret(ret, expected, "%s", name) && !is_unchanged(subject))
		tap_ok(false, "%s: something changed", name);
}

#define REFUSED(subject, request, type, expected, name, ...) \
	do {						\
		type argument = { __VA_ARGS__ };	\
							\
		refused(subject, request, &argument, expected, name);	\
	} while (0)

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
#define QUERY(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_QUERY, struct drm_quire_query, expected, \
		"query: " name, __VA_ARGS__)

static void test_pointers(struct subject *s)
{
	refused(s, DRM_IOCTL_QUIRE_QUERY, BAD_POINTER, -EFAULT, "query: bad pointer");
	refused(s, DRM_IOCTL_QUIRE_BO_CREATE, BAD_POINTER, -EFAULT, "create: bad pointer");
	refused(s, DRM_IOCTL_QUIRE_BO_INFO, BAD_POINTER, -EFAULT, "info: bad pointer");
	refused(s, DRM_IOCTL_QUIRE_BO_MMAP_OFFSET, BAD_POINTER, -EFAULT,
		"mmap offset: bad pointer");
	refused(s, DRM_IOCTL_QUIRE_BO_WAIT, BAD_POINTER, -EFAULT, "wait: bad pointer");
	refused(s, DRM_IOCTL_QUIRE_BO_PLACE, BAD_POINTER, -EFAULT, "place: bad pointer");
	refused(s, DRM_IOCTL_QUIRE_BO_MADVISE, BAD_POINTER, -EFAULT, "madvise: bad pointer");
}

static void test_create(struct subject *s)
{
	uint64_t most = s->fixture->info.max_bo_size;

	CREATE(-EINVAL, "size 0", .size = 0);
	CREATE(-EINVAL, "size 1", .size = 1);
	CREATE(-EINVAL, "a byte less than a page", .size = QUIRE_PAGE - 1);
	CREATE(-EINVAL, "a byte more than a page", .size = QUIRE_PAGE + 1);
	CREATE(-EINVAL, "the largest number", .size = UINT64_MAX);
	CREATE(-E2BIG, "the largest multiple of a page", .size = -QUIRE_PAGE);
	CREATE(-E2BIG, "half of all numbers", .size = 1ull << 63);
	CREATE(-E2BIG, "a page more than the most", .size = most + QUIRE_PAGE);
	CREATE(-EINVAL, "flag 0", .size = QUIRE_PAGE, .flags = 1);
	CREATE(-EINVAL, "flag 31", .size = QUIRE_PAGE, .flags = 1u << 31);
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
	uint32_t handle = s->object.handle;

	PLACE(-ENOENT, "handle 0", .segment = DRM_QUIRE_SEGMENT_VRAM);
	PLACE(-ENOENT, "unknown handle", .handle = NO_HANDLE, .segment = DRM_QUIRE_SEGMENT_VRAM);
	PLACE(-EINVAL, "segment 3", .handle = handle, .segment = 3);
	PLACE(-EINVAL, "segment -1", .handle = handle, .segment = UINT32_MAX);
	PLACE(-EINVAL, "pad", .handle = handle, .segment = DRM_QUIRE_SEGMENT_SYSTEM, .pad = 1);
	PLACE(-EINVAL, "flag 3", .handle = handle, .segment = DRM_QUIRE_SEGMENT_VRAM,
	      .flags = 1u << 3);
	PLACE(-EINVAL, "flag 31", .handle = handle, .segment = DRM_QUIRE_SEGMENT_VRAM,
	      .flags = 1u << 31);
	PLACE(-EINVAL, "visible and invisible", .handle = handle,
	      .segment = DRM_QUIRE_SEGMENT_VRAM,
	      .flags = DRM_QUIRE_PLACE_VISIBLE | DRM_QUIRE_PLACE_INVISIBLE);
	PLACE(-EINVAL, "visible system memory", .handle = handle,
	      .segment = DRM_QUIRE_SEGMENT_SYSTEM, .flags = DRM_QUIRE_PLACE_VISIBLE);
	PLACE(-EINVAL, "contiguous aperture", .handle = handle,
	      .segment = DRM_QUIRE_SEGMENT_APERTURE, .flags = DRM_QUIRE_PLACE_CONTIGUOUS);
	PLACE(-EINVAL, "invisible aperture", .handle = handle,
	      .segment = DRM_QUIRE_SEGMENT_APERTURE, .flags = DRM_QUIRE_PLACE_INVISIBLE);
}

static void test_place_too_large(struct subject *s, uint64_t size, uint32_t segment,
				 uint32_t flags, const char *name)
{
	uint32_t handle;

	if (size > s->fixture->info.max_bo_size) {
		tap_skip("no object is that large", "place: %s", name);
		return;
	}
	if (!tap_ret(quire_bo_create(s->fixture->fd, size, &handle), 0, "create: %s", name))
		return;
	REFUSED(s, DRM_IOCTL_QUIRE_BO_PLACE, struct drm_quire_bo_place, -ENOSPC, name,
		.handle = handle, .segment = segment, .flags = flags);
	quire_bo_close(s->fixture->fd, handle);
}

static void test_no_room(struct subject *s)
{
	const struct drm_quire_segment_info *segments = s->fixture->segments;
	uint64_t vram = segments[DRM_QUIRE_SEGMENT_VRAM].size;
	uint64_t visible = segments[DRM_QUIRE_SEGMENT_VRAM].visible_size;

	test_place_too_large(s, vram + QUIRE_PAGE, DRM_QUIRE_SEGMENT_VRAM, 0,
			     "a page more than VRAM");
	test_place_too_large(s, segments[DRM_QUIRE_SEGMENT_APERTURE].size + QUIRE_PAGE,
			     DRM_QUIRE_SEGMENT_APERTURE, 0, "a page more than the aperture");
	test_place_too_large(s, visible + QUIRE_PAGE, DRM_QUIRE_SEGMENT_VRAM,
			     DRM_QUIRE_PLACE_VISIBLE, "a page more than is visible");
	test_place_too_large(s, vram - visible + QUIRE_PAGE, DRM_QUIRE_SEGMENT_VRAM,
			     DRM_QUIRE_PLACE_INVISIBLE, "a page more than is invisible");
}

static void test_madvise(struct subject *s)
{
	MADVISE(-ENOENT, "handle 0", .handle = 0);
	MADVISE(-ENOENT, "unknown handle", .handle = NO_HANDLE);
	MADVISE(-EINVAL, "advice 2", .handle = s->object.handle, .advice = 2);
	MADVISE(-EINVAL, "advice -1", .handle = s->object.handle, .advice = UINT32_MAX);
	MADVISE(-EINVAL, "pad", .handle = s->object.handle, .pad = 1);
}

static void test_query(struct subject *s)
{
	QUERY(-EINVAL, "type 2", .type = 2);
	QUERY(-EINVAL, "type -1", .type = UINT32_MAX);
	QUERY(-EINVAL, "pad", .type = DRM_QUIRE_QUERY_DEVICE, .pad = 1);
	QUERY(-EFAULT, "bad answer pointer", .type = DRM_QUIRE_QUERY_DEVICE, .size = 24,
	      .pointer = 8);
	QUERY(-EFAULT, "bad pointer for the segments", .type = DRM_QUIRE_QUERY_SEGMENTS,
	      .size = 96, .pointer = 8);
}

/* A query says how much there is, and gives as much as it is asked for. */
static void test_query_sizes(const struct fixture *fixture)
{
	struct drm_quire_device_info info;
	struct drm_quire_query query = { .type = DRM_QUIRE_QUERY_SEGMENTS };

	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_QUERY, &query), 0, "query: size");
	tap_ok(query.size == QUIRE_SEGMENTS * sizeof(struct drm_quire_segment_info),
	       "query: three segments");
	memset(&info, 0xff, sizeof(info));
	query = (struct drm_quire_query){
		.type = DRM_QUIRE_QUERY_DEVICE, .size = 8, .pointer = (uintptr_t)&info,
	};
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_QUERY, &query), 0, "query: 8 bytes");
	tap_ok(query.size == 8 && info.version == fixture->info.version && info.caps == UINT64_MAX,
	       "query: 8 bytes and no more");
	tap_ok(info.page_size == QUIRE_PAGE, "query: page size");
	query.size = sizeof(info) + 100;
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_QUERY, &query), 0, "query: too large");
	tap_ok(query.size == sizeof(info), "query: what there is");
}

/* A shorter structure is taken as if its tail were zero. */
static void test_short(const struct subject *s)
{
	unsigned long request = _IOC(_IOC_WRITE, DRM_IOCTL_BASE,
				     DRM_COMMAND_BASE + DRM_QUIRE_BO_WAIT, 8);
	struct drm_quire_bo_wait wait = { .handle = s->object.handle, .timeout_ns = -1 };

	tap_ret(quire_ioctl(s->fixture->fd, request, &wait), 0, "wait: structure of 8 bytes");
	wait.handle = NO_HANDLE;
	tap_ret(quire_ioctl(s->fixture->fd, request, &wait), -ENOENT,
		"wait: 8 bytes, unknown handle");
}

static void test_numbers(struct subject *s)
{
	static const unsigned int numbers[] = { 7, 8, 0x3f, 0x5f };
	uint8_t argument[256] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		refused(s, DRM_IOWR(DRM_COMMAND_BASE + numbers[i], argument), argument, -EINVAL,
			"an ioctl that does not exist");
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
	tap_ok(is_unchanged(s), "mmap: nothing changed");
}

/* Whoever has the node open may use it. */
static void test_no_privilege(const struct fixture *fixture)
{
	struct object object;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
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
		tap_ok(waitpid(pid, &status, 0) == pid && !status, "no ioctl needs a privilege");
}

/* From here on only the subject uses memory, and what it left is gone. */
static void make_subject(const struct fixture *fixture, struct subject *subject)
{
	struct drm_quire_segment_info expected[QUIRE_SEGMENTS];

	subject->fixture = fixture;
	memcpy(expected, fixture->segments, sizeof(expected));
	expected[DRM_QUIRE_SEGMENT_VRAM].usage += QUIRE_MIB;
	tap_ret(object_create(fixture, &subject->object, QUIRE_MIB, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &subject->object, &places[2]), 0, "place");
	tap_ok(fixture_settles(fixture, expected), "usage is that of the object");
}

int main(void)
{
	struct subject subject = { 0 };
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	make_subject(&fixture, &subject);
	test_pointers(&subject);
	test_create(&subject);
	test_info(&subject);
	test_offset(&subject);
	test_wait(&subject);
	test_place(&subject);
	test_no_room(&subject);
	test_madvise(&subject);
	test_query(&subject);
	test_query_sizes(&fixture);
	test_short(&subject);
	test_numbers(&subject);
	test_other_file(&subject);
	remember(&subject);
	test_mmap(&subject);
	tap_ret(object_check(&fixture, &subject.object), 0, "the content is whole");
	test_no_privilege(&fixture);
	object_close(&fixture, &subject.object);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
