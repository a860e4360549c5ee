// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/slab.h>

#include "quire_bo.h"
#include "quire_context.h"
#include "quire_device.h"
#include "quire_fence_quota.h"
#include "quire_file.h"
#include "quire_usage.h"
#include "quire_vm.h"

/* What may live longer than the file. */
static void file_put_counts(struct quire_file *qfile)
{
	quire_fence_quota_put(qfile->fences);
	quire_usage_put(qfile->usage);
}

/**
 * quire_file_open - &drm_driver.open
 * @drm: the device
 * @file: opened
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct quire_file *qfile = kzalloc(sizeof(*qfile), GFP_KERNEL_ACCOUNT);

	if (!qfile)
		return -ENOMEM;
	qfile->usage = quire_usage_create();
	qfile->fences = quire_fence_quota_create();
	if (!qfile->usage || !qfile->fences) {
		file_put_counts(qfile);
		kfree(qfile);
		return -ENOMEM;
	}
	xa_init_flags(&qfile->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&qfile->vms, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	quire_holds_init(&qfile->holds);
	quire_account_open(to_quire_device(drm), &qfile->account, file);
	file->driver_priv = qfile;
	return 0;
}

/**
 * quire_file_postclose - &drm_driver.postclose
 * @drm: the device
 * @file: closed
 *
 * What was submitted is executed all the same, see quire_context_close().
 */
void quire_file_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct quire_file *qfile = to_quire_file(file);
	struct quire_context *context;
	struct quire_vm *vm;
	unsigned long id;

	xa_for_each(&qfile->contexts, id, context)
		quire_context_close(context);
	xa_for_each(&qfile->vms, id, vm)
		quire_vm_put(vm);
	xa_destroy(&qfile->contexts);
	xa_destroy(&qfile->vms);
	quire_holds_fini(&qfile->holds);
	quire_account_close(to_quire_device(drm), &qfile->account);
	file_put_counts(qfile);
	kfree(qfile);
}

/**
 * quire_file_object_open - &drm_gem_object_funcs.open
 * @obj: the object
 * @file: gets a handle of it
 *
 * Returns: 0.
 */
int quire_file_object_open(struct drm_gem_object *obj, struct drm_file *file)
{
	quire_budget_own(obj, file);
	return 0;
}

/**
 * quire_file_object_close - &drm_gem_object_funcs.close
 * @obj: the object
 * @file: closes a handle of it
 *
 * Of two handles of an object, the first one that is closed counts. Never waits for the device.
 */
void quire_file_object_close(struct drm_gem_object *obj, struct drm_file *file)
{
	quire_holds_close(obj, file);
	quire_budget_disown(obj, file);
}

/**
 * quire_file_release - &file_operations.release
 * @inode: of the node
 * @filp: the file
 *
 * Returns: 0.
 */
int quire_file_release(struct inode *inode, struct file *filp)
{
	struct drm_file *file = filp->private_data;

	quire_account_silence(to_quire_device(file->minor->dev), &to_quire_file(file)->account);
	return drm_release(inode, filp);
}

/**
 * quire_file_show_fdinfo - &drm_driver.show_fdinfo
 * @p: where to print
 * @file: of whom
 *
 * Never waits: the DRM core calls this inside of drm_dev_enter(), and monitors ask while the
 * device is busy or hangs.
 */
void quire_file_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	quire_usage_show(p, to_quire_device(file->minor->dev), to_quire_file(file)->usage);
	quire_bo_show_fdinfo(p, file);
}
