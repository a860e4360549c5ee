/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_OUT_FENCE_H
#define QUIRE_OUT_FENCE_H

#include <linux/dma-fence.h>
#include <linux/slab.h>

struct quire_plug;

/**
 * enum quire_out_kind - whose work a fence ends with; each is a timeline
 * @QUIRE_OUT_MOVES: of the paging queue
 * @QUIRE_OUT_BINDS: of VM_BIND
 * @QUIRE_OUT_COMMANDS: of an execution ring
 * @QUIRE_OUT_MONITORED: signals a monitored fence
 */
enum quire_out_kind {
	QUIRE_OUT_MOVES,
	QUIRE_OUT_BINDS,
	QUIRE_OUT_COMMANDS,
	QUIRE_OUT_MONITORED,
};

/**
 * struct quire_out_fence - a fence that may outlive the device
 * @base: base; first, because dma_fence_free() frees it
 * @kind: of the work
 * @lock: of @base and @plug; taken inside of the lock of the work's fence
 * @callback: called when the work ends; holds a reference of @base until then
 * @link: in &quire_paging_submission.outs
 * @lost: set before the fence signals with an error of the work: the content that is moved is lost;
 *        if already set, the fence ends with -EIO, whatever the work did; lives as long as the
 *        fence has not signalled; or NULL
 * @plug: has the work, which was not pushed yet; or NULL
 */
struct quire_out_fence {
	struct dma_fence base;
	enum quire_out_kind kind;
	spinlock_t lock; /* of base and plug */
	struct dma_fence_cb callback;
	struct list_head link;
	bool *lost;
	struct quire_plug *plug;
};

struct quire_out_fence *quire_out_fence_alloc(bool *lost);
struct dma_fence *quire_out_fence_begin(struct quire_out_fence *out, enum quire_out_kind kind,
					u64 context, u64 seqno, struct quire_plug *plug);
void quire_out_fence_follow(struct quire_out_fence *out, struct dma_fence *work);
void quire_out_fence_keep_module(struct dma_fence *fence);
bool quire_out_fence_is_of(const struct dma_fence *fence, enum quire_out_kind kind);

/* @out: has not begun; or NULL */
static inline void quire_out_fence_free(struct quire_out_fence *out)
{
	kfree(out);
}

#endif
