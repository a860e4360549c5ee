// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Processes that hold and evict the same objects, more than VRAM has room for, with signals, in
 * which some are killed, while the device hangs, and until it is gone: each holds what it thinks,
 * and in the end nobody holds anything.
 */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "dmabuf.h"
#include "resident.h"

#define RIVALS		5u
#define OBJECTS		12u	/* each an eighth of VRAM */
#define MOST		3u	/* of one call */
#define RUN_MS		8000
#define TURNS		20u	/* at work */
#define HANG_MS		3000
#define SIGNAL_NS	20000000

/**
 * struct scene - what all of them have
 * @fixture: of who has made the objects
 * @objects: shared
 * @dmabufs: of them
 * @shared: memory: they are to end; how many turns each has made
 */
struct scene {
	struct fixture fixture;
	struct object objects[OBJECTS];
	int dmabufs[OBJECTS];
	struct {
		atomic_bool stop;
		atomic_uint turns[RIVALS];
	} *shared;
};

/**
 * struct rival - one of them
 * @scene: all
 * @index: below RIVALS
 * @fixture: its file
 * @objects: its handles
 * @held: how often it holds each
 * @random: state
 */
struct rival {
	const struct scene *scene;
	unsigned int index;
	struct fixture fixture;
	struct object objects[OBJECTS];
	unsigned int held[OBJECTS];
	uint64_t random;
};

/* What a rival ends with. */
enum { RIVAL_IMPORT = 100, RIVAL_HOLD, RIVAL_EVICT, RIVAL_PLACE, RIVAL_BUDGET, RIVAL_COUNT };

static void scene_open(struct scene *scene)
{
	const uint64_t size = fixture_vram(&scene->fixture) / 8;

	scene->shared = mmap(NULL, sizeof(*scene->shared), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (scene->shared == MAP_FAILED)
		tap_bail("shared memory");
	for (unsigned int i = 0; i < OBJECTS; i++) {
		tap_ret(object_create(&scene->fixture, &scene->objects[i], size, i + 1), 0,
			"object %u", i);
		scene->dmabufs[i] = dmabuf_export(scene->fixture.fd, scene->objects[i].handle);
	}
}

static void scene_close(struct scene *scene)
{
	for (unsigned int i = 0; i < OBJECTS; i++) {
		close(scene->dmabufs[i]);
		object_close(&scene->fixture, &scene->objects[i]);
	}
	munmap(scene->shared, sizeof(*scene->shared));
}

static void open_object(struct rival *rival, unsigned int i)
{
	int ret;

	rival->objects[i] = rival->scene->objects[i];
	ret = dmabuf_import(rival->fixture.fd, rival->scene->dmabufs[i],
			    &rival->objects[i].handle);
	if (ret)
		_exit(ret == -ENODEV ? ENODEV : RIVAL_IMPORT);
	rival->held[i] = 0;
}

/* Some, also one several times. Returns how many. */
static uint32_t choose(struct rival *rival, struct drm_quire_resident list[MOST],
		       unsigned int chosen[MOST])
{
	uint32_t count = 1 + random_below(&rival->random, MOST);

	for (uint32_t i = 0; i < count; i++) {
		chosen[i] = random_below(&rival->random, OBJECTS);
		list[i] = (struct drm_quire_resident){
			.handle = rival->objects[chosen[i]].handle,
		};
	}
	return count;
}

static void hold_some(struct rival *rival)
{
	struct drm_quire_resident list[MOST];
	unsigned int chosen[MOST];
	uint32_t count = choose(rival, list, chosen);
	struct drm_quire_make_resident make = { .objects = DRM_QUIRE_ARRAY(count, list) };
	int ret = quire_ioctl_once(rival->fixture.fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make);

	if (ret && ret != -EINTR)
		_exit(ret == -ENODEV ? ENODEV : RIVAL_HOLD);
	for (uint32_t i = 0; i < count && !ret; i++)
		rival->held[chosen[i]]++;
}

static bool holds_them(const struct rival *rival, const unsigned int chosen[MOST], uint32_t count)
{
	unsigned int left[OBJECTS];

	memcpy(left, rival->held, sizeof(left));
	for (uint32_t i = 0; i < count; i++)
		if (!left[chosen[i]]--)
			return false;
	return true;
}

static void evict_some(struct rival *rival)
{
	struct drm_quire_resident list[MOST];
	unsigned int chosen[MOST];
	uint32_t count = choose(rival, list, chosen);
	struct drm_quire_evict evict = { .objects = DRM_QUIRE_ARRAY(count, list) };
	int ret = quire_ioctl(rival->fixture.fd, DRM_IOCTL_QUIRE_EVICT, &evict);

	if (ret == -ENODEV)
		_exit(ENODEV);
	if (ret != (holds_them(rival, chosen, count) ? 0 : -EINVAL))
		_exit(RIVAL_EVICT);
	for (uint32_t i = 0; i < count && !ret; i++)
		rival->held[chosen[i]]--;
}

/* Another handle: it holds nothing by that. */
static void renew_one(struct rival *rival)
{
	unsigned int i = random_below(&rival->random, OBJECTS);

	object_close(&rival->fixture, &rival->objects[i]);
	open_object(rival, i);
}

static void place_one(struct rival *rival)
{
	struct object *object = &rival->objects[random_below(&rival->random, OBJECTS)];
	int ret = object_place(&rival->fixture, object, &places[random_below(&rival->random, 3)]);

	if (ret)
		_exit(ret == -ENODEV ? ENODEV : RIVAL_PLACE);
}

static void ask_budgets(struct rival *rival)
{
	struct drm_quire_budget_info budgets[QUIRE_SEGMENTS];
	struct drm_quire_query query = {
		.type = DRM_QUIRE_QUERY_BUDGETS,
		.answer = DRM_QUIRE_ARRAY(QUIRE_SEGMENTS, budgets),
	};
	int ret = quire_ioctl(rival->fixture.fd, DRM_IOCTL_QUIRE_QUERY, &query);

	if (ret)
		_exit(ret == -ENODEV ? ENODEV : RIVAL_BUDGET);
	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++)
		if (budgets[i].resident > budgets[i].usage)
			_exit(RIVAL_BUDGET);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Whether it works or waits. */
static void let_signals_come(void)
{
	const struct itimerspec often = {
		.it_interval.tv_nsec = SIGNAL_NS, .it_value.tv_nsec = SIGNAL_NS,
	};
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct sigaction action = { .sa_handler = on_signal };
	timer_t timer;

	sigaction(SIGUSR1, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &often, NULL))
		_exit(1);
}

/* Never returns. Its status: 0, ENODEV the device is gone, RIVAL_*. */
static void compete(struct rival *rival)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		open_object(rival, i);
	let_signals_come();
	while (!rival->scene->shared->stop) {
		rival->scene->shared->turns[rival->index]++;
		switch (random_below(&rival->random, 12)) {
		case 0 ... 4:
			hold_some(rival);
			break;
		case 5 ... 8:
			evict_some(rival);
			break;
		case 9:
			renew_one(rival);
			break;
		case 10:
			place_one(rival);
			break;
		default:
			ask_budgets(rival);
		}
	}
	for (unsigned int i = 0; i < OBJECTS; i++)
		if (resident_count(rival->fixture.fd, &rival->objects[i]) != (int)rival->held[i])
			_exit(RIVAL_COUNT);
	_exit(0);
}

static pid_t start_rival(const struct scene *scene, unsigned int index, uint64_t seed)
{
	struct rival rival = { .scene = scene, .index = index, .random = seed };
	pid_t pid;

	scene->shared->turns[index] = 0;
	pid = child_start(150);
	if (pid)
		return pid;
	fixture_open(&rival.fixture);
	compete(&rival);
	_exit(1);
}

/* Returns false if it does not come to be, or has ended. */
static bool is_at_work(const struct scene *scene, unsigned int index, pid_t pid)
{
	for (unsigned int i = 0; i < WAIT_MS / 10 && child_is_running(pid); i++) {
		if (scene->shared->turns[index] >= TURNS)
			return true;
		test_sleep_ms(10);
	}
	return false;
}

static void start_rivals(const struct scene *scene, pid_t pids[RIVALS])
{
	scene->shared->stop = false;
	for (unsigned int i = 0; i < RIVALS; i++)
		pids[i] = start_rival(scene, i, i + 1);
	for (unsigned int i = 0; i < RIVALS; i++)
		tap_ok(is_at_work(scene, i, pids[i]), "rival %u is at work", i);
}

/* One after the other is killed, and another one comes; who has ended himself was wrong. */
static void kill_some(const struct scene *scene, pid_t pids[RIVALS])
{
	int64_t end = quire_now_ns() + RUN_MS * 1000000ll;
	unsigned int killed = 0;
	bool goes_on = true;

	while (quire_now_ns() < end && goes_on) {
		unsigned int i = killed % RIVALS;

		goes_on = is_at_work(scene, i, pids[i]);
		if (!goes_on)
			break;
		child_kill(pids[i]);
		pids[i] = start_rival(scene, i, RIVALS + ++killed);
	}
	tap_ok(goes_on && killed, "%u were killed at work", killed);
}

/* Nobody holds anything: all of them leave when others need the room. */
static void expect_free(const struct scene *scene)
{
	unsigned int there = 0, whole = 0;

	for (unsigned int i = 0; i < OBJECTS; i++)
		tap_ret(object_place(&scene->fixture, &scene->objects[i], &places[2]), 0,
			"%u comes to VRAM", i);
	resident_flood(&scene->fixture);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		there += object_segment(&scene->fixture, &scene->objects[i]) ==
			 DRM_QUIRE_SEGMENT_VRAM;
		whole += !object_check(&scene->fixture, &scene->objects[i]);
	}
	tap_ok(!there, "nobody holds anything (%u)", there);
	tap_ok(whole == OBJECTS, "all are whole (%u)", whole);
}

static void test_rivals(struct scene *scene)
{
	pid_t pids[RIVALS], hanging = 0;

	if (*scene->fixture.debugfs) {
		test_parameter("hang_period", 1000);
		hanging = fixture_start_hanging(&scene->fixture, HANG_MS);
	}
	start_rivals(scene, pids);
	kill_some(scene, pids);
	scene->shared->stop = true;
	for (unsigned int i = 0; i < RIVALS; i++)
		tap_ret(child_status(pids[i]), 0, "rival %u has held what it thought", i);
	if (hanging) {
		child_kill(hanging);
		fixture_inject(&scene->fixture, "hang 0");
		test_parameter("hang_period", 3000);
	}
	expect_free(scene);
}

/* The device goes while they wait for room, and for each other. */
static void test_gone(struct scene *scene)
{
	char address[64];
	pid_t pids[RIVALS];

	if (sysfs_pci_address(scene->fixture.fd, address, sizeof(address))) {
		tap_skip("the device has no address", "it goes");
		return;
	}
	start_rivals(scene, pids);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	for (unsigned int i = 0; i < RIVALS; i++)
		tap_ret(child_status(pids[i]), ENODEV, "rival %u is told", i);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
}

int main(void)
{
	struct scene scene;

	tap_start(200);
	fixture_open(&scene.fixture);
	scene_open(&scene);
	test_rivals(&scene);
	test_gone(&scene);
	scene_close(&scene);
	close(scene.fixture.fd);
	fixture_reopen(&scene.fixture);
	fixture_test_works(&scene.fixture);
	tap_ok(fixture_settles(&scene.fixture, scene.fixture.segments), "nothing is left");
	return tap_done();
}
