// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the driver knows of a ring when it is stopped. Its registers are emulated, which takes a
 * kernel that emulates memory of devices, as user-mode Linux does.
 */
#include <kunit/test.h>

#include <linux/err.h>
#include <linux/io.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include <quire/quire_hw.h>

#include "../quire_ring.h"

#define SIZE		64u	/* bytes of the submission at work */
#define BEFORE		8u	/* offset of a notice in it, and behind it */
#define BEHIND		40u
#define REGISTERS	0x100u	/* bytes */

/**
 * struct fake_device - the registers of a ring
 * @values: of the registers
 * @busy: so often STATUS says so when the ring is disabled, until a notice is ended
 */
static struct fake_device {
	u32 values[REGISTERS / sizeof(u32)];
	u32 busy;
} fake;

static u32 *fake_register(u32 reg)
{
	return &fake.values[reg / sizeof(u32)];
}

static u32 fake_status(void)
{
	if (*fake_register(QUIRE_RING_CONTROL) || !fake.busy)
		return *fake_register(QUIRE_RING_STATUS);
	if (!--fake.busy) {
		*fake_register(QUIRE_RING_OFFSET) = BEHIND;
		*fake_register(QUIRE_RING_STATUS) = 0;
	}
	return QUIRE_RING_STATUS_BUSY;
}

#ifdef CONFIG_INDIRECT_IOMEM

#include <linux/logic_iomem.h>

static unsigned long fake_read(void *priv, unsigned int offset, int size)
{
	return offset == QUIRE_RING_STATUS ? fake_status() : *fake_register(offset);
}

static void fake_write(void *priv, unsigned int offset, int size, unsigned long value)
{
	*fake_register(offset) = value;
}

static const struct logic_iomem_ops fake_ops = {
	.read = fake_read,
	.write = fake_write,
};

static long fake_map(unsigned long offset, size_t size, const struct logic_iomem_ops **ops,
		     void **priv)
{
	*ops = &fake_ops;
	return offset;
}

static const struct logic_iomem_region_ops fake_region_ops = { .map = fake_map };

static struct resource fake_resource = {
	.name = "quire ring",
	.start = 0xf00000000,
	.end = 0xf00000000 + PAGE_SIZE - 1,
	.flags = IORESOURCE_MEM,
};

/* The region stays: there is no call that removes one. */
static void __iomem *fake_ioremap(void)
{
	static bool added;

	if (!added && logic_iomem_add_region(&fake_resource, &fake_region_ops))
		return NULL;
	added = true;
	return ioremap(fake_resource.start, REGISTERS);
}

#else

static void __iomem *fake_ioremap(void)
{
	(void)fake_status;
	return NULL;
}

#endif

/**
 * struct scene - a ring that is at work
 * @ring: the ring
 * @fence: of its submission
 * @page: fence page; it has completed nothing
 */
struct scene {
	struct quire_ring ring;
	struct quire_ring_fence fence;
	struct quire_fence_page page;
};

static int scene_init(struct kunit *test)
{
	static const struct quire_ring_fence_ops no_ops;
	struct scene *scene = kunit_kzalloc(test, sizeof(*scene), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, scene);
	test->priv = scene;
	scene->ring.regs = fake_ioremap();
	if (!scene->ring.regs)
		kunit_skip(test, "memory of devices can not be emulated here");
	scene->ring.fence_page = &scene->page;
	spin_lock_init(&scene->ring.lock);
	INIT_LIST_HEAD(&scene->ring.pending);
	scene->fence.ops = &no_ops;
	scene->fence.size = SIZE;
	scene->fence.base.seqno = 1;
	list_add(&scene->fence.link, &scene->ring.pending);
	fake = (struct fake_device) { };
	*fake_register(QUIRE_RING_CONTROL) = QUIRE_RING_CONTROL_ENABLE;
	*fake_register(QUIRE_RING_STATUS) = QUIRE_RING_STATUS_BUSY;
	*fake_register(QUIRE_RING_OFFSET) = BEFORE;
	return 0;
}

static void scene_exit(struct kunit *test)
{
	struct scene *scene = test->priv;

	if (scene->ring.regs)
		iounmap(scene->ring.regs);
}

/* The device ends a notice that it is at when the ring is disabled: it is not told again. */
static void ring_stop_in_notice(struct kunit *test)
{
	struct scene *scene = test->priv;

	fake.busy = 5;
	quire_ring_stop(&scene->ring);
	KUNIT_EXPECT_EQ(test, *fake_register(QUIRE_RING_CONTROL), 0);
	KUNIT_EXPECT_EQ(test, fake.busy, 0);
	KUNIT_EXPECT_EQ(test, quire_ring_position(&scene->ring).executed, BEHIND);
}

static void ring_stop_twice(struct kunit *test)
{
	struct scene *scene = test->priv;

	*fake_register(QUIRE_RING_STATUS) = 0;
	quire_ring_stop(&scene->ring);
	KUNIT_EXPECT_EQ(test, quire_ring_position(&scene->ring).executed, BEFORE);
	*fake_register(QUIRE_RING_OFFSET) = BEHIND;
	quire_ring_stop(&scene->ring);
	KUNIT_EXPECT_EQ(test, quire_ring_position(&scene->ring).executed, BEFORE);
}

/* Of a device that is gone all bits are set: that is no position, and nothing to wait for. */
static void ring_stop_gone(struct kunit *test)
{
	struct scene *scene = test->priv;

	memset(fake.values, 0xff, sizeof(fake.values));
	quire_ring_stop(&scene->ring);
	KUNIT_EXPECT_EQ(test, quire_ring_position(&scene->ring).executed, 0);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_stop_in_notice),
	KUNIT_CASE(ring_stop_twice),
	KUNIT_CASE(ring_stop_gone),
	{ }
};

static struct kunit_suite ring_suite = {
	.name = "quire_ring",
	.init = scene_init,
	.exit = scene_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
