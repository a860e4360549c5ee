// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Offered objects
 *
 * The list of objects that were offered with madvise and have pages, for quire_shrinker.c.
 *
 * Locking: &quire_shrinker.lock, inside of reservations.
 */
#include <linux/lockdep.h>

#include "quire_bo.h"
#include "quire_offered.h"
#include "quire_shrinker.h"

static void list_remove(struct quire_shrinker *shrinker, struct quire_bo *bo)
{
	lockdep_assert_held(&shrinker->lock);

	if (list_empty(&bo->offer_link))
		return;
	list_del_init(&bo->offer_link);
	shrinker->nr_objects--;
	shrinker->pages -= bo->base.base.size >> PAGE_SHIFT;
}

/**
 * quire_offered_take - get the next offered object
 * @shrinker: has the list
 *
 * Returns: the object, with a reference and reserved, to be given to quire_offered_put(); NULL if
 * that is not to be had without waiting.
 */
struct quire_bo *quire_offered_take(struct quire_shrinker *shrinker)
{
	struct quire_bo *bo;

	spin_lock(&shrinker->lock);
	bo = list_first_entry_or_null(&shrinker->objects, struct quire_bo, offer_link);
	if (bo) {
		list_move_tail(&bo->offer_link, &shrinker->objects);
		if (!kref_get_unless_zero(&bo->base.base.refcount))
			bo = NULL;
	}
	spin_unlock(&shrinker->lock);

	if (bo && !dma_resv_trylock(bo->base.base.resv)) {
		drm_gem_object_put(&bo->base.base);
		bo = NULL;
	}
	return bo;
}

/**
 * quire_offered_update - list or unlist an object
 * @bo: the object, reserved
 *
 * To be called behind all changes of what quire_bo_is_offered() says.
 */
void quire_offered_update(struct quire_bo *bo)
{
	struct quire_shrinker *shrinker = quire_bo_device(bo)->shrinker;

	dma_resv_assert_held(bo->base.base.resv);

	spin_lock(&shrinker->lock);
	if (!quire_bo_is_offered(bo)) {
		list_remove(shrinker, bo);
	} else if (list_empty(&bo->offer_link)) {
		list_add_tail(&bo->offer_link, &shrinker->objects);
		shrinker->nr_objects++;
		shrinker->pages += bo->base.base.size >> PAGE_SHIFT;
	}
	spin_unlock(&shrinker->lock);
}

/**
 * quire_offered_forget - unlist an object that dies
 * @bo: the object, without references; TTM is done with it
 */
void quire_offered_forget(struct quire_bo *bo)
{
	struct quire_shrinker *shrinker = quire_bo_device(bo)->shrinker;

	spin_lock(&shrinker->lock);
	list_remove(shrinker, bo);
	spin_unlock(&shrinker->lock);
}
