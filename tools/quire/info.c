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

static void print_segments(const struct drm_quire_segment_info segments[QUIRE_SEGMENTS])
{
	printf("\n%-9s%16s%16s%16s\n", "segment", "size", "visible", "usage");
	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++) {
		printf("%-9s", quire_segment_name(i));
		if (segments[i].size) {
			print_mib(segments[i].size);
			print_mib(segments[i].visible_size);
		} else {
			printf("%16s%16s", "-", "-");
		}
		print_mib(segments[i].usage);
		putchar('\n');
	}
}

int quire_info(void)
{
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS] = { 0 };
	struct drm_quire_device_info info;
	char path[64];
	int fd = quire_open_or_say(path, sizeof(path));
	int ret;

	if (fd < 0)
		return QUIRE_EXIT_FAILED;
	ret = quire_query_device(fd, &info);
	if (!ret)
		ret = quire_query_segments(fd, segments);
	if (ret) {
		close(fd);
		return quire_say_errno("query", ret);
	}
	printf("device        %s\n", path);
	print_driver(fd);
	print_device(&info);
	print_segments(segments);
	close(fd);
	return 0;
}
