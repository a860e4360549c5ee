// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Rings
 *
 * A ring carries submissions to the device and their fences back. Only this file touches ring
 * registers, ring entries and the fence page.
 *
 * Every fence signals in bounded time: when the device wrote its value, or with an error when its
 * submission or the ring was given up (quire_reset.c).
 *
 * A ring runs or is stopped. quire_ring_stop() takes it from the device, which then touches no
 * system memory for it; submissions queue up. quire_ring_start() hands all unfinished submissions
 * to the device, the oldest from the packet that was at work, whatever happened to the device in
 * between (nothing, a reset, system sleep). That packet is executed twice. Only a transfer whose
 * sides overlap would not survive that, and the builder makes none.
 *
 * The doorbell is left out where the device looks by itself, see "Doorbells that are not needed" in
 * Documentation/gpu/quire/device.rst.
 *
 * Locking: &quire_ring.lock, with interrupts off. Fences are signalled outside of it. Registers are
 * touched only under it while &quire_ring.error is 0, which is set before they go away.
 */
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/drm_print.h>

#include <kunit/visibility.h>

#include "core/quire_regs.h"
#include "quire_ring.h"
#include "quire_usage.h"

/* The device ends a notice of all of VRAM in a part of this. */
#define RING_DISABLED_US	(5 * USEC_PER_SEC)
#define RING_DISABLED_LOOK_US	50

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

/* The read returns when the device has let go of memory. */
static void ring_disable(struct quire_ring *ring)
{
	quire_write32(ring->regs, QUIRE_RING_CONTROL, 0);
	quire_read32(ring->regs, QUIRE_RING_STATUS);
}

static bool ring_is_disabled(struct quire_ring *ring)
{
	unsigned long flags;
	u32 status = 0;

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error)
		status = quire_read32(ring->regs, QUIRE_RING_STATUS);
	spin_unlock_irqrestore(&ring->lock, flags);
	/* A device that is gone reads as all ones. */
	return !(status & QUIRE_RING_STATUS_BUSY) || status == U32_MAX;
}

static void ring_release(void *data)
{
	quire_ring_kill(data, -ENODEV);
}

/**
 * quire_ring_init - allocate a ring, stopped
 * @ring: to initialise; ends with the binding of the driver (devres), if not before
 * @drm: the device
 * @regs: BAR 0, mapped as long as the binding lasts
 * @index: number of the ring, 0 is the paging ring
 *
 * Returns: 0, or -ENOMEM.
 *
 * Source: Documentation/gpu/quire/device.rst, registers of a ring.
 */
int quire_ring_init(struct quire_ring *ring, struct drm_device *drm, void __iomem *regs,
		    unsigned int index)
{
	ring->drm = drm;
	ring->regs = regs + QUIRE_REG_RING(index, 0);
	ring->doorbell = regs + QUIRE_DOORBELL(index);
	ring->index = index;
	ring->stopped = true;
	ring->fence_context = dma_fence_context_alloc(1);
	spin_lock_init(&ring->lock);
	INIT_LIST_HEAD(&ring->pending);

	ring->entries = dmam_alloc_coherent(drm->dev, sizeof(*ring->entries) * QUIRE_RING_ENTRIES,
					    &ring->entries_dma, GFP_KERNEL);
	ring->fence_page = dmam_alloc_coherent(drm->dev, QUIRE_PAGE_SIZE, &ring->fence_page_dma,
					       GFP_KERNEL);
	if (!ring->entries || !ring->fence_page)
		return -ENOMEM;
	return devm_add_action_or_reset(drm->dev, ring_release, ring);
}

static struct quire_ring_fence *ring_oldest(struct quire_ring *ring)
{
	return list_first_entry_or_null(&ring->pending, struct quire_ring_fence, link);
}

/* Charges the oldest submission for the time since the last call. */
static void ring_charge(struct quire_ring *ring)
{
	struct quire_ring_fence *oldest = ring_oldest(ring);
	u64 now = ktime_get_ns();

	lockdep_assert_held(&ring->lock);

	if (oldest && oldest->usage)
		oldest->usage->ns[ring->index] += now - ring->begun;
	ring->begun = now;
}

static void ring_write_entry(struct quire_ring *ring, const struct quire_ring_entry *entry)
{
	ring->entries[ring->wptr++ % QUIRE_RING_ENTRIES] = *entry;
}

/*
 * Publishes the entries written since @old. A device at work finds them by itself; one that went
 * idle has said at which pointer it waits.
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

static u32 ring_entry_flags(const struct quire_ring_fence *fence)
{
	u32 flags = QUIRE_ENTRY_IRQ;

	if (fence->context)
		flags |= QUIRE_ENTRY_CONTEXT;
	if (fence->is_virtual)
		flags |= QUIRE_ENTRY_VIRTUAL;
	return flags;
}

static void ring_prepare(struct quire_ring_fence *fence)
{
	fence->refused = fence->ops->prepare(fence);
	if (fence->refused)
		fence->size = fence->executed + (fence->ops->keep ? fence->ops->keep(fence) : 0);
}

/* Writes what is left of a submission. What its owner keeps of a refused one needs no context. */
static void ring_write_fence(struct quire_ring *ring, struct quire_ring_fence *fence)
{
	struct quire_ring_entry entry = {
		.flags = cpu_to_le32(QUIRE_ENTRY_IRQ),
		.fence = cpu_to_le64(fence->base.seqno),
	};

	if (!fence->refused)
		ring_prepare(fence);
	entry.addr = cpu_to_le64(fence->addr + fence->executed);
	entry.size = cpu_to_le32(fence->size - fence->executed);
	if (!fence->refused) {
		entry.flags = cpu_to_le32(ring_entry_flags(fence));
		entry.context = cpu_to_le64(fence->context);
	}
	ring_write_entry(ring, &entry);
}

/**
 * quire_ring_submit - hand a submission to the device
 * @ring: the ring; the caller keeps less than QUIRE_RING_ENTRIES in flight
 * @fence: allocated by kzalloc(), its owner's members set; consumed
 *
 * Does not sleep or allocate. Submissions to a stopped ring are executed when it is started.
 *
 * Returns: the fence with a reference for the caller, or &quire_ring.error as an ERR_PTR.
 *
 * Source: DXGKDDI_SUBMITCOMMAND; &struct quire_ring_entry.
 */
struct dma_fence *quire_ring_submit(struct quire_ring *ring, struct quire_ring_fence *fence)
{
	unsigned long flags;
	int error;

	spin_lock_init(&fence->lock);

	spin_lock_irqsave(&ring->lock, flags);
	error = ring->error;
	if (!error) {
		dma_fence_init(&fence->base, &quire_ring_fence_ops, &fence->lock,
			       ring->fence_context, ++ring->last_fence);
		dma_fence_get(&fence->base); /* of the pending list */
		if (list_empty(&ring->pending))
			ring->begun = ktime_get_ns();
		list_add_tail(&fence->link, &ring->pending);
	}
	if (!error && !ring->stopped) {
		ring_write_fence(ring, fence);
		ring_publish(ring, ring->wptr - 1);
	}
	if (error)
		fence->ops->retire(fence, error);
	spin_unlock_irqrestore(&ring->lock, flags);

	if (error) {
		kfree(fence);
		return ERR_PTR(error);
	}
	return &fence->base;
}

static void ring_signal(struct list_head *done)
{
	struct quire_ring_fence *fence, *next;

	list_for_each_entry_safe(fence, next, done, link) {
		list_del(&fence->link);
		dma_fence_signal(&fence->base);
		dma_fence_put(&fence->base);
	}
}

/* The caller signals it outside of the lock. */
static void ring_retire(struct quire_ring_fence *fence, int error, struct list_head *done)
{
	fence->ops->retire(fence, error);
	if (error)
		dma_fence_set_error(&fence->base, error);
	list_move_tail(&fence->link, done);
}

/* Moves completed submissions to @done. */
static void ring_collect(struct quire_ring *ring, struct list_head *done)
{
	u64 value = le64_to_cpu(READ_ONCE(ring->fence_page->fence));
	struct quire_ring_fence *fence, *next;

	lockdep_assert_held(&ring->lock);

	list_for_each_entry_safe(fence, next, &ring->pending, link) {
		if (fence->base.seqno > value)
			break;
		ring_charge(ring);
		ring_retire(fence, fence->refused, done);
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

	ring_signal(&done);
}

/**
 * quire_ring_interrupt - handle the interrupt for written fences
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

static struct quire_ring_fault ring_read_fault(struct quire_ring *ring)
{
	lockdep_assert_held(&ring->lock);

	return (struct quire_ring_fault) {
		.code = quire_read32(ring->regs, QUIRE_RING_FAULT_CODE),
		.opcode = quire_read32(ring->regs, QUIRE_RING_FAULT_OPCODE),
		.offset = quire_read32(ring->regs, QUIRE_RING_FAULT_OFFSET),
		.address = quire_read64(ring->regs, QUIRE_RING_FAULT_ADDR_LO),
		.fence = quire_read64(ring->regs, QUIRE_RING_FAULT_FENCE_LO),
	};
}

/**
 * quire_ring_fault - read the fault registers
 * @ring: the ring, not started again since
 *
 * Returns: the fault; code %QUIRE_FAULT_NONE for a ring that was given up: its registers may be
 * gone.
 *
 * Source: Documentation/gpu/quire/device.rst, faults.
 */
struct quire_ring_fault quire_ring_fault(struct quire_ring *ring)
{
	struct quire_ring_fault fault = { };
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error)
		fault = ring_read_fault(ring);
	spin_unlock_irqrestore(&ring->lock, flags);
	return fault;
}

/**
 * quire_ring_report_fault - log why the device stopped the ring, if it did
 * @ring: the ring
 *
 * Source: Documentation/gpu/quire/device.rst, faults.
 */
void quire_ring_report_fault(struct quire_ring *ring)
{
	struct quire_ring_fault fault = quire_ring_fault(ring);

	if (fault.code != QUIRE_FAULT_NONE)
		drm_err(ring->drm,
			"ring %u fault: code %u, packet %#x at offset %#x, address %#llx, fence %llu\n",
			ring->index, fault.code, fault.opcode, fault.offset, fault.address,
			fault.fence);
}

/**
 * quire_ring_look - check whether the device makes progress
 * @ring: the ring
 * @patience: jiffies that it may stand still
 *
 * Compares with what the last call saw, so slow work is not taken for a hang.
 *
 * Returns: %QUIRE_RING_FAULTED or %QUIRE_RING_STUCK only while submissions are pending.
 *
 * Source: Documentation/gpu/quire/device.rst, PROGRESS.
 */
enum quire_ring_state quire_ring_look(struct quire_ring *ring, unsigned long patience)
{
	enum quire_ring_state state = QUIRE_RING_IDLE;
	unsigned long flags;
	u64 progress, oldest;

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error && !ring->stopped && !list_empty(&ring->pending)) {
		state = QUIRE_RING_WORKING;
		/* An empty submission is no progress to the device, but a new oldest one. */
		progress = quire_read64(ring->regs, QUIRE_RING_PROGRESS_LO);
		oldest = ring_oldest(ring)->base.seqno;
		if (progress != ring->last_progress || oldest != ring->last_oldest)
			ring->still_since = jiffies;
		else if (time_after_eq(jiffies, ring->still_since + patience))
			state = QUIRE_RING_STUCK;
		ring->last_progress = progress;
		ring->last_oldest = oldest;
		if (quire_read32(ring->regs, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_FAULT)
			state = QUIRE_RING_FAULTED;
	}
	spin_unlock_irqrestore(&ring->lock, flags);

	return state;
}

/* The oldest submission is executed up to where the device stopped. */
static void ring_note_executed(struct quire_ring *ring)
{
	struct quire_ring_fence *oldest = ring_oldest(ring);
	u32 offset = quire_read32(ring->regs, QUIRE_RING_OFFSET);

	/* The device may say nonsense. */
	if (!oldest || offset > oldest->size - oldest->executed)
		return;
	oldest->executed += offset;
	if (oldest->ops->stopped)
		oldest->ops->stopped(oldest);
}

/**
 * quire_ring_stop - take the ring from the device
 * @ring: the ring; nobody else stops or starts it meanwhile
 *
 * When this returns, the device works on nothing and writes nothing to system memory for this ring.
 * Fences of executed submissions have signalled; the others wait for quire_ring_start(). Does
 * nothing to a stopped or killed ring. May sleep.
 *
 * Source: DXGKDDI_RESETENGINE; "Timeout detection and recovery" of the original's
 * documentation.
 */
void quire_ring_stop(struct quire_ring *ring)
{
	unsigned long flags;
	bool stops, disabled;
	LIST_HEAD(done);

	spin_lock_irqsave(&ring->lock, flags);
	stops = !ring->error && !ring->stopped;
	if (stops) {
		ring->stopped = true;
		ring_disable(ring);
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	if (!stops)
		return;

	/* A notice that changes the residency table is ended first. */
	if (read_poll_timeout(ring_is_disabled, disabled, disabled, RING_DISABLED_LOOK_US,
			      RING_DISABLED_US, false, ring))
		drm_err(ring->drm, "ring %u: a notice does not end\n", ring->index);
	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error) {
		ring_collect(ring, &done);
		ring_charge(ring);
		ring_note_executed(ring);
	}
	spin_unlock_irqrestore(&ring->lock, flags);

	ring_signal(&done);
}
EXPORT_SYMBOL_IF_KUNIT(quire_ring_stop);

/**
 * quire_ring_start - give a stopped ring to the device
 * @ring: the ring; the device is in the state that it left it in, or was reset and has its aperture
 *        again
 *
 * Hands all pending submissions to the device, in order, under the same fence values. Does nothing
 * to a ring that runs or was killed. Any context.
 *
 * Source: "Timeout detection and recovery" of the original's documentation:
 * lost paging work is submitted again under the same fence.
 */
void quire_ring_start(struct quire_ring *ring)
{
	struct quire_ring_fence *fence;
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error && ring->stopped) {
		ring->stopped = false;
		ring->still_since = jiffies;
		ring->begun = ktime_get_ns();
		ring_enable(ring);
		list_for_each_entry(fence, &ring->pending, link)
			ring_write_fence(ring, fence);
		if (ring->wptr)
			ring_publish(ring, 0);
	}
	spin_unlock_irqrestore(&ring->lock, flags);
}

static struct quire_ring_position fence_position(const struct quire_ring_fence *fence)
{
	return (struct quire_ring_position) {
		.fence = fence->base.seqno,
		.addr = fence->addr,
		.size = fence->size,
		.executed = fence->executed,
	};
}

/**
 * quire_ring_position - find the packet at work in a stopped ring
 * @ring: the ring
 *
 * Returns: the oldest submission and its executed bytes; fence 0: nothing is pending.
 */
struct quire_ring_position quire_ring_position(struct quire_ring *ring)
{
	struct quire_ring_position at = { };
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	if (!list_empty(&ring->pending))
		at = fence_position(ring_oldest(ring));
	spin_unlock_irqrestore(&ring->lock, flags);
	return at;
}
EXPORT_SYMBOL_IF_KUNIT(quire_ring_position);

/**
 * quire_ring_snapshot - record the state of a ring
 * @ring: the ring
 * @snapshot: returned; registers are 0 if the ring was killed
 *
 * Any context.
 */
void quire_ring_snapshot(struct quire_ring *ring, struct quire_ring_snapshot *snapshot)
{
	struct quire_ring_fence *fence;
	unsigned long flags;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->index = ring->index;

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error) {
		snapshot->status = quire_read32(ring->regs, QUIRE_RING_STATUS);
		snapshot->rptr = quire_read32(ring->regs, QUIRE_RING_RPTR);
		snapshot->wptr = ring->wptr;
		snapshot->offset = quire_read32(ring->regs, QUIRE_RING_OFFSET);
		snapshot->progress = quire_read64(ring->regs, QUIRE_RING_PROGRESS_LO);
		snapshot->fault = ring_read_fault(ring);
	}
	list_for_each_entry(fence, &ring->pending, link) {
		if (snapshot->nr_pending < ARRAY_SIZE(snapshot->pending))
			snapshot->pending[snapshot->nr_pending] = fence_position(fence);
		snapshot->nr_pending++;
	}
	spin_unlock_irqrestore(&ring->lock, flags);
}

/**
 * quire_ring_give_up_oldest - end the oldest submission without executing the rest of it
 * @ring: stopped
 * @error: negative; its fence ends with it
 */
void quire_ring_give_up_oldest(struct quire_ring *ring, int error)
{
	struct quire_ring_fence *oldest;
	unsigned long flags;
	LIST_HEAD(lost);

	spin_lock_irqsave(&ring->lock, flags);
	oldest = ring_oldest(ring);
	if (oldest)
		ring_retire(oldest, error, &lost);
	spin_unlock_irqrestore(&ring->lock, flags);

	ring_signal(&lost);
}

/* Returns: 0 executed; -EAGAIN not yet; -EIO refused; error of the ring. */
static int ring_poll(struct quire_ring *ring)
{
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&ring->lock, flags);
	ret = ring->error;
	if (!ret && le32_to_cpu(READ_ONCE(ring->fence_page->rptr)) != ring->wptr) {
		ret = -EAGAIN;
		if (quire_read32(ring->regs, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_FAULT)
			ret = -EIO;
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	return ret;
}

/**
 * quire_ring_execute - execute one buffer in a stopped ring, before all pending submissions
 * @ring: the ring; stopped, and left so
 * @addr: DMA address of the packets
 * @size: bytes of them
 * @patience: jiffies that it may take
 *
 * Polls: needs no interrupt, fence or memory.
 *
 * Returns: 0; -EIO the device refused it or did not end in time, which the log says;
 * &quire_ring.error.
 */
int quire_ring_execute(struct quire_ring *ring, u64 addr, u32 size, unsigned long patience)
{
	const struct quire_ring_entry entry = {
		.addr = cpu_to_le64(addr),
		.size = cpu_to_le32(size),
		.fence = ring->fence_page->fence,
	};
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&ring->lock, flags);
	ret = ring->error;
	if (!ret) {
		ring_enable(ring);
		ring_write_entry(ring, &entry);
		ring_publish(ring, 0);
	}
	spin_unlock_irqrestore(&ring->lock, flags);

	if (!ret && read_poll_timeout(ring_poll, ret, ret != -EAGAIN, 20,
				      jiffies_to_usecs(patience), false, ring)) {
		drm_err(ring->drm, "ring %u executes nothing\n", ring->index);
		ret = -EIO;
	}
	quire_ring_report_fault(ring);

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error)
		ring_disable(ring);
	spin_unlock_irqrestore(&ring->lock, flags);
	return ret;
}

/**
 * quire_ring_kill - give the ring up
 * @ring: the ring; its registers are still mapped
 * @error: negative; what pending fences and later submissions end with
 *
 * The device lets go of the ring and touches no system memory for it any more. Killing a killed
 * ring only changes the error of later submissions.
 */
void quire_ring_kill(struct quire_ring *ring, int error)
{
	struct quire_ring_fence *fence, *next;
	unsigned long flags;
	LIST_HEAD(done);
	LIST_HEAD(lost);

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error) {
		ring_disable(ring);
		ring_collect(ring, &done);
		if (!ring->stopped)
			ring_charge(ring);
		list_for_each_entry_safe(fence, next, &ring->pending, link)
			ring_retire(fence, error, &lost);
	}
	WRITE_ONCE(ring->error, error);
	spin_unlock_irqrestore(&ring->lock, flags);

	ring_signal(&done);
	ring_signal(&lost);
}

/**
 * quire_ring_usage - how long a ring was at work for a file
 * @ring: the ring
 * @usage: of the file
 *
 * Returns: nanoseconds, including those of the submission at work.
 */
u64 quire_ring_usage(struct quire_ring *ring, const struct quire_usage *usage)
{
	struct quire_ring_fence *oldest;
	unsigned long flags;
	u64 ns;

	spin_lock_irqsave(&ring->lock, flags);
	ns = usage->ns[ring->index];
	oldest = ring_oldest(ring);
	if (!ring->stopped && oldest && oldest->usage == usage)
		ns += ktime_get_ns() - ring->begun;
	spin_unlock_irqrestore(&ring->lock, flags);
	return ns;
}

/**
 * quire_ring_error - check whether the ring was given up
 * @ring: the ring
 *
 * Returns: 0, or the error of quire_ring_kill().
 */
int quire_ring_error(struct quire_ring *ring)
{
	return READ_ONCE(ring->error);
}
