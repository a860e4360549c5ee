// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Rings
 *
 * A ring carries submissions to the device and their fences back. It is the
 * only code that touches ring registers, ring entries and the fence page.
 *
 * Every fence signals in bounded time: when the device wrote its value, or
 * with an error when quire_ring_kill() gave the ring up; the watchdog
 * (quire_watchdog.c) sees to that. Between the two stands one restart:
 * quire_ring_restart() takes the ring away from the device and hands all
 * unfinished submissions over again, the oldest from the packet that was at
 * work, so that nothing is executed twice whose second execution would see the
 * effects of later packets.
 *
 * The doorbell is left out where the device looks by itself, see "Doorbells that
 * are not needed" in Documentation/gpu/quire/device.rst.
 *
 * Locking: &quire_ring.lock, taken with interrupts off. Fences are signalled
 * outside of it. Registers are only touched under it while &quire_ring.error is
 * 0: it is set before they go away.
 */
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/drm_print.h>

#include "quire_regs.h"
#include "quire_ring.h"

static const char *quire_ring_fence_driver_name(struct dma_fence *fence)
{
	return "quire";
}

static const char *quire_ring_fence_timeline_name(struct dma_fence *fence)
{
	return "ring";
}

static const struct dma_fence_ops quire_ring_fence_ops = {
	.get_driver_name = quire_ring_fence_driver_name,
	.get_timeline_name = quire_ring_fence_timeline_name,
};

static void ring_enable(struct quire_ring *ring)
{
	ring->wptr = 0;
	WRITE_ONCE(ring->fence_page->wptr, 0);
	WRITE_ONCE(ring->fence_page->rptr, 0);

	quire_write64(ring->regs, QUIRE_RING_ENTRIES_LO, ring->entries_dma);
	quire_write64(ring->regs, QUIRE_RING_FENCE_PAGE_LO, ring->fence_page_dma);
	quire_write32(ring->regs, QUIRE_RING_ORDER, QUIRE_RING_DRIVER_ORDER);
	quire_write32(ring->regs, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
}

/*
 * Takes the ring from the device. It keeps the position it was stopped at; the
 * read comes back when the device has let go.
 */
static void ring_disable(struct quire_ring *ring)
{
	quire_write32(ring->regs, QUIRE_RING_CONTROL, 0);
	quire_read32(ring->regs, QUIRE_RING_STATUS);
}

static void ring_release(void *data)
{
	quire_ring_kill(data, -ENODEV);
}

/**
 * quire_ring_init - allocate and enable a ring
 * @ring: to initialise
 * @drm: whose ring it is; bound to its parent device
 * @regs: BAR 0, mapped as long as the binding lasts
 * @index: number of the ring, 0 is the paging ring
 *
 * The ring ends with the binding of the driver (devres), if not before.
 *
 * Returns: 0; -ENOMEM; -EIO if the device refuses the ring.
 *
 * Source: Documentation/gpu/quire/device.rst, registers of a ring.
 */
int quire_ring_init(struct quire_ring *ring, struct drm_device *drm, void __iomem *regs,
		    unsigned int index)
{
	struct device *dev = drm->dev;
	int ret;

	ring->drm = drm;
	ring->regs = regs + QUIRE_REG_RING(index, 0);
	ring->doorbell = regs + QUIRE_DOORBELL(index);
	ring->index = index;
	ring->fence_context = dma_fence_context_alloc(1);
	spin_lock_init(&ring->lock);
	INIT_LIST_HEAD(&ring->pending);

	ring->entries = dmam_alloc_coherent(dev, sizeof(*ring->entries) * QUIRE_RING_ENTRIES,
					    &ring->entries_dma, GFP_KERNEL);
	ring->fence_page = dmam_alloc_coherent(dev, QUIRE_PAGE_SIZE,
					       &ring->fence_page_dma, GFP_KERNEL);
	if (!ring->entries || !ring->fence_page)
		return -ENOMEM;

	ret = devm_add_action_or_reset(dev, ring_release, ring);
	if (ret)
		return ret;

	ring_enable(ring);
	if (quire_read32(ring->regs, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_FAULT) {
		quire_ring_report_fault(ring);
		return -EIO;
	}

	return 0;
}

/**
 * quire_ring_fence_alloc - make a submission, to be submitted later
 *
 * Returns: the submission, to be given to quire_ring_submit() or kfree();
 * NULL without memory.
 */
struct quire_ring_fence *quire_ring_fence_alloc(void)
{
	struct quire_ring_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	if (!fence)
		return NULL;

	spin_lock_init(&fence->lock);
	return fence;
}

static void ring_write_entry(struct quire_ring *ring, u64 addr, u32 size, u64 value)
{
	struct quire_ring_entry *entry = &ring->entries[ring->wptr % QUIRE_RING_ENTRIES];

	entry->addr = cpu_to_le64(addr);
	entry->size = cpu_to_le32(size);
	entry->flags = cpu_to_le32(QUIRE_ENTRY_IRQ);
	entry->fence = cpu_to_le64(value);
	entry->reserved = 0;
	ring->wptr++;
}

/*
 * Publishes what was written since the pointer was @old. A device at work finds
 * it by itself; one that went idle has said at which pointer it waits.
 */
static void ring_publish(struct quire_ring *ring, u32 old)
{
	u32 event;

	/* The entries before the pointer that publishes them. */
	dma_wmb();
	WRITE_ONCE(ring->fence_page->wptr, cpu_to_le32(ring->wptr));
	/* The pointer before the look whether the device waits for it. */
	mb();
	event = le32_to_cpu(READ_ONCE(ring->fence_page->doorbell_event));
	if (quire_doorbell_wanted(event, old, ring->wptr)) {
		ring->doorbells++;
		quire_write32(ring->doorbell, 0, ring->wptr);
	}
}

/**
 * quire_ring_submit - hand a submission to the device
 * @ring: the ring; the caller keeps less than QUIRE_RING_ENTRIES in flight
 * @fence: from quire_ring_fence_alloc(); consumed
 * @addr: DMA address of the packets
 * @size: bytes of them, multiple of 8; 0 is a submission that only signals
 *
 * Never sleeps or allocates: schedulers call it with others waiting.
 *
 * Returns: the fence with a reference for the caller, or &quire_ring.error as an
 * ERR_PTR.
 *
 * Source: DXGKDDI_SUBMITCOMMAND; &struct quire_ring_entry.
 */
struct dma_fence *quire_ring_submit(struct quire_ring *ring, struct quire_ring_fence *fence,
				    u64 addr, u32 size)
{
	unsigned long flags;
	int error;

	fence->addr = addr;
	fence->size = size;

	spin_lock_irqsave(&ring->lock, flags);
	error = ring->error;
	if (!error) {
		dma_fence_init(&fence->base, &quire_ring_fence_ops, &fence->lock,
			       ring->fence_context, ++ring->last_fence);
		dma_fence_get(&fence->base); /* of the pending list */
		list_add_tail(&fence->link, &ring->pending);
		ring_write_entry(ring, addr, size, fence->base.seqno);
		ring_publish(ring, ring->wptr - 1);
	}
	spin_unlock_irqrestore(&ring->lock, flags);

	if (error) {
		kfree(fence);
		return ERR_PTR(error);
	}
	return &fence->base;
}

/* Signals and drops the fences of @done, which nobody else can see. */
static void ring_signal(struct list_head *done, int error)
{
	struct quire_ring_fence *fence, *next;

	list_for_each_entry_safe(fence, next, done, link) {
		list_del(&fence->link);
		if (error)
			dma_fence_set_error(&fence->base, error);
		dma_fence_signal(&fence->base);
		dma_fence_put(&fence->base);
	}
}

/* Moves what the device has completed from the pending list to @done. */
static void ring_collect(struct quire_ring *ring, struct list_head *done)
{
	u64 value = le64_to_cpu(READ_ONCE(ring->fence_page->fence));
	struct quire_ring_fence *fence, *next;

	lockdep_assert_held(&ring->lock);

	list_for_each_entry_safe(fence, next, &ring->pending, link) {
		if (fence->base.seqno > value)
			break;
		list_move_tail(&fence->link, done);
	}
}

/**
 * quire_ring_process - signal what the device has completed
 * @ring: the ring
 *
 * Any context, also hard interrupt.
 *
 * Source: DXGK_INTERRUPT_DMA_COMPLETED.
 */
void quire_ring_process(struct quire_ring *ring)
{
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error)
		ring_collect(ring, &done);
	spin_unlock_irqrestore(&ring->lock, flags);

	ring_signal(&done, 0);
}

/**
 * quire_ring_interrupt - the device says that it wrote fences
 * @ring: the ring
 *
 * Hard interrupt context.
 *
 * Source: DXGK_INTERRUPT_DMA_COMPLETED.
 */
void quire_ring_interrupt(struct quire_ring *ring)
{
	WRITE_ONCE(ring->interrupts, ring->interrupts + 1);
	quire_ring_process(ring);
}

/**
 * quire_ring_report_fault - say in the log why the device stopped the ring
 * @ring: the ring
 *
 * Says nothing of a ring that was given up: its registers may be gone.
 *
 * Source: Documentation/gpu/quire/device.rst, faults.
 */
void quire_ring_report_fault(struct quire_ring *ring)
{
	u32 code = QUIRE_FAULT_NONE, opcode = 0, offset = 0;
	u64 address = 0, fence = 0;
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error) {
		code = quire_read32(ring->regs, QUIRE_RING_FAULT_CODE);
		opcode = quire_read32(ring->regs, QUIRE_RING_FAULT_OPCODE);
		offset = quire_read32(ring->regs, QUIRE_RING_FAULT_OFFSET);
		address = quire_read64(ring->regs, QUIRE_RING_FAULT_ADDR_LO);
		fence = quire_read64(ring->regs, QUIRE_RING_FAULT_FENCE_LO);
	}
	spin_unlock_irqrestore(&ring->lock, flags);

	if (code != QUIRE_FAULT_NONE)
		drm_err(ring->drm,
			"ring %u fault: code %u, packet %#x at offset %#x, address %#llx, fence %llu\n",
			ring->index, code, opcode, offset, address, fence);
}

/* Does anything happen? An empty submission is no progress to the device, but a new oldest one. */
static bool ring_has_moved(struct quire_ring *ring)
{
	u64 progress, oldest;
	bool moved;

	lockdep_assert_held(&ring->lock);

	progress = quire_read64(ring->regs, QUIRE_RING_PROGRESS_LO);
	oldest = list_first_entry(&ring->pending, struct quire_ring_fence, link)->base.seqno;
	moved = progress != ring->last_progress || oldest != ring->last_oldest;
	ring->last_progress = progress;
	ring->last_oldest = oldest;
	return moved;
}

/**
 * quire_ring_look - does the device work on what it has?
 * @ring: the ring
 * @patience: jiffies that it may stand still
 *
 * To be asked from time to time: the answer compares with what the last call
 * saw, so that slow work is not taken for a hang, and a call that comes early does not
 * make a hang of work that has just begun.
 *
 * Returns: %QUIRE_RING_FAULTED or %QUIRE_RING_STUCK only while submissions are pending.
 *
 * Source: Documentation/gpu/quire/device.rst, PROGRESS.
 */
enum quire_ring_state quire_ring_look(struct quire_ring *ring, unsigned long patience)
{
	enum quire_ring_state state = QUIRE_RING_IDLE;
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error && !list_empty(&ring->pending)) {
		state = QUIRE_RING_WORKING;
		if (ring_has_moved(ring))
			ring->still_since = jiffies;
		else if (time_after_eq(jiffies, ring->still_since + patience))
			state = QUIRE_RING_STUCK;
		if (quire_read32(ring->regs, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_FAULT)
			state = QUIRE_RING_FAULTED;
	}
	spin_unlock_irqrestore(&ring->lock, flags);

	return state;
}

/* Hands everything pending over again, the oldest from byte @offset. */
static void ring_replay(struct quire_ring *ring, u32 offset)
{
	struct quire_ring_fence *fence;

	ring_enable(ring);
	ring->still_since = jiffies;
	list_for_each_entry(fence, &ring->pending, link) {
		offset = min(offset, fence->size);
		ring_write_entry(ring, fence->addr + offset, fence->size - offset,
				 fence->base.seqno);
		offset = 0;
	}
	ring_publish(ring, 0);
}

/**
 * quire_ring_restart - take the ring from the device and give it back
 * @ring: the ring
 *
 * Unfinished submissions are executed again in order under the same fence
 * values.
 *
 * The packet at work is executed twice. Only a transfer whose sides overlap
 * would not survive that, and the mover makes none: a new place never shares a
 * page with the old one.
 *
 * Returns: 0; -EIO if the oldest submission was restarted before and is still
 * not done; &quire_ring.error.
 *
 * Source: "Timeout detection and recovery" of the original's documentation:
 * lost paging work is submitted again under the same fence.
 */
int quire_ring_restart(struct quire_ring *ring)
{
	struct quire_ring_fence *oldest;
	unsigned long flags;
	LIST_HEAD(done);
	int ret;

	spin_lock_irqsave(&ring->lock, flags);
	ret = ring->error;
	if (ret)
		goto out;

	ring_disable(ring);
	ring_collect(ring, &done);
	oldest = list_first_entry_or_null(&ring->pending, struct quire_ring_fence, link);
	if (oldest && oldest->base.seqno == ring->reset_fence) {
		ret = -EIO;
		goto out;
	}
	if (oldest)
		ring->reset_fence = oldest->base.seqno;
	ring_replay(ring, quire_read32(ring->regs, QUIRE_RING_OFFSET));
out:
	spin_unlock_irqrestore(&ring->lock, flags);

	ring_signal(&done, 0);
	return ret;
}

/**
 * quire_ring_kill - give the ring up
 * @ring: the ring; its registers are still mapped
 * @error: negative; what pending fences and later submissions end with
 *
 * The device lets go of the ring, so that it touches no system memory on its
 * behalf any more. Killing a killed ring changes nothing but the error of later submissions.
 */
void quire_ring_kill(struct quire_ring *ring, int error)
{
	unsigned long flags;
	LIST_HEAD(done);
	LIST_HEAD(lost);

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error) {
		ring_disable(ring);
		ring_collect(ring, &done);
		list_splice_init(&ring->pending, &lost);
	}
	WRITE_ONCE(ring->error, error);
	spin_unlock_irqrestore(&ring->lock, flags);

	ring_signal(&done, 0);
	ring_signal(&lost, error);
}

/**
 * quire_ring_error - is the ring given up?
 * @ring: the ring
 *
 * Returns: 0, or what quire_ring_kill() was called with.
 */
int quire_ring_error(struct quire_ring *ring)
{
	return READ_ONCE(ring->error);
}
