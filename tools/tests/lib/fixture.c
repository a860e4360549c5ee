// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "kmsg.h"

#define VISIBLE		DRM_QUIRE_PLACE_VISIBLE
#define INVISIBLE	DRM_QUIRE_PLACE_INVISIBLE
#define CONTIGUOUS	DRM_QUIRE_PLACE_CONTIGUOUS

/* Memory that a pipe leaves, which holds that much. */
#define SOILED		(64u << 10)

/* The usage is at rest when it is the same at so many looks. */
#define REST_LOOKS	10
#define REST_MS		20

/* Our own error: the content is not what it should be. */
#define DIFFERS		(-EILSEQ)

const struct place places[NR_PLACES] = {
	{ "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 },
	{ "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 },
	{ "vram", DRM_QUIRE_SEGMENT_VRAM, 0 },
	{ "visible vram", DRM_QUIRE_SEGMENT_VRAM, VISIBLE },
	{ "invisible vram", DRM_QUIRE_SEGMENT_VRAM, INVISIBLE },
	{ "contiguous vram", DRM_QUIRE_SEGMENT_VRAM, CONTIGUOUS },
	{ "visible contiguous vram", DRM_QUIRE_SEGMENT_VRAM, VISIBLE | CONTIGUOUS },
	{ "invisible contiguous vram", DRM_QUIRE_SEGMENT_VRAM, INVISIBLE | CONTIGUOUS },
};

/*
 * What an earlier program left dies after it: the usage to begin with is without
 * that. Asked again, only what the program itself has is there.
 */
static int query_settled(struct fixture *fixture)
{
	static int64_t end;
	uint64_t usage;
	int ret;

	if (!end)
		end = quire_now_ns() + WAIT_MS * 1000000ll;
	for (;;) {
		ret = quire_query_segments(fixture->fd, fixture->segments);
		if (ret)
			return ret;
		usage = 0;
		for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++)
			usage += fixture->segments[i].usage;
		if (!usage || quire_now_ns() > end)
			break;
		test_sleep_ms(20);
	}
	end = 1;
	return 0;
}

/**
 * fixture_open - find the device, or end the program
 * @fixture: to fill
 */
void fixture_open(struct fixture *fixture)
{
	int ret;

	memset(fixture, 0, sizeof(*fixture));
	fixture->fd = quire_open();
	if (fixture->fd < 0)
		tap_bail("no quire device: %s", strerror(-fixture->fd));
	ret = quire_query_device(fixture->fd, &fixture->info);
	if (!ret)
		ret = query_settled(fixture);
	if (ret)
		tap_bail("query: %s", strerror(-ret));
	if (debugfs_find(fixture->fd, fixture->debugfs, sizeof(fixture->debugfs)))
		fixture->debugfs[0] = '\0';
}

/* As fixture_open() after the device went away: its node takes a moment. */
void fixture_reopen(struct fixture *fixture)
{
	for (unsigned int i = 0; i < WAIT_MS / 50; i++) {
		int fd = quire_open();

		if (fd >= 0) {
			close(fd);
			break;
		}
		test_sleep_ms(50);
	}
	fixture_open(fixture);
}

/**
 * fixture_rebind - the driver lets go of the device and takes it again
 * @fixture: the device; by root. All of its objects are gone; mappings stay
 */
void fixture_rebind(struct fixture *fixture)
{
	char address[64];

	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "find its driver");
	close(fixture->fd);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	fixture_reopen(fixture);
}

void test_sleep_ms(unsigned int milliseconds)
{
	struct timespec time = {
		.tv_sec = milliseconds / 1000,
		.tv_nsec = milliseconds % 1000 * 1000000l,
	};

	nanosleep(&time, NULL);
}

/*
 * The pages that the kernel hands out next are not clear. Those of a pipe are of the kind
 * that drivers get, those of a program are not.
 */
void test_soil_pages(void)
{
	static uint8_t dirt[SOILED];
	int ends[2];

	if (pipe(ends))
		return;
	memset(dirt, 0xa5, sizeof(dirt));
	if (write(ends[1], dirt, sizeof(dirt)) != (ssize_t)sizeof(dirt))
		tap_diag("a pipe has no room");
	close(ends[0]);
	close(ends[1]);
}

uint64_t fixture_vram(const struct fixture *fixture)
{
	return fixture->segments[DRM_QUIRE_SEGMENT_VRAM].size;
}

uint64_t fixture_visible(const struct fixture *fixture)
{
	return fixture->segments[DRM_QUIRE_SEGMENT_VRAM].visible_size;
}

/* Does the device have @place, with room for @size bytes? */
bool fixture_has_place(const struct fixture *fixture, const struct place *place, uint64_t size)
{
	if (place->segment == DRM_QUIRE_SEGMENT_APERTURE)
		return size <= fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size;
	if (place->segment != DRM_QUIRE_SEGMENT_VRAM)
		return true;
	if (place->flags & VISIBLE)
		return size <= fixture_visible(fixture);
	if (place->flags & INVISIBLE)
		return size <= fixture_vram(fixture) - fixture_visible(fixture);
	return size <= fixture_vram(fixture);
}

/* Bytes in use now; UINT64_MAX if the device does not say. */
uint64_t fixture_usage(const struct fixture *fixture, uint32_t segment)
{
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];

	if (quire_query_segments(fixture->fd, segments))
		return UINT64_MAX;
	return segments[segment].usage;
}

/* Is the device right about what is where? What was closed dies beside. */
bool fixture_residency_is_right(const struct fixture *fixture)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	char text[4096] = "";

	while (quire_now_ns() < end) {
		if (debugfs_read(fixture->debugfs, "residency", text, sizeof(text)) > 0 &&
		    strstr(text, "\nmismatches 0\n"))
			return true;
		test_sleep_ms(500);
	}
	tap_diag("%s", text);
	return false;
}

/*
 * So many packets tell a device that was reset what was where, behind those that restore its
 * aperture. To be asked before it stops.
 */
unsigned int fixture_resident_runs(const struct fixture *fixture)
{
	unsigned int runs = 0;
	char text[4096];
	char *line = NULL;

	if (debugfs_read(fixture->debugfs, "residency", text, sizeof(text)) > 0)
		line = strstr(text, "\nruns ");
	if (!line || sscanf(line, "\nruns %u", &runs) != 1)
		tap_bail("residency");
	return runs;
}

/* Of a line of the driver's "counters". */
uint64_t fixture_count(const struct fixture *fixture, const char *name)
{
	struct debugfs_counter counter;

	if (debugfs_counter(fixture->debugfs, name, &counter))
		tap_bail("no counter of %s", name);
	return counter.count;
}

/*
 * Is such a counter at least @count within @milliseconds? An interrupt may come after what it
 * tells of was found in memory.
 */
bool fixture_count_reaches(const struct fixture *fixture, const char *name, uint64_t count,
			   unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;

	while (fixture_count(fixture, name) < count) {
		if (quire_now_ns() > end)
			return false;
		test_sleep_ms(1);
	}
	return true;
}

/*
 * What was closed is freed beside: is no more than @usage in use of a segment, within a bounded
 * time? Returns at once when that is so: a little later the device would be told in any case.
 */
bool fixture_comes_down(const struct fixture *fixture, uint32_t segment, uint64_t usage)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (fixture_usage(fixture, segment) > usage)
		if (quire_now_ns() > end)
			return false;
	return true;
}

bool fixture_is_unchanged(const struct fixture *fixture,
			  const struct drm_quire_segment_info before[QUIRE_SEGMENTS])
{
	struct drm_quire_segment_info now[QUIRE_SEGMENTS];

	return !quire_query_segments(fixture->fd, now) && !memcmp(now, before, sizeof(now));
}

/**
 * fixture_rest - get the usage when nothing dies any more
 * @fixture: the device
 * @usage: to fill
 *
 * What was closed, and the pages from which a move copied, count until a worker has freed them.
 *
 * Returns 0, or a negative errno of the query.
 */
int fixture_rest(const struct fixture *fixture,
		 struct drm_quire_segment_info usage[QUIRE_SEGMENTS])
{
	int ret = quire_query_segments(fixture->fd, usage);
	unsigned int same = 0;

	while (!ret && same < REST_LOOKS) {
		test_sleep_ms(REST_MS);
		same++;
		if (!fixture_is_unchanged(fixture, usage)) {
			ret = quire_query_segments(fixture->fd, usage);
			same = 0;
		}
	}
	return ret;
}

/* Does the usage come down to what it was, within a bounded time? */
bool fixture_settles(const struct fixture *fixture,
		     const struct drm_quire_segment_info baseline[QUIRE_SEGMENTS])
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	do {
		if (fixture_is_unchanged(fixture, baseline))
			return true;
		test_sleep_ms(20);
	} while (quire_now_ns() < end);
	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++)
		tap_diag("%s: usage %" PRIu64 ", was %" PRIu64, quire_segment_name(i),
			 fixture_usage(fixture, i), (uint64_t)baseline[i].usage);
	return false;
}

/*
 * Is nothing but @bytes more in system memory than at the start, within a bounded time? What
 * was closed is gone then, and so is what TTM left the pages to that a move copied.
 */
bool fixture_settles_with(const struct fixture *fixture, uint64_t bytes)
{
	struct drm_quire_segment_info expected[QUIRE_SEGMENTS];

	memcpy(expected, fixture->segments, sizeof(expected));
	expected[DRM_QUIRE_SEGMENT_SYSTEM].usage += bytes;
	return fixture_settles(fixture, expected);
}

/**
 * object_create - make an object and give it content
 * @fixture: the device
 * @object: to fill
 * @size: bytes, multiple of the page size
 * @key: of the content
 *
 * Returns 0 or a negative errno.
 */
int object_create(const struct fixture *fixture, struct object *object, uint64_t size,
		  uint64_t key)
{
	int ret = quire_bo_create(fixture->fd, size, &object->handle);

	object->size = size;
	object->key = key;
	return ret ? ret : object_fill(fixture, object);
}

void object_close(const struct fixture *fixture, struct object *object)
{
	quire_bo_close(fixture->fd, object->handle);
	object->handle = 0;
}

int object_fill(const struct fixture *fixture, const struct object *object)
{
	void *map;
	int ret = quire_bo_map(fixture->fd, object->handle, object->size, &map);

	if (ret)
		return ret;
	pattern_fill(map, object->size, object->key);
	munmap(map, object->size);
	return 0;
}

static int check(const struct fixture *fixture, const struct object *object, bool zero)
{
	uint64_t wrong;
	void *map;
	int ret;

	/* Touching it would raise SIGBUS. */
	if (object_flags(fixture, object) & DRM_QUIRE_BO_PURGED)
		return -ENODATA;
	ret = quire_bo_map(fixture->fd, object->handle, object->size, &map);
	if (ret)
		return ret;
	wrong = zero ? pattern_not_zero(map, object->size) :
		       pattern_differs(map, object->size, object->key);
	if (wrong != PATTERN_SAME)
		tap_diag("object %u of %" PRIu64 " bytes: wrong at %#" PRIx64 ": %#" PRIx64,
			 object->handle, object->size, wrong,
			 *(uint64_t *)((char *)map + wrong));
	munmap(map, object->size);
	return wrong == PATTERN_SAME ? 0 : DIFFERS;
}

/* Returns 0 if it holds its content, -EILSEQ if not, -ENODATA if it is purged. */
int object_check(const struct fixture *fixture, const struct object *object)
{
	return check(fixture, object, false);
}

/* Returns 0 if it reads as zero, -EILSEQ if not, -ENODATA if it is purged. */
int object_check_zero(const struct fixture *fixture, const struct object *object)
{
	return check(fixture, object, true);
}

int object_place(const struct fixture *fixture, const struct object *object,
		 const struct place *place)
{
	return quire_bo_place(fixture->fd, object->handle, place->segment, place->flags);
}

int object_place_and_wait(const struct fixture *fixture, const struct object *object,
			  const struct place *place)
{
	int ret = object_place(fixture, object, place);

	return ret ? ret : quire_bo_wait(fixture->fd, object->handle, WAIT_MS);
}

static uint32_t segment_class(const struct fixture *fixture, uint32_t instance)
{
	for (uint32_t i = 0; i < QUIRE_SEGMENTS; i++) {
		if (fixture->segments[i].instance == instance)
			return i;
	}
	return UINT32_MAX;
}

/* Class of the segment where it is; UINT32_MAX if the device does not say. */
uint32_t object_segment(const struct fixture *fixture, const struct object *object)
{
	struct drm_quire_bo_info info;

	if (quire_bo_info(fixture->fd, object->handle, &info))
		return UINT32_MAX;
	return segment_class(fixture, info.segment);
}

/* 0 if the device does not say. */
uint32_t object_flags(const struct fixture *fixture, const struct object *object)
{
	struct drm_quire_bo_info info;

	if (quire_bo_info(fixture->fd, object->handle, &info))
		return 0;
	return info.flags;
}

static bool is_at(const struct fixture *fixture, const struct drm_quire_bo_info *info,
		  const struct place *place)
{
	bool visible = info->flags & DRM_QUIRE_BO_VISIBLE;

	if (segment_class(fixture, info->segment) != place->segment)
		return false;
	if (place->segment != DRM_QUIRE_SEGMENT_VRAM || place->flags & VISIBLE)
		return visible;
	return !(place->flags & INVISIBLE) || !visible;
}

/**
 * object_succeed - one dies, and another one gets its place at once
 * @fixture: the device
 * @object: the other one, made here; for object_close(), also after an error
 * @place: where nobody else is
 * @size: of both
 *
 * Returns 0 or a negative errno; -ETIME: the first one is not freed.
 */
int object_succeed(const struct fixture *fixture, struct object *object,
		   const struct place *place, uint64_t size)
{
	struct object dies = { 0 };
	int ret;

	object->handle = 0;
	ret = object_create(fixture, &dies, size, 1) ?: object_create(fixture, object, size, 2) ?:
	      object_place_and_wait(fixture, &dies, place);
	object_close(fixture, &dies);
	if (!ret && !fixture_comes_down(fixture, place->segment, 0))
		ret = -ETIME;
	return ret ?: object_place_and_wait(fixture, object, place);
}

bool object_is_at(const struct fixture *fixture, const struct object *object,
		  const struct place *place)
{
	struct drm_quire_bo_info info;
	int ret = quire_bo_info(fixture->fd, object->handle, &info);

	if (!ret && is_at(fixture, &info, place))
		return true;
	tap_diag("should be in %s: info %d, segment %u, flags %#x", place->name, ret,
		 info.segment, info.flags);
	return false;
}

/* A parameter of the module, for all devices. */
void test_parameter(const char *name, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	tap_ret(sysfs_parameter_write(name, text), 0, "%s=%u", name, value);
}

/* A test option of the driver, for all devices. */
void test_option(const char *name, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	tap_ret(debugfs_option_write(name, text), 0, "%s=%u", name, value);
}

/* @command: for "inject" */
void fixture_inject(const struct fixture *fixture, const char *command)
{
	tap_ret(debugfs_write(fixture->debugfs, "inject", command), 0, "%s", command);
}

/* Does the hang that was asked for happen in @milliseconds? */
bool fixture_hangs(const struct fixture *fixture, unsigned int milliseconds)
{
	char text[64] = "";
	unsigned int i;

	for (i = 0; i < milliseconds / 10 && strncmp(text, "hang 0\n", 7); i++) {
		test_sleep_ms(10);
		debugfs_read(fixture->debugfs, "inject", text, sizeof(text));
	}
	return i < milliseconds / 10;
}

/* Until the hang that was asked for has happened. */
void fixture_wait_hung(const struct fixture *fixture)
{
	tap_ok(fixture_hangs(fixture, WAIT_MS), "the device hangs");
}

/**
 * fixture_hang_and_reset - the paging ring hangs, and the device is reset for it
 * @fixture: the device
 *
 * What hangs is a move: an empty submission has nothing that could.
 */
void fixture_hang_and_reset(const struct fixture *fixture)
{
	int log = kmsg_open();

	test_parameter("hang_period", 500);
	test_parameter("hang_restarts", 0);
	fixture_inject(fixture, "hang 1");
	fixture_flush_discards(fixture);
	test_parameter("hang_restarts", 1);
	test_parameter("hang_period", 3000);
	tap_ok(kmsg_count(log, "resetting the device"), "a hang, and a reset");
	close(log);
}

/**
 * fixture_interrupt_half_way - interrupt a move that waits for room in the pool of paging buffers
 * @pid: the process that moves; SIGUSR1 is sent to it when it waits
 * @hang_period: to set when that process waits for what it has queued, which it takes back then;
 *	until then the device stands still
 *
 * Returns: true if the process came to both places.
 */
bool fixture_interrupt_half_way(pid_t pid, const char *hang_period)
{
	bool waited = child_gets_within(pid, "drm_suballoc_new", WAIT_MS);

	kill(pid, SIGUSR1);
	waited &= child_gets_within(pid, "dma_fence_default_wait", WAIT_MS);
	return !sysfs_parameter_write("hang_period", hang_period) && waited;
}

/**
 * fixture_start_hanging - the ring hangs at its next packet, whenever that is
 * @fixture: the device
 * @milliseconds: between two such faults that are asked for
 *
 * Returns: the process that asks; see child_kill().
 */
pid_t fixture_start_hanging(const struct fixture *fixture, unsigned int milliseconds)
{
	pid_t pid = child_start(120);

	if (pid)
		return pid;
	for (;;) {
		debugfs_write(fixture->debugfs, "inject", "hang 1");
		test_sleep_ms(milliseconds);
	}
}

/**
 * fixture_flush_discards - let the device hear now of what was closed before
 * @fixture: the device
 *
 * It would hear a little later, beside what a test counts. Who brings content into VRAM
 * hands all of it out first; to leave VRAM discards nothing.
 */
void fixture_flush_discards(const struct fixture *fixture)
{
	struct object object = { .size = QUIRE_PAGE };
	int ret = quire_bo_create(fixture->fd, object.size, &object.handle);

	if (!ret)
		ret = object_place_and_wait(fixture, &object, &places[2]);
	if (!ret)
		ret = object_place_and_wait(fixture, &object, &places[0]);
	if (ret)
		tap_bail("discards: %s", strerror(-ret));
	object_close(fixture, &object);
}

/* Whatever was before: a new object goes to VRAM, is whole, and leaves nothing behind. */
void fixture_test_works(const struct fixture *fixture)
{
	struct drm_quire_segment_info before[QUIRE_SEGMENTS];
	struct object object;

	tap_ret(fixture_rest(fixture, before), 0, "the device works: query");
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 99), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &places[2]), 0, "place");
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, before), "nothing is left");
}
