/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_NATIVE_H
#define QUIRE_NATIVE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct drm_quire_fence_create;
struct quire_bo;
struct quire_vm;
struct quire_fence_quota;
struct quire_vm_attempt;

/* Of its page: where its values are. */
#define QUIRE_NATIVE_CURRENT	0
#define QUIRE_NATIVE_MONITORED	64

/**
 * struct quire_native - a native fence
 * @bo: its object, which has it; private to its address space
 * @quota: of the file that created it, with a reference
 * @link: in &quire_vm.natives while a file has a handle; has the reservation
 * @handles: how many, of all files; has the reservation
 * @lock: protects @waiters
 * @waiters: &struct quire_native_waiter, who sleeps until the current value is large enough
 */
struct quire_native {
	struct quire_bo *bo;
	struct quire_fence_quota *quota;
	struct list_head link;
	u32 handles;
	spinlock_t lock; /* of the waiters */
	struct list_head waiters;
};

int quire_native_create(struct drm_device *drm, struct drm_file *file,
			struct drm_quire_fence_create *args);
int quire_natives_validate(struct quire_vm_attempt *attempt);
void quire_natives_forget(struct quire_vm *vm);

/* quire_native_wait.c */
int quire_native_write_first(struct quire_bo *bo, u64 value);
int quire_native_wait(struct quire_native *native, u64 value, s64 timeout_ns);

#endif
