// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Images with an alternate view: the same bytes at the same pointers wherever they are, with
 * threads writing all the time, and without a range of others.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fdinfo.h"
#include "fixture.h"
#include "image.h"
#include "ticks.h"
#include "wedge.h"
#include "work.h"

#define NR_IMAGES	20	/* more than there are ranges */
#define NR_WRITERS	4
#define NR_WORDS	4	/* that are written of each image */
#define NR_RESETS	5
#define PERIOD_MS	1000

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct picture - an image with an alternate view
 * @image: the image
 * @object: size and handle are set
 * @map: its mapping, or NULL
 */
struct picture {
	struct image image;
	struct object object;
	uint8_t *map;
};

/* With padding and without. */
static const struct image shapes[] = {
	{ DRM_QUIRE_LAYOUT_TILE_4K, 4, 70, 40, 1, 1 },
	{ DRM_QUIRE_LAYOUT_TILE_64K, 1, 90, 101, 5, 2 },
	{ DRM_QUIRE_LAYOUT_TILE_4K, 4, 64, 64, 1, 2 },
	{ DRM_QUIRE_LAYOUT_TILE_4K, 16, 17, 33, 3, 2 },
	{ DRM_QUIRE_LAYOUT_TILE_64K, 8, 128, 64, 1, 1 },
};

/**
 * struct counts - packets that were submitted
 * @locks: SPECIAL_LOCK_TRANSFER
 * @transfers: TRANSFER
 * @stolen: ranges
 */
struct counts {
	uint64_t locks;
	uint64_t transfers;
	uint64_t stolen;
};

static struct counts count(const struct fixture *fixture)
{
	return (struct counts) {
		.locks = fixture_count(fixture, "SPECIAL_LOCK_TRANSFER"),
		.transfers = fixture_count(fixture, "TRANSFER"),
		.stolen = fixture_count(fixture, "ranges-stolen"),
	};
}

static bool is_in_vram(const struct fixture *fixture, const struct picture *p)
{
	return object_segment(fixture, &p->object) == DRM_QUIRE_SEGMENT_VRAM;
}

static bool is_alternate(const struct fixture *fixture, const struct picture *p)
{
	return object_flags(fixture, &p->object) & DRM_QUIRE_BO_ALTERNATE;
}

static int picture_map(const struct fixture *fixture, struct picture *p)
{
	void *map = NULL;
	int ret = quire_bo_map(fixture->fd, p->object.handle, p->object.size, &map);

	p->map = ret ? NULL : map;
	return ret;
}

static void picture_unmap(struct picture *p)
{
	munmap(p->map, p->object.size);
	p->map = NULL;
}

static int picture_create(const struct fixture *fixture, struct picture *p,
			  const struct image *image)
{
	p->image = *image;
	p->object.size = image_object_size(image);
	return image_create_view(fixture->fd, image, &p->object.handle) ?: picture_map(fixture, p);
}

static void picture_close(const struct fixture *fixture, struct picture *p)
{
	if (p->map)
		picture_unmap(p);
	object_close(fixture, &p->object);
}

static uint8_t byte_of(uint64_t key, uint64_t i)
{
	return (key * 0x9e37 + i * 0x85eb + (i >> 8) * 0xc2b3) >> 8;
}

static void paint(const struct picture *p, uint64_t key)
{
	for (uint64_t i = 0; i < image_linear_size(&p->image); i++)
		p->map[i] = byte_of(key, i);
}

static int compare(const struct picture *p, uint64_t key)
{
	for (uint64_t i = 0; i < image_linear_size(&p->image); i++) {
		if (p->map[i] != byte_of(key, i)) {
			tap_diag("wrong at %#" PRIx64, i);
			return -EILSEQ;
		}
	}
	return 0;
}

static int create_as(const struct fixture *fixture, const struct image *image, uint32_t segments,
		     uint32_t flags)
{
	struct drm_quire_bo_create create = {
		.size = QUIRE_PAGE,
		.segments = segments,
		.flags = flags,
	};
	int ret;

	if (image) {
		create.size = image_object_size(image);
		create.layout = image->layout;
		create.element_size = image->element_size;
		create.width = image->width;
		create.height = image->height;
		create.levels = image->levels;
		create.array_size = image->array_size;
	}
	ret = quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);
	if (!ret)
		quire_bo_close(fixture->fd, create.handle);
	return ret;
}

/* The set of one segment, by its class. */
static uint32_t set_of(const struct fixture *fixture, uint32_t segment)
{
	return DRM_QUIRE_SEGMENT_BIT(fixture->segments[segment].instance);
}

static void test_arguments(const struct fixture *fixture)
{
	uint32_t home = set_of(fixture, DRM_QUIRE_SEGMENT_SYSTEM);
	uint32_t both = home | set_of(fixture, DRM_QUIRE_SEGMENT_VRAM);
	uint32_t all = both | set_of(fixture, DRM_QUIRE_SEGMENT_APERTURE);
	uint32_t view = DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW;

	tap_ret(create_as(fixture, &shapes[0], both, view), 0, "an image in VRAM and system");
	tap_ret(create_as(fixture, NULL, both, view), -EINVAL, "no view of what is no image");
	tap_ret(create_as(fixture, &shapes[0], all, view), -EINVAL, "nor of one in the aperture");
	tap_ret(create_as(fixture, &shapes[0], home, view), -EINVAL,
		"nor of one that is never in VRAM");
	tap_ret(create_as(fixture, &shapes[0], both, view | 1u << 30), -EINVAL, "another flag");
}

/* In all, of what is here alone. */
static uint64_t resident(const struct fixture *fixture)
{
	return fdinfo_region(fixture->fd, "resident", DRM_QUIRE_SEGMENT_SYSTEM);
}

/* Each way is the operation that it should be, and there is one set of pages all the time. */
static void test_ways(const struct fixture *fixture, const struct image *image)
{
	struct picture p;
	struct counts before, after;

	tap_ret(picture_create(fixture, &p, image), 0, "create");
	paint(&p, 1);
	before = count(fixture);
	tap_ret(object_place_and_wait(fixture, &p.object, &vram), 0, "into VRAM");
	after = count(fixture);
	tap_ok(after.transfers > before.transfers && after.locks == before.locks,
	       "a TRANSFER from its backing");
	tap_ok(resident(fixture) == 0, "the backing is gone");
	tap_ret(compare(&p, 1), 0, "the content is there");
	tap_ok(is_in_vram(fixture, &p), "in VRAM");

	for (unsigned int i = 0; i < 3; i++) {
		paint(&p, 2 * i);
		before = after;
		tap_ret(object_place_and_wait(fixture, &p.object, &system_memory), 0, "out");
		after = count(fixture);
		tap_ok(after.locks > before.locks && after.transfers == before.transfers,
		       "a SPECIAL_LOCK_TRANSFER");
		tap_ok(is_alternate(fixture, &p), "the view has it");
		tap_ok(resident(fixture) == p.object.size, "no other pages have anything");
		tap_ret(compare(&p, 2 * i), 0, "the content is there");
		paint(&p, 2 * i + 1);
		before = after;
		tap_ret(object_place_and_wait(fixture, &p.object, &vram), 0, "and in again");
		after = count(fixture);
		tap_ok(after.locks > before.locks && after.transfers == before.transfers,
		       "a SPECIAL_LOCK_TRANSFER");
		tap_ok(!is_alternate(fixture, &p), "the view has it no more");
		tap_ok(resident(fixture) == p.object.size, "but has kept its pages");
		tap_ret(compare(&p, 2 * i + 1), 0, "the content is there");
	}
	tap_ok(is_in_vram(fixture, &p), "in VRAM");

	picture_unmap(&p);
	before = after;
	tap_ret(object_place_and_wait(fixture, &p.object, &system_memory), 0, "out, not mapped");
	after = count(fixture);
	tap_ok(after.locks == before.locks && after.transfers > before.transfers, "a TRANSFER");
	tap_ok(!is_alternate(fixture, &p), "to its backing");
	tap_ok(resident(fixture) == p.object.size, "which is all it has");
	tap_ret(object_place_and_wait(fixture, &p.object, &vram), 0, "in, not mapped");
	tap_ok(count(fixture).locks == before.locks, "a TRANSFER");
	tap_ok(resident(fixture) == 0, "it keeps no pages");
	tap_ret(picture_map(fixture, &p), 0, "map");
	tap_ret(compare(&p, 5), 0, "the content is there");
	picture_close(fixture, &p);
}

/* Who is evicted, and who asks for no range, leaves VRAM or takes a free one. */
static void test_ranges(const struct fixture *fixture, struct picture *pictures)
{
	uint64_t stolen = fixture_count(fixture, "ranges-stolen");
	unsigned int there = 0;
	int ret = 0;

	/* Or else some of those before have a range yet. */
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is dying");
	for (unsigned int i = 0; i < NR_IMAGES && !ret; i++) {
		ret = picture_create(fixture, &pictures[i], &shapes[i % ARRAY_SIZE(shapes)]) ?:
		      object_place_and_wait(fixture, &pictures[i].object, &vram);
	}
	tap_ret(ret, 0, "%u images in VRAM", NR_IMAGES);
	for (unsigned int i = 0; i < NR_IMAGES; i++)
		paint(&pictures[i], i);
	for (unsigned int i = 0; i < NR_IMAGES && !ret; i++)
		ret = compare(&pictures[i], i);
	tap_ret(ret, 0, "their pointers show what was written");
	for (unsigned int i = 0; i < NR_IMAGES; i++)
		there += is_in_vram(fixture, &pictures[i]);
	tap_ok(there == fixture->info.swizzling_ranges, "%u have a range, the others left VRAM",
	       there);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	for (unsigned int i = 0; i < NR_IMAGES && !ret; i++)
		ret = compare(&pictures[i], i);
	tap_ret(ret, 0, "the content is there");
	tap_ok(fixture_count(fixture, "ranges-stolen") == stolen, "no range was stolen");
}

/* Whose range is taken takes none from others: it goes. */
static void test_stolen(const struct fixture *fixture, struct picture *p)
{
	unsigned int ranges = fixture->info.swizzling_ranges;
	struct object *others = calloc(ranges, sizeof(*others));
	void *map;
	int ret;

	ret = object_place_and_wait(fixture, &p->object, &vram);
	p->map[0]++;
	for (unsigned int i = 0; i < ranges && !ret; i++) {
		others[i].size = image_object_size(&shapes[0]);
		ret = image_create(fixture->fd, &shapes[0],
				   DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
				   &others[i].handle) ?:
		      object_place_and_wait(fixture, &others[i], &vram) ?:
		      quire_bo_map(fixture->fd, others[i].handle, others[i].size, &map);
		if (ret)
			break;
		*(volatile uint32_t *)map = i;
		munmap(map, others[i].size);
	}
	tap_ret(ret, 0, "%u images without a view take all ranges", ranges);
	tap_ok(is_in_vram(fixture, p), "who loses one stays");
	p->map[0]--;
	tap_ok(!is_in_vram(fixture, p) && is_alternate(fixture, p), "but who is touched leaves");
	for (unsigned int i = 0; i < ranges; i++)
		object_close(fixture, &others[i]);
	free(others);
}

/**
 * struct writer - who writes all the time
 * @pictures: where, some words of each
 * @first: of them
 * @count: how often each was written
 * @wrong: what was read was not what was written
 * @stop: it is over
 */
struct writer {
	struct picture *pictures;
	unsigned int first;
	uint32_t count;
	unsigned int wrong;
	bool stop;
};

static volatile uint32_t *word_of(const struct picture *p, unsigned int i)
{
	uint64_t words = image_linear_size(&p->image) / 4;

	return (volatile uint32_t *)p->map + i * 1237 % words;
}

static void *write_words(void *data)
{
	struct writer *w = data;

	do {
		for (unsigned int i = w->first; i < NR_IMAGES; i += NR_WRITERS)
			for (unsigned int n = 0; n < NR_WORDS; n++) {
				volatile uint32_t *word = word_of(&w->pictures[i], n);

				w->wrong += w->count && *word != w->count;
				*word = w->count + 1;
			}
		w->count++;
	} while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED));
	return NULL;
}

static int stir(const struct fixture *fixture, struct picture *pictures)
{
	uint64_t random = 7;
	int ret = 0;

	for (unsigned int i = 0; i < 200 && !ret; i++) {
		if (i % 40 == 39)
			ret = debugfs_write(fixture->debugfs, "evict_all", "1");
		else
			ret = object_place(fixture,
					   &pictures[random_below(&random, NR_IMAGES)].object,
					   random_below(&random, 3) ? &vram : &system_memory);
	}
	return ret;
}

/* The device forgets its ranges, while some of them are being let go. */
static int reset_function(const struct fixture *fixture, struct picture *pictures)
{
	char address[64];
	int ret = sysfs_pci_address(fixture->fd, address, sizeof(address));

	for (unsigned int i = 0; i < NR_RESETS && !ret; i++) {
		for (unsigned int n = 0; n < NR_IMAGES && !ret; n++)
			ret = object_place(fixture, &pictures[n].object,
					   n % 2 ? &vram : &system_memory);
		ret = ret ?: sysfs_reset(address);
		test_sleep_ms(20);
	}
	return ret;
}

typedef int (*disturb_fn)(const struct fixture *fixture, struct picture *pictures);

static void test_writers(const struct fixture *fixture, struct picture *pictures,
			 disturb_fn disturb, const char *what)
{
	struct counts before = count(fixture), after;
	struct writer writers[NR_WRITERS];
	pthread_t threads[NR_WRITERS];
	unsigned int wrong = 0, lost = 0;

	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		writers[i] = (struct writer) { .pictures = pictures, .first = i };
		pthread_create(&threads[i], NULL, write_words, &writers[i]);
	}
	tap_ret(disturb(fixture, pictures), 0, "%s while images are written", what);
	for (unsigned int i = 0; i < NR_WRITERS; i++)
		__atomic_store_n(&writers[i].stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		pthread_join(threads[i], NULL);
		wrong += writers[i].wrong;
		for (unsigned int n = i; n < NR_IMAGES; n += NR_WRITERS)
			for (unsigned int k = 0; k < NR_WORDS; k++)
				lost += *word_of(&pictures[n], k) != writers[i].count;
	}
	after = count(fixture);
	tap_ok(!wrong && !lost, "no word was lost, %u and %u were wrong", wrong, lost);
	tap_ok(after.locks > before.locks, "with %" PRIu64 " special locks",
	       after.locks - before.locks);
	tap_ok(after.stolen == before.stolen, "without a range of others");
}

/* As a debugger, with a range and without. */
static void test_debugger(const struct fixture *fixture, const struct picture *p)
{
	int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	uint64_t at = image_linear_size(&p->image) / 2 & ~7ull, word = 0x1122334455667788ull;
	uint64_t read = 0;

	tap_ret(object_place_and_wait(fixture, &p->object, &vram), 0, "into VRAM");
	tap_ok(pwrite(file, &word, 8, (uintptr_t)p->map + at) == 8, "a debugger writes");
	tap_ret(object_place_and_wait(fixture, &p->object, &system_memory), 0, "out of VRAM");
	tap_ok(pread(file, &read, 8, (uintptr_t)p->map + at) == 8 && read == word,
	       "a debugger reads what it wrote");
	close(file);
}

/* Offer, eviction, reclaim: from VRAM, where the view has kept pages, and from the view. */
static void test_purge(const struct fixture *fixture, struct picture *p)
{
	bool retained = false, zero = true;
	uint64_t there;

	paint(p, 9);
	tap_ret(object_place_and_wait(fixture, &p->object, &vram) ?:
		object_place_and_wait(fixture, &p->object, &system_memory) ?:
		quire_bo_madvise(fixture->fd, p->object.handle, DRM_QUIRE_MADV_DONTNEED,
				 &retained), 0, "DONTNEED in the view");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	tap_ret(quire_bo_madvise(fixture->fd, p->object.handle, DRM_QUIRE_MADV_WILLNEED,
				 &retained), 0, "WILLNEED");
	tap_ok(retained, "what the view has is kept");
	tap_ret(compare(p, 9), 0, "it is there");

	tap_ret(object_place_and_wait(fixture, &p->object, &vram) ?:
		quire_bo_madvise(fixture->fd, p->object.handle, DRM_QUIRE_MADV_DONTNEED,
				 &retained), 0, "DONTNEED in VRAM");
	there = resident(fixture);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	tap_ok(object_flags(fixture, &p->object) & DRM_QUIRE_BO_PURGED, "it is purged");
	tap_ok(resident(fixture) == there - p->object.size, "and the pages that it kept are gone");
	tap_ok(!is_alternate(fixture, p), "the view has nothing");
	tap_ok(sigbus_on_read(p->map), "its pointer raises SIGBUS");
	tap_ret(quire_bo_madvise(fixture->fd, p->object.handle, DRM_QUIRE_MADV_WILLNEED,
				 &retained), 0, "WILLNEED");
	tap_ok(!retained, "nothing is kept");
	for (uint64_t i = 0; i < p->object.size; i++)
		zero &= !p->map[i];
	tap_ok(zero, "it reads as zero");
}

/* Others would not look where the view looks: that is refused on purpose. */
static void test_export(const struct fixture *fixture, const struct picture *p)
{
	tap_ret(dmabuf_export(fixture->fd, p->object.handle), -EPERM, "no export");
}

static void on_signal(int signal)
{
	(void)signal;
}

/*
 * On its way into VRAM, and the ring is stuck: to be moved on it has to be idle. That wait
 * ends with a signal, and with the watchdog.
 */
static void test_idle(const struct fixture *fixture, const struct picture *p)
{
	struct drm_quire_bo_place back = {
		.handle = p->object.handle,
		.segment = fixture->segments[DRM_QUIRE_SEGMENT_SYSTEM].instance,
	};
	uint64_t busy;
	pid_t pid;

	paint(p, 11);
	tap_ret(object_place_and_wait(fixture, &p->object, &vram) ?:
		object_place_and_wait(fixture, &p->object, &system_memory), 0, "to the view");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &p->object, &vram), 0, "into VRAM");
	fixture_wait_hung(fixture);
	busy = fixture_count(fixture, "busy");
	pid = tick_within(on_signal, "dma_resv_wait_timeout");
	tap_ret(quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &back), -EINTR,
		"a signal ends the wait");
	tap_ret(child_status(pid), 0, "which had begun");
	tap_ok(fixture_count(fixture, "busy") == busy + 1, "it was busy");
	tap_ok(is_in_vram(fixture, p) && !is_alternate(fixture, p), "nothing has changed");
	test_parameter("hang_period", PERIOD_MS);
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &back), 0,
		"the watchdog ends the next one");
	tap_ok(fixture_count(fixture, "busy") == busy + 2, "it was busy still");
	tap_ret(quire_bo_wait(fixture->fd, p->object.handle, WAIT_MS), 0, "wait");
	test_parameter("hang_period", 3000);
	tap_ok(is_alternate(fixture, p), "the view has it again");
	tap_ret(compare(p, 11), 0, "and all of it");
}

/*
 * Somebody gets the range of who leaves, before the device has seen that: it shows the new
 * one from then on, and the special lock, when it comes, lets it be.
 */
static void test_handover(const struct fixture *fixture, const struct picture *p,
			  const struct picture *next)
{
	paint(p, 13);
	paint(next, 14);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "all ranges are free");
	tap_ret(object_place_and_wait(fixture, &p->object, &vram) ?:
		object_place_and_wait(fixture, &next->object, &vram), 0, "two into VRAM");
	p->map[1] ^= 1;
	test_parameter("hang_period", PERIOD_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &p->object, &system_memory), 0, "one leaves, with a range");
	fixture_wait_hung(fixture);
	next->map[1] ^= 1;
	tap_ok(is_in_vram(fixture, next), "the other has one");
	tap_ret(quire_bo_wait(fixture->fd, p->object.handle, WAIT_MS), 0, "it has left");
	test_parameter("hang_period", 3000);
	p->map[1] ^= 1;
	next->map[1] ^= 1;
	tap_ret(compare(p, 13) ?: compare(next, 14), 0, "both have what they had");
	tap_ok(is_in_vram(fixture, next), "the other is where it was");
}

/* What the view has is no loss when the device is given up; what VRAM has is one. */
static void test_wedged(const struct fixture *fixture, const struct picture *kept,
			const struct picture *lost)
{
	tap_ret(object_place_and_wait(fixture, &kept->object, &vram) ?:
		object_place_and_wait(fixture, &lost->object, &vram), 0, "two into VRAM");
	paint(kept, 15);
	paint(lost, 16);
	tap_ret(object_place_and_wait(fixture, &kept->object, &system_memory) ?:
		object_place_and_wait(fixture, &lost->object, &system_memory) ?:
		object_place_and_wait(fixture, &lost->object, &vram), 0, "one to its view");
	wedge_begin(fixture);
	tap_ret(object_place(fixture, &lost->object, &system_memory), 0, "it leaves");
	wedge_restore(fixture, "hang 1");
	tap_ret(quire_bo_wait(fixture->fd, lost->object.handle, WAIT_MS), -EIO,
		"the device is given up");
	wedge_end();
	tap_ret(compare(kept, 15), 0, "the view shows what it had");
	tap_ok(sigbus_on_read(lost->map), "what was in VRAM is gone");
}

/* Unbound while one is in VRAM, with pages that it has kept, and one is in its view. */
static void test_gone(struct fixture *fixture, struct picture *pictures)
{
	int ret = 0;

	for (unsigned int i = 0; i < 4 && !ret; i++)
		ret = picture_create(fixture, &pictures[i], &shapes[0]) ?:
		      object_place_and_wait(fixture, &pictures[i].object, &vram);
	for (unsigned int i = 0; i < 4 && !ret; i++)
		pictures[i].map[0] = i;
	tap_ret(ret, 0, "four in VRAM");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1") ?:
		object_place_and_wait(fixture, &pictures[2].object, &vram) ?:
		object_place_and_wait(fixture, &pictures[3].object, &vram), 0, "two come back");
	pictures[3].map[0] = 3;
	test_wedged(fixture, &pictures[0], &pictures[2]);
	fixture_rebind(fixture);
	for (unsigned int i = 0; i < 4; i++) {
		tap_ok(sigbus_on_read(pictures[i].map), "the pointer of %u raises SIGBUS", i);
		picture_unmap(&pictures[i]);
	}
	fixture_test_works(fixture);
}

int main(void)
{
	static struct picture pictures[NR_IMAGES];
	struct fixture fixture;
	unsigned int i;

	tap_start(120);
	fixture_open(&fixture);
	if (!fixture.info.swizzling_ranges || fixture.info.swizzling_ranges >= NR_IMAGES ||
	    !*fixture.debugfs)
		tap_skip_all("no swizzling ranges, or more than images, or nobody counts");
	test_arguments(&fixture);
	for (i = 0; i < ARRAY_SIZE(shapes); i += 2)
		test_ways(&fixture, &shapes[i]);
	test_ranges(&fixture, pictures);
	test_stolen(&fixture, &pictures[0]);
	test_writers(&fixture, pictures, stir, "they go and come");
	test_writers(&fixture, pictures, reset_function, "the function is reset");
	test_debugger(&fixture, &pictures[1]);
	test_purge(&fixture, &pictures[2]);
	test_export(&fixture, &pictures[3]);
	test_idle(&fixture, &pictures[4]);
	test_handover(&fixture, &pictures[6], &pictures[7]);
	tap_ret(object_place(&fixture, &pictures[5].object, &vram), 0, "into VRAM");
	for (i = 0; i < NR_IMAGES; i++)
		picture_close(&fixture, &pictures[i]);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	test_gone(&fixture, pictures);
	return tap_done();
}
