// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Dumb buffers are objects as all others, and are made on the primary node only. Root only: the
 * primary node is not for everybody.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "fixture.h"

#define WIDTH		1000u
#define HEIGHT		600u
#define PITCH		4032u	/* 4000 bytes of pixels, up to 64 */
#define NR_ROUNDS	1000u
#define NR_NEXT		8	/* handles that are looked at */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

static int dumb_create(int fd, uint32_t width, uint32_t height, uint32_t bpp,
		       struct drm_mode_create_dumb *create)
{
	/* What is not asked for is garbage of the program. */
	*create = (struct drm_mode_create_dumb) {
		.width = width, .height = height, .bpp = bpp,
		.handle = ~0u, .pitch = ~0u, .size = ~0ull,
	};
	return quire_ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, create);
}

static int dumb_map(int fd, uint32_t handle, uint64_t size, void **map)
{
	struct drm_mode_map_dumb offset = { .handle = handle };
	int ret = quire_ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &offset);

	if (ret)
		return ret;
	*map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset.offset);
	return *map == MAP_FAILED ? -errno : 0;
}

static int dumb_destroy(int fd, uint32_t handle)
{
	struct drm_mode_destroy_dumb destroy = { .handle = handle };

	return quire_ioctl(fd, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy);
}

/* The lowest handles that are free are those of the next objects. */
static void next_handles(const struct fixture *card, uint32_t *handles)
{
	struct drm_mode_create_dumb create;

	for (unsigned int i = 0; i < NR_NEXT; i++)
		handles[i] = dumb_create(card->fd, 1, 1, 8, &create) ? 0 : create.handle;
	for (unsigned int i = 0; i < NR_NEXT; i++)
		dumb_destroy(card->fd, handles[i]);
}

static void test_node(const struct fixture *fixture, const struct fixture *card)
{
	struct drm_mode_create_dumb create;
	struct drm_get_cap cap = { .capability = DRM_CAP_DUMB_BUFFER };

	tap_ret(dumb_create(fixture->fd, WIDTH, HEIGHT, 32, &create), -EACCES,
		"no dumb buffer on the render node");
	tap_ret(quire_ioctl(card->fd, DRM_IOCTL_GET_CAP, &cap), -EOPNOTSUPP,
		"the DRM core has the capability for drivers with a display only");
}

static void test_pixels(const struct fixture *card)
{
	static const struct {
		uint32_t width, height, bpp, pitch;
		uint64_t size;
	} shapes[] = {
		{ 1, 1, 1, 64, 4096 },
		{ 512, 64, 1, 64, 4096 },
		{ 513, 64, 1, 128, 8192 },
		{ 129, 1, 4, 128, 4096 },
		{ 16, 64, 32, 64, 4096 },
		{ 16, 65, 32, 64, 8192 },
		{ 35, 32, 15, 128, 4096 },
		{ 100, 100, 24, 320, 32768 },
		{ 4032, 2016, 32, 16128, 32514048 },
		{ 1, 1, 4096, 512, 4096 },
	};
	struct drm_mode_create_dumb create;

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		int ret = dumb_create(card->fd, shapes[i].width, shapes[i].height, shapes[i].bpp,
				      &create);

		if (ret || create.pitch != shapes[i].pitch || create.size != shapes[i].size)
			tap_diag("pitch %u, size %llu", create.pitch,
				 (unsigned long long)create.size);
		tap_ok(!ret && create.pitch == shapes[i].pitch && create.size == shapes[i].size,
		       "%u x %u pixels of %u bits", shapes[i].width, shapes[i].height,
		       shapes[i].bpp);
		tap_ret(dumb_destroy(card->fd, create.handle), 0, "destroy it");
	}
}

/* Nothing of it differs from what BO_CREATE makes. */
static void test_object(const struct fixture *card, struct object *buffer)
{
	struct drm_quire_bo_info info, other_info;
	struct drm_mode_create_dumb create;
	struct object other;

	test_soil_pages();
	tap_ret(dumb_create(card->fd, WIDTH, HEIGHT, 32, &create), 0, "create a dumb buffer");
	*buffer = (struct object) { .handle = create.handle, .size = create.size, .key = 1 };
	tap_ok(create.pitch == PITCH && create.size == (PITCH * HEIGHT + 4095) / 4096 * 4096,
	       "it says pitch and size");
	tap_ret(object_create(card, &other, buffer->size, 2), 0, "create another object");
	tap_ret(quire_bo_info(card->fd, buffer->handle, &info), 0, "ask about the buffer");
	tap_ret(quire_bo_info(card->fd, other.handle, &other_info), 0, "ask about the other");
	info.handle = other_info.handle;
	tap_ok(!memcmp(&info, &other_info, sizeof(info)), "they do not differ");
	object_close(card, &other);
	tap_ret(object_check_zero(card, buffer), 0, "it reads as zero");
	tap_ret(object_fill(card, buffer), 0, "write it");
	tap_ret(object_place_and_wait(card, buffer, &vram), 0, "place it in VRAM");
	tap_ok(object_is_at(card, buffer, &vram), "it is there");
}

static void test_map(const struct fixture *card, const struct object *buffer)
{
	void *map;

	tap_ret(dumb_map(card->fd, buffer->handle, buffer->size, &map), 0, "map it");
	tap_ok(pattern_differs(map, buffer->size, buffer->key) == PATTERN_SAME,
	       "the map has its content");
	munmap(map, buffer->size);
	tap_ret(dumb_map(card->fd, buffer->handle, buffer->size + 1, &map), -EINVAL,
		"a map beyond its end");
	tap_ret(dumb_map(card->fd, buffer->handle + 1000, buffer->size, &map), -ENOENT,
		"a map of an unknown handle");
	tap_ret(dumb_destroy(card->fd, buffer->handle + 1000), -EINVAL,
		"destroy an unknown handle");
}

/* To the render node, where work with it is done. */
static void test_export(const struct fixture *fixture, const struct fixture *card,
			const struct object *buffer)
{
	struct object imported = *buffer;
	int dmabuf = dmabuf_export(card->fd, buffer->handle);

	tap_ok(dmabuf >= 0, "export it");
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &imported.handle), 0,
		"import it on the render node");
	close(dmabuf);
	tap_ret(object_check(fixture, &imported), 0, "its content is whole");
	object_close(fixture, &imported);
}

static void test_destroy(const struct fixture *fixture, const struct fixture *card,
			 const struct object *buffer)
{
	struct drm_quire_bo_info info;
	void *map;

	tap_ret(dumb_map(card->fd, buffer->handle, buffer->size, &map), 0, "map it");
	tap_ret(dumb_destroy(card->fd, buffer->handle), 0, "destroy it");
	tap_ret(quire_bo_info(card->fd, buffer->handle, &info), -ENOENT, "its handle is gone");
	tap_ok(pattern_differs(map, buffer->size, buffer->key) == PATTERN_SAME,
	       "its content stays while it is mapped");
	munmap(map, buffer->size);
	tap_ok(fixture_settles(fixture, fixture->segments), "then VRAM is free again");
}

/* With what would pass if a product had 32 or 64 bits only. */
static void test_refused(const struct fixture *card)
{
	static const struct {
		const char *name;
		uint32_t width, height, bpp;
		int error;
	} refused[] = {
		{ "no width", 0, 1, 32, -EINVAL },
		{ "no height", 1, 0, 32, -EINVAL },
		{ "no bits", 1, 1, 0, -EINVAL },
		{ "all ones", ~0u, ~0u, ~0u, -EINVAL },
		{ "pixels of all bits", 64, 1, ~0u, -EINVAL },
		{ "a pitch of 2^32", 1u << 30, 1, 32, -EINVAL },
		{ "a pitch of 2^32 when aligned", ~0u, 1, 8, -EINVAL },
		{ "a pitch of 2^32 + 4", (1u << 30) + 1, 1, 32, -EINVAL },
		{ "the largest pitch", ~0u - 63, 1, 8, -E2BIG },
		{ "the largest pitch and height", ~0u - 63, ~0u, 8, -E2BIG },
		{ "a size of 2^32", 1u << 14, 1u << 16, 32, -E2BIG },
		{ "a size of 2^32 + 64", 16, (1u << 26) + 1, 32, -E2BIG },
		{ "the largest height", 1, ~0u, 8, -E2BIG },
	};
	uint64_t most = card->info.max_bo_size;
	struct drm_mode_create_dumb create;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		tap_ret(dumb_create(card->fd, refused[i].width, refused[i].height, refused[i].bpp,
				    &create), refused[i].error, "refused: %s", refused[i].name);
	tap_ret(dumb_create(card->fd, 1024, most / QUIRE_PAGE + 1, 32, &create), -E2BIG,
		"refused: a page more than the most");
	tap_ret(dumb_create(card->fd, 1024, most / QUIRE_PAGE, 32, &create), 0,
		"the most is not refused");
	tap_ret(dumb_destroy(card->fd, create.handle), 0, "destroy it");
}

/* Each takes handles, and gives them back. */
static void test_rounds(const struct fixture *card)
{
	struct drm_mode_create_dumb create, *untold;
	uint32_t before[NR_NEXT], after[NR_NEXT];
	unsigned int told = 0, refused = 0, faults = 0;

	untold = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (untold == MAP_FAILED)
		tap_bail("mmap");
	*untold = (struct drm_mode_create_dumb) { .width = 64, .height = 64, .bpp = 32 };
	mprotect(untold, QUIRE_PAGE, PROT_READ);

	next_handles(card, before);
	for (unsigned int i = 0; i < NR_ROUNDS; i++) {
		told += !dumb_create(card->fd, WIDTH, HEIGHT, 32, &create) &&
			!dumb_destroy(card->fd, create.handle);
		refused += dumb_create(card->fd, ~0u - 63, HEIGHT, 8, &create) == -E2BIG;
		faults += quire_ioctl(card->fd, DRM_IOCTL_MODE_CREATE_DUMB, untold) == -EFAULT;
	}
	next_handles(card, after);
	munmap(untold, QUIRE_PAGE);
	tap_ok(told == NR_ROUNDS, "%u of %u created and destroyed", told, NR_ROUNDS);
	tap_ok(refused == NR_ROUNDS, "%u of %u refused", refused, NR_ROUNDS);
	tap_ok(faults == NR_ROUNDS, "%u of %u whose handle can not be written", faults, NR_ROUNDS);
	tap_ok(before[0] && !memcmp(before, after, sizeof(before)), "none of them has a handle");
}

int main(void)
{
	struct fixture fixture, card;
	struct object buffer;
	char *path;

	tap_start(120);
	fixture_open(&fixture);
	if (getuid())
		tap_skip_all("not root");
	path = drmGetPrimaryDeviceNameFromFd(fixture.fd);
	card = fixture;
	card.fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	free(path);
	if (card.fd < 0)
		tap_bail("no primary node");
	test_node(&fixture, &card);
	test_pixels(&card);
	test_object(&card, &buffer);
	test_map(&card, &buffer);
	test_export(&fixture, &card, &buffer);
	test_destroy(&fixture, &card, &buffer);
	test_refused(&card);
	test_rounds(&card);
	close(card.fd);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
