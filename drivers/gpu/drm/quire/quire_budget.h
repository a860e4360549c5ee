/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BUDGET_H
#define QUIRE_BUDGET_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "quire_segment.h"

struct drm_file;
struct drm_gem_object;
struct drm_quire_budget_info;
struct quire_bo;
struct quire_device;

/**
 * struct quire_account - what a file has of the segments
 * @link: in &quire_budgets.accounts
 * @file: the file; NULL: it is sent no events any more; protected by &quire_budgets.sending
 * @usage: bytes of its objects, by segment
 * @held: bytes of those that somebody holds resident
 * @told: the budget that it was told last, or 0: it did not ask since it was told of less
 * @shrunk: set of the segments that it is to be told of
 *
 * Everything else is protected by &quire_budgets.lock.
 */
struct quire_account {
	struct list_head link;
	struct drm_file *file;
	u64 usage[QUIRE_SEGMENT_COUNT];
	u64 held[QUIRE_SEGMENT_COUNT];
	u64 told[QUIRE_SEGMENT_COUNT];
	u32 shrunk;
};

/**
 * struct quire_charge - where an object counts
 * @account: of the file, or NULL
 * @segment: instance
 * @held: somebody holds it resident
 *
 * Protected by &quire_budgets.lock.
 */
struct quire_charge {
	struct quire_account *account;
	u32 segment;
	bool held;
};

/**
 * struct quire_budgets - those of all files of a device
 * @lock: protects all accounts and charges; nothing is taken inside
 * @accounts: of open files
 * @users: number of those with objects there, by segment
 * @sending: held while events are sent
 * @work: sends them
 */
struct quire_budgets {
	spinlock_t lock; /* protects all accounts and charges */
	struct list_head accounts;
	u32 users[QUIRE_SEGMENT_COUNT];
	struct mutex sending; /* held while events are sent */
	struct work_struct work;
};

void quire_budgets_init(struct quire_budgets *budgets);
void quire_account_open(struct quire_device *qdev, struct quire_account *account,
			struct drm_file *file);
void quire_account_silence(struct quire_device *qdev, struct quire_account *account);
void quire_account_close(struct quire_device *qdev, struct quire_account *account);

void quire_budget_own(struct drm_gem_object *obj, struct drm_file *file);
void quire_budget_disown(struct drm_gem_object *obj, struct drm_file *file);
void quire_budget_moved(struct quire_bo *bo, u32 segment);
void quire_budget_held(struct quire_bo *bo);

void quire_budget_describe(struct quire_device *qdev, struct quire_account *account, u32 segment,
			   struct drm_quire_budget_info *info);
u64 quire_budget_to_trim(struct quire_device *qdev, struct quire_account *account);
bool quire_budget_spares(struct quire_bo *bo);

#endif
