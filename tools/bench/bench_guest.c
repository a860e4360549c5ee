// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * bench-guest: what the driver makes of the device, measured in the guest.
 *
 * Usage: bench-guest MEASUREMENT...
 * Prints figures, one a line: name, value and unit with tabs between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

static const struct {
	const char *name;
	void (*run)(struct guest *guest);
} measurements[] = {
	{ "paging", guest_paging },
	{ "submissions", guest_submissions },
	{ "latency", guest_latency },
	{ "free", guest_free },
	{ "eviction", guest_eviction },
	{ "plug", guest_plug },
	{ "allocations", guest_allocations },
	{ "fair", guest_fair },
	{ "ranges", guest_ranges },
	{ "wait", guest_wait },
	{ "objects", guest_objects },
	{ "pages", guest_pages },
};

static void measure(struct guest *guest, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(measurements); i++) {
		if (strcmp(measurements[i].name, name))
			continue;
		fprintf(stderr, "  %s\n", name);
		measurements[i].run(guest);
		return;
	}
	fprintf(stderr, "bench-guest: %s: no such measurement\n", name);
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	struct guest guest;

	guest_open(&guest);
	for (int i = 1; i < argc; i++)
		measure(&guest, argv[i]);
	return 0;
}
