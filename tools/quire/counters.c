// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "debugfs.h"
#include "quire_client.h"

/**
 * counters_read - read the counters
 * @fd: render node
 * @counters: to fill; empty where debugfs is not for us
 */
void counters_read(int fd, struct counters *counters)
{
	char dir[64], text[8192], *line, *rest = text;

	counters->nr = 0;
	if (debugfs_find(fd, dir, sizeof(dir)) ||
	    debugfs_read(dir, "counters", text, sizeof(text)) < 0)
		return;
	while (counters->nr < COUNTERS_MAX && (line = strsep(&rest, "\n"))) {
		struct counter *counter = &counters->lines[counters->nr];
		uint64_t *values = counter->values;

		memset(counter, 0, sizeof(*counter));
		counter->nr = sscanf(line, "%47s %" SCNu64 " %" SCNu64 " %" SCNu64,
				     counter->name, &values[0], &values[1], &values[2]) - 1;
		if (counter->nr > 0)
			counters->nr++;
	}
}

/* What was added to @line since @before. */
static struct counter added(const struct counters *before, const struct counter *line)
{
	struct counter delta = *line;

	for (size_t i = 0; i < before->nr; i++) {
		if (strcmp(before->lines[i].name, line->name))
			continue;
		for (int j = 0; j < line->nr; j++)
			delta.values[j] -= before->lines[i].values[j];
	}
	return delta;
}

/* The first place of an object is counted as a move, but nothing moves. */
static bool is_shown(const struct counter *delta, int nr)
{
	return delta->nr == nr && delta->values[0] && strcmp(delta->name, "system->system");
}

/* A submission of the driver is a paging buffer that the device has executed. */
static const char *shown_name(const struct counter *counter)
{
	return strcmp(counter->name, "submissions") ? counter->name : "paging buffers";
}

static void print_line(const struct counter *delta)
{
	printf("%-24s %10" PRIu64, shown_name(delta), delta->values[0]);
	if (delta->nr > 1)
		printf(" %12.1f", (double)delta->values[1] / QUIRE_MIB);
	if (delta->nr > 2)
		printf(" %10" PRIu64, delta->values[2]);
	putchar('\n');
}

/* The lines with @nr values. */
static void print_lines(const struct counters *before, const struct counters *after, int nr)
{
	for (size_t i = 0; i < after->nr; i++) {
		struct counter delta = added(before, &after->lines[i]);

		if (is_shown(&delta, nr))
			print_line(&delta);
	}
}

/**
 * counters_print - print what happened between two readings, as a table
 * @before: first reading
 * @after: second reading
 *
 * The counters are those of the device: other programs add to them too.
 */
void counters_print(const struct counters *before, const struct counters *after)
{
	if (!after->nr) {
		puts("quire: what the driver counted is not for us to see: debugfs is for root");
		return;
	}
	printf("%-24s %10s %12s %10s\n", "moves", "count", "MiB", "evictions");
	print_lines(before, after, 3);
	printf("%-24s %10s %12s\n", "operations", "packets", "MiB");
	print_lines(before, after, 2);
	printf("%-24s %10s\n", "events", "count");
	print_lines(before, after, 1);
}
