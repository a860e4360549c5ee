// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "quire.h"

/* Returns the exit status. */
int usage(const char *what, const char *why)
{
	quire_say(what, why, "see quire --help");
	return QUIRE_EXIT_USAGE;
}

/* @option: what getopt_long() returned for an option that it refuses. Returns the exit status. */
int usage_option(int option, char **argv)
{
	/* the only letter that is known is that of --help */
	bool known = optopt > UINT8_MAX || optopt == 'h';
	const char letter[] = { '-', optopt, '\0' };

	/* a letter may have others behind it: optind does not point behind them yet */
	if (optopt && !known)
		return usage(letter, "unknown option");
	return usage(argv[optind - 1], option == ':' ? "needs a value" :
				       known ? "takes no value" : "unknown option");
}

/* Returns 0, or the exit status after a message. */
int parse_number(const char *option, const char *text, uint64_t least, uint64_t most,
		 uint64_t *value)
{
	uint64_t number;
	char why[80];
	char *end;

	errno = 0;
	number = strtoull(text, &end, 0);
	if (!errno && end != text && !*end && *text != '-' && number >= least && number <= most) {
		*value = number;
		return 0;
	}
	snprintf(why, sizeof(why), "not a number from %" PRIu64 " to %" PRIu64, least, most);
	return usage(option, most == UINT64_MAX ? "not a number" : why);
}

int parse_progress(const char *text, bool *progress)
{
	if (!strcmp(text, "always"))
		*progress = true;
	else if (!strcmp(text, "never"))
		*progress = false;
	else if (strcmp(text, "auto"))
		return usage("--progress", "not auto, always or never");
	return 0;
}
