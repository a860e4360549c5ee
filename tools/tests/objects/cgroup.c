// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "tap.h"

/* Returns false if the kernel has none. */
bool cgroup_mount(void)
{
	if (mkdir(CGROUP_ROOT, 0755) && errno != EEXIST)
		tap_bail("mkdir: %m");
	return !mount("none", CGROUP_ROOT, "cgroup2", 0, NULL);
}

void cgroup_unmount(void)
{
	umount(CGROUP_ROOT);
}

void cgroup_write(const char *group, const char *file, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), CGROUP_ROOT "%s/%s", group, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		tap_bail("'%s' to %s: %m", text, path);
	close(fd);
}

/* This process is charged from now on. */
void cgroup_enter(const char *group)
{
	cgroup_write(group, "cgroup.procs", "0");
}

/* The number behind @key in a file; UINT64_MAX: there is none. */
uint64_t cgroup_read(const char *group, const char *file, const char *key)
{
	uint64_t value = UINT64_MAX;
	char path[128], name[64], text[32];
	FILE *stream;

	snprintf(path, sizeof(path), CGROUP_ROOT "%s/%s", group, file);
	stream = fopen(path, "re");
	while (stream && fscanf(stream, "%63s %31s", name, text) == 2)
		if (!strcmp(name, key))
			value = strtoull(text, NULL, 10);
	if (stream)
		fclose(stream);
	return value;
}
