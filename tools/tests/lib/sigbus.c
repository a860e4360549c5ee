// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "sigbus.h"

static sigjmp_buf out;

static void on_sigbus(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

static bool touch(volatile unsigned char *address, bool write)
{
	struct sigaction action = { .sa_handler = on_sigbus }, before;
	volatile bool caught = true;

	sigaction(SIGBUS, &action, &before);
	if (!sigsetjmp(out, 1)) {
		unsigned char byte = *address;

		if (write)
			*address = byte;
		caught = false;
	}
	sigaction(SIGBUS, &before, NULL);
	return caught;
}

/* Returns true if reading a byte at @address raises SIGBUS. */
bool sigbus_on_read(const void *address)
{
	return touch((volatile unsigned char *)address, false);
}

/* As sigbus_on_read(), and writes the byte back. */
bool sigbus_on_write(void *address)
{
	return touch(address, true);
}
