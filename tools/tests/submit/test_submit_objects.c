// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Work with one object, of two contexts, rings or programs: who reads comes after who writes,
 * who writes after all, and nobody moves what is at work.
 */
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "syncs.h"
#include "vgem.h"
#include "work.h"

/**
 * struct scene - an object, which two of them use
 * @work: the device
 * @contexts: the first one is at work at the gate, the second one comes after it
 * @gate: where the first one waits
 * @shared: the object
 * @copy: another one
 */
struct scene {
	struct work work;
	struct quire_context *contexts[2];
	struct gate gate;
	struct quire_object *shared;
	struct quire_object *copy;
};

static void scene_open(struct scene *scene)
{
	const struct work *work = &scene->work;

	scene->contexts[0] = work_context(work);
	scene->contexts[1] = work_context(work);
	work_gate_open(work, &scene->gate);
	scene->shared = work_object(work, 16 * QUIRE_PAGE);
	scene->copy = work_object(work, QUIRE_PAGE);
	work_set_number(scene->shared, 0, 1);
	quire_object_unmap(scene->shared);
}

static void scene_close(struct scene *scene)
{
	work_gate_close(&scene->gate);
	quire_object_close(scene->shared);
	quire_object_close(scene->copy);
	quire_context_destroy(scene->contexts[0]);
	quire_context_destroy(scene->contexts[1]);
}

static uint32_t other_ring(const struct scene *scene)
{
	return scene->work.fixture.info.execution_rings - 1;
}

static void record_copy(struct scene *scene)
{
	quire_recorder_copy(scene->work.recorder, quire_at(scene->shared, 0),
			    quire_at(scene->copy, 0), 8);
}

static void record_write(struct scene *scene, uint64_t number)
{
	quire_recorder_write_value(scene->work.recorder, quire_at(scene->shared, 0), number);
}

static void submit(struct scene *scene, unsigned int who)
{
	tap_ret(work_submit(&scene->work, scene->contexts[who], who ? other_ring(scene) : 0, NULL,
			    NULL), 0, who ? "and others after it" : "queue commands");
}

/* All that could be executed before the gate is raised has been. */
static void settle(struct scene *scene)
{
	struct quire_context *context = work_context(&scene->work);
	struct quire_fence *fence = work_fence(&scene->work);

	if (other_ring(scene)) {
		quire_recorder_nop(scene->work.recorder, 8);
		tap_ret(work_submit(&scene->work, context, other_ring(scene), NULL, fence), 0,
			"queue what has nothing to do with it");
		tap_ret(work_fence_wait(fence), 0, "it is executed");
	}
	quire_fence_close(fence);
	quire_context_destroy(context);
}

static void expect(struct scene *scene, uint64_t shared, uint64_t copy, const char *name)
{
	uint64_t found[2] = { work_number(scene->shared, 0), work_number(scene->copy, 0) };

	tap_ok(found[0] == shared && found[1] == copy, "%s: %llu and %llu", name,
	       (unsigned long long)found[0], (unsigned long long)found[1]);
}

static void test_read_after_write(struct scene *scene)
{
	scene_open(scene);
	work_wait_at(&scene->work, &scene->gate, 1);
	record_write(scene, 5);
	submit(scene, 0);
	record_copy(scene);
	submit(scene, 1);
	settle(scene);
	tap_ret(quire_object_wait(scene->shared, 0), -ETIME, "the object is in use");
	work_gate_raise(&scene->gate, 1);
	expect(scene, 5, 5, "who reads comes after who writes");
	scene_close(scene);
}

/* Allocations of one object in a list. */
#define USES	8u

/*
 * An object that is written by one allocation of a list, whichever it is, and read by others, is
 * written for all others: a reader waits for the end.
 */
static void test_read_and_written(struct scene *scene, unsigned int written)
{
	struct quire_object *own = work_object(&scene->work, QUIRE_PAGE);

	scene_open(scene);
	work_wait_at(&scene->work, &scene->gate, 1);
	for (unsigned int i = 0; i < USES; i++) {
		if (i == written)
			record_write(scene, 5);
		else
			quire_recorder_copy(scene->work.recorder,
					    quire_at(scene->shared, (i + 1) * QUIRE_PAGE),
					    quire_at(own, 0), 8);
	}
	submit(scene, 0);
	record_copy(scene);
	submit(scene, 1);
	settle(scene);
	tap_ret(quire_object_wait(scene->copy, 0), -ETIME, "who reads waits");
	work_gate_raise(&scene->gate, 1);
	expect(scene, 5, 5, "what is read, and written once, is written");
	scene_close(scene);
	quire_object_close(own);
}

/*
 * The same, of a list of allocations of one object alone, in any order: so libquire does not make
 * them. @written: which of them writes; as many as there are: none.
 */
static void test_written_in_list(struct scene *scene, unsigned int written)
{
	int fd = scene->work.fixture.fd;
	struct quire_fence *fence = work_fence(&scene->work);
	const struct quire_packet_header nop = {
		.opcode = QUIRE_COMMAND_NOP, .size = sizeof(nop),
	};
	struct drm_quire_sync sync = {
		.handle = quire_fence_syncobj(fence), .flags = DRM_QUIRE_SYNC_WAIT,
	};
	struct drm_quire_allocation list[USES] = { 0 };
	struct drm_quire_context_create context = { 0 };
	struct drm_quire_submit submission = {
		.commands = (uintptr_t)&nop, .commands_size = sizeof(nop),
		.allocations = DRM_QUIRE_ARRAY(USES, list), .syncs = DRM_QUIRE_ARRAY(1, &sync),
	};
	struct pollfd readable = { .events = POLLIN };
	int ret;

	scene_open(scene);
	for (unsigned int i = 0; i < USES; i++)
		list[i] = (struct drm_quire_allocation){
			.handle = quire_object_handle(scene->shared), .offset = i * QUIRE_PAGE,
			.size = QUIRE_PAGE, .flags = i == written ? DRM_QUIRE_ALLOCATION_WRITE : 0,
		};
	/* Or else a reader waits for the move, too. */
	ret = quire_bo_place(fd, list[0].handle, DRM_QUIRE_SEGMENT_VRAM, 0) ?:
	      quire_object_wait(scene->shared, WAIT_MS * 1000000ll);
	work_wait_at(&scene->work, &scene->gate, 1);
	ret = ret ?: work_submit(&scene->work, scene->contexts[0], 0, NULL, fence) ?:
	      quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &context);
	submission.context = context.context;
	ret = ret ?: quire_ioctl(fd, DRM_IOCTL_QUIRE_SUBMIT, &submission);
	readable.fd = dmabuf_export(fd, quire_object_handle(scene->shared));
	tap_ret(ret, 0, "a list of %u, of which number %u writes", USES, written);
	if (written == USES)
		tap_ok(poll(&readable, 1, WAIT_MS) == 1, "who reads does not wait");
	else
		tap_ok(poll(&readable, 1, 0) == 0, "who reads waits");
	work_gate_raise(&scene->gate, 1);
	tap_ok(poll(&readable, 1, WAIT_MS) == 1, "it ends");
	close(readable.fd);
	quire_fence_close(fence);
	scene_close(scene);
}

static void test_write_after_read(struct scene *scene)
{
	scene_open(scene);
	work_wait_at(&scene->work, &scene->gate, 1);
	record_copy(scene);
	submit(scene, 0);
	record_write(scene, 9);
	submit(scene, 1);
	settle(scene);
	work_gate_raise(&scene->gate, 1);
	expect(scene, 9, 1, "who writes comes after who reads");
	scene_close(scene);
}

static void test_write_after_write(struct scene *scene)
{
	scene_open(scene);
	work_wait_at(&scene->work, &scene->gate, 1);
	record_write(scene, 5);
	submit(scene, 0);
	record_write(scene, 6);
	submit(scene, 1);
	settle(scene);
	work_gate_raise(&scene->gate, 1);
	expect(scene, 6, 0, "who writes comes after who writes");
	scene_close(scene);
}

/* Nobody waits for who only reads. */
static void test_readers(struct scene *scene)
{
	struct quire_object *third = work_object(&scene->work, QUIRE_PAGE);

	if (!other_ring(scene)) {
		tap_skip("there is one ring", "those who read do not wait for each other");
		quire_object_close(third);
		return;
	}
	scene_open(scene);
	work_wait_at(&scene->work, &scene->gate, 1);
	record_copy(scene);
	submit(scene, 0);
	quire_recorder_copy(scene->work.recorder, quire_at(scene->shared, 0), quire_at(third, 0),
			    8);
	submit(scene, 1);
	tap_ok(work_number(third, 0) == 1, "one of two that read is done");
	tap_ret(quire_object_wait(scene->copy, 0), -ETIME, "the other one is not");
	work_gate_raise(&scene->gate, 1);
	expect(scene, 1, 1, "it is then");
	quire_object_close(third);
	scene_close(scene);
}

/* By another program, with a file of its own. */
static void run_other(const int dmabufs[2])
{
	struct quire_object *objects[2];
	struct work work;
	uint32_t handle;
	int ret = 0;

	work_open(&work);
	for (unsigned int i = 0; i < 2 && !ret; i++) {
		ret = dmabuf_import(work.fixture.fd, dmabufs[i], &handle);
		ret = ret ?: quire_object_from_handle(work.device, handle, &objects[i]);
	}
	if (!ret) {
		quire_recorder_copy(work.recorder, quire_at(objects[0], 0),
				    quire_at(objects[1], 0), 8);
		ret = work_submit(&work, work_context(&work),
				  work.fixture.info.execution_rings - 1, NULL, NULL);
	}
	_exit(-ret);
}

static void test_processes(struct scene *scene)
{
	int dmabufs[2], file;
	pid_t pid;

	scene_open(scene);
	dmabufs[0] = dmabuf_export(scene->work.fixture.fd, quire_object_handle(scene->shared));
	dmabufs[1] = dmabuf_export(scene->work.fixture.fd, quire_object_handle(scene->copy));
	work_wait_at(&scene->work, &scene->gate, 1);
	record_write(scene, 5);
	quire_recorder_write_value(scene->work.recorder, quire_at(scene->copy, 8), 7);
	submit(scene, 0);
	pid = child_start(60);
	if (!pid)
		run_other(dmabufs);
	tap_ret(child_status(pid), 0, "another program submits, and ends");
	settle(scene);
	file = dmabuf_export_sync_file(dmabufs[1]);
	tap_ok(!fd_is_ready(file, 0), "it waits");
	close(file);
	work_gate_raise(&scene->gate, 1);
	expect(scene, 5, 5, "it reads after who writes");
	close(dmabufs[0]);
	close(dmabufs[1]);
	scene_close(scene);
}

/* What another driver does with the object counts as well, both ways. */
static void test_foreign(struct scene *scene)
{
	int vgem = vgem_open(), dmabuf, file;
	uint32_t fence;

	if (vgem < 0) {
		tap_skip("no vgem here", "another driver uses an object");
		return;
	}
	scene_open(scene);
	record_write(scene, 2);
	submit(scene, 0);
	tap_ok(work_number(scene->shared, 0) == 2, "it is where commands use it");
	tap_ret(vgem_attach_fence(vgem, scene->work.fixture.fd, quire_object_handle(scene->shared),
				  &fence), 0, "another driver uses it");
	record_write(scene, 3);
	record_copy(scene);
	submit(scene, 1);
	settle(scene);
	tap_ret(quire_object_wait(scene->copy, 0), -ETIME, "commands wait");
	dmabuf = dmabuf_export(scene->work.fixture.fd, quire_object_handle(scene->copy));
	file = dmabuf_export_sync_file(dmabuf);
	tap_ok(!fd_is_ready(file, 0), "and so do others for them");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other driver is done");
	tap_ok(fd_is_ready(file, WAIT_MS), "they end");
	expect(scene, 3, 3, "they are executed");
	close(file);
	close(dmabuf);
	close(vgem);
	scene_close(scene);
}

/* Commands will write to an object of a segment, when the gate is raised. */
static void start_work(struct scene *scene, uint32_t segment)
{
	scene_open(scene);
	if (segment == DRM_QUIRE_SEGMENT_APERTURE) {
		quire_object_close(scene->shared);
		scene->shared = work_object_in(&scene->work, 16 * QUIRE_PAGE,
					       DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
					       DRM_QUIRE_SEGMENT_BIT(segment));
	}
	quire_recorder_write_value(scene->work.recorder, quire_at(scene->copy, 0), 1);
	work_wait_at(&scene->work, &scene->gate, 1);
	record_write(scene, 5);
	submit(scene, 0);
}

/* Another process calls @use on the shared object, and has to wait for the commands. */
static pid_t start_use(struct scene *scene, int (*use)(struct scene *scene), const char *name)
{
	pid_t pid = child_start(60);

	if (!pid)
		_exit(use(scene));
	test_sleep_ms(50);
	tap_ok(child_is_running(pid), "%s: it waits", name);
	return pid;
}

static void end_work(struct scene *scene, pid_t pid, const char *name)
{
	work_gate_raise(&scene->gate, 1);
	tap_ret(child_status(pid), 0, "%s: it goes on", name);
	expect(scene, 5, 1, name);
	scene_close(scene);
}

static void test_waits_in(struct scene *scene, uint32_t segment,
			  int (*use)(struct scene *scene), const char *name)
{
	pid_t pid;

	start_work(scene, segment);
	pid = start_use(scene, use, name);
	tap_ok(quire_object_class(scene->shared) == (int)segment,
	       "%s: the object is where it was", name);
	end_work(scene, pid, name);
}

static void test_waits(struct scene *scene, int (*use)(struct scene *scene), const char *name)
{
	test_waits_in(scene, DRM_QUIRE_SEGMENT_VRAM, use, name);
}

static int use_place(struct scene *scene)
{
	return -quire_bo_place(scene->work.fixture.fd, quire_object_handle(scene->shared),
			       DRM_QUIRE_SEGMENT_SYSTEM, 0);
}

static int use_wait(struct scene *scene)
{
	return -quire_bo_wait(scene->work.fixture.fd, quire_object_handle(scene->shared), WAIT_MS);
}

/* Who closes it right behind the submission: commands find what there was. */
static void test_closed(struct scene *scene, uint32_t segment, const char *name)
{
	const uint32_t classes = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
				 DRM_QUIRE_SEGMENT_BIT(segment);

	scene_open(scene);
	quire_object_close(scene->shared);
	scene->shared = work_object_in(&scene->work, 16 * QUIRE_PAGE, classes);
	work_set_number(scene->shared, 0, 11);
	work_wait_at(&scene->work, &scene->gate, 1);
	record_copy(scene);
	submit(scene, 0);
	quire_object_close(scene->shared);
	/* so long is enough for what must not happen */
	test_sleep_ms(300);
	work_gate_raise(&scene->gate, 1);
	tap_ok(work_number(scene->copy, 0) == 11, "%s: it was read before it died", name);
	scene->shared = work_object(&scene->work, QUIRE_PAGE);
	scene_close(scene);
}

/* Others want all of the aperture. */
static int use_room(struct scene *scene)
{
	const struct fixture *fixture = &scene->work.fixture;
	uint32_t handle;
	int ret;

	ret = quire_bo_create_in(fixture->fd,
				 fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size,
				 DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
				 DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE), &handle);
	if (ret)
		return -ret;
	ret = quire_bo_place(fixture->fd, handle, DRM_QUIRE_SEGMENT_APERTURE, 0);
	/* the file is the parent's, too */
	return -(ret ?: quire_bo_close(fixture->fd, handle));
}

/* Another driver wants its pages, for long. */
static int use_import(struct scene *scene)
{
	int vgem = vgem_open(), dmabuf, ret;
	uint32_t handle;

	dmabuf = dmabuf_export(scene->work.fixture.fd, quire_object_handle(scene->shared));
	ret = dmabuf < 0 ? dmabuf : dmabuf_import(vgem, dmabuf, &handle);
	close(dmabuf);
	close(vgem);
	return -ret;
}

/* The importer waits with the reservation held, so a query of the place would wait, too. */
static void test_import(struct scene *scene)
{
	const char *name = "import, in the aperture";
	int vgem = vgem_open();

	if (vgem < 0) {
		tap_skip("no vgem here", "%s", name);
		return;
	}
	close(vgem);
	start_work(scene, DRM_QUIRE_SEGMENT_APERTURE);
	end_work(scene, start_use(scene, use_import, name), name);
}

/* It is where the CPU does not see it, and has to move. */
static int use_map(struct scene *scene)
{
	void *map;

	if (quire_bo_map(scene->work.fixture.fd, quire_object_handle(scene->shared),
			 QUIRE_PAGE, &map))
		return 1;
	return *(volatile uint64_t *)map == 5 ? 0 : 2;
}

static void test_map(struct scene *scene)
{
	const struct fixture *fixture = &scene->work.fixture;

	if (fixture_vram(fixture) - fixture_visible(fixture) < 16 * QUIRE_PAGE)
		tap_skip("the CPU sees all of VRAM", "mapping what is at work");
	else
		test_waits(scene, use_map, "map");
}

int main(void)
{
	struct scene scene;

	tap_start(60);
	work_begin(&scene.work);
	if (getuid())
		tap_skip_all("not root");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_read_after_write(&scene);
	for (unsigned int i = 0; i < USES; i++)
		test_read_and_written(&scene, i);
	for (unsigned int i = 0; i <= USES; i++)
		test_written_in_list(&scene, i);
	test_write_after_read(&scene);
	test_write_after_write(&scene);
	test_readers(&scene);
	test_processes(&scene);
	test_foreign(&scene);
	test_waits(&scene, use_place, "place");
	test_waits(&scene, use_wait, "wait");
	test_waits_in(&scene, DRM_QUIRE_SEGMENT_APERTURE, use_place, "place, in the aperture");
	test_waits_in(&scene, DRM_QUIRE_SEGMENT_APERTURE, use_room, "room in the aperture");
	test_closed(&scene, DRM_QUIRE_SEGMENT_APERTURE, "in the aperture");
	test_closed(&scene, DRM_QUIRE_SEGMENT_VRAM, "in VRAM");
	test_map(&scene);
	test_import(&scene);
	test_parameter("hang_period", 3000);
	work_end(&scene.work);
	return tap_done();
}
