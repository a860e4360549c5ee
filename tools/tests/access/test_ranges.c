// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Programs see images in VRAM through swizzling ranges: the same linear bytes before, during
 * and after every eviction and steal, with threads writing all the time.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "image.h"

#define NR_IMAGES	20	/* more than there are ranges */
#define NR_WRITERS	4
#define NR_RESETS	5

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

/**
 * struct picture - an image that is mapped
 * @image: the image
 * @object: size and handle are set
 * @map: its mapping
 */
struct picture {
	struct image image;
	struct object object;
	uint8_t *map;
};

static const struct image shapes[] = {
	{ DRM_QUIRE_LAYOUT_TILE_4K, 4, 70, 40, 1, 1 },
	{ DRM_QUIRE_LAYOUT_TILE_64K, 1, 90, 101, 5, 2 },
	{ DRM_QUIRE_LAYOUT_TILE_4K, 16, 17, 33, 3, 2 },
	{ DRM_QUIRE_LAYOUT_TILE_64K, 8, 128, 16, 1, 1 },
	{ DRM_QUIRE_LAYOUT_TILE_4K, 2, 1000, 3, 4, 1 },
};

static uint64_t counter(const struct fixture *fixture, const char *name)
{
	struct debugfs_counter value;

	return debugfs_counter(fixture->debugfs, name, &value) ? 0 : value.count;
}

static bool is_in_vram(const struct fixture *fixture, const struct picture *p)
{
	return object_segment(fixture, &p->object) == DRM_QUIRE_SEGMENT_VRAM;
}

static int picture_create(const struct fixture *fixture, struct picture *p,
			  const struct image *image)
{
	void *map;
	int ret;

	p->image = *image;
	p->object.size = image_object_size(image);
	ret = image_create(fixture->fd, image, ANYWHERE, &p->object.handle) ?:
	      quire_bo_map(fixture->fd, p->object.handle, p->object.size, &map);
	p->map = ret ? NULL : map;
	return ret;
}

static void picture_close(const struct fixture *fixture, struct picture *p)
{
	munmap(p->map, p->object.size);
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

/* Each width at each alignment, over rows, tiles and levels. */
static void test_widths(const struct fixture *fixture)
{
	struct picture p;
	uint64_t size;
	bool same = true;

	tap_ret(picture_create(fixture, &p, &shapes[2]), 0, "create");
	size = image_linear_size(&p.image);
	paint(&p, 1);
	tap_ret(object_place_and_wait(fixture, &p.object, &vram), 0, "into VRAM");
	for (uint64_t i = 0; i + 8 <= size; i += 5) {
		uint64_t expected = 0;

		for (unsigned int n = 0; n < 8; n++)
			expected |= (uint64_t)byte_of(1, i + n) << 8 * n;
		same &= *(volatile uint64_t *)(p.map + i) == expected;
		same &= *(volatile uint32_t *)(p.map + i) == (uint32_t)expected;
		same &= *(volatile uint16_t *)(p.map + i) == (uint16_t)expected;
	}
	tap_ok(same, "read 2, 4 and 8 bytes anywhere");
	for (uint64_t i = 0; i + 16 <= size; i += 16) {
		*(volatile uint64_t *)(p.map + i + 1) = i * 0x0101010101ull;
		*(volatile uint32_t *)(p.map + i + 9) = i;
		*(volatile uint16_t *)(p.map + i + 13) = i;
	}
	tap_ok(is_in_vram(fixture, &p), "it is in VRAM still");
	tap_ret(object_place_and_wait(fixture, &p.object, &system_memory), 0, "out of VRAM");
	for (uint64_t i = 0; i + 16 <= size; i += 16) {
		uint64_t eight = i * 0x0101010101ull;
		uint32_t four = i;
		uint16_t two = i;

		same &= p.map[i] == byte_of(1, i) && p.map[i + 15] == byte_of(1, i + 15) &&
			!memcmp(p.map + i + 1, &eight, 8) && !memcmp(p.map + i + 9, &four, 4) &&
			!memcmp(p.map + i + 13, &two, 2);
	}
	tap_ok(same, "what was written is there, and nothing else changed");
	picture_close(fixture, &p);
}

/* Nobody waits for one, and nobody loses anything by it. */
static void test_steals(const struct fixture *fixture, struct picture *pictures)
{
	uint64_t stolen = counter(fixture, "ranges-stolen");
	bool there = true;
	int ret = 0;

	for (unsigned int i = 0; i < NR_IMAGES && !ret; i++) {
		ret = picture_create(fixture, &pictures[i], &shapes[i % ARRAY_SIZE(shapes)]);
		if (!ret)
			ret = object_place_and_wait(fixture, &pictures[i].object, &vram);
	}
	tap_ret(ret, 0, "%u images in VRAM", NR_IMAGES);
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < NR_IMAGES; i++)
			paint(&pictures[i], i + round);
		for (unsigned int i = 0; i < NR_IMAGES && !ret; i++)
			ret = compare(&pictures[i], i + round);
	}
	tap_ret(ret, 0, "their pointers show what was written");
	for (unsigned int i = 0; i < NR_IMAGES; i++)
		there &= is_in_vram(fixture, &pictures[i]);
	tap_ok(there, "all of them are in VRAM still");
	if (*fixture->debugfs)
		tap_ok(counter(fixture, "ranges-stolen") >= stolen + NR_IMAGES,
		       "ranges went from one to another");
}

/* What was used least recently goes, also where its use is no word to the driver. */
static void test_least_recent(const struct fixture *fixture, struct picture *pictures)
{
	unsigned int ranges = fixture->info.swizzling_ranges;
	uint64_t acquired, stolen;

	if (!*fixture->debugfs || ranges + 1 > NR_IMAGES) {
		tap_skip("nobody counts", "the least recent goes");
		return;
	}
	for (unsigned int i = ranges; i--;)
		pictures[i].map[0]++;
	acquired = counter(fixture, "ranges-acquired");
	for (unsigned int i = 1; i < ranges; i++)
		pictures[i].map[0]++;
	*(volatile uint8_t *)pictures[0].map;
	tap_ok(counter(fixture, "ranges-acquired") == acquired, "who has one keeps it");
	pictures[ranges].map[0]++;
	tap_ok(counter(fixture, "ranges-acquired") == acquired + 1, "one more takes one");
	for (unsigned int i = ranges; i-- > 2;)
		pictures[i].map[0]++;
	pictures[0].map[0]++;
	tap_ok(counter(fixture, "ranges-acquired") == acquired + 1,
	       "it was that of the one that was used least recently");
	pictures[1].map[0]++;
	tap_ok(counter(fixture, "ranges-acquired") == acquired + 2, "which takes another");
	pictures[0].map[0]++;
	tap_ret(object_place_and_wait(fixture, &pictures[0].object, &system_memory) ?:
		object_place_and_wait(fixture, &pictures[0].object, &vram), 0, "out and in again");
	pictures[1].map[0]++;
	acquired = counter(fixture, "ranges-acquired");
	stolen = counter(fixture, "ranges-stolen");
	pictures[0].map[0]++;
	pictures[1].map[0]++;
	tap_ok(counter(fixture, "ranges-acquired") == acquired + 1 &&
	       counter(fixture, "ranges-stolen") == stolen,
	       "who leaves VRAM gives its range up, and takes it again without a steal");
}

/**
 * struct writer - who writes all the time
 * @pictures: where, one word of each row of 64 bytes
 * @first: of them
 * @step: to the next
 * @count: how often each was written
 * @wrong: what was read was not what was written
 * @stop: it is over
 */
struct writer {
	struct picture *pictures;
	unsigned int first;
	unsigned int step;
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
		for (unsigned int i = w->first; i < NR_IMAGES; i += w->step)
			for (unsigned int n = 0; n < 4; n++) {
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
	static const struct place * const ways[] = { &vram, &system_memory, &vram, &aperture };
	uint64_t random = 7;
	int ret = 0;

	for (unsigned int i = 0; i < 300 && !ret; i++)
		ret = object_place(fixture, &pictures[random_below(&random, NR_IMAGES)].object,
				   ways[random_below(&random, ARRAY_SIZE(ways))]);
	return ret;
}

/* The device forgets its ranges, and they are out of reach for a while. */
static int reset_function(const struct fixture *fixture, struct picture *pictures)
{
	char address[64];
	int ret = sysfs_pci_address(fixture->fd, address, sizeof(address));

	for (unsigned int i = 0; i < NR_IMAGES && !ret; i++)
		ret = object_place_and_wait(fixture, &pictures[i].object, &vram);
	for (unsigned int i = 0; i < NR_RESETS && !ret; i++) {
		test_sleep_ms(20);
		ret = sysfs_reset(address);
	}
	if (!ret)
		test_sleep_ms(20);
	return ret;
}

typedef int (*disturb_fn)(const struct fixture *fixture, struct picture *pictures);

static void test_writers(const struct fixture *fixture, struct picture *pictures,
			 disturb_fn disturb, const char *what)
{
	struct writer writers[NR_WRITERS];
	pthread_t threads[NR_WRITERS];
	unsigned int wrong = 0, lost = 0;

	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		writers[i] = (struct writer) {
			.pictures = pictures, .first = i, .step = NR_WRITERS,
		};
		pthread_create(&threads[i], NULL, write_words, &writers[i]);
	}
	tap_ret(disturb(fixture, pictures), 0, "%s while images are written", what);
	for (unsigned int i = 0; i < NR_WRITERS; i++)
		__atomic_store_n(&writers[i].stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		pthread_join(threads[i], NULL);
		wrong += writers[i].wrong;
		for (unsigned int n = i; n < NR_IMAGES; n += NR_WRITERS)
			for (unsigned int k = 0; k < 4; k++)
				lost += *word_of(&pictures[n], k) != writers[i].count;
	}
	tap_ok(!wrong && !lost, "no word was lost, %u and %u were wrong", wrong, lost);
}

/* As a debugger. */
static void test_debugger(const struct fixture *fixture, const struct picture *p)
{
	int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	uint64_t at = image_linear_size(&p->image) / 2 & ~7ull, word = 0x1122334455667788ull;
	uint64_t read = 0;

	tap_ret(object_place_and_wait(fixture, &p->object, &vram), 0, "into VRAM");
	tap_ok(pwrite(file, &word, 8, (uintptr_t)p->map + at) == 8, "a debugger writes");
	tap_ok(*(volatile uint64_t *)(p->map + at) == word, "the program reads it");
	*(volatile uint64_t *)(p->map + at) = ~word;
	tap_ok(pread(file, &read, 8, (uintptr_t)p->map + at) == 8 && read == ~word,
	       "a debugger reads what the program writes");
	tap_ok(is_in_vram(fixture, p), "it is in VRAM still");
	close(file);
}

/* Larger than a range: it leaves VRAM. */
static void test_too_large(const struct fixture *fixture)
{
	const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 16, 1024, 1025, 1, 1 };
	struct picture p;

	if (image_linear_size(&image) <= fixture->info.swizzling_range_size) {
		tap_skip("ranges are large", "an image larger than a range");
		return;
	}
	tap_ret(picture_create(fixture, &p, &image), 0, "create");
	tap_ret(object_place_and_wait(fixture, &p.object, &vram), 0, "into VRAM");
	p.map[12345] = 1;
	tap_ok(!is_in_vram(fixture, &p), "an image larger than a range leaves VRAM");
	picture_close(fixture, &p);
}

int main(void)
{
	static struct picture pictures[NR_IMAGES];
	struct fixture fixture;

	tap_start(240);
	fixture_open(&fixture);
	if (!fixture.info.swizzling_ranges)
		tap_skip_all("the device has no swizzling ranges");
	test_widths(&fixture);
	test_steals(&fixture, pictures);
	test_least_recent(&fixture, pictures);
	test_writers(&fixture, pictures, stir, "they go and come");
	test_writers(&fixture, pictures, reset_function, "the function is reset");
	test_debugger(&fixture, &pictures[1]);
	for (unsigned int i = 0; i < NR_IMAGES; i++)
		picture_close(&fixture, &pictures[i]);
	test_too_large(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
