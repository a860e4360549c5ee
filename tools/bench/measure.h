/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Times, medians, and figures as bench reads them. */
#ifndef QUIRE_BENCH_MEASURE_H
#define QUIRE_BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#define MEASURE_RUNS	21

double measure_now(void);
double measure_median(double *values, size_t count);
void measure_print(const char *name, double value, const char *unit);

#endif
