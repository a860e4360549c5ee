// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fdinfo.h"
#include "quire_client.h"

bool fdinfo_read(int fd, char *text, size_t size)
{
	char path[64];
	FILE *file;
	size_t got;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fread(text, 1, size - 1, file);
	text[got] = '\0';
	fclose(file);
	return got > 0;
}

/* What follows "@key:" on its line; NULL without such a line. */
const char *fdinfo_find(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, length) && line[length] == ':')
			return line + length + 1;
	}
	return NULL;
}

/* Bytes of "@key:  N [KiB|MiB]"; UINT64_MAX without such a line. */
uint64_t fdinfo_statistic(int fd, const char *key)
{
	char text[4096] = "", unit[8] = "";
	const char *value;
	uint64_t number;

	if (!fdinfo_read(fd, text, sizeof(text)))
		return UINT64_MAX;
	value = fdinfo_find(text, key);
	if (!value || sscanf(value, " %" SCNu64 " %3[KMiB]", &number, unit) < 1)
		return UINT64_MAX;
	if (!strcmp(unit, "MiB"))
		return number * QUIRE_MIB;
	return !strcmp(unit, "KiB") ? number * 1024 : number;
}

uint64_t fdinfo_region(int fd, const char *what, uint32_t segment)
{
	char key[64];

	snprintf(key, sizeof(key), "drm-%s-%s", what, quire_segment_name(segment));
	return fdinfo_statistic(fd, key);
}
