// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A submission in parts (the comer) needs room that an object has which another caller has locked
 * and began with before: a try to evict it ends at once, and does not say why. The comer waits for
 * that lock all the same.
 *
 * The other caller is a submission that may fit as a whole (the owner): it has locked its first
 * object, which has the room, and waits for the lock of its second one. Another process (the
 * holder) holds that, by debugfs.
 */
#include <signal.h>
#include <unistd.h>

#include "child.h"
#include "dmabuf.h"
#include "gated.h"

#define LOOK_MS		300	/* so long nothing happens */
#define AT_ONCE_MS	3000
#define BUSY_MS		15000
#define CHILD_S		120
#define LATE_MS		7500	/* a half: the comer waits for commands, and then for the lock */
#define NR_FIRST	256

/* Who is at work with what, in the order in which they end. */
enum worker {
	WORKER_ROOM,
	WORKER_LAST,
	NR_WORKERS,
};

/**
 * struct owner - the other submission
 * @work: the device
 * @context: of it
 * @room: its first object, in the order in which the driver locks them
 * @held: its second one, in the aperture
 * @dmabufs: of both
 * @holder: process that has @held locked, or @room
 * @thread: that submits
 * @ret: what the submission returned
 */
struct owner {
	struct work work;
	struct quire_context *context;
	struct quire_object *room;
	struct quire_object *held;
	int dmabufs[2];
	pid_t holder;
	atomic_int thread;
	int ret;
};

/**
 * struct comer - the submission that needs the room
 * @work: the device
 * @context: of it
 * @first: that fit beside the room, and so are in the first part; a look for victims takes longer
 *         with each of them
 * @large: that does not
 * @last: used behind it
 * @pid: process that submits
 */
struct comer {
	struct work work;
	struct quire_context *context;
	struct quire_object *first[NR_FIRST];
	struct quire_object *large;
	struct quire_object *last;
	pid_t pid;
};

/**
 * struct scene - both of them
 * @owner: who has the room
 * @comer: who needs it
 * @submitting: thread of the owner
 * @gate: where commands wait for each of enum worker
 * @files: of the fences of these commands
 * @begin_ns: before the comer began
 */
struct scene {
	struct owner owner;
	struct comer comer;
	pthread_t submitting;
	struct gate gate;
	int files[NR_WORKERS];
	int64_t begin_ns;
};

static void on_signal(int number)
{
	(void)number;
}

static struct quire_object *part_of_vram(const struct work *work, unsigned int eighths)
{
	return work_object(work, fixture_vram(&work->fixture) / 8 * eighths & ~(QUIRE_PAGE - 1));
}

static int export(const struct work *work, const struct quire_object *object)
{
	return dmabuf_export(work->fixture.fd, quire_object_handle(object));
}

static int advise(const struct owner *owner, const struct quire_object *object, uint32_t advice)
{
	return quire_bo_madvise(owner->work.fixture.fd, quire_object_handle(object), advice, NULL);
}

static void write_both(struct owner *owner, uint64_t number)
{
	quire_recorder_write_value(owner->work.recorder, quire_at(owner->room, 0), number);
	quire_recorder_write_value(owner->work.recorder, quire_at(owner->held, 0), number);
}

/* They wait, one behind the other. */
static void workers_start(struct scene *scene)
{
	struct owner *owner = &scene->owner;
	struct quire_fence *fence = work_fence(&owner->work);

	work_gate_open_apart(&owner->work, &scene->gate);
	for (unsigned int i = 0; i < NR_WORKERS; i++) {
		work_wait_at(&owner->work, &scene->gate, i + 1);
		if (work_submit(&owner->work, owner->context, 1, NULL, fence))
			tap_bail("worker");
		scene->files[i] = quire_fence_export(fence, 0);
	}
	quire_fence_close(fence);
}

static void worker_begin(const struct scene *scene, enum worker worker, int dmabuf)
{
	tap_ret(dmabuf_import_sync_file(dmabuf, scene->files[worker]), 0,
		"somebody is at work there");
}

static void worker_end(const struct scene *scene, enum worker worker)
{
	work_gate_raise(&scene->gate, worker + 1);
}

static void workers_close(struct scene *scene)
{
	work_gate_close(&scene->gate);
	for (unsigned int i = 0; i < NR_WORKERS; i++)
		close(scene->files[i]);
}

/* Both of it go when they are evicted. What has none is not exported any more. */
static void lose_content(struct owner *owner)
{
	const struct fixture *fixture = &owner->work.fixture;

	owner->dmabufs[0] = export(&owner->work, owner->room);
	owner->dmabufs[1] = export(&owner->work, owner->held);
	tap_ret(advise(owner, owner->room, DRM_QUIRE_MADV_DONTNEED) ?:
		advise(owner, owner->held, DRM_QUIRE_MADV_DONTNEED), 0, "DONTNEED");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "they are dropped");
}

/* It is refused for the first one that the driver comes to. */
static void find_order(struct owner *owner)
{
	struct quire_object *first = owner->room;
	int dmabuf;

	write_both(owner, 1);
	tap_ret(work_submit(&owner->work, owner->context, 1, NULL, NULL), -ENODATA,
		"without content they are refused");
	if (!owner->work.result.refused_entry)
		return;
	owner->room = owner->held;
	owner->held = first;
	dmabuf = owner->dmabufs[0];
	owner->dmabufs[0] = owner->dmabufs[1];
	owner->dmabufs[1] = dmabuf;
}

static void write_room(struct owner *owner)
{
	quire_recorder_write_value(owner->work.recorder, quire_at(owner->room, 8), 2);
	tap_ret(work_submit(&owner->work, owner->context, 1, NULL, NULL), 0, "the first one");
	tap_ret(quire_object_wait(owner->room, WAIT_MS * 1000000ll), 0, "is in VRAM");
}

/*
 * Both objects are placed in VRAM, then the second one in the aperture; commands use the first one.
 * The test does not read them by the CPU: a fault would move an object from invisible VRAM.
 */
static void owner_open(struct scene *scene)
{
	struct owner *owner = &scene->owner;

	work_open(&owner->work);
	owner->context = work_context(&owner->work);
	owner->room = part_of_vram(&owner->work, 3);
	owner->held = part_of_vram(&owner->work, 3);
	write_both(owner, 1);
	tap_ret(work_submit(&owner->work, owner->context, 1, NULL, NULL), 0, "two objects");
	tap_ret(quire_object_wait(owner->held, WAIT_MS * 1000000ll), 0, "are written");
	lose_content(owner);
	find_order(owner);
	tap_ret(advise(owner, owner->room, DRM_QUIRE_MADV_WILLNEED) ?:
		advise(owner, owner->held, DRM_QUIRE_MADV_WILLNEED), 0, "WILLNEED");
	tap_ret(quire_bo_place(owner->work.fixture.fd, quire_object_handle(owner->held),
			       DRM_QUIRE_SEGMENT_APERTURE, 0) ?:
		quire_object_wait(owner->held, WAIT_MS * 1000000ll), 0,
		"the second one is in the aperture");
	write_room(owner);
	workers_start(scene);
	worker_begin(scene, WORKER_ROOM, owner->dmabufs[0]);
}

/* Another process locks an object. @index: of the object in &owner.dmabufs */
static void hold(struct owner *owner, unsigned int index)
{
	owner->holder = child_start(CHILD_S);
	if (!owner->holder)
		_exit(-debugfs_lock(owner->work.fixture.debugfs, owner->dmabufs[index]));
	tap_ok(child_gets_within(owner->holder, "quire_lock_set", WAIT_MS),
	       "another process holds a lock");
}

static void *owner_submit(void *data)
{
	struct owner *owner = data;

	owner->thread = gettid();
	owner->ret = work_submit(&owner->work, owner->context, 1, NULL, NULL);
	return NULL;
}

static void owner_close(struct owner *owner)
{
	close(owner->dmabufs[0]);
	close(owner->dmabufs[1]);
	quire_object_close(owner->held);
	quire_object_close(owner->room);
	quire_context_destroy(owner->context);
	work_close(&owner->work);
}

static void comer_open(struct comer *comer)
{
	work_begin(&comer->work);
	comer->context = work_context(&comer->work);
	for (unsigned int i = 0; i < NR_FIRST; i++)
		comer->first[i] = work_object(&comer->work, QUIRE_PAGE);
	comer->large = part_of_vram(&comer->work, 6);
	comer->last = work_object(&comer->work, QUIRE_PAGE);
}

static void comer_close(struct comer *comer)
{
	quire_object_close(comer->last);
	quire_object_close(comer->large);
	for (unsigned int i = 0; i < NR_FIRST; i++)
		quire_object_close(comer->first[i]);
	quire_context_destroy(comer->context);
	work_end(&comer->work);
}

/* @parts: one is queued before it comes to what does not fit. */
static void comer_start(struct comer *comer, bool parts)
{
	struct quire_recorder *recorder = comer->work.recorder;

	for (unsigned int i = 0; parts && i < NR_FIRST; i++)
		quire_recorder_write_value(recorder, quire_at(comer->first[i], 0), 1);
	quire_recorder_write_value(recorder, quire_at(comer->large, 0), 2);
	quire_recorder_write_value(recorder, quire_at(comer->last, 0), 3);
	comer->pid = child_start(CHILD_S);
	if (!comer->pid)
		_exit(-work_submit(&comer->work, comer->context, 0, NULL, NULL));
	tap_ok(child_gets_within(comer->pid, "quire_validation_wait", WAIT_MS),
	       "a submission waits for who is at work in its room");
}

static bool thread_gets_within(const atomic_int *thread, const char *function)
{
	while (!*thread)
		test_sleep_ms(1);
	return child_gets_within(*thread, function, WAIT_MS);
}

/* Begins the comer, which waits for the commands that use its room. */
static void scene_begin(struct scene *scene, bool parts)
{
	*scene = (struct scene) { };
	comer_open(&scene->comer);
	owner_open(scene);
	scene->begin_ns = quire_now_ns();
	comer_start(&scene->comer, parts);
}

static void owner_start(struct scene *scene)
{
	write_both(&scene->owner, 4);
	scene->submitting = gated_start(owner_submit, &scene->owner);
}

/* The owner locks the object that has the room, which commands of WORKER_ROOM use. */
static void lock_room(struct scene *scene)
{
	struct owner *owner = &scene->owner;

	hold(owner, 1);
	owner_start(scene);
	tap_ok(thread_gets_within(&owner->thread, "drm_exec_lock_obj"),
	       "another one has its first object, and wants the second");
}

/* Until nobody is at work there any more. */
static void scene_open(struct scene *scene, unsigned int late_ms, bool parts)
{
	scene_begin(scene, parts);
	test_sleep_ms(late_ms);
	lock_room(scene);
	worker_end(scene, WORKER_ROOM);
}

static void expect_waits(const struct scene *scene)
{
	test_sleep_ms(LOOK_MS);
	tap_ok(child_is_within(scene->owner.thread, "drm_exec_lock_obj"), "it is locked");
	tap_ok(child_is_running(scene->comer.pid), "and waited for");
}

/* The owner gets both locks, and then its turn; its context runs what waits at the gate first. */
static void let_go(struct scene *scene)
{
	child_kill(scene->owner.holder);
	worker_end(scene, WORKER_LAST);
}

static void scene_close(struct scene *scene)
{
	struct owner *owner = &scene->owner;

	pthread_join(scene->submitting, NULL);
	tap_ret(owner->ret, 0, "the other one is queued");
	tap_ok(work_number(owner->room, 0) == 4 && work_number(owner->room, 8) == 2 &&
	       work_number(owner->held, 0) == 4, "and executed");
	workers_close(scene);
	owner_close(owner);
	comer_close(&scene->comer);
}

static void expect_done(const struct comer *comer, bool parts)
{
	tap_ret(-child_status(comer->pid), 0, "the submission is queued");
	tap_ok(work_number(comer->first[0], 0) == parts &&
	       work_number(comer->first[NR_FIRST - 1], 0) == parts &&
	       work_number(comer->large, 0) == 2 && work_number(comer->last, 0) == 3,
	       "and executed");
	tap_ret(work_context_status(comer->context), DRM_QUIRE_CONTEXT_GOOD, "all is well");
}

static void test_goes_on(void)
{
	struct scene scene;

	scene_open(&scene, 0, true);
	expect_waits(&scene);
	let_go(&scene);
	expect_done(&scene.comer, true);
	scene_close(&scene);
}

/*
 * An object is placed in room that is free, without a wait for the lock: the comer, which waits for
 * 15 seconds at most, has not given up meanwhile.
 */
static bool others_are_placed(const struct scene *scene)
{
	static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
	const struct fixture *fixture = &scene->comer.work.fixture;
	struct object object;
	bool placed;

	if (object_create(fixture, &object, QUIRE_PAGE, 1))
		tap_bail("object");
	placed = !object_place_and_wait(fixture, &object, &vram) &&
		 child_is_running(scene->comer.pid);
	object_close(fixture, &object);
	return placed;
}

static void test_others_are_placed(void)
{
	struct scene scene;

	scene_begin(&scene, true);
	lock_room(&scene);
	tap_ok(others_are_placed(&scene), "others are placed while the room is locked");
	worker_end(&scene, WORKER_ROOM);
	tap_ok(others_are_placed(&scene), "also when nobody is at work there");
	expect_waits(&scene);
	let_go(&scene);
	expect_done(&scene.comer, true);
	scene_close(&scene);
}

/* The holder itself has the room locked: with a wound/wait ticket TTM would wait for it. */
static void test_room_is_held(void)
{
	struct scene scene;

	scene_begin(&scene, true);
	hold(&scene.owner, 0);
	worker_end(&scene, WORKER_ROOM);
	test_sleep_ms(LOOK_MS);
	tap_ok(others_are_placed(&scene), "others are placed while the room is locked");
	tap_ok(child_is_running(scene.comer.pid), "which is waited for");
	let_go(&scene);
	expect_done(&scene.comer, true);
	owner_start(&scene);
	scene_close(&scene);
}

static void test_killed(void)
{
	struct scene scene;
	int64_t start;

	scene_open(&scene, 0, true);
	expect_waits(&scene);
	start = quire_now_ns();
	child_kill(scene.comer.pid);
	tap_ok(quire_now_ns() - start < AT_ONCE_MS * 1000000ll, "it is killed at once");
	let_go(&scene);
	scene_close(&scene);
}

/* It begins anew, where somebody is at work with its last object by now. */
static void test_interrupted(void)
{
	struct scene scene;
	int dmabuf;

	scene_open(&scene, 0, false);
	expect_waits(&scene);
	dmabuf = export(&scene.comer.work, scene.comer.last);
	worker_begin(&scene, WORKER_LAST, dmabuf);
	kill(scene.comer.pid, SIGUSR1);
	tap_ok(child_gets_within(scene.comer.pid, "quire_submit_wait_before", WAIT_MS),
	       "a signal ends the wait, before its first part");
	close(dmabuf);
	worker_end(&scene, WORKER_LAST);
	expect_waits(&scene);
	let_go(&scene);
	expect_done(&scene.comer, false);
	scene_close(&scene);
}

/* The lock is held for as long as that may be, and for longer than the comer waits. */
static void test_gives_up(void)
{
	struct scene scene;

	scene_open(&scene, LATE_MS, true);
	tap_ret(-child_status(scene.comer.pid), -ENOSPC, "it does not wait for ever");
	tap_ok(child_is_running(scene.owner.holder), "the lock is held all the time");
	tap_ok(quire_now_ns() - scene.begin_ns > (BUSY_MS - AT_ONCE_MS) * 1000000ll, "but long");
	tap_ret(work_context_status(scene.comer.context), DRM_QUIRE_CONTEXT_INCOMPLETE,
		"a part of it was queued");
	let_go(&scene);
	scene_close(&scene);
}

int main(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct fixture fixture;

	tap_start(200);
	fixture_open(&fixture);
	if (getuid() || !*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (fixture.info.execution_rings < 2)
		tap_skip_all("one execution ring");
	if (sigaction(SIGUSR1, &action, NULL))
		tap_bail("sigaction");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_goes_on();
	test_others_are_placed();
	test_room_is_held();
	test_killed();
	test_interrupted();
	test_gives_up();
	test_parameter("hang_period", 3000);
	close(fixture.fd);
	return tap_done();
}
