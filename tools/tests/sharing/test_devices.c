// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Two devices share objects: each is exporter and importer, and both are dynamic. Kernels
 * before 7 pin what a dynamic importer has mapped (CONFIG_DMABUF_MOVE_NOTIFY is not set).
 *
 * Needs a second device, and a third one without fault injection: tools/guest/guest
 * --emulator-args '-device quire,fault-injection=on -device quire,addr=1e.0'.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "work.h"

#define SIZE		(QUIRE_MIB + 7 * QUIRE_PAGE)
#define RUN_MS		3000
#define MAX_NODES	16
#define PLAIN_ADDRESS	"0000:00:1e.0"

/* The driver waits for so long before it gives an eviction up (QUIRE_BUSY_TIMEOUT). */
#define PATIENCE_MS	15000
#define TOLERANCE_MS	2500

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static bool is_quire(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool is = version && !strcmp(version->name, "quire");

	drmFreeVersion(version);
	return is;
}

/* Returns the render node of the device without fault injection, or -1. */
static int find_plain(void)
{
	char path[32], address[64];

	for (int i = 0; i < MAX_NODES; i++) {
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", 128 + i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !sysfs_pci_address(fd, address, sizeof(address)) &&
		    !strcmp(address, PLAIN_ADDRESS))
			return fd;
		close(fd);
	}
	return -1;
}

/* A device without fault injection says so, and is not harmed. The others are two then. */
static void test_no_injection(void)
{
	static const char * const commands[] = { "hang 1", "fault 1", "drop-irq 1" };
	struct fixture fixture = { .fd = find_plain() };
	char text[64] = "";

	tap_ret(quire_query_device(fixture.fd, &fixture.info), 0, "a third device");
	tap_ret(debugfs_find(fixture.fd, fixture.debugfs, sizeof(fixture.debugfs)), 0,
		"and its debugfs");
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		tap_ret(debugfs_write(fixture.debugfs, "inject", commands[i]), -EOPNOTSUPP,
			"it refuses \"%s\"", commands[i]);
	tap_ret(debugfs_write(fixture.debugfs, "inject", "nonsense 1"), -EINVAL,
		"and \"nonsense 1\" for another reason");
	debugfs_read(fixture.debugfs, "inject", text, sizeof(text));
	tap_ok(!strncmp(text, "hang 0\nfault 0\ndrop-irq 0\n", 26), "nothing is to be injected");
	tap_ret(debugfs_write(fixture.debugfs, "nop_submit", "8"), 0, "it works");
	close(fixture.fd);
	tap_ret(sysfs_driver_write("unbind", PLAIN_ADDRESS), 0, "unbind it");
}

/* Returns the render node of another device than @fd is of, or -1. */
static int find_other(int fd)
{
	struct stat ours, theirs;
	char path[32];

	fstat(fd, &ours);
	for (int i = 0; i < MAX_NODES; i++) {
		int other;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", 128 + i);
		other = open(path, O_RDWR | O_CLOEXEC);
		if (other < 0)
			continue;
		if (!fstat(other, &theirs) && theirs.st_rdev != ours.st_rdev && is_quire(other))
			return other;
		close(other);
	}
	return -1;
}

/* Another device than @fixture. */
static void open_other(const struct fixture *fixture, struct fixture *other)
{
	*other = *fixture;
	other->fd = find_other(fixture->fd);
	tap_ok(other->fd >= 0, "another device");
	tap_ret(debugfs_find(other->fd, other->debugfs, sizeof(other->debugfs)), 0,
		"and its debugfs");
}

/**
 * struct pair - an object of one device that another one imported
 * @mine: the device of the object
 * @theirs: the device that imported it
 * @object: the object
 * @import: what it is there
 */
struct pair {
	struct fixture mine;
	struct fixture theirs;
	struct object object;
	struct object import;
};

static void pair_create(struct pair *pair)
{
	int dmabuf;

	fixture_reopen(&pair->mine);
	open_other(&pair->mine, &pair->theirs);
	tap_ret(object_create(&pair->mine, &pair->object, SIZE, 1), 0, "an object with content");
	tap_ret(object_place_and_wait(&pair->mine, &pair->object, &vram), 0, "place it in VRAM");
	dmabuf = dmabuf_export(pair->mine.fd, pair->object.handle);
	pair->import = pair->object;
	tap_ret(dmabuf_import(pair->theirs.fd, dmabuf, &pair->import.handle), 0,
		"the other device imports it");
	close(dmabuf);
}

static void pair_close(struct pair *pair)
{
	close(pair->mine.fd);
	close(pair->theirs.fd);
}

static bool checks(const struct pair *pair)
{
	return !object_check(&pair->mine, &pair->object) &&
	       !object_check(&pair->theirs, &pair->import);
}

/*
 * Who imports brings it to its pages; who exports takes it from there, if he can. Returns
 * false if he can not: what is mapped is pinned here.
 */
static bool test_moves(struct pair *pair)
{
	bool lets_go = false;
	int ret;

	tap_ok(object_is_at(&pair->mine, &pair->object, &vram), "that moved nothing");
	tap_ok(checks(pair), "both see the content");
	tap_ret(object_place_and_wait(&pair->mine, &pair->object, &vram), 0, "back to VRAM");
	tap_ret(object_place_and_wait(&pair->theirs, &pair->import, &aperture), 0,
		"the other one places it in its aperture");
	tap_ok(object_is_at(&pair->mine, &pair->object, &system_memory), "it is in system memory");
	tap_ok(checks(pair), "both see the content");
	ret = object_place_and_wait(&pair->mine, &pair->object, &vram);
	if (ret == -EBUSY) {
		tap_diag("what is mapped is pinned here");
		tap_ok(object_is_at(&pair->theirs, &pair->import, &aperture), "it stays there");
	} else {
		lets_go = tap_ret(ret, 0, "place it in VRAM");
		tap_ok(object_is_at(&pair->theirs, &pair->import, &system_memory),
		       "it has left the other's aperture");
	}
	tap_ok(checks(pair), "both see the content");
	tap_ret(object_place_and_wait(&pair->theirs, &pair->import, &aperture), 0,
		"once more into the aperture");
	tap_ok(checks(pair), "both see the content");
	quire_bo_close(pair->theirs.fd, pair->import.handle);
	for (unsigned int i = 0; i < WAIT_MS / 20; i++) {
		ret = object_place_and_wait(&pair->mine, &pair->object, &vram);
		if (ret != -EBUSY)
			break;
		test_sleep_ms(20);
	}
	tap_ret(ret, 0, "the other one lets go: place it in VRAM");
	tap_ret(object_check(&pair->mine, &pair->object), 0, "its content is whole");
	return lets_go;
}

/* What has no content is not given to others, whatever they had of it before. */
static void test_purged(void)
{
	struct pair pair;
	int dmabuf;

	pair_create(&pair);
	dmabuf = dmabuf_export(pair.mine.fd, pair.object.handle);
	tap_ret(quire_bo_madvise(pair.mine.fd, pair.object.handle, DRM_QUIRE_MADV_DONTNEED, NULL),
		0, "DONTNEED");
	tap_ret(debugfs_write(pair.mine.debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ok(object_flags(&pair.mine, &pair.object) & DRM_QUIRE_BO_PURGED, "it is purged");
	tap_ret(object_place(&pair.theirs, &pair.import, &aperture), -ENODATA,
		"the other one gets no pages");
	quire_bo_close(pair.theirs.fd, pair.import.handle);
	tap_ret(dmabuf_import(pair.theirs.fd, dmabuf, &pair.import.handle), -ENODATA,
		"nor can it attach");
	tap_ret(quire_bo_madvise(pair.mine.fd, pair.object.handle, DRM_QUIRE_MADV_WILLNEED, NULL),
		0, "WILLNEED");
	tap_ret(dmabuf_import(pair.theirs.fd, dmabuf, &pair.import.handle), 0, "it can attach");
	tap_ret(object_place_and_wait(&pair.theirs, &pair.import, &aperture), 0, "it gets pages");
	tap_ret(object_check_zero(&pair.theirs, &pair.import), 0, "and sees zeroes");
	close(dmabuf);
	pair_close(&pair);
}

/*
 * The way to the pages that the other one has mapped fails on the device: who gives the
 * object new ones takes those away.
 */
static void test_lost(void)
{
	struct pair pair;
	char fault[32];

	pair_create(&pair);
	snprintf(fault, sizeof(fault), "fault %u", 2 + fixture_resident_runs(&pair.mine));
	test_parameter("hang_restarts", 0);
	test_parameter("hang_period", 600000);
	fixture_inject(&pair.mine, "hang 1");
	tap_ret(object_place(&pair.theirs, &pair.import, &aperture), 0,
		"the other one places it in its aperture");
	fixture_wait_hung(&pair.mine);
	/* the aperture, which is empty, takes one packet to be restored */
	fixture_inject(&pair.mine, fault);
	/* It is reset when both are asked for, and not before. */
	test_parameter("hang_period", 1000);
	tap_ret(quire_bo_wait(pair.mine.fd, pair.object.handle, WAIT_MS), 0, "the move ends");
	fixture_inject(&pair.mine, "fault 0");
	test_parameter("hang_period", 3000);
	test_parameter("hang_restarts", 1);
	tap_ok(object_flags(&pair.mine, &pair.object) & DRM_QUIRE_BO_PURGED,
	       "the content is lost");
	tap_ok(object_is_at(&pair.theirs, &pair.import, &aperture), "the other one has pages");
	tap_ret(quire_bo_madvise(pair.mine.fd, pair.object.handle, DRM_QUIRE_MADV_WILLNEED, NULL),
		0, "WILLNEED");
	tap_ok(object_is_at(&pair.theirs, &pair.import, &system_memory), "it has let them go");
	tap_ret(object_check_zero(&pair.theirs, &pair.import), 0, "it sees zeroes");
	pair_close(&pair);
}

/* Swaps one object of any device out; the status is an errno. */
static pid_t start_swap_out(void)
{
	pid_t pid = child_start(60);
	int ret;

	if (pid)
		return pid;
	ret = debugfs_swap_out();
	_exit(ret < 0 ? -ret : ret ? 0 : ENODATA);
}

/* Pages go to swap when the other device, which hangs, has let them go, and not before. */
static void test_swap(void)
{
	struct pair pair;
	pid_t pid;

	pair_create(&pair);
	tap_ret(object_place_and_wait(&pair.theirs, &pair.import, &aperture), 0,
		"the other one places it in its aperture");
	tap_ret(quire_bo_wait(pair.mine.fd, pair.object.handle, WAIT_MS), 0, "nobody is at work");
	/* what was closed before may have been there when it was opened, and goes */
	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++)
		pair.mine.segments[i].usage = 0;
	tap_ok(fixture_settles_with(&pair.mine, SIZE), "nothing else can be swapped out");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(&pair.theirs, "hang 1");
	pid = start_swap_out();
	fixture_wait_hung(&pair.theirs);
	test_sleep_ms(200);
	tap_ok(child_is_running(pid), "who swaps it out waits");
	test_parameter("hang_period", 3000);
	tap_ret(-child_status(pid), 0, "it is swapped out");
	tap_ok(object_is_at(&pair.theirs, &pair.import, &system_memory), "the other has let go");
	tap_ret(object_place_and_wait(&pair.theirs, &pair.import, &aperture), 0,
		"it asks for the pages again");
	tap_ok(checks(&pair), "both see the content");
	pair_close(&pair);
}

/* Returns a sync_file of a move of the other device, which hangs at it; or -1. */
static int hung_move(const struct fixture *fixture, const struct object *object)
{
	int dmabuf = dmabuf_export(fixture->fd, object->handle), file;

	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, object, &vram), 0, "a move there");
	file = dmabuf_export_sync_file(dmabuf);
	close(dmabuf);
	return file;
}

/*
 * Eviction of everything, as for suspend, waits for users of an object that is not needed for a
 * while, and no longer, and only once.
 */
static void test_patience(void)
{
	struct object object, theirs;
	struct fixture fixture, other;
	int64_t start, took;
	bool retained = false;
	int dmabuf, file;

	fixture_reopen(&fixture);
	open_other(&fixture, &other);
	tap_ret(object_create(&fixture, &object, QUIRE_MIB, 1), 0, "an object");
	tap_ret(object_place_and_wait(&fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(quire_bo_madvise(fixture.fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(object_create(&other, &theirs, QUIRE_MIB, 2), 0, "one of the other device");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	file = hung_move(&other, &theirs);
	dmabuf = dmabuf_export(fixture.fd, object.handle);
	tap_ret(dmabuf_import_sync_file(dmabuf, file), 0, "others are at work with it for long");
	start = quire_now_ns();
	tap_ret(debugfs_write(fixture.debugfs, "evict_all", "1"), -EBUSY, "evict everything");
	took = (quire_now_ns() - start) / 1000000;
	if (!tap_ok(took >= PATIENCE_MS - TOLERANCE_MS, "that gives up after %d seconds",
		    PATIENCE_MS / 1000))
		tap_diag("%" PRId64 " ms", took);
	tap_ret(quire_bo_madvise(fixture.fd, object.handle, DRM_QUIRE_MADV_DONTNEED, &retained), 0,
		"DONTNEED again");
	tap_ok(retained, "its content was not dropped before");
	test_parameter("hang_period", 3000);
	tap_ret(quire_bo_wait(other.fd, theirs.handle, 2 * WAIT_MS), 0, "they are done");
	tap_ret(debugfs_write(fixture.debugfs, "evict_all", "1"), 0, "evict everything");
	close(file);
	close(dmabuf);
	close(other.fd);
	close(fixture.fd);
}

/* Moves it around for a while; the status is an errno that was not to be expected. */
static pid_t run(const struct fixture *fixture, const struct object *object,
		 const struct place *const *way, unsigned int nr)
{
	int64_t end = quire_now_ns() + RUN_MS * 1000000ll;
	pid_t pid = child_start(RUN_MS / 1000 * 10);

	if (pid)
		return pid;
	for (unsigned int i = 0; quire_now_ns() < end; i++) {
		int ret = object_place(fixture, object, way[i % nr]);

		if (ret && ret != -EBUSY)
			_exit(-ret);
	}
	_exit(0);
}

static void test_load(struct pair *pair)
{
	static const struct place *const all[] = { &vram, &aperture, &system_memory };
	pid_t here = run(&pair->mine, &pair->object, all, 3);
	pid_t there = run(&pair->theirs, &pair->import, all + 1, 2);

	tap_ret(-child_status(here), 0, "move it here");
	tap_ret(-child_status(there), 0, "and there at the same time");
	tap_ok(checks(pair), "both see the content");
}

/* One of the two devices goes, with the object in the aperture of the importer. */
static void pair_unbind(struct pair *pair, const struct fixture *device, char address[64])
{
	pair_create(pair);
	tap_ret(object_place_and_wait(&pair->theirs, &pair->import, &aperture), 0,
		"place it in the aperture there");
	tap_ret(sysfs_pci_address(device->fd, address, 64), 0, "find the device");
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind it");
}

static void test_unbind_importer(void)
{
	char address[64];
	struct pair pair;

	pair_unbind(&pair, &pair.theirs, address);
	tap_ret(object_place_and_wait(&pair.mine, &pair.object, &vram), 0,
		"the exporter has it back");
	tap_ret(object_check(&pair.mine, &pair.object), 0, "its content is whole");
	pair_close(&pair);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind it");
}

static void test_unbind_exporter(bool lets_go)
{
	char address[64];
	struct pair pair;
	int dmabuf;

	pair_unbind(&pair, &pair.mine, address);
	if (lets_go) {
		tap_ok(object_is_at(&pair.theirs, &pair.import, &system_memory),
		       "the importer has let its pages go");
		tap_ret(object_place(&pair.theirs, &pair.import, &aperture), -ENODEV,
			"it gets no others");
	} else {
		tap_ret(object_place(&pair.theirs, &pair.import, &system_memory), 0,
			"the importer takes it from its aperture");
	}
	dmabuf = dmabuf_export(pair.theirs.fd, pair.import.handle);
	quire_bo_close(pair.theirs.fd, pair.import.handle);
	tap_ret(dmabuf_import(pair.theirs.fd, dmabuf, &pair.import.handle), -ENODEV,
		"nor can it attach any more");
	close(dmabuf);
	pair_close(&pair);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind it");
}

int main(void)
{
	struct fixture fixture;
	struct pair pair;
	bool lets_go;
	int other;

	tap_start(120);
	fixture_open(&fixture);
	other = find_other(fixture.fd);
	if (other < 0 || !*fixture.debugfs)
		tap_skip_all("only one device, or not root");
	close(other);
	close(fixture.fd);
	test_no_injection();
	pair_create(&pair);
	lets_go = test_moves(&pair);
	pair_close(&pair);
	pair_create(&pair);
	test_load(&pair);
	pair_close(&pair);
	test_purged();
	if (lets_go) {
		test_lost();
		test_swap();
	} else {
		tap_skip("what is mapped is pinned here", "pages that are taken away");
	}
	test_patience();
	test_unbind_importer();
	test_unbind_exporter(lets_go);
	return tap_done();
}
