// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Objects whose content may go: it is whole, or it is reported gone. */
#include <string.h>
#include <sys/mman.h>

#include "fixture.h"

#define NR_OBJECTS	8

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

static int advise(const struct fixture *fixture, const struct object *object, uint32_t advice,
		  bool *retained)
{
	return quire_bo_madvise(fixture->fd, object->handle, advice, retained);
}

/* Puts so much into VRAM that nothing that was there can stay. */
static int squeeze(const struct fixture *fixture)
{
	uint64_t size = fixture_vram(fixture) / 16;
	struct object objects[20];
	size_t count = 0;
	int ret = 0;

	while (count < ARRAY_SIZE(objects) && !ret) {
		objects[count] = (struct object){ .size = size };
		ret = quire_bo_create(fixture->fd, size, &objects[count].handle);
		if (!ret)
			ret = object_place_and_wait(fixture, &objects[count++], &vram);
	}
	while (count--)
		object_close(fixture, &objects[count]);
	return ret;
}

static void test_no_pressure(const struct fixture *fixture)
{
	struct object object;
	bool retained = false;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(advise(fixture, &object, DRM_QUIRE_MADV_DONTNEED, NULL), 0, "DONTNEED");
	tap_ok(object_flags(fixture, &object) & DRM_QUIRE_BO_DONTNEED, "its info says so");
	tap_ret(advise(fixture, &object, DRM_QUIRE_MADV_WILLNEED, &retained), 0, "WILLNEED");
	tap_ok(retained, "without pressure it is whole");
	tap_ok(!(object_flags(fixture, &object) & DRM_QUIRE_BO_DONTNEED), "its info says so too");
	tap_ret(object_check(fixture, &object), 0, "and it is");
	object_close(fixture, &object);
}

static int create_unneeded(const struct fixture *fixture, struct object *objects)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++) {
		ret = object_create(fixture, &objects[i], QUIRE_MIB / 2, 10 + i);
		if (!ret)
			ret = object_place_and_wait(fixture, &objects[i], &vram);
		if (!ret)
			ret = advise(fixture, &objects[i], DRM_QUIRE_MADV_DONTNEED, NULL);
	}
	return ret;
}

/* Returns 1 if it is gone, 0 if whole, negative if it is neither. */
static int reclaim(const struct fixture *fixture, const struct object *object)
{
	bool purged = object_flags(fixture, object) & DRM_QUIRE_BO_PURGED;
	bool retained;
	int ret = advise(fixture, object, DRM_QUIRE_MADV_WILLNEED, &retained);

	if (ret)
		return ret;
	if (purged && retained)
		return -EPROTO;
	ret = retained ? object_check(fixture, object) : object_check_zero(fixture, object);
	return ret ? ret : !retained;
}

static void test_pressure(const struct fixture *fixture)
{
	struct object objects[NR_OBJECTS];
	unsigned int gone = 0;
	int wrong = 0;

	tap_ret(create_unneeded(fixture, objects), 0, "%d unneeded objects in VRAM", NR_OBJECTS);
	tap_ret(squeeze(fixture), 0, "put pressure on VRAM");
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		int ret = reclaim(fixture, &objects[i]);

		wrong = ret < 0 ? ret : wrong;
		gone += ret > 0;
	}
	tap_ret(wrong, 0, "all are whole, or reported gone and zero");
	tap_ok(gone, "%u of %d are gone", gone, NR_OBJECTS);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(fixture, &objects[i]);
}

/* Makes @object, which stays mapped at @map, and has it purged. */
static void make_purged(const struct fixture *fixture, struct object *object, void **map)
{
	tap_ret(object_create(fixture, object, QUIRE_MIB, 20), 0, "create");
	if (quire_bo_map(fixture->fd, object->handle, object->size, map))
		tap_bail("mmap");
	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "place it in VRAM");
	tap_ret(advise(fixture, object, DRM_QUIRE_MADV_DONTNEED, NULL), 0, "DONTNEED");
	tap_ret(squeeze(fixture), 0, "put pressure on VRAM");
	if (!tap_ok(object_flags(fixture, object) & DRM_QUIRE_BO_PURGED, "it is purged"))
		tap_bail("without a purged object there is nothing to look at");
}

static void test_purged(const struct fixture *fixture)
{
	struct object object;
	bool retained = true;
	void *map;

	make_purged(fixture, &object, &map);
	tap_ok(sigbus_on_read(map), "touching its mapping raises SIGBUS");
	tap_ret(object_place(fixture, &object, &vram), -ENODATA, "it can not be placed");
	tap_ret(advise(fixture, &object, DRM_QUIRE_MADV_DONTNEED, &retained), 0, "DONTNEED again");
	tap_ok(!retained, "says that it is gone");
	tap_ok(object_flags(fixture, &object) & DRM_QUIRE_BO_PURGED, "it still is");
	tap_ret(advise(fixture, &object, DRM_QUIRE_MADV_WILLNEED, &retained), 0, "WILLNEED");
	tap_ok(!retained, "says that it is gone");
	tap_ok(!(object_flags(fixture, &object) &
		 (DRM_QUIRE_BO_PURGED | DRM_QUIRE_BO_DONTNEED)), "it can be used again");
	tap_ok(!sigbus_on_write(map), "its mapping can be touched again");
	tap_ret(object_check_zero(fixture, &object), 0, "it reads as zero");
	tap_ret(object_fill(fixture, &object), 0, "it takes content");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "it can be placed");
	tap_ret(object_check(fixture, &object), 0, "it keeps its content");
	munmap(map, object.size);
	object_close(fixture, &object);
}

/* Zeros must be made also where the object was never read in between. */
static void test_purged_then_placed(const struct fixture *fixture)
{
	struct object object;
	void *map;

	make_purged(fixture, &object, &map);
	tap_ret(advise(fixture, &object, DRM_QUIRE_MADV_WILLNEED, NULL), 0, "WILLNEED");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM at once");
	tap_ret(object_check_zero(fixture, &object), 0, "it reads as zero");
	munmap(map, object.size);
	object_close(fixture, &object);
}

int main(void)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	test_no_pressure(&fixture);
	test_pressure(&fixture);
	test_purged(&fixture);
	test_purged_then_placed(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
