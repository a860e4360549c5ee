// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Rings
 *
 * A ring carries submissions to the device and their fences back. Every fence signals in bounded
 * time: when the device wrote its value, or with an error when its submission or the ring was given
 * up (quire_reset.c).
 *
 * A ring runs or is stopped: then the device touches no system memory for it, and submissions queue
 * up. quire_ring_start() hands all unfinished submissions to the device, the oldest from the packet
 * that was at work. That is executed twice. Only a transfer whose sides overlap would not survive
 * that, and the builder makes none.
 *
 * Locking: &quire_ring.lock, with interrupts off. Fences are signalled outside of it. Registers are
 * touched only under it while &quire_ring.error is 0, which is set before they go away.
 *
 * Source: DXGKDDI_SUBMITCOMMAND, DXGK_INTERRUPT_DMA_COMPLETED, DXGKDDI_RESETENGINE.
 */
/**
 * DOC: The watchdog
 *
 * While a ring has work, the watchdog checks from time to time whether there was progress. If there
 * was none for the time of the module parameter hang_period, or the ring stands at a fault,
 * recovery follows (quire_reset.c). It is not the timeout of drm_sched, since it watches a ring,
 * not a job: slow work is no hang, a restarted ring goes on under the same fences, and a submission
 * to a busy ring costs no timer.
 */
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/module.h>

#include <drm/drm_device.h>
#include <drm/drm_print.h>

#include <kunit/visibility.h>

#include "core/quire_regs.h"
#include "quire_ring.h"
#include "quire_usage.h"

/* The device ends a notice of all of VRAM in a part of this. */
#define RING_DISABLED_US	(5 * USEC_PER_SEC)
#define RING_DISABLED_LOOK_US	50

/* Checks in a hang period. */
#define QUIRE_WATCHDOG_LOOKS	8

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
	u32 status = 0;

	scoped_guard(spinlock_irqsave, &ring->lock)
		if (!ring->error)
			status = quire_read32(ring->regs, QUIRE_RING_STATUS);
	/* A device that is gone reads as all ones. */
	return !(status & QUIRE_RING_STATUS_BUSY) || status == U32_MAX;
}

static void ring_release(void *data)
{
	quire_ring_kill(data, -ENODEV);
}

/**
 * quire_ring_init - allocate a ring, stopped
 * @ring: to initialise; killed by devres, if not before
 * @drm: the device
 * @regs: BAR 0, mapped as long as the binding lasts
 * @index: number of the ring, 0 is the paging ring
 * Returns: 0, or -ENOMEM.
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
 * idle has said at which pointer it waits for the doorbell.
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

/* Writes what is left of a submission. What its owner keeps of a refused one needs no context. */
static void ring_write_fence(struct quire_ring *ring, struct quire_ring_fence *fence)
{
	struct quire_ring_entry entry = { .fence = cpu_to_le64(fence->base.seqno) };
	u32 flags = QUIRE_ENTRY_IRQ;

	if (!fence->refused) {
		fence->refused = fence->ops->prepare(fence);
		if (fence->refused)
			fence->size = fence->executed +
				      (fence->ops->keep ? fence->ops->keep(fence) : 0);
	}
	entry.addr = cpu_to_le64(fence->addr + fence->executed);
	entry.size = cpu_to_le32(fence->size - fence->executed);
	if (!fence->refused) {
		entry.context = cpu_to_le64(fence->context);
		if (fence->context)
			flags |= QUIRE_ENTRY_CONTEXT;
		if (fence->is_virtual)
			flags |= QUIRE_ENTRY_VIRTUAL;
	}
	entry.flags = cpu_to_le32(flags);
	ring_write_entry(ring, &entry);
}

/**
 * quire_ring_submit - hand a submission to the device once the ring runs; does not sleep
 * @ring: less than QUIRE_RING_ENTRIES are in flight
 * @fence: from kzalloc(), its owner's members set; consumed
 * Returns: the fence with a reference for the caller, or &quire_ring.error as an ERR_PTR.
 */
struct dma_fence *quire_ring_submit(struct quire_ring *ring, struct quire_ring_fence *fence)
{
	spin_lock_init(&fence->lock);

	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (ring->error) {
			fence->ops->retire(fence, ring->error);
			kfree(fence);
			return ERR_PTR(ring->error);
		}
		dma_fence_init(&fence->base, &quire_ring_fence_ops, &fence->lock,
			       ring->fence_context, ++ring->last_fence);
		dma_fence_get(&fence->base); /* of the pending list */
		if (list_empty(&ring->pending))
			ring->begun = ktime_get_ns();
		list_add_tail(&fence->link, &ring->pending);
		if (!ring->stopped) {
			ring_write_fence(ring, fence);
			ring_publish(ring, ring->wptr - 1);
		}
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
 * quire_ring_process - signal what the device has completed; any context
 * @ring: the ring
 */
void quire_ring_process(struct quire_ring *ring)
{
	LIST_HEAD(done);

	scoped_guard(spinlock_irqsave, &ring->lock)
		if (!ring->error)
			ring_collect(ring, &done);
	ring_signal(&done);
}

/**
 * quire_ring_fault - read the fault registers
 * @ring: the ring, not started again since
 * Returns: the fault; code %QUIRE_FAULT_NONE for a ring that was given up.
 */
struct quire_ring_fault quire_ring_fault(struct quire_ring *ring)
{
	struct quire_ring_fault fault = { };
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->error)
		fault = (struct quire_ring_fault) {
			.code = quire_read32(ring->regs, QUIRE_RING_FAULT_CODE),
			.opcode = quire_read32(ring->regs, QUIRE_RING_FAULT_OPCODE),
			.offset = quire_read32(ring->regs, QUIRE_RING_FAULT_OFFSET),
			.address = quire_read64(ring->regs, QUIRE_RING_FAULT_ADDR_LO),
			.fence = quire_read64(ring->regs, QUIRE_RING_FAULT_FENCE_LO),
		};
	spin_unlock_irqrestore(&ring->lock, flags);
	return fault;
}

/**
 * quire_ring_report_fault - log why the device stopped the ring, if it did
 * @ring: the ring
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
 * quire_ring_stop - take the ring from the device; may sleep
 * @ring: nobody else stops or starts it meanwhile
 *
 * The device writes nothing to system memory for it any more. Fences of executed submissions have
 * signalled; the others wait for quire_ring_start(). Nothing is done to a stopped or killed ring.
 */
void quire_ring_stop(struct quire_ring *ring)
{
	struct quire_ring_fence *oldest;
	LIST_HEAD(done);
	bool disabled;
	u32 offset;

	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (ring->error || ring->stopped)
			return;
		ring->stopped = true;
		ring_disable(ring);
	}

	/* A notice that changes the residency table is ended first. */
	if (read_poll_timeout(ring_is_disabled, disabled, disabled, RING_DISABLED_LOOK_US,
			      RING_DISABLED_US, false, ring))
		drm_err(ring->drm, "ring %u: a notice does not end\n", ring->index);
	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (ring->error)
			return;
		ring_collect(ring, &done);
		ring_charge(ring);
		oldest = ring_oldest(ring);
		offset = quire_read32(ring->regs, QUIRE_RING_OFFSET);
		/* The device may say nonsense. */
		if (oldest && offset <= oldest->size - oldest->executed) {
			oldest->executed += offset;
			if (oldest->ops->stopped)
				oldest->ops->stopped(oldest);
		}
	}
	ring_signal(&done);
}
EXPORT_SYMBOL_IF_KUNIT(quire_ring_stop);

/**
 * quire_ring_start - hand all pending submissions to the device, in order; any context
 * @ring: stopped, else nothing is done; the device is as it left it, or was reset and has its
 *        aperture again
 */
void quire_ring_start(struct quire_ring *ring)
{
	struct quire_ring_fence *fence;

	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (ring->error || !ring->stopped)
			return;
		ring->stopped = false;
		ring->still_since = jiffies;
		ring->begun = ktime_get_ns();
		ring_enable(ring);
		list_for_each_entry(fence, &ring->pending, link)
			ring_write_fence(ring, fence);
		if (ring->wptr)
			ring_publish(ring, 0);
	}
}

/* Of the pending submission @nr. */
static struct quire_ring_position ring_position(struct quire_ring *ring, u32 nr)
{
	struct quire_ring_fence *fence;

	scoped_guard(spinlock_irqsave, &ring->lock) {
		list_for_each_entry(fence, &ring->pending, link)
			if (!nr--)
				return (struct quire_ring_position) {
					.fence = fence->base.seqno,
					.addr = fence->addr,
					.size = fence->size,
					.executed = fence->executed,
				};
	}
	return (struct quire_ring_position) { };
}

/**
 * quire_ring_position - find the packet at work in a stopped ring
 * @ring: the ring
 * Returns: the oldest submission and its executed bytes; fence 0: nothing is pending.
 */
struct quire_ring_position quire_ring_position(struct quire_ring *ring)
{
	return ring_position(ring, 0);
}
EXPORT_SYMBOL_IF_KUNIT(quire_ring_position);

/**
 * quire_ring_print - print the state of a stopped ring
 * @ring: the ring; registers are 0 if it was killed
 * @p: where to
 */
void quire_ring_print(struct quire_ring *ring, struct drm_printer *p)
{
	struct quire_ring_fault fault = quire_ring_fault(ring);
	u32 status = 0, rptr = 0, wptr = 0, offset = 0, count, i;
	struct quire_ring_position at;
	u64 progress = 0;

	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (!ring->error) {
			status = quire_read32(ring->regs, QUIRE_RING_STATUS);
			rptr = quire_read32(ring->regs, QUIRE_RING_RPTR);
			wptr = ring->wptr;
			offset = quire_read32(ring->regs, QUIRE_RING_OFFSET);
			progress = quire_read64(ring->regs, QUIRE_RING_PROGRESS_LO);
		}
		count = list_count_nodes(&ring->pending);
	}
	drm_printf(p, "ring: %u\n", ring->index);
	drm_printf(p, "status: %#x\nrptr: %u\nwptr: %u\noffset: %#x\nprogress: %llu\n",
		   status, rptr, wptr, offset, progress);
	drm_printf(p, "fault: code %u, packet %#x at offset %#x, address %#llx, fence %llu\n",
		   fault.code, fault.opcode, fault.offset, fault.address, fault.fence);
	drm_printf(p, "pending: %u\n", count);
	for (i = 0; i < min_t(u32, count, QUIRE_RING_ENTRIES); i++) {
		at = ring_position(ring, i);
		drm_printf(p, "  fence %llu: address %#llx, size %u, executed %u\n",
			   at.fence, at.addr, at.size, at.executed);
	}
}

/**
 * quire_ring_give_up_oldest - end the oldest submission without executing the rest of it
 * @ring: stopped
 * @error: negative; its fence ends with it
 */
void quire_ring_give_up_oldest(struct quire_ring *ring, int error)
{
	struct quire_ring_fence *oldest;
	LIST_HEAD(lost);

	scoped_guard(spinlock_irqsave, &ring->lock) {
		oldest = ring_oldest(ring);
		if (oldest)
			ring_retire(oldest, error, &lost);
	}
	ring_signal(&lost);
}

/* Returns 0 executed; -EAGAIN not yet; -EIO refused; error of the ring. */
static int ring_poll(struct quire_ring *ring)
{
	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (ring->error || le32_to_cpu(READ_ONCE(ring->fence_page->rptr)) == ring->wptr)
			return ring->error;
		if (quire_read32(ring->regs, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_FAULT)
			return -EIO;
	}
	return -EAGAIN;
}

/**
 * quire_ring_execute - poll until the device has executed a buffer before all that is pending
 * @ring: stopped, and left so
 * @addr: DMA address of the packets
 * @size: bytes of them
 * @patience: jiffies that it may take
 * Returns: 0; -EIO refused, or not done in time, which the log says; &quire_ring.error.
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

	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (ring->error)
			return ring->error;
		ring_enable(ring);
		ring_write_entry(ring, &entry);
		ring_publish(ring, 0);
	}

	if (read_poll_timeout(ring_poll, ret, ret != -EAGAIN, 20, jiffies_to_usecs(patience),
			      false, ring)) {
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
 * quire_ring_kill - give the ring up: the device touches no system memory for it any more
 * @ring: its registers are still mapped; if it was killed before, only later submissions get @error
 * @error: negative; what pending fences and later submissions end with
 */
void quire_ring_kill(struct quire_ring *ring, int error)
{
	struct quire_ring_fence *fence, *next;
	LIST_HEAD(done);

	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (!ring->error) {
			ring_disable(ring);
			ring_collect(ring, &done);
			if (!ring->stopped)
				ring_charge(ring);
			list_for_each_entry_safe(fence, next, &ring->pending, link)
				ring_retire(fence, error, &done);
		}
		WRITE_ONCE(ring->error, error);
	}
	ring_signal(&done);
}

/**
 * quire_ring_usage - how long a ring was at work for a file
 * @ring: the ring
 * @usage: of the file
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

static unsigned int quire_hang_period = 3000;

static int hang_period_set(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, 100, 3600000);
}

static const struct kernel_param_ops hang_period_ops = {
	.set = hang_period_set,
	.get = param_get_uint,
};

module_param_cb(hang_period, &hang_period_ops, &quire_hang_period, 0644);
MODULE_PARM_DESC(hang_period,
		 "Milliseconds that the device may stand still before it is taken for hung (100 to 3600000, default: 3000)");

/**
 * quire_watchdog_patience - how long a ring may stand still
 * Returns: jiffies, at least 1.
 */
unsigned long quire_watchdog_patience(void)
{
	return msecs_to_jiffies(READ_ONCE(quire_hang_period));
}

static void watchdog_look(struct work_struct *work)
{
	struct quire_watchdog *watchdog = container_of(to_delayed_work(work),
						       struct quire_watchdog, work);
	struct quire_ring *ring = watchdog->ring;
	bool stuck = false, faulted = false;
	u64 progress, oldest;

	quire_ring_process(ring); /* an interrupt may have been lost */
	scoped_guard(spinlock_irqsave, &ring->lock) {
		if (ring->error || ring->stopped || list_empty(&ring->pending))
			return;
		/* An empty submission is no progress to the device, but a new oldest one. */
		progress = quire_read64(ring->regs, QUIRE_RING_PROGRESS_LO);
		oldest = ring_oldest(ring)->base.seqno;
		if (progress != ring->last_progress || oldest != ring->last_oldest)
			ring->still_since = jiffies;
		else
			stuck = time_after_eq(jiffies,
					      ring->still_since + quire_watchdog_patience());
		ring->last_progress = progress;
		ring->last_oldest = oldest;
		if (quire_read32(ring->regs, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_FAULT)
			faulted = true;
	}
	if (stuck || faulted)
		watchdog->stuck(watchdog, faulted);
	quire_watchdog_arm(watchdog);
}

/**
 * quire_watchdog_init - make the watchdog of a ring
 * @watchdog: to initialise
 * @ring: what it watches; lives longer
 * @wq: as &quire_watchdog.wq; lives longer
 * @stuck: called when the ring does not work any more
 */
void quire_watchdog_init(struct quire_watchdog *watchdog, struct quire_ring *ring,
			 struct workqueue_struct *wq, quire_watchdog_stuck_t stuck)
{
	watchdog->ring = ring;
	watchdog->stuck = stuck;
	INIT_DELAYED_WORK(&watchdog->work, watchdog_look);
	watchdog->wq = wq;
}

/**
 * quire_watchdog_arm - watch the ring, which was given work; any context
 * @watchdog: the watchdog
 */
void quire_watchdog_arm(struct quire_watchdog *watchdog)
{
	/* At least once a second: a shorter period may be set meanwhile. */
	queue_delayed_work(watchdog->wq, &watchdog->work,
			   clamp(quire_watchdog_patience() / QUIRE_WATCHDOG_LOOKS, 1, HZ));
}
