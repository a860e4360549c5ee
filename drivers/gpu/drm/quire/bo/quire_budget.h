/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BUDGET_H
#define QUIRE_BUDGET_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include "core/quire_device_types.h"
#include "quire_segment.h"

struct drm_file;
struct drm_gem_object;
struct drm_quire_budget_info;
struct quire_bo;
struct quire_budget_event;

/**
 * struct quire_account - what a file has of the segments
 * @link: in &quire_budgets.accounts
 * @file: the file; NULL: it is sent no events any more
 * @usage: bytes of its objects, by segment
 * @held: bytes of those that are held resident
 * @told: the budget that it was told last
 * @events: to be sent when that shrinks; NULL: it did not ask since it was sent one
 */
struct quire_account {
	struct list_head link;
	struct drm_file *file;
	u64 usage[QUIRE_SEGMENT_COUNT];
	u64 held[QUIRE_SEGMENT_COUNT];
	u64 told[QUIRE_SEGMENT_COUNT];
	struct quire_budget_event *events[QUIRE_SEGMENT_COUNT];
};

/**
 * struct quire_charge - where an object counts
 * @account: of the file, or NULL
 * @segment: instance
 * @held: it is held resident
 */
struct quire_charge {
	struct quire_account *account;
	u32 segment;
	bool held;
};

/**
 * struct quire_budgets - those of all files of a device
 * @lock: of all accounts and charges; what sends events is taken inside
 * @accounts: of open files
 * @users: number of those with objects there, by segment
 */
struct quire_budgets {
	spinlock_t lock; /* protects all accounts and charges */
	struct list_head accounts;
	u32 users[QUIRE_SEGMENT_COUNT];
};

static inline void quire_budgets_init(struct quire_budgets *budgets)
{
	spin_lock_init(&budgets->lock);
	INIT_LIST_HEAD(&budgets->accounts);
}

/* Send the file no more events, before the DRM core frees unread ones. */
static inline void quire_account_silence(struct quire_device *qdev, struct quire_account *account)
{
	scoped_guard(spinlock, &qdev->budgets->lock)
		account->file = NULL;
}

void quire_account_open(struct quire_device *qdev, struct quire_account *account,
			struct drm_file *file);
void quire_account_close(struct quire_device *qdev, struct quire_account *account);
int quire_budget_own(struct drm_gem_object *obj, struct drm_file *file);
void quire_budget_disown(struct drm_gem_object *obj, struct drm_file *file);
void quire_budget_moved(struct quire_bo *bo, u32 segment);
void quire_budget_held(struct quire_bo *bo);
int quire_budgets_describe(struct quire_device *qdev, struct quire_account *account,
			   struct drm_quire_budget_info *infos);
u64 quire_budget_to_trim(struct quire_device *qdev, struct quire_account *account);
bool quire_budget_spares(struct quire_bo *bo);

#endif
