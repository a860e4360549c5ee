// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Binding
 *
 * %DRM_IOCTL_QUIRE_VM_BIND changes what addresses lead to: in drm_gpuvm immediately, and in page
 * tables by jobs of a bind queue, after whatever fences the program names. All that can fail is
 * done before anything changes::
 *
 *     1. arguments, objects, syncobjs, memory
 *     2. reserve the address space, objects that are mapped, and those that are bound there now
 *     3. objects to where they can be accessed, tables where there are none
 *     4. have entries written that must be there before: of new tables, and of evicted objects;
 *        write the packets of the entries: where they lead is known
 *     --- nothing fails from here on ---
 *     5. drm_gpuvm splits, removes and inserts what is bound, also copies of it
 *     6. push the jobs, their fence to all objects
 *
 * A copy has as its source what the earlier elements of the call leave: before 5. only an upper
 * limit of its ranges is known, and the device copies its entries (quire_vm_table.c). The fence
 * keeps all objects where they are, also those that are unbound, until page tables match drm_gpuvm.
 *
 * Locking: quire_validation.c; nothing is held while waiting for other tasks.
 *
 * Source: D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION; drm_gpuvm_sm_map().
 */
/**
 * DOC: Bind queues
 *
 * A bind may have to wait for foreign fences, and the paging queue waits for none. So each address
 * space has queues of its own, entities of the scheduler of the paging ring. Packets are in memory
 * of their own, charged to the program: a bind that waits takes nothing from the pool of the paging
 * queue. An address space has a limit of such memory, and callers above it wait with nothing held.
 *
 * Queues are independent, but binds whose ranges overlap are executed in the order in which they
 * are made, or page tables would differ from what is bound.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE on a companion context; "Asynchronous VM_BIND"
 * of the kernel's documentation.
 */
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include "core/quire_array.h"
#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "core/quire_sync.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_out_fence.h"
#include "queue/quire_paging_queue.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "quire_vm.h"
#include "quire_vm_validate.h"

#define BIND_FLAGS	(DRM_QUIRE_BIND_READ_ONLY | DRM_QUIRE_BIND_NO_EXECUTE)

/* What one element may split: it is new itself, and what was there stays on both sides. */
#define VMAS_OF_BIND	3

/* What jobs of an address space take that are not done. */
#define BIND_QUEUED_MAX		SZ_2M

/* A buffer of one job: a few pages that follow each other can nearly always be had. */
#define BIND_BUFFER_MAX		SZ_16K

static const struct quire_array_type bind_type = {
	.name = "binds",
	.size = sizeof(struct drm_quire_bind),
	.min_stride = offsetofend(struct drm_quire_bind, pad),
	.max_count = DRM_QUIRE_MAX_BINDS,
};

struct bind_element {
	struct quire_bo *bo; /* with a reference, or NULL */
	struct drm_gpuvm_bo *vm_bo; /* of @bo, while it is reserved, or NULL */
	u32 copied; /* ranges that a copy binds at most */
};

struct quire_vm_bind {
	struct quire_vm_validation validation;
	struct drm_quire_bind *binds;
	u32 count; /* of binds and elements */
	struct bind_element *elements;
	struct list_head spare; /* struct quire_vma, as many as can be needed, by base.gem.entry */
	u64 nr_spare;
	struct drm_exec exec;
	u32 queue; /* number of the bind queue */
	u64 start; /* first address of all that changes, or is copied */
	u64 end; /* behind the last */
	u64 charge; /* bytes that are charged; the jobs take them over */
	u32 size; /* bytes that a buffer has */
	struct quire_paging_list list; /* the operations */
	struct list_head jobs; /* written, not pushed */
	struct quire_out_fence *out; /* of the bind, until it is pushed */
	struct quire_syncs syncs;
	u32 refused; /* the element that is the reason of an error */
	u32 index; /* the element that drm_gpuvm changes */
	struct dma_fence *fence; /* of the bind, once it was pushed */
};

/* Some packets of a bind, in the hands of the scheduler. */
struct bind_job {
	struct quire_paging_job base; /* first, because it is freed by it */
	struct quire_vm *vm; /* whose entries they write, with a reference */
	void *cpu;
	dma_addr_t dma;
	u32 size; /* bytes at @cpu */
	struct quire_paging_record *records;
	u64 charge; /* bytes that are given back with the job */
	struct list_head link; /* in &quire_vm_bind.jobs */
};

static struct drm_device *bind_drm(const struct quire_vm_bind *bind)
{
	return &bind->validation.vm->qdev->drm;
}

static int check_bind(struct drm_device *drm, const struct drm_quire_bind *arg, u32 i)
{
	bool maps = arg->operation == DRM_QUIRE_BIND_MAP;
	bool copies = arg->operation == DRM_QUIRE_BIND_COPY;
	u32 flags = copies || arg->operation == DRM_QUIRE_BIND_UNMAP ? 0 : BIND_FLAGS;

	if (arg->operation > DRM_QUIRE_BIND_COPY)
		return quire_refuse(drm, -EINVAL, "bind %u: no operation %u", i, arg->operation);
	if (arg->flags & ~flags || arg->pad)
		return quire_refuse(drm, -EINVAL, "bind %u: flags %#x, pad %u", i, arg->flags,
				    arg->pad);
	if (!maps && (arg->handle || (arg->offset && !copies)))
		return quire_refuse(drm, -EINVAL, "bind %u: handle %u, offset %#llx without MAP",
				    i, arg->handle, arg->offset);
	if (!PAGE_ALIGNED(arg->address) || !PAGE_ALIGNED(arg->size) || !PAGE_ALIGNED(arg->offset))
		return quire_refuse(drm, -EINVAL,
				    "bind %u: address %#llx, size %#llx, offset %#llx: not all of pages",
				    i, arg->address, arg->size, arg->offset);
	if (!arg->size || arg->size > DRM_QUIRE_VM_SIZE ||
	    arg->address > DRM_QUIRE_VM_SIZE - arg->size ||
	    (copies && arg->offset > DRM_QUIRE_VM_SIZE - arg->size))
		return quire_refuse(drm, -ERANGE,
				    "bind %u: address %#llx, size %#llx, offset %#llx", i,
				    arg->address, arg->size, arg->offset);
	return 0;
}

static int read_binds(struct quire_vm_bind *bind, struct drm_device *drm,
		      const struct drm_quire_array *array)
{
	void *binds;
	int ret;
	u32 i;

	if (!array->count)
		return quire_refuse(drm, -EINVAL, "bind: no binds");
	binds = quire_array_read(drm, array, &bind_type);
	if (IS_ERR(binds))
		return PTR_ERR(binds);
	bind->binds = binds;
	bind->count = array->count;
	bind->start = U64_MAX;
	for (i = 0; i < bind->count; i++) {
		const struct drm_quire_bind *arg = &bind->binds[i];

		ret = check_bind(drm, arg, i);
		if (ret) {
			bind->refused = i;
			return ret;
		}
		bind->start = min(bind->start, arg->address);
		bind->end = max(bind->end, arg->address + arg->size);
		/* What is copied must not change before, either. */
		if (arg->operation == DRM_QUIRE_BIND_COPY) {
			bind->start = min(bind->start, arg->offset);
			bind->end = max(bind->end, arg->offset + arg->size);
		}
	}
	return 0;
}

static int check_object(struct quire_vm_bind *bind, u32 i)
{
	const struct drm_quire_bind *arg = &bind->binds[i];
	struct quire_bo *bo = bind->elements[i].bo;
	const char *fence = quire_bo_fence_name(bo);
	u64 size = quire_bo_size_in(bo, quire_bo_is_tiled(bo) ? QUIRE_PL_VRAM : QUIRE_PL_SYSTEM);

	if (quire_bo_is_private(bo) && bo->gpuvm != &bind->validation.vm->base)
		return quire_refuse(bind_drm(bind), -EPERM,
				    "bind %u: object %u is private to another VM", i, arg->handle);
	if (fence && !(arg->flags & DRM_QUIRE_BIND_READ_ONLY))
		return quire_refuse(bind_drm(bind), -EACCES,
				    "bind %u: object %u is a %s fence, and read-only", i,
				    arg->handle, fence);
	if (!quire_vm_can_place(bo))
		return quire_refuse(bind_drm(bind), -ENOMEDIUM,
				    "bind %u: object %u in segments %#x", i, arg->handle,
				    bo->segments);
	if (arg->offset > size || arg->size > size - arg->offset)
		return quire_refuse(bind_drm(bind), -ERANGE,
				    "bind %u: offset %#llx, size %#llx, object %u has %#llx", i,
				    arg->offset, arg->size, arg->handle, size);
	return 0;
}

static int lookup_objects(struct quire_vm_bind *bind, struct drm_file *file)
{
	struct drm_gem_object *obj;
	int ret;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		bind->refused = i;
		if (bind->binds[i].operation != DRM_QUIRE_BIND_MAP)
			continue;
		obj = drm_gem_object_lookup(file, bind->binds[i].handle);
		if (!obj)
			return quire_refuse(bind_drm(bind), -ENOENT, "bind %u: no object %u", i,
					    bind->binds[i].handle);
		bind->elements[i].bo = gem_to_quire_bo(obj);
		ret = check_object(bind, i);
		if (ret)
			return ret;
	}
	bind->refused = bind->count;
	return 0;
}

/* Allocate ranges for what will be bound; @copied beside what each element may need. */
static int reserve_vmas(struct quire_vm_bind *bind, u64 copied)
{
	struct quire_vma *vma;

	for (; bind->nr_spare < bind->count * VMAS_OF_BIND + copied; bind->nr_spare++) {
		vma = kzalloc(sizeof(*vma), GFP_KERNEL_ACCOUNT);
		if (!vma)
			return -ENOMEM;
		list_add(&vma->base.gem.entry, &bind->spare);
	}
	return 0;
}

static struct quire_vma *take_spare(struct quire_vm_bind *bind, u64 bits)
{
	struct quire_vma *vma = list_first_entry(&bind->spare, struct quire_vma,
						 base.gem.entry);

	list_del_init(&vma->base.gem.entry);
	vma->bits = bits;
	return vma;
}

static void bind_uncharge(struct quire_bind_queues *queues, u64 bytes)
{
	scoped_guard(spinlock_irq, &queues->lock)
		queues->queued -= bytes;
	wake_up_all(&queues->room);
}

static void bind_job_release(struct quire_paging_job *base)
{
	struct bind_job *job = container_of(base, struct bind_job, base);

	if (job->cpu)
		dma_free_coherent(job->vm->qdev->drm.dev, job->size, job->cpu, job->dma);
	kfree(job->records);
	bind_uncharge(&job->vm->queues, job->charge);
	quire_vm_put(job->vm);
}

static int bind_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct quire_vm_bind *bind = container_of(list, struct quire_vm_bind, list);
	struct bind_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	struct quire_vm *vm = bind->validation.vm;
	int ret = -ENOMEM;

	if (!job)
		return -ENOMEM;
	job->base.queue = vm->qdev->paging_queue;
	job->base.release = bind_job_release;
	job->vm = quire_vm_get(vm);
	job->size = bind->size;
	job->base.submission = kzalloc(sizeof(*job->base.submission), GFP_KERNEL_ACCOUNT);
	job->records = kcalloc(job->size / QUIRE_PAGING_PACKET_MIN, sizeof(*job->records),
			       GFP_KERNEL_ACCOUNT);
	job->cpu = dma_alloc_coherent(vm->qdev->drm.dev, job->size, &job->dma,
				      GFP_KERNEL_ACCOUNT);
	if (job->base.submission && job->records && job->cpu)
		ret = quire_sched_job_init(&job->base.base, &vm->queues.items[bind->queue].entity,
					   1, NULL, 0);
	if (ret) {
		quire_paging_job_free(&job->base);
		return ret;
	}
	*buffer = (struct quire_paging_buffer) {
		.cpu = job->cpu,
		.gpu_address = job->dma,
		.size = job->size,
		.records = job->records,
		.max_records = job->size / QUIRE_PAGING_PACKET_MIN,
		.backend = job,
	};
	quire_paging_job_open(&job->base, buffer, vm->usage);
	job->base.submission->failed = &vm->pages.failed;
	return 0;
}

/* Nothing is pushed before all of it is written. */
static struct dma_fence *bind_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct bind_job *job = buffer->backend;

	job->base.submission->buffer = *buffer;
	list_add_tail(&job->link, &container_of(list, struct quire_vm_bind, list)->jobs);
	return dma_fence_get_stub();
}

static void bind_job_destroy(struct bind_job *job)
{
	drm_sched_job_cleanup(&job->base.base);
	quire_paging_job_free(&job->base);
}

static void bind_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	bind_job_destroy(buffer->backend);
}

/* No operation of page tables waits for anything. */
static int bind_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	return 0;
}

static const struct quire_paging_list_ops bind_ops = {
	.acquire = bind_acquire,
	.submit = bind_submit,
	.release = bind_release,
	.wait = bind_wait,
	.signalled = dma_fence_get_stub,
	.put = dma_fence_put,
};

/* Returns the fence of the end, with a reference. */
static struct dma_fence *push_list(struct quire_vm_bind *bind)
{
	struct quire_bind_queue *queue = &bind->validation.vm->queues.items[bind->queue];
	struct bind_job *job, *next, *last;
	struct dma_fence *fence;

	fence = quire_out_fence_begin(bind->out, QUIRE_OUT_BINDS, queue->fence_context,
				      ++queue->fence_seqno, NULL);
	quire_out_fence_keep_module(fence);
	dma_fence_put(quire_paging_list_finish(&bind->list, 0));
	last = list_last_entry(&bind->jobs, struct bind_job, link);
	last->charge = bind->charge;
	list_add_tail(&bind->out->link, &last->base.submission->outs);
	list_for_each_entry_safe(job, next, &bind->jobs, link)
		dma_fence_put(quire_paging_job_push(&job->base));
	if (queue->last && !dma_fence_is_signaled(queue->last)) {
		bind->start = min(bind->start, queue->start);
		bind->end = max(bind->end, queue->end);
	}
	dma_fence_put(queue->last);
	queue->last = dma_fence_get(fence);
	queue->start = bind->start;
	queue->end = bind->end;
	return fence;
}

static int reserve_object(struct quire_vm_bind *bind, struct drm_gem_object *obj)
{
	if (!obj || !drm_gpuvm_is_extobj(&bind->validation.vm->base, obj))
		return 0;
	return drm_exec_lock_obj(&bind->exec, obj);
}

/* An object that is bound now must not move before it is unbound. */
static int reserve_bound(struct quire_vm_bind *bind, u64 start, u64 size)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	struct drm_gpuva *va;
	int ret;

	drm_gpuvm_for_each_va_range(va, gpuvm, start, start + size) {
		ret = reserve_object(bind, va->gem.obj);
		if (ret)
			return ret;
	}
	return 0;
}

/* Do tables have entries of all that is bound, and not evicted? */
static bool tables_are_whole(struct quire_vm_tables *tables)
{
	guard(mutex)(&tables->lock);
	return !tables->lost && !tables->incomplete && !READ_ONCE(tables->failed);
}

static int reserve_all(struct quire_vm_bind *bind)
{
	struct quire_vm *vm = bind->validation.vm;
	int ret;
	u32 i;

	ret = drm_gpuvm_prepare_vm(&vm->base, &bind->exec, 0);
	if (!ret && !tables_are_whole(&vm->pages))
		ret = drm_gpuvm_prepare_objects(&vm->base, &bind->exec, 0);
	for (i = 0; i < bind->count && !ret; i++) {
		const struct drm_quire_bind *arg = &bind->binds[i];

		if (bind->elements[i].bo)
			ret = reserve_object(bind, &bind->elements[i].bo->base.base);
		if (!ret && arg->operation == DRM_QUIRE_BIND_COPY)
			ret = reserve_bound(bind, arg->offset, arg->size);
		ret = ret ?: reserve_bound(bind, arg->address, arg->size);
	}
	return ret;
}

/* Bring back evicted objects of a range; @optional: but those that can not be used anyway. */
static int place_range(struct quire_vm_bind *bind, u64 start, u64 size, bool optional)
{
	struct quire_vm_validation *validation = &bind->validation;
	struct drm_gpuva *va;
	bool unusable;
	int ret;

	drm_gpuvm_for_each_va_range(va, &validation->vm->base, start, start + size) {
		if (!va->vm_bo || !va->vm_bo->evicted)
			continue;
		ret = quire_vm_validate_object(validation, gem_to_quire_bo(va->gem.obj));
		/* Nothing can be executed while it is bound: no command could find it. */
		unusable = ret == -ENODATA || (ret == -EBUSY && !validation->base.busy) ||
			   (ret == -ENOSPC && validation->base.mode == QUIRE_VALIDATION_ALONE);
		if (ret && !(optional && unusable))
			return ret;
	}
	return 0;
}

/* All that is mapped has a place, and all that is bound has tables. */
static int place_all(struct quire_vm_bind *bind)
{
	struct quire_vm_validation *validation = &bind->validation;
	int ret;
	u32 i;

	bind->refused = bind->count;
	ret = quire_vm_complete(validation);
	for (i = 0; i < bind->count && !ret; i++) {
		const struct drm_quire_bind *arg = &bind->binds[i];

		bind->refused = i;
		/*
		 * A bind that may have to wait: until it is done commands find what was bound
		 * before, which can not be brought back any more once it is unbound.
		 */
		if (bind->syncs.count)
			ret = place_range(bind, arg->address, arg->size, true);
		/*
		 * Entries of an evicted object would be written at both places when it is brought
		 * back, which may be before the copy: so the source has its entries first.
		 */
		if (!ret && arg->operation == DRM_QUIRE_BIND_COPY)
			ret = place_range(bind, arg->offset, arg->size, false);
		if (!ret && bind->elements[i].bo)
			ret = quire_vm_validate_object(validation, bind->elements[i].bo);
		if (!ret && arg->operation != DRM_QUIRE_BIND_UNMAP)
			ret = quire_vm_tables_ensure(validation, arg->address,
						     arg->address + arg->size);
	}
	if (!ret)
		bind->refused = bind->count;
	return ret;
}

/* So many new ranges at most; an earlier element also leaves one on each side of what it splits. */
static u64 count_copied(struct quire_vm_bind *bind, u32 index)
{
	const struct drm_quire_bind *arg = &bind->binds[index];
	struct drm_gpuva *va;
	u64 count = 0;
	u32 i;

	drm_gpuvm_for_each_va_range(va, &bind->validation.vm->base, arg->offset,
				    arg->offset + arg->size)
		count++;
	for (i = 0; i < index; i++) {
		const struct drm_quire_bind *other = &bind->binds[i];

		if (arg->offset < other->address + other->size &&
		    other->address < arg->offset + arg->size)
			count += bind->elements[i].copied + 2;
	}
	return min(count, arg->size >> PAGE_SHIFT);
}

/* Have all memory that copies can need. */
static int prepare_copies(struct quire_vm_bind *bind)
{
	u64 count, total = 0;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		if (bind->binds[i].operation != DRM_QUIRE_BIND_COPY)
			continue;
		count = count_copied(bind, i);
		total += count;
		if (total > DRM_QUIRE_MAX_COPIED) {
			bind->refused = i;
			return quire_refuse(bind_drm(bind), -E2BIG,
					    "bind %u: %llu ranges are copied, or more", i, total);
		}
		bind->elements[i].copied = count;
	}
	return reserve_vmas(bind, total);
}

static int obtain_objects(struct quire_vm_bind *bind)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	struct drm_gpuvm_bo *vm_bo;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		struct bind_element *element = &bind->elements[i];

		if (!element->bo)
			continue;
		vm_bo = drm_gpuvm_bo_obtain_locked(gpuvm, &element->bo->base.base);
		if (IS_ERR(vm_bo))
			return PTR_ERR(vm_bo);
		drm_gpuvm_bo_extobj_add(vm_bo);
		quire_bulk_add(element->bo);
		element->vm_bo = vm_bo;
	}
	return 0;
}

/* What entries of a range say, but where a page is; 0: they are not valid. */
static u64 bind_bits(const struct drm_quire_bind *arg)
{
	u64 bits = arg->operation == DRM_QUIRE_BIND_UNMAP ? 0 : QUIRE_PTE_VALID;

	if (arg->operation == DRM_QUIRE_BIND_MAP_ZERO)
		bits |= QUIRE_PTE_ZERO;
	if (arg->flags & DRM_QUIRE_BIND_READ_ONLY)
		bits |= QUIRE_PTE_READ_ONLY;
	if (arg->flags & DRM_QUIRE_BIND_NO_EXECUTE)
		bits |= QUIRE_PTE_NO_EXECUTE;
	return bits;
}

/* Where nothing was bound there is nothing to forget. */
static bool replaces(struct quire_vm_bind *bind)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	u64 end = 0;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		const struct drm_quire_bind *arg = &bind->binds[i];

		if (arg->address < end ||
		    !drm_gpuvm_interval_empty(gpuvm, arg->address, arg->size))
			return true;
		end = arg->address + arg->size;
	}
	return false;
}

/* All packets, in jobs that are not pushed. */
static int describe_all(struct quire_vm_bind *bind)
{
	struct quire_vm_tables *tables = &bind->validation.vm->pages;
	struct quire_paging_list *list = &bind->list;
	int ret;
	u32 i;

	mutex_lock(&tables->lock);
	ret = quire_vm_write_before(tables, &bind->validation.base.batch, bind->binds,
				    bind->count);
	for (i = 0; i < bind->count && !ret; i++) {
		const struct drm_quire_bind *arg = &bind->binds[i];
		const struct quire_vm_range range = {
			.start = arg->address,
			.end = arg->address + arg->size,
			.bo = bind->elements[i].bo,
			.offset = arg->offset,
			.bits = bind_bits(arg),
		};

		if (arg->operation == DRM_QUIRE_BIND_COPY)
			ret = quire_vm_copy_entries(tables, list, arg->offset, arg->address,
						    arg->size);
		else
			ret = quire_vm_write_range(tables, list, &range, 0);
	}
	if (!ret && replaces(bind))
		ret = quire_vm_add_flush(list, tables->root, bind->start, bind->end);
	mutex_unlock(&tables->lock);
	if (ret)
		return ret;
	bind->out = quire_out_fence_alloc(&tables->failed);
	if (!bind->out)
		return -ENOMEM;
	/* A bind of nothing that was there has a fence, too, in its turn. */
	if (list_empty(&bind->jobs) && !list->buffer.cpu)
		ret = quire_paging_list_submit_empty(list);
	return ret ?: quire_paging_list_submit(list);
}

static int add_dependencies(struct quire_vm_bind *bind)
{
	struct quire_vm *vm = bind->validation.vm;
	struct drm_sched_job *job =
		&list_first_entry(&bind->jobs, struct bind_job, link)->base.base;
	struct drm_gem_object *obj;
	int ret;
	u32 i;

	ret = drm_sched_job_add_dependency(job, quire_vm_tables_written(&vm->pages));
	/* Binds whose ranges overlap. */
	for (i = 0; i < vm->queues.count && !ret; i++) {
		struct quire_bind_queue *queue = &vm->queues.items[i];

		if (i != bind->queue && queue->last && bind->start < queue->end &&
		    queue->start < bind->end)
			ret = drm_sched_job_add_dependency(job, dma_fence_get(queue->last));
	}
	for (i = 0; i < bind->syncs.count && !ret; i++)
		ret = drm_sched_job_add_dependency(job, dma_fence_get(bind->syncs.items[i].fence));
	drm_exec_for_each_locked_object(&bind->exec, obj)
		if (!ret)
			ret = drm_sched_job_add_resv_dependencies(job, obj->resv,
								  DMA_RESV_USAGE_KERNEL) ?:
			      dma_resv_reserve_fences(obj->resv, 1);
	return ret;
}

/* The part of a range that is in the source, as it will be; not bound yet. */
static struct quire_vma *copy_vma(struct quire_vm_bind *bind, const struct drm_quire_bind *arg,
				  struct drm_gpuva *va)
{
	u64 start = max(va->va.addr, arg->offset);
	u64 end = min(va->va.addr + va->va.range, arg->offset + arg->size);
	struct quire_vma *vma = take_spare(bind, to_quire_vma(va)->bits);

	vma->base.va.addr = arg->address + (start - arg->offset);
	vma->base.va.range = end - start;
	vma->base.gem.obj = va->gem.obj;
	vma->base.gem.offset = va->gem.obj ? va->gem.offset + (start - va->va.addr) : 0;
	/* The unmap may remove the last range that holds it. */
	vma->base.vm_bo = va->vm_bo ? drm_gpuvm_bo_get(va->vm_bo) : NULL;
	return vma;
}

static int copy_bound(struct quire_vm_bind *bind, const struct drm_quire_bind *arg)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	struct drm_gpuvm_bo *vm_bo;
	struct quire_vma *vma, *next;
	struct drm_gpuva *va;
	LIST_HEAD(copies);
	int ret;

	/* All of it before anything changes: ranges may overlap. */
	drm_gpuvm_for_each_va_range(va, gpuvm, arg->offset, arg->offset + arg->size)
		list_add_tail(&copy_vma(bind, arg, va)->base.gem.entry, &copies);
	ret = drm_gpuvm_sm_unmap(gpuvm, bind, arg->address, arg->size);
	list_for_each_entry_safe(vma, next, &copies, base.gem.entry) {
		list_del_init(&vma->base.gem.entry);
		vm_bo = vma->base.vm_bo;
		vma->base.vm_bo = NULL;
		ret = drm_gpuva_insert(gpuvm, &vma->base) ?: ret;
		if (vm_bo) {
			drm_gpuva_link(&vma->base, vm_bo);
			drm_gpuvm_bo_put(vm_bo);
		}
	}
	return ret;
}

static void drop_va(struct drm_gpuva *va)
{
	drm_gpuva_unlink(va);
	kfree(to_quire_vma(va));
}

/**
 * quire_vm_step_map - &drm_gpuvm_ops.sm_step_map
 * @op: what is bound
 * @data: struct quire_vm_bind
 * Returns: 0.
 */
int quire_vm_step_map(struct drm_gpuva_op *op, void *data)
{
	struct quire_vm_bind *bind = data;
	struct quire_vma *vma = take_spare(bind, bind_bits(&bind->binds[bind->index]));

	drm_gpuva_map(&bind->validation.vm->base, &vma->base, &op->map);
	if (op->map.gem.obj)
		drm_gpuva_link(&vma->base, bind->elements[bind->index].vm_bo);
	return 0;
}

/**
 * quire_vm_step_remap - &drm_gpuvm_ops.sm_step_remap
 * @op: what stays on one side, or on both
 * @data: struct quire_vm_bind
 * Returns: 0.
 */
int quire_vm_step_remap(struct drm_gpuva_op *op, void *data)
{
	struct drm_gpuva *whole = op->remap.unmap->va;
	u64 bits = to_quire_vma(whole)->bits;
	struct quire_vma *prev = op->remap.prev ? take_spare(data, bits) : NULL;
	struct quire_vma *next = op->remap.next ? take_spare(data, bits) : NULL;

	drm_gpuva_remap(prev ? &prev->base : NULL, next ? &next->base : NULL, &op->remap);
	if (prev && whole->vm_bo)
		drm_gpuva_link(&prev->base, whole->vm_bo);
	if (next && whole->vm_bo)
		drm_gpuva_link(&next->base, whole->vm_bo);
	drop_va(whole);
	return 0;
}

/**
 * quire_vm_step_unmap - &drm_gpuvm_ops.sm_step_unmap
 * @op: what is bound no more
 * @data: struct quire_vm_bind
 * Returns: 0.
 */
int quire_vm_step_unmap(struct drm_gpuva_op *op, void *data)
{
	drm_gpuva_unmap(&op->unmap);
	drop_va(op->unmap.va);
	return 0;
}

/* Have drm_gpuvm make the changes. */
static void change_all(struct quire_vm_bind *bind)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	int ret;

	for (bind->index = 0; bind->index < bind->count; bind->index++) {
		const struct drm_quire_bind *arg = &bind->binds[bind->index];
		struct quire_bo *bo = bind->elements[bind->index].bo;

		if (arg->operation == DRM_QUIRE_BIND_UNMAP)
			ret = drm_gpuvm_sm_unmap(gpuvm, bind, arg->address, arg->size);
		else if (arg->operation == DRM_QUIRE_BIND_COPY)
			ret = copy_bound(bind, arg);
		else
			ret = quire_gpuvm_sm_map(gpuvm, bind, &(struct drm_gpuvm_map_req) {
				.map.va.addr = arg->address,
				.map.va.range = arg->size,
				.map.gem.obj = bo ? &bo->base.base : NULL,
				.map.gem.offset = arg->offset,
			});
		drm_WARN_ON(bind_drm(bind), ret);
	}
}

/* Everything is reserved and in its place. */
static int commit(struct quire_vm_bind *bind)
{
	struct bind_job *job, *next;
	struct drm_gem_object *obj;
	int ret;
	u32 i;

	bind->list = (struct quire_paging_list) {
		.ops = &bind_ops,
		.caps = &bind->validation.vm->qdev->paging_queue->caps,
	};
	bind->size = PAGE_ALIGN(clamp_t(u64, bind->charge, QUIRE_BIND_WHOLE_MAX, BIND_BUFFER_MAX));
	INIT_LIST_HEAD(&bind->jobs);
	ret = prepare_copies(bind) ?: obtain_objects(bind) ?: describe_all(bind) ?:
	      add_dependencies(bind);
	if (ret) {
		quire_paging_list_finish(&bind->list, -ECANCELED);
		list_for_each_entry_safe(job, next, &bind->jobs, link)
			bind_job_destroy(job);
		quire_out_fence_free(bind->out);
		bind->out = NULL;
	} else {
		change_all(bind);
		bind->fence = push_list(bind);
		drm_exec_for_each_locked_object(&bind->exec, obj)
			dma_resv_add_fence(obj->resv, bind->fence, DMA_RESV_USAGE_BOOKKEEP);
	}
	for (i = 0; i < bind->count; i++) {
		struct bind_element *element = &bind->elements[i];

		if (!ret && element->bo)
			element->bo->bound = true;
		drm_gpuvm_bo_put(element->vm_bo);
		element->vm_bo = NULL;
	}
	return ret;
}

/* Steps 2 to 6. After an error nothing is bound that was not before. */
static int try_bind(struct quire_validation *base)
{
	struct quire_vm_bind *bind = container_of(base, struct quire_vm_bind, validation.base);
	int ret;

	CLASS(quire_device, device)(&base->qdev->drm);
	if (device < 0)
		return device;
	guard(quire_plug)(&base->batch);
	drm_exec_init(&bind->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(&bind->exec) {
		ret = reserve_all(bind);
		drm_exec_retry_on_contention(&bind->exec);
		ret = ret ?: place_all(bind);
		if (ret)
			break;
	}
	ret = ret ?: commit(bind);
	drm_exec_fini(&bind->exec);
	return ret;
}

static int run(struct quire_vm_bind *bind)
{
	const u64 packet = sizeof(struct quire_packet_update_page_table) + sizeof(__le64);
	struct quire_bind_queues *queues = &bind->validation.vm->queues;
	u64 pages, bytes = 0;
	int ret;
	u32 i;

	/*
	 * At most: each page an entry, a packet for each table and one for the entry above it; and
	 * no job has less than a page. Jobs take what is charged over.
	 */
	for (i = 0; i < bind->count; i++) {
		pages = bind->binds[i].size >> QUIRE_PAGE_SHIFT;
		bytes += 2 * packet * (2 + pages / QUIRE_PT_ENTRIES);
		if (bind->binds[i].operation == DRM_QUIRE_BIND_COPY)
			bytes += quire_vm_copy_bytes(bind->binds[i].size);
		if (bind->elements[i].bo)
			bytes += pages * sizeof(__le64);
	}
	bytes = PAGE_ALIGN(bytes);
	bind->charge = bytes;
	/* With nothing reserved: it waits for earlier binds of the address space. */
	scoped_guard(spinlock_irq, &queues->lock) {
		ret = wait_event_interruptible_lock_irq(queues->room,
							!queues->queued ||
							queues->queued + bytes <= BIND_QUEUED_MAX,
							queues->lock);
		if (ret)
			return ret;
		queues->queued += bytes;
	}
	ret = quire_validation_run(&bind->validation.base);
	quire_validation_forget(&bind->validation.base);
	if (ret)
		bind_uncharge(queues, bytes);
	return ret;
}

struct bind_end {
	struct dma_fence_cb cb;
	struct completion done;
};

static void bind_ended(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	complete(&container_of(cb, struct bind_end, cb)->done);
}

/* It may be behind foreign fences; the call has succeeded, also if the caller is killed. */
static void wait_killable(struct dma_fence *fence)
{
	struct bind_end end;

	init_completion(&end.done);
	if (dma_fence_add_callback(fence, &end.cb, bind_ended))
		return;
	if (wait_for_completion_killable(&end.done))
		dma_fence_remove_callback(fence, &end.cb);
}

static int bind_with_vm(struct quire_vm_bind *bind, struct drm_device *drm, struct drm_file *file,
			const struct drm_quire_vm_bind *args)
{
	struct quire_vm *vm __free(quire_vm) = NULL;
	int ret = quire_device_check(drm);

	if (ret)
		return ret;
	vm = quire_vm_lookup(file, args->vm);
	if (!vm)
		return quire_refuse(drm, -ENOENT, "bind: no VM %u", args->vm);
	quire_vm_validation_init(&bind->validation, vm, try_bind);
	bind->elements = kvcalloc(bind->count, sizeof(*bind->elements), GFP_KERNEL_ACCOUNT);
	ret = bind->elements ? reserve_vmas(bind, 0) : -ENOMEM;
	ret = ret ?: lookup_objects(bind, file) ?: quire_syncs_lookup(&bind->syncs, drm, file) ?:
	      run(bind);
	/* Without syncobjs only the return of the call tells that it is done. */
	if (!ret && bind->syncs.count)
		quire_syncs_signal(&bind->syncs, dma_fence_get(bind->fence));
	else if (!ret)
		wait_killable(bind->fence);
	return ret;
}

static void free_all(struct quire_vm_bind *bind)
{
	struct quire_vma *vma, *next;
	u32 i;

	list_for_each_entry_safe(vma, next, &bind->spare, base.gem.entry)
		kfree(vma);
	for (i = 0; i < bind->count && bind->elements; i++)
		if (bind->elements[i].bo)
			drm_gem_object_put(&bind->elements[i].bo->base.base);
	dma_fence_put(bind->fence);
	kvfree(bind->elements);
	kvfree(bind->binds);
}

/**
 * quire_vm_bind_ioctl - %DRM_IOCTL_QUIRE_VM_BIND
 * @drm: the device
 * @data: &struct drm_quire_vm_bind
 * @file: of the caller
 * Returns: 0, or an error as documented there.
 */
int quire_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_vm_bind *args = data;
	struct quire_vm_bind bind = { .queue = args->queue, .refused = args->binds.count };
	int ret;

	INIT_LIST_HEAD(&bind.spare);
	if (args->queue >= DRM_QUIRE_BIND_QUEUES)
		ret = quire_refuse(drm, -EINVAL, "bind: no queue %u", args->queue);
	else if (args->flags)
		ret = quire_refuse(drm, -EINVAL, "bind: flags %#x", args->flags);
	else
		ret = quire_syncs_init(&bind.syncs, drm, &args->syncs,
				       DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT);
	if (!ret) {
		ret = read_binds(&bind, drm, &args->binds) ?:
		      bind_with_vm(&bind, drm, file, args);
		quire_syncs_fini(&bind.syncs);
	}
	args->refused_bind = quire_error_names_none(ret) ? args->binds.count : bind.refused;
	free_all(&bind);
	return ret;
}
