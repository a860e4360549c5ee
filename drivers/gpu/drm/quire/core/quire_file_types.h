/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FILE_TYPES_H
#define QUIRE_FILE_TYPES_H

#include <linux/xarray.h>

#include <drm/drm_file.h>

/**
 * struct quire_file - what an open file has, beside its objects
 * @contexts: struct quire_context, by their identifiers
 * @vms: struct quire_vm, by theirs
 * @holds: what it holds resident
 * @account: what it has of the segments
 * @usage: how long the device was at work for it, and its fences
 */
struct quire_file {
	struct xarray contexts;
	struct xarray vms;
	struct quire_holds *holds;
	struct quire_account *account;
	struct quire_usage *usage;
};

static inline struct quire_file *to_quire_file(struct drm_file *file)
{
	return file->driver_priv;
}

#endif
