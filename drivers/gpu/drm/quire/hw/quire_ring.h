/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RING_H
#define QUIRE_RING_H

/**
 * DOC: Layer hw
 *
 * The device as the driver knows it. A ring takes submissions and ends their fences (quire_ring.c);
 * a watchdog looks whether it goes on (quire_watchdog.c). Tables remember what the device was told,
 * so that it can be told again after a reset: aperture, MMUs, residency, native fences. Calls enter
 * and leave the device by CLASS(quire_device, ...).
 *
 * In: submissions, &struct quire_ring_fence; interrupts. Out: signalled fences; the answers of the
 * tables. May use: paging, commands, core.
 */

#include <linux/bits.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <quire/quire_hw.h>

struct drm_device;
struct quire_fence_page;
struct quire_ring_entry;
struct quire_ring_fence;
struct quire_usage;

#define QUIRE_RING_DRIVER_ORDER		7 /* log2 of the entries we use */
#define QUIRE_RING_ENTRIES		BIT(QUIRE_RING_DRIVER_ORDER)

/**
 * enum quire_ring_state - what a ring does
 * @QUIRE_RING_IDLE: nothing to do, or given up
 * @QUIRE_RING_WORKING: has work and made progress
 * @QUIRE_RING_STUCK: has work, but stood still for too long
 * @QUIRE_RING_FAULTED: has work, but the device stopped it
 */
enum quire_ring_state {
	QUIRE_RING_IDLE,
	QUIRE_RING_WORKING,
	QUIRE_RING_STUCK,
	QUIRE_RING_FAULTED,
};

/**
 * struct quire_ring_fence_ops - callbacks of the owner of a submission
 * @prepare: the device is about to get the rest of it, for the first time or again; if this returns
 *           a negative error the device does not, and its fence ends with that error in order
 * @keep: it was refused: moves the packets that the device gets nevertheless to where the rest of
 *        it begins, and returns their bytes; or NULL
 * @stopped: the ring was stopped with &quire_ring_fence.executed bytes executed; or NULL
 * @retire: called once, right before the fence signals, with 0 or its error
 *
 * All are called under &quire_ring.lock, also in hard interrupt context.
 */
struct quire_ring_fence_ops {
	int (*prepare)(struct quire_ring_fence *fence);
	u32 (*keep)(struct quire_ring_fence *fence);
	void (*stopped)(struct quire_ring_fence *fence);
	void (*retire)(struct quire_ring_fence *fence, int error);
};

/**
 * struct quire_ring_fence - one submission on its way through a ring
 * @base: signals when the device has executed the submission, or never will; its seqno is the fence
 *        value of the ring entry
 * @lock: of @base; its own, because a fence may outlive the ring
 * @link: in &quire_ring.pending
 * @addr: DMA address of the packets, or a virtual one; set by the owner, as all below
 * @context: as ring entries have it; 0: none
 * @is_virtual: @addr is an address of @context
 * @size: bytes, a multiple of 8 up to what the device takes; 0 only signals
 * @executed: bytes of whole packets executed when the ring was last stopped
 * @refused: 0, or the error of @prepare
 * @usage: charged for its time; lives as long as the submission is pending; or NULL
 * @ops: of the owner
 *
 * The first member of what is allocated: dma_fence_free() frees it.
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
 * @opcode: first 32 bits of the packet at fault
 * @offset: bytes from the start of its submission
 * @address: what was refused or failed
 * @fence: value of the submission
 *
 * Source: Documentation/gpu/quire/device.rst, faults.
 */
struct quire_ring_fault {
	u32 code;
	u32 opcode;
	u32 offset;
	u64 address;
	u64 fence;
};

/**
 * struct quire_ring_snapshot - state of a ring
 * @index: number of the ring
 * @status: register
 * @rptr: register
 * @wptr: entries written
 * @offset: register
 * @progress: register
 * @fault: registers
 * @nr_pending: pending submissions; may be more than @pending has
 * @pending: the oldest of them
 */
struct quire_ring_snapshot {
	u32 index;
	u32 status;
	u32 rptr;
	u32 wptr;
	u32 offset;
	u64 progress;
	struct quire_ring_fault fault;
	u32 nr_pending;
	struct quire_ring_position pending[QUIRE_RING_ENTRIES];
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
 * @lock: protects all below, but @error may be read without; taken in hard interrupt context
 * @wptr: entries written since the ring was enabled, free running
 * @doorbells: rung, for statistics
 * @last_fence: value of the last submission
 * @fence_context: of the fences
 * @pending: struct quire_ring_fence that have not signalled, oldest first
 * @begun: ktime in ns since which the work on the oldest has not been charged
 * @last_progress: of the device, seen by the watchdog
 * @last_oldest: seqno of the oldest pending fence, seen by the watchdog
 * @still_since: jiffies when one of both was last seen to change, or of the last start
 * @stopped: the device does not have it, submissions queue up in @pending
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

int quire_ring_init(struct quire_ring *ring, struct drm_device *drm, void __iomem *regs,
		    unsigned int index);
struct dma_fence *quire_ring_submit(struct quire_ring *ring, struct quire_ring_fence *fence);
void quire_ring_interrupt(struct quire_ring *ring);
void quire_ring_process(struct quire_ring *ring);
struct quire_ring_fault quire_ring_fault(struct quire_ring *ring);
void quire_ring_report_fault(struct quire_ring *ring);
enum quire_ring_state quire_ring_look(struct quire_ring *ring, unsigned long patience);
void quire_ring_stop(struct quire_ring *ring);
void quire_ring_start(struct quire_ring *ring);
struct quire_ring_position quire_ring_position(struct quire_ring *ring);
void quire_ring_snapshot(struct quire_ring *ring, struct quire_ring_snapshot *snapshot);
void quire_ring_give_up_oldest(struct quire_ring *ring, int error);
int quire_ring_execute(struct quire_ring *ring, u64 addr, u32 size, unsigned long patience);
void quire_ring_kill(struct quire_ring *ring, int error);
u64 quire_ring_usage(struct quire_ring *ring, const struct quire_usage *usage);
int quire_ring_error(struct quire_ring *ring);

#endif
