// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Freeing objects
 *
 * An object with a place in VRAM or the aperture is freed with work for the device
 * (quire_bo_release_notify()), which may wait for a paging buffer, behind a hang for seconds.
 * close(), munmap() and exit must not: a work item frees such objects. TTM's own queue is not used
 * for that, as an object that commands use would take a place there until they are done. TTM may
 * evict a listed object without its content, but not if the evictor holds the reservation that it
 * shares, as those of private objects do: the evictor waits until the work item has freed it, for
 * then it has a reservation of its own (quire_validation_wait()).
 *
 * A listed object had a place when it died, but a place can be given away, and a program that
 * creates and closes in a loop would fill the memory. So creation waits while the size of all
 * listed objects is above that of a full segment.
 *
 * Locking: none; the list is lockless.
 */
#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "quire_bo.h"
#include "quire_bo_free.h"
#include "quire_bo_layout.h"
#include "quire_bo_publish.h"

static void free_list_work(struct work_struct *work)
{
	struct quire_free_list *list = container_of(work, struct quire_free_list, work);
	struct llist_node *dead = llist_reverse_order(llist_del_all(&list->objects));
	struct quire_bo *bo, *next;

	llist_for_each_entry_safe(bo, next, dead, free_link) {
		u64 size = bo->base.base.size;

		ttm_bo_fini(&bo->base);
		atomic64_sub(size, &list->bytes);
		atomic64_inc(&list->freed);
		if (wq_has_sleeper(&list->less))
			wake_up(&list->less);
		cond_resched();
	}
}

/**
 * quire_free_list_init - make an empty list
 * @list: to initialise; ends with quire_free_list_flush()
 */
void quire_free_list_init(struct quire_free_list *list)
{
	init_llist_head(&list->objects);
	atomic64_set(&list->bytes, 0);
	atomic64_set(&list->died, 0);
	atomic64_set(&list->freed, 0);
	init_waitqueue_head(&list->less);
	INIT_WORK(&list->work, free_list_work);
}

/**
 * quire_free_list_wait - wait until there are not too many dead objects
 * @qdev: the device; not inside of drm_dev_enter(), for this may take a while
 *
 * Returns: 0, or -ERESTARTSYS.
 */
int quire_free_list_wait(struct quire_device *qdev)
{
	struct quire_free_list *list = qdev->free_list;

	return wait_event_interruptible(list->less, atomic64_read(&list->bytes) <=
					quire_bo_max_size(qdev));
}

/**
 * quire_free_list_wait_freed - wait for quire_free_list_is_freed()
 * @list: the list
 * @died: from quire_free_list_died()
 * @interruptible: a signal ends it
 * @timeout: jiffies, at most
 *
 * Returns: jiffies that are left, at least 1; 0 it took too long; -ERESTARTSYS.
 */
long quire_free_list_wait_freed(struct quire_free_list *list, u64 died, bool interruptible,
				long timeout)
{
	if (interruptible)
		return wait_event_interruptible_timeout(list->less,
							quire_free_list_is_freed(list, died),
							timeout);
	return wait_event_timeout(list->less, quire_free_list_is_freed(list, died), timeout);
}

/**
 * quire_bo_free_later - &drm_gem_object_funcs.free of objects that a scheduler's work frees
 * @obj: the object, without references
 *
 * Neither sleeps on the device nor waits for a fence, wherever the object is.
 */
void quire_bo_free_later(struct drm_gem_object *obj)
{
	struct quire_bo *bo = gem_to_quire_bo(obj);
	struct quire_free_list *list = quire_bo_device(bo)->free_list;

	WRITE_ONCE(bo->dead, true);
	atomic64_add(obj->size, &list->bytes);
	atomic64_inc(&list->died);
	if (llist_add(&bo->free_link, &list->objects))
		queue_work(system_long_wq, &list->work);
}

/**
 * quire_bo_free - &drm_gem_object_funcs.free
 * @obj: the object, without references
 *
 * Does not sleep on the device. Without references an object stays in system memory. Memory
 * reclaim comes here (quire_shrinker.c), and must not wait for the lock of the ranges, under which
 * pages are allocated: images are listed, too.
 *
 * Source: drm_gem_object_free().
 */
void quire_bo_free(struct drm_gem_object *obj)
{
	struct quire_bo *bo = gem_to_quire_bo(obj);

	if (quire_bo_published_segment(bo) == QUIRE_SEGMENT_SYSTEM && !quire_bo_is_tiled(bo))
		ttm_bo_fini(&bo->base);
	else
		quire_bo_free_later(obj);
}
