// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The driver's file device_vram shows VRAM as it is: linear bytes, tiles, also what is hidden. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "failing.h"
#include "fixture.h"
#include "image.h"
#include "vram.h"

#define MOST	(32 * 1024)	/* bytes of one read */
#define FEW		100
#define ODD	1567	/* not at the start of a page */

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place invisible = {
	"invisible", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

/* All its pages differ, and none of its tiles is padded. */
static const struct image image = { DRM_QUIRE_LAYOUT_TILE_64K, 4, 256, 256, 1, 1 };

/* How many of the @pages pages at @expected does the piece of VRAM have? */
static uint64_t piece_has(const uint8_t *piece, size_t size, const uint8_t *expected,
			  uint64_t pages)
{
	uint64_t found = 0;

	for (size_t at = 0; at < size; at += QUIRE_PAGE)
		for (uint64_t i = 0; i < pages; i++)
			found += !memcmp(piece + at, expected + i * QUIRE_PAGE, QUIRE_PAGE);
	return found;
}

/* Returns how many of the pages are there, each in one place; or a negative errno. */
static int64_t vram_has(const struct fixture *fixture, const void *expected, uint64_t pages)
{
	static uint8_t piece[MOST];
	int fd = vram_open(fixture, O_RDONLY);
	uint64_t found = 0, size = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	while ((got = read(fd, piece, sizeof(piece))) > 0) {
		found += piece_has(piece, got, expected, pages);
		size += got;
	}
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		return got;
	return size == fixture_vram(fixture) ? (int64_t)found : -EMSGSIZE;
}

/* At any byte, as much as there is; VRAM has @content. */
static void test_offsets(const struct fixture *fixture, const uint8_t *content)
{
	static uint8_t whole[MOST], part[MOST];
	uint64_t size = fixture_vram(fixture);
	int fd = vram_open(fixture, O_RDONLY);
	off_t at = vram_find(fd, content);

	if (!tap_ok(at >= 0, "the content is found")) {
		close(fd);
		return;
	}
	tap_ok(pread(fd, part, 1000, at + ODD) == 1000 && !memcmp(part, content + ODD, 1000),
	       "what is in a page is read");
	tap_ok(pread(fd, whole, MOST, at) == MOST &&
	       pread(fd, part, MOST, at + ODD) == MOST - ODD &&
	       !memcmp(part, whole + ODD, MOST - ODD),
	       "a read from within a page ends with the last page");
	tap_ok(pread(fd, part, 100, size - 3) == 3, "what is left is read");
	tap_ok(pread(fd, part, 100, size) == 0, "there is nothing behind the end");
	tap_ok(pread(fd, part, 100, INT64_MAX - 100) == 0, "nor far behind it");
	tap_ok(pread(fd, part, 0, 0) == 0, "nothing is read if nothing is asked for");
	tap_ok(lseek(fd, 0, SEEK_END) == (off_t)size, "it is as long as VRAM");
	close(fd);
}

/* However much is asked for. */
static void test_most(const struct fixture *fixture)
{
	static uint8_t bytes[2 * MOST];
	int fd = vram_open(fixture, O_RDONLY);

	tap_ok(pread(fd, bytes, sizeof(bytes), 0) == MOST, "a read returns 32 KiB at most");
	close(fd);
}

static const struct place *hidden(const struct fixture *fixture, uint64_t size)
{
	return fixture_has_place(fixture, &invisible, size) ? &invisible : &vram;
}

static void test_linear(const struct fixture *fixture)
{
	uint64_t pages = QUIRE_MIB / QUIRE_PAGE;
	void *expected = malloc(QUIRE_MIB);
	uint64_t key = quire_now_ns();
	struct object object;

	if (!expected)
		tap_bail("no memory");
	pattern_fill(expected, QUIRE_MIB, key);
	tap_ret(object_create(fixture, &object, QUIRE_MIB, key), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, hidden(fixture, QUIRE_MIB)), 0,
		"an object is in VRAM");
	tap_ok(vram_has(fixture, expected, pages) == (int64_t)pages, "VRAM has all its pages");
	test_offsets(fixture, expected);
	tap_ret(object_check(fixture, &object), 0, "and it has its content");
	object_close(fixture, &object);
	free(expected);
}

/* Written while it is elsewhere, so that the device has to make the tiles. */
static int create_image(const struct fixture *fixture, struct object *object,
			const uint8_t *linear)
{
	void *map;
	int ret;

	object->size = image_object_size(&image);
	ret = image_create(fixture->fd, &image, ANYWHERE, &object->handle) ?:
	      quire_bo_map(fixture->fd, object->handle, object->size, &map);
	if (ret)
		return ret;
	memcpy(map, linear, object->size);
	munmap(map, object->size);
	return object_place_and_wait(fixture, object, hidden(fixture, object->size));
}

static void test_tiles(const struct fixture *fixture)
{
	uint64_t size = image_tiled_size(&image), pages = size / QUIRE_PAGE;
	uint8_t *linear = malloc(size), *tiled = calloc(1, size);
	struct object object;

	if (!linear || !tiled)
		tap_bail("no memory");
	pattern_fill(linear, size, quire_now_ns());
	image_tile(&image, linear, tiled);
	if (tap_ret(create_image(fixture, &object, linear), 0, "an image is in VRAM")) {
		tap_ok(vram_has(fixture, tiled, pages) == (int64_t)pages,
		       "VRAM has all its tiles");
		tap_ok(vram_has(fixture, linear, pages) == 0, "and none of its linear pages");
		object_close(fixture, &object);
	}
	free(tiled);
	free(linear);
}

static void test_nowhere(const struct fixture *fixture)
{
	void *nowhere = mmap(NULL, QUIRE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = vram_open(fixture, O_RDONLY);

	if (nowhere == MAP_FAILED)
		tap_bail("no memory");
	tap_ok(pread(fd, nowhere, 100, 0) < 0 && errno == EFAULT,
	       "nobody can have the bytes there: EFAULT");
	munmap(nowhere, QUIRE_PAGE);
	close(fd);
}

static void test_mode(const struct fixture *fixture)
{
	int fd = vram_open(fixture, O_RDWR);
	struct stat info;

	tap_ok(fd >= 0 && pwrite(fd, "x", 1, 0) < 0 && errno == EINVAL, "nobody writes there");
	tap_ok(!fstat(fd, &info) && (info.st_mode & 0777) == 0400, "and nobody but root reads");
	close(fd);
}

/* Also what a processor keeps for itself, which may be an eighth of all. */
static uint64_t free_memory(void)
{
	FILE *stream = fopen("/proc/zoneinfo", "re");
	uint64_t pages = 0, number;
	char line[256];

	if (!stream)
		tap_bail("zoneinfo: %m");
	while (fgets(line, sizeof(line), stream))
		if (sscanf(line, " nr_free_pages %" SCNu64, &number) == 1 ||
		    sscanf(line, " count: %" SCNu64, &number) == 1)
			pages += number;
	fclose(stream);
	return pages * QUIRE_PAGE;
}

/* Not even if it is read again and again. */
static void test_no_leak(const struct fixture *fixture)
{
	uint64_t before = free_memory(), after;
	static const uint8_t page[QUIRE_PAGE];
	bool read = vram_has(fixture, page, 1) >= 0 && vram_has(fixture, page, 1) >= 0;

	after = free_memory();
	if (!tap_ok(read && after + fixture_vram(fixture) > before, "no memory is lost"))
		tap_diag("free: %" PRIu64 " bytes before, %" PRIu64 " after", before, after);
}

/* One TRANSFER for each read, no more. */
static void test_counted(const struct fixture *fixture)
{
	struct debugfs_counter before, after, moves, moved;
	int fd = vram_open(fixture, O_RDONLY);
	static uint8_t bytes[MOST];
	int ret;

	ret = debugfs_counter(fixture->debugfs, "vram->system", &moves) ?:
	      debugfs_counter(fixture->debugfs, "transfer", &before);
	tap_ok(pread(fd, bytes, sizeof(bytes), 0) == MOST, "read");
	ret = ret ?: debugfs_counter(fixture->debugfs, "transfer", &after) ?:
	      debugfs_counter(fixture->debugfs, "vram->system", &moved);
	tap_ret(ret, 0, "the driver counts");
	tap_ok(after.count == before.count + 1 && after.bytes == before.bytes + MOST,
	       "the device has made one TRANSFER");
	tap_ok(moved.count == moves.count, "no object has moved");
	close(fd);
}

static void test_hang(const struct fixture *fixture)
{
	static uint8_t before[QUIRE_PAGE], after[QUIRE_PAGE];
	int fd = vram_open(fixture, O_RDONLY);

	tap_ok(pread(fd, before, sizeof(before), 0) == QUIRE_PAGE, "read");
	fixture_inject(fixture, "hang 1");
	tap_ok(pread(fd, after, sizeof(after), 0) == QUIRE_PAGE &&
	       !memcmp(before, after, sizeof(after)) && fixture_hangs(fixture, 100),
	       "the same after the device hung");
	close(fd);
}

/**
 * struct reading - reads while there is no memory
 * @fd: of the file
 * @denied: that were told so
 * @other: that got another error
 * @got: what the last one returned
 */
struct reading {
	int fd;
	int denied;
	int other;
	ssize_t got;
};

/*
 * Is there an allocation @nth of a read? It may be one whose failure nobody sees, or that somebody
 * else has made, but not again and again.
 */
static bool fails_at(struct reading *reading, unsigned int nth)
{
	bool failed = false, denied = false;
	uint8_t bytes[FEW];

	for (unsigned int tries = 0; !denied && tries < 10; tries++) {
		failing_arm(nth);
		reading->got = pread(reading->fd, bytes, sizeof(bytes), 0);
		denied = reading->got < 0 && errno == ENOMEM;
		reading->other += reading->got < 0 && !denied;
		failed |= failing_disarm();
	}
	reading->denied += denied;
	return failed;
}

static void test_no_memory(const struct fixture *fixture)
{
	struct reading reading = { .fd = vram_open(fixture, O_RDONLY) };
	unsigned int nth = 1;

	if (!failing_begin()) {
		tap_skip("no fault injection", "without memory: ENOMEM");
		close(reading.fd);
		return;
	}
	while (nth < 50 && fails_at(&reading, nth))
		nth++;
	failing_end();
	tap_ok(reading.denied >= 5 && !reading.other && reading.got == FEW,
	       "without memory: ENOMEM, %d times", reading.denied);
	close(reading.fd);
}

static void test_unbound(struct fixture *fixture)
{
	int fd = vram_open(fixture, O_RDONLY);
	uint8_t bytes[100];
	char address[64];

	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)) ?:
		sysfs_driver_write("unbind", address), 0, "unbind");
	tap_ok(pread(fd, bytes, sizeof(bytes), 0) < 0 && errno == EIO, "it has gone: EIO");
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	close(fd);
	close(fixture->fd);
	fixture_reopen(fixture);
	tap_ok(!access(fixture->debugfs, F_OK) && (fd = vram_open(fixture, O_RDONLY)) >= 0 &&
	       pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes), "it is back");
	close(fd);
}

int main(void)
{
	struct fixture fixture;

	tap_start(250);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_linear(&fixture);
	test_tiles(&fixture);
	test_most(&fixture);
	test_nowhere(&fixture);
	test_mode(&fixture);
	test_no_leak(&fixture);
	test_counted(&fixture);
	test_hang(&fixture);
	test_no_memory(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	test_unbound(&fixture);
	return tap_done();
}
