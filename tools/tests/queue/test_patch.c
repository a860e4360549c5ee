// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the driver writes into paging buffers right before the ring takes them, and again when
 * it starts the ring again. A buffer that is broken is not executed, its move says so, and
 * nobody else suffers. Buffers that are patched early and twice are as good as others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device_view.h"
#include "fixture.h"
#include "kmsg.h"

#define SIZE		(40 * QUIRE_PAGE)
#define PERIOD_MS	500

#define TRANSFER	0x0001	/* opcode */

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/**
 * struct patch_state - debugfs "patch"
 * @patches: how often a buffer was patched
 * @mark: value that the device has to write
 * @written: that it wrote
 */
struct patch_state {
	uint64_t patches;
	uint64_t mark;
	uint64_t written;
};

static struct patch_state read_patch(const struct fixture *fixture)
{
	struct patch_state state = { 0 };
	char text[128] = "";

	debugfs_read(fixture->debugfs, "patch", text, sizeof(text));
	if (sscanf(text, "patches %" SCNu64 " mark %" SCNu64 " written %" SCNu64,
		   &state.patches, &state.mark, &state.written) != 3)
		tap_bail("debugfs patch is not as it should be: '%s'", text);
	return state;
}

static struct debugfs_counter read_counter(const struct fixture *fixture, const char *name)
{
	struct debugfs_counter counter = { 0 };

	if (debugfs_counter(fixture->debugfs, name, &counter))
		tap_bail("no counter of %s", name);
	return counter;
}

static uint64_t count(const struct fixture *fixture, const char *name)
{
	return read_counter(fixture, name).count;
}

/* Everything that a move does, with all that is patched. Returns 0 if it is whole. */
static int moves(const struct fixture *fixture)
{
	static const struct place *const way[] = { &vram, &aperture, &vram, &aperture };
	struct object object;
	int ret = object_create(fixture, &object, SIZE, 7);

	for (size_t i = 0; i < ARRAY_SIZE(way) && !ret; i++)
		ret = object_place_and_wait(fixture, &object, way[i]);
	ret = ret ?: object_check(fixture, &object) ?:
	      debugfs_write(fixture->debugfs, "evict_all", "1") ?:
	      object_check(fixture, &object);
	object_close(fixture, &object);
	return ret;
}

/* The value is the ring's: each time another one, and the device says so. */
static void test_mark(const struct fixture *fixture)
{
	uint64_t writes = count(fixture, "WRITE_PHYSICAL");
	struct patch_state before, after;

	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	before = read_patch(fixture);
	tap_ok(before.mark && before.written == before.mark, "the device wrote the mark");
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "5"), 0, "others submit");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything again");
	after = read_patch(fixture);
	tap_ok(after.mark >= before.mark + 6 && after.written == after.mark,
	       "the mark is behind them");
	tap_ok(count(fixture, "WRITE_PHYSICAL") == writes + 2, "each is one write");
}

/* Each buffer is patched once for each time that the device gets it. */
static void test_restart(const struct fixture *fixture)
{
	uint64_t submissions, patches;
	unsigned int hangs;
	struct object object;
	int log = kmsg_open();

	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "place it");
	submissions = count(fixture, "submissions");
	patches = read_patch(fixture).patches;
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "move it");
	tap_ok(read_patch(fixture).patches - patches == count(fixture, "submissions") - submissions,
	       "each submission is patched once");
	test_parameter("hang_period", PERIOD_MS);
	fixture_inject(fixture, "hang 1");
	patches = read_patch(fixture).patches;
	submissions = count(fixture, "submissions");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "move it, with a hang");
	hangs = kmsg_count(log, "is stuck");
	close(log);
	tap_ok(hangs && read_patch(fixture).patches - patches ==
	       count(fixture, "submissions") - submissions + hangs,
	       "what is restarted is patched again");
	test_parameter("hang_period", 3000);
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

/* Packets that the device executed and the driver does not know of. */
static uint64_t unknown_transfers(const struct fixture *fixture)
{
	struct device_packets packets;

	if (device_packets_read(fixture->debugfs, &packets))
		tap_bail("nobody knows what the device executed");
	return packets.opcodes[TRANSFER - 1] - count(fixture, "TRANSFER");
}

/* What died before was the next to be submitted: nothing of it is left. */
static void settle(const struct fixture *fixture)
{
	tap_ok(fixture_settles(fixture, fixture->segments), "what was closed is gone");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "no discard waits");
}

/* A move whose buffer is broken fails, alone, and in its turn. */
static void test_refused(const struct fixture *fixture)
{
	struct object lost, whole;
	uint64_t bytes, unknown;
	bool retained = true;
	int log = kmsg_open();

	settle(fixture);
	tap_ret(object_create(fixture, &lost, SIZE, 1), 0, "one that moves");
	tap_ret(object_create(fixture, &whole, SIZE, 2), 0, "and one behind it");
	bytes = read_counter(fixture, "TRANSFER").bytes;
	unknown = unknown_transfers(fixture);
	test_option("patch_refuse", 1);
	tap_ret(object_place(fixture, &lost, &vram), 0, "its buffer is broken");
	tap_ret(object_place_and_wait(fixture, &whole, &vram), 0, "that of the other is not");
	tap_ret(quire_bo_wait(fixture->fd, lost.handle, WAIT_MS), 0, "the move has ended");
	tap_ok(kmsg_count(log, "its paging buffer is broken and is not executed") == 1,
	       "the log says why");
	tap_ok(read_counter(fixture, "TRANSFER").bytes == bytes + SIZE,
	       "it is not counted as executed");
	if (!tap_ok(unknown_transfers(fixture) == unknown, "and was not"))
		tap_diag("%" PRIu64 " packets, then %" PRIu64, unknown, unknown_transfers(fixture));
	tap_ok(object_flags(fixture, &lost) & DRM_QUIRE_BO_PURGED, "its content is lost");
	tap_ret(quire_bo_madvise(fixture->fd, lost.handle, DRM_QUIRE_MADV_WILLNEED, &retained),
		0, "WILLNEED");
	tap_ok(!retained, "says so, too");
	tap_ret(object_check_zero(fixture, &lost), 0, "it reads as zero");
	tap_ret(object_check(fixture, &whole), 0, "the other one is whole");
	object_close(fixture, &lost);
	object_close(fixture, &whole);
	close(log);
}

/* The mark is not written, and whoever evicts is told. */
static void test_no_mark(const struct fixture *fixture)
{
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "nothing is anywhere");
	test_option("patch_refuse", 1);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), -EIO,
		"the device has not written the mark");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "the next time it does");
}

/* Each buffer is patched once more, and nobody sees that. */
static void test_variant(const struct fixture *fixture, const char *option)
{
	uint64_t submissions = count(fixture, "submissions");
	uint64_t patches = read_patch(fixture).patches;

	test_option(option, 1);
	tap_ret(moves(fixture), 0, "%s: all moves are whole", option);
	submissions = count(fixture, "submissions") - submissions;
	patches = read_patch(fixture).patches - patches;
	tap_ok(submissions && patches == 2 * submissions,
	       "%s: %" PRIu64 " submissions, patched %" PRIu64 " times", option, submissions,
	       patches);
	test_option(option, 0);
}

int main(void)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	tap_ret(moves(&fixture), 0, "all moves are whole");
	test_mark(&fixture);
	test_restart(&fixture);
	test_refused(&fixture);
	test_no_mark(&fixture);
	test_variant(&fixture, "patch_early");
	test_variant(&fixture, "patch_twice");
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
