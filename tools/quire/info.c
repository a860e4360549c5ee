// SPDX-License-Identifier: GPL-2.0 OR MIT
/* "quire info": what the device is and how its memory is used. */
#include <inttypes.h>
#include <unistd.h>

#include <xf86drm.h>

#include "quire.h"
#include "quire_client.h"

static void print_mib(uint64_t bytes)
{
	printf(" %11.2f MiB", (double)bytes / QUIRE_MIB);
}

static void print_driver(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);

	if (!version)
		return;
	printf("driver        %s %d.%d.%d, %s\n", version->name, version->version_major,
	       version->version_minor, version->version_patchlevel, version->desc);
	drmFreeVersion(version);
}

static void print_device(const struct drm_quire_device_info *info)
{
	uint64_t others = info->caps & ~DRM_QUIRE_CAP_DEVICE_COPIES;

	printf("interface     %u.%u\n", info->version >> 16, info->version & 0xffff);
	printf("page size     %u bytes\n", info->page_size);
	printf("largest BO    %" PRIu64 " bytes\n", (uint64_t)info->max_bo_size);
	printf("moves         %s\n", info->caps & DRM_QUIRE_CAP_DEVICE_COPIES ?
	       "by the device" : "by the CPU");
	if (info->swizzling_ranges)
		printf("ranges        %u of %" PRIu64 " bytes\n", info->swizzling_ranges,
		       (uint64_t)info->swizzling_range_size);
	if (info->aperture_window_size)
		printf("window        %" PRIu64 " bytes of the aperture\n",
		       (uint64_t)info->aperture_window_size);
	if (info->execution_rings)
		printf("execution     %u rings, %u slots, %" PRIu64 " bytes of commands\n",
		       info->execution_rings, info->slots, (uint64_t)info->max_commands);
	if (others)
		printf("other caps    %#" PRIx64 "\n", others);
}

static bool is_only(const struct quire_segments *segments, uint32_t index)
{
	for (uint32_t i = 0; i < segments->count; i++)
		if (i != index &&
		    segments->list[i].segment_class == segments->list[index].segment_class)
			return false;
	return true;
}

/* One of several of a class is called by its instance, too. */
static void print_segment(const struct quire_segments *segments, uint32_t index)
{
	const struct drm_quire_segment_info *segment = &segments->list[index];
	char name[32];

	if (is_only(segments, index))
		snprintf(name, sizeof(name), "%s", quire_segment_name(segment->segment_class));
	else
		snprintf(name, sizeof(name), "%s %u", quire_segment_name(segment->segment_class),
			 segment->instance);
	printf("%-11s", name);
	if (segment->size) {
		print_mib(segment->size);
		print_mib(segment->visible_size);
	} else {
		printf("%16s%16s", "-", "-");
	}
	print_mib(segment->usage);
	putchar('\n');
}

static void print_segments(const struct quire_segments *segments)
{
	printf("\n%-11s%16s%16s%16s\n", "segment", "size", "visible", "usage");
	for (uint32_t i = 0; i < segments->count; i++)
		print_segment(segments, i);
}

int quire_info(void)
{
	struct drm_quire_device_info info;
	struct quire_segments segments;
	char path[64];
	int fd = quire_open_or_say(path, sizeof(path));
	int ret;

	if (fd < 0)
		return QUIRE_EXIT_FAILED;
	ret = quire_query_device(fd, &info);
	if (!ret)
		ret = quire_query_all_segments(fd, &segments);
	if (ret) {
		close(fd);
		return quire_say_errno("query", ret);
	}
	printf("device        %s\n", path);
	print_driver(fd);
	print_device(&info);
	print_segments(&segments);
	close(fd);
	return 0;
}
