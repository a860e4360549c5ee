/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few lines of TAP: ok() prints a test point, tap_done() the plan.
 */
#ifndef QUIRE_TEST_TAP_H
#define QUIRE_TEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int tap_count;
static unsigned int tap_failed;

/* One test point; returns @good. */
__attribute__((__format__(__printf__, 2, 3), unused))
static bool ok(bool good, const char *fmt, ...)
{
	va_list ap;

	tap_count++;
	if (!good)
		tap_failed++;
	printf("%sok %u - ", good ? "" : "not ", tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	return good;
}

/* A test point that two numbers are equal; prints both if they are not. */
__attribute__((unused))
static bool is(unsigned long long got, unsigned long long expected, const char *name)
{
	bool good = ok(got == expected, "%s", name);

	if (!good)
		printf("#   got 0x%llx, expected 0x%llx\n", got, expected);
	return good;
}

/* Print the plan; returns the exit status. */
__attribute__((unused))
static int tap_done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed || !tap_count;
}

#endif
