// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

static void measure(struct guest *guest, const struct guest_measurement *measurements,
		    const char *name)
{
	for (size_t i = 0; measurements[i].name; i++) {
		if (strcmp(measurements[i].name, name))
			continue;
		fprintf(stderr, "  %s\n", name);
		measurements[i].run(guest);
		return;
	}
	fprintf(stderr, "%s: %s: no such measurement\n", program_invocation_short_name, name);
	exit(EXIT_FAILURE);
}

/**
 * guest_run - measure what the command line says
 * @measurements: what there is; the last one has no name
 * @argv: of main()
 */
void guest_run(const struct guest_measurement *measurements, char **argv)
{
	struct guest guest;

	guest_open(&guest);
	while (*++argv)
		measure(&guest, measurements, *argv);
}
