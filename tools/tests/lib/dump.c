// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "debugfs.h"
#include "dump.h"
#include "fixture.h"

/* Where one is until the kernel takes another one; in /sys/class it has gone before that. */
#define DUMPS		"/sys/devices/virtual/devcoredump"

/* Is there a dump? It goes with the first write, but beside: until then there is no other one. */
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
		/* It has no file yet, or none any more. */
		if (debugfs_read(dir, "data", text, size) < 0)
			continue;
		found = true;
		debugfs_write(dir, "data", "0");
		for (unsigned int i = 0; i < WAIT_MS && !access(dir, F_OK); i++)
			test_sleep_ms(1);
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

	for (unsigned int i = 0; i < WAIT_MS / 100 && !found; i++) {
		found = dump_take(text, size);
		if (!found)
			test_sleep_ms(100);
	}
	return found;
}

/**
 * dump_expect_command - the dump says which command was at work
 * @end: what it did to its context
 * @job_offset: where it is in its job: that of the command buffer, less where the part begins
 * @opcode: of it
 */
void dump_expect_command(const struct drm_quire_context_state *end, uint32_t job_offset,
			 uint16_t opcode)
{
	static char text[16384];
	char line[96];
	bool found = dump_wait(text, sizeof(text));

	tap_ok(found, "there is a dump of the device");
	snprintf(line, sizeof(line), "\nring: %u\n", end->ring + 1);
	tap_ok(found && strstr(text, line), "it says which ring");
	snprintf(line, sizeof(line), "\ncommand: submission %" PRIu64 ", part %u, byte %#x\n",
		 (uint64_t)end->submission, end->part, end->offset);
	tap_ok(found && strstr(text, line), "and which command of which part");
	snprintf(line, sizeof(line), "  0x%04x: %02x 00 ", job_offset, opcode);
	tap_ok(found && strstr(text, line), "it has the command");
}
