// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Monitored fences
 *
 * A number in memory that only grows. It is in a page of its own, which the paging ring writes
 * and everybody reads::
 *
 *     FENCE_SIGNAL --> job of its entity --> paging ring: SIGNAL_MONITORED --+
 *                                                                            v
 *     mapping of the program, read-only  <---------------------------  page of memory
 *     address spaces, read-only: WAIT_VALUE of commands  <---------------    |
 *     FENCE_WAIT  <--- interrupt  <------------------------------------------+
 *
 * The page is a buffer object, pinned in system memory. The paging ring reaches it at an address of
 * its own (quire_paging_space.c). Jobs keep the object, so none is left when the address goes.
 *
 * A value may have to wait for foreign fences, and the paging queue waits for none: so each fence
 * has an entity, whose jobs come after what was pushed to the paging queue before, in the order of
 * their values. A job flushes the address, where another fence may have been, and writes the value.
 * Both may be executed again after a reset, for no later value is written before.
 *
 * Waiters are woken by the interrupt of a value, when a signal is done, as an interrupt may be
 * lost, and when the device goes.
 *
 * Locking: &quire_fences.lock for what the device knows, taken with any reservation held;
 * &quire_fence.lock from the check of a value until its job is pushed, without a wait.
 *
 * Source: "Monitored fences" of the original's documentation; D3DDDI_MONITORED_FENCE;
 * DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE.
 */
/**
 * DOC: Native fences
 *
 * A number in memory that commands of an address space let grow, without the driver. The device
 * interrupts only when it reaches the monitored value, which waiters write to the same page::
 *
 *     EXEC: SIGNAL_NATIVE --> device: number --> { owner, address, address }
 *                                                     |         |
 *     page of memory  [ current value | monitored value ] <-----+
 *              |                  ^           |
 *     mapping of the program      |           +-- reached: interrupt --> FENCE_WAIT looks
 *                                 +------------------------------------- FENCE_WAIT sleeps
 *
 * It is an object that is private to its address space, and moves as others do, but not while
 * commands at work could signal it. The device is told of each move before anything else uses the
 * place (quire_residency.c). Work of the address space brings its fences back first
 * (quire_vm_validate.c). The number is free when the device was told that it is nowhere.
 *
 * A handle, a mapping or a waiter may keep a fence longer than its address space. The device knows
 * the owner by a root, which another address space gets next: so the fence is nowhere before that.
 *
 * Locking: the reservation of the address space.
 *
 * Source: "Native GPU fence objects" of the original's documentation;
 * DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY.
 */
/**
 * DOC: Waiting for a native fence
 *
 * The monitored value is the least that is waited for and not reached; without waiters the largest
 * there is. The device writes the current value and then reads the monitored one; the driver writes
 * the monitored value and then reads the current one. Each has a full barrier between the two, so
 * at least one of them sees what the other one did.
 *
 * A waiter that leaves early leaves its value there: that costs one interrupt. The page may move:
 * it is read with the reservation held, behind its moves, which carry both values.
 */
#include <linux/dma-resv.h>
#include <linux/dmapool.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_utils.h>

#include "core/quire_compat.h"
#include "core/quire_file_types.h"
#include "core/quire_refuse.h"
#include "core/quire_sync.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_residency_table.h"
#include "hw/quire_usage.h"
#include "queue/quire_out_fence.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_space.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_budget.h"
#include "bo/quire_bulk.h"
#include "bo/quire_prime.h"
#include "bo/quire_residency.h"
#include "vm/quire_vm.h"
#include "quire_fence.h"

static_assert(DRM_QUIRE_MAX_FENCES == QUIRE_PAGING_FENCES);
static_assert(DRM_QUIRE_MAX_NATIVE_FENCES == QUIRE_NATIVE_FENCES);

#define SIGNAL_RECORDS	(QUIRE_PAGING_BUFFER_MIN / QUIRE_PAGING_PACKET_MIN)

/* No event tells of content that a failed move has lost, or of a lost interrupt: so poll, too. */
#define LOOK_PERIOD	HZ

struct quire_fence {
	struct quire_device *qdev;
	struct quire_bo *bo; /* its object, which has it */
	struct quire_usage *usage; /* of the file that created it, with a reference */
	struct ttm_bo_kmap_obj map;
	const __le64 *value; /* in the page */
	u32 slot; /* of the paging address space, while it is on the list */
	struct list_head link; /* in &quire_fences.list while the device knows of it */
	struct drm_sched_entity entity;
	u64 context; /* timeline of the fences of its signals */
	atomic_t queued; /* signals that are not done */
	/* The largest value that was given up, or 0; no lock: jobs end one after the other. */
	u64 lost;
	struct mutex lock; /* of the rest */
	u64 requested; /* the value that was queued last */
	u64 seqno; /* of the last fence of a signal */
};

/* A value, in the hands of the scheduler. */
struct fence_job {
	struct quire_paging_job base; /* first, because it is freed by it */
	struct quire_fence *fence; /* with a reference */
	u64 value;
	void *cpu;
	dma_addr_t dma;
	bool failed; /* the device was not able to write it */
	struct quire_out_fence *out; /* its end, until it is pushed */
	struct quire_paging_record records[SIGNAL_RECORDS];
};

/* A file may have a quarter of all fences. Each has a reference. */
static bool charge(struct quire_usage *usage, bool native)
{
	int most = native ? QUIRE_FILE_NATIVE_FENCES : QUIRE_FILE_FENCES;

	if (!atomic_add_unless(&usage->fences[native], 1, most))
		return false;
	quire_usage_get(usage);
	return true;
}

static void uncharge(struct quire_usage *usage, bool native)
{
	atomic_dec(&usage->fences[native]);
	quire_usage_put(usage);
}

/* Show the page where it is; if it is nowhere, in system memory. The reservation is held. */
static int page_map(struct quire_bo *bo, struct ttm_bo_kmap_obj *map)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int ret = 0;

	if (!bo->base.resource)
		ret = quire_bo_validate(bo, &quire_system_place, 1, &ctx);
	if (!ret && quire_bo_mem_type(&bo->base) != QUIRE_PL_VRAM)
		ret = ttm_bo_populate(&bo->base, &ctx);
	return ret ?: ttm_bo_kmap(&bo->base, 0, 1, map);
}

/* A value in the page, which is in system memory or in VRAM. */
static u64 page_read(struct ttm_bo_kmap_obj *map, u32 at)
{
	bool is_iomem;
	void *page = ttm_kmap_obj_virtual(map, &is_iomem);

	if (is_iomem)
		return le64_to_cpu((__force __le64)__raw_readq((void __iomem *)page + at));
	return le64_to_cpu(READ_ONCE(*(__le64 *)(page + at)));
}

static void page_write(struct ttm_bo_kmap_obj *map, u32 at, u64 value)
{
	bool is_iomem;
	void *page = ttm_kmap_obj_virtual(map, &is_iomem);

	if (is_iomem)
		__raw_writeq((__force u64)cpu_to_le64(value), (void __iomem *)page + at);
	else
		WRITE_ONCE(*(__le64 *)(page + at), cpu_to_le64(value));
}

static void native_free(struct drm_gem_object *obj)
{
	struct quire_bo *bo = gem_to_quire_bo(obj);

	uncharge(bo->native->usage, true);
	kfree(bo->native);
	bo->native = NULL;
	quire_bo_free(obj);
}

/* Commands can name it from here on. */
static int native_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct quire_native *native = gem_to_quire_bo(obj)->native;
	struct quire_vm *vm = to_quire_vm(native->bo->gpuvm);

	dma_resv_lock(obj->resv, NULL);
	if (!native->handles++)
		list_add_tail(&native->link, &vm->natives);
	dma_resv_unlock(obj->resv);
	return quire_budget_own(obj, file);
}

static void native_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct quire_native *native = gem_to_quire_bo(obj)->native;

	quire_holds_close(obj, file);
	dma_resv_lock(obj->resv, NULL);
	if (!--native->handles)
		list_del_init(&native->link);
	dma_resv_unlock(obj->resv);
}

static const struct drm_gem_object_funcs native_funcs = {
	.free = native_free,
	.open = native_open,
	.close = native_close,
	.mmap = quire_bo_mmap,
	.vm_ops = &quire_bo_vm_ops,
	.export = quire_prime_export,
};

static const struct quire_bo_kind native_kind = {
	.type = ttm_bo_type_device,
	.funcs = &native_funcs,
	.destroy = quire_bo_fini,
};

/* The reservation is held. Takes what is charged over, also when it fails. */
static struct quire_bo *native_alloc(struct quire_vm *vm, struct quire_usage *usage)
{
	const struct quire_bo_config config = {
		.size = PAGE_SIZE,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM) | BIT(QUIRE_SEGMENT_VRAM) |
			    BIT(QUIRE_SEGMENT_APERTURE),
		.caching = ttm_cached,
		.gpuvm = &vm->base,
		.bulk = &vm->bulk,
	};
	struct quire_native *native = kzalloc(sizeof(*native), GFP_KERNEL_ACCOUNT);
	struct quire_bo *bo;

	bo = native ? quire_bo_create(vm->qdev, &config, &native_kind, NULL) : ERR_PTR(-ENOMEM);
	if (IS_ERR(bo)) {
		kfree(native);
		uncharge(usage, true);
		return bo;
	}
	vm->had_natives = true;
	native->bo = bo;
	native->usage = usage;
	INIT_LIST_HEAD(&native->link);
	spin_lock_init(&native->lock);
	INIT_LIST_HEAD(&native->waiters);
	bo->native = native;
	return bo;
}

static struct quire_bo *create_native(struct drm_device *drm, struct drm_file *file,
				      struct drm_quire_fence_create *args)
{
	struct quire_vm *vm __free(quire_vm) = quire_vm_lookup(file, args->vm);
	struct quire_usage *usage = to_quire_file(file)->usage;
	struct ttm_bo_kmap_obj map;
	struct dma_resv *resv;
	struct quire_bo *bo;
	int ret, number;

	if (!vm)
		return ERR_PTR(quire_refuse(drm, -ENOENT, "fence: no VM %u", args->vm));
	if (!charge(usage, true))
		return ERR_PTR(quire_refuse(drm, -ENOSPC, "fence: the file has %u native ones",
					    QUIRE_FILE_NATIVE_FENCES));
	resv = drm_gpuvm_resv(&vm->base);
	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret) {
		uncharge(usage, true);
		return ERR_PTR(ret);
	}
	bo = native_alloc(vm, usage);
	if (IS_ERR(bo)) {
		dma_resv_unlock(resv);
		return bo;
	}
	number = ida_alloc_max(&vm->qdev->residency->natives, QUIRE_NATIVE_FENCES - 1, GFP_KERNEL);
	if (number == -ENOSPC)
		quire_refuse(drm, -ENOSPC, "fence: there are %u native ones", QUIRE_NATIVE_FENCES);
	ret = min(number, 0);
	if (!ret) {
		quire_resident_be_fence(bo, number, quire_vm_root(vm));
		ret = page_map(bo, &map);
	}
	if (!ret) {
		page_write(&map, QUIRE_NATIVE_CURRENT, args->value);
		page_write(&map, QUIRE_NATIVE_MONITORED, U64_MAX);
		ttm_bo_kunmap(&map);
		quire_bo_publish(bo);
	}
	dma_resv_unlock(resv);
	if (ret) {
		drm_gem_object_put(&bo->base.base);
		return ERR_PTR(ret);
	}
	args->number = number;
	return bo;
}

/* Nothing of it is queued any more, or the device goes. */
static void fence_fini_device(struct quire_fence *fence)
{
	struct quire_device *qdev = fence->qdev;

	lockdep_assert_held(&qdev->fences->lock);

	if (list_empty(&fence->link))
		return;
	list_del_init(&fence->link);
	drm_sched_entity_fini(&fence->entity);
	quire_paging_space_unmap_fence(&qdev->paging_queue->space, fence->slot);
	ida_free(&qdev->fences->slots, fence->slot);
}

static void fence_free(struct drm_gem_object *obj)
{
	struct quire_fence *fence = gem_to_quire_bo(obj)->fence;

	scoped_guard(mutex, &fence->qdev->fences->lock)
		fence_fini_device(fence);
	if (fence->value) {
		ttm_bo_kunmap(&fence->map);
		/* No reference is left, and TTM's LRU walks skip pinned objects. */
		if (!drm_WARN_ON(&fence->qdev->drm, !dma_resv_trylock(obj->resv))) {
			ttm_bo_unpin(&fence->bo->base);
			dma_resv_unlock(obj->resv);
		}
	}
	mutex_destroy(&fence->lock);
	fence->bo->fence = NULL;
	uncharge(fence->usage, false);
	kfree(fence);
	quire_bo_free(obj);
}

static const struct drm_gem_object_funcs fence_funcs = {
	.free = fence_free,
	.mmap = quire_bo_mmap,
	.vm_ops = &quire_bo_vm_ops,
	.export = quire_prime_export,
};

static const struct quire_bo_kind fence_kind = {
	.type = ttm_bo_type_device,
	.funcs = &fence_funcs,
	.destroy = quire_bo_fini,
};

static int fence_pin(struct quire_fence *fence, u64 value)
{
	struct quire_bo *bo = fence->bo;
	bool is_iomem;
	int ret;

	ret = ttm_bo_reserve(&bo->base, true, false, NULL);
	if (ret)
		return ret;
	ret = page_map(bo, &fence->map);
	if (!ret) {
		page_write(&fence->map, 0, value);
		fence->value = ttm_kmap_obj_virtual(&fence->map, &is_iomem);
		ttm_bo_pin(&bo->base);
		quire_bo_publish(bo);
	}
	ttm_bo_unreserve(&bo->base);
	return ret;
}

/* Known to the device from here on. */
static int fence_init_device(struct quire_fence *fence)
{
	struct quire_paging_queue *queue = fence->qdev->paging_queue;
	struct quire_fences *fences = fence->qdev->fences;
	struct drm_gpu_scheduler *sched = &queue->sched;
	int ret, slot;

	slot = ida_alloc_max(&fences->slots, DRM_QUIRE_MAX_FENCES - 1, GFP_KERNEL);
	if (slot == -ENOSPC)
		return quire_refuse(&fence->qdev->drm, -ENOSPC, "fence: there are %u",
				    DRM_QUIRE_MAX_FENCES);
	if (slot < 0)
		return slot;
	fence->slot = slot;
	ret = drm_sched_entity_init(&fence->entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1, NULL);
	if (ret) {
		ida_free(&fences->slots, slot);
		return ret;
	}
	quire_paging_space_map_fence(&queue->space, slot, fence->bo->base.ttm->dma_address[0]);
	guard(mutex)(&fences->lock);
	list_add_tail(&fence->link, &fences->list);
	return 0;
}

static struct quire_bo *create_monitored(struct drm_device *drm, struct drm_file *file,
					 const struct drm_quire_fence_create *args)
{
	const struct quire_bo_config config = {
		.size = PAGE_SIZE,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM),
		.caching = ttm_cached,
	};
	struct quire_usage *usage = to_quire_file(file)->usage;
	struct quire_device *qdev = to_quire_device(drm);
	struct quire_fence *fence;
	struct quire_bo *bo;
	int ret;

	if (!charge(usage, false))
		return ERR_PTR(quire_refuse(drm, -ENOSPC, "fence: the file has %u",
					    QUIRE_FILE_FENCES));
	fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	bo = fence ? quire_bo_create(qdev, &config, &fence_kind, NULL) : ERR_PTR(-ENOMEM);
	if (IS_ERR(bo)) {
		kfree(fence);
		uncharge(usage, false);
		return bo;
	}
	fence->qdev = qdev;
	fence->bo = bo;
	fence->usage = usage;
	fence->context = dma_fence_context_alloc(1);
	fence->requested = args->value;
	INIT_LIST_HEAD(&fence->link);
	mutex_init(&fence->lock);
	bo->fence = fence;
	ret = fence_pin(fence, args->value) ?: fence_init_device(fence);
	if (!ret)
		return bo;
	drm_gem_object_put(&bo->base.base);
	return ERR_PTR(ret);
}

/**
 * quire_fence_create_ioctl - %DRM_IOCTL_QUIRE_FENCE_CREATE
 * @drm: the device
 * @data: &struct drm_quire_fence_create
 * @file: of the caller
 * Returns: 0, or an error as documented there.
 */
int quire_fence_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_fence_create *args = data;
	struct quire_bo *bo;
	int ret;

	if (args->flags & ~DRM_QUIRE_FENCE_NATIVE)
		return quire_refuse(drm, -EINVAL, "fence: flags %#x", args->flags);
	if (args->vm && !args->flags)
		return quire_refuse(drm, -EINVAL, "fence: a monitored one of VM %u", args->vm);
	CLASS(quire_device, device)(drm);
	if (device < 0)
		return device;
	bo = args->flags & DRM_QUIRE_FENCE_NATIVE ? create_native(drm, file, args) :
						    create_monitored(drm, file, args);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = drm_gem_handle_create(file, &bo->base.base, &args->handle);
	if (ret == -ENOSPC)
		quire_refuse(drm, ret, "fence: the file has no handle left");
	drm_gem_object_put(&bo->base.base);
	return ret;
}

/* Returns its object, with a reference. Unplug does not wait for callers, which may wait long. */
static struct quire_bo *fence_lookup(struct drm_device *drm, struct drm_file *file, u32 handle,
				     bool native)
{
	struct drm_gem_object *obj;
	int ret = quire_device_check(drm);
	struct quire_bo *bo;

	if (ret)
		return ERR_PTR(ret);
	obj = drm_gem_object_lookup(file, handle);
	if (!obj)
		return ERR_PTR(quire_refuse(drm, -ENOENT, "no object %u", handle));
	bo = gem_to_quire_bo(obj);
	if (quire_bo_is_fence(bo) || (native && quire_bo_is_native_fence(bo)))
		return bo;
	native = quire_bo_is_native_fence(bo);
	drm_gem_object_put(obj);
	if (native)
		return ERR_PTR(quire_refuse(drm, -EOPNOTSUPP,
					    "object %u is a native fence, which commands signal",
					    handle));
	return ERR_PTR(quire_refuse(drm, -EMEDIUMTYPE, "object %u is no fence", handle));
}

/* One signal less is queued, or there was none. */
static void fence_leave_room(struct quire_fence *fence)
{
	atomic_dec(&fence->queued);
	quire_fences_wake(fence->qdev);
}

/* Jobs of a fence end one after the other, and with them their values grow. */
static void job_release(struct quire_paging_job *base)
{
	struct fence_job *job = container_of(base, struct fence_job, base);
	struct quire_fence *fence = job->fence;

	if (job->failed)
		WRITE_ONCE(fence->lost, job->value);
	if (job->cpu)
		dma_pool_free(fence->qdev->fences->packets, job->cpu, job->dma);
	quire_out_fence_free(job->out);
	fence_leave_room(fence);
	drm_gem_object_put(&fence->bo->base.base);
}

/* Takes over what &quire_fence.queued counts, also when it fails. */
static struct fence_job *job_create(struct quire_fence *fence, u64 value)
{
	struct fence_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!job) {
		fence_leave_room(fence);
		return ERR_PTR(-ENOMEM);
	}
	drm_gem_object_get(&fence->bo->base.base);
	job->base.queue = fence->qdev->paging_queue;
	job->base.release = job_release;
	job->fence = fence;
	job->value = value;
	job->base.submission = kzalloc(sizeof(*job->base.submission), GFP_KERNEL_ACCOUNT);
	job->out = quire_out_fence_alloc(NULL);
	job->cpu = dma_pool_alloc(fence->qdev->fences->packets, GFP_KERNEL, &job->dma);
	if (job->base.submission && job->out && job->cpu)
		ret = quire_sched_job_init(&job->base.base, &fence->entity, 1, NULL, 0);
	if (!ret)
		return job;
	quire_paging_job_free(&job->base);
	return ERR_PTR(ret);
}

/* The buffer that is open from the start has room for all packets. */
static int signal_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	return -EIO;
}

static struct dma_fence *signal_submit(struct quire_paging_list *list,
				       struct quire_paging_buffer *buffer)
{
	struct fence_job *job = buffer->backend;

	job->base.submission->buffer = *buffer;
	return dma_fence_get_stub();
}

static void signal_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
}

static int signal_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	return 0;
}

static const struct quire_paging_list_ops signal_ops = {
	.acquire = signal_acquire,
	.submit = signal_submit,
	.release = signal_release,
	.wait = signal_wait,
	.signalled = dma_fence_get_stub,
	.put = dma_fence_put,
};

static int job_write_packets(struct fence_job *job)
{
	u64 address = quire_paging_fence_address(job->fence->slot);
	struct quire_paging_list list = {
		.ops = &signal_ops,
		.caps = &job->base.queue->caps,
		.buffer = {
			.cpu = job->cpu,
			.gpu_address = job->dma,
			.size = QUIRE_PAGING_BUFFER_MIN,
			.records = job->records,
			.max_records = SIGNAL_RECORDS,
			.backend = job,
		},
	};
	struct quire_paging_args write = {
		.operation = QUIRE_PAGING_SIGNAL_MONITORED_FENCE,
		.u.signal_fence = {
			.monitored_fence_gpu_va = address,
			.monitored_fence_value = job->value,
		},
	};
	struct dma_fence *fence;
	int ret;

	quire_paging_job_open(&job->base, &list.buffer, NULL);
	job->base.submission->failed = &job->failed;
	ret = quire_vm_add_flush(&list, job->base.queue->space.root, address,
				 address + QUIRE_PAGE_SIZE) ?:
	      quire_paging_list_add(&list, &write);
	fence = quire_paging_list_finish(&list, ret);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_fence_put(fence);
	return 0;
}

/* Returns the fence of its end, with a reference, or an ERR_PTR; takes the job over. */
static struct dma_fence *job_push(struct fence_job *job, const struct quire_syncs *syncs)
{
	struct drm_sched_job *sched_job = &job->base.base;
	struct quire_fence *fence = job->fence;
	struct dma_fence *end;
	int ret;
	u32 i;

	ret = job_write_packets(job) ?:
	      drm_sched_job_add_dependency(sched_job, quire_paging_queue_last(job->base.queue));
	for (i = 0; i < syncs->count && !ret; i++)
		ret = drm_sched_job_add_dependency(sched_job, dma_fence_get(syncs->items[i].fence));
	if (ret)
		goto err_destroy;

	mutex_lock(&fence->lock);
	if (job->value <= fence->requested) {
		ret = quire_refuse(&fence->qdev->drm, -EINVAL,
				   "fence signal: value %llu after %llu", job->value,
				   fence->requested);
		mutex_unlock(&fence->lock);
		goto err_destroy;
	}
	fence->requested = job->value;
	end = quire_out_fence_begin(job->out, QUIRE_OUT_MONITORED, fence->context,
				    ++fence->seqno, NULL);
	quire_out_fence_keep_module(end);
	list_add_tail(&job->out->link, &job->base.submission->outs);
	job->out = NULL;
	dma_fence_put(quire_paging_job_push(&job->base));
	mutex_unlock(&fence->lock);
	return end;

err_destroy:
	drm_sched_job_cleanup(sched_job);
	quire_paging_job_free(&job->base);
	return ERR_PTR(ret);
}

static int fence_signal(struct quire_fence *fence, u64 value, struct quire_syncs *syncs)
{
	struct dma_fence *end;
	struct fence_job *job;
	int ret;

	/* With nothing held: it waits for earlier signals, which may wait for foreign fences. */
	ret = wait_event_interruptible(fence->qdev->fences->wait,
				       atomic_add_unless(&fence->queued, 1,
							 DRM_QUIRE_MAX_SIGNALS));
	if (ret)
		return ret;
	CLASS(quire_device, device)(&fence->qdev->drm);
	if (device < 0) {
		fence_leave_room(fence);
		return device;
	}
	job = job_create(fence, value);
	end = IS_ERR(job) ? ERR_CAST(job) : job_push(job, syncs);
	if (IS_ERR(end))
		return PTR_ERR(end);
	quire_syncs_signal(syncs, end);
	return 0;
}

/**
 * quire_fence_signal_ioctl - %DRM_IOCTL_QUIRE_FENCE_SIGNAL
 * @drm: the device
 * @data: &struct drm_quire_fence_signal
 * @file: of the caller
 * Returns: 0, or an error as documented there.
 */
int quire_fence_signal_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_quire_fence_signal *args = data;
	struct quire_syncs syncs;
	struct quire_bo *bo;
	int ret;

	if (args->pad)
		return quire_refuse(drm, -EINVAL, "fence signal: pad %u", args->pad);
	ret = quire_syncs_init(&syncs, drm, &args->syncs,
			       DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT);
	if (ret)
		return ret;
	bo = fence_lookup(drm, file, args->handle, false);
	ret = PTR_ERR_OR_ZERO(bo);
	if (!ret) {
		ret = quire_syncs_lookup(&syncs, drm, file) ?:
		      fence_signal(bo->fence, args->value, &syncs);
		drm_gem_object_put(&bo->base.base);
	}
	quire_syncs_fini(&syncs);
	return ret;
}

struct native_waiter {
	struct list_head link; /* in &quire_native.waiters */
	u64 value;
};

/* Has the device interrupt at the next value that is waited for. Returns the current one. */
static u64 page_arm(struct quire_native *native, struct ttm_bo_kmap_obj *map)
{
	u64 current_value = page_read(map, QUIRE_NATIVE_CURRENT);
	struct native_waiter *waiter;
	u64 monitored = U64_MAX;

	scoped_guard(spinlock, &native->lock)
		list_for_each_entry(waiter, &native->waiters, link)
			if (waiter->value > current_value)
				monitored = min(monitored, waiter->value);
	page_write(map, QUIRE_NATIVE_MONITORED, monitored);
	/* Pairs with that of the device: see above. */
	mb();
	current_value = page_read(map, QUIRE_NATIVE_CURRENT);
	if (current_value >= monitored)
		quire_fences_wake(quire_bo_device(native->bo));
	return current_value;
}

/* Returns: 1 it is there; 0 not yet, and we will be told; an error: it may never be. */
static int native_look(struct quire_native *native, u64 value)
{
	struct quire_device *qdev = quire_bo_device(native->bo);
	struct dma_resv *resv = native->bo->base.base.resv;
	struct ttm_bo_kmap_obj map;
	int ret, idx;

	if (dma_resv_lock_interruptible(resv, NULL))
		return -ERESTARTSYS;
	ret = quire_bo_vm_wait_moved(native->bo, true);
	if (!ret && !drm_dev_enter(&qdev->drm, &idx))
		ret = -ENODEV;
	if (ret)
		goto unlock;
	ret = down_read_killable(&qdev->vram_access) ? -ERESTARTSYS : 0;
	if (!ret) {
		ret = quire_bo_is_purged(native->bo) ? -EIO : page_map(native->bo, &map);
		if (!ret) {
			ret = page_arm(native, &map) >= value;
			/* What the program reads next was written before. */
			rmb();
			ttm_bo_kunmap(&map);
		}
		up_read(&qdev->vram_access);
	}
	/* What is in memory counts, whatever the device does. */
	if (!ret && quire_device_is_wedged(qdev))
		ret = -EIO;
	drm_dev_exit(idx);
unlock:
	dma_resv_unlock(resv);
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

static int native_wait(struct quire_native *native, u64 value, s64 timeout_ns)
{
	wait_queue_head_t *queue = &quire_bo_device(native->bo)->fences->wait;
	struct native_waiter waiter = { .value = value };
	DEFINE_WAIT_FUNC(entry, woken_wake_function);
	u64 now, end;
	int ret;

	scoped_guard(spinlock, &native->lock)
		list_add_tail(&waiter.link, &native->waiters);
	add_wait_queue(queue, &entry);
	/* Other fences wake it, too, and a look takes its time: what counts is when it ends. */
	end = get_jiffies_64() + drm_timeout_abs_to_jiffies(timeout_ns);
	while (!(ret = native_look(native, value))) {
		now = get_jiffies_64();
		ret = now >= end ? -ETIME : signal_pending(current) ? -ERESTARTSYS : 0;
		if (ret)
			break;
		wait_woken(&entry, TASK_INTERRUPTIBLE, min_t(u64, end - now, LOOK_PERIOD));
	}
	remove_wait_queue(queue, &entry);
	scoped_guard(spinlock, &native->lock)
		list_del(&waiter.link);
	return min(ret, 0);
}

/* Returns: 1 it is there; 0 not yet; an error: it may never be. */
static int fence_look(const struct quire_fence *fence, u64 value)
{
	u64 current_value = le64_to_cpu(READ_ONCE(*fence->value));

	/* What the program reads next was written before. */
	dma_rmb();
	if (current_value >= value)
		return 1;
	if (drm_dev_is_unplugged(&fence->qdev->drm))
		return -ENODEV;
	if (quire_device_is_wedged(fence->qdev) || value <= READ_ONCE(fence->lost))
		return -EIO;
	return 0;
}

static int fence_wait(struct quire_fence *fence, u64 value, s64 timeout_ns)
{
	unsigned long timeout = drm_timeout_abs_to_jiffies(timeout_ns);
	int found = 0;
	long ret;

	ret = wait_event_interruptible_timeout(fence->qdev->fences->wait,
					       (found = fence_look(fence, value)), timeout);
	if (found)
		return min(found, 0);
	return ret < 0 ? ret : -ETIME;
}

/**
 * quire_fence_wait_ioctl - %DRM_IOCTL_QUIRE_FENCE_WAIT
 * @drm: the device
 * @data: &struct drm_quire_fence_wait
 * @file: of the caller
 * Returns: 0, or an error as documented there.
 */
int quire_fence_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_quire_fence_wait *args = data;
	struct quire_bo *bo;
	int ret;

	if (args->pad)
		return quire_refuse(drm, -EINVAL, "fence wait: pad %u", args->pad);
	bo = fence_lookup(drm, file, args->handle, true);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	if (quire_bo_is_native_fence(bo))
		ret = native_wait(bo->native, args->value, args->timeout_ns);
	else
		ret = fence_wait(bo->fence, args->value, args->timeout_ns);
	drm_gem_object_put(&bo->base.base);
	return ret;
}

/**
 * quire_fences_init - there are none
 * @qdev: the device; its rings are initialised
 * Returns: 0, or -ENOMEM.
 */
int quire_fences_init(struct quire_device *qdev)
{
	struct quire_fences *fences = qdev->fences;

	mutex_init(&fences->lock);
	INIT_LIST_HEAD(&fences->list);
	ida_init(&fences->slots);
	init_waitqueue_head(&fences->wait);
	fences->packets = dmam_pool_create("quire-fences", qdev->drm.dev, QUIRE_PAGING_BUFFER_MIN,
					   QUIRE_PAGING_BUFFER_MIN, 0);
	return fences->packets ? 0 : -ENOMEM;
}

/**
 * quire_fences_fini - the device goes
 * @qdev: executes nothing any more; nobody creates fences or queues signals
 *
 * Programs may keep fences. Their pages, which are pinned, are taken out of reach of the device
 * without a reservation.
 */
void quire_fences_fini(struct quire_device *qdev)
{
	struct quire_fences *fences = qdev->fences;
	struct quire_fence *fence, *next;

	guard(mutex)(&fences->lock);
	list_for_each_entry_safe(fence, next, &fences->list, link) {
		fence_fini_device(fence);
		quire_tt_unmap(&qdev->ttm, fence->bo->base.ttm);
	}
}
