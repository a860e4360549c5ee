// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "quire_paging_args.h"

/*
 * DOC: the checks of fences
 *
 * What is refused, and with which error; and what is next to it, and is not.
 */

#define VA_END	BIT_ULL(48)

struct check_case {
	const char *name;
	int err;
	struct quire_paging_args args;
};

#define SIGNAL(text, errno, address)						\
	{ text, errno, { .operation = QUIRE_PAGING_SIGNAL_MONITORED_FENCE,	\
		.u.signal_fence.monitored_fence_gpu_va = address } }

static const struct check_case cases[] = {
	SIGNAL("signal of the last fence", 0, VA_END - 8),
	SIGNAL("signal behind the end", -ERANGE, VA_END),
	SIGNAL("signal at the top", -ERANGE, U64_MAX - 7),
	SIGNAL("signal of half a value", -EINVAL, 4),
};

KUNIT_ARRAY_PARAM_DESC(check, cases, name);

static void quire_tables_checked(struct kunit *test)
{
	const struct check_case *c = test->param_value;
	struct quire_paging_args args;

	memcpy(&args, &c->args, sizeof(args));
	KUNIT_EXPECT_EQ(test, quire_paging_check_args(&caps, &args), c->err);
	KUNIT_EXPECT_MEMEQ(test, &args, &c->args, sizeof(args));
}

static struct kunit_case quire_paging_tables_check_cases[] = {
	KUNIT_CASE_PARAM(quire_tables_checked, check_gen_params),
	{}
};

static struct kunit_suite quire_paging_tables_check_suite = {
	.name = "quire_paging_tables_check",
	.test_cases = quire_paging_tables_check_cases,
};

kunit_test_suite(quire_paging_tables_check_suite);
