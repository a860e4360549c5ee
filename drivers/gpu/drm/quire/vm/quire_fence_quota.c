// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: How many fences a file may create
 *
 * The device has a limited number of monitored and of native fences, for all programs. A file may
 * have a quarter of each. A fence counts until it is freed, which may be after its file.
 */
#include <linux/kref.h>
#include <linux/slab.h>

#include "quire_fence_quota.h"

static const int most[] = {
	[QUIRE_FENCE_MONITORED] = QUIRE_FILE_FENCES,
	[QUIRE_FENCE_NATIVE] = QUIRE_FILE_NATIVE_FENCES,
};

/**
 * struct quire_fence_quota - what a file, and fences that it created, have
 * @ref: of the file and of each fence
 * @count: fences, by kind
 */
struct quire_fence_quota {
	struct kref ref;
	atomic_t count[ARRAY_SIZE(most)];
};

/**
 * quire_fence_quota_create - a file has no fences yet
 *
 * Returns: its quota, for quire_fence_quota_put(), or NULL: no memory.
 */
struct quire_fence_quota *quire_fence_quota_create(void)
{
	struct quire_fence_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);

	if (quota)
		kref_init(&quota->ref);
	return quota;
}

static void quota_free(struct kref *ref)
{
	kfree(container_of(ref, struct quire_fence_quota, ref));
}

/**
 * quire_fence_quota_put - drop a reference
 * @quota: not the caller's any more; may be NULL
 */
void quire_fence_quota_put(struct quire_fence_quota *quota)
{
	if (quota)
		kref_put(&quota->ref, quota_free);
}

/**
 * quire_fence_quota_take - one more fence is created
 * @quota: of the file
 * @kind: of fence
 * Returns: true, then the fence has a reference, for quire_fence_quota_give(); false if the file
 * has as many as it may.
 */
bool quire_fence_quota_take(struct quire_fence_quota *quota, enum quire_fence_kind kind)
{
	if (!atomic_add_unless(&quota->count[kind], 1, most[kind]))
		return false;
	kref_get(&quota->ref);
	return true;
}

/**
 * quire_fence_quota_give - a fence is freed
 * @quota: after quire_fence_quota_take()
 * @kind: the same
 */
void quire_fence_quota_give(struct quire_fence_quota *quota, enum quire_fence_kind kind)
{
	atomic_dec(&quota->count[kind]);
	quire_fence_quota_put(quota);
}
