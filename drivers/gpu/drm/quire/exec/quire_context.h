/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_CONTEXT_H
#define QUIRE_CONTEXT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <drm/gpu_scheduler.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_hw.h>

#include "core/quire_context_end.h"
#include "bo/quire_validation.h"

struct drm_device;
struct drm_file;
struct quire_vm_validation;

/* Rings that execute commands. */
#define QUIRE_EXECUTION_MAX	(QUIRE_RING_MAX - 1)

/**
 * struct quire_context_ring - a context on one ring
 * @entity: its jobs, in order
 * @fence_context: timeline of its fences
 * @fence_seqno: of the last one; has &quire_execution.lock
 * @queued: bytes that its commands take, see quire_commands.c; has &quire_context.lock
 */
struct quire_context_ring {
	struct drm_sched_entity entity;
	u64 fence_context;
	u64 fence_seqno;
	u32 queued;
};

/**
 * struct quire_context - work of a program that ends together
 * @refs: of the file that has it, of calls and of jobs
 * @qdev: the device
 * @link: in &quire_contexts.list
 * @vm: address space of its commands, with a reference; NULL: they have none
 * @usage: of the file that made it, with a reference
 * @page: then what the device keeps of the context; NULL once the device is gone
 * @made: when the device has made that
 * @nr_rings: number of @rings that are initialised
 * @rings: by the number of the execution ring
 * @submissions: how many there were
 * @position: of a call that was interrupted
 * @lock: protects @end and @queued of @rings; taken in hard interrupt context
 * @room: callers that wait until less of it is queued
 * @end: what ended it
 * @cancelled: its program was killed: nothing of it is executed any more
 */
struct quire_context {
	struct kref refs;
	struct quire_device *qdev;
	struct list_head link;
	struct quire_vm *vm;
	struct quire_usage *usage;
	struct quire_context_page *page;
	struct dma_fence *made;
	u32 nr_rings;
	struct quire_context_ring rings[QUIRE_EXECUTION_MAX];
	atomic64_t submissions;
	struct quire_position position;
	spinlock_t lock; /* of end and queued */
	wait_queue_head_t room;
	struct quire_context_end end;
	bool cancelled;
};

/* The contexts of a device that have entities. */
struct quire_contexts {
	struct mutex lock; /* of the list */
	struct list_head list;
};

static inline void quire_contexts_init(struct quire_contexts *contexts)
{
	mutex_init(&contexts->lock);
	INIT_LIST_HEAD(&contexts->list);
}

void quire_contexts_fini(struct quire_contexts *contexts);

/* Is its work executed? */
static inline int quire_context_error(struct quire_context *context)
{
	return READ_ONCE(context->end.status) != DRM_QUIRE_CONTEXT_GOOD ||
	       READ_ONCE(context->cancelled) ? -ECANCELED : 0;
}

static inline struct quire_context *quire_context_get(struct quire_context *context)
{
	kref_get(&context->refs);
	return context;
}

struct quire_context *quire_context_lookup(struct drm_file *file, u32 id);
int quire_context_delete(struct drm_file *file, u32 id);
void quire_context_put(struct quire_context *context);
void quire_context_close(struct quire_context *context);
void quire_context_blame(struct quire_context *context, const struct quire_context_end *end);
int quire_context_save_validate(struct quire_context *context,
				struct quire_vm_validation *validation);
int quire_context_save_error(struct quire_context *context, unsigned long tell);

int quire_context_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int quire_context_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int quire_context_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* quire_exec.c */
int quire_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
