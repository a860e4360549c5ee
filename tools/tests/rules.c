// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <string.h>

#include "rules.h"
#include "tap.h"

/* One line for each, whatever comes of the others. */
void rules_check(const struct rule *rules, size_t count, void *context)
{
	for (size_t i = 0; i < count; i++)
		tap_ok(rules[i].holds(context), "%s", rules[i].name);
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
