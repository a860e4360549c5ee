// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Four processes page sets of their own through the same VRAM at the same
 * time. Each should get as much as the others, and all together what one has
 * that is alone.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "measure.h"

#define PROCESSES	4
#define OBJECT_SIZE	(2 * QUIRE_MIB)
#define SETS_PER_VRAM	4	/* of all processes together */
#define RUN_NS		1500000000ll
#define IN_FLIGHT	8	/* objects that a process does not wait for */

/**
 * struct shared - what the processes know of each other
 * @ready: processes that wait for @end_ns
 * @end_ns: when to stop, as of quire_now_ns(); 0 before it is time to start
 * @placed: objects, by process
 */
struct shared {
	atomic_uint ready;
	atomic_llong end_ns;
	atomic_ulong placed[PROCESSES];
};

static void page_own_set(struct shared *shared, unsigned int number, size_t count)
{
	struct guest_set set;
	int fd = quire_open();

	guest_must(fd, "open");
	guest_set_create(&set, fd, count, OBJECT_SIZE);
	guest_set_place(&set, DRM_QUIRE_SEGMENT_VRAM);
	guest_set_wait(&set);
	atomic_fetch_add(&shared->ready, 1);
	while (!atomic_load(&shared->end_ns))
		usleep(1000);
	for (size_t i = 0; quire_now_ns() < atomic_load(&shared->end_ns); i++) {
		uint32_t next = set.handles[i % count];
		uint32_t earlier = set.handles[(i + count - IN_FLIGHT) % count];

		guest_must(quire_bo_place(fd, next, DRM_QUIRE_SEGMENT_VRAM, 0), "place");
		guest_must(quire_bo_wait(fd, earlier, GUEST_WAIT_MS), "wait");
		atomic_fetch_add(&shared->placed[number], 1);
	}
	_exit(EXIT_SUCCESS);
}

/* Starts the processes, lets them run, and collects them. */
static void run(struct guest *guest, struct shared *shared, unsigned int processes)
{
	size_t count = SETS_PER_VRAM * guest->vram / OBJECT_SIZE / processes;
	int status;

	*shared = (struct shared){ 0 };
	for (unsigned int i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			guest_must(-errno, "fork");
		if (!pid)
			page_own_set(shared, i, count);
	}
	while (atomic_load(&shared->ready) < processes) {
		if (waitpid(-1, &status, WNOHANG) > 0)
			guest_must(-ECHILD, "a process ended early");
		usleep(1000);
	}
	atomic_store(&shared->end_ns, quire_now_ns() + RUN_NS);
	while (processes--) {
		if (wait(&status) < 0 || status)
			guest_must(-ECHILD, "a process failed");
	}
}

static void compute_shares(struct shared *shared, double alone, double *least, double *together)
{
	double slowest = atomic_load(&shared->placed[0]), fastest = slowest, sum = 0;

	for (int i = 0; i < PROCESSES; i++) {
		double placed = atomic_load(&shared->placed[i]);

		slowest = placed < slowest ? placed : slowest;
		fastest = placed > fastest ? placed : fastest;
		sum += placed;
	}
	*least = fastest ? slowest / fastest : 0;
	*together = alone ? sum / alone : 0;
}

void guest_fair(struct guest *guest)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double least[GUEST_ROUNDS], together[GUEST_ROUNDS];

	if (shared == MAP_FAILED)
		guest_must(-errno, "shared memory");
	for (int i = 0; i < GUEST_ROUNDS; i++) {
		double alone;

		run(guest, shared, 1);
		alone = atomic_load(&shared->placed[0]);
		run(guest, shared, PROCESSES);
		compute_shares(shared, alone, &least[i], &together[i]);
	}
	munmap(shared, sizeof(*shared));
	measure_print("fair_least", measure_median(least, GUEST_ROUNDS), "ratio");
	measure_print("fair_together", measure_median(together, GUEST_ROUNDS), "ratio");
}
