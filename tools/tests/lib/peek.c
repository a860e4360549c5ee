// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "peek.h"

static int open_memory(pid_t pid, int flags)
{
	char name[32];
	int file;

	snprintf(name, sizeof(name), "/proc/%d/mem", pid);
	file = open(name, flags | O_CLOEXEC);
	return file < 0 ? -errno : file;
}

/* @done: as of pread() and pwrite(), of a word */
static int end(int file, ssize_t done)
{
	int ret = done < 0 ? -errno : done == sizeof(uint64_t) ? 0 : -ENODATA;

	close(file);
	return ret;
}

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
	int file = open_memory(pid, O_RDONLY);

	return file < 0 ? file : end(file, pread(file, word, sizeof(*word), (uintptr_t)address));
}

/**
 * poke - write a word of a process, as a debugger does
 * @pid: of it
 * @address: where in its address space; what it may only read itself, too
 * @word: what is written
 *
 * Returns: 0, or a negative errno.
 */
int poke(pid_t pid, const void *address, uint64_t word)
{
	int file = open_memory(pid, O_RDWR);

	return file < 0 ? file : end(file, pwrite(file, &word, sizeof(word), (uintptr_t)address));
}
