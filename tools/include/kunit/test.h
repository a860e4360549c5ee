/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Stand-in for KUnit: enough of it to run the builder's tests in user space.
 * tools/fuzz/kunit.c is the runner.
 */
#ifndef QUIRE_TOOLS_KUNIT_TEST_H
#define QUIRE_TOOLS_KUNIT_TEST_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

#define KUNIT_PARAM_DESC_SIZE	128

struct kunit {
	void *priv;
	const void *param_value;
	bool failed;
	jmp_buf stop;
	void *allocations;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

#define KUNIT_CASE(test)	{ .run_case = test, .name = #test }
#define KUNIT_CASE_PARAM(test, generate) \
	{ .run_case = test, .name = #test, .generate_params = generate }

#define KUNIT_ARRAY_PARAM_DESC(name, array, member)				\
	static const void *name##_gen_params(const void *prev, char *desc)	\
	{									\
		const __typeof__((array)[0]) *next = prev;			\
										\
		next = next ? next + 1 : (array);				\
		if (next == (array) + sizeof(array) / sizeof((array)[0]))	\
			return NULL;						\
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", next->member);	\
		return next;							\
	}

void quire_kunit_register(struct kunit_suite *suite);
void quire_kunit_fail(struct kunit *test, bool stop, const char *file, int line,
		      const char *what, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);

#define kunit_test_suite(suite)						\
	static void __attribute__((constructor)) suite##_register(void)	\
	{								\
		quire_kunit_register(&(suite));				\
	}								\
	struct quire_module_info

#define QUIRE_KUNIT_CHECK(test, stop, condition, ...) do {			\
	if (!(condition))							\
		quire_kunit_fail(test, stop, __FILE__, __LINE__, #condition,	\
				 "" __VA_ARGS__);				\
} while (0)

#define KUNIT_FAIL(test, ...) \
	quire_kunit_fail(test, false, __FILE__, __LINE__, "failed", "" __VA_ARGS__)

#define KUNIT_EXPECT_TRUE(t, c)		QUIRE_KUNIT_CHECK(t, false, c)
#define KUNIT_EXPECT_FALSE(t, c)	QUIRE_KUNIT_CHECK(t, false, !(c))
#define KUNIT_EXPECT_EQ(t, a, b)	QUIRE_KUNIT_CHECK(t, false, (a) == (b))
#define KUNIT_EXPECT_LE(t, a, b)	QUIRE_KUNIT_CHECK(t, false, (a) <= (b))
#define KUNIT_EXPECT_GT(t, a, b)	QUIRE_KUNIT_CHECK(t, false, (a) > (b))
#define KUNIT_EXPECT_PTR_EQ(t, a, b)	QUIRE_KUNIT_CHECK(t, false, (a) == (b))
#define KUNIT_EXPECT_MEMEQ(t, a, b, n)	QUIRE_KUNIT_CHECK(t, false, !memcmp(a, b, n))
#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) \
	QUIRE_KUNIT_CHECK(t, false, (a) == (b), __VA_ARGS__)

#define KUNIT_ASSERT_NOT_NULL(t, p)	QUIRE_KUNIT_CHECK(t, true, (p) != NULL)
#define KUNIT_ASSERT_TRUE(t, c)		QUIRE_KUNIT_CHECK(t, true, c)
#define KUNIT_ASSERT_EQ(t, a, b)	QUIRE_KUNIT_CHECK(t, true, (a) == (b))
#define KUNIT_ASSERT_LT(t, a, b)	QUIRE_KUNIT_CHECK(t, true, (a) < (b))
#define KUNIT_ASSERT_GT(t, a, b)	QUIRE_KUNIT_CHECK(t, true, (a) > (b))
#define KUNIT_ASSERT_LE(t, a, b)	QUIRE_KUNIT_CHECK(t, true, (a) <= (b))
#define KUNIT_ASSERT_TRUE_MSG(t, c, ...) QUIRE_KUNIT_CHECK(t, true, c, __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...) \
	QUIRE_KUNIT_CHECK(t, true, (a) == (b), __VA_ARGS__)
#define KUNIT_ASSERT_GT_MSG(t, a, b, ...) \
	QUIRE_KUNIT_CHECK(t, true, (a) > (b), __VA_ARGS__)
#define KUNIT_ASSERT_LT_MSG(t, a, b, ...) \
	QUIRE_KUNIT_CHECK(t, true, (a) < (b), __VA_ARGS__)

#endif
