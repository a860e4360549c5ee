/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SHRINKER_H
#define QUIRE_SHRINKER_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct quire_device;
struct shrinker;

/**
 * struct quire_shrinker - gives pages of offered objects back when memory is short
 * @shrinker: what the kernel calls
 * @lock: of @objects and @pages
 * @objects: offered, with pages; who was looked at last is last
 * @nr_objects: in @objects
 * @pages: of @objects
 * @work: for those whose pages the aperture shows
 */
struct quire_shrinker {
	struct shrinker *shrinker;
	spinlock_t lock; /* of objects, nr_objects, pages */
	struct list_head objects;
	unsigned long nr_objects;
	unsigned long pages;
	struct work_struct work;
};

int quire_shrinker_init(struct quire_device *qdev);
void quire_shrinker_fini(struct quire_device *qdev);

#endif
