// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Gives a fuzzer the inputs of its corpora, each once: what libFuzzer's -runs=0 does, for a
 * compiler without libFuzzer.
 *
 * Usage: PROGRAM DIRECTORY...
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "replay.h"

#define INPUT_MAX	4096

static int replay_file(const char *path)
{
	uint8_t data[INPUT_MAX];
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);

	return 0;
}

static int replay_directory(const char *path)
{
	char name[PATH_MAX];
	struct dirent *entry;
	struct stat status;
	DIR *dir = opendir(path);
	int failed = 0;

	if (!dir) {
		perror(path);
		return 1;
	}
	while ((entry = readdir(dir))) {
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (!stat(name, &status) && S_ISREG(status.st_mode))
			failed |= replay_file(name);
	}
	closedir(dir);

	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;
	int i;

	for (i = 1; i < argc; i++)
		failed |= replay_directory(argv[i]);

	return failed;
}
