// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Fences that may leave the driver
 *
 * The fence of paging work may outlive device and driver: it goes into reservation objects, which
 * dma-bufs share with other drivers and from which programs export sync_files, and into syncobjs.
 * The scheduler's own fences do not bear that: asked for their name they look at the scheduler,
 * which is part of the device. So outside of the queue only this fence is seen, which takes over
 * the result of the work when that is done. Several may end with the same work. A waiter for work
 * that was not pushed yet has it pushed (quire_paging_work.c).
 *
 * It still needs the code of the module. quire_out_fence_keep_module() makes a fence hold the
 * module until it is freed, for those of shared objects and in syncobjs. The others end with the
 * device.
 */
#include <linux/module.h>

#include "quire_out_fence.h"
#include "quire_paging_queue.h"

/* In &dma_fence.flags: it has a reference of the module. */
#define OUT_FENCE_KEEPS_MODULE	DMA_FENCE_FLAG_USER_BITS

static const char *out_fence_driver_name(struct dma_fence *fence)
{
	return "quire";
}

static const char *out_fence_timeline_name(struct dma_fence *fence)
{
	static const char *const names[] = {
		[QUIRE_OUT_MOVES] = "moves",
		[QUIRE_OUT_BINDS] = "binds",
		[QUIRE_OUT_COMMANDS] = "commands",
		[QUIRE_OUT_MONITORED] = "monitored fence",
	};

	return names[container_of(fence, struct quire_out_fence, base)->kind];
}

static bool out_fence_enable_signaling(struct dma_fence *fence)
{
	struct quire_out_fence *out = container_of(fence, struct quire_out_fence, base);

	if (out->plug)
		quire_plug_kick(out->plug);
	return true;
}

/* As in any function that puts its own module, that could go before this returns. */
static void out_fence_release(struct dma_fence *fence)
{
	bool keeps_module = test_bit(OUT_FENCE_KEEPS_MODULE, &fence->flags);

	dma_fence_free(fence);
	if (keeps_module)
		module_put(THIS_MODULE);
}

static const struct dma_fence_ops out_fence_ops = {
	.get_driver_name = out_fence_driver_name,
	.get_timeline_name = out_fence_timeline_name,
	.enable_signaling = out_fence_enable_signaling,
	.release = out_fence_release,
};

/**
 * quire_out_fence_is_of - check whether a fence is of ours, of any device
 * @fence: any fence
 * @kind: of which kind
 * Returns: true if so.
 */
bool quire_out_fence_is_of(const struct dma_fence *fence, enum quire_out_kind kind)
{
	return fence->ops == &out_fence_ops &&
	       container_of(fence, struct quire_out_fence, base)->kind == kind;
}

/* The signaller of @work has a reference, so putting ours under its lock frees nothing. */
static void out_fence_end(struct dma_fence *work, struct dma_fence_cb *callback)
{
	struct quire_out_fence *out = container_of(callback, struct quire_out_fence, callback);

	if (work->error)
		dma_fence_set_error(&out->base, work->error);
	dma_fence_signal(&out->base);
	dma_fence_put(work);
	dma_fence_put(&out->base);
}

/**
 * quire_out_fence_alloc - make the fence of work that will be pushed
 * @lost: as &quire_out_fence.lost
 * Returns: for quire_out_fence_begin() or quire_out_fence_free(); NULL without memory.
 */
struct quire_out_fence *quire_out_fence_alloc(bool *lost)
{
	struct quire_out_fence *out = kzalloc(sizeof(*out), GFP_KERNEL_ACCOUNT);

	if (out)
		out->lost = lost;
	return out;
}

/**
 * quire_out_fence_begin - initialise the fence of some work; never fails
 * @out: quire_out_fence_follow() follows
 * @kind: of the work
 * @context: number of its timeline
 * @seqno: its number there
 * @plug: kicked by waiters before the work is pushed; or NULL
 * Returns: the fence, with a reference for the caller.
 */
struct dma_fence *quire_out_fence_begin(struct quire_out_fence *out, enum quire_out_kind kind,
					u64 context, u64 seqno, struct quire_plug *plug)
{
	out->kind = kind;
	out->plug = plug;
	spin_lock_init(&out->lock);
	dma_fence_init(&out->base, &out_fence_ops, &out->lock, context, seqno);
	return dma_fence_get(&out->base);
}

/**
 * quire_out_fence_follow - let a fence end with some work; never fails
 * @out: has begun
 * @work: pushed, or will be now; the reference is consumed
 */
void quire_out_fence_follow(struct quire_out_fence *out, struct dma_fence *work)
{
	scoped_guard(spinlock_irqsave, &out->lock)
		out->plug = NULL;
	if (dma_fence_add_callback(work, &out->callback, out_fence_end))
		out_fence_end(work, &out->callback);
}

/**
 * quire_out_fence_keep_module - make a fence that leaves the driver hold the module
 * @fence: of quire_out_fence_begin()
 */
void quire_out_fence_keep_module(struct dma_fence *fence)
{
	if (!test_and_set_bit(OUT_FENCE_KEEPS_MODULE, &fence->flags))
		__module_get(THIS_MODULE);
}
