// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "memory.h"
#include "quire.h"
#include "quire_client.h"

#define RESERVE		(64 * QUIRE_MIB)	/* for everything but objects */

/* Bytes that objects can still have; plenty if the kernel does not say. */
uint64_t memory_available(void)
{
	FILE *meminfo = fopen("/proc/meminfo", "re");
	uint64_t kib = UINT64_MAX / 1024;
	char line[128];

	if (!meminfo)
		return kib * 1024;
	while (fgets(line, sizeof(line), meminfo)) {
		if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1)
			break;
	}
	fclose(meminfo);
	return kib * 1024 > RESERVE ? kib * 1024 - RESERVE : 0;
}

static void on_sigbus(int signal)
{
	static const char message[] =
		"\nquire: no memory for an object, or its device is gone; see dmesg\n";

	(void)signal;
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(QUIRE_EXIT_FAILED);
	_exit(QUIRE_EXIT_FAILED);
}

/* A mapping loses its memory when there is none, or when the device goes away. */
void memory_catch_lost(void)
{
	signal(SIGBUS, on_sigbus);
}
