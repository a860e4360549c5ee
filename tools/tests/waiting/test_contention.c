// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Processes with one object each that want most of VRAM, all at once: what fits alone is
 * never refused, and all get their turn. With the driver's parameter fair_placement off
 * it shows what TTM makes of that alone.
 *
 * Usage: quire-test-contention [PROCESSES EIGHTHS SECONDS]
 *   PROCESSES  else as many as there is memory for: without, a refusal would say nothing
 *   EIGHTHS    of VRAM, in the largest object; the others go down to 5
 *   SECONDS    at least; on a slow machine until all have had several turns
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define MOST_PROCESSES	64
#define LEAST_PROCESSES	3
#define NR_SMALL	8
#define LEAST_EIGHTHS	5

/* Seconds after which a process that should have ended is stuck. */
#define PATIENCE	120

/* Slowest to fastest process, in placements. */
#define MOST_UNFAIR	3

/* Placements that each process has before any of them is called slow. */
#define LEAST_ROUNDS	(2 * MOST_UNFAIR)

/**
 * struct worker - what one process had
 * @placed: objects
 * @enospc: refusals
 * @enomem: refusals
 * @error: what else went wrong
 * @longest_ns: time of one placement, refused or not
 */
struct worker {
	unsigned int placed;
	unsigned int enospc;
	unsigned int enomem;
	int error;
	int64_t longest_ns;
};

/**
 * struct contention - what all processes see
 * @ready: processes that wait for @end_ns
 * @end_ns: when to stop if each process has had its turns; 0 before it is time to start
 * @over: each process stops behind its turn
 * @processes: that want most of VRAM
 * @workers: by process; the last one is beside them, with small objects
 */
struct contention {
	atomic_uint ready;
	atomic_llong end_ns;
	atomic_bool over;
	unsigned int processes;
	struct worker workers[MOST_PROCESSES + 1];
};

static void place_once(const struct fixture *fixture, const struct object *object,
		       struct worker *worker)
{
	int64_t begin = quire_now_ns(), time;
	int ret = object_place(fixture, object, &places[2]);

	time = quire_now_ns() - begin;
	if (time > worker->longest_ns)
		worker->longest_ns = time;
	if (ret == -ENOSPC)
		worker->enospc++;
	else if (ret == -ENOMEM)
		worker->enomem++;
	else if (!ret)
		ret = quire_bo_wait(fixture->fd, object->handle, WAIT_MS);
	worker->placed += !ret;
	if (ret && ret != -ENOSPC && ret != -ENOMEM)
		worker->error = ret;
}

/* A word in each page, or what is wrong with it. */
static int stamp(const struct fixture *fixture, const struct object *object, bool write)
{
	uint64_t *words;
	int ret = quire_bo_map(fixture->fd, object->handle, object->size, (void **)&words);

	if (ret)
		return ret;
	for (uint64_t i = 0; i < object->size / sizeof(*words); i += QUIRE_PAGE / sizeof(*words)) {
		if (write)
			words[i] = object->key + i;
		else if (words[i] != object->key + i)
			ret = -EILSEQ;
	}
	munmap(words, object->size);
	return ret;
}

static struct worker sum_up(const struct contention *all, unsigned int *slowest,
			    unsigned int *fastest)
{
	struct worker sum = all->workers[all->processes];

	sum.placed = 0;
	*slowest = *fastest = all->workers[0].placed;
	for (unsigned int i = 0; i < all->processes; i++) {
		const struct worker *worker = &all->workers[i];

		sum.placed += worker->placed;
		sum.enospc += worker->enospc;
		sum.enomem += worker->enomem;
		if (worker->error)
			sum.error = worker->error;
		if (worker->longest_ns > sum.longest_ns)
			sum.longest_ns = worker->longest_ns;
		if (worker->placed < *slowest)
			*slowest = worker->placed;
		if (worker->placed > *fastest)
			*fastest = worker->placed;
	}
	return sum;
}

/*
 * With a refusal the result is known: TTM alone may refuse one of them again and again. A process
 * that the machine held up for a while gets as many turns as others in the end.
 */
static bool goes_on(struct contention *all)
{
	int64_t late = quire_now_ns() - atomic_load(&all->end_ns);
	unsigned int slowest, fastest;
	struct worker sum;
	bool several, fair;

	if (late < 0)
		return true;
	sum = sum_up(all, &slowest, &fastest);
	several = slowest >= LEAST_ROUNDS &&
		  all->workers[all->processes].placed >= LEAST_ROUNDS;
	fair = fastest <= MOST_UNFAIR * slowest;
	if (sum.enospc || sum.enomem || sum.error ||
	    (several && (fair || late > WAIT_MS * 1000000ll)))
		atomic_store(&all->over, true);
	return !atomic_load(&all->over);
}

/* Each process has its own file of the device. */
static void work(struct contention *all, unsigned int number, uint64_t size)
{
	struct worker *worker = &all->workers[number];
	struct object object = { .size = size, .key = number * 0x100000001ull };
	struct fixture fixture;

	fixture_open(&fixture);
	worker->error = quire_bo_create(fixture.fd, size, &object.handle);
	if (!worker->error)
		worker->error = stamp(&fixture, &object, true);
	atomic_fetch_add(&all->ready, 1);
	while (!atomic_load(&all->end_ns))
		test_sleep_ms(1);
	while (!worker->error && goes_on(all))
		place_once(&fixture, &object, worker);
	if (!worker->error)
		worker->error = stamp(&fixture, &object, false);
	_exit(0);
}

static int touch(const struct fixture *fixture, const struct object *object)
{
	volatile uint64_t *words;
	int ret = quire_bo_map(fixture->fd, object->handle, object->size, (void **)&words);

	if (ret)
		return ret;
	(*words)++;
	munmap((void *)words, object->size);
	return 0;
}

/* Small objects where the CPU does not see them, which it touches: busy victims. */
static void meddle(struct contention *all, unsigned int number)
{
	struct worker *worker = &all->workers[number];
	struct object objects[NR_SMALL];
	struct fixture fixture;
	unsigned int i;

	fixture_open(&fixture);
	for (i = 0; i < NR_SMALL && !worker->error; i++) {
		objects[i] = (struct object){ .size = QUIRE_MIB };
		worker->error = quire_bo_create(fixture.fd, QUIRE_MIB, &objects[i].handle);
	}
	atomic_fetch_add(&all->ready, 1);
	while (!atomic_load(&all->end_ns))
		test_sleep_ms(1);
	while (!worker->error && goes_on(all)) {
		place_once(&fixture, &objects[i++ % NR_SMALL], worker);
		if (!worker->error)
			worker->error = touch(&fixture, &objects[i * 7 % NR_SMALL]);
	}
	_exit(0);
}

static uint64_t object_size(const struct fixture *fixture, unsigned int number,
			    unsigned int eighths)
{
	uint64_t size = fixture_vram(fixture) / 8 * eighths;

	if (eighths > LEAST_EIGHTHS)
		size = fixture_vram(fixture) / 8 *
		       (eighths - number % (eighths - LEAST_EIGHTHS + 1));
	return size - size % QUIRE_PAGE;
}

/*
 * Of @processes. An object may be in system memory twice: new pages, and those that it had
 * before, which TTM keeps until the move is done.
 */
static unsigned int count_fitting(const struct fixture *fixture, unsigned int processes,
				  unsigned int eighths)
{
	uint64_t memory = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
	uint64_t bytes = NR_SMALL * QUIRE_MIB;
	unsigned int count = 0;

	while (count < processes) {
		bytes += object_size(fixture, count, eighths);
		if (2 * bytes > memory)
			break;
		count++;
	}
	if (count < LEAST_PROCESSES)
		tap_skip_all("too little memory");
	return count;
}

/* Starts the processes, lets them run, and collects them. */
static int run(const struct fixture *fixture, struct contention *all, unsigned int processes,
	       unsigned int eighths, unsigned int seconds)
{
	int status, ret = 0;

	all->processes = processes;
	for (unsigned int i = 0; i <= processes; i++) {
		pid_t pid = child_start(seconds + PATIENCE);

		if (!pid && i == processes)
			meddle(all, i);
		if (!pid)
			work(all, i, object_size(fixture, i, eighths));
	}
	while (atomic_load(&all->ready) <= processes)
		test_sleep_ms(1);
	atomic_store(&all->end_ns, quire_now_ns() + seconds * 1000000000ll);
	for (unsigned int i = 0; i <= processes; i++) {
		if (wait(&status) < 0 || status)
			ret = -ECHILD;
	}
	return ret;
}

/* Does the driver take turns, or is it TTM alone? */
static bool driver_is_fair(void)
{
	char value = 'Y';
	int fd = open("/sys/module/quire/parameters/fair_placement", O_RDONLY);

	if (fd >= 0 && read(fd, &value, 1) != 1)
		tap_bail("fair_placement can not be read");
	close(fd);
	return value != 'N';
}

static void test_contention(const struct fixture *fixture, unsigned int processes,
			    unsigned int eighths, unsigned int seconds)
{
	struct contention *all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int slowest, fastest;
	struct worker sum;

	if (all == MAP_FAILED)
		tap_bail("mmap");
	tap_ret(run(fixture, all, processes, eighths, seconds), 0, "%u processes, up to %u/8",
		processes, eighths);
	sum = sum_up(all, &slowest, &fastest);
	munmap(all, sizeof(*all));
	tap_diag("processes  up to  seconds  placed  slowest  fastest  ENOSPC  ENOMEM  longest");
	tap_diag("%9u  %3u/8  %7u  %6u  %7u  %7u  %6u  %6u  %4" PRId64 " ms", processes, eighths,
		 seconds, sum.placed, slowest, fastest, sum.enospc, sum.enomem,
		 sum.longest_ns / 1000000);
	tap_ret(sum.error, 0, "no other error, and the content is whole");
	if (!driver_is_fair()) {
		tap_ok(sum.enospc + sum.enomem, "TTM alone refuses what fits");
		return;
	}
	tap_ok(!sum.enospc && !sum.enomem, "nobody was refused");
	tap_ok(slowest && fastest <= MOST_UNFAIR * slowest + LEAST_ROUNDS, "everybody had a turn");
}

int main(int argc, char **argv)
{
	unsigned int processes = 8, eighths = 8, seconds = 4;
	struct fixture fixture;

	if (argc == 4) {
		processes = atoi(argv[1]);
		eighths = atoi(argv[2]);
		seconds = atoi(argv[3]);
	}
	if ((argc != 4 && argc != 1) || processes - 1 >= MOST_PROCESSES || eighths - 1 >= 8 ||
	    !seconds)
		tap_bail("usage: [PROCESSES (1 to %u) EIGHTHS (1 to 8) SECONDS]", MOST_PROCESSES);
	tap_start(2 * (seconds + PATIENCE));
	fixture_open(&fixture);
	if (argc == 1) {
		unsigned int many = count_fitting(&fixture, 2 * processes, LEAST_EIGHTHS);

		processes = count_fitting(&fixture, processes, eighths);
		test_contention(&fixture, processes, eighths, seconds);
		test_contention(&fixture, many, LEAST_EIGHTHS, seconds);
	} else {
		test_contention(&fixture, processes, eighths, seconds);
	}
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
