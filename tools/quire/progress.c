// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdarg.h>
#include <stdio.h>

#include "progress.h"
#include "quire_client.h"

#define INTERVAL_NS	200000000ll

static void draw(struct progress *progress)
{
	double percent = progress->total ? 100.0 * progress->done / progress->total : 100.0;

	fprintf(stderr, "\r%-18s %3.0f %% %7.1f of %.1f MiB\033[K", progress->phase, percent,
		(double)progress->done / QUIRE_MIB, (double)progress->total / QUIRE_MIB);
	progress->drawn_ns = quire_now_ns();
}

void progress_start(struct progress *progress, uint64_t total, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(progress->phase, sizeof(progress->phase), format, args);
	va_end(args);
	progress->total = total;
	progress->done = 0;
	if (progress->enabled)
		draw(progress);
}

void progress_add(struct progress *progress, uint64_t bytes)
{
	progress->done += bytes;
	if (progress->enabled && quire_now_ns() - progress->drawn_ns > INTERVAL_NS)
		draw(progress);
}

void progress_clear(struct progress *progress)
{
	if (progress->enabled)
		fputs("\r\033[K", stderr);
}
