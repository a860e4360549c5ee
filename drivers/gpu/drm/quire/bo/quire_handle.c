// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <drm/drm_gem.h>

#include "quire_budget.h"
#include "quire_handle.h"
#include "quire_hold.h"

/**
 * quire_handle_open - &drm_gem_object_funcs.open
 * @obj: the object
 * @file: gets a handle of it
 *
 * Returns: 0.
 */
int quire_handle_open(struct drm_gem_object *obj, struct drm_file *file)
{
	quire_budget_own(obj, file);
	return 0;
}

/**
 * quire_handle_close - &drm_gem_object_funcs.close
 * @obj: the object
 * @file: closes a handle of it
 *
 * Of two handles of an object, the first one that is closed counts. Never waits for the device.
 */
void quire_handle_close(struct drm_gem_object *obj, struct drm_file *file)
{
	quire_holds_close(obj, file);
	quire_budget_disown(obj, file);
}
