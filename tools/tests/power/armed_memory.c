// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Memory: what the device knows of it, what CPU and commands see there, and what is to stay. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "armed.h"
#include "budget.h"
#include "dmabuf.h"
#include "image.h"
#include "resident.h"
#include "syncs.h"
#include "vgem.h"
#include "xxh64.h"

#define SIZE		ARMED_SIZE
#define KEY		ARMED_KEY
#define BASE		0x100000000ull
#define APART		0x1000000000ull	/* from one bound object to the next */
#define VRAM		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)

/* SIZE bytes. */
static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 256, 256, 1, 1 };

static const struct place *const in_system = &places[0];
static const struct place *const in_aperture = &places[1];
static const struct place *const in_vram = &places[2];
static const struct place *const in_visible = &places[3];

static bool residency_is_told(struct armed *armed)
{
	return fixture_residency_is_right(&armed->work.fixture);
}

static void map_in_aperture(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;
	const uint32_t combined = DRM_QUIRE_CACHING_WRITE_COMBINED;

	for (unsigned int i = 0; i < ARRAY_SIZE(armed->mapped); i++) {
		struct object *object = &armed->mapped[i];

		*object = (struct object){ .size = SIZE, .key = KEY + i };
		if (i == 2 && armed->has & ARMED_WINDOW)
			must(quire_bo_create_window(fixture->fd, SIZE, combined, &object->handle),
			     "object for the window");
		else
			must(quire_bo_create_caching(fixture->fd, SIZE,
						     DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
						     i ? combined : DRM_QUIRE_CACHING_CACHED,
						     &object->handle), "object");
		must(object_fill(fixture, object) ?:
		     object_place_and_wait(fixture, object, in_aperture), "into the aperture");
	}
}

/* The entries go, and what each of them was is known from that. The device finds all pages. */
static bool aperture_shows(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;
	const uint64_t pages = fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size / QUIRE_PAGE;
	struct device_aperture with = { 0 }, without = { 0 };
	int ret = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(armed->mapped) && !ret; i++)
		ret = object_place_and_wait(fixture, &armed->mapped[i], in_aperture);
	ret = ret ?: device_aperture_read(fixture->debugfs, &with);
	for (unsigned int i = 0; i < ARRAY_SIZE(armed->mapped) && !ret; i++)
		ret = object_place_and_wait(fixture, &armed->mapped[i], in_vram) ?:
		      object_check(fixture, &armed->mapped[i]);
	ret = ret ?: device_aperture_read(fixture->debugfs, &without);
	for (unsigned int i = 0; i < ARRAY_SIZE(armed->mapped); i++)
		object_close(fixture, &armed->mapped[i]);
	return succeeds(ret, "from the aperture to VRAM, whole") &&
	       holds(with.mapped + with.dummy == pages, "each page has an entry") &&
	       holds(with.mapped - without.mapped == 3 * SIZE / QUIRE_PAGE, "all were mapped") &&
	       holds(with.coherent - without.coherent == SIZE / QUIRE_PAGE, "one was coherent") &&
	       holds(with.visible - without.visible ==
		     (armed->has & ARMED_WINDOW ? SIZE / QUIRE_PAGE : 0), "one was visible");
}

static void *pattern(uint64_t size, uint64_t key)
{
	void *bytes = malloc(size);

	if (!bytes)
		tap_bail("no memory");
	pattern_fill(bytes, size, key);
	return bytes;
}

static bool finds_pieces(struct armed *armed)
{
	const uint64_t size = quire_object_size(armed->pieces);
	void *bytes = pattern(size, KEY);
	bool ok;

	quire_recorder_checksum(armed->work.recorder, quire_at(armed->pieces, 0), size,
				quire_at(armed->result, 0));
	ok = succeeds(armed_run(armed, 0), "hash") &&
	     holds(work_number(armed->result, 0) == xxh64(bytes, size), "it is that of all");
	free(bytes);
	return ok;
}

static void show_pieces(struct armed *armed)
{
	const uint64_t before = fixture_count(&armed->work.fixture, "MAP_MMU");

	if (!finds_pieces(armed) || fixture_count(&armed->work.fixture, "MAP_MMU") < before + 3)
		tap_bail("no MMU shows pieces");
}

static uint64_t address_of(unsigned int i)
{
	return BASE + i * APART;
}

static bool finds_bound(struct armed *armed, unsigned int i)
{
	void *bytes = pattern(SIZE, KEY + i);
	bool ok = space_has(&armed->space, address_of(i), bytes, SIZE);

	free(bytes);
	return holds(ok, "commands find the bytes at their address");
}

static void bind_objects(struct armed *armed)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(armed->bound); i++) {
		armed->bound[i] = space_object(&armed->space, SIZE, VRAM, i);
		space_soil(armed->bound[i], KEY + i);
		space_map(&armed->space, address_of(i), armed->bound[i], 0, SIZE);
		if (!finds_bound(armed, i))
			tap_bail("bound objects");
	}
}

static bool addresses_lead_there(struct armed *armed)
{
	struct space *space = &armed->space;
	bool ok = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(armed->bound); i++) {
		ok &= finds_bound(armed, i);
		quire_write_value(&space->writer, address_of(i) + SIZE - 8, ++armed->number);
		ok &= succeeds(space_run(space), "write there") &&
		      holds(work_number(armed->bound[i], SIZE - 8) == armed->number,
			    "the CPU sees what was written there");
		quire_object_close(armed->bound[i]);
	}
	return ok;
}

static void see(struct armed *armed, struct seen *seen, const struct place *where,
		const struct quire_object_options *options)
{
	seen->place = where;
	must(quire_object_create(armed->work.device, options, &seen->object) ?:
	     quire_object_map(seen->object, &seen->bytes), "mapped object");
	pattern_fill(seen->bytes, SIZE, KEY);
	must(armed_place(armed, seen->object, where), "place it");
	if (pattern_differs(seen->bytes, SIZE, KEY) != PATTERN_SAME)
		tap_bail("mapped object");
}

static bool is_seen(struct armed *armed, struct seen *seen)
{
	struct quire_object *other = work_object(&armed->work, SIZE);
	const struct quire_location from = quire_at(seen->object, 0), to = quire_at(other, 0);
	bool ok;

	ok = holds(pattern_differs(seen->bytes, SIZE, KEY) == PATTERN_SAME, "it is whole") &&
	     succeeds(armed_place(armed, seen->object, seen->place), "place it again");
	pattern_fill(seen->bytes, SIZE, KEY + 1);
	quire_recorder_copy(armed->work.recorder, from, to, SIZE);
	ok &= succeeds(armed_run(armed, 0), "copy from it") &&
	      holds(pattern_differs(space_bytes(other), SIZE, KEY + 1) == PATTERN_SAME,
		    "commands see what the CPU has written");
	space_soil(other, KEY + 2);
	quire_recorder_copy(armed->work.recorder, to, from, SIZE);
	ok &= succeeds(armed_run(armed, 0), "copy to it") &&
	      holds(quire_object_class(seen->object) == (int)seen->place->segment,
		    "it is where it was") &&
	      holds(pattern_differs(seen->bytes, SIZE, KEY + 2) == PATTERN_SAME,
		    "the CPU sees what commands have written");
	quire_object_close(other);
	quire_object_close(seen->object);
	return ok;
}

static void see_window(struct armed *armed)
{
	const struct quire_object_options options = {
		.size = SIZE, .caching = DRM_QUIRE_CACHING_WRITE_COMBINED,
		.classes = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE),
		.flags = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE,
	};

	see(armed, &armed->window, in_aperture, &options);
}

static bool window_is_seen(struct armed *armed)
{
	return is_seen(armed, &armed->window);
}

static void see_vram(struct armed *armed)
{
	const struct quire_object_options options = { .size = SIZE };

	see(armed, &armed->vram, in_visible, &options);
}

static bool vram_is_seen(struct armed *armed)
{
	return is_seen(armed, &armed->vram);
}

static void see_pictures(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;

	for (unsigned int i = 0; i < ARRAY_SIZE(armed->pictures); i++) {
		struct picture *picture = &armed->pictures[i];
		struct object *object = &picture->object;

		*object = (struct object){ .size = SIZE, .key = KEY + i };
		must((i ? image_create(fixture->fd, &image, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) -
				       1, &object->handle) :
			  image_create_view(fixture->fd, &image, &object->handle)) ?:
		     object_fill(fixture, object) ?:
		     quire_bo_map(fixture->fd, object->handle, SIZE, &picture->bytes) ?:
		     object_place_and_wait(fixture, object, in_vram), "image");
		if (pattern_differs(picture->bytes, SIZE, object->key) != PATTERN_SAME)
			tap_bail("image");
	}
}

/* The device alone makes it linear when it leaves VRAM. */
static bool pictures_are_linear(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;
	bool ok = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(armed->pictures); i++) {
		struct picture *picture = &armed->pictures[i];
		struct object *object = &picture->object;

		ok &= succeeds(object_place_and_wait(fixture, object, in_vram), "to VRAM") &&
		      holds(pattern_differs(picture->bytes, SIZE, object->key) == PATTERN_SAME,
			    "it reads linear");
		object->key = KEY + 2 + i;
		pattern_fill(picture->bytes, SIZE, object->key);
		ok &= succeeds(object_place_and_wait(fixture, object, in_system), "away") &&
		      succeeds(object_check(fixture, object), "it was written linear");
		munmap(picture->bytes, SIZE);
		object_close(fixture, object);
	}
	return ok;
}

static void export_shared(struct armed *armed)
{
	armed->shared = work_object(&armed->work, SIZE);
	space_soil(armed->shared, KEY);
	must(armed_place(armed, armed->shared, in_vram), "shared object");
	armed->dmabuf = dmabuf_export(armed->work.fixture.fd, quire_object_handle(armed->shared));
}

static bool dmabuf_is_polled(struct armed *armed)
{
	struct gate gate;
	bool ok;

	ok = holds(fd_is_ready(armed->dmabuf, WAIT_MS), "ready");
	work_gate_open_apart(&armed->work, &gate);
	work_wait_at(&armed->work, &gate, 1);
	quire_recorder_write_value(armed->work.recorder, quire_at(armed->shared, 0), 1);
	armed_queue(armed, armed->context, 0, NULL);
	ok &= holds(!fd_is_ready(armed->dmabuf, 0), "not while commands write it");
	work_gate_raise(&gate, 1);
	ok &= holds(fd_is_ready(armed->dmabuf, WAIT_MS), "then it is");
	work_gate_close(&gate);
	return ok;
}

/* Another driver keeps it where it is; it leaves then. */
static bool dmabuf_is_attached(struct armed *armed)
{
	int vgem = vgem_open();
	uint32_t handle;
	bool ok;

	ok = succeeds(dmabuf_import(vgem, armed->dmabuf, &handle), "import") &&
	     holds(armed_place(armed, armed->shared, in_vram), "it stays for that");
	close(vgem);
	return ok && succeeds(armed_place(armed, armed->shared, in_vram), "and goes then");
}

/* Its share is half, beside us. */
static void ask_budget(struct armed *armed)
{
	fixture_open(&armed->rich);
	must(object_place_and_wait(&armed->work.fixture, &armed->moves, in_vram) ?:
	     object_create(&armed->rich, &armed->of_rich, QUIRE_PAGE, KEY) ?:
	     object_place_and_wait(&armed->rich, &armed->of_rich, in_vram), "place");
	budget_ask(armed->rich.fd, DRM_QUIRE_SEGMENT_VRAM);
}

/* Then it is a third, which is less than it was told, and than it has. */
static bool budget_is_told(struct armed *armed)
{
	const uint64_t size = fixture_vram(&armed->rich) / 16 * 9;
	struct object large = { .size = size }, small = { 0 };
	struct fixture third;
	bool ok;

	fixture_open(&third);
	ok = succeeds(quire_bo_create(armed->rich.fd, size, &large.handle) ?:
		      object_place_and_wait(&armed->rich, &large, in_vram), "more than half") &&
	     succeeds(object_place_and_wait(&armed->work.fixture, &armed->moves, in_vram), "two") &&
	     holds(!budget_event(armed->rich.fd, 0), "it is told nothing yet") &&
	     succeeds(object_create(&third, &small, QUIRE_PAGE, 1) ?:
		      object_place_and_wait(&third, &small, in_vram), "three") &&
	     holds(budget_event(armed->rich.fd, WAIT_MS) == VRAM, "then it is told");
	object_close(&third, &small);
	object_close(&armed->rich, &large);
	object_close(&armed->rich, &armed->of_rich);
	close(third.fd);
	close(armed->rich.fd);
	return ok && succeeds(object_place_and_wait(&armed->work.fixture, &armed->moves, in_system),
			     "away");
}

static void hold(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;

	must(object_create(fixture, &armed->held, QUIRE_MIB, KEY) ?:
	     object_place_and_wait(fixture, &armed->held, in_vram) ?:
	     resident_make(fixture->fd, &armed->held, 1), "hold");
}

static bool hold_keeps(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;
	bool ok;

	ok = succeeds(object_place_and_wait(fixture, &armed->held, in_vram), "to VRAM");
	resident_flood(fixture);
	ok &= holds(object_is_at(fixture, &armed->held, in_vram), "it was no victim") &&
	      succeeds(object_check(fixture, &armed->held), "content") &&
	      holds(resident_count(fixture->fd, &armed->held) == 1, "it is held once");
	object_close(fixture, &armed->held);
	return ok;
}

static int offer(const struct armed *armed, struct object *object, const struct place *where)
{
	const struct fixture *fixture = &armed->work.fixture;

	return object_create(fixture, object, QUIRE_MIB, KEY) ?:
	       object_place_and_wait(fixture, object, where) ?:
	       quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_DONTNEED, NULL);
}

static void offer_both(struct armed *armed)
{
	must(offer(armed, &armed->offered[0], in_vram) ?:
	     offer(armed, &armed->offered[1], in_system), "offer");
}

static bool is_purged(const struct armed *armed, const struct object *object)
{
	return object_flags(&armed->work.fixture, object) & DRM_QUIRE_BO_PURGED;
}

/* One that was offered before the event, and one more. The first one may be gone by then. */
static bool offers_are_taken(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;
	const uint64_t evicted = fixture_count(fixture, "purged-evicted");
	const uint64_t shrunk = fixture_count(fixture, "purged-shrunk");
	struct object more[2];
	bool ok;

	ok = succeeds(offer(armed, &more[0], in_vram) ?: offer(armed, &more[1], in_system),
		      "offer");
	resident_flood(fixture);
	for (unsigned int i = 0; i < 100 && !(is_purged(armed, &more[1]) &&
					      is_purged(armed, &armed->offered[1])); i++)
		debugfs_write("/proc/sys/vm", "drop_caches", "2");
	for (unsigned int i = 0; i < ARRAY_SIZE(more); i++) {
		ok &= holds(is_purged(armed, &more[i]), "a new one goes") &&
		      holds(is_purged(armed, &armed->offered[i]), "the old one goes");
		object_close(fixture, &more[i]);
		object_close(fixture, &armed->offered[i]);
	}
	return ok && holds(fixture_count(fixture, "purged-evicted") > evicted, "as a victim") &&
	       holds(fixture_count(fixture, "purged-shrunk") > shrunk, "to the shrinker");
}

const struct look armed_memory_looks[ARMED_MEMORY_LOOKS] = {
	{ "the device knows what is where", ARMED_COPIES, NULL, residency_is_told },
	{ "the aperture shows its pages", ARMED_COPIES, map_in_aperture, aperture_shows },
	{ "an MMU shows an object in pieces", ARMED_COPIES, show_pieces, finds_pieces },
	{ "addresses lead where they led", 0, bind_objects, addresses_lead_there },
	{ "the CPU sees the window as commands do", ARMED_WINDOW, see_window, window_is_seen },
	{ "the CPU sees VRAM as commands do", ARMED_COPIES, see_vram, vram_is_seen },
	{ "the CPU sees images", ARMED_RANGES, see_pictures, pictures_are_linear },
	{ "a dma-buf can be polled", 0, export_shared, dmabuf_is_polled },
	{ "a dma-buf can be attached", ARMED_VGEM, NULL, dmabuf_is_attached },
	{ "budgets are told", 0, ask_budget, budget_is_told },
	{ "what is held stays", 0, hold, hold_keeps },
	{ "what is offered is taken", ARMED_COPIES, offer_both, offers_are_taken },
};
