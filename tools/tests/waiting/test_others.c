// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Somebody else is at work with an object of one program: nobody but that one waits. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"
#include "holes.h"
#include "syncs.h"
#include "ticks.h"
#include "user.h"
#include "vgem.h"

/* More than TTM has workers for dead objects. */
#define NR_DEAD		40
#define NR_ROUNDS	8

#define CHILD_S		60
#define SIGNAL_MS	200

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static const struct place run = { "a run", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Another process; its status is the errno. */
static pid_t place_it_in(const struct fixture *fixture, const struct object *object,
			 const struct place *place)
{
	pid_t pid = child_start(CHILD_S);

	if (pid)
		return pid;
	_exit(-object_place(fixture, object, place));
}

/* Places an object that somebody is at work with. */
static pid_t place_it(const struct fixture *fixture, const struct object *object)
{
	return place_it_in(fixture, object, &vram);
}

static int create_pair(const struct fixture *fixture, struct object objects[2])
{
	uint64_t size = fixture_vram(fixture) / 16 * 9 / QUIRE_PAGE * QUIRE_PAGE;

	return object_create(fixture, &objects[0], size, 1) ?:
	       object_create(fixture, &objects[1], size, 2);
}

/* A program waits for commands that use its object; another program pages meanwhile. */
static void test_beside(const struct fixture *fixture)
{
	struct object objects[2], busy;
	struct user user;
	pid_t pid;

	tap_ret(create_pair(fixture, objects), 0, "two objects, together larger than VRAM");
	tap_ret(object_create(fixture, &busy, QUIRE_MIB, 3), 0, "a third one");
	user_begin(&user);
	user_uses(&user, fixture, &busy);
	pid = place_it(fixture, &busy);
	tap_ok(child_gets_within(pid, "quire_bo_wait_others", WAIT_MS), "who places it waits");
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		tap_ret(object_place_and_wait(fixture, &objects[i], &vram), 0, "nobody else does");
	tap_ret(quire_bo_wait(fixture->fd, busy.handle, 0), -ETIME, "they are still at work");
	user_end(&user);
	tap_ret(-child_status(pid), 0, "it is placed");
	tap_ret(object_check(fixture, &busy), 0, "its content is whole");
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		tap_ret(object_check(fixture, &objects[i]), 0, "and that of the others");
		object_close(fixture, &objects[i]);
	}
	object_close(fixture, &busy);
}

/* What somebody is at work with is no victim. */
static void test_victim(const struct fixture *fixture, int vgem)
{
	struct object victim, other, large = { .size = fixture_vram(fixture) };
	uint32_t fence;

	tap_ret(object_create(fixture, &victim, QUIRE_MIB, 4), 0, "the oldest in VRAM");
	tap_ret(object_place_and_wait(fixture, &victim, &vram), 0, "place it");
	tap_ret(object_create(fixture, &other, large.size / 2, 5), 0, "one that is evicted");
	tap_ret(object_place_and_wait(fixture, &other, &vram), 0, "place it");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, victim.handle, &fence), 0,
		"somebody else is at work with the oldest");
	tap_ret(quire_bo_create(fixture->fd, large.size / 4 * 3, &large.handle), 0,
		"one that needs room");
	tap_ret(object_place(fixture, &large, &vram), 0, "place it at once");
	tap_ret(quire_bo_wait(fixture->fd, victim.handle, 0), -ETIME, "he is still at work");
	tap_ok(object_is_at(fixture, &victim, &vram), "the oldest was passed over");
	tap_ok(!object_is_at(fixture, &other, &vram), "another one was evicted");
	quire_bo_close(fixture->fd, large.handle);
	tap_ret(quire_bo_create(fixture->fd, large.size, &large.handle), 0, "one as large as VRAM");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	tap_ret(object_place_and_wait(fixture, &large, &vram), 0, "there is room");
	tap_ret(object_check(fixture, &victim), 0, "the content of the oldest is whole");
	quire_bo_close(fixture->fd, large.handle);
	object_close(fixture, &other);
	object_close(fixture, &victim);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Where no content moves, nobody waits: to stay where it is, or to leave the aperture. */
static void test_no_move(const struct fixture *fixture, int vgem)
{
	struct object large, small;
	uint32_t fences[2];

	large.size = fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size;
	tap_ret(quire_bo_create(fixture->fd, large.size, &large.handle), 0, "all of the aperture");
	tap_ret(object_place_and_wait(fixture, &large, &aperture), 0, "place it");
	tap_ret(object_create(fixture, &small, QUIRE_MIB, 9), 0, "a small one");
	tap_ret(object_place_and_wait(fixture, &small, &visible), 0, "place it in visible VRAM");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, large.handle, &fences[0]) ?:
		vgem_attach_fence(vgem, fixture->fd, small.handle, &fences[1]), 0,
		"somebody else is at work with both");
	tap_ret(object_place(fixture, &small, &visible), 0, "the small one may be where it is");
	tap_ret(vgem_signal_fence(vgem, fences[1]), 0, "he is done with it");
	tap_ret(object_place(fixture, &small, &aperture), 0, "the small one gets its room");
	tap_ok(object_is_at(fixture, &large, &system_memory), "the large one has left");
	tap_ret(vgem_signal_fence(vgem, fences[0]), 0, "the other one is done");
	tap_ret(object_check(fixture, &small), 0, "the content is whole");
	object_close(fixture, &small);
	object_close(fixture, &large);
}

/* Who wants in one piece what is in several, which is a move, waits with nothing in his hands. */
static void test_run(int vgem)
{
	struct holes holes = { 0 };
	struct object object;
	struct work work;
	uint32_t fence;
	pid_t pid;

	work_open(&work);
	holes_make(&holes, &work);
	tap_ret(object_create(&work.fixture, &object, holes.size * 2, 12), 0, "create");
	tap_ret(object_place_and_wait(&work.fixture, &object, &vram), 0, "place it in pieces");
	tap_ret(vgem_attach_fence(vgem, work.fixture.fd, object.handle, &fence), 0,
		"somebody else is at work with it");
	pid = place_it_in(&work.fixture, &object, &run);
	test_sleep_ms(SIGNAL_MS);
	tap_ok(child_is_running(pid), "who wants a run of VRAM waits");
	tap_ret(quire_bo_madvise(work.fixture.fd, object.handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"and it is to be had");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	tap_ret(-child_status(pid), 0, "it has its run");
	tap_ret(object_check(&work.fixture, &object), 0, "its content is whole");
	object_close(&work.fixture, &object);
	holes_close(&holes);
	work_close(&work);
}

static pid_t evict_all(const struct fixture *fixture)
{
	pid_t pid = child_start(CHILD_S);

	if (pid)
		return pid;
	_exit(-debugfs_write(fixture->debugfs, "evict_all", "1"));
}

/* Who has to move content all the same waits with it in his hands, as suspend does. */
static void test_evict_all(const struct fixture *fixture, int vgem)
{
	struct object object;
	uint32_t fence;
	pid_t pid;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 10), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
		"somebody else is at work with it");
	pid = evict_all(fixture);
	test_sleep_ms(SIGNAL_MS);
	tap_ok(child_is_running(pid), "who evicts everything waits");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	tap_ret(-child_status(pid), 0, "everything is evicted");
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

/* A signal ends the wait, and who waits holds nothing. */
static void test_signal(const struct fixture *fixture, int vgem)
{
	struct drm_quire_bo_place place = {
		.segment = fixture->segments[DRM_QUIRE_SEGMENT_VRAM].instance,
	};
	struct object object;
	uint32_t fence;
	timer_t timer;
	pid_t pid;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 6), 0, "create");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
		"somebody else is at work with it");
	place.handle = object.handle;
	timer = ticks_start(on_signal, 0, SIGNAL_MS * 1000000);
	tap_ret(quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &place), -EINTR,
		"a signal ends the wait");
	timer_delete(timer);
	tap_ok(object_is_at(fixture, &object, &system_memory), "it has not moved");
	pid = place_it(fixture, &object);
	test_sleep_ms(SIGNAL_MS);
	tap_ok(child_is_running(pid), "who places it waits");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"the object is not held meanwhile");
	tap_ret(object_place(fixture, &object, &aperture), 0,
		"the aperture is no move of content and does not wait");
	child_kill(pid);
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	object_close(fixture, &object);
}

/* Closing and dying do not wait either, nor does what is done with other objects. */
static void test_close(const struct fixture *fixture, int vgem)
{
	static const struct place *const from[] = { &vram, &aperture, &system_memory };
	struct object object;
	uint32_t fence;

	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		tap_ret(object_create(fixture, &object, QUIRE_MIB, 7), 0, "create");
		tap_ret(object_place_and_wait(fixture, &object, from[i]), 0, "place it in %s",
			from[i]->name);
		tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
			"somebody else is at work with it");
		object_close(fixture, &object);
		tap_ret(vgem_signal_fence(vgem, fence), 0, "close it while he is");
	}
}

/* Dead objects that somebody is at work with are in nobody's way. */
static void test_dead(const struct fixture *fixture, int vgem)
{
	uint32_t fences[NR_DEAD];
	struct object object;
	int ret = 0;

	for (size_t i = 0; i < NR_DEAD && !ret; i++) {
		ret = object_create(fixture, &object, QUIRE_PAGE, i + 1) ?:
		      vgem_attach_fence(vgem, fixture->fd, object.handle, &fences[i]);
		object_close(fixture, &object);
	}
	tap_ret(ret, 0, "many dead objects that somebody is at work with");
	for (int i = 0; i < NR_ROUNDS && !ret; i++) {
		object.size = fixture_vram(fixture) / 2;
		ret = quire_bo_create(fixture->fd, object.size, &object.handle) ?:
		      object_place(fixture, &object, &vram);
		quire_bo_close(fixture->fd, object.handle);
	}
	tap_ret(ret, 0, "others create, place and close much more than VRAM");
	for (size_t i = 0; i < NR_DEAD; i++)
		ret = vgem_signal_fence(vgem, fences[i]) ?: ret;
	tap_ret(ret, 0, "while he is at work with them");
}

/* Who wants the room of one waits with nothing in his hands. */
static void test_dead_in_the_way(const struct fixture *fixture, int vgem)
{
	struct object dead, object;
	uint32_t fence;
	pid_t pid;

	dead.size = fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size;
	tap_ret(quire_bo_create(fixture->fd, dead.size, &dead.handle), 0, "all of the aperture");
	tap_ret(object_place_and_wait(fixture, &dead, &aperture), 0, "place it");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, dead.handle, &fence), 0,
		"somebody else is at work with it");
	quire_bo_close(fixture->fd, dead.handle);
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 11), 0, "it dies, and a small one");
	pid = place_it_in(fixture, &object, &aperture);
	test_sleep_ms(SIGNAL_MS);
	tap_ok(child_is_running(pid), "waits for its room");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"and is to be had");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	tap_ret(-child_status(pid), 0, "the small one is placed");
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
}

/*
 * What is in the reservation object of a dma-buf, asked by somebody who has nothing of
 * the device any more. The move does not end before the device goes, so its fence is
 * in there.
 */
static void test_names(const char *address)
{
	struct fence_state state = { 0 };
	struct fixture fixture;
	struct object object;
	int dmabuf, file;

	fixture_reopen(&fixture);
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("the CPU copies", "fences that outlive the device");
		close(fixture.fd);
		return;
	}
	tap_ret(object_create(&fixture, &object, QUIRE_MIB, 8), 0, "create");
	dmabuf = dmabuf_export(fixture.fd, object.handle);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(&fixture, "hang 1");
	tap_ret(object_place(&fixture, &object, &vram), 0, "place it in VRAM");
	file = dmabuf_export_sync_file(dmabuf);
	tap_ok(file >= 0, "a sync_file of what is at work with it");
	tap_ret(fence_query(file, &state), 0, "ask it");
	tap_ok(!strcmp(state.driver, "quire"), "it is of quire (%s)", state.driver);
	close(dmabuf);
	close(fixture.fd);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind: nothing of the device is left");
	tap_ret(fence_query(file, &state), 0, "ask again");
	tap_ok(state.status && (!strcmp(state.driver, "quire") ||
				!strcmp(state.driver, "detached-driver")),
	       "it answers (%s)", state.driver);
	close(file);
	test_parameter("hang_period", 3000);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
}

/* The device does not go before others are done with its objects. */
static void test_unbind(const char *address)
{
	static const struct place *const from[] = { &vram, &aperture, &system_memory };
	struct object objects[ARRAY_SIZE(from)];
	struct fixture fixture;
	int vgem = vgem_open();
	uint32_t fence;

	fixture_reopen(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		tap_ret(object_create(&fixture, &objects[i], QUIRE_MIB, i), 0, "create");
		tap_ret(object_place_and_wait(&fixture, &objects[i], from[i]), 0, "place it in %s",
			from[i]->name);
		tap_ret(vgem_attach_fence(vgem, fixture.fd, objects[i].handle, &fence), 0,
			"somebody else is at work with it");
	}
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	close(fixture.fd);
	close(vgem);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
}

int main(void)
{
	struct fixture fixture;
	int vgem = vgem_open();
	char address[64];

	tap_start(120);
	fixture_open(&fixture);
	if (!*fixture.debugfs || sysfs_pci_address(fixture.fd, address, sizeof(address)))
		tap_skip_all("no debugfs, or not root");
	if (vgem < 0)
		tap_skip_all("no vgem here");
	if (!fixture.info.execution_rings)
		tap_skip_all("the device executes no commands");
	test_beside(&fixture);
	test_victim(&fixture, vgem);
	test_no_move(&fixture, vgem);
	test_run(vgem);
	test_evict_all(&fixture, vgem);
	test_signal(&fixture, vgem);
	test_close(&fixture, vgem);
	test_dead(&fixture, vgem);
	test_dead_in_the_way(&fixture, vgem);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	close(fixture.fd);
	test_names(address);
	test_unbind(address);
	return tap_done();
}
