// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How long a processor waits that reads a register while the device copies: the
 * emulator answers under a lock that the device holds, too.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "measure.h"

#define SETS_PER_VRAM	4
#define SAMPLES		4000
#define GAP_US		200	/* between two reads: the device has to get on */

/* Pages a set of objects for ever. */
static pid_t start_paging(const struct guest *guest, uint64_t size)
{
	size_t count = SETS_PER_VRAM * guest->vram / size;
	struct guest_set set;
	pid_t pid = fork();
	int fd;

	if (pid < 0)
		guest_must(-errno, "fork");
	if (pid)
		return pid;
	fd = quire_open();
	guest_must(fd, "open");
	guest_set_create(&set, fd, count, size);
	for (;;) {
		guest_set_place(&set, DRM_QUIRE_SEGMENT_VRAM);
		guest_set_wait(&set);
	}
}

static void stop_paging(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		guest_must(-ECHILD, "a process ended early");
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Microseconds of queries, each of which reads one register; sorted. */
static void read_registers(const struct guest *guest, double *times)
{
	struct drm_quire_device_info info;

	for (int i = 0; i < SAMPLES; i++) {
		double begin = measure_now();

		guest_must(quire_query_device(guest->fd, &info), "query");
		times[i] = (measure_now() - begin) * 1e6;
		usleep(GAP_US);
	}
	qsort(times, SAMPLES, sizeof(*times), compare);
}

static void measure_beside(const struct guest *guest, uint64_t size, const char *name)
{
	static double times[SAMPLES];
	char figure[64];
	pid_t pid = 0;

	if (size)
		pid = start_paging(guest, size);
	usleep(500000);
	read_registers(guest, times);
	if (size)
		stop_paging(pid);
	snprintf(figure, sizeof(figure), "wait_%s_median", name);
	measure_print(figure, times[SAMPLES / 2], "us");
	snprintf(figure, sizeof(figure), "wait_%s_99", name);
	measure_print(figure, times[SAMPLES * 99 / 100], "us");
	snprintf(figure, sizeof(figure), "wait_%s_longest", name);
	measure_print(figure, times[SAMPLES - 1], "us");
}

void guest_wait(struct guest *guest)
{
	measure_beside(guest, 0, "idle");
	measure_beside(guest, 16 * QUIRE_MIB, "16m");
	measure_beside(guest, 64 * QUIRE_PAGE, "256k");
}
