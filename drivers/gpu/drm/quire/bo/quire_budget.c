// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Budgets
 *
 * The budget of a file in a segment is an equal share: its size, divided by the number of open
 * files that have objects there. It is no limit; but objects of files above it that are not held
 * resident are evicted before all others that are needed. An object counts for the file that
 * created or imported it, until that closes its handle. If unread events leave no room for one, it
 * is tried again whenever an object comes to the segment.
 *
 * Locking: &quire_budgets.lock, and inside of it &drm_device.event_lock.
 *
 * Source: D3DKMTQueryVideoMemoryInfo, DXGKDDI_TRIM_NOTIFICATION_CALLBACK.
 */
#include <linux/math64.h>
#include <linux/slab.h>

#include <drm/drm_file.h>

#include "core/quire_file_types.h"
#include "queue/quire_vram_types.h"
#include "quire_bo.h"

/* Allocated when the file asks: a task that moves an object can not wait for memory. */
struct quire_budget_event {
	struct drm_pending_event base;
	struct drm_quire_event_budget event;
};

/* A file that asks counts, also without objects there. */
static u64 budget_of(struct quire_device *qdev, const struct quire_account *account, u32 segment)
{
	u32 files = qdev->budgets->users[segment] + !account->usage[segment];
	u64 size;

	lockdep_assert_held(&qdev->budgets->lock);

	if (segment == QUIRE_SEGMENT_VRAM)
		size = qdev->vram_mgr->manager.size;
	else if (segment == QUIRE_SEGMENT_APERTURE)
		size = qdev->aperture_size;
	else
		return U64_MAX;
	return round_down(div_u64(size, files), PAGE_SIZE);
}

static u64 over_of(struct quire_device *qdev, const struct quire_account *account, u32 segment)
{
	u64 budget = budget_of(qdev, account, segment);

	return account->usage[segment] > budget ? account->usage[segment] - budget : 0;
}

static int events_create(struct quire_budget_event **events)
{
	struct quire_budget_event *event;
	u32 segment;

	for (segment = 0; segment < QUIRE_SEGMENT_COUNT; segment++) {
		event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);
		if (!event)
			return -ENOMEM;
		event->event.base.type = DRM_QUIRE_EVENT_BUDGET;
		event->event.base.length = sizeof(event->event);
		event->event.segments = BIT(segment);
		events[segment] = event;
	}
	return 0;
}

static void events_free(struct quire_budget_event **events)
{
	u32 segment;

	for (segment = 0; segment < QUIRE_SEGMENT_COUNT; segment++)
		kfree(events[segment]);
}

static void check_shrunk(struct quire_device *qdev, struct quire_account *account, u32 segment)
{
	struct quire_budget_event *event = account->events[segment];
	u64 budget;

	if (!event || !account->file)
		return;
	budget = budget_of(qdev, account, segment);
	if (budget >= account->told[segment] || account->usage[segment] <= budget)
		return;
	if (drm_event_reserve_init(&qdev->drm, account->file, &event->base, &event->event.base))
		return;
	drm_send_event(&qdev->drm, &event->base);
	account->events[segment] = NULL;
}

static u64 charge_bytes(const struct quire_bo *bo)
{
	return quire_bo_size_in(bo, quire_segment_find(bo->charge.segment)->mem_type);
}

/* @sign: 1 it comes to its segment, -1 it leaves. The first of a file shrinks others' budgets. */
static __always_inline void charge_change(struct quire_bo *bo, int sign)
{
	struct quire_budgets *budgets = quire_bo_device(bo)->budgets;
	struct quire_account *account = bo->charge.account, *other;
	u64 bytes = sign * charge_bytes(bo);
	u32 segment = bo->charge.segment;
	bool had;

	if (!account)
		return;
	had = account->usage[segment];
	account->usage[segment] += bytes;
	if (bo->charge.held)
		account->held[segment] += bytes;
	budgets->users[segment] += !!account->usage[segment] - had;
	if (sign < 0)
		return;
	check_shrunk(quire_bo_device(bo), account, segment);
	if (had)
		return;
	list_for_each_entry(other, &budgets->accounts, link)
		check_shrunk(quire_bo_device(bo), other, segment);
}

/**
 * quire_account_open - a file is opened
 * @qdev: the device
 * @account: of the file, zero
 * @file: the file
 */
void quire_account_open(struct quire_device *qdev, struct quire_account *account,
			struct drm_file *file)
{
	account->file = file;
	scoped_guard(spinlock, &qdev->budgets->lock)
		list_add_tail(&account->link, &qdev->budgets->accounts);
}

/**
 * quire_account_close - a file is closed
 * @qdev: the device
 * @account: of the file, which has no handles any more
 */
void quire_account_close(struct quire_device *qdev, struct quire_account *account)
{
	scoped_guard(spinlock, &qdev->budgets->lock)
		list_del(&account->link);
	events_free(account->events);
}

/**
 * quire_budget_own - &drm_gem_object_funcs.open: a file gets a handle of an object
 * @obj: the object
 * @file: the file
 *
 * Returns: 0.
 */
int quire_budget_own(struct drm_gem_object *obj, struct drm_file *file)
{
	struct quire_bo *bo = gem_to_quire_bo(obj);
	struct quire_budgets *budgets = quire_bo_device(bo)->budgets;

	spin_lock(&budgets->lock);
	if (!bo->charge.account) {
		bo->charge.account = to_quire_file(file)->account;
		charge_change(bo, 1);
	}
	spin_unlock(&budgets->lock);
	return 0;
}

/**
 * quire_budget_disown - a handle of an object is closed
 * @obj: the object
 * @file: that had the handle
 */
void quire_budget_disown(struct drm_gem_object *obj, struct drm_file *file)
{
	struct quire_bo *bo = gem_to_quire_bo(obj);
	struct quire_budgets *budgets = quire_bo_device(bo)->budgets;

	spin_lock(&budgets->lock);
	if (bo->charge.account == to_quire_file(file)->account) {
		charge_change(bo, -1);
		bo->charge.account = NULL;
	}
	spin_unlock(&budgets->lock);
}

/**
 * quire_budget_moved - an object is in another segment
 * @bo: the object, reserved
 * @segment: instance; may be the same
 */
void quire_budget_moved(struct quire_bo *bo, u32 segment)
{
	struct quire_budgets *budgets = quire_bo_device(bo)->budgets;

	spin_lock(&budgets->lock);
	if (bo->charge.segment != segment) {
		charge_change(bo, -1);
		bo->charge.segment = segment;
		charge_change(bo, 1);
	}
	spin_unlock(&budgets->lock);
}

/**
 * quire_budget_held - the number of holds of an object has changed
 * @bo: the object, reserved or not; see &quire_bo.holds
 */
void quire_budget_held(struct quire_bo *bo)
{
	struct quire_budgets *budgets = quire_bo_device(bo)->budgets;
	u64 bytes;

	spin_lock(&budgets->lock);
	if (bo->charge.held != !!atomic64_read(&bo->holds)) {
		bo->charge.held = !bo->charge.held;
		bytes = charge_bytes(bo);
		if (bo->charge.account)
			bo->charge.account->held[bo->charge.segment] +=
				bo->charge.held ? bytes : -bytes;
	}
	spin_unlock(&budgets->lock);
}

/**
 * quire_budgets_describe - tell a file of its budgets
 * @qdev: the device
 * @account: of the file, which is sent events when they shrink
 * @infos: to fill, of each segment
 *
 * Returns: 0; or -ENOMEM, then it was told nothing.
 */
int quire_budgets_describe(struct quire_device *qdev, struct quire_account *account,
			   struct drm_quire_budget_info *infos)
{
	struct quire_budget_event *events[QUIRE_SEGMENT_COUNT] = { };
	int ret = events_create(events);
	u32 segment;

	if (ret)
		goto free;
	spin_lock(&qdev->budgets->lock);
	for (segment = 0; segment < QUIRE_SEGMENT_COUNT; segment++) {
		infos[segment] = (struct drm_quire_budget_info) {
			.instance = segment,
			.budget = budget_of(qdev, account, segment),
			.usage = account->usage[segment],
			.resident = account->held[segment],
			.to_trim = over_of(qdev, account, segment),
		};
		account->told[segment] = infos[segment].budget;
		if (!account->events[segment])
			swap(account->events[segment], events[segment]);
	}
	spin_unlock(&qdev->budgets->lock);
free:
	events_free(events);
	return ret;
}

/**
 * quire_budget_to_trim - by how much is a file over its budget?
 * @qdev: the device
 * @account: of the file
 *
 * Returns: bytes, of all segments together.
 */
u64 quire_budget_to_trim(struct quire_device *qdev, struct quire_account *account)
{
	u64 bytes = 0;
	u32 segment;

	scoped_guard(spinlock, &qdev->budgets->lock)
		for (segment = 0; segment < QUIRE_SEGMENT_COUNT; segment++)
			bytes += over_of(qdev, account, segment);
	return bytes;
}

/* Is the file over its budget, with objects that are not held resident? */
static bool can_trim(struct quire_device *qdev, const struct quire_account *account, u32 segment)
{
	return account && account->usage[segment] > account->held[segment] &&
	       over_of(qdev, account, segment);
}

/**
 * quire_budget_spares - is an object no victim, because other files are above their budget?
 * @bo: in VRAM, reserved; room is needed there
 *
 * If all candidates are spared the caller tries again with the turn, in which none is.
 *
 * Returns: true if so; never for an offered or dead object.
 */
bool quire_budget_spares(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_account *account;
	bool spares = false;

	/* Without turns a try that fails is not made again. */
	if (!qdev->turn->fair || READ_ONCE(qdev->turn->held) || quire_bo_is_unneeded(bo) ||
	    READ_ONCE(bo->dead))
		return false;
	spin_lock(&qdev->budgets->lock);
	if (bo->charge.held || !can_trim(qdev, bo->charge.account, QUIRE_SEGMENT_VRAM)) {
		list_for_each_entry(account, &qdev->budgets->accounts, link)
			spares |= can_trim(qdev, account, QUIRE_SEGMENT_VRAM);
	}
	spin_unlock(&qdev->budgets->lock);
	return spares;
}
