// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The module goes when nobody needs its code: fences that others have seen do. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "fixture.h"
#include "holes.h"
#include "image.h"
#include "monitored.h"
#include "syncs.h"
#include "work.h"

/* What is going away has gone. */
#define SETTLED_MS	500

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static const struct place *const way[] = { &vram, &aperture, &vram, &system_memory, &vram };

static bool unload(void)
{
	return !syscall(SYS_delete_module, "quire", O_NONBLOCK);
}

/* What closed programs leave behind is gone soon. */
static bool unloads_soon(void)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (quire_now_ns() < end) {
		if (unload())
			return true;
		test_sleep_ms(20);
	}
	return false;
}

static void load(void)
{
	tap_ok(!system("modprobe quire"), "load it");
}

/* By a fence, whose program is gone. */
static void expect_kept(int file)
{
	test_sleep_ms(SETTLED_MS);
	tap_ok(!unload(), "it keeps the module");
	close(file);
	tap_ok(unloads_soon(), "closed, it does not");
	load();
}

/* Returns a dma-buf of an object that was everywhere, and was evicted, in both cases. */
static int share(const struct fixture *fixture, struct object *object, bool early)
{
	int dmabuf = -1, ret = 0;

	tap_ret(object_create(fixture, object, QUIRE_MIB, 1), 0, "an object");
	if (early)
		dmabuf = dmabuf_export(fixture->fd, object->handle);
	for (size_t i = 0; i < ARRAY_SIZE(way) && !ret; i++)
		ret = object_place(fixture, object, way[i]);
	tap_ret(ret, 0, "it is moved around");
	if (!early)
		dmabuf = dmabuf_export(fixture->fd, object->handle);
	tap_ok(dmabuf >= 0, "it is shared %s", early ? "before" : "meanwhile");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "it is evicted");
	return dmabuf;
}

/* Nothing of what the driver keeps for later keeps the driver. */
static void test_nothing_left(bool early)
{
	struct fixture fixture;
	struct object object;
	int dmabuf;

	fixture_reopen(&fixture);
	dmabuf = share(&fixture, &object, early);
	tap_ok(!unload(), "a program keeps the module");
	close(fixture.fd);
	tap_ok(!unload(), "its dma-buf keeps the module");
	close(dmabuf);
	tap_ok(unloads_soon(), "unload it");
	load();
}

/* 64 pages, in both forms. */
static const struct image picture = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 256, 256, 1, 1 };

/* An image leaves VRAM, where it was seen through a range, and a program has the fence of that. */
static void leave_range(const struct fixture *fixture)
{
	struct object object = { .size = image_object_size(&picture), .key = 2 };
	uint32_t syncobj = sync_create(fixture);
	void *map;

	tap_ret(image_create_view(fixture->fd, &picture, &object.handle), 0, "an image");
	tap_ret(object_fill(fixture, &object), 0, "with content");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(quire_bo_map(fixture->fd, object.handle, object.size, &map), 0, "map it");
	tap_ok(!sigbus_on_read(map), "it is seen there");
	tap_ret(object_place_signal(fixture, &object, &system_memory, syncobj, 0), 0, "it leaves");
	tap_ret(sync_wait(fixture, syncobj, 0, WAIT_MS), 0, "its fence signals");
	munmap(map, object.size);
}

/* What the driver remembers of it, for a reset of the function, does not keep the driver. */
static void test_range(void)
{
	struct fixture fixture;

	fixture_reopen(&fixture);
	leave_range(&fixture);
	tap_ok(!unload(), "a program keeps the module");
	close(fixture.fd);
	tap_ok(unloads_soon(), "closed, it does not");
	load();
}

/* What comes next ends when lets_go() is called: the ring is restarted then. */
static void stands_still(const struct fixture *fixture)
{
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
}

static void lets_go(void)
{
	test_parameter("hang_period", 3000);
}

/* The fence of a move that hangs, out of the dma-buf. */
static void test_fence(bool early)
{
	struct fence_state state = { 0 };
	struct fixture fixture;
	struct object object;
	int dmabuf, file;

	fixture_reopen(&fixture);
	tap_ret(object_create(&fixture, &object, QUIRE_MIB, 1), 0, "an object");
	dmabuf = early ? dmabuf_export(fixture.fd, object.handle) : -1;
	stands_still(&fixture);
	tap_ret(object_place(&fixture, &object, &vram), 0, "place it in VRAM");
	if (!early)
		dmabuf = dmabuf_export(fixture.fd, object.handle);
	file = dmabuf_export_sync_file(dmabuf);
	tap_ok(file >= 0, "the fence of a dma-buf shared %s", early ? "before" : "meanwhile");
	tap_ret(fence_query(file, &state), 0, "ask it");
	tap_ok(!state.status, "it has not signalled");
	lets_go();
	close(dmabuf);
	close(fixture.fd);
	tap_ok(fd_is_ready(file, WAIT_MS), "it signals");
	expect_kept(file);
}

/* The fence of a value, out of a syncobj. */
static void test_value(void)
{
	struct monitored fence;
	struct fixture fixture;
	uint32_t syncobj;
	int file = -1;

	fixture_reopen(&fixture);
	syncobj = sync_create(&fixture);
	monitored_open(&fence, fixture.fd, 0);
	tap_ret(monitored_signal_syncs(&fence, 1, &(struct drm_quire_sync) {
		syncobj, DRM_QUIRE_SYNC_SIGNAL, 0 }, 1), 0, "a value");
	tap_ret(drmSyncobjExportSyncFile(fixture.fd, syncobj, &file), 0, "its fence");
	tap_ok(fd_is_ready(file, WAIT_MS), "signals");
	munmap((void *)fence.page, QUIRE_PAGE);
	close(fixture.fd);
	expect_kept(file);
}

/* Of those who wrote it, and of what has to be before anybody reads it. */
static int fence_of_readers(int dmabuf)
{
	struct dma_buf_export_sync_file file = { .flags = DMA_BUF_SYNC_READ };

	return ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &file) ? -errno : file.fd;
}

/* Commands read an object in pieces, in VRAM for long: an MMU shows it to them. */
static int read_in_pieces(struct work *work, struct holes *holes, int *dmabuf)
{
	struct quire_context *context = work_context(work);
	struct quire_object *object, *sum = work_object(work, QUIRE_PAGE);
	uint32_t handle;
	int file;

	holes_make(holes, work);
	object = holes_object(work, holes->size * 2);
	handle = quire_object_handle(object);
	*dmabuf = dmabuf_export(work->fixture.fd, handle);
	tap_ret(quire_bo_place(work->fixture.fd, handle, vram.segment, 0) ?:
		quire_object_wait(object, WAIT_MS * 1000000ll), 0, "it is in VRAM, and shared");
	stands_still(&work->fixture);
	quire_recorder_checksum(work->recorder, quire_at(object, 0), holes->size * 2,
				quire_at(sum, 0));
	tap_ret(work_submit(work, context, 0, NULL, NULL), 0, "commands read it");
	file = fence_of_readers(*dmabuf);
	quire_object_close(sum);
	quire_object_close(object);
	quire_context_destroy(context);
	return file;
}

/* The fence of its pages in the MMU, out of the dma-buf: commands that read are not in it. */
static void test_mmu(void)
{
	struct fence_state state = { 0 };
	struct holes holes = { 0 };
	struct work work;
	int dmabuf, file;

	work_open(&work);
	file = read_in_pieces(&work, &holes, &dmabuf);
	tap_ok(file >= 0, "the fence of who reads it next");
	tap_ret(fence_query(file, &state), 0, "ask it");
	tap_ok(!state.status, "it has not signalled");
	lets_go();
	holes_close(&holes);
	close(dmabuf);
	work_close(&work);
	tap_ok(fd_is_ready(file, WAIT_MS), "it signals");
	expect_kept(file);
}

/* Commands are at work with two objects until @gate lets them end. */
static void use_two(struct work *work, struct quire_object *busy[2], const struct gate *gate)
{
	struct quire_context *context = work_context(work);
	struct quire_fence *fence = work_fence(work);
	uint64_t size = fixture_vram(&work->fixture) / 8 * 3 & ~(QUIRE_PAGE - 1);

	work_wait_at(work, gate, 1);
	for (unsigned int i = 0; i < 2; i++) {
		busy[i] = work_object(work, size);
		quire_recorder_fill(work->recorder, quire_at(busy[i], 0), QUIRE_PAGE, i);
	}
	tap_ret(work_submit(work, context, 0, NULL, fence), 0,
		"commands are at work with two objects in VRAM");
	quire_fence_close(fence);
	quire_context_destroy(context);
}

/* The fences of all that was in the way of one that needs room, and was passed over. */
static void test_passed_over(void)
{
	struct quire_object *busy[2];
	struct object object;
	struct gate gate;
	struct work work;
	pid_t pid;

	work_open(&work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	work_gate_open_apart(&work, &gate);
	use_two(&work, busy, &gate);
	object.size = fixture_vram(&work.fixture) / 4 * 3;
	tap_ret(quire_bo_create(work.fixture.fd, object.size, &object.handle), 0,
		"one that needs the room of both");
	pid = child_start(60);
	if (!pid)
		_exit(-object_place(&work.fixture, &object, &vram));
	tap_ok(child_gets_within(pid, "quire_validation_wait", WAIT_MS),
	       "it waits for the commands");
	work_gate_raise(&gate, 1);
	tap_ret(-child_status(pid), 0, "they end, and it gets the room");
	test_parameter("hang_period", 3000);
	quire_bo_close(work.fixture.fd, object.handle);
	for (unsigned int i = 0; i < 2; i++)
		quire_object_close(busy[i]);
	work_gate_close(&gate);
	work_close(&work);
	tap_ok(unloads_soon(), "no fence that was in the way keeps the module");
	load();
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (access("/sys/module/quire/initstate", F_OK))
		tap_skip_all("the driver is built in");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("the CPU copies");
	close(fixture.fd);
	test_nothing_left(true);
	test_nothing_left(false);
	test_range();
	test_value();
	test_fence(true);
	test_fence(false);
	if (fixture.info.execution_rings) {
		test_mmu();
		test_passed_over();
	}
	return tap_done();
}
