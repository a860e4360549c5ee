// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Devices that have none, or several, segments of a class: what the library makes of them, and
 * "quire info".  The devices are made up: the functions of libdrm are here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libquire.h"
#include "quire.h"
#include "quire_client.h"
#include "tap.h"

#define SYSTEM		DRM_QUIRE_SEGMENT_SYSTEM
#define VRAM		DRM_QUIRE_SEGMENT_VRAM
#define APERTURE	DRM_QUIRE_SEGMENT_APERTURE
#define LATER		(QUIRE_SEGMENTS + 1)	/* a class that is not known yet */

#define BIT		DRM_QUIRE_SEGMENT_BIT

#define NAME_WIDTH	11	/* of the table of "quire info" */

static const struct quire_segments one_of_each = { 3, {
	{ .instance = 0, .segment_class = SYSTEM, .usage = QUIRE_MIB },
	{ .instance = 1, .segment_class = VRAM, .size = 64 * QUIRE_MIB },
	{ .instance = 2, .segment_class = APERTURE, .size = 256 * QUIRE_MIB },
} };

static const struct quire_segments several = { 6, {
	{ .instance = 4, .segment_class = VRAM, .size = 16 * QUIRE_MIB },
	{ .instance = 31, .segment_class = VRAM, .size = 32 * QUIRE_MIB, .usage = QUIRE_MIB },
	{ .instance = 7, .segment_class = SYSTEM },
	{ .instance = 0, .segment_class = LATER, .size = 1024 * QUIRE_MIB },
	{ .instance = 1, .segment_class = APERTURE, .size = 8 * QUIRE_MIB },
	{ .instance = 2, .segment_class = APERTURE, .size = 8 * QUIRE_MIB },
} };

static const struct quire_segments system_only = { 1, {
	{ .instance = 3, .segment_class = SYSTEM },
} };

static drmVersion driver = { .name = (char *)"quire", .desc = (char *)"" };
static char *nodes[DRM_NODE_MAX] = { [DRM_NODE_RENDER] = (char *)"/dev/null" };
static drmDevice node = { .nodes = nodes, .available_nodes = 1 << DRM_NODE_RENDER };

/* What the device has, what was created and placed, and where objects are said to be. */
static const struct quire_segments *device_has;
static struct drm_quire_bo_create created;
static struct drm_quire_bo_place placed;
static uint32_t is_in;

static int answer(struct drm_quire_query *query)
{
	const uint32_t room = query->answer.count;
	const void *from = device_has->list;

	query->answer.count = device_has->count;
	if (query->type == DRM_QUIRE_QUERY_DEVICE) {
		static const struct drm_quire_device_info info = { .page_size = QUIRE_PAGE };

		query->answer.count = 1;
		from = &info;
	}
	memcpy((void *)(uintptr_t)query->answer.array, from,
	       query->answer.stride * (query->answer.count < room ? query->answer.count : room));
	return 0;
}

int drmIoctl(int fd, unsigned long request, void *arg)
{
	struct drm_quire_bo_info *info = arg;

	(void)fd;
	switch (request) {
	case DRM_IOCTL_QUIRE_QUERY:
		return answer(arg);
	case DRM_IOCTL_QUIRE_BO_CREATE:
		created = *(struct drm_quire_bo_create *)arg;
		return 0;
	case DRM_IOCTL_QUIRE_BO_PLACE:
		placed = *(struct drm_quire_bo_place *)arg;
		return 0;
	case DRM_IOCTL_QUIRE_BO_INFO:
		info->segment = is_in;
		return 0;
	default:
		errno = EINVAL;
		return -1;
	}
}

drmVersionPtr drmGetVersion(int fd)
{
	(void)fd;
	return &driver;
}

void drmFreeVersion(drmVersionPtr version)
{
	(void)version;
}

int drmCloseBufferHandle(int fd, uint32_t handle)
{
	(void)fd;
	(void)handle;
	return 0;
}

int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max)
{
	(void)flags;
	if (max)
		devices[0] = &node;
	return 1;
}

void drmFreeDevices(drmDevicePtr devices[], int count)
{
	(void)devices;
	(void)count;
}

/* Of each class: the instance and the size that the library says. */
static void test_classes(const char *name, const struct quire_segments *has,
			 const uint32_t instances[QUIRE_CLASSES],
			 const uint64_t mib[QUIRE_CLASSES])
{
	struct drm_quire_segment_info segments[QUIRE_CLASSES];
	struct quire_device *device;

	device_has = has;
	if (!tap_ret(quire_device_open("/dev/null", &device), 0, "%s: open it", name))
		return;
	if (tap_ret(quire_device_segments(device, segments), 0, "%s: its segments", name))
		for (uint32_t i = 0; i < QUIRE_CLASSES; i++)
			tap_ok(segments[i].instance == instances[i] &&
			       segments[i].size == mib[i] * QUIRE_MIB &&
			       segments[i].segment_class == i,
			       "%s: %s is %u of %llu bytes", name, quire_segment_name(i),
			       segments[i].instance, (unsigned long long)segments[i].size);
	quire_device_close(device);
}

/* Objects are created for all segments of their classes, and are in one of them. */
static void test_object(const char *name, const struct quire_segments *has, uint32_t classes,
			uint32_t set, uint32_t segment, int expected)
{
	const struct quire_object_options options = { .size = QUIRE_PAGE, .classes = classes };
	struct quire_object *object;
	struct quire_device *device;

	device_has = has;
	is_in = segment;
	if (quire_device_open("/dev/null", &device)) {
		tap_ok(false, "%s: open it", name);
		return;
	}
	if (tap_ret(quire_object_create(device, &options, &object), 0, "%s: create", name)) {
		tap_ok(created.segments == set, "%s: in %#x", name, created.segments);
		tap_ret(quire_object_class(object), expected, "%s: it is in segment %u", name,
			segment);
		quire_object_close(object);
	}
	quire_device_close(device);
}

/* The client of the tests and of quire knows one device: what it was asked for stays. */
static void test_client(void)
{
	uint32_t handle, instance;

	device_has = &several;
	tap_ret(quire_bo_place(0, 1, VRAM, 0), 0, "place in VRAM");
	tap_ok(placed.segment == 31, "it is the larger one");
	tap_ret(quire_bo_place(0, 1, APERTURE, 0), 0, "place in the aperture");
	tap_ok(placed.segment == 1, "of two that are as large it is the first");
	tap_ret(quire_bo_create(0, QUIRE_PAGE, &handle), 0, "create anywhere");
	tap_ok(created.segments == (BIT(4) | BIT(31) | BIT(7) | BIT(1) | BIT(2)),
	       "in each segment of a class that is known");
	tap_ret(quire_bo_create_in(0, QUIRE_PAGE, BIT(VRAM), &handle), 0, "create in VRAM");
	tap_ok(created.segments == (BIT(4) | BIT(31)), "in each segment of it");
	tap_ret(quire_bo_create_window(0, QUIRE_PAGE, 0, &handle), 0, "create with a window");
	tap_ok(created.segments == (BIT(4) | BIT(31) | BIT(7) | BIT(1) | BIT(2)),
	       "in each segment, too");
	tap_ret(quire_segment_instance(0, 77, &instance), 0, "what is no class");
	tap_ok(instance == 77, "is what the driver is asked for");
}

/* Lines of "quire info" about segments: as often as there are some, each with its name. */
static void test_info(const char *name, const struct quire_segments *has, const char *names)
{
	FILE *file = tmpfile();
	char line[256], found[256] = "";
	bool table = false;
	int out, ret;

	device_has = has;
	fflush(stdout);
	out = dup(STDOUT_FILENO);
	dup2(fileno(file), STDOUT_FILENO);
	ret = quire_info();
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		if (table) {
			size_t end = NAME_WIDTH;

			while (end && line[end - 1] == ' ')
				end--;
			line[end] = '\0';
			strcat(strcat(found, line), ";");
		}
		table |= !strncmp(line, "segment", 7);
	}
	fclose(file);
	tap_ret(ret, 0, "%s: quire info", name);
	if (!tap_ok(!strcmp(found, names), "%s: it names each segment", name))
		tap_diag("it names %s", found);
}

int main(void)
{
	const uint32_t none = QUIRE_NO_INSTANCE;

	tap_start(60);
	test_classes("one of each", &one_of_each, (uint32_t[]){ 0, 1, 2 },
		     (uint64_t[]){ 0, 64, 256 });
	test_classes("several", &several, (uint32_t[]){ 7, 31, 1 }, (uint64_t[]){ 0, 32, 8 });
	test_classes("system only", &system_only, (uint32_t[]){ 3, none, none },
		     (uint64_t[]){ 0, 0, 0 });
	test_object("one of each", &one_of_each, 0, BIT(0) | BIT(1) | BIT(2), 1, VRAM);
	test_object("several", &several, 0, BIT(4) | BIT(31) | BIT(7) | BIT(1) | BIT(2), 4, VRAM);
	test_object("several, VRAM", &several, BIT(VRAM), BIT(4) | BIT(31) | BIT(7), 2, APERTURE);
	test_object("several, a class of later", &several, 0,
		    BIT(4) | BIT(31) | BIT(7) | BIT(1) | BIT(2), 9, -EPROTO);
	test_object("system only", &system_only, 0, BIT(3), 3, SYSTEM);
	test_object("system only, VRAM", &system_only, BIT(VRAM), BIT(3), 3, SYSTEM);
	test_client();
	test_info("one of each", &one_of_each, "system;vram;aperture;");
	test_info("several", &several, "vram 4;vram 31;system;unknown;aperture 1;aperture 2;");
	test_info("system only", &system_only, "system;");
	return tap_done();
}
