// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * An instance of tracefs of its own, in which each allocation is an event with a stack:
 *
 *   evict-99  [000] ..... 1.5: kmalloc: call_site=f+0x1/0x2 [quire] ... bytes_alloc=64 ...
 *   evict-99  [000] ..... 1.5: <stack trace>
 *    => f
 *    => g
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "allocations.h"
#include "debugfs.h"

#define INSTANCE	"/sys/kernel/tracing/instances/quire"
#define BUFFER_KB	"16384"

static const char *const events[] = { "kmalloc", "kmem_cache_alloc", "mm_page_alloc" };

#define NR_EVENTS	(sizeof(events) / sizeof(*events))

/**
 * struct event - an allocation, and what of its stack was read
 * @pages: of mm_page_alloc, else 0
 * @bytes: of the others
 * @function: that asked for these
 * @driver: the driver is in the stack
 * @object: what has pages for an object is in there
 * @slab: so is a slab that grows
 */
struct event {
	uint64_t pages;
	uint64_t bytes;
	char function[64];
	bool driver;
	bool object;
	bool slab;
};

static int trace_event(const char *event)
{
	char name[64], filter[32];
	int ret;

	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	snprintf(name, sizeof(name), "events/kmem/%s/filter", event);
	ret = debugfs_write(INSTANCE, name, filter);
	snprintf(name, sizeof(name), "events/kmem/%s/enable", event);
	return ret ? ret : debugfs_write(INSTANCE, name, "1");
}

/**
 * allocations_begin - look at what is allocated for this process, which has one thread
 *
 * Returns 0, then allocations_end() ends it; or a negative errno: no tracefs, or not root.
 */
int allocations_begin(void)
{
	int ret;

	rmdir(INSTANCE);
	if (mkdir(INSTANCE, 0700))
		return -errno;
	ret = debugfs_write(INSTANCE, "buffer_size_kb", BUFFER_KB);
	if (!ret)
		ret = debugfs_write(INSTANCE, "options/stacktrace", "1");
	for (size_t i = 0; i < NR_EVENTS && !ret; i++)
		ret = trace_event(events[i]);
	if (ret)
		rmdir(INSTANCE);
	return ret;
}

static void read_event(struct event *event, const char *line)
{
	const char *function = strstr(line, "call_site="), *bytes = strstr(line, "bytes_alloc=");
	const char *order = strstr(line, " order=");
	unsigned int value;

	*event = (struct event){ 0 };
	if (strstr(line, "mm_page_alloc: ") && order && sscanf(order, " order=%u", &value) == 1)
		event->pages = UINT64_C(1) << value;
	else if (function && bytes && sscanf(bytes, "bytes_alloc=%" SCNu64, &event->bytes) == 1)
		sscanf(function, "call_site=%63[^+\n ]", event->function);
}

static bool is_function(const char *line, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(line, name, length) && (line[length] == '\n' || !line[length]);
}

/* TTM takes pages for an object, and a table of them. */
static void read_stack(struct event *event, const char *function)
{
	event->driver |= !strncmp(function, "quire_", 6);
	event->object |= is_function(function, "ttm_sg_tt_init") ||
			 is_function(function, "ttm_pool_alloc");
	event->slab |= !!strstr(function, "slab");
}

static void keep_largest(uint64_t *largest, char whose[64], const struct event *event)
{
	if (event->bytes <= *largest)
		return;
	*largest = event->bytes;
	snprintf(whose, 64, "%s", event->function);
}

static void count_object(struct allocations *allocations, const struct event *event)
{
	allocations->object_pages += event->pages;
	if (event->bytes > allocations->object_table)
		allocations->object_table = event->bytes;
}

/* All of its stack was read. */
static void count(struct allocations *allocations, const struct event *event)
{
	if (!event->driver)
		return;
	if (!strncmp(event->function, "quire_", 6)) {
		allocations->count++;
		allocations->bytes += event->bytes;
		keep_largest(&allocations->largest, allocations->whose, event);
	} else if (event->object) {
		count_object(allocations, event);
	} else {
		allocations->pages += event->slab ? 0 : event->pages;
		keep_largest(&allocations->others_largest, allocations->others_whose, event);
	}
}

/* A line is of a stack, or begins another event. */
static void count_line(struct allocations *allocations, struct event *event, const char *line)
{
	if (!strncmp(line, " => ", 4)) {
		read_stack(event, line + 4);
	} else if (!strstr(line, "<stack trace>")) {
		count(allocations, event);
		read_event(event, line);
	}
}

static int count_all(struct allocations *allocations)
{
	FILE *file = fopen(INSTANCE "/trace", "re");
	struct event event = { 0 };
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	if (!file)
		return -errno;
	while (getline(&line, &size, file) > 0) {
		if (strstr(line, "LOST") && strstr(line, "EVENTS"))
			ret = -ENOBUFS;
		count_line(allocations, &event, line);
	}
	count(allocations, &event);
	free(line);
	fclose(file);
	return ret;
}

/* What did not fit any more took the place of what was first. */
static bool is_complete(void)
{
	char text[512], name[64];
	const char *at;

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%ld/stats", cpu);
		if (debugfs_read(INSTANCE, name, text, sizeof(text)) < 0)
			continue;
		at = strstr(text, "\noverrun: ");
		if (!at || strncmp(at, "\noverrun: 0\n", 12))
			return false;
	}
	return true;
}

/**
 * allocations_end - what was allocated since allocations_begin()
 * @allocations: to fill
 *
 * Returns 0 or a negative errno: -ENOBUFS there was more than can be recorded.
 */
int allocations_end(struct allocations *allocations)
{
	int ret = debugfs_write(INSTANCE, "events/enable", "0");

	memset(allocations, 0, sizeof(*allocations));
	if (!ret && !is_complete())
		ret = -ENOBUFS;
	if (!ret)
		ret = count_all(allocations);
	rmdir(INSTANCE);
	return ret;
}
