// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What a program does to its own calls while they run: answers, numbers and content are right. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

#define RUN_MS		3000
#define NR_PLACERS	4
#define FIRST_US	500
#define LAST_US		900000

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static atomic_bool stop;

/* The page can be written, and can not, and can. */
static void *protect(void *page)
{
	while (!stop) {
		mprotect(page, QUIRE_PAGE, PROT_NONE);
		mprotect(page, QUIRE_PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

static bool answer_goes_on(int64_t begin, bool seen)
{
	return quire_now_ns() < begin + (seen ? RUN_MS : WAIT_MS) * 1000000ll;
}

/* A create whose answer can not be written leaves no object behind. */
static void test_answer(const struct fixture *fixture)
{
	const struct drm_quire_bo_create question = {
		.size = QUIRE_PAGE,
		.segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
	};
	int64_t begin = quire_now_ns();
	unsigned int done = 0, refused = 0, other = 0;
	pthread_t thread;
	int file[2];
	void *page;

	page = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || pipe(file))
		tap_bail("mmap or pipe");
	stop = false;
	pthread_create(&thread, NULL, protect, page);
	while (answer_goes_on(begin, done && refused)) {
		struct drm_quire_bo_create answer;
		int ret;

		/* read() and write() say EFAULT where an access would raise SIGSEGV */
		if (write(file[1], &question, sizeof(question)) != sizeof(question))
			tap_bail("pipe");
		while (read(file[0], page, sizeof(question)) < 0)
			;
		ret = quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_CREATE, page);
		refused += ret == -EFAULT;
		other += ret && ret != -EFAULT;
		if (ret)
			continue;
		while (write(file[1], page, sizeof(answer)) < 0)
			;
		if (read(file[0], &answer, sizeof(answer)) != sizeof(answer))
			tap_bail("pipe");
		quire_bo_close(fixture->fd, answer.handle);
		done++;
	}
	stop = true;
	pthread_join(thread, NULL);
	munmap(page, QUIRE_PAGE);
	close(file[0]);
	close(file[1]);
	tap_ok(done && refused && !other, "create succeeds or says EFAULT (%u, %u, %u)", done,
	       refused, other);
	tap_ok(fixture_settles(fixture, fixture->segments), "what says EFAULT leaves nothing");
}

static pid_t start_placer(void)
{
	struct fixture fixture;
	uint32_t handle;
	pid_t pid = child_start(60);

	if (pid)
		return pid;
	fixture_open(&fixture);
	if (quire_bo_create(fixture.fd, fixture_vram(&fixture) / 4 * 3, &handle))
		_exit(1);
	for (;;) {
		quire_bo_place(fixture.fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0);
		quire_bo_place(fixture.fd, handle, DRM_QUIRE_SEGMENT_APERTURE, 0);
	}
}

/* Whoever looks sees no more in a segment than its size. */
static void test_usage(const struct fixture *fixture)
{
	int64_t end = quire_now_ns() + RUN_MS * 1000000ll;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	pid_t placers[NR_PLACERS];
	unsigned int above = 0, looks = 0;

	for (unsigned int i = 0; i < NR_PLACERS; i++)
		placers[i] = start_placer();
	for (; quire_now_ns() < end; looks++) {
		if (quire_query_segments(fixture->fd, segments))
			tap_bail("query");
		for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++)
			above += segments[i].size && segments[i].usage > segments[i].size;
	}
	for (unsigned int i = 0; i < NR_PLACERS; i++)
		child_kill(placers[i]);
	tap_ok(!above, "usage is never above the size (%u of %u)", above, looks);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

static timer_t timer;
static volatile sig_atomic_t delay_us;

static void set_timer(void)
{
	struct itimerspec time = { .it_value.tv_nsec = delay_us * 1000 };

	timer_settime(timer, 0, &time, NULL);
}

/* Each one comes later than the one before, so that a slow machine gets anything done. */
static void on_signal(int signal)
{
	(void)signal;
	if (delay_us < LAST_US / 2)
		delay_us *= 2;
	set_timer();
}

static void make_timer(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };

	sigaction(SIGUSR1, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		tap_bail("timer_create");
}

/* Often, in the beginning of what comes next. */
static void begin_signals(void)
{
	delay_us = FIRST_US;
	set_timer();
}

/* Also if one is on its way: zero sets no timer. */
static void end_signals(void)
{
	delay_us = 0;
	set_timer();
}

/* A debugger reads an object that moves, under a timer. */
static void test_mem(const struct fixture *fixture)
{
	int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	unsigned int reads = 0, failed = 0;
	const struct place *far_away = &invisible;
	struct object object;
	void *map, *copy;
	int64_t end;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 7), 0, "create");
	tap_ret(quire_bo_map(fixture->fd, object.handle, object.size, &map), 0, "map");
	copy = malloc(object.size);
	if (!copy || file < 0)
		tap_bail("/proc/self/mem");
	if (!fixture_has_place(fixture, far_away, object.size))
		far_away = &places[0];
	make_timer();
	end = quire_now_ns() + RUN_MS * 1000000ll;
	do {
		const struct place *place = reads % 2 ? &vram : far_away;

		begin_signals();
		if (object_place(fixture, &object, place))
			tap_bail("place");
		begin_signals();
		failed += pread(file, copy, object.size, (uintptr_t)map) != (ssize_t)object.size;
		reads++;
	} while (quire_now_ns() < end);
	end_signals();
	timer_delete(timer);
	tap_ok(!failed, "reads of /proc/self/mem are whole (%u of %u not)", failed, reads);
	tap_ok(pattern_differs(copy, object.size, object.key) == PATTERN_SAME, "and right");
	tap_ok(pread(file, copy, 16, (uintptr_t)map + object.size - 8) < 0,
	       "what goes beyond the end fails");
	free(copy);
	close(file);
	munmap(map, object.size);
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

/* A debugger that reads an object on its way, and the way is long: it waits, and reads all. */
static void test_mem_on_its_way(const struct fixture *fixture)
{
	int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	struct object object;
	void *map, *copy;
	int ret;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 8), 0, "create");
	tap_ret(quire_bo_map(fixture->fd, object.handle, object.size, &map), 0, "map");
	copy = calloc(1, object.size);
	if (!copy || file < 0)
		tap_bail("/proc/self/mem");
	ret = debugfs_write(fixture->debugfs, "inject", "hang 1");
	if (!ret)
		ret = object_place(fixture, &object, &visible);
	tap_ret(ret, 0, "a move that hangs");
	tap_ok(pread(file, copy, object.size, (uintptr_t)map) == (ssize_t)object.size,
	       "read /proc/self/mem");
	tap_ok(pattern_differs(copy, object.size, object.key) == PATTERN_SAME,
	       "it is what was there before");
	free(copy);
	close(file);
	munmap(map, object.size);
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	test_answer(&fixture);
	test_usage(&fixture);
	test_mem(&fixture);
	if (*fixture.debugfs && fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_mem_on_its_way(&fixture);
	else
		tap_skip("no debugfs, or not root, or moves by the CPU", "a read on the way");
	return tap_done();
}
