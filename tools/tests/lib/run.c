// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "run.h"
#include "tap.h"

/**
 * run_program - run a program to its end
 * @command: for the shell
 * @text: gets what it prints, of both of its outputs; so do the comments of the test
 * @size: bytes at @text; what is more is dropped
 *
 * Returns its exit status, or -1: it was killed.
 */
int run_program(const char *command, char *text, size_t size)
{
	char both[512], rest[512];
	size_t got;
	FILE *pipe;
	int status;

	snprintf(both, sizeof(both), "%s 2>&1", command);
	pipe = popen(both, "r");
	if (!pipe)
		return -1;
	got = fread(text, 1, size - 1, pipe);
	text[got] = '\0';
	while (fread(rest, 1, sizeof(rest), pipe))
		;
	status = pclose(pipe);
	for (const char *line = text; *line; line += line[0] == '\n') {
		int length = strcspn(line, "\n");

		tap_diag("%.*s", length, line);
		line += length;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
