// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kprobe.h"

#define TRACING		"/sys/kernel/tracing/"
#define GROUP		"quire_test"

static bool write_file(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) >= 0;
	close(fd);
	return ok;
}

static bool enable(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "events/" GROUP "/%s/enable", name);
	return write_file(path, 0, text);
}

/**
 * kprobe_start - record calls of a function from now on
 * @name: of the event, short; lines of KPROBE_TRACE have it
 * @function: of the kernel or a module
 *
 * What was recorded before is forgotten.
 *
 * Returns: false if the kernel has no kprobes, or no such function.
 */
bool kprobe_start(const char *name, const char *function)
{
	char text[128];

	kprobe_clear();
	snprintf(text, sizeof(text), "p:" GROUP "/%s %s", name, function);
	return write_file(TRACING "kprobe_events", O_APPEND, text) && enable(name, "1");
}

/**
 * kprobe_stop - record no more of them
 * @name: as given to kprobe_start()
 */
void kprobe_stop(const char *name)
{
	char text[128];

	enable(name, "0");
	snprintf(text, sizeof(text), "-:" GROUP "/%s", name);
	write_file(TRACING "kprobe_events", O_APPEND, text);
}

/* Forget what was recorded. */
void kprobe_clear(void)
{
	write_file(KPROBE_TRACE, O_TRUNC, "");
}

/**
 * kprobe_count - how often was it called?
 * @name: as given to kprobe_start()
 * @thread: that called it
 *
 * Returns: the number of calls since kprobe_start() or kprobe_clear(), 0 if there is no trace.
 */
unsigned int kprobe_count(const char *name, pid_t thread)
{
	FILE *file = fopen(KPROBE_TRACE, "re");
	char line[512], caller[32], event[64];
	unsigned int count = 0;

	if (!file)
		return 0;
	snprintf(caller, sizeof(caller), "-%d ", thread);
	snprintf(event, sizeof(event), " %s:", name);
	while (fgets(line, sizeof(line), file))
		count += strstr(line, caller) && strstr(line, event);
	fclose(file);
	return count;
}
