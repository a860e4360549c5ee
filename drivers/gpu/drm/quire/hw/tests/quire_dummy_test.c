// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The dummy page: whatever is written to it is found, wherever it is. */
#include <kunit/test.h>

#include <quire/quire_hw.h>

#include "../../core/quire_device_types.h"
#include "../../core/quire_options.h"
#include "../quire_aperture.h"

/* A device of which there is nothing but its dummy page. */
static int dummy_init(struct kunit *test)
{
	struct quire_device *qdev = kunit_kzalloc(test, sizeof(*qdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, qdev);
	qdev->dummy_page = kunit_kzalloc(test, QUIRE_PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, qdev->dummy_page);
	test->priv = qdev;
	quire_options.check_dummy_page = true;
	return 0;
}

static void dummy_exit(struct kunit *test)
{
	quire_options.check_dummy_page = false;
}

/* Once something was found, nobody watches any more. */
static bool finds_nothing(struct quire_device *qdev)
{
	quire_dummy_check(qdev, "in a test");
	return atomic_read(&qdev->dummy_watched);
}

static void dummy_is_as_it_was(struct kunit *test)
{
	quire_dummy_watch(test->priv);
	KUNIT_EXPECT_TRUE(test, finds_nothing(test->priv));
	KUNIT_EXPECT_TRUE(test, finds_nothing(test->priv));
}

static void dummy_shows_each_byte(struct kunit *test)
{
	static const unsigned int offsets[] = { 0, 1, 2047, 4088, QUIRE_PAGE_SIZE - 1 };
	struct quire_device *qdev = test->priv;
	u8 *bytes = qdev->dummy_page;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		quire_dummy_watch(qdev);
		bytes[offsets[i]] ^= 1;
		KUNIT_EXPECT_FALSE_MSG(test, finds_nothing(qdev), "byte %u", offsets[i]);
	}
}

/* The zeros that were there before are as good as any other bytes. */
static void dummy_shows_zeros(struct kunit *test)
{
	struct quire_device *qdev = test->priv;

	quire_dummy_watch(qdev);
	memset(qdev->dummy_page, 0, QUIRE_PAGE_SIZE);
	KUNIT_EXPECT_FALSE(test, finds_nothing(qdev));
}

static void dummy_is_checked_if_asked(struct kunit *test)
{
	struct quire_device *qdev = test->priv;

	quire_dummy_watch(qdev);
	memset(qdev->dummy_page, 0, QUIRE_PAGE_SIZE);
	quire_options.check_dummy_page = false;
	KUNIT_EXPECT_TRUE(test, finds_nothing(qdev));
	quire_options.check_dummy_page = true;
	KUNIT_EXPECT_FALSE(test, finds_nothing(qdev));
}

static struct kunit_case quire_dummy_cases[] = {
	KUNIT_CASE(dummy_is_as_it_was),
	KUNIT_CASE(dummy_shows_each_byte),
	KUNIT_CASE(dummy_shows_zeros),
	KUNIT_CASE(dummy_is_checked_if_asked),
	{}
};

static struct kunit_suite quire_dummy_suite = {
	.name = "quire_dummy",
	.init = dummy_init,
	.exit = dummy_exit,
	.test_cases = quire_dummy_cases,
};

kunit_test_suite(quire_dummy_suite);
