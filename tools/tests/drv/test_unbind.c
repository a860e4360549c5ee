// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The driver is unbound with programs still at work, and bound again. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"
#include "syncs.h"
#include "vgem.h"
#include "work.h"

#define ROUNDS		3
#define NR_WORKERS	3

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/**
 * struct held - what a program still holds when the device goes
 * @fixture: the open device
 * @object: an object in VRAM
 * @map: its mapping
 */
struct held {
	struct fixture fixture;
	struct object object;
	void *map;
};

static void hold(struct held *held)
{
	const struct fixture *fixture = &held->fixture;

	fixture_open(&held->fixture);
	tap_ret(object_create(fixture, &held->object, QUIRE_MIB, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &held->object, &vram), 0, "place it in VRAM");
	tap_ret(quire_bo_map(fixture->fd, held->object.handle, QUIRE_MIB, &held->map), 0, "map");
	tap_ok(!sigbus_on_write(held->map), "touch the mapping");
}

static void test_gone(const struct held *held)
{
	const struct fixture *fixture = &held->fixture;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	uint32_t handle = held->object.handle, other;
	struct drm_quire_bo_info info;
	void *map;

	tap_ret(quire_query_segments(fixture->fd, segments), -ENODEV, "query");
	tap_ret(quire_bo_create(fixture->fd, QUIRE_PAGE, &other), -ENODEV, "create");
	tap_ret(quire_bo_create(fixture->fd, 1, &other), -ENODEV, "create what is no object");
	tap_ret(quire_bo_info(fixture->fd, handle, &info), -ENODEV, "info");
	tap_ret(quire_bo_wait(fixture->fd, handle, 100), -ENODEV, "wait");
	tap_ret(quire_bo_place(fixture->fd, handle, 0, 0), -ENODEV, "place");
	tap_ret(quire_bo_madvise(fixture->fd, handle, 0, NULL), -ENODEV, "madvise");
	tap_ret(quire_bo_map(fixture->fd, handle, QUIRE_MIB, &map), -ENODEV, "mmap offset");
	tap_ok(sigbus_on_read(held->map), "reading the mapping raises SIGBUS");
	tap_ok(sigbus_on_write(held->map), "writing the mapping raises SIGBUS");
}

/*
 * Moves until the device is gone; says on @ready that it has begun. The status
 * is the errno that it sees then.
 */
static void run_worker(uint64_t seed, int ready)
{
	struct object objects[4];
	struct fixture fixture;
	uint64_t random = seed;
	int ret = 0;

	fixture_open(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		ret = object_create(&fixture, &objects[i], QUIRE_MIB, i);
		if (ret)
			_exit(-ret);
	}
	if (write(ready, "", 1) != 1)
		_exit(EPIPE);
	while (!ret) {
		struct object *object = &objects[random_below(&random, ARRAY_SIZE(objects))];

		ret = object_place(&fixture, object, &places[random_below(&random, 4)]);
	}
	_exit(-ret);
}

/* Returns when all of them are at work. */
static void start_workers(uint64_t seed, pid_t workers[NR_WORKERS])
{
	int ready[2];
	char byte;

	if (pipe(ready))
		tap_bail("pipe");
	for (int i = 0; i < NR_WORKERS; i++) {
		workers[i] = child_start(60);
		if (!workers[i])
			run_worker(seed + i, ready[1]);
	}
	close(ready[1]);
	for (int i = 0; i < NR_WORKERS; i++) {
		if (read(ready[0], &byte, 1) != 1)
			tap_diag("a program ended before the device did");
	}
	close(ready[0]);
}

static void test_worker(pid_t pid)
{
	tap_ret(-child_status(pid), -ENODEV, "a program at work is told");
}

/* The old program still holds its end: neither may disturb the other. */
static void test_new(void)
{
	struct fixture fixture;

	fixture_reopen(&fixture);
	fixture_test_works(&fixture);
	close(fixture.fd);
}

static void test_round(const char *address, int round)
{
	struct held held;
	pid_t workers[NR_WORKERS];

	hold(&held);
	start_workers(round * 10, workers);
	test_sleep_ms(100);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind, round %d", round);
	for (int i = 0; i < NR_WORKERS; i++)
		test_worker(workers[i]);
	test_gone(&held);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind, round %d", round);
	test_new();
	tap_ok(sigbus_on_read(held.map), "the old mapping is still gone");
	munmap(held.map, QUIRE_MIB);
	close(held.fixture.fd);
	test_new();
}

/* Returns a sync_file with the fence of a move; nothing else is left of the program. */
static int keep_fence(void)
{
	struct fixture fixture;
	struct object object;
	uint32_t syncobj;
	int file;

	fixture_open(&fixture);
	syncobj = sync_create(&fixture);
	tap_ret(object_create(&fixture, &object, QUIRE_MIB, 8), 0, "create");
	tap_ret(object_place_signal(&fixture, &object, &vram, syncobj, 0), 0, "place it");
	file = sync_export(&fixture, syncobj);
	close(fixture.fd);
	return file;
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

static void test_no_unload(void)
{
	int ret = unload("quire");

	if (ret == -ENOENT)
		tap_skip("the driver is built in", "the module can not be unloaded");
	else
		tap_ret(ret, -EWOULDBLOCK, "the module can not be unloaded");
}

#define DROP_IRQ	"drop-irq 1000000"

/* The device does not say when it is done; the driver looks after some time. */
static bool drop_interrupts(void)
{
	struct fixture fixture;
	bool dropped = false;

	fixture_open(&fixture);
	if (*fixture.debugfs && fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES) {
		fixture_flush_discards(&fixture);
		dropped = !debugfs_write(fixture.debugfs, "inject", DROP_IRQ);
	}
	close(fixture.fd);
	return dropped;
}

/* Has the device been done with something since drop_interrupts(), within a bounded time? */
static bool drops_one(void)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	struct fixture fixture;
	char text[256] = "";

	fixture_open(&fixture);
	do {
		debugfs_read(fixture.debugfs, "inject", text, sizeof(text));
	} while (strstr(text, DROP_IRQ "\n") && quire_now_ns() < end);
	close(fixture.fd);
	return *text && !strstr(text, DROP_IRQ "\n");
}

/* A sync_file holds neither device nor driver, but its fence still needs its code. */
static void test_fence(const char *address)
{
	struct fence_state state = { 0 };
	int file;

	/* A move that is known to be done leaves a fence that is nobody's. */
	if (!drop_interrupts()) {
		tap_skip("no debugfs, or the CPU copies", "a fence that is kept");
		return;
	}
	file = keep_fence();
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind, with a fence kept");
	tap_ok(fd_is_ready(file, WAIT_MS), "the fence has signalled");
	tap_ret(fence_query(file, &state), 0, "it can be asked");
	/* Newer kernels forget the driver of a fence once it has signalled. */
	tap_ok(state.status && (!strcmp(state.driver, "quire") ||
				!strcmp(state.driver, "detached-driver")),
	       "it says who made it (%s)", state.driver);
	test_no_unload();
	close(file);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	test_new();
}

/* The device is done, but nobody has noticed yet: that is no failure. */
static void test_unnoticed(const char *address)
{
	struct fence_state state = { 0 };
	int file;

	if (!drop_interrupts()) {
		tap_skip("no debugfs, or the CPU copies", "a move that nobody noticed");
		return;
	}
	file = keep_fence();
	tap_ok(drops_one(), "the device is done");
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	tap_ret(fence_query(file, &state), 0, "ask the fence of a move that was done");
	tap_ret(state.status, 1, "it has no error");
	close(file);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	test_new();
}

/* Reads a long file, again and again; says when it has read it once. */
static void run_readers(const struct fixture *fixture, int ready)
{
	static char text[QUIRE_MIB];
	bool again = false;
	int ret;

	for (;;) {
		ret = debugfs_read(fixture->debugfs, "device_aperture", text, sizeof(text));
		if (ret < 0)
			_exit(-ret);
		if (!again && write(ready, "", 1) != 1)
			_exit(EPIPE);
		again = true;
	}
}

/* Returns what the reader was told: nothing of it, but ENOENT, if it was between two reads. */
static int unbind_reader(const char *address)
{
	struct fixture fixture;
	int ready[2], status;
	pid_t reader;
	char byte;

	fixture_open(&fixture);
	if (pipe(ready))
		tap_bail("pipe");
	reader = child_start(60);
	if (!reader)
		run_readers(&fixture, ready[1]);
	close(ready[1]);
	tap_ok(read(ready[0], &byte, 1) == 1, "a program reads a file");
	close(ready[0]);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind, with a file being read");
	status = child_status(reader);
	close(fixture.fd);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	return status;
}

/* Nor does unbind wait for who reads long files. */
static void test_reader(const char *address, bool has_debugfs)
{
	int status = 0;

	if (!has_debugfs) {
		tap_skip("no debugfs", "a program that reads a long file");
		return;
	}
	for (unsigned int tries = 0; tries < 5 && status != ENODEV; tries++)
		status = unbind_reader(address);
	tap_ret(-status, -ENODEV, "who reads it is told");
	test_new();
}

/* Nor for a process that keeps an object locked. */
static void test_holder(const char *address, bool has_debugfs)
{
	struct held held;
	pid_t holder;
	int dmabuf;

	if (!has_debugfs) {
		tap_skip("no debugfs", "a process that keeps an object locked");
		return;
	}
	hold(&held);
	dmabuf = dmabuf_export(held.fixture.fd, held.object.handle);
	holder = child_start(60);
	if (!holder)
		_exit(-debugfs_lock(held.fixture.debugfs, dmabuf));
	tap_ok(child_gets_within(holder, "quire_lock_set", WAIT_MS), "an object is locked");
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind, meanwhile");
	tap_ret(-child_status(holder), -ENODEV, "the process that keeps it is told");
	munmap(held.map, QUIRE_MIB);
	close(dmabuf);
	close(held.fixture.fd);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	test_new();
}

/*
 * The device hangs, and is let go: unbind ends, and who reads VRAM has what the device came to
 * when it was started again, for nobody can ask for another hang then, or is told.
 */
static void test_vram_reader(const char *address)
{
	struct fixture fixture;
	pid_t reader, hanging;
	char bytes[16];
	int status;

	fixture_open(&fixture);
	if (debugfs_write(fixture.debugfs, "inject", "hang 0")) {
		close(fixture.fd);
		tap_skip("no fault injection", "a program that reads VRAM");
		return;
	}
	test_parameter("hang_period", WORK_PATIENCE_MS);
	hanging = fixture_start_hanging(&fixture, 20);
	fixture_inject(&fixture, "hang 1");
	reader = child_start(60);
	if (!reader) {
		int ret = debugfs_read(fixture.debugfs, "device_vram", bytes, sizeof(bytes));

		_exit(ret < 0 ? -ret : 0);
	}
	tap_ok(child_gets_within(reader, "quire_device_vram_read", WAIT_MS),
	       "a program that reads VRAM waits, for the device hangs");
	test_parameter("hang_period", 500);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind, meanwhile");
	status = child_status(reader);
	tap_ok(!status || status == EIO || status == ENODEV, "the read ends (%d)", status);
	child_kill(hanging);
	test_parameter("hang_period", 3000);
	close(fixture.fd);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	test_new();
}

/**
 * struct waiter - a submission that does not fit as a whole, and waits for a fence first
 * @work: the device
 * @context: of the submission
 * @fence: what it waits for
 * @ret: what it returned
 */
struct waiter {
	struct work work;
	struct quire_context *context;
	struct quire_fence *fence;
	int ret;
};

static void *run_waiter(void *data)
{
	struct waiter *waiter = data;

	waiter->ret = work_submit(&waiter->work, waiter->context, 0, waiter->fence, NULL);
	return NULL;
}

/* All that it has goes with its file. */
static void waiter_open(struct waiter *waiter, int sync_file)
{
	struct work *work = &waiter->work;

	work_open(work);
	waiter->context = work_context(work);
	tap_ret(quire_fence_from_file(work->device, sync_file, &waiter->fence), 0,
		"a fence of somebody else");
	for (int i = 0; i < 2; i++) {
		uint64_t size = fixture_vram(&work->fixture) / 8 * 5 & ~(QUIRE_PAGE - 1);

		quire_recorder_write_value(work->recorder, quire_at(work_object(work, size), 0),
					   1);
	}
}

/* Others are waited for with nothing held, and so the device goes meanwhile. */
static void test_waiter(const char *address, bool rings)
{
	int vgem = vgem_open(), file;
	struct waiter waiter = { 0 };
	pthread_t thread;
	uint32_t fence;

	if (vgem < 0 || !rings) {
		tap_skip("no vgem here, or no commands", "a submission that waits for others");
		return;
	}
	file = vgem_create_fence(vgem, &fence);
	waiter_open(&waiter, file);
	if (pthread_create(&thread, NULL, run_waiter, &waiter))
		tap_bail("thread");
	test_sleep_ms(300);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind, while a submission waits");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "what it waits for");
	pthread_join(thread, NULL);
	tap_ret(waiter.ret, -ENODEV, "it is told");
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	test_new();
	work_close(&waiter.work);
	test_new();
	close(file);
	close(vgem);
}

int main(void)
{
	struct fixture fixture;
	char address[64];
	bool rings, debugfs;

	tap_start(180);
	fixture_open(&fixture);
	if (sysfs_pci_address(fixture.fd, address, sizeof(address)) || getuid())
		tap_skip_all("no sysfs, or not root");
	rings = fixture.info.execution_rings;
	debugfs = *fixture.debugfs;
	close(fixture.fd);
	for (int round = 1; round <= ROUNDS; round++)
		test_round(address, round);
	test_fence(address);
	test_unnoticed(address);
	test_reader(address, debugfs);
	test_holder(address, debugfs);
	test_vram_reader(address);
	test_waiter(address, rings);
	return tap_done();
}
