// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <string.h>

#include "rules.h"
#include "tap.h"

static const char *untested;

static void rule_check(const struct rule *rule, void *context)
{
	bool holds;

	untested = NULL;
	holds = rule->holds(context);
	if (holds && untested)
		tap_skip(untested, "%s", rule->name);
	else
		tap_ok(holds, "%s", rule->name);
}

/* One line for each, whatever comes of the others. */
void rules_check(const struct rule *rules, size_t count, void *context)
{
	for (size_t i = 0; i < count; i++)
		rule_check(&rules[i], context);
}

/* Not all of the rule that is checked now can be: it is skipped, unless what can be fails. */
bool rule_skip(const char *why)
{
	untested = why;
	return true;
}

/* Is @ret, 0 or a negative errno, 0? */
bool rule_ret(int ret, const char *what)
{
	if (ret)
		tap_diag("%s: %s", what, strerror(-ret));
	return !ret;
}

/* Is it so? */
bool rule_is(bool ok, const char *what)
{
	if (!ok)
		tap_diag("not so: %s", what);
	return ok;
}
