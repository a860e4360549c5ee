// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Placements that wait for their turn under periodic signals: each ends, in bounded time,
 * whether its calls are restarted by the kernel or made again by the program; and whoever
 * has the signals gets no less than the others. Unbinding ends all waits, also that of who
 * evicts everything, and nobody waits behind.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

#define NR_OTHERS	6
#define LIMIT_S		120

/* The slowest of the others to the one with the signals, in placements. */
#define MOST_UNFAIR	3

/* All the others, twice, on a slow machine. */
#define LONGEST_MS	20000

/* Who has the turn for a moment only, and for how long again and again. */
#define NR_EVICTORS	3
#define RACE_MS		1500

/* Until one more is in the queue. */
#define QUEUE_MS	100

/**
 * struct period - how signals come
 * @milliseconds: between two
 * @flags: of sigaction()
 * @run_ms: how long to place under them
 * @name: for messages
 */
static const struct period {
	unsigned int milliseconds;
	int flags;
	unsigned int run_ms;
	const char *name;
} periods[] = {
	{ 10, 0, 2000, "every 10 ms, calls made again" },
	{ 10, SA_RESTART, 2000, "every 10 ms, restarted" },
	{ 100, SA_RESTART, 2000, "every 100 ms, restarted" },
	{ 1000, SA_RESTART, 3000, "every second, restarted" },
	{ 3000, SA_RESTART, 4000, "every 3 seconds, restarted" },
};

static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
	(void)signal;
	signals++;
}

static timer_t start_timer(const struct period *period)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = period->flags };
	struct itimerspec time = {
		.it_interval = {
			.tv_sec = period->milliseconds / 1000,
			.tv_nsec = period->milliseconds % 1000 * 1000000l,
		},
	};
	timer_t timer;

	time.it_value = time.it_interval;
	sigaction(SIGUSR1, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &time, NULL))
		tap_bail("timer");
	return timer;
}

/* An object of 3/4 of VRAM, placed and counted for as long as the parent is there. */
static pid_t start_other(uint64_t size, atomic_uint *placed)
{
	struct fixture fixture;
	struct object object = { .size = size };
	pid_t parent = getpid(), pid = child_start(LIMIT_S);
	int ret;

	if (pid)
		return pid;
	fixture_open(&fixture);
	ret = quire_bo_create(fixture.fd, size, &object.handle);
	while (!ret && getppid() == parent) {
		ret = object_place_and_wait(&fixture, &object, &places[2]);
		atomic_fetch_add(placed, !ret);
	}
	_exit(-ret & 0xff);
}

static unsigned int least_placed(atomic_uint *others)
{
	unsigned int least = atomic_exchange(&others[0], 0);

	for (int i = 1; i < NR_OTHERS; i++) {
		unsigned int placed = atomic_exchange(&others[i], 0);

		least = placed < least ? placed : least;
	}
	return least;
}

static void test_period(const struct fixture *fixture, const struct object *object,
			atomic_uint *others, const struct period *period)
{
	int64_t end = quire_now_ns() + period->run_ms * 1000000ll, longest = 0;
	unsigned int placed = 0, least;
	timer_t timer = start_timer(period);
	int ret = 0;

	signals = 0;
	least_placed(others);
	while (!ret && (quire_now_ns() < end || !placed || !signals)) {
		int64_t begin = quire_now_ns();

		ret = object_place_and_wait(fixture, object, &places[2]);
		begin = quire_now_ns() - begin;
		longest = begin > longest ? begin : longest;
		placed += !ret;
	}
	least = least_placed(others);
	timer_delete(timer);
	tap_diag("%s: %u placed, others %u or more, %d signals, longest %d ms", period->name,
		 placed, least, (int)signals, (int)(longest / 1000000));
	tap_ret(ret, 0, "%s: placed each time", period->name);
	tap_ok(placed && signals && longest < LONGEST_MS * 1000000ll, "%s: in bounded time",
	       period->name);
	tap_ok(placed * MOST_UNFAIR >= least, "%s: as often as others", period->name);
}

static void evict_under_signals(const char *debugfs)
{
	static const struct period period = { .milliseconds = 1 };
	int64_t end = quire_now_ns() + RACE_MS * 1000000ll;
	int ret = 0;

	start_timer(&period);
	while ((!ret || ret == -EINTR) && quire_now_ns() < end)
		ret = debugfs_write(debugfs, "evict_all", "1");
	_exit(ret == -EINTR ? 0 : -ret);
}

/*
 * Signals that come when somebody gets the turn, which is had shortly and often: it is never
 * left to nobody.
 */
static void test_race(const struct fixture *fixture)
{
	pid_t pids[NR_EVICTORS];

	if (!*fixture->debugfs) {
		tap_skip("no debugfs, or not root", "signals that come with the turn");
		return;
	}
	for (int i = 0; i < NR_EVICTORS; i++) {
		pids[i] = child_start(LONGEST_MS / 1000);
		if (!pids[i])
			evict_under_signals(fixture->debugfs);
	}
	for (int i = 0; i < NR_EVICTORS; i++)
		tap_ret(child_status(pids[i]), 0, "evicts everything under signals");
}

/* Evicts everything, for as long as the device is there. */
static pid_t start_evicting(const char *debugfs)
{
	pid_t pid = child_start(LIMIT_S);

	if (pid)
		return pid;
	while (!debugfs_write(debugfs, "evict_all", "1"))
		;
	_exit(0);
}

/*
 * Unbinding waits for what is at work, and for nobody in the queue. When the device has gone, each
 * of the others can end one placement at most, which was at work.
 */
static void test_unbind(const char *address, const pid_t *others, const atomic_uint *placed,
			const char *debugfs)
{
	pid_t evicting = start_evicting(debugfs), pid;
	unsigned int before[NR_OTHERS];
	bool ends = true;

	test_sleep_ms(QUEUE_MS);
	pid = child_start(LIMIT_S);
	if (!pid)
		_exit(-sysfs_driver_write("unbind", address));
	while (child_is_running(pid) && !child_is_within(pid, "drm_dev_unplug"))
		;
	for (int i = 0; i < NR_OTHERS; i++)
		before[i] = atomic_load(&placed[i]);
	tap_ret(-child_status(pid), 0, "unbind");
	for (int i = 0; i < NR_OTHERS; i++) {
		tap_ret(-child_status(others[i]), -ENODEV, "somebody who waits is told");
		ends &= atomic_load(&placed[i]) <= before[i] + 1;
	}
	tap_ret(child_status(evicting), 0, "so is who evicts everything");
	tap_ok(ends, "no other placement begins");
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
}

int main(void)
{
	struct object object;
	struct fixture fixture;
	atomic_uint *placed = mmap(NULL, NR_OTHERS * sizeof(*placed), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t others[NR_OTHERS];
	char address[64];

	if (placed == MAP_FAILED)
		tap_bail("mmap");
	tap_start(LIMIT_S);
	fixture_open(&fixture);
	test_race(&fixture);
	tap_ret(object_create(&fixture, &object,
			      fixture_vram(&fixture) / 4 * 3 / QUIRE_PAGE * QUIRE_PAGE, 1), 0,
		"create");
	for (int i = 0; i < NR_OTHERS; i++)
		others[i] = start_other(object.size, &placed[i]);
	for (size_t i = 0; i < ARRAY_SIZE(periods); i++)
		test_period(&fixture, &object, placed, &periods[i]);
	for (int i = 0; i < NR_OTHERS; i++)
		tap_ok(!waitpid(others[i], NULL, WNOHANG), "nobody else was refused");
	tap_ret(object_check(&fixture, &object), 0, "the content is whole");
	object_close(&fixture, &object);
	tap_ret(sysfs_pci_address(fixture.fd, address, sizeof(address)), 0, "find its driver");
	close(fixture.fd);
	test_unbind(address, others, placed, fixture.debugfs);
	fixture_reopen(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
