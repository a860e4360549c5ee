// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>

#include "libquire_private.h"
#include "quire_client.h"

int quire_vm_create(struct quire_device *device, struct quire_vm **vm)
{
	struct drm_quire_vm_create create = { 0 };
	struct quire_vm *new = malloc(sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	ret = quire_ioctl(device->fd, DRM_IOCTL_QUIRE_VM_CREATE, &create);
	if (ret) {
		free(new);
		return ret;
	}
	*new = (struct quire_vm){ .device = device, .id = create.vm };
	*vm = new;
	return 0;
}

void quire_vm_destroy(struct quire_vm *vm)
{
	struct drm_quire_vm_destroy destroy;

	if (!vm)
		return;
	destroy = (struct drm_quire_vm_destroy){ .vm = vm->id };
	quire_ioctl(vm->device->fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
	free(vm);
}

uint32_t quire_vm_id(const struct quire_vm *vm)
{
	return vm->id;
}

int quire_vm_bind(struct quire_vm *vm, const struct drm_quire_bind *binds, uint32_t count,
		  const struct quire_binding *binding, uint32_t *refused)
{
	static const struct quire_binding usual = { 0 };
	const struct quire_binding *how = binding ? binding : &usual;
	const struct quire_submission fences = {
		.nr_waits = how->nr_waits, .waits = how->waits,
		.nr_signals = how->nr_signals, .signals = how->signals,
	};
	struct drm_quire_sync syncs[DRM_QUIRE_MAX_SYNCS];
	int nr_syncs = libquire_make_syncs(&fences, syncs);
	struct drm_quire_vm_bind bind = {
		.vm = vm->id,
		.queue = how->queue,
		.refused_bind = count,
		.binds = DRM_QUIRE_ARRAY(count, binds),
		.syncs = DRM_QUIRE_ARRAY(nr_syncs, syncs),
	};
	int ret;

	if (nr_syncs < 0)
		ret = nr_syncs;
	else
		ret = quire_ioctl(vm->device->fd, DRM_IOCTL_QUIRE_VM_BIND, &bind);
	if (ret && refused)
		*refused = bind.refused_bind;
	return ret;
}

int quire_vm_map(struct quire_vm *vm, uint64_t address, const struct quire_object *object,
		 uint64_t offset, uint64_t size, uint32_t flags)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP,
		.flags = flags,
		.address = address,
		.size = size,
		.offset = offset,
		.handle = object->info.handle,
	};

	return quire_vm_bind(vm, &bind, 1, NULL, NULL);
}

int quire_vm_unmap(struct quire_vm *vm, uint64_t address, uint64_t size)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_UNMAP, .address = address, .size = size,
	};

	return quire_vm_bind(vm, &bind, 1, NULL, NULL);
}

int quire_exec(struct quire_context *context, uint64_t address, uint32_t size,
	       const struct quire_submission *submission, uint64_t *refused)
{
	static const struct quire_submission usual = { 0 };
	const struct quire_submission *how = submission ? submission : &usual;
	struct drm_quire_sync syncs[DRM_QUIRE_MAX_SYNCS];
	int count = libquire_make_syncs(how, syncs);
	struct drm_quire_exec exec = {
		.context = context->id,
		.ring = how->ring,
		.address = address,
		.size = size,
		.syncs = DRM_QUIRE_ARRAY(count, syncs),
		.refused_address = QUIRE_NOWHERE,
	};
	int ret = count < 0 ? count :
			      quire_ioctl(context->device->fd, DRM_IOCTL_QUIRE_EXEC, &exec);

	if (ret && refused)
		*refused = exec.refused_address;
	return ret;
}
