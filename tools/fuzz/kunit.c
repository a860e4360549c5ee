// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Runs KUnit suites in user space and prints TAP, one line for each case and
 * parameter: all of them, or those whose names match a pattern. Exit status 1 if one failed.
 */
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>

#include <kunit/test.h>

struct allocation {
	struct allocation *next;
	unsigned char bytes[] __attribute__((aligned(16)));
};

static struct kunit_suite *suites;

void quire_kunit_register(struct kunit_suite *suite)
{
	suite->next = suites;
	suites = suite;
}

void quire_kunit_fail(struct kunit *test, bool stop, const char *file, int line,
		      const char *what, const char *fmt, ...)
{
	va_list list;

	printf("# %s:%d: not true: %s\n# ", file, line, what);
	va_start(list, fmt);
	vprintf(fmt, list);
	va_end(list);
	printf("\n");
	test->failed = true;
	if (stop)
		longjmp(test->stop, 1);
}

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	struct allocation *allocation = calloc(1, sizeof(*allocation) + size);

	(void)gfp;
	if (!allocation)
		return NULL;
	allocation->next = test->allocations;
	test->allocations = allocation;

	return allocation->bytes;
}

static bool run(const struct kunit_suite *suite, const struct kunit_case *c, const void *param)
{
	struct kunit *test = calloc(1, sizeof(*test));
	struct allocation *allocation, *next;
	bool passed;

	if (!test)
		abort();
	test->param_value = param;
	if (!setjmp(test->stop)) {
		if (suite->init && suite->init(test))
			test->failed = true;
		else
			c->run_case(test);
	}
	passed = !test->failed;
	for (allocation = test->allocations; allocation; allocation = next) {
		next = allocation->next;
		free(allocation);
	}
	free(test);

	return passed;
}

int main(int argc, char **argv)
{
	unsigned int nr = 0, failed = 0;
	const struct kunit_suite *suite;
	const struct kunit_case *c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	for (suite = suites; suite; suite = suite->next) {
		if (argc > 1 && fnmatch(argv[1], suite->name, 0))
			continue;
		for (c = suite->test_cases; c->run_case; c++) {
			char desc[KUNIT_PARAM_DESC_SIZE] = "";
			const void *param = NULL;

			do {
				bool passed;

				if (c->generate_params) {
					param = c->generate_params(param, desc);
					if (!param)
						break;
				}
				passed = run(suite, c, param);
				failed += !passed;
				printf("%s %u - %s: %s %s\n", passed ? "ok" : "not ok", ++nr,
				       suite->name, c->name, desc);
			} while (c->generate_params);
		}
	}
	printf("1..%u\n", nr);

	return failed || !nr;
}
