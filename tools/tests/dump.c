// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "debugfs.h"
#include "dump.h"
#include "fixture.h"

#define DUMPS		"/sys/class/devcoredump"

/* Is there a dump? It goes with the first write. */
static bool dump_take(char *text, size_t size)
{
	struct dirent *entry;
	char dir[300];
	DIR *dumps = opendir(DUMPS);
	bool found = false;

	while (dumps && (entry = readdir(dumps))) {
		if (strncmp(entry->d_name, "devcd", 5))
			continue;
		snprintf(dir, sizeof(dir), DUMPS "/%s", entry->d_name);
		found = debugfs_read(dir, "data", text, size) >= 0;
		debugfs_write(dir, "data", "0");
	}
	if (dumps)
		closedir(dumps);
	return found;
}

/* The kernel keeps one of a device: what another test left would be taken for this one's. */
void dump_forget(void)
{
	char text[64];

	dump_take(text, sizeof(text));
}

/**
 * dump_wait - take the dump, which comes a little after the hang
 * @text: gets as much of it as there is room for
 * @size: of @text
 *
 * Returns: true, or false if none comes.
 */
bool dump_wait(char *text, size_t size)
{
	bool found = false;

	for (unsigned int i = 0; i < 50 && !found; i++) {
		found = dump_take(text, size);
		if (!found)
			test_sleep_ms(100);
	}
	return found;
}
