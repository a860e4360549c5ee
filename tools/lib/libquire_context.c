// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>

#include "libquire_private.h"
#include "quire_client.h"

int quire_context_create(struct quire_device *device, uint32_t priority,
			 struct quire_context **context)
{
	struct drm_quire_context_create create = { .priority = priority };
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
