// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Processes offer objects (DONTNEED) and take them back while others want their places and
 * their pages, signals come and, where the kernel has fault injection, calls find no memory:
 * "retained" is said of whole objects, and of no other. Root only.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "failing.h"
#include "fixture.h"

#define VM		"/proc/sys/vm"
#define NR_RIVALS	4
#define NR_OBJECTS	4
#define MOST_PAGES	64
#define RUN_MS		2000
#define LEAST_ROUNDS	4
#define LIMIT_S		120

static const struct place any[] = {
	{ "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 },
	{ "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 },
	{ "vram", DRM_QUIRE_SEGMENT_VRAM, 0 },
	{ "visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE },
};

/**
 * struct rival - what one process had
 * @whole: objects that were retained
 * @gone: objects that were not
 * @failed: calls that found no memory
 * @error: what went wrong
 */
struct rival {
	unsigned int whole;
	unsigned int gone;
	unsigned int failed;
	int error;
};

static void on_alarm(int number)
{
	(void)number;
}

/* From the next call on, one of the first allocations of which fails now and then. */
static bool fail_some(uint64_t *random)
{
	bool fails = random_below(random, 2);

	if (fails)
		failing_arm(1 + random_below(random, 12));
	return fails;
}

/* It says so, and has changed nothing: the same call again is not told anything else. */
static int madvise_failing(const struct fixture *fixture, const struct object *object,
			   uint32_t advice, bool *retained, struct rival *rival,
			   uint64_t *random, bool injects)
{
	bool fails = injects && fail_some(random);
	int ret = quire_bo_madvise(fixture->fd, object->handle, advice, retained);

	if (fails)
		failing_disarm();
	if (!fails || ret != -ENOMEM)
		return ret;
	rival->failed++;
	return quire_bo_madvise(fixture->fd, object->handle, advice, retained);
}

/* Memory is short, and room is: that is no error here. */
static int place_some(const struct fixture *fixture, const struct object *object,
		      uint64_t *random)
{
	int ret = object_place(fixture, object, &any[random_below(random, ARRAY_SIZE(any))]);

	return ret == -ENOMEM || ret == -ENOSPC ? 0 : ret;
}

static int reclaim(const struct fixture *fixture, const struct object *object,
		   struct rival *rival, uint64_t *random, bool injects)
{
	bool retained;
	int ret = madvise_failing(fixture, object, DRM_QUIRE_MADV_WILLNEED, &retained, rival,
				  random, injects);

	if (ret)
		return ret;
	if (retained) {
		rival->whole++;
		return object_check(fixture, object);
	}
	rival->gone++;
	return object_check_zero(fixture, object) ?: object_fill(fixture, object);
}

static int rival_round(const struct fixture *fixture, const struct object *objects,
		       struct rival *rival, uint64_t *random, bool injects)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = place_some(fixture, &objects[i], random);
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = madvise_failing(fixture, &objects[i], DRM_QUIRE_MADV_DONTNEED, NULL,
				      rival, random, injects);
	usleep(random_below(random, 6000));
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = reclaim(fixture, &objects[i], rival, random, injects);
	return ret;
}

static int rival_run(struct fixture *fixture, struct rival *rival, uint64_t random)
{
	const struct itimerval often = { { 0, 1700 }, { 0, 1700 } }, never = { 0 };
	struct sigaction action = { .sa_handler = on_alarm };
	struct object objects[NR_OBJECTS];
	bool injects = failing_begin();
	unsigned int rounds = 0;
	int64_t end;
	int ret = 0;

	fixture->fd = quire_open();
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_create(fixture, &objects[i],
				    (1 + random_below(&random, MOST_PAGES)) * QUIRE_PAGE,
				    random_next(&random));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	end = quire_now_ns() + RUN_MS * 1000000ll;
	for (; !ret && (quire_now_ns() < end || rounds < LEAST_ROUNDS); rounds++)
		ret = rival_round(fixture, objects, rival, &random, injects);
	setitimer(ITIMER_REAL, &never, NULL);
	close(fixture->fd);
	return ret;
}

static pid_t start_rival(const struct fixture *fixture, struct rival *rival, unsigned int i)
{
	struct fixture own = *fixture;
	pid_t pid = child_start(LIMIT_S);

	if (pid)
		return pid;
	rival->error = -EINTR; /* until it has ended */
	rival->error = rival_run(&own, rival, i + 1);
	_exit(0);
}

/* Wants half of VRAM, again and again. */
static pid_t start_squeezer(const struct fixture *fixture)
{
	uint64_t size = fixture_vram(fixture) / 2;
	pid_t pid = child_start(LIMIT_S);
	uint32_t handle;
	int fd;

	if (pid)
		return pid;
	fd = quire_open();
	for (;;) {
		if (quire_bo_create(fd, size, &handle))
			continue;
		quire_bo_place(fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0);
		quire_bo_close(fd, handle);
		usleep(1000);
	}
}

/* The kernel, TTM and whoever suspends the device want memory. */
static int squeeze_memory(const struct fixture *fixture, unsigned int i)
{
	int ret = debugfs_write(VM, "drop_caches", "2");

	if (!ret && debugfs_swap_out() < 0)
		ret = -EIO;
	if (!ret && i % 8 == 0)
		ret = debugfs_write(fixture->debugfs, "evict_all", "1");
	usleep(2000);
	return ret;
}

static void test_rivals(const struct fixture *fixture, struct rival *rivals)
{
	pid_t pids[NR_RIVALS], squeezer = start_squeezer(fixture);
	unsigned int whole = 0, gone = 0, rounds = 0;
	int ret = 0;

	for (unsigned int i = 0; i < NR_RIVALS; i++)
		pids[i] = start_rival(fixture, &rivals[i], i);
	for (unsigned int i = 0; i < NR_RIVALS; i++) {
		while (!ret && child_is_running(pids[i]))
			ret = squeeze_memory(fixture, rounds++);
		tap_ret(rivals[i].error, 0, "all of it was whole, or said to be gone and zero");
		tap_diag("whole %u times, gone %u times, %u calls without memory",
			 rivals[i].whole, rivals[i].gone, rivals[i].failed);
		whole += rivals[i].whole;
		gone += rivals[i].gone;
	}
	child_kill(squeezer);
	tap_ret(ret, 0, "memory was short all the time");
	tap_ok(whole && gone, "some were whole, some were gone");
}

int main(void)
{
	struct fixture fixture;
	struct rival *rivals;

	tap_start(LIMIT_S);
	fixture_open(&fixture);
	if (!fixture.debugfs[0] || access(VM "/drop_caches", W_OK) || access(DEBUGFS_TTM, R_OK))
		tap_skip_all("not root, or no debugfs");
	rivals = mmap(NULL, NR_RIVALS * sizeof(*rivals), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rivals == MAP_FAILED)
		tap_bail("mmap");
	test_rivals(&fixture, rivals);
	if (failing_begin())
		failing_end();
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	fixture_test_works(&fixture);
	return tap_done();
}
