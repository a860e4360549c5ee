// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Fences that leave the driver
 *
 * What programs get in a syncobj or sync_file may outlive device and driver: a
 * sync_file holds neither. The scheduler's own fences do not: asked for their
 * name they look at the scheduler, which is part of the device, and what they
 * hold has its operations in this module. So programs get a fence that knows
 * nothing but its own end, which it takes over from the work when that is
 * done, and that keeps the module until it is freed.
 *
 * Each is a timeline of its own: work may be queued in another order than its
 * fences are made.
 */
#include <linux/dma-fence.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "quire_out_fence.h"

/**
 * struct quire_out_fence - a fence for programs
 * @base: base; first, because dma_fence_free() frees it
 * @lock: of @base; taken inside of the lock of the work's fence
 * @callback: called when the work ends; holds a reference of @base until then
 */
struct quire_out_fence {
	struct dma_fence base;
	spinlock_t lock; /* of base */
	struct dma_fence_cb callback;
};

static struct quire_out_fence *to_out_fence(struct dma_fence *fence)
{
	return container_of(fence, struct quire_out_fence, base);
}

static const char *out_fence_driver_name(struct dma_fence *fence)
{
	return "quire";
}

static const char *out_fence_timeline_name(struct dma_fence *fence)
{
	return "moves";
}

/*
 * The module goes no earlier than the last fence. It could go while this function returns,
 * as any function that puts its own module.
 */
static void out_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops out_fence_ops = {
	.get_driver_name = out_fence_driver_name,
	.get_timeline_name = out_fence_timeline_name,
	.release = out_fence_release,
};

/* Whoever signals @work has a reference, so putting ours under its lock frees nothing. */
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
 * quire_out_fence_create - make a fence for programs
 *
 * A file of the device is open, so the module is there.
 *
 * Returns: the fence, not signalled; NULL without memory. Nobody may wait for
 * it before quire_out_fence_follow(); it may be put instead.
 */
struct dma_fence *quire_out_fence_create(void)
{
	struct quire_out_fence *out = kzalloc(sizeof(*out), GFP_KERNEL);

	if (!out)
		return NULL;

	__module_get(THIS_MODULE);
	spin_lock_init(&out->lock);
	dma_fence_init(&out->base, &out_fence_ops, &out->lock, dma_fence_context_alloc(1), 1);
	return &out->base;
}

/**
 * quire_out_fence_follow - let a fence end with some work
 * @fence: of quire_out_fence_create(); called once
 * @work: what ends it, with its error; NULL if the work is done. The reference
 *        is taken over.
 */
void quire_out_fence_follow(struct dma_fence *fence, struct dma_fence *work)
{
	struct quire_out_fence *out = to_out_fence(fence);

	if (!work) {
		dma_fence_signal(fence);
		return;
	}

	dma_fence_get(fence);
	if (dma_fence_add_callback(work, &out->callback, out_fence_end))
		out_fence_end(work, &out->callback);
}
