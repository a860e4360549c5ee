// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "peek.h"

/**
 * peek - read a word of a process, as a debugger does
 * @pid: of it
 * @address: where in its address space
 * @word: returned
 *
 * Returns: 0, or a negative errno.
 */
int peek(pid_t pid, const void *address, uint64_t *word)
{
	char name[32];
	ssize_t got;
	int file, ret;

	snprintf(name, sizeof(name), "/proc/%d/mem", pid);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	got = pread(file, word, sizeof(*word), (uintptr_t)address);
	ret = got < 0 ? -errno : got == sizeof(*word) ? 0 : -ENODATA;
	close(file);
	return ret;
}
