// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A program whose commands are at work on two rings, some that last and some that wait for a
 * value for ever, is killed, destroys its contexts, or closes the device: what was begun ends,
 * what was queued is executed unless the program was killed, others go on and are right, what is
 * shared with them has the right content, and all memory comes back.
 */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dmabuf.h"
#include "space.h"
#include "syncs.h"

/* What waits for a value is taken for hung after that. */
#define PATIENCE_MS	1000u

#define PAGES		8u
#define SIZE		(PAGES * QUIRE_PAGE)
#define SHARED		0x5000000000ull
#define GATE		0x7000000000ull
#define OWN		0x4000000000ull
#define LATER		0x6000000000ull
#define VICTIM_S	240
#define STILL_MS	200
#define ROUNDS		10u

/**
 * enum step - what the program has queued; each has a fence
 * @LASTS: commands on ring 0 that last until the program has ended; they write page 1 at both ends
 * @WAITS: commands on ring 1 that wait for ever; then they would write page 2
 * @BEHIND: commands of the same context behind them, that would write page 3
 * @AFTER: commands of another context that begin after @LASTS, and write page 4
 * @BOUND: a bind after @LASTS
 * @USES: commands of a third context on ring 1 after the bind; they write page 5 with it
 * @STEPS_QUEUED: how many there are
 */
enum step { LASTS, WAITS, BEHIND, AFTER, BOUND, USES, STEPS_QUEUED, NO_STEP };

/**
 * struct stage - what both programs see
 * @ready: the victim has queued everything
 * @end: it is to end as it should
 * @ended: it has
 * @files: sync_files of all steps
 */
struct stage {
	atomic_bool ready;
	atomic_bool end;
	atomic_bool ended;
	int files[STEPS_QUEUED];
};

/**
 * struct scene - the program that stays
 * @work: the device
 * @space: its address space
 * @mine: an object of its own, bound at OWN
 * @shared: with the victim; bound at SHARED in both
 * @gate: the same, at GATE: a value that never comes, two that say what has begun, and one that
 *	ends @LASTS
 * @expected: content of @shared
 * @dmabufs: of @shared and @gate
 * @stage: what both see
 */
struct scene {
	struct work work;
	struct space space;
	struct quire_object *mine;
	struct quire_object *shared;
	struct gate gate;
	uint8_t expected[SIZE];
	int dmabufs[2];
	struct stage *stage;
};

/**
 * struct victim - the program that ends
 * @work: the device
 * @space: its address space, and the context of @LASTS
 * @contexts: of @WAITS, @AFTER and @USES
 * @own: private, and large
 * @shared: with the others
 * @gate: with the others
 * @fences: of all steps
 */
struct victim {
	struct work work;
	struct space space;
	struct quire_context *contexts[3];
	struct quire_object *own;
	struct quire_object *shared;
	struct quire_object *gate;
	struct quire_fence *fences[STEPS_QUEUED];
};

static uint64_t page(unsigned int number)
{
	return SHARED + number * QUIRE_PAGE;
}

static struct quire_object *import(const struct work *work, int dmabuf)
{
	struct quire_object *object;
	uint32_t handle;

	if (dmabuf_import(work->fixture.fd, dmabuf, &handle) ||
	    quire_object_from_handle(work->device, handle, &object))
		tap_bail("import");
	return object;
}

static void victim_open(struct victim *victim, const int *dmabufs)
{
	struct space *space = &victim->space;

	work_open(&victim->work);
	space_open(space, &victim->work);
	victim->shared = import(&victim->work, dmabufs[0]);
	victim->gate = import(&victim->work, dmabufs[1]);
	victim->own = space_object(space, fixture_vram(&victim->work.fixture) / 4, 0, true);
	space_map(space, SHARED, victim->shared, 0, SIZE);
	space_map(space, GATE, victim->gate, 0, QUIRE_PAGE);
	space_map(space, OWN, victim->own, 0, quire_object_size(victim->own));
	for (unsigned int i = 0; i < ARRAY_SIZE(victim->contexts); i++)
		victim->contexts[i] = space_context(space);
	for (unsigned int i = 0; i < STEPS_QUEUED; i++)
		victim->fences[i] = work_fence(&victim->work);
}

/* What was written since the last one. */
static int queue(struct victim *victim, struct quire_context *context, uint32_t ring,
		 enum step after, enum step step)
{
	struct space *space = &victim->space;
	const struct quire_fence_point before = {
		.fence = after == NO_STEP ? NULL : victim->fences[after],
	};
	const struct quire_fence_point end = { .fence = victim->fences[step] };
	const struct quire_submission how = {
		.ring = ring,
		.nr_waits = after != NO_STEP, .waits = &before,
		.nr_signals = 1, .signals = &end,
	};
	uint32_t begin = space->begin;

	space->begin = space->writer.used;
	return quire_exec(context, SPACE_COMMANDS + begin, space->writer.used - begin, &how, NULL);
}

static int queue_lasting(struct victim *victim)
{
	struct quire_writer *writer = &victim->space.writer;

	quire_write_fill(writer, page(1), QUIRE_PAGE, 0x11111111);
	quire_write_value(writer, GATE + 8, 1);
	quire_write_wait(writer, QUIRE_WAIT_GREATER_EQUAL, GATE + 24, 1);
	quire_write_fill(writer, page(1), QUIRE_PAGE, 0x22222222);
	return queue(victim, victim->space.context, 0, NO_STEP, LASTS);
}

static int queue_waiting(struct victim *victim)
{
	struct quire_writer *writer = &victim->space.writer;

	quire_write_value(writer, GATE + 16, 1);
	quire_write_wait(writer, QUIRE_WAIT_GREATER_EQUAL, GATE, 1);
	quire_write_fill(writer, page(2), QUIRE_PAGE, 0x33333333);
	return queue(victim, victim->contexts[0], 1, NO_STEP, WAITS);
}

static int queue_behind(struct victim *victim)
{
	quire_write_fill(&victim->space.writer, page(3), QUIRE_PAGE, 0x33333333);
	return queue(victim, victim->contexts[0], 1, NO_STEP, BEHIND);
}

static int bind_after(struct victim *victim, enum step step)
{
	const struct quire_fence_point before = { .fence = victim->fences[step] };
	const struct quire_fence_point after = { .fence = victim->fences[BOUND] };
	const struct quire_binding how = {
		.nr_waits = 1, .waits = &before, .nr_signals = 1, .signals = &after,
	};
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .address = LATER, .size = QUIRE_PAGE,
		.handle = quire_object_handle(victim->own),
	};

	return quire_vm_bind(victim->space.vm, &bind, 1, &how, NULL);
}

static int queue_later(struct victim *victim)
{
	struct quire_writer *writer = &victim->space.writer;
	int ret;

	quire_write_fill(writer, page(4), QUIRE_PAGE, 0x44444444);
	ret = queue(victim, victim->contexts[1], 0, LASTS, AFTER) ?:
	      bind_after(victim, LASTS);
	quire_write_fill(writer, LATER, QUIRE_PAGE, 0x55555555);
	quire_write_copy(writer, LATER, page(5), QUIRE_PAGE);
	return ret ?: queue(victim, victim->contexts[2], 1, BOUND, USES);
}

static void end_contexts(struct victim *victim)
{
	quire_context_destroy(victim->space.context);
	for (unsigned int i = 0; i < ARRAY_SIZE(victim->contexts); i++)
		quire_context_destroy(victim->contexts[i]);
}

/* All that it has is there yet; a mapping would keep the file. */
static void end_file(struct victim *victim)
{
	quire_object_unmap(victim->space.buffer);
	close(victim->work.fixture.fd);
}

static void run_victim(const struct scene *scene, void (*end)(struct victim *victim))
{
	struct stage *stage = scene->stage;
	struct victim victim = { 0 };

	victim_open(&victim, scene->dmabufs);
	if (queue_lasting(&victim) || queue_waiting(&victim) || queue_behind(&victim) ||
	    queue_later(&victim))
		_exit(1);
	for (unsigned int i = 0; i < STEPS_QUEUED; i++)
		stage->files[i] = quire_fence_export(victim.fences[i], 0);
	atomic_store(&stage->ready, true);
	while (!atomic_load(&stage->end))
		test_sleep_ms(1);
	end(&victim);
	atomic_store(&stage->ended, true);
	for (;;)
		pause();
}

static void scene_open(struct scene *scene)
{
	work_begin(&scene->work);
	space_open(&scene->space, &scene->work);
	scene->mine = work_object(&scene->work, SIZE);
	scene->shared = work_object(&scene->work, SIZE);
	work_gate_open_apart(&scene->work, &scene->gate);
	space_map(&scene->space, OWN, scene->mine, 0, SIZE);
	space_map(&scene->space, SHARED, scene->shared, 0, SIZE);
	scene->dmabufs[0] = dmabuf_export(scene->work.fixture.fd,
					  quire_object_handle(scene->shared));
	scene->dmabufs[1] = dmabuf_export(scene->work.fixture.fd,
					  quire_object_handle(scene->gate.object));
	scene->stage = mmap(NULL, sizeof(*scene->stage), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (scene->dmabufs[0] < 0 || scene->dmabufs[1] < 0 || scene->stage == MAP_FAILED)
		tap_bail("what is shared");
}

static void scene_close(struct scene *scene)
{
	munmap(scene->stage, sizeof(*scene->stage));
	close(scene->dmabufs[1]);
	close(scene->dmabufs[0]);
	work_gate_close(&scene->gate);
	quire_object_close(scene->shared);
	quire_object_close(scene->mine);
	space_close(&scene->space);
	work_end(&scene->work);
}

/* On each ring by turns: it is what the CPU says. */
static bool others_go_on(struct scene *scene, unsigned int rounds)
{
	static uint32_t words[SIZE / 4];
	bool right = true;

	for (unsigned int i = 0; i < rounds && right; i++) {
		scene->space.ring = i % 2;
		quire_write_fill(&scene->space.writer, OWN, SIZE, i + 1);
		for (unsigned int n = 0; n < ARRAY_SIZE(words); n++)
			words[n] = i + 1;
		right = space_has(&scene->space, OWN, words, SIZE);
	}
	scene->space.ring = 0;
	return right;
}

static bool shared_is_right(struct scene *scene)
{
	bool right = true;

	for (unsigned int i = 0; i < PAGES; i++)
		if (!space_has(&scene->space, page(i), scene->expected + i * QUIRE_PAGE,
			       QUIRE_PAGE)) {
			tap_diag("page %u", i);
			right = false;
		}
	return right;
}

/* Commands of the victim say that they are at work, and it has queued everything. */
static bool says(const struct scene *scene, unsigned int number)
{
	for (unsigned int i = 0; i < WAIT_MS; i++) {
		if (__atomic_load_n(&scene->gate.number[number], __ATOMIC_SEQ_CST) &&
		    atomic_load(&scene->stage->ready))
			return true;
		test_sleep_ms(1);
	}
	return false;
}

static bool has_begun(const struct scene *scene)
{
	return says(scene, 1) && says(scene, 2);
}

/* Its sync_files are ours, too. */
static void take_files(const struct scene *scene, pid_t pid, int *files)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);

	for (unsigned int i = 0; i < STEPS_QUEUED; i++) {
		files[i] = syscall(SYS_pidfd_getfd, pidfd, scene->stage->files[i], 0);
		if (files[i] < 0)
			tap_bail("sync_file %u", i);
	}
	close(pidfd);
}

/* Returns false if it does not in time. */
static bool ends(struct scene *scene, pid_t pid, bool killed)
{
	if (killed)
		kill(pid, SIGKILL);
	else
		atomic_store(&scene->stage->end, true);
	for (unsigned int i = 0; i < WAIT_MS; i++) {
		if (killed ? !child_is_running(pid) : atomic_load(&scene->stage->ended))
			return true;
		test_sleep_ms(1);
	}
	return false;
}

/* What was begun goes on: one that comes to its end, and then the other one, which never does. */
static void let_end(const struct scene *scene, int lasts)
{
	__atomic_store_n(&scene->gate.number[3], 1, __ATOMIC_SEQ_CST);
	tap_ok(fd_is_ready(lasts, WAIT_MS), "what lasts ends");
	test_parameter("hang_period", PATIENCE_MS);
}

static void expect_fences(int *files, bool killed)
{
	const int expected[STEPS_QUEUED] = {
		[LASTS] = 1,
		[WAITS] = -EIO,
		[BEHIND] = -ECANCELED,
		[AFTER] = killed ? -ECANCELED : 1,
		[BOUND] = 1,
		[USES] = killed ? -ECANCELED : 1,
	};

	for (unsigned int i = 0; i < STEPS_QUEUED; i++) {
		struct fence_state state = { 0 };

		if (!fd_is_ready(files[i], WAIT_MS) || fence_query(files[i], &state))
			state.status = 0;
		tap_ret(state.status, expected[i], "step %u ends as it should", i);
		close(files[i]);
	}
}

/* Of commands that were executed. */
static void expect_page(struct scene *scene, unsigned int number, uint8_t byte)
{
	memset(scene->expected + number * QUIRE_PAGE, byte, QUIRE_PAGE);
}

/* More than what the victim leaves: it needs the room of that. */
static void test_room(struct scene *scene)
{
	const uint64_t size = fixture_vram(&scene->work.fixture) * 7 / 8;
	struct quire_object *large = work_object(&scene->work, size);

	tap_ret(quire_bo_place(scene->work.fixture.fd, quire_object_handle(large),
			       DRM_QUIRE_SEGMENT_VRAM, 0), 0, "there is room for others");
	quire_object_close(large);
}

/* What moved just now leaves pages that are freed a little later. */
static void query_settled(const struct fixture *fixture, struct drm_quire_segment_info *segments)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	do {
		if (quire_query_segments(fixture->fd, segments))
			tap_bail("usage");
		test_sleep_ms(STILL_MS);
	} while (!fixture_is_unchanged(fixture, segments) && quire_now_ns() < end);
}

/* To that or below: what was freed a little later may have been in it. */
static bool come_down(const struct fixture *fixture,
		      const struct drm_quire_segment_info before[QUIRE_SEGMENTS])
{
	bool down = true;

	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++)
		down &= fixture_comes_down(fixture, i, before[i].usage);
	return down;
}

static void begin_scene(struct scene *scene, struct drm_quire_segment_info *before)
{
	memset(scene->stage, 0, sizeof(*scene->stage));
	for (unsigned int i = 0; i < 4; i++)
		scene->gate.number[i] = 0;
	space_soil(scene->shared, 1);
	pattern_fill(scene->expected, SIZE, 1);
	tap_ok(others_go_on(scene, 2) && shared_is_right(scene), "all is well");
	query_settled(&scene->work.fixture, before);
}

/* @end: what it does; NULL: it is killed */
static void test_end(struct scene *scene, void (*end)(struct victim *victim), const char *name)
{
	struct drm_quire_segment_info before[QUIRE_SEGMENTS];
	int files[STEPS_QUEUED];
	pid_t pid;

	begin_scene(scene, before);
	pid = child_start(VICTIM_S);
	if (!pid)
		run_victim(scene, end);
	tap_ok(has_begun(scene), "%s: both rings are at work", name);
	take_files(scene, pid, files);
	tap_ok(ends(scene, pid, !end), "%s: at once", name);
	let_end(scene, files[LASTS]);
	tap_ok(others_go_on(scene, ROUNDS), "%s: others go on", name);
	test_room(scene);
	expect_fences(files, !end);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	expect_page(scene, 1, 0x22);
	if (end) {
		expect_page(scene, 4, 0x44);
		expect_page(scene, 5, 0x55);
	}
	tap_ok(shared_is_right(scene), "%s: what is shared is right", name);
	/* it has its objects yet, unless the file was closed */
	if (end != end_file)
		child_kill(pid);
	tap_ok(others_go_on(scene, 2) && come_down(&scene->work.fixture, before),
	       "%s: its memory is free", name);
	if (end == end_file)
		child_kill(pid);
	tap_ok(!memcmp(space_bytes(scene->shared), scene->expected, SIZE),
	       "%s: what is shared is right for the CPU", name);
}

/* Behind a bind that waits for commands, which wait for ever. */
static void run_binding(const struct scene *scene)
{
	struct victim victim = { 0 };

	victim_open(&victim, scene->dmabufs);
	if (queue_waiting(&victim) || bind_after(&victim, WAITS))
		_exit(1);
	atomic_store(&scene->stage->ready, true);
	space_unmap(&victim.space, LATER, QUIRE_PAGE);
	_exit(0);
}

/* Who has asked for a bind without a fence waits for it, but not when it is killed. */
static void test_binding(struct scene *scene)
{
	struct drm_quire_segment_info before[QUIRE_SEGMENTS];
	pid_t pid;

	begin_scene(scene, before);
	pid = child_start(VICTIM_S);
	if (!pid)
		run_binding(scene);
	tap_ok(says(scene, 2) && child_gets_within(pid, "quire_vm_bind", WAIT_MS),
	       "a program waits for a bind");
	tap_ok(ends(scene, pid, true), "killed there, it ends at once");
	child_kill(pid);
	work_gate_raise(&scene->gate, 1);
	tap_ok(others_go_on(scene, ROUNDS), "others go on behind it");
	expect_page(scene, 2, 0x33);
	tap_ok(come_down(&scene->work.fixture, before), "its memory is free");
	tap_ok(shared_is_right(scene), "what had begun is executed, and nothing else");
}

int main(void)
{
	struct scene scene = { 0 };

	tap_start(200);
	scene_open(&scene);
	if (geteuid() || scene.work.fixture.info.execution_rings < 2)
		tap_skip_all("not root, or too few rings");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_end(&scene, NULL, "killed");
	test_end(&scene, end_contexts, "contexts destroyed");
	test_end(&scene, end_file, "closed");
	test_binding(&scene);
	test_parameter("hang_period", 3000);
	scene_close(&scene);
	return tap_done();
}
