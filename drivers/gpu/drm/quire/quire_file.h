/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FILE_H
#define QUIRE_FILE_H

#include <linux/xarray.h>

#include <drm/drm_file.h>

#include "quire_budget.h"
#include "quire_hold.h"

struct drm_device;
struct drm_gem_object;
struct drm_printer;
struct quire_fence_quota;
struct quire_usage;

/**
 * struct quire_file - what an open file has, beside its objects
 * @contexts: struct quire_context, by their identifiers
 * @vms: struct quire_vm, by theirs
 * @holds: what it holds resident
 * @account: what it has of the segments
 * @fences: how many it has created
 * @usage: how long the device was at work for it
 */
struct quire_file {
	struct xarray contexts;
	struct xarray vms;
	struct quire_holds holds;
	struct quire_account account;
	struct quire_fence_quota *fences;
	struct quire_usage *usage;
};

static inline struct quire_file *to_quire_file(struct drm_file *file)
{
	return file->driver_priv;
}

int quire_file_open(struct drm_device *drm, struct drm_file *file);
void quire_file_postclose(struct drm_device *drm, struct drm_file *file);
int quire_file_object_open(struct drm_gem_object *obj, struct drm_file *file);
void quire_file_object_close(struct drm_gem_object *obj, struct drm_file *file);
int quire_file_release(struct inode *inode, struct file *filp);
void quire_file_show_fdinfo(struct drm_printer *p, struct drm_file *file);

#endif
