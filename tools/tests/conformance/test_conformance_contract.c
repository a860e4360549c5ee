// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules of the call and of its three answers: the builder and the loop that drives it, with a
 * device behind them that executes each submission.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <linux/err.h>

#include <asm/byteorder.h>

#include "bare_args.h"
#include "image.h"
#include "quire_client.h"
#include "rules.h"
#include "tap.h"

#define LIST	12u	/* pages of the page list */
#define PATTERN	0x07070707u
#define NR_LONG	20u	/* long submissions, if nobody looks during the first */
#define LONG_PACKETS	5u	/* of each of them */
#define WAIT_NS	100000000000ll

static struct quire_page_run list[LIST];
static const struct quire_page_run vram[] = { { 20, 16 } };
static const struct quire_page_run scattered[] = { { 1, 2 }, { 9, 1 }, { 40, 3 }, { 50, 2 } };

/* 4 pages in both forms. */
static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 64, 64, 1, 1 };
static const struct quire_paging_allocation image_allocation = {
	.needs_idle = true, .size = 4 * BARE_PAGE, .pitch_aligned_size = 4 * BARE_PAGE,
	.layout = { QUIRE_LAYOUT_TILE_4K, 2, 64, 64, 1, 1 },
};

#define SPECIAL_LOCK(from, to, how)						\
	{ .operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER,			\
	  .allocation = &image_allocation, .u.special_lock = {			\
		.source = from, .destination = to, .transfer_size = 4 * BARE_PAGE,	\
		.flags = ONE_SHOT | QUIRE_TRANSFER_##how,			\
		.swizzling_range_id = QUIRE_PAGING_NO_RANGE } }
#define MAP2(page, count, list)							\
	{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2, .u.map2 = {		\
		.offset_in_pages = page, .number_of_pages = count, .adl = list } }

static void prepare(struct bare *bare, u64 key)
{
	for (u32 i = 0; i < LIST; i++)
		list[i] = bare_run_of(bare, LIST - 1 - i);
	bare_fill(bare, key);
}

static void expect_in(struct bare *bare, u32 to, u32 page, u32 pages)
{
	for (u32 i = 0; i < pages; i++)
		memcpy(bare->expected.vram[to + i], bare->expected.pages[LIST - 1 - page - i],
		       BARE_PAGE);
}

/**
 * struct queue - a queue of one buffer, which is executed when it is submitted
 * @bare: the device
 * @list: operations
 * @open: a buffer is out
 * @submits: submissions, each with a fence of its own
 * @idle_waits: calls
 * @packets: executed before the wait
 */
struct queue {
	struct bare *bare;
	struct quire_paging_list list;
	bool open;
	unsigned int submits;
	unsigned int idle_waits;
	u64 packets;
};

static struct queue *queue_of(struct quire_paging_list *list)
{
	return (struct queue *)((char *)list - offsetof(struct queue, list));
}

static int queue_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct queue *queue = queue_of(list);
	struct bare *bare = queue->bare;

	if (queue->open)
		tap_bail("two buffers are open");
	queue->open = true;
	*buffer = (struct quire_paging_buffer) {
		.cpu = bare_buffer(bare),
		.size = bare->window,
		.records = bare->records,
		.max_records = ARRAY_SIZE(bare->records),
	};
	return 0;
}

/* The fence value of the submission stands for its fence. */
static struct dma_fence *queue_submit(struct quire_paging_list *list,
				      struct quire_paging_buffer *buffer)
{
	struct queue *queue = queue_of(list);
	int ret = bare_submit(queue->bare, buffer->used);

	queue->open = false;
	queue->submits++;
	return ret ? ERR_PTR(ret) : (struct dma_fence *)(uintptr_t)queue->bare->submissions;
}

static void queue_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	queue_of(list)->open = false;
}

static int queue_wait_idle(struct quire_paging_list *list)
{
	struct queue *queue = queue_of(list);

	if (queue->open)
		return -EDEADLK;
	queue->idle_waits++;
	queue->packets = bare_packets(queue->bare);
	return 0;
}

/* Whatever was submitted has been executed. */
static int queue_wait(struct quire_paging_list *list, struct dma_fence *fence) { return 0; }
static struct dma_fence *queue_signalled(void) { return (struct dma_fence *)1; }
static void queue_put(struct dma_fence *fence) { }

static const struct quire_paging_list_ops queue_ops = {
	.acquire = queue_acquire,
	.submit = queue_submit,
	.release = queue_release,
	.wait_idle = queue_wait_idle,
	.wait = queue_wait,
	.signalled = queue_signalled,
	.put = queue_put,
};

static struct queue queue_open(struct bare *bare)
{
	return (struct queue) {
		.bare = bare,
		.list = { .ops = &queue_ops, .caps = &bare->caps },
	};
}

/* Ends the list; its fence has to be that of the last submission. */
static int queue_finish(struct queue *queue, int error)
{
	struct dma_fence *fence = quire_paging_list_finish(&queue->list, error);

	if (IS_ERR(fence))
		return PTR_ERR(fence);
	return (uintptr_t)fence == (queue->submits ? queue->bare->submissions : 1) ? 0 : -EPROTO;
}

/* A buffer holds one packet with a page: 6 pages are 6 submissions, fences in order. */
static bool full_is_a_submission(void *data)
{
	struct quire_paging_args args = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram),
						 6 * BARE_PAGE, .flags = ONE_SHOT);
	struct bare *bare = data;
	u64 before = bare->submissions;
	struct queue queue;
	bool ok;

	prepare(bare, 1);
	bare->window = sizeof(struct quire_packet_transfer) + sizeof(u64);
	queue = queue_open(bare);
	ok = rule_ret(queue_finish(&queue, quire_paging_list_add(&queue.list, &args)), "6 pages");
	expect_in(bare, 20, 0, 6);
	ok = rule_is(queue.submits == 6 && bare->submissions == before + 6,
		     "each part is a submission with a fence of its own") && ok;
	return bare_is_expected(bare) && ok;
}

/* What FULL leaves in the token is what the next pass goes on with: nobody sets it. */
static bool full_keeps_token(void *data)
{
	struct quire_paging_args args = FILL(SIDES(VRAM, scattered), 8 * BARE_PAGE, PATTERN);
	struct bare *bare = data;
	u32 tokens[8], passes = 0;
	enum quire_build_status status;
	bool ok = true;

	prepare(bare, 2);
	do {
		args.dma_buffer = bare_buffer(bare);
		args.dma_size = sizeof(struct quire_packet_fill);
		args.private_data = bare->records;
		args.private_data_size = sizeof(bare->records);
		args.dma_buffer_write_offset = 0;
		status = quire_build_paging_buffer(&bare->caps, &args);
		tokens[passes] = args.multipass_offset;
		ok = rule_ret(bare_submit(bare, args.dma_buffer_write_offset), "execute") && ok;
	} while (++passes < ARRAY_SIZE(tokens) && status == QUIRE_BUILD_FULL && ok);
	for (size_t i = 0; i < ARRAY_SIZE(scattered); i++)
		for (u32 j = 0; j < scattered[i].count * BARE_PAGE / 4; j++)
			((u32 *)bare->expected.vram[scattered[i].first])[j] = PATTERN;
	ok = rule_is(status == QUIRE_BUILD_DONE && passes == 4 && tokens[0] == 2 &&
		     tokens[1] == 3 && tokens[2] == 6 && tokens[3] == 8,
		     "tokens 2, 3, 6, 8: pages") && ok;
	return bare_is_expected(bare) && ok;
}

static bool is_small(const struct quire_paging_args *args)
{
	return args->operation == QUIRE_PAGING_READ_PHYSICAL ||
	       args->operation == QUIRE_PAGING_WRITE_PHYSICAL;
}

/* TRANSFERs with flags are those that convert. */
static bool makes_progress(struct bare *bare, struct quire_paging_args *args)
{
	bool ok;

	if (args->operation == QUIRE_PAGING_TRANSFER && args->u.transfer.flags)
		args->allocation = &image_allocation;
	args->allocation_is_idle = true;
	ok = rule_ret(bare_run(bare, args), quire_paging_operation_name(args->operation));
	return rule_is(bare->passes > 1 || is_small(args), "in several buffers") && ok;
}

/* A part of each kind of operation, in the smallest buffers there are. */
static bool fresh_buffer_makes_progress(void *data)
{
	struct bare *bare = data;
	const u64 numbers[] = { bare->frames[7], bare->frames[2], bare->frames[3] };
	const struct quire_paging_adl array = { .page_count = 3, .pages = numbers };
	const struct quire_paging_adl contiguous = {
		.page_count = 8, .contiguous = true, .base_page_number = bare->frames[5],
	};
	struct quire_paging_args all[] = {
		TRANSFER(SIDES(SYSTEM, list), SIDES(VRAM, scattered), 8 * BARE_PAGE),
		TRANSFER(SIDE(VRAM, vram), SIDES(SYSTEM, list), 8 * BARE_PAGE),
		TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram), 4 * BARE_PAGE,
			 .flags = ONE_SHOT | QUIRE_TRANSFER_SWIZZLE),
		TRANSFER(SIDE(VRAM, vram), SIDES(SYSTEM, list), 4 * BARE_PAGE,
			 .flags = ONE_SHOT | QUIRE_TRANSFER_UNSWIZZLE),
		SPECIAL_LOCK(SIDES(SYSTEM, list), SIDE(VRAM, vram), SWIZZLE),
		SPECIAL_LOCK(SIDE(VRAM, vram), SIDES(SYSTEM, list), UNSWIZZLE),
		FILL(SIDES(VRAM, scattered), 8 * BARE_PAGE, 1),
		DISCARD(SIDES(VRAM, scattered)),
		PHYSICAL(READ, VRAM, 0, 8, 0),
		PHYSICAL(WRITE, VRAM, 0, 8, 5),
		MAP(3, 8, SIDES(SYSTEM, list)),
		UNMAP(3, 8, bare_dma(bare, LIST)),
		MAP2(3, 3, array),
		MAP2(3, 8, contiguous),
	};
	bool ok = true;

	prepare(bare, 3);
	bare->window = QUIRE_PAGING_MIN_BUFFER_SIZE;
	bare->caps.max_packet_pages = 1;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		ok = makes_progress(bare, &all[i]) && ok;
	return ok;
}

/* In buffers of every size the same bytes. */
static bool small_buffers_do_the_same(void *data)
{
	struct quire_paging_args args = TRANSFER(SIDES(SYSTEM, list), SIDES(VRAM, scattered),
						 8 * BARE_PAGE - 9, .mdl_offset = 3);
	const struct quire_paging_allocation object = {
		.size = 8 * BARE_PAGE - 9, .pitch_aligned_size = 8 * BARE_PAGE - 9,
	};
	struct bare *bare = data;
	bool ok;

	args.allocation = &object;
	prepare(bare, 4);
	expect_in(bare, 1, 3, 2);
	expect_in(bare, 9, 5, 1);
	expect_in(bare, 40, 6, 3);
	expect_in(bare, 50, 9, 1);
	memcpy(bare->expected.vram[51], bare->expected.pages[LIST - 1 - 10], BARE_PAGE - 9);
	ok = rule_ret(bare_run(bare, &args), "in one buffer") && bare_is_expected(bare);
	for (u32 window = 48; window < 300 && ok; window += 8) {
		memset(bare->vram + BARE_PAGE, 0, 2 * BARE_PAGE);
		memset(bare->vram + 9 * BARE_PAGE, 0, BARE_PAGE);
		memset(bare->vram + 40 * BARE_PAGE, 0, 3 * BARE_PAGE);
		memset(bare->vram + 50 * BARE_PAGE, 0, 2 * BARE_PAGE - 9);
		bare->window = window;
		ok = rule_ret(bare_run(bare, &args), "again") && bare_is_expected(bare);
	}
	return ok;
}

/* BUSY, wait, call again with the flag: what came before is executed first. */
static bool waits_until_idle(struct bare *bare, struct quire_paging_args *args)
{
	struct quire_paging_args before = FILL(SIDE(VRAM, vram), 2 * BARE_PAGE, 0);
	u64 packets = bare_packets(bare);
	struct queue queue;
	int ret;
	bool ok;

	ok = rule_is(bare_run(bare, args) == -EBUSY, "without the flag it is BUSY");
	queue = queue_open(bare);
	ret = quire_paging_list_add(&queue.list, &before) ?:
	      quire_paging_list_add(&queue.list, args);
	ok = rule_ret(queue_finish(&queue, ret),
		      quire_paging_operation_name(args->operation)) && ok;
	ok = rule_is(queue.idle_waits == 1 && queue.packets == packets + 1,
		     "one wait, after what came before is executed") && ok;
	ok = rule_is(bare_packets(bare) > queue.packets, "and the operation behind it") && ok;
	ok = rule_is(args->allocation_is_idle, "the flag is set") && ok;
	return bare_is_expected(bare) && ok;
}

static bool transfer_waits(struct bare *bare)
{
	const struct quire_paging_allocation allocation = {
		.needs_idle = true, .size = 8 * BARE_PAGE, .pitch_aligned_size = 8 * BARE_PAGE,
	};
	struct quire_paging_args args = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram),
						 8 * BARE_PAGE, .flags = ONE_SHOT);

	prepare(bare, 5);
	args.allocation = &allocation;
	expect_in(bare, 20, 0, 8);
	return waits_until_idle(bare, &args);
}

static bool discard_waits(struct bare *bare)
{
	struct quire_paging_args args = DISCARD(SIDE(VRAM, vram));

	prepare(bare, 5);
	args.allocation = &image_allocation;
	memset(bare->expected.vram[20], 0, 16 * BARE_PAGE);
	return waits_until_idle(bare, &args);
}

/* The first pages of the list are the view. */
static bool special_lock_waits(struct bare *bare)
{
	static u8 linear[4][BARE_PAGE];
	struct quire_paging_args args;

	prepare(bare, 5);
	args = (struct quire_paging_args)SPECIAL_LOCK(SIDES(SYSTEM, list), SIDE(VRAM, vram),
						      SWIZZLE);
	for (u32 i = 0; i < 4; i++)
		memcpy(linear[i], bare->expected.pages[LIST - 1 - i], BARE_PAGE);
	image_tile(&image, linear[0], bare->expected.vram[20]);
	return waits_until_idle(bare, &args);
}

static bool busy_waits_until_idle(void *data)
{
	return transfer_waits(data) & discard_waits(data) & special_lock_waits(data);
}

/* Nothing is described; the submission completes, in its turn, with its fence. */
static bool zero_length_completes(void *data)
{
	struct bare *bare = data;
	u64 before, submissions = bare->submissions;
	struct queue queue;
	bool ok;

	prepare(bare, 6);
	before = bare_packets(bare);
	queue = queue_open(bare);
	ok = rule_ret(queue_finish(&queue, quire_paging_list_submit_empty(&queue.list)),
		      "an empty submission");
	ok = rule_is(queue.submits == 1 && bare->submissions == submissions + 1, "is one") && ok;
	ok = rule_is(bare_packets(bare) == before, "nothing is executed") && ok;
	return bare_is_expected(bare) && ok;
}

/* Three parts: START, none, END; the offsets go on where the part before ended. */
static bool parts_from_start_to_end(void *data)
{
	struct quire_paging_args parts[] = {
		TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram), 3 * BARE_PAGE,
			 .flags = QUIRE_TRANSFER_START),
		TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram), 4 * BARE_PAGE,
			 .transfer_offset = 3 * BARE_PAGE, .mdl_offset = 3),
		TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram), 2 * BARE_PAGE,
			 .transfer_offset = 7 * BARE_PAGE, .mdl_offset = 7,
			 .flags = QUIRE_TRANSFER_END),
	};
	struct bare *bare = data;
	struct queue queue;
	int ret = 0;
	bool ok;

	prepare(bare, 7);
	queue = queue_open(bare);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !ret; i++)
		ret = quire_paging_list_add(&queue.list, &parts[i]);
	ok = rule_ret(queue_finish(&queue, ret), "three parts");
	expect_in(bare, 20, 0, 9);
	return bare_is_expected(bare) && ok;
}

/*
 * A buffer holds one packet with a page: START is there in each of 6 passes, and what it
 * starts is one transfer, which the next part ends.
 */
static bool start_repeats(void *data)
{
	struct quire_paging_args start = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram),
						  6 * BARE_PAGE, .flags = QUIRE_TRANSFER_START);
	struct quire_paging_args end = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram),
						3 * BARE_PAGE, .flags = QUIRE_TRANSFER_END,
						.transfer_offset = 6 * BARE_PAGE,
						.mdl_offset = 6);
	const struct quire_paging_transfer before = start.u.transfer;
	struct bare *bare = data;
	struct queue queue;
	bool ok;

	prepare(bare, 9);
	bare->window = sizeof(struct quire_packet_transfer) + sizeof(u64);
	queue = queue_open(bare);
	ok = rule_ret(quire_paging_list_add(&queue.list, &start), "the first part");
	ok = rule_is(queue.submits == 5 && start.multipass_offset == 6, "in 6 passes") && ok;
	ok = rule_is(!memcmp(&start.u.transfer, &before, sizeof(before)), "the same in each") && ok;
	ok = rule_ret(queue_finish(&queue, quire_paging_list_add(&queue.list, &end)),
		      "the last one") && ok;
	expect_in(bare, 20, 0, 9);
	return bare_is_expected(bare) && ok;
}

/* A transfer that has no end is none: whoever made it is told, and the next one can start. */
static bool pending_transfer_ends(void *data)
{
	struct quire_paging_args start = TRANSFER(SIDES(SYSTEM, list), SIDE(VRAM, vram),
						  3 * BARE_PAGE, .flags = QUIRE_TRANSFER_START);
	struct bare *bare = data;
	struct queue queue;
	bool ok;

	prepare(bare, 8);
	queue = queue_open(bare);
	ok = rule_is(queue_finish(&queue, quire_paging_list_add(&queue.list, &start)) == -EINVAL,
		     "it does not pass for done");
	return bare_is_expected(bare) && ok;
}

/*
 * Half of the aperture to the other half, page by page, as all of it is one page that nobody
 * looks at; in all packets but the last, which is a page of zero.
 */
static u32 write_long_work(struct bare *bare, u32 page)
{
	const u64 half = bare->caps.aperture_pages / 2 * BARE_PAGE;
	const struct quire_packet_transfer copy = {
		.header = { __cpu_to_le16(QUIRE_OP_TRANSFER), 0, __cpu_to_le32(sizeof(copy)) },
		.src_segment = __cpu_to_le32(QUIRE_SEGMENT_APERTURE),
		.dst_segment = __cpu_to_le32(QUIRE_SEGMENT_APERTURE),
		.dst_address = __cpu_to_le64(half),
		.size = __cpu_to_le64(half),
	};
	const struct quire_packet_fill fill = {
		.header = { __cpu_to_le16(QUIRE_OP_FILL), 0, __cpu_to_le32(sizeof(fill)) },
		.segment = __cpu_to_le32(QUIRE_SEGMENT_VRAM),
		.address = __cpu_to_le64(page * BARE_PAGE),
		.size = __cpu_to_le64(BARE_PAGE),
	};
	u8 *at = bare_buffer(bare);

	for (u32 i = 0; i < LONG_PACKETS - 1; i++, at += sizeof(copy))
		memcpy(at, &copy, sizeof(copy));
	memcpy(at, &fill, sizeof(fill));
	return at + sizeof(fill) - bare_buffer(bare);
}

/* Looks at the heartbeat until the fence is written. How often has it moved on? */
static u32 count_beats(struct bare *bare)
{
	int64_t give_up = quire_now_ns() + WAIT_NS;
	u64 last = bare_progress(bare), now;
	u32 beats = 0;

	while (!bare_is_done(bare) && quire_now_ns() < give_up) {
		now = bare_progress(bare);
		beats += now != last;
		last = now;
	}
	return beats;
}

/*
 * Nobody has to take long work for a hang: it goes on visibly, also inside of a packet. With
 * the fence all of it is done, and nothing is left that somebody does later. Who is not awake
 * while it is done looks at the next one.
 */
static bool fence_ends_the_work(void *data)
{
	struct bare *bare = data;
	struct quire_paging_args unmap = UNMAP(0, bare->caps.aperture_pages,
					       bare_dma(bare, LIST));
	u32 most = 0, beats;
	bool ok;
	u64 end;

	prepare(bare, 10);
	ok = rule_ret(bare_run(bare, &unmap), "an aperture of one page");
	for (u32 i = 0; i < NR_LONG && most <= LONG_PACKETS && ok; i++) {
		bare_start(bare, write_long_work(bare, i));
		beats = count_beats(bare);
		end = bare_progress(bare);
		memset(bare->expected.vram[i], 0, BARE_PAGE);
		ok = rule_is(bare_is_done(bare), "it ends") && bare_is_expected(bare);
		ok = rule_is(bare_progress(bare) == end, "nothing is left behind the fence") && ok;
		most = beats > most ? beats : most;
	}
	/* at the end of each packet it moves on in any case */
	return rule_is(most > LONG_PACKETS, "it goes on inside of packets") && ok;
}

static const struct rule rules[] = {
	{ "full-own-submission", full_is_a_submission },
	{ "full-keeps-token", full_keeps_token },
	{ "progress-on-fresh-buffer", fresh_buffer_makes_progress },
	{ "small-buffers-same-bytes", small_buffers_do_the_same },
	{ "busy-until-idle", busy_waits_until_idle },
	{ "zero-length-submission", zero_length_completes },
	{ "parts-from-start-to-end", parts_from_start_to_end },
	{ "start-repeats-in-passes", start_repeats },
	{ "pending-transfer-ends", pending_transfer_ends },
	{ "fence-ends-the-work", fence_ends_the_work },
};

int main(void)
{
	static struct bare bare;

	tap_start(60);
	bare_open(&bare);
	rules_check(rules, ARRAY_SIZE(rules), &bare);
	bare_close(&bare);
	return tap_done();
}
