/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_FREE_H
#define QUIRE_BO_FREE_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct drm_gem_object;
struct quire_device;

/**
 * struct quire_free_list - dead objects that the device is still to be told of
 * @objects: the objects, by &quire_bo.free_link
 * @bytes: size of all of them, and of those that @work has taken and not freed yet
 * @died: objects that came here so far
 * @freed: how many of them @work has freed; the first ones that came are freed first
 * @less: woken when @bytes went down, and @freed up
 * @work: frees them
 */
struct quire_free_list {
	struct llist_head objects;
	atomic64_t bytes;
	atomic64_t died;
	atomic64_t freed;
	wait_queue_head_t less;
	struct work_struct work;
};

/* Hand all listed objects to TTM. */
static inline void quire_free_list_flush(struct quire_free_list *list)
{
	flush_work(&list->work);
}

/* The number of objects that were listed so far, for quire_free_list_is_freed(). */
static inline u64 quire_free_list_died(struct quire_free_list *list)
{
	return atomic64_read(&list->died);
}

/*
 * Are the objects freed that were on the list when quire_free_list_died() returned @died? Those
 * that still have a place have a reservation of their own then.
 */
static inline bool quire_free_list_is_freed(struct quire_free_list *list, u64 died)
{
	return (u64)atomic64_read(&list->freed) >= died;
}

void quire_free_list_init(struct quire_free_list *list);
int quire_free_list_wait(struct quire_device *qdev);
long quire_free_list_wait_freed(struct quire_free_list *list, u64 died, bool interruptible,
				long timeout);
void quire_bo_free_later(struct drm_gem_object *obj);
void quire_bo_free(struct drm_gem_object *obj);

#endif
