/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RING_H
#define QUIRE_RING_H

/**
 * DOC: Layer hw
 *
 * The device as the driver knows it: rings take submissions and end their fences, watchdogs look
 * whether they go on, tables remember what the device was told, so that it can be told again after
 * a reset. Calls enter and leave the device by CLASS(quire_device, ...).
 *
 * In: submissions, &struct quire_ring_fence; interrupts. Out: signalled fences; the answers of the
 * tables. May use: paging, commands, core.
 */

#include <linux/dma-fence.h>
#include <linux/workqueue.h>
#include <quire/quire_hw.h>

struct drm_device;
struct drm_printer;
struct quire_fence_page;
struct quire_ring_entry;
struct quire_ring_fence;
struct quire_usage;
struct quire_watchdog;

#define QUIRE_RING_DRIVER_ORDER		7 /* log2 of the entries we use */
#define QUIRE_RING_ENTRIES		BIT(QUIRE_RING_DRIVER_ORDER)

/**
 * struct quire_ring_fence_ops - callbacks of the owner of a submission, under &quire_ring.lock
 * @prepare: the device is about to get the rest of it, also again; after a negative error it does
 *           not, and the fence ends with that error in order
 * @keep: it was refused: moves packets that are executed nevertheless to where the rest of it
 *        begins, and returns their bytes; or NULL
 * @stopped: the ring was stopped, &quire_ring_fence.executed is known; or NULL
 * @retire: called once, right before the fence signals, with 0 or its error
 */
struct quire_ring_fence_ops {
	int (*prepare)(struct quire_ring_fence *fence);
	u32 (*keep)(struct quire_ring_fence *fence);
	void (*stopped)(struct quire_ring_fence *fence);
	void (*retire)(struct quire_ring_fence *fence, int error);
};

/**
 * struct quire_ring_fence - one submission on its way through a ring
 * @base: signals when it is executed or never will be; first, as dma_fence_free() frees it
 * @lock: of @base; its own, because a fence may outlive the ring
 * @link: in &quire_ring.pending
 * @addr: DMA address of the packets, or a virtual one; set by the owner, as all below
 * @context: as ring entries have it; 0: none
 * @is_virtual: @addr is an address of @context
 * @size: bytes, a multiple of 8; 0 only signals
 * @executed: bytes of whole packets executed when the ring was last stopped
 * @refused: 0, or the error of @prepare
 * @usage: charged for its time while it is pending; or NULL
 * @ops: of the owner
 */
struct quire_ring_fence {
	struct dma_fence base;
	spinlock_t lock; /* of @base */
	struct list_head link;
	u64 addr;
	u64 context;
	bool is_virtual;
	u32 size;
	u32 executed;
	int refused;
	struct quire_usage *usage;
	const struct quire_ring_fence_ops *ops;
};

/**
 * struct quire_ring_position - the packet at work
 * @fence: value of its submission; 0: none
 * @addr: DMA address of the submission
 * @size: bytes of it
 * @executed: bytes of it that are executed
 */
struct quire_ring_position {
	u64 fence;
	u64 addr;
	u32 size;
	u32 executed;
};

/**
 * struct quire_ring_fault - the fault registers of a ring
 * @code: enum quire_fault
 * @opcode: first 32 bits of the packet
 * @offset: of the packet in its submission
 * @address: what was refused or failed
 * @fence: value of the submission
 */
struct quire_ring_fault {
	u32 code;
	u32 opcode;
	u32 offset;
	u64 address;
	u64 fence;
};

/**
 * struct quire_ring - one ring of the device
 * @drm: for the log
 * @regs: registers of the ring
 * @doorbell: its doorbell page
 * @index: number of the ring
 * @entries: QUIRE_RING_ENTRIES submissions, shared with the device
 * @entries_dma: DMA address of @entries
 * @fence_page: shared with the device
 * @fence_page_dma: DMA address of @fence_page
 * @interrupts: for statistics; only the interrupt writes it
 * @lock: of all below, but @error is also read without; taken in hard interrupt context
 * @wptr: entries written since the ring was enabled, free running
 * @doorbells: rung, for statistics
 * @last_fence: value of the last submission
 * @fence_context: of the fences
 * @pending: struct quire_ring_fence that have not signalled, oldest first
 * @begun: ktime in ns since which the oldest has not been charged
 * @last_progress: of the device, seen by the watchdog
 * @last_oldest: seqno of the oldest pending fence, seen by the watchdog
 * @still_since: jiffies when one of both was last seen to change, or of the last start
 * @stopped: the device does not have it
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
	u64 begun;
	u64 last_progress;
	u64 last_oldest;
	unsigned long still_since;
	bool stopped;
	int error;
};

/**
 * typedef quire_watchdog_stuck_t - recover a ring that does not work
 * @watchdog: of the ring
 * @faulted: the device stopped it; else it stood still for too long
 *
 * Runs in the watchdog's queue: may sleep, but must not wait for memory.
 */
typedef void (*quire_watchdog_stuck_t)(struct quire_watchdog *watchdog, bool faulted);

/**
 * struct quire_watchdog - finds out that a ring does not work
 * @ring: what it watches
 * @stuck: called then
 * @work: the next check; pending or running while the ring has work
 * @wq: runs @work, with WQ_MEM_RECLAIM; one for all rings of the device, ordered
 */
struct quire_watchdog {
	struct quire_ring *ring;
	quire_watchdog_stuck_t stuck;
	struct delayed_work work;
	struct workqueue_struct *wq;
};

int quire_ring_init(struct quire_ring *ring, struct drm_device *drm, void __iomem *regs,
		    unsigned int index);
struct dma_fence *quire_ring_submit(struct quire_ring *ring, struct quire_ring_fence *fence);
void quire_ring_process(struct quire_ring *ring);
struct quire_ring_fault quire_ring_fault(struct quire_ring *ring);
void quire_ring_report_fault(struct quire_ring *ring);
void quire_ring_stop(struct quire_ring *ring);
void quire_ring_start(struct quire_ring *ring);
struct quire_ring_position quire_ring_position(struct quire_ring *ring);
void quire_ring_print(struct quire_ring *ring, struct drm_printer *p);
void quire_ring_give_up_oldest(struct quire_ring *ring, int error);
int quire_ring_execute(struct quire_ring *ring, u64 addr, u32 size, unsigned long patience);
void quire_ring_kill(struct quire_ring *ring, int error);
u64 quire_ring_usage(struct quire_ring *ring, const struct quire_usage *usage);

void quire_watchdog_init(struct quire_watchdog *watchdog, struct quire_ring *ring,
			 struct workqueue_struct *wq, quire_watchdog_stuck_t stuck);
void quire_watchdog_arm(struct quire_watchdog *watchdog);
unsigned long quire_watchdog_patience(void);

/* Of written fences. */
static inline void quire_ring_interrupt(struct quire_ring *ring)
{
	WRITE_ONCE(ring->interrupts, ring->interrupts + 1);
	quire_ring_process(ring);
}

/* Returns 0, or the error of quire_ring_kill(). */
static inline int quire_ring_error(struct quire_ring *ring)
{
	return READ_ONCE(ring->error);
}

/* Its ring is killed and not armed any more. */
static inline void quire_watchdog_fini(struct quire_watchdog *watchdog)
{
	cancel_delayed_work_sync(&watchdog->work);
}

/* Checks the ring without delay. Any context, also hard interrupt. */
static inline void quire_watchdog_look_now(struct quire_watchdog *watchdog)
{
	mod_delayed_work(watchdog->wq, &watchdog->work, 0);
}

/* Until quire_watchdog_resume(). Waits for a check and a recovery in progress. Pauses nest. */
static inline void quire_watchdog_pause(struct quire_watchdog *watchdog)
{
	disable_delayed_work_sync(&watchdog->work);
}

static inline void quire_watchdog_resume(struct quire_watchdog *watchdog)
{
	if (enable_delayed_work(&watchdog->work))
		quire_watchdog_arm(watchdog);
}

#endif
