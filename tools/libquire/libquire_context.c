// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>

#include "libquire_private.h"
#include "quire_client.h"

/**
 * libquire_context_create - create a context of either kind
 * @device: that executes its commands
 * @vm: what the driver calls its address space; 0: it has none
 * @priority: enum drm_quire_priority
 * @context: returned
 *
 * Returns 0, or the errors of &struct drm_quire_context_create.
 */
int libquire_context_create(struct quire_device *device, uint32_t vm, uint32_t priority,
			    struct quire_context **context)
{
	struct drm_quire_context_create create = { .priority = priority, .vm = vm };
	struct quire_context *new = malloc(sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	ret = quire_ioctl(device->fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create);
	if (ret) {
		free(new);
		return ret;
	}
	*new = (struct quire_context){ .device = device, .id = create.context };
	*context = new;
	return 0;
}

int quire_context_create(struct quire_device *device, uint32_t priority,
			 struct quire_context **context)
{
	return libquire_context_create(device, 0, priority, context);
}

int quire_context_create_in(struct quire_vm *vm, uint32_t priority,
			    struct quire_context **context)
{
	return libquire_context_create(vm->device, vm->id, priority, context);
}

void quire_context_destroy(struct quire_context *context)
{
	struct drm_quire_context_destroy destroy;

	if (!context)
		return;
	destroy = (struct drm_quire_context_destroy){ .context = context->id };
	quire_ioctl(context->device->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy);
	free(context);
}

int quire_context_state(const struct quire_context *context,
			struct drm_quire_context_state *state)
{
	struct drm_quire_context_state now = { .context = context->id };
	int ret = quire_ioctl(context->device->fd, DRM_IOCTL_QUIRE_CONTEXT_STATE, &now);

	if (!ret)
		*state = now;
	return ret;
}
