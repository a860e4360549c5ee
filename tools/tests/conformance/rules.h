/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* One verdict for each rule of the paging model; tools/conformance/rules lists them all. */
#ifndef QUIRE_TEST_RULES_H
#define QUIRE_TEST_RULES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct rule - a rule, and what shows that it holds
 * @name: as in tools/conformance/rules
 * @holds: says with tap_diag() what is wrong
 */
struct rule {
	const char *name;
	bool (*holds)(void *context);
};

void rules_check(const struct rule *rules, size_t count, void *context);
bool rule_ret(int ret, const char *what);
bool rule_is(bool ok, const char *what);
bool rule_skip(const char *why);

#endif
