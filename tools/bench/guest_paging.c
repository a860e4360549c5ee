// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A set four times as large as VRAM is placed there object by object, in the
 * order in which the last round left: every placement evicts one object and
 * pages another in. And what one submission costs without work in it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugfs.h"
#include "guest.h"
#include "measure.h"

#define OBJECT_SIZE	(2 * QUIRE_MIB)
#define SETS_PER_VRAM	4
#define NOPS		"2000"

/**
 * struct events - what is counted while a set is paged
 * @interrupts: of the device
 * @submissions: handed to the device
 * @doorbells: rung; 0 where the driver does not count them
 */
struct events {
	double interrupts;
	double submissions;
	double doorbells;
};

/* All interrupts that the driver has had, on all processors. */
static double count_interrupts(void)
{
	FILE *stream = fopen("/proc/interrupts", "re");
	char line[1024];
	double sum = 0;

	if (!stream)
		guest_must(-errno, "/proc/interrupts");
	while (fgets(line, sizeof(line), stream)) {
		char *at = strchr(line, ':'), *end;

		if (!at || !strstr(line, "quire"))
			continue;
		for (at++;; at = end) {
			double number = strtod(at, &end);

			if (end == at)
				break;
			sum += number;
		}
	}
	fclose(stream);
	return sum;
}

static void read_events(const struct guest *guest, struct events *events)
{
	struct debugfs_counter submissions, doorbells = { 0 };

	guest_must(debugfs_counter(guest->debugfs, "submissions", &submissions), "submissions");
	debugfs_counter(guest->debugfs, "doorbells", &doorbells);
	*events = (struct events){
		.interrupts = count_interrupts(),
		.submissions = submissions.count,
		.doorbells = doorbells.count,
	};
}

static double round_seconds(const struct guest_set *set)
{
	double begin = measure_now();

	guest_set_place(set, DRM_QUIRE_SEGMENT_VRAM);
	guest_set_wait(set);
	return measure_now() - begin;
}

static void print_events(const struct events *before, const struct events *after, size_t places)
{
	double submissions = after->submissions - before->submissions;
	double doorbells = after->doorbells - before->doorbells;

	measure_print("submissions_per_place", submissions / places, "ratio");
	if (submissions)
		measure_print("interrupts_per_submission",
			      (after->interrupts - before->interrupts) / submissions, "ratio");
	if (submissions && doorbells)
		measure_print("doorbells_per_submission", doorbells / submissions, "ratio");
}

/* Bytes go both ways: as much is evicted as comes in. */
void guest_paging(struct guest *guest)
{
	size_t count = SETS_PER_VRAM * guest->vram / OBJECT_SIZE;
	struct events before, after;
	double rates[GUEST_ROUNDS];
	struct guest_set set;

	guest_set_create(&set, guest->fd, count, OBJECT_SIZE);
	round_seconds(&set);
	read_events(guest, &before);
	for (int i = 0; i < GUEST_ROUNDS; i++)
		rates[i] = 2.0 * count * OBJECT_SIZE / QUIRE_MIB / round_seconds(&set);
	read_events(guest, &after);
	guest_set_close(&set);
	measure_print("set", count * OBJECT_SIZE / QUIRE_MIB, "MiB");
	measure_print("paging", measure_median(rates, GUEST_ROUNDS), "MiB/s");
	print_events(&before, &after, GUEST_ROUNDS * count);
}

static void print_pool(const struct guest *guest)
{
	char text[256];
	char *number;

	guest_must(debugfs_read(guest->debugfs, "paging_pool", text, sizeof(text)),
		   "paging_pool");
	number = strpbrk(text, "0123456789");
	guest_must(number ? 0 : -EPROTO, "paging_pool has no number");
	measure_print("paging_pool", strtod(number, NULL), "bytes");
}

/* Empty submissions, one after another. */
void guest_submissions(struct guest *guest)
{
	double rates[GUEST_ROUNDS];

	for (int i = 0; i < GUEST_ROUNDS; i++) {
		double begin = measure_now();

		guest_must(debugfs_write(guest->debugfs, "nop_submit", NOPS), "nop_submit");
		rates[i] = strtod(NOPS, NULL) / (measure_now() - begin);
	}
	measure_print("submissions", measure_median(rates, GUEST_ROUNDS), "1/s");
	print_pool(guest);
}
