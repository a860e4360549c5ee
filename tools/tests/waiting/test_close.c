// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Who closes, unmaps, exits or only looks does not wait for the device, not even behind a hang. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "ticks.h"
#include "vgem.h"

/* More deaths in the aperture than there are paging buffers (512 KiB of 256 bytes). */
#define NR_SMALL	2600
/*
 * A process that does not wait for the hang needs a sixth of it at most, on a slow machine that is
 * busy with something else, and all but 20 s of that is work of its own. The hang is over as soon
 * as nobody has to be looked at any more.
 */
#define HANG_MS		"600000"
#define LONGEST_MS	100000
#define AT_ONCE_MS	20000
#define END_MS		500
#define VRAM_SIZE	(32 * QUIRE_MIB)

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct objects - what is there when the device hangs
 * @small: one page each, in the aperture
 * @large: what is left of the aperture, nearly
 * @local: in VRAM
 * @mapped: in the aperture, without handle
 * @map: of @mapped
 * @next: nowhere yet; needs what @local has
 */
struct objects {
	struct object small[NR_SMALL];
	struct object large;
	struct object local;
	struct object mapped;
	void *map;
	struct object next;
};

/* A hang that lasts until hang_over(). */
static void hang(const struct fixture *fixture)
{
	tap_ret(sysfs_parameter_write("hang_period", HANG_MS), 0, "hangs of " HANG_MS " ms");
	tap_ret(debugfs_write(fixture->debugfs, "inject", "hang 1"), 0, "the device hangs");
}

/* The watchdog goes by what it reads now, not by what it read when the ring stood still. */
static int hang_over(const char *period)
{
	return sysfs_parameter_write("hang_period", period);
}

static pid_t start_hang_over(const char *period)
{
	pid_t pid = child_start(60);

	if (pid)
		return pid;
	test_sleep_ms(END_MS);
	_exit(!!hang_over(period));
}

static int make(const struct fixture *fixture, struct object *object, uint64_t size,
		const struct place *place)
{
	int ret = quire_bo_create(fixture->fd, size, &object->handle);

	object->size = size;
	return ret ? ret : object_place(fixture, object, place);
}

static int make_all(const struct fixture *fixture, struct objects *objects)
{
	uint64_t large = fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size - 16 * QUIRE_MIB;
	int ret = 0;

	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = make(fixture, &objects->small[i], QUIRE_PAGE, &aperture);
	if (!ret)
		ret = make(fixture, &objects->large, large, &aperture);
	if (!ret)
		ret = make(fixture, &objects->local, VRAM_SIZE, &vram);
	if (!ret)
		ret = make(fixture, &objects->mapped, QUIRE_PAGE, &aperture);
	if (!ret)
		ret = quire_bo_map(fixture->fd, objects->mapped.handle, QUIRE_PAGE, &objects->map);
	if (!ret)
		ret = quire_bo_close(fixture->fd, objects->mapped.handle);
	if (!ret)
		ret = quire_bo_create(fixture->fd, fixture_vram(fixture), &objects->next.handle);
	return ret ? ret : quire_bo_wait(fixture->fd, objects->local.handle, WAIT_MS);
}

/**
 * struct begin - when something began
 * @time: then, in nanoseconds
 * @work: nanoseconds of processors that this process and those it has waited for had until
 *	  then; what the host takes away from a guest counts as work
 */
struct begin {
	int64_t time;
	int64_t work;
};

static long long since_ms(int64_t start)
{
	return (quire_now_ns() - start) / 1000000;
}

static int64_t work_of(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage))
		tap_bail("getrusage");
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ll +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ll;
}

static int64_t work_now(void)
{
	return work_of(RUSAGE_SELF) + work_of(RUSAGE_CHILDREN);
}

static struct begin begin_now(void)
{
	return (struct begin){ quire_now_ns(), work_now() };
}

/* The work that @pid has done is none of what comes now. */
static struct begin begin_end_of(pid_t pid)
{
	struct begin begin = begin_now();
	struct timespec work;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &work))
		tap_bail("the clock of a process");
	begin.work += work.tv_sec * 1000000000ll + work.tv_nsec;
	return begin;
}

static void check_at_once(struct begin begin, const char *what)
{
	long long milliseconds = since_ms(begin.time);
	long long work = (work_now() - begin.work) / 1000000;

	tap_ok(milliseconds < LONGEST_MS && milliseconds - work < AT_ONCE_MS,
	       "%s does not wait (%lld ms, %lld of work)", what, milliseconds, work);
}

static void test_close(const struct fixture *fixture, struct objects *objects)
{
	struct begin begin = begin_now();

	for (unsigned int i = 0; i < NR_SMALL; i++)
		object_close(fixture, &objects->small[i]);
	object_close(fixture, &objects->large);
	object_close(fixture, &objects->local);
	check_at_once(begin, "close");
}

static void test_munmap(struct objects *objects)
{
	struct begin begin = begin_now();

	munmap(objects->map, QUIRE_PAGE);
	check_at_once(begin, "munmap of the last reference");
}

static void check_fdinfo(const struct fixture *fixture)
{
	char path[64], text[4096] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fixture->fd);
	file = fopen(path, "re");
	if (!file)
		tap_bail("%s", path);
	tap_ok(fread(text, 1, sizeof(text) - 1, file) && strstr(text, "drm-total-vram:\t1 MiB"),
	       "fdinfo has the object that somebody has locked");
	fclose(file);
}

static pid_t start_evicting(const struct fixture *fixture)
{
	pid_t pid = child_start(60);

	if (pid)
		return pid;
	_exit(!!debugfs_write(fixture->debugfs, "evict_all", "1"));
}

/* An eviction holds the lock of an object without content to keep until it is idle. */
static void test_fdinfo(const struct fixture *fixture)
{
	int vgem = vgem_open();
	struct object object;
	uint32_t fence;
	pid_t pid;

	if (vgem < 0) {
		tap_skip("no vgem", "fdinfo of a locked object");
		return;
	}
	tap_ret(make(fixture, &object, QUIRE_MIB, &vram), 0, "create and place");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "wait");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
		"somebody else uses it");
	pid = start_evicting(fixture);
	test_sleep_ms(500);
	check_fdinfo(fixture);
	tap_ok(!waitpid(pid, NULL, WNOHANG), "it was locked meanwhile");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	tap_ret(child_status(pid), 0, "and the eviction");
	object_close(fixture, &object);
	close(vgem);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* As much as a segment is dead: first some of it has to go. */
static void test_create(const struct fixture *fixture)
{
	struct drm_quire_bo_create create = {
		.size = QUIRE_PAGE,
		.segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
	};
	timer_t timer = ticks_start(on_alarm, 0, 200000000);

	tap_ret(quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_CREATE, &create), -EINTR,
		"create waits while too much is dead, until a signal comes");
	timer_delete(timer);
}

/* Waits, too, but until there is room: no signal comes. */
static pid_t start_creating(void)
{
	pid_t pid = child_start(60);
	uint32_t handle;

	if (pid)
		return pid;
	_exit(!!quire_bo_create(quire_open(), QUIRE_PAGE, &handle));
}

static uint64_t moves_out_of_vram(const struct fixture *fixture)
{
	struct debugfs_counter to_aperture = { 0 }, to_system = { 0 };

	debugfs_counter(fixture->debugfs, "vram->aperture", &to_aperture);
	debugfs_counter(fixture->debugfs, "vram->system", &to_system);
	return to_aperture.count + to_system.count;
}

/* Behind the others that are dead it has its place yet, and is in the way of another one. */
static void test_evict_dead(const struct fixture *fixture, struct objects *objects,
			    const char *period)
{
	uint64_t before = moves_out_of_vram(fixture);
	pid_t pid;

	tap_ok(fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM) == VRAM_SIZE,
	       "a dead object is in VRAM");
	pid = start_hang_over(period);
	tap_ret(object_place(fixture, &objects->next, &vram), 0, "another one needs its place");
	tap_ret(child_status(pid), 0, "the hang is over");
	tap_ok(moves_out_of_vram(fixture) == before, "nobody moves what is dead");
	object_close(fixture, &objects->next);
}

static void test_behind_hang(const struct fixture *fixture, struct objects *objects,
			     const char *period)
{
	int64_t start;
	pid_t pid;

	tap_ret(make_all(fixture, objects), 0, "fill VRAM and the aperture");
	start = quire_now_ns();
	hang(fixture);
	test_close(fixture, objects);
	test_munmap(objects);
	test_create(fixture);
	pid = start_creating();
	tap_ok(since_ms(start) < 3 * LONGEST_MS, "all of that was behind the hang (%lld ms)",
	       since_ms(start));
	tap_ok(child_is_running(pid), "create waits in another process");
	test_evict_dead(fixture, objects, period);
	tap_ret(child_status(pid), 0, "create goes on when the dead are gone");
	tap_ok(fixture_settles(fixture, fixture->segments), "it works again, nothing is left");
}

/* Dies with objects everywhere, and with moves of them queued. */
static void run_victim(struct objects *objects, int ready)
{
	struct fixture fixture;

	fixture_open(&fixture);
	if (make_all(&fixture, objects) || write(ready, "", 1) != 1)
		_exit(1);
	for (unsigned int i = 0; i < NR_SMALL; i++)
		object_place(&fixture, &objects->small[i], i % 2 ? &vram : &system_memory);
	pause();
	_exit(1);
}

static void test_kill(const struct fixture *fixture, struct objects *objects,
		      const char *period)
{
	struct begin begin;
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready))
		tap_bail("pipe");
	pid = child_start(120);
	if (!pid)
		run_victim(objects, ready[1]);
	close(ready[1]);
	tap_ok(read(ready[0], &byte, 1) == 1, "a process has filled VRAM and the aperture");
	hang(fixture);
	test_sleep_ms(500);
	begin = begin_end_of(pid);
	kill(pid, SIGKILL);
	tap_ret(child_status(pid), -SIGKILL, "it is killed");
	check_at_once(begin, "its exit");
	tap_ret(hang_over(period), 0, "the hang is over");
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
	close(ready[0]);
}

int main(void)
{
	static struct objects objects;
	struct fixture fixture;
	char period[32];

	tap_start(240);
	fixture_open(&fixture);
	if (!*fixture.debugfs || !(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("no debugfs, or the CPU copies");
	if (fixture_vram(&fixture) < 2 * VRAM_SIZE ||
	    fixture.segments[DRM_QUIRE_SEGMENT_APERTURE].size < 4 * fixture_vram(&fixture))
		tap_skip_all("made for a small VRAM and a larger aperture");
	tap_ok(sysfs_parameter_read("hang_period", period, sizeof(period)) > 0, "how hangs were");
	test_fdinfo(&fixture);
	test_behind_hang(&fixture, &objects, period);
	test_kill(&fixture, &objects, period);
	return tap_done();
}
