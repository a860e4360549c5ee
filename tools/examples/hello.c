// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Puts an object into video memory, has it evicted, and compares what is in it.
 * The README has the line that compiles it.
 */
#include <err.h>
#include <string.h>
#include <sys/mman.h>
#include <xf86drm.h>
#include <quire_drm.h>

static char text[1024 * 1024];

static void call(int fd, unsigned long request, void *argument)
{
	if (drmIoctl(fd, request, argument))
		err(1, "ioctl %lu", (request & 0xff) - DRM_COMMAND_BASE);
}

int main(void)
{
	struct drm_quire_segment_info list[32];
	struct drm_quire_query query = { DRM_QUIRE_QUERY_SEGMENTS, 0, DRM_QUIRE_ARRAY(32, list) };
	struct drm_quire_bo_create create = { .size = sizeof(text) };
	struct drm_quire_bo_mmap_offset map = { 0 };
	struct drm_quire_bo_place place = { 0 };
	struct drm_quire_bo_info info = { 0 };
	int fd = drmOpenWithType("quire", NULL, DRM_NODE_RENDER), others = -1;
	char *bytes;

	if (fd < 0)
		errx(1, "no quire device here, or it is not for you");
	call(fd, DRM_IOCTL_QUIRE_QUERY, &query); /* which kinds of memory are there? */
	for (__u32 i = 0; i < query.answer.count; i++) {
		create.segments |= DRM_QUIRE_SEGMENT_BIT(list[i].instance);
		if (list[i].segment_class == DRM_QUIRE_SEGMENT_VRAM)
			place.segment = list[i].instance;
	}

	call(fd, DRM_IOCTL_QUIRE_BO_CREATE, &create); /* it may be in all of them */
	map.handle = create.handle;
	info.handle = create.handle;
	call(fd, DRM_IOCTL_QUIRE_BO_MMAP_OFFSET, &map);
	bytes = mmap(NULL, sizeof(text), PROT_READ | PROT_WRITE, MAP_SHARED, fd, map.offset);
	if (bytes == MAP_FAILED)
		err(1, "mmap");
	memcpy(bytes, memset(text, 'q', sizeof(text)), sizeof(text)); /* the CPU writes it */

	do { /* the device moves it to video memory, then others, until it is evicted */
		place.handle = create.handle;
		call(fd, DRM_IOCTL_QUIRE_BO_PLACE, &place);
		call(fd, DRM_IOCTL_QUIRE_BO_INFO, &info);
		call(fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);
		others++;
	} while (info.segment == place.segment);

	warnx("%d others later it is in segment %u", others, info.segment);
	return memcmp(bytes, text, sizeof(text)) != 0; /* reading waits for the moves */
}
