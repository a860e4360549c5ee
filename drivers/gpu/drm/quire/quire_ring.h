/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RING_H
#define QUIRE_RING_H

#include <linux/bits.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <quire/quire_hw.h>

struct drm_device;

#define QUIRE_RING_DRIVER_ORDER		7 /* log2 of the entries we use */
#define QUIRE_RING_ENTRIES		BIT(QUIRE_RING_DRIVER_ORDER)

/**
 * enum quire_ring_state - what a ring does
 * @QUIRE_RING_IDLE: it has nothing to do, or was given up
 * @QUIRE_RING_WORKING: it has work and made progress
 * @QUIRE_RING_STUCK: it has work, but has stood still for too long
 * @QUIRE_RING_FAULTED: it has work, but the device stopped it
 */
enum quire_ring_state {
	QUIRE_RING_IDLE,
	QUIRE_RING_WORKING,
	QUIRE_RING_STUCK,
	QUIRE_RING_FAULTED,
};

/**
 * struct quire_ring_fence - one submission on its way through a ring
 * @base: signals when the device has executed the submission, or never will;
 *        its seqno is the fence value of the ring entry
 * @lock: of @base; its own, because a fence may outlive the ring
 * @link: in &quire_ring.pending
 * @addr: DMA address of the packets
 * @size: bytes, 0 to what the device takes at once
 */
struct quire_ring_fence {
	struct dma_fence base;
	spinlock_t lock; /* of @base */
	struct list_head link;
	u64 addr;
	u32 size;
};

/**
 * struct quire_ring - one ring of the device
 * @drm: whose ring it is, for the log
 * @regs: registers of the ring
 * @doorbell: its doorbell page
 * @index: number of the ring
 * @entries: QUIRE_RING_ENTRIES submissions, shared with the device
 * @entries_dma: DMA address of @entries
 * @fence_page: shared with the device
 * @fence_page_dma: DMA address of @fence_page
 * @interrupts: that said that fences were written, for statistics; only the
 *              interrupt writes it
 * @lock: protects everything below, but @error may be read without; taken in hard
 *        interrupt context
 * @wptr: entries written since the ring was enabled, free running
 * @doorbells: rung, for statistics
 * @last_fence: value of the last submission
 * @fence_context: of the fences
 * @pending: struct quire_ring_fence that have not signalled, oldest first
 * @last_progress: of the device, what the watchdog saw last
 * @last_oldest: seqno of the oldest pending fence, what the watchdog saw last
 * @still_since: jiffies when one of both was last seen to change, or of a restart
 * @reset_fence: oldest value that was pending at the last reset
 * @error: 0, or what every new submission fails with
 */
struct quire_ring {
	struct drm_device *drm;
	void __iomem *regs;
	void __iomem *doorbell;
	unsigned int index;
	struct quire_ring_entry *entries;
	dma_addr_t entries_dma;
	struct quire_fence_page *fence_page;
	dma_addr_t fence_page_dma;
	u64 interrupts;
	spinlock_t lock; /* of all below */
	u32 wptr;
	u64 doorbells;
	u64 last_fence;
	u64 fence_context;
	struct list_head pending;
	u64 last_progress;
	u64 last_oldest;
	unsigned long still_since;
	u64 reset_fence;
	int error;
};

int quire_ring_init(struct quire_ring *ring, struct drm_device *drm, void __iomem *regs,
		    unsigned int index);
struct quire_ring_fence *quire_ring_fence_alloc(void);
struct dma_fence *quire_ring_submit(struct quire_ring *ring, struct quire_ring_fence *fence,
				    u64 addr, u32 size);
void quire_ring_interrupt(struct quire_ring *ring);
void quire_ring_process(struct quire_ring *ring);
void quire_ring_report_fault(struct quire_ring *ring);
enum quire_ring_state quire_ring_look(struct quire_ring *ring, unsigned long patience);
int quire_ring_restart(struct quire_ring *ring);
void quire_ring_kill(struct quire_ring *ring, int error);
int quire_ring_error(struct quire_ring *ring);

#endif
