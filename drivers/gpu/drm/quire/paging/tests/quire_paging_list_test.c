// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The loop that drives the builder, against a fake queue: buffers of any size,
 * a fault at every step.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/slab.h>

#include "../quire_paging_list.h"

#define FAKE_PAGES	64
#define FAKE_SUBMITS	64

/* What stands behind a struct dma_fence here. */
struct fake_fence {
	unsigned int seqno; /* number of the submit; 0: signalled from the start */
	int references;
};

/**
 * struct fake_queue - records what the loop does
 * @list: under test
 * @test: the running test
 * @window: bytes of each buffer
 * @shared: bytes of the first one that other lists have written
 * @memory: of the one buffer that can be open
 * @records: its private data
 * @open: a buffer is out
 * @acquires: calls
 * @submits: calls
 * @releases: calls
 * @idle_waits: calls
 * @idle_asks: calls
 * @waits: calls
 * @fail_acquire: number of the acquire that fails, 0: none
 * @fail_submit: number of the submit that fails, 0: none
 * @fail_idle: wait_idle fails
 * @busy: is_idle is false
 * @waited: last fence that was waited for
 * @submitted: bytes of each submit
 * @fences: of each submit
 */
struct fake_queue {
	struct quire_paging_list list;
	struct kunit *test;
	u32 window;
	u32 shared;
	u64 memory[512];
	struct quire_paging_record records[FAKE_PAGES];
	bool open;
	unsigned int acquires;
	unsigned int submits;
	unsigned int releases;
	unsigned int idle_waits;
	unsigned int idle_asks;
	unsigned int waits;
	unsigned int fail_acquire;
	unsigned int fail_submit;
	bool fail_idle;
	bool busy;
	unsigned int waited;
	u32 submitted[FAKE_SUBMITS];
	struct fake_fence fences[FAKE_SUBMITS];
};

static struct fake_fence fake_signalled_fence;

static struct dma_fence *fake_get(struct fake_fence *fence)
{
	fence->references++;
	return (struct dma_fence *)fence;
}

static struct fake_queue *to_fake(struct quire_paging_list *list)
{
	return container_of(list, struct fake_queue, list);
}

static int fake_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct fake_queue *fake = to_fake(list);

	KUNIT_EXPECT_FALSE(fake->test, fake->open);
	if (++fake->acquires == fake->fail_acquire)
		return -ERESTARTSYS;

	fake->open = true;
	*buffer = (struct quire_paging_buffer) {
		.cpu = fake->memory,
		.gpu_address = 0x10000,
		.size = fake->window,
		.used = fake->acquires == 1 ? fake->shared : 0,
		.records = fake->records,
		.max_records = ARRAY_SIZE(fake->records),
	};
	return 0;
}

static struct dma_fence *fake_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct fake_queue *fake = to_fake(list);
	struct fake_fence *fence = &fake->fences[fake->submits];

	KUNIT_EXPECT_TRUE(fake->test, fake->open);
	fake->open = false;
	KUNIT_ASSERT_LT(fake->test, fake->submits, (unsigned int)FAKE_SUBMITS);
	fake->submitted[fake->submits] = buffer->used;
	fence->seqno = ++fake->submits;
	if (fake->submits == fake->fail_submit)
		return ERR_PTR(-ENOMEM);

	return fake_get(fence);
}

static void fake_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct fake_queue *fake = to_fake(list);

	KUNIT_EXPECT_TRUE(fake->test, fake->open);
	fake->open = false;
	fake->releases++;
}

static int fake_wait_idle(struct quire_paging_list *list)
{
	struct fake_queue *fake = to_fake(list);

	KUNIT_EXPECT_FALSE(fake->test, fake->open);
	fake->idle_waits++;
	return fake->fail_idle ? -ERESTARTSYS : 0;
}

static bool fake_is_idle(struct quire_paging_list *list)
{
	struct fake_queue *fake = to_fake(list);

	fake->idle_asks++;
	return !fake->busy;
}

static int fake_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	struct fake_queue *fake = to_fake(list);

	KUNIT_EXPECT_FALSE(fake->test, fake->open);
	fake->waits++;
	fake->waited = ((struct fake_fence *)fence)->seqno;
	return 0;
}

static struct dma_fence *fake_signalled(void)
{
	return fake_get(&fake_signalled_fence);
}

static void fake_put(struct dma_fence *fence)
{
	if (fence)
		((struct fake_fence *)fence)->references--;
}

static const struct quire_paging_list_ops fake_ops = {
	.acquire = fake_acquire,
	.submit = fake_submit,
	.release = fake_release,
	.wait_idle = fake_wait_idle,
	.is_idle = fake_is_idle,
	.wait = fake_wait,
	.signalled = fake_signalled,
	.put = fake_put,
};

static const struct quire_paging_caps fake_caps = {
	.vram_pages = 2 * FAKE_PAGES,
	.aperture_pages = FAKE_PAGES,
	.max_packet_pages = 1,
	.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE,
	.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE,
};

static struct fake_queue *fake_create(struct kunit *test, u32 window)
{
	struct fake_queue *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	fake_signalled_fence.references = 0;
	fake->test = test;
	fake->window = window;
	fake->list.ops = &fake_ops;
	fake->list.caps = &fake_caps;
	return fake;
}

static const struct quire_page_run fake_run = { .first = 0, .count = FAKE_PAGES };

/* FAKE_PAGES pages with one page a packet: FAKE_PAGES packets of 32 bytes. */
static struct quire_paging_args fake_fill(void)
{
	return (struct quire_paging_args) {
		.operation = QUIRE_PAGING_FILL,
		.u.fill = {
			.destination = {
				.segment = QUIRE_SEGMENT_VRAM,
				.nr_runs = 1,
				.runs = &fake_run,
			},
			.fill_size = FAKE_PAGES * QUIRE_PAGE_SIZE,
		},
	};
}

static struct quire_paging_args fake_discard(const struct quire_paging_allocation *allocation)
{
	return (struct quire_paging_args) {
		.operation = QUIRE_PAGING_DISCARD_CONTENT,
		.allocation = allocation,
		.u.discard.location = {
			.segment = QUIRE_SEGMENT_VRAM,
			.nr_runs = 1,
			.runs = &fake_run,
		},
	};
}

#define FILL_PACKET	sizeof(struct quire_packet_fill)

/*
 * Ends the list: nothing is open any more, and the only reference to a fence is
 * the one of the caller. Returns the number of the submit, or the error.
 */
static int fake_finish(struct fake_queue *fake, int error)
{
	struct dma_fence *fence = quire_paging_list_finish(&fake->list, error);
	unsigned int i;
	int ret = IS_ERR(fence) ? PTR_ERR(fence) : (int)((struct fake_fence *)fence)->seqno;

	if (!IS_ERR(fence))
		fake_put(fence);
	for (i = 0; i < FAKE_SUBMITS; i++)
		KUNIT_EXPECT_EQ(fake->test, fake->fences[i].references, 0);
	KUNIT_EXPECT_EQ(fake->test, fake_signalled_fence.references, 0);
	KUNIT_EXPECT_FALSE(fake->test, fake->open);
	return ret;
}

static u32 fake_total(const struct fake_queue *fake)
{
	u32 total = 0;
	unsigned int i;

	for (i = 0; i < fake->submits; i++)
		total += fake->submitted[i];
	return total;
}

/* What is open when a list fails is dropped, not executed; others may go on in that buffer. */
static void list_drops_what_is_open(struct kunit *test)
{
	struct fake_queue *fake = fake_create(test, 2 * FAKE_PAGES * FILL_PACKET);
	struct quire_paging_args args = fake_fill(), bad = fake_fill();

	fake->shared = FILL_PACKET;
	bad.u.fill.destination.segment = QUIRE_SEGMENT_APERTURE;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &bad), -EINVAL);
	KUNIT_EXPECT_TRUE(test, fake->open);
	KUNIT_EXPECT_FALSE(test, quire_paging_list_is_empty(&fake->list));
	KUNIT_EXPECT_EQ(test, fake_finish(fake, -EINVAL), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake->releases, 1u);
	KUNIT_EXPECT_EQ(test, fake->submits, 0u);
	KUNIT_EXPECT_EQ(test, fake->waits, 0u);
}

/* A buffer that others have filled is handed in, and the list goes on in fresh ones. */
static void list_goes_on_behind_others(struct kunit *test)
{
	struct fake_queue *fake = fake_create(test, 2 * FILL_PACKET);
	struct quire_paging_args args = fake_fill();

	fake->shared = 2 * FILL_PACKET;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), 0);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), FAKE_PAGES / 2 + 1);
	KUNIT_EXPECT_EQ(test, fake_total(fake), (FAKE_PAGES + 2) * FILL_PACKET);
}

static void list_splits_when_full(struct kunit *test)
{
	unsigned int per_buffer;

	for (per_buffer = 2; per_buffer <= FAKE_PAGES; per_buffer++) {
		struct fake_queue *fake = fake_create(test, per_buffer * FILL_PACKET);
		struct quire_paging_args args = fake_fill();

		KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), 0);
		KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), (int)fake->submits);
		KUNIT_EXPECT_EQ(test, fake->submits, DIV_ROUND_UP(FAKE_PAGES, per_buffer));
		KUNIT_EXPECT_EQ(test, fake->acquires, fake->submits);
		KUNIT_EXPECT_EQ(test, fake_total(fake), FAKE_PAGES * FILL_PACKET);
	}
}

static void list_shares_a_buffer(struct kunit *test)
{
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args args = fake_fill();

	args.u.fill.fill_size = QUIRE_PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), 0);
	KUNIT_EXPECT_EQ(test, fake->submits, 0u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), 1);
	KUNIT_EXPECT_EQ(test, fake->submits, 1u);
	KUNIT_EXPECT_EQ(test, fake->submitted[0], 2 * FILL_PACKET);
}

/* Whatever is submitted before a failure is waited for, and nothing leaks. */
static void list_fails_at_every_step(struct kunit *test)
{
	const unsigned int buffers = FAKE_PAGES / 2;
	unsigned int k;

	for (k = 1; k <= 2 * buffers; k++) {
		struct fake_queue *fake = fake_create(test, 2 * FILL_PACKET);
		struct quire_paging_args args = fake_fill();
		unsigned int step = (k + 1) / 2;
		int ret;

		if (k & 1)
			fake->fail_acquire = step;
		else
			fake->fail_submit = step;

		ret = quire_paging_list_add(&fake->list, &args);
		KUNIT_EXPECT_EQ(test, fake_finish(fake, ret), k & 1 ? -ERESTARTSYS : -ENOMEM);
		KUNIT_EXPECT_EQ(test, fake->waits, (unsigned int)(step > 1));
		KUNIT_EXPECT_EQ(test, fake->waited, step - 1);
	}
}

static void list_waits_when_busy(struct kunit *test)
{
	const struct quire_paging_allocation allocation = { .needs_idle = true };
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args fill = fake_fill();
	struct quire_paging_args discard = fake_discard(&allocation);

	fill.u.fill.fill_size = QUIRE_PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &fill), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &discard), 0);
	/* The open buffer ran first, then all else that uses the allocation. */
	KUNIT_EXPECT_EQ(test, fake->waited, 1u);
	KUNIT_EXPECT_EQ(test, fake->idle_waits, 1u);
	KUNIT_EXPECT_TRUE(test, discard.allocation_is_idle);

	/* The next operation asks again, whatever its arguments were left with. */
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &discard), 0);
	KUNIT_EXPECT_EQ(test, fake->idle_waits, 2u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), (int)fake->submits);
}

static void list_gives_up_when_never_idle(struct kunit *test)
{
	const struct quire_paging_allocation allocation = { .needs_idle = true };
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args discard = fake_discard(&allocation);
	int ret;

	fake->fail_idle = true;
	ret = quire_paging_list_add(&fake->list, &discard);
	KUNIT_EXPECT_EQ(test, ret, -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, ret), -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, fake->submits, 0u);
	KUNIT_EXPECT_EQ(test, fake->releases, fake->acquires);
}

static struct quire_paging_args fake_part(const struct quire_paging_allocation *allocation,
					  u64 first, u64 pages, u32 flags)
{
	return (struct quire_paging_args) {
		.operation = QUIRE_PAGING_TRANSFER,
		.allocation = allocation,
		.u.transfer = {
			.source = {
				.segment = QUIRE_SEGMENT_VRAM,
				.nr_runs = 1,
				.runs = &fake_run,
			},
			.destination = {
				.segment = QUIRE_SEGMENT_SYSTEM,
				.nr_runs = 1,
				.runs = &fake_run,
			},
			.transfer_offset = first * QUIRE_PAGE_SIZE,
			.transfer_size = pages * QUIRE_PAGE_SIZE,
			.mdl_offset = first,
			.flags = flags,
		},
	};
}

/* Who waited for the first part has waited for all, but not for the next transfer. */
static void list_waits_for_the_first_part(struct kunit *test)
{
	const struct quire_paging_allocation allocation = {
		.needs_idle = true, .pitch_aligned_size = 8 * QUIRE_PAGE_SIZE,
	};
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args first = fake_part(&allocation, 0, 4, QUIRE_TRANSFER_START);
	struct quire_paging_args last = fake_part(&allocation, 4, 4, QUIRE_TRANSFER_END);
	unsigned int i;

	for (i = 1; i <= 2; i++) {
		KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &first), 0);
		KUNIT_EXPECT_EQ(test, fake->idle_waits, i);
		KUNIT_EXPECT_EQ(test, quire_paging_list_submit(&fake->list), 0);
		KUNIT_EXPECT_FALSE(test, fake->open);
		KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &last), 0);
		KUNIT_EXPECT_EQ(test, fake->idle_waits, i);
	}
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), (int)fake->submits);
}

/* Who asks first waits before he has done anything, once for the whole list. */
static void list_asks_first(struct kunit *test)
{
	const struct quire_paging_allocation allocation = {
		.needs_idle = true, .pitch_aligned_size = 8 * QUIRE_PAGE_SIZE,
	};
	const struct quire_paging_allocation other = { .needs_idle = true };
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args fill = fake_fill();
	struct quire_paging_args transfer = fake_part(&allocation, 0, 8, QUIRE_TRANSFER_START |
						      QUIRE_TRANSFER_END);
	struct quire_paging_args discard = fake_discard(&other);

	KUNIT_EXPECT_EQ(test, quire_paging_list_ask(&fake->list, QUIRE_PAGING_TRANSFER,
						    &allocation), 0);
	KUNIT_EXPECT_EQ(test, fake->idle_waits, 1u);
	KUNIT_EXPECT_EQ(test, fake->acquires, 0u);
	fill.u.fill.fill_size = QUIRE_PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &fill), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &transfer), 0);
	KUNIT_EXPECT_TRUE(test, transfer.allocation_is_idle);
	KUNIT_EXPECT_EQ(test, fake->idle_waits, 1u);
	KUNIT_EXPECT_EQ(test, fake->submits, 0u);

	/* That says nothing of another allocation. */
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &discard), 0);
	KUNIT_EXPECT_EQ(test, fake->idle_waits, 2u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), (int)fake->submits);
}

/* A signal that comes while he waits has changed nothing. */
static void list_asks_in_vain(struct kunit *test)
{
	const struct quire_paging_allocation allocation = { .needs_idle = true };
	const struct quire_paging_allocation never = { .needs_idle = false };
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args discard = fake_discard(&allocation);

	fake->fail_idle = true;
	KUNIT_EXPECT_EQ(test, quire_paging_list_ask(&fake->list, QUIRE_PAGING_FILL, &allocation),
			0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_ask(&fake->list, QUIRE_PAGING_TRANSFER, &never),
			0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_ask(&fake->list, QUIRE_PAGING_TRANSFER, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake->idle_waits, 0u);
	KUNIT_EXPECT_EQ(test, quire_paging_list_ask(&fake->list, QUIRE_PAGING_DISCARD_CONTENT,
						    &allocation), -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, fake->acquires, 0u);

	/* Nobody has become idle by that. */
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &discard), -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, fake->idle_waits, 2u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, -ERESTARTSYS), -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, fake->submits, 0u);
}

/* Who may not wait is told at once, whether he asked first or not. */
static void list_may_not_wait(struct kunit *test)
{
	const struct quire_paging_allocation allocation = { .needs_idle = true };
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args fill = fake_fill();
	struct quire_paging_args discard = fake_discard(&allocation);

	fake->list.no_wait = true;
	fake->busy = true;
	KUNIT_EXPECT_EQ(test, quire_paging_list_ask(&fake->list, QUIRE_PAGING_DISCARD_CONTENT,
						    &allocation), -EBUSY);
	fill.u.fill.fill_size = QUIRE_PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &fill), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &discard), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake->idle_asks, 2u);

	fake->busy = false;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &discard), 0);
	KUNIT_EXPECT_TRUE(test, discard.allocation_is_idle);
	KUNIT_EXPECT_EQ(test, fake->idle_waits, 0u);
	KUNIT_EXPECT_EQ(test, fake->waits, 0u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), (int)fake->submits);
}

/* What is refused is not built, and what was built before is not lost. */
static void list_refuses_a_hole(struct kunit *test)
{
	const struct quire_paging_allocation allocation = {
		.pitch_aligned_size = 8 * QUIRE_PAGE_SIZE,
	};
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args first = fake_part(&allocation, 0, 3, QUIRE_TRANSFER_START);
	struct quire_paging_args hole = fake_part(&allocation, 4, 4, QUIRE_TRANSFER_END);
	struct quire_paging_args last = fake_part(&allocation, 3, 5, QUIRE_TRANSFER_END);

	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &first), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &hole), -ERANGE);
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &last), 0);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), 1);
	KUNIT_EXPECT_EQ(test, fake->submitted[0],
			8 * (sizeof(struct quire_packet_transfer) + 8));
}

/* A transfer that does not end is no move. */
static void list_ends_what_it_starts(struct kunit *test)
{
	const struct quire_paging_allocation allocation = {
		.pitch_aligned_size = 8 * QUIRE_PAGE_SIZE,
	};
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args first = fake_part(&allocation, 0, 3, QUIRE_TRANSFER_START);

	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &first), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_submit(&fake->list), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_submit(&fake->list), 0);
	KUNIT_EXPECT_EQ(test, fake->submits, 1u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake->waited, 1u);
}

static void list_refuses_before_anything(struct kunit *test)
{
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args args = fake_fill();

	args.u.fill.destination.segment = QUIRE_SEGMENT_APERTURE;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake->acquires, 0u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, -EINVAL), -EINVAL);
}

static void list_stops_without_progress(struct kunit *test)
{
	struct fake_queue *fake = fake_create(test, FILL_PACKET - 8);
	struct quire_paging_args args = fake_fill();
	int ret;

	ret = quire_paging_list_add(&fake->list, &args);
	KUNIT_EXPECT_EQ(test, ret, -EIO);
	KUNIT_EXPECT_EQ(test, fake->acquires, 1u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, ret), -EIO);
}

static void list_of_nothing_is_signalled(struct kunit *test)
{
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args args = fake_fill();

	args.u.fill.fill_size = 0;
	KUNIT_EXPECT_TRUE(test, quire_paging_list_is_empty(&fake->list));
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), 0);
	KUNIT_EXPECT_TRUE(test, quire_paging_list_is_empty(&fake->list));
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), 0);
	KUNIT_EXPECT_EQ(test, fake->submits, 0u);
}

/* Each is a submission of its own, and the last fence counts. */
static void list_submits_empty_buffers(struct kunit *test)
{
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	unsigned int i;

	for (i = 1; i <= 3; i++) {
		KUNIT_EXPECT_EQ(test, quire_paging_list_submit_empty(&fake->list), 0);
		KUNIT_EXPECT_FALSE(test, quire_paging_list_is_empty(&fake->list));
		KUNIT_EXPECT_EQ(test, fake->submits, i);
		KUNIT_EXPECT_EQ(test, fake->submitted[i - 1], 0u);
	}
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), 3);
	KUNIT_EXPECT_EQ(test, fake->submits, 3u);
	KUNIT_EXPECT_EQ(test, fake->waits, 0u);
}

/* What was built before goes first, in a buffer of its own. */
static void list_submits_empty_behind_others(struct kunit *test)
{
	struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
	struct quire_paging_args args = fake_fill();

	args.u.fill.fill_size = QUIRE_PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), 0);
	KUNIT_EXPECT_EQ(test, quire_paging_list_submit_empty(&fake->list), 0);
	KUNIT_EXPECT_EQ(test, fake->submits, 2u);
	KUNIT_EXPECT_EQ(test, fake->submitted[0], FILL_PACKET);
	KUNIT_EXPECT_EQ(test, fake->submitted[1], 0u);

	/* An open buffer in which nothing is need not be opened again. */
	args.u.fill.fill_size = 0;
	KUNIT_EXPECT_FALSE(test, quire_paging_list_is_empty(&fake->list));
	KUNIT_EXPECT_EQ(test, quire_paging_list_add(&fake->list, &args), 0);
	KUNIT_EXPECT_FALSE(test, quire_paging_list_is_empty(&fake->list));
	KUNIT_EXPECT_EQ(test, quire_paging_list_submit_empty(&fake->list), 0);
	KUNIT_EXPECT_EQ(test, fake->submits, 3u);
	KUNIT_EXPECT_EQ(test, fake->submitted[2], 0u);
	KUNIT_EXPECT_EQ(test, fake->acquires, 3u);
	KUNIT_EXPECT_EQ(test, fake_finish(fake, 0), 3);
}

static void list_fails_to_submit_empty(struct kunit *test)
{
	unsigned int k;

	for (k = 0; k < 4; k++) {
		struct fake_queue *fake = fake_create(test, sizeof(fake->memory));
		unsigned int step = k / 2 + 1;
		int ret;

		if (k & 1)
			fake->fail_acquire = step;
		else
			fake->fail_submit = step;

		do
			ret = quire_paging_list_submit_empty(&fake->list);
		while (!ret && fake->submits < 3);
		KUNIT_EXPECT_EQ(test, fake_finish(fake, ret), k & 1 ? -ERESTARTSYS : -ENOMEM);
		KUNIT_EXPECT_EQ(test, fake->waited, step - 1);
	}
}

static struct kunit_case quire_paging_list_cases[] = {
	KUNIT_CASE(list_drops_what_is_open),
	KUNIT_CASE(list_goes_on_behind_others),
	KUNIT_CASE(list_splits_when_full),
	KUNIT_CASE(list_shares_a_buffer),
	KUNIT_CASE(list_fails_at_every_step),
	KUNIT_CASE(list_waits_when_busy),
	KUNIT_CASE(list_gives_up_when_never_idle),
	KUNIT_CASE(list_waits_for_the_first_part),
	KUNIT_CASE(list_asks_first),
	KUNIT_CASE(list_asks_in_vain),
	KUNIT_CASE(list_may_not_wait),
	KUNIT_CASE(list_refuses_a_hole),
	KUNIT_CASE(list_ends_what_it_starts),
	KUNIT_CASE(list_refuses_before_anything),
	KUNIT_CASE(list_stops_without_progress),
	KUNIT_CASE(list_of_nothing_is_signalled),
	KUNIT_CASE(list_submits_empty_buffers),
	KUNIT_CASE(list_submits_empty_behind_others),
	KUNIT_CASE(list_fails_to_submit_empty),
	{}
};

static struct kunit_suite quire_paging_list_suite = {
	.name = "quire_paging_list",
	.test_cases = quire_paging_list_cases,
};

kunit_test_suite(quire_paging_list_suite);
