/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_HOLD_H
#define QUIRE_HOLD_H

#include <linux/mutex.h>
#include <linux/xarray.h>

struct drm_file;
struct drm_gem_object;
struct quire_bo;

/**
 * struct quire_holds - what a file holds resident
 * @lock: protects the rest; nothing but memory is waited for inside
 * @counts: its references of each object, as values, by hold_index()
 */
struct quire_holds {
	struct mutex lock; /* protects the rest */
	struct xarray counts;
};

/**
 * struct quire_held - an element of what is to be held, or not any more
 * @bo: the object, with a reference
 * @handle: of the file
 */
struct quire_held {
	struct quire_bo *bo;
	u32 handle;
};

void quire_holds_init(struct quire_holds *holds);
void quire_holds_fini(struct quire_holds *holds);
int quire_holds_take(struct drm_file *file, const struct quire_held *items, u32 count,
		     u32 *refused);
int quire_holds_drop(struct drm_file *file, const struct quire_held *items, u32 count,
		     u32 *refused);
void quire_holds_close(struct drm_gem_object *obj, struct drm_file *file);

#endif
