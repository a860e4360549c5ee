// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each allocation fails once, one after the other: an error or success, nothing lost, nothing
 * left behind. Needs a kernel with fault injection, as the debug guest has it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device_view.h"
#include "failing.h"
#include "fixture.h"
#include "steps.h"
#include "syncs.h"

#define SIZE		(64 * QUIRE_PAGE)
#define MOST		400		/* allocations of one call */
#define MOST_SPACE	8192

static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

/* A syncobj for the fences of moves. */
static uint32_t signalled;

/* Open all the time: while every allocation fails, no file can be opened. */
static int probability = -1;

static void set_probability(const char *text)
{
	if (write(probability, text, strlen(text)) < 0)
		tap_bail("failslab/probability");
}

static bool inject_begin(void)
{
	probability = open(FAILSLAB "probability", O_WRONLY | O_CLOEXEC);
	if (probability < 0 || !failing_begin())
		return false;
	set_probability("0"); /* the first write allocates */
	return true;
}

static void inject_end(void)
{
	set_probability("0");
	failing_write(FAILSLAB "task-filter", "0");
	failing_end();
	close(probability);
}

static int to_system(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &system_memory);
}

static int to_vram(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &vram);
}

static int to_invisible(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &invisible);
}

static int to_aperture(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &aperture);
}

static int run_create(const struct fixture *fixture, struct object *object)
{
	(void)object;
	uint32_t handle;
	int ret = quire_bo_create(fixture->fd, SIZE, &handle);

	if (!ret)
		quire_bo_close(fixture->fd, handle);
	return ret;
}

/* The object has no pages yet. */
static int run_first_fault(const struct fixture *fixture, struct object *object)
{
	uint32_t handle;
	void *map;
	int ret;

	(void)object;
	ret = quire_bo_create(fixture->fd, SIZE, &handle);
	if (ret)
		return ret;
	ret = quire_bo_map(fixture->fd, handle, SIZE, &map);
	if (!ret) {
		ret = sigbus_on_read(map) ? -ENOMEM : 0;
		munmap(map, SIZE);
	}
	quire_bo_close(fixture->fd, handle);
	return ret;
}

/* Somebody else needs all of VRAM. */
static int run_evict(const struct fixture *fixture, struct object *object)
{
	uint32_t handle;
	int ret = quire_bo_create(fixture->fd, fixture_vram(fixture), &handle);

	(void)object;
	if (ret)
		return ret;
	ret = quire_bo_place(fixture->fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0);
	quire_bo_close(fixture->fd, handle);
	return ret;
}

static int purge(const struct fixture *fixture, struct object *object)
{
	int ret = object_fill(fixture, object);

	if (!ret)
		ret = object_place_and_wait(fixture, object, &vram);
	if (!ret)
		ret = quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_DONTNEED, NULL);
	return ret ? ret : run_evict(fixture, object);
}

static int run_willneed(const struct fixture *fixture, struct object *object)
{
	return quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, NULL);
}

/* It reads as zero then, and is an object like any other. */
static int finish_willneed(const struct fixture *fixture, struct object *object, int ret)
{
	ret = ret ? run_willneed(fixture, object) : 0;
	if (!ret)
		ret = object_check_zero(fixture, object);
	return ret ? ret : object_fill(fixture, object);
}

/* The fence of the move comes out of it. */
static int run_place_signal(const struct fixture *fixture, struct object *object)
{
	return object_place_signal(fixture, object, &vram, signalled, 0);
}

static const struct step steps[] = {
	{ "create", NULL, run_create, step_finish_whole },
	{ "system to VRAM", to_system, to_vram, step_finish_whole },
	{ "system to VRAM with a syncobj", to_system, run_place_signal, step_finish_whole },
	{ "VRAM to system", to_vram, to_system, step_finish_whole },
	{ "system to aperture", to_system, to_aperture, step_finish_whole },
	{ "aperture to system", to_aperture, to_system, step_finish_whole },
	{ "VRAM to aperture", to_vram, to_aperture, step_finish_whole },
	{ "aperture to VRAM", to_aperture, to_vram, step_finish_whole },
	{ "evict", to_vram, run_evict, step_finish_whole },
	{ "first fault", NULL, run_first_fault, step_finish_whole },
	{ "WILLNEED", purge, run_willneed, finish_willneed },
};

/* sigbus_on_read() of an object that the CPU can not reach: no retry for ever, no loss. */
static void test_fault(const struct fixture *fixture, struct object *object)
{
	unsigned int n, failures = 0;
	bool failed = true;
	void *map;
	int ret = quire_bo_map(fixture->fd, object->handle, SIZE, &map);

	for (n = 1; failed && !ret && n < MOST; n++) {
		ret = to_invisible(fixture, object);
		if (ret)
			break;
		failing_arm(n);
		failures += sigbus_on_read(map);
		failed = failing_disarm();
		ret = step_finish_whole(fixture, object, 0);
	}
	munmap(map, SIZE);
	tap_ret(ret, 0, "fault: out of memory %u times, %u times SIGBUS", n - 2, failures);
	tap_ok(n > 2 && !failed, "fault: there were such allocations, and an end");
}

/* Every allocation of a slab fails: whoever touches the object gets an answer. */
static void test_fault_always(const struct fixture *fixture, struct object *object)
{
	bool sigbus;
	void *map;

	tap_ret(quire_bo_map(fixture->fd, object->handle, SIZE, &map), 0, "map");
	/*
	 * Without memory for a page table the kernel tries for ever, of plain anonymous memory,
	 * too, and does not ask us.
	 */
	tap_ok(!sigbus_on_read(map), "touch it, so that there is a page table");
	tap_ret(to_invisible(fixture, object), 0, "place it invisibly");
	failing_write(FAILSLAB "task-filter", "1");
	failing_write("/proc/thread-self/make-it-fail", "1");
	failing_write(FAILSLAB "times", "-1");
	set_probability("100");
	sigbus = sigbus_on_read(map);
	set_probability("0");
	failing_write("/proc/thread-self/make-it-fail", "0");
	failing_write(FAILSLAB "task-filter", "0");
	tap_ok(sigbus, "without memory for long, an access raises SIGBUS");
	tap_ret(step_finish_whole(fixture, object, 0), 0, "with memory, the content is there");
	munmap(map, SIZE);
}

/*
 * After some bytes of slabs there are no more, also not for what has to be taken back:
 * the content is in the pages, wherever the object is said to be.
 */
static void test_place_always(const struct fixture *fixture, struct object *object)
{
	unsigned int failures = 0;
	char text[16];
	int ret = 0;

	failing_write(FAILSLAB "task-filter", "1");
	failing_write("/proc/thread-self/make-it-fail", "1");
	failing_write(FAILSLAB "times", "-1");
	for (unsigned int space = 0; space < MOST_SPACE && !ret; space += MOST_SPACE / 64) {
		ret = to_aperture(fixture, object);
		snprintf(text, sizeof(text), "%u", space);
		failing_write(FAILSLAB "space", text);
		set_probability("100");
		failures += !!object_place(fixture, object, &vram);
		set_probability("0");
		if (!ret)
			ret = step_finish_whole(fixture, object, 0);
		if (!ret)
			ret = to_vram(fixture, object);
		if (!ret)
			ret = object_check(fixture, object);
	}
	failing_write("/proc/thread-self/make-it-fail", "0");
	failing_write(FAILSLAB "space", "0");
	failing_write(FAILSLAB "task-filter", "0");
	tap_ret(ret, 0, "out of memory for long, in the middle of %u moves", failures);
	tap_ok(failures, "there were such moves");
}

/*
 * The move is given up, and there is no memory for its fence, when it is too late to fail:
 * the call waits for the move, and says how that ended.
 */
static void test_lost(const struct fixture *fixture, struct object *object)
{
	uint32_t syncobj = sync_create(fixture);
	char fault[32];

	sysfs_parameter_write("hang_restarts", "0");
	sysfs_parameter_write("hang_period", "1000");
	tap_ret(to_system(fixture, object), 0, "lost: prepare");
	tap_ok(fixture_settles_with(fixture, SIZE), "lost: nothing else is there");
	fixture_flush_discards(fixture);
	tap_ok(failing_within("dma_resv_get_singleton"), "lost: there is no fence");
	/* The move; after a reset the dummy page, what is where, and the move again. */
	snprintf(fault, sizeof(fault), "fault %u", 3 + fixture_resident_runs(fixture));
	debugfs_write(fixture->debugfs, "inject", "hang 1");
	debugfs_write(fixture->debugfs, "inject", fault);
	failing_arm(1);
	tap_ret(object_place_signal(fixture, object, &vram, syncobj, 0), -EIO,
		"lost: the call says so");
	tap_ok(failing_disarm(), "lost: it was asked for");
	sysfs_parameter_write("hang_period", "3000");
	sysfs_parameter_write("hang_restarts", "1");
	tap_ok(object_flags(fixture, object) & DRM_QUIRE_BO_PURGED, "lost: so does the object");
	tap_ret(finish_willneed(fixture, object, -ENODATA), 0, "lost: new content");
}

/* Is what is in the aperture what the device sees there? An old place takes a moment to go. */
static bool is_seen(const struct fixture *fixture)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	struct device_aperture seen;

	do {
		if (!device_aperture_read(fixture->debugfs, &seen) && seen.mapped * QUIRE_PAGE ==
		    fixture_usage(fixture, DRM_QUIRE_SEGMENT_APERTURE))
			return true;
		test_sleep_ms(10);
	} while (quire_now_ns() < end);
	return false;
}

/*
 * The copy fails each time that it is tried, when its pages have entered or left the aperture:
 * the object is where it was, for the device, too.
 */
static void test_no_copy(const struct fixture *fixture, const struct object *object,
			 const struct place *from, const struct place *to)
{
	tap_ret(object_place_and_wait(fixture, object, from), 0, "copy: from %s to %s",
		from->name, to->name);
	tap_ok(failing_within("ttm_bo_move_memcpy") && failing_all(0, 0), "copy: no memory");
	tap_ret(object_place(fixture, object, to), -ENOMEM, "copy: the call says so");
	failing_none();
	tap_ok(object_is_at(fixture, object, from), "copy: it is where it was");
	tap_ok(is_seen(fixture), "copy: the device sees what is in the aperture, and no more");
	tap_ret(object_check(fixture, object), 0, "copy: the content is whole");
}

static void kworkers(const char *text)
{
	char path[300], name[64] = "";
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strncmp(name, "kworker/u", 9)) {
			snprintf(path, sizeof(path), "/proc/%s/make-it-fail", entry->d_name);
			failing_write(path, text);
		}
		fclose(file);
	}
	if (dir)
		closedir(dir);
}

/* Objects die in a worker: its allocations fail. */
static void test_close(const struct fixture *fixture, struct object *other)
{
	unsigned int n, bad = 0;
	char text[16];

	tap_ret(to_system(fixture, other), 0, "close: another one is in system memory");
	tap_ok(fixture_settles_with(fixture, SIZE), "close: it is alone");
	kworkers("1");
	failing_write(FAILSLAB "task-filter", "1");
	for (n = 1; n <= 30 && !bad; n++) {
		struct object objects[2];
		int ret = object_create(fixture, &objects[0], SIZE, 1);

		if (!ret)
			ret = object_create(fixture, &objects[1], SIZE, 2);
		if (!ret)
			ret = to_vram(fixture, &objects[0]);
		if (!ret)
			ret = to_aperture(fixture, &objects[1]);
		snprintf(text, sizeof(text), "%u", n);
		failing_write(FAILSLAB "interval", text);
		failing_write(FAILSLAB "times", "1");
		set_probability("100");
		object_close(fixture, &objects[0]);
		object_close(fixture, &objects[1]);
		test_sleep_ms(50);
		set_probability("0");
		bad += ret || !fixture_settles_with(fixture, SIZE);
	}
	failing_write(FAILSLAB "interval", "1");
	failing_write(FAILSLAB "task-filter", "0");
	kworkers("0");
	tap_ok(!bad, "close: dead objects leave nothing (%u)", n - 1);
}

int main(void)
{
	struct fixture fixture;
	struct object object;

	tap_start(280);
	fixture_open(&fixture);
	if (!inject_begin())
		tap_skip_all("a kernel without fault injection, or not root");
	tap_ret(object_create(&fixture, &object, SIZE, 1), 0, "create");
	signalled = sync_create(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		step_test(&fixture, &object, &steps[i]);
	/* While the CPU copies, nothing is out of its reach. */
	if (fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES) {
		test_fault(&fixture, &object);
		test_fault_always(&fixture, &object);
	}
	test_place_always(&fixture, &object);
	test_close(&fixture, &object);
	if (fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES) {
		test_lost(&fixture, &object);
	} else {
		test_no_copy(&fixture, &object, &aperture, &vram);
		test_no_copy(&fixture, &object, &vram, &aperture);
	}
	object_close(&fixture, &object);
	inject_end();
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
