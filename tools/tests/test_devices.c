// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Two devices share objects: each is exporter and importer, and both are dynamic. Kernels
 * before 7 pin what a dynamic importer has mapped (CONFIG_DMABUF_MOVE_NOTIFY is not set).
 *
 * Needs a second device: tools/guest/guest --emulator-args '-device quire'.
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
#include "fixture.h"

#define SIZE		(QUIRE_MIB + 7 * QUIRE_PAGE)
#define RUN_MS		3000
#define MAX_NODES	16

/* The driver does not wait for others for more than fifteen seconds. */
#define PATIENCE_MS	30000
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

/* Returns the render node of another device than @fd is of, or -1. */
static int open_other(int fd)
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
	pair->theirs = pair->mine;
	pair->theirs.fd = open_other(pair->mine.fd);
	tap_ok(pair->theirs.fd >= 0, "another device");
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

/* Who imports brings it to its pages; who exports takes it from there, if he can. */
static void test_moves(struct pair *pair)
{
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
		tap_ret(ret, 0, "place it in VRAM");
		tap_ok(object_is_at(&pair->theirs, &pair->import, &system_memory),
		       "it has left the other's aperture");
	}
	tap_ok(checks(pair), "both see the content");
	tap_ret(object_place_and_wait(&pair->theirs, &pair->import, &aperture), 0,
		"once more into the aperture");
	tap_ok(checks(pair), "both see the content");
	quire_bo_close(pair->theirs.fd, pair->import.handle);
	for (int i = 0; i < 100; i++) {
		ret = object_place_and_wait(&pair->mine, &pair->object, &vram);
		if (ret != -EBUSY)
			break;
		test_sleep_ms(20);
	}
	tap_ret(ret, 0, "the other one lets go: place it in VRAM");
	tap_ret(object_check(&pair->mine, &pair->object), 0, "its content is whole");
}

static void set_period(unsigned int milliseconds)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", milliseconds);
	tap_ret(debugfs_write("/sys/module/quire/parameters", "hang_period", text), 0,
		"hang_period=%u", milliseconds);
}

/* Returns a sync_file of a move of the other device, which hangs at it; or -1. */
static int hung_move(const struct fixture *fixture, const struct object *object)
{
	int dmabuf = dmabuf_export(fixture->fd, object->handle), file;
	char dir[64];

	tap_ret(debugfs_find(fixture->fd, dir, sizeof(dir)), 0, "find its debugfs");
	tap_ret(debugfs_write(dir, "inject", "hang 1"), 0, "it hangs");
	tap_ret(object_place(fixture, object, &vram), 0, "a move there");
	file = dmabuf_export_sync_file(dmabuf);
	close(dmabuf);
	return file;
}

/*
 * Who evicts everything, as suspend does, waits for others for a while, and no longer: to
 * discard what is not needed, and to take its place away.
 */
static void test_patience(void)
{
	struct object object, theirs;
	struct fixture fixture, other;
	int64_t start, took;
	int dmabuf, file;

	fixture_reopen(&fixture);
	other = fixture;
	other.fd = open_other(fixture.fd);
	tap_ret(object_create(&fixture, &object, QUIRE_MIB, 1), 0, "an object");
	tap_ret(object_place_and_wait(&fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(quire_bo_madvise(fixture.fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(object_create(&other, &theirs, QUIRE_MIB, 2), 0, "one of the other device");
	set_period(PATIENCE_MS + 2 * TOLERANCE_MS);
	file = hung_move(&other, &theirs);
	dmabuf = dmabuf_export(fixture.fd, object.handle);
	tap_ret(dmabuf_import_sync_file(dmabuf, file), 0, "others are at work with it for long");
	start = quire_now_ns();
	tap_ret(debugfs_write(fixture.debugfs, "evict_all", "1"), -EBUSY, "evict everything");
	took = (quire_now_ns() - start) / 1000000;
	if (!tap_ok(took >= PATIENCE_MS - TOLERANCE_MS && took < PATIENCE_MS + TOLERANCE_MS,
		    "that gives up after %d seconds", PATIENCE_MS / 1000))
		tap_diag("%" PRId64 " ms", took);
	set_period(3000);
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
static void test_unbind(bool exporter)
{
	char address[64];
	struct pair pair;

	pair_create(&pair);
	tap_ret(object_place_and_wait(&pair.theirs, &pair.import, &aperture), 0,
		"place it in the aperture there");
	tap_ret(sysfs_pci_address(exporter ? pair.mine.fd : pair.theirs.fd, address,
				  sizeof(address)), 0, "find the device");
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind the %s",
		exporter ? "exporter" : "importer");
	if (exporter) {
		tap_ret(object_place(&pair.theirs, &pair.import, &system_memory), 0,
			"the importer takes it from its aperture");
	} else {
		tap_ret(object_place_and_wait(&pair.mine, &pair.object, &vram), 0,
			"the exporter has it back");
		tap_ret(object_check(&pair.mine, &pair.object), 0, "its content is whole");
	}
	pair_close(&pair);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind it");
}

int main(void)
{
	struct fixture fixture;
	struct pair pair;
	int other;

	tap_start(120);
	fixture_open(&fixture);
	other = open_other(fixture.fd);
	if (other < 0 || !*fixture.debugfs)
		tap_skip_all("only one device, or not root");
	close(other);
	close(fixture.fd);
	pair_create(&pair);
	test_moves(&pair);
	pair_close(&pair);
	pair_create(&pair);
	test_load(&pair);
	pair_close(&pair);
	test_patience();
	test_unbind(false);
	test_unbind(true);
	return tap_done();
}
