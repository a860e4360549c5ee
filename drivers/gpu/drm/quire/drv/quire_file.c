// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/slab.h>

#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "hw/quire_usage.h"
#include "bo/quire_budget.h"
#include "bo/quire_hold.h"
#include "vm/quire_native.h"
#include "vm/quire_vm.h"
#include "exec/quire_context.h"
#include "quire_file.h"

/**
 * struct file_state - an open file, and what other parts of the driver keep of it
 * @base: has a pointer to each of the others
 * @holds: what it holds resident
 * @account: what it has of the segments
 */
struct file_state {
	struct quire_file base;
	struct quire_holds holds;
	struct quire_account account;
};

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
	struct file_state *state = kzalloc(sizeof(*state), GFP_KERNEL_ACCOUNT);
	struct quire_file *qfile;

	if (!state)
		return -ENOMEM;
	qfile = &state->base;
	qfile->holds = &state->holds;
	qfile->account = &state->account;
	qfile->usage = quire_usage_create();
	qfile->fences = quire_fence_quota_create();
	if (!qfile->usage || !qfile->fences) {
		file_put_counts(qfile);
		kfree(state);
		return -ENOMEM;
	}
	xa_init_flags(&qfile->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&qfile->vms, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	quire_holds_init(qfile->holds);
	quire_account_open(to_quire_device(drm), qfile->account, file);
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
	quire_holds_fini(qfile->holds);
	quire_account_close(to_quire_device(drm), qfile->account);
	file_put_counts(qfile);
	kfree(container_of(qfile, struct file_state, base));
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

	quire_account_silence(to_quire_device(file->minor->dev), to_quire_file(file)->account);
	return drm_release(inode, filp);
}
