// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libquire_private.h"
#include "quire_client.h"

static int ask(struct quire_device *device)
{
	int ret = quire_query_device(device->fd, &device->info);

	return ret ? ret : quire_query_all_segments(device->fd, &device->segments);
}

int quire_device_open(const char *path, struct quire_device **device)
{
	struct quire_device *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	new->fd = path ? quire_open_node(path) : quire_open();
	ret = new->fd < 0 ? new->fd : ask(new);
	if (ret)
		quire_device_close(new);
	else
		*device = new;
	return ret;
}

void quire_device_close(struct quire_device *device)
{
	if (device && device->fd >= 0)
		close(device->fd);
	free(device);
}

int quire_device_fd(const struct quire_device *device)
{
	return device->fd;
}

const struct drm_quire_device_info *quire_device_info(const struct quire_device *device)
{
	return &device->info;
}

int quire_device_segments(const struct quire_device *device,
			  struct drm_quire_segment_info segments[QUIRE_CLASSES])
{
	struct drm_quire_segment_info now[QUIRE_CLASSES];
	int ret = quire_query_segments(device->fd, now);

	if (!ret)
		memcpy(segments, now, sizeof(now));
	return ret;
}
