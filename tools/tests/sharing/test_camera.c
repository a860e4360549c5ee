// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Objects in the hands of who writes with the CPU, in the kernel, without an attachment: vivid,
 * the kernel's camera without a device, has its pictures in a dma-buf of ours. It vmaps it from
 * the first picture until its buffers are given back. What is refused is not tried: dma-buf
 * warns of any error of vmap.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include "dmabuf.h"
#include "fixture.h"

#define DEVICE		"/dev/video0"
#define PICTURE_MS	30000
#define NR_BUFFERS	2u	/* it takes no fewer */

/**
 * struct camera - vivid, and its buffers
 * @fd: of its device
 * @size: bytes of a picture
 */
struct camera {
	int fd;
	uint32_t size;
};

static int camera_ioctl(const struct camera *camera, unsigned long request, void *argument)
{
	return ioctl(camera->fd, request, argument) ? -errno : 0;
}

/* It is loaded here, for no other test needs it. */
static void camera_open(struct camera *camera)
{
	struct v4l2_format format = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };

	if (access(DEVICE, F_OK) && system("modprobe vivid n_devs=1 node_types=1 2>/dev/null"))
		tap_skip_all("no vivid here");
	camera->fd = open(DEVICE, O_RDWR);
	if (camera->fd < 0 || camera_ioctl(camera, VIDIOC_G_FMT, &format))
		tap_bail(DEVICE);
	camera->size = format.fmt.pix.sizeimage;
}

/* @count: of buffers; 0: all are given back */
static int camera_request(const struct camera *camera, uint32_t count)
{
	struct v4l2_requestbuffers request = {
		.count = count,
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
	};

	return camera_ioctl(camera, VIDIOC_REQBUFS, &request);
}

static int camera_queue(const struct camera *camera, int dmabuf)
{
	struct v4l2_buffer buffer = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
		.m.fd = dmabuf,
	};

	return camera_ioctl(camera, VIDIOC_QBUF, &buffer);
}

static int camera_take(const struct camera *camera)
{
	struct v4l2_buffer buffer = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
	};
	struct pollfd poller = { .fd = camera->fd, .events = POLLIN };

	if (poll(&poller, 1, PICTURE_MS) != 1)
		return -ETIME;
	return camera_ioctl(camera, VIDIOC_DQBUF, &buffer);
}

static int camera_stream(const struct camera *camera, bool on)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

	return camera_ioctl(camera, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

/* Of the object: a page for the picture's rest, and one that is not the camera's. */
static uint64_t object_bytes(const struct camera *camera)
{
	return (camera->size / QUIRE_PAGE + 2) * QUIRE_PAGE;
}

/* Pages that still have what was there before; sets *@rest to whether the last one has. */
static unsigned int count_kept(const struct camera *camera, const uint8_t *map,
			       const uint8_t *before, bool *rest)
{
	const uint64_t last = object_bytes(camera) - QUIRE_PAGE;
	unsigned int kept = 0;

	for (uint64_t at = 0; at + QUIRE_PAGE <= camera->size; at += QUIRE_PAGE)
		kept += !memcmp(map + at, before + at, QUIRE_PAGE);
	*rest = !memcmp(map + last, before + last, QUIRE_PAGE);
	return kept;
}

/* The object has the picture, wherever it is. */
static void expect_picture(const struct fixture *fixture, const struct camera *camera,
			   const struct object *object, const uint8_t *before)
{
	const uint64_t size = object->size;
	uint8_t *picture = malloc(size);
	bool rest;
	void *map;

	if (!picture || quire_bo_map(fixture->fd, object->handle, size, &map))
		tap_bail("map");
	memcpy(picture, map, size);
	tap_ok(!count_kept(camera, picture, before, &rest), "the picture is in it");
	tap_ok(rest, "and nothing behind it");
	tap_ret(object_place_and_wait(fixture, object, &places[2]), 0, "it may be in VRAM again");
	tap_ok(!memcmp(picture, map, size), "where the picture is the same");
	munmap(map, size);
	free(picture);
}

static void test_picture(const struct fixture *fixture, const struct camera *camera,
			 const struct place *place)
{
	struct object object;
	uint8_t *before = malloc(object_bytes(camera));
	int dmabuf;

	tap_ret(object_create(fixture, &object, object_bytes(camera), 5), 0, "an object");
	if (!before)
		tap_bail("memory");
	pattern_fill(before, object.size, object.key);
	tap_ret(object_place_and_wait(fixture, &object, place), 0, "it is in %s", place->name);
	dmabuf = dmabuf_export(fixture->fd, object.handle);
	tap_ret(camera_request(camera, NR_BUFFERS), 0, "the camera takes dma-bufs");
	tap_ret(camera_queue(camera, dmabuf), 0, "and this one");
	close(dmabuf);
	tap_ok(!object_segment(fixture, &object), "which is in system memory");
	tap_ret(object_place(fixture, &object, &places[2]), -EBUSY, "it stays there");
	tap_ret(camera_stream(camera, true), 0, "the camera begins");
	tap_ret(camera_take(camera), 0, "it has made a picture");
	tap_ret(camera_stream(camera, false), 0, "it stops");
	tap_ret(camera_request(camera, 0), 0, "its buffers are given back");
	expect_picture(fixture, camera, &object, before);
	object_close(fixture, &object);
	free(before);
}

int main(void)
{
	struct fixture fixture;
	struct camera camera;

	tap_start(200);
	fixture_open(&fixture);
	if (getuid())
		tap_skip_all("not root");
	camera_open(&camera);
	for (unsigned int i = 0; i < 3; i++)
		test_picture(&fixture, &camera, &places[i]);
	close(camera.fd);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	close(fixture.fd);
	return tap_done();
}
