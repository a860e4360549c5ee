// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static unsigned int nr_run, nr_failed;
static pid_t owner;

static void on_alarm(int signal)
{
	static const char message[] = "Bail out! The time limit is over.\n";

	(void)signal;
	if (getpid() == owner && write(STDOUT_FILENO, message, sizeof(message) - 1) < 0)
		_exit(2);
	_exit(2);
}

/**
 * tap_start - begin
 * @seconds: about what the program may take on a machine with two processors; after ten times
 *           as long it hangs, and gives up
 */
void tap_start(unsigned int seconds)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	owner = getpid();
	signal(SIGALRM, on_alarm);
	alarm(TAP_LIMIT_FACTOR * seconds);
	puts("TAP version 13");
}

/* Returns the exit status. */
int tap_done(void)
{
	if (!nr_run)
		tap_bail("nothing was checked");
	printf("1..%u\n", nr_run);
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool result(bool ok, const char *directive, const char *format, va_list args)
{
	printf("%s %u - ", ok ? "ok" : "not ok", ++nr_run);
	vprintf(format, args);
	printf("%s\n", directive);
	if (!ok)
		nr_failed++;
	return ok;
}

bool tap_ok(bool ok, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(ok, "", format, args);
	va_end(args);
	return ok;
}

static const char *error_name(int ret)
{
	const char *name = ret < 0 ? strerrorname_np(-ret) : NULL;

	return name ? name : ret ? "?" : "0";
}

/* A check that @ret, 0 or a negative errno, is @expected. */
bool tap_ret(int ret, int expected, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(ret == expected, "", format, args);
	va_end(args);
	if (ret != expected)
		tap_diag("got %s (%d), expected %s", error_name(ret), ret, error_name(expected));
	return ret == expected;
}

void tap_skip(const char *reason, const char *format, ...)
{
	char directive[128];
	va_list args;

	snprintf(directive, sizeof(directive), " # SKIP %s", reason);
	va_start(args, format);
	result(true, directive, format, args);
	va_end(args);
}

void tap_diag(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void tap_skip_all(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	exit(EXIT_SUCCESS);
}

void tap_bail(const char *format, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	exit(2);
}
