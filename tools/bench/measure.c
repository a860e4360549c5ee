// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "measure.h"

/* Seconds. */
double measure_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts @values; @count is odd. */
double measure_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

/* One line: name, value and unit with tabs between. */
void measure_print(const char *name, double value, const char *unit)
{
	printf("%s\t%.6g\t%s\n", name, value, unit);
	fflush(stdout);
}
