// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * bench-guest: what the driver makes of the device when it moves memory, measured in the
 * guest.
 *
 * Usage: bench-guest MEASUREMENT...
 * Prints figures, one a line: name, value and unit with tabs between.
 */
#include "guest.h"

static const struct guest_measurement measurements[] = {
	{ "paging", guest_paging },
	{ "submissions", guest_submissions },
	{ "latency", guest_latency },
	{ "free", guest_free },
	{ "eviction", guest_eviction },
	{ "plug", guest_plug },
	{ "allocations", guest_allocations },
	{ "fair", guest_fair },
	{ "ranges", guest_ranges },
	{ "generations", guest_generations },
	{ "wait", guest_wait },
	{ "objects", guest_objects },
	{ "pages", guest_pages },
	{ }
};

int main(int argc, char **argv)
{
	(void)argc;
	guest_run(measurements, argv);
	return 0;
}
