// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The recorder of libquire: what it writes of each command, which slots it takes, and that
 * the driver's own check has nothing against it.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "libquire_private.h"
#include "quire_client.h"
#include "random.h"
#include "tap.h"

#define SLOTS		64
#define OBJECTS		16
#define OBJECT_SIZE	(1024 * 1024)

static struct quire_device device = { .info.slots = SLOTS };
static struct quire_object objects[OBJECTS];
static struct quire_recorder *recorder;

/* What a patch location has to say. */
struct expected {
	uint32_t handle;	/* 0: it unbinds */
	bool write;
	uint32_t slot;
	uint32_t field;
	uint32_t split_offset;
	uint64_t allocation_offset;
	uint32_t patch_offset;
};

static bool is_as_expected(const struct quire_lists *lists, uint32_t index,
			   const struct expected *expected)
{
	const struct drm_quire_patch_location *patch = &lists->patches[index];
	const struct drm_quire_allocation *allocation = &lists->allocations[patch->allocation];

	if (allocation->handle == expected->handle &&
	    !!(allocation->flags & DRM_QUIRE_ALLOCATION_WRITE) == expected->write &&
	    patch->slot == expected->slot && patch->driver_id == expected->field &&
	    patch->split_offset == expected->split_offset &&
	    patch->allocation_offset == expected->allocation_offset &&
	    patch->patch_offset == expected->patch_offset && !patch->pad)
		return true;
	tap_diag("patch %u: object %u, slot %u, field %u, split %u, offset %llu, patch %u", index,
		 allocation->handle, patch->slot, patch->driver_id, patch->split_offset,
		 (unsigned long long)patch->allocation_offset, patch->patch_offset);
	return false;
}

/* The recorder is empty afterwards. */
static void expect(const char *name, const struct expected *expected, uint32_t count)
{
	struct quire_lists lists = { 0 };
	int ret = quire_recorder_finish(recorder, &lists);
	bool same = !ret && lists.nr_patches == count;

	for (uint32_t i = 0; same && i < count; i++)
		same = is_as_expected(&lists, i, &expected[i]);
	if (ret || lists.nr_patches != count)
		tap_diag("%d, %u patch locations", ret, lists.nr_patches);
	tap_ok(same, "%s: patch locations", name);
	tap_ret(ret ? ret : lists_check(&lists, OBJECTS, OBJECT_SIZE), 0,
		"%s: the driver takes it", name);
	quire_recorder_reset(recorder);
}

#define EXPECT(name, ...) \
	do { \
		const struct expected list[] = { __VA_ARGS__ }; \
		expect(name, list, ARRAY_SIZE(list)); \
	} while (0)

/* The only command, but for its address fields, which are zero. */
static void expect_bytes(const char *name, const void *command, uint32_t size)
{
	struct quire_lists lists = { 0 };
	int ret = quire_recorder_finish(recorder, &lists);

	tap_ok(!ret && lists.commands_size == size && !memcmp(lists.commands, command, size),
	       "%s: bytes", name);
}

#define EXPECT_BYTES(name, ...) \
	do { \
		const __VA_ARGS__; \
		expect_bytes(name, &command, sizeof(command)); \
	} while (0)

#define HEADER(code, flag)	{ htole16(code), htole16(flag), htole32(sizeof(command)) }
#define FIELD(command, name)	offsetof(struct quire_command_##command, name)

static struct quire_location at(uint32_t handle, uint64_t offset)
{
	return quire_at(&objects[handle - 1], offset);
}

static void test_ranges(void)
{
	quire_recorder_copy(recorder, at(1, 3), at(2, 5), 7);
	EXPECT_BYTES("copy", struct quire_command_copy command = {
		HEADER(QUIRE_COMMAND_COPY, 0), .size = htole64(7) });
	EXPECT("copy", { 1, false, 0, 0, 0, 3, FIELD(copy, src) },
	       { 2, true, 1, 1, 0, 5, FIELD(copy, dst) });

	quire_recorder_fill(recorder, at(3, 8), 12, 0x01020304);
	EXPECT_BYTES("fill", struct quire_command_fill command = {
		HEADER(QUIRE_COMMAND_FILL, 0), .size = htole64(12),
		.pattern = htole32(0x01020304) });
	EXPECT("fill", { 3, true, 0, 1, 0, 8, FIELD(fill, dst) });

	quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_XOR, at(1, 4), at(2, 8), 12);
	EXPECT_BYTES("arithmetic", struct quire_command_arithmetic command = {
		HEADER(QUIRE_COMMAND_ARITHMETIC, QUIRE_ARITHMETIC_XOR), .size = htole64(12) });
	EXPECT("arithmetic", { 1, false, 0, 0, 0, 4, FIELD(arithmetic, src) },
	       { 2, true, 1, 1, 0, 8, FIELD(arithmetic, dst) });

	quire_recorder_checksum(recorder, at(1, 32), 9, at(2, 16));
	EXPECT_BYTES("checksum", struct quire_command_checksum command = {
		HEADER(QUIRE_COMMAND_CHECKSUM, 0), .size = htole64(9) });
	EXPECT("checksum", { 1, false, 0, 0, 0, 32, FIELD(checksum, src) },
	       { 2, true, 1, 2, 0, 16, FIELD(checksum, result) });

	quire_recorder_compare(recorder, at(1, 1), at(2, 2), 9, at(3, 8));
	EXPECT_BYTES("compare", struct quire_command_compare command = {
		HEADER(QUIRE_COMMAND_COMPARE, 0), .size = htole64(9) });
	EXPECT("compare", { 1, false, 0, 0, 0, 1, FIELD(compare, src) },
	       { 2, false, 1, 1, 0, 2, FIELD(compare, dst) },
	       { 3, true, 2, 2, 0, 8, FIELD(compare, result) });
}

static void test_values(void)
{
	quire_recorder_write_value(recorder, at(1, 8), 0x0123456789abcdef);
	EXPECT_BYTES("write_value", struct quire_command_write_value command = {
		HEADER(QUIRE_COMMAND_WRITE_VALUE, 0), .value = htole64(0x0123456789abcdef) });
	EXPECT("write_value", { 1, true, 0, 1, 0, 8, FIELD(write_value, dst) });

	quire_recorder_wait_value(recorder, QUIRE_WAIT_GREATER_EQUAL, at(1, 16), 5);
	EXPECT_BYTES("wait_value", struct quire_command_wait_value command = {
		HEADER(QUIRE_COMMAND_WAIT_VALUE, QUIRE_WAIT_GREATER_EQUAL),
		.value = htole64(5) });
	EXPECT("wait_value", { 1, false, 0, 0, 0, 16, FIELD(wait_value, src) });

	quire_recorder_delay(recorder, 1000);
	EXPECT_BYTES("delay", struct quire_command_delay command = {
		HEADER(QUIRE_COMMAND_DELAY, 0), .ns = htole64(1000) });
	expect("delay", NULL, 0);

	quire_recorder_nop(recorder, 24);
	EXPECT_BYTES("nop", struct { struct quire_packet_header header; uint64_t rest[2]; }
		     command = { .header = HEADER(QUIRE_COMMAND_NOP, 0) });
	expect("nop", NULL, 0);
}

static void test_2d(void)
{
	const struct quire_image linear = {
		.at = at(1, 64), .pitch = 256, .width = 60, .height = 20,
	};
	const struct quire_image tiled = {
		.at = at(2, 65536), .layout = QUIRE_LAYOUT_TILE_64K, .width = 100, .height = 200,
		.levels = 3, .array_size = 2, .level = 2, .slice = 1,
	};
	const struct quire_rectangle where = { -1, 2, 3, -4, 50, 60 };
	struct quire_lists lists;

	quire_recorder_copy_2d(recorder, &linear, &tiled, &where, 4);
	EXPECT_BYTES("copy_2d", struct quire_command_2d command = {
		HEADER(QUIRE_COMMAND_COPY_2D, 0),
		.src = { .pitch = htole32(256), .width = htole32(60), .height = htole32(20),
			 .levels = htole16(1), .array_size = htole16(1) },
		.dst = { .layout = htole32(QUIRE_LAYOUT_TILE_64K), .width = htole32(100),
			 .height = htole32(200), .levels = htole16(3),
			 .array_size = htole16(2), .level = htole16(2), .slice = htole16(1) },
		.element_shift = htole32(2), .src_x = htole32(-1), .src_y = htole32(2),
		.dst_x = htole32(3), .dst_y = htole32(-4), .columns = htole32(50),
		.rows = htole32(60) });
	quire_recorder_finish(recorder, &lists);
	tap_ok(lists.allocations[0].offset == 64 &&
	       lists.allocations[0].size == 19 * 256 + 60 * 4, "linear: all of the image");
	/* level 0 has 1 tile in a row of 128 elements, 2 rows of them; the others have 1 */
	tap_ok(lists.allocations[1].offset == 65536 &&
	       lists.allocations[1].size == 2 * 4 * 65536, "tiled: all of the image");
	EXPECT("copy_2d", { 1, false, 0, 0, 0, 64, FIELD(2d, src.address) },
	       { 2, true, 1, 1, 0, 65536, FIELD(2d, dst.address) });

	quire_recorder_blend(recorder, &tiled, &linear, &where);
	EXPECT("blend", { 2, false, 0, 0, 0, 65536, FIELD(2d, src.address) },
	       { 1, true, 1, 1, 0, 64, FIELD(2d, dst.address) });
}

/* What a recorder writes, and addresses. */
static void expect_addresses(const char *name, struct quire_command_2d written, uint64_t src,
			     uint64_t dst)
{
	tap_ok(le64toh(written.src.address) == src && le64toh(written.dst.address) == dst,
	       "%s: virtual addresses", name);
	written.src.address = 0;
	written.dst.address = 0;
	expect_bytes(name, &written, sizeof(written));
	quire_recorder_reset(recorder);
}

static void test_virtual_2d(void)
{
	const uint64_t high = 0x700000010000;
	const struct quire_image linear = {
		.at = at(1, 64), .pitch = 256, .width = 60, .height = 20,
	};
	const struct quire_image tiled = {
		.at = at(2, high), .layout = QUIRE_LAYOUT_TILE_64K, .width = 100, .height = 200,
		.levels = 3, .array_size = 2, .level = 2, .slice = 1,
	};
	const struct quire_rectangle where = { -1, 2, 3, -4, 50, 60 };
	struct quire_command_2d written[2];
	struct quire_writer writer = { .bytes = written, .size = sizeof(written) };

	quire_write_copy_2d(&writer, &linear, &tiled, &where, 4);
	quire_write_blend(&writer, &tiled, &linear, &where);
	tap_ok(writer.used == sizeof(written), "both are written");
	quire_recorder_copy_2d(recorder, &linear, &tiled, &where, 4);
	expect_addresses("virtual copy_2d", written[0], 64, high);
	quire_recorder_blend(recorder, &tiled, &linear, &where);
	expect_addresses("virtual blend", written[1], high, 64);
}

static void test_slots(void)
{
	const uint32_t second = sizeof(struct quire_command_copy), third = 2 * second;

	quire_recorder_copy(recorder, at(1, 0), at(3, 0), 8);
	quire_recorder_copy(recorder, at(2, 0), at(3, 0), 8);
	EXPECT("another source", { 1, false, 0, 0, 0, 0, FIELD(copy, src) },
	       { 3, true, 1, 1, 0, 0, FIELD(copy, dst) },
	       { 2, false, 0, 0, second, 0, second + FIELD(copy, src) },
	       { 3, true, 1, 1, second, 0, second + FIELD(copy, dst) });

	quire_recorder_copy(recorder, at(1, 0), at(3, 0), 8);
	quire_recorder_fill(recorder, at(3, 0), 8, 0);
	EXPECT("what is not used is unbound", { 1, false, 0, 0, 0, 0, FIELD(copy, src) },
	       { 3, true, 1, 1, 0, 0, FIELD(copy, dst) },
	       { 0, false, 0, 0, second, 0, 0 },
	       { 3, true, 1, 1, second, 0, second + FIELD(fill, dst) });

	quire_recorder_copy(recorder, at(1, 0), at(2, 0), 8);
	quire_recorder_copy(recorder, at(2, 0), at(1, 0), 8);
	quire_recorder_nop(recorder, 8);
	EXPECT("there and back: two allocations of each",
	       { 1, false, 0, 0, 0, 0, FIELD(copy, src) },
	       { 2, true, 1, 1, 0, 0, FIELD(copy, dst) },
	       { 2, false, 0, 0, second, 0, second + FIELD(copy, src) },
	       { 1, true, 1, 1, second, 0, second + FIELD(copy, dst) },
	       { 0, false, 0, 0, third, 0, 0 }, { 0, false, 1, 0, third, 0, 0 });

	quire_recorder_compare(recorder, at(1, 0), at(1, 64), 8, at(1, 128));
	EXPECT("one binding, two fields", { 1, false, 0, 0, 0, 0, FIELD(compare, src) },
	       { 1, false, 0, 1, 0, 64, FIELD(compare, dst) },
	       { 1, true, 1, 2, 0, 128, FIELD(compare, result) });
}

/* Of slots that will be given up it is the one used least recently. */
static void test_least_recent(void)
{
	const uint32_t fill = sizeof(struct quire_command_fill);
	const uint32_t last = sizeof(struct quire_command_compare) + fill;

	quire_recorder_compare(recorder, at(1, 0), at(2, 0), 8, at(3, 0));
	quire_recorder_fill(recorder, at(4, 0), 8, 0);
	quire_recorder_copy(recorder, at(5, 0), at(4, 0), 8);
	EXPECT("the least recently used slot", { 1, false, 0, 0, 0, 0, FIELD(compare, src) },
	       { 2, false, 1, 1, 0, 0, FIELD(compare, dst) },
	       { 3, true, 2, 2, 0, 0, FIELD(compare, result) },
	       { 0, false, 1, 0, last - fill, 0, 0 }, { 0, false, 2, 0, last - fill, 0, 0 },
	       { 4, true, 0, 1, last - fill, 0, last - fill + FIELD(fill, dst) },
	       { 5, false, 3, 0, last, 0, last + FIELD(copy, src) },
	       { 4, true, 0, 1, last, 0, last + FIELD(copy, dst) });
}

static void test_bound(void)
{
	const uint32_t size = sizeof(struct quire_command_copy);

	quire_recorder_bind(recorder, 9, at(3, 0), 64, true);
	quire_recorder_copy(recorder, at(1, 0), at(2, 0), 8);
	quire_recorder_copy(recorder, at(1, 0), at(3, 0), 8);
	quire_recorder_copy(recorder, at(3, 0), at(2, 0), 8);
	quire_recorder_unbind(recorder, 9);
	quire_recorder_copy(recorder, at(3, 0), at(2, 0), 8);
	EXPECT("what is bound stays bound", { 1, false, 0, 0, 0, 0, FIELD(copy, src) },
	       { 2, true, 1, 1, 0, 0, FIELD(copy, dst) },
	       { 0, false, 1, 0, size, 0, 0 },
	       { 1, false, 0, 0, size, 0, size + FIELD(copy, src) },
	       { 3, true, 9, 1, size, 0, size + FIELD(copy, dst) },
	       { 3, true, 9, 0, size, 0, 2 * size + FIELD(copy, src) },
	       { 2, true, 0, 1, 2 * size, 0, 2 * size + FIELD(copy, dst) },
	       { 3, false, 9, 0, 3 * size, 0, 3 * size + FIELD(copy, src) },
	       { 2, true, 0, 1, 3 * size, 0, 3 * size + FIELD(copy, dst) });
}

static void test_merged(void)
{
	struct quire_lists lists;

	quire_recorder_fill(recorder, at(1, 4096), 64, 0);
	quire_recorder_fill(recorder, at(1, 64), 64, 0);
	quire_recorder_fill(recorder, at(1, 8192), 64, 0);
	quire_recorder_copy(recorder, at(1, 100), at(1, 200), 10);
	quire_recorder_finish(recorder, &lists);
	tap_ok(lists.nr_allocations == 2, "it is listed once to be written, once to be read");
	tap_ok(lists.allocations[0].offset == 64 && lists.allocations[0].size == 8192,
	       "from the first to the last byte that is written");
	tap_ok(lists.allocations[1].offset == 100 && lists.allocations[1].size == 10,
	       "what is only read is not widened by what is written");
	quire_recorder_reset(recorder);
}

static void expect_error(int error, const char *name)
{
	struct quire_lists lists;

	quire_recorder_fill(recorder, at(1, 0), 8, 0);
	quire_recorder_copy(recorder, quire_at(NULL, 0), at(1, 0), 8);
	tap_ret(quire_recorder_finish(recorder, &lists), error, "%s", name);
	quire_recorder_reset(recorder);
}

static void test_errors(void)
{
	struct quire_lists lists;
	struct quire_result result;

	expect_error(-EINVAL, "no object");
	quire_recorder_fill(recorder, at(1, UINT64_MAX - 7), 16, 0);
	expect_error(-ERANGE, "an offset that wraps, before no object");
	quire_recorder_unbind(recorder, 1);
	expect_error(-EBADSLT, "a slot that nobody bound");
	quire_recorder_bind(recorder, SLOTS, at(1, 0), 8, false);
	expect_error(-EBADSLT, "a slot that is not there");
	quire_recorder_nop(recorder, 12);
	expect_error(-EINVAL, "a size that is no multiple of 8");
	for (uint32_t i = 0; i < SLOTS; i++)
		quire_recorder_bind(recorder, i, at(1, 0), 8, true);
	quire_recorder_fill(recorder, at(2, 0), 8, 0);
	expect_error(-ENOSPC, "all slots are bound");
	quire_recorder_bind(recorder, 1, at(1, 0), 8, false);
	quire_recorder_bind(recorder, 1, at(2, 0), 8, false);
	tap_ret(quire_recorder_submit(recorder, NULL, NULL, &result), -EBADSLT,
		"it is told when it is submitted");
	tap_ok(strstr(result.message, "EBADSLT"), "in words: %s", result.message);
	quire_recorder_reset(recorder);
	for (uint32_t i = 0; i < SLOTS; i++)
		quire_recorder_bind(recorder, i, at(1, 0), 8, true);
	quire_recorder_fill(recorder, at(2, 0), 8, 0);
	tap_ret(quire_recorder_submit(recorder, NULL, NULL, &result), -ENOSPC,
		"so is that there is no slot");
	tap_ok(strstr(result.message, "all slots"), "in words: %s", result.message);
	quire_recorder_reset(recorder);
	quire_recorder_fill(recorder, at(1, 0), 8, 0);
	tap_ret(quire_recorder_finish(recorder, &lists), 0, "a recorder that is reset has none");
	quire_recorder_reset(recorder);
}

static struct quire_location random_place(uint64_t *random)
{
	uint32_t handle = 1 + random_below(random, OBJECTS);

	return at(handle, random_below(random, OBJECT_SIZE / 64) * 32);
}

static void record_random(uint64_t *random)
{
	struct quire_location src = random_place(random), dst = random_place(random);
	uint64_t size = 4 + 4 * random_below(random, 16);

	switch (random_below(random, 7)) {
	case 0:
		return quire_recorder_copy(recorder, src, dst, size);
	case 1:
		return quire_recorder_fill(recorder, dst, size, 1);
	case 2:
		return quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_ADD, src, dst,
						 size);
	case 3:
		return quire_recorder_checksum(recorder, src, size, dst);
	case 4:
		return quire_recorder_compare(recorder, src, dst, size, random_place(random));
	case 5:
		return quire_recorder_nop(recorder, 8 + 8 * random_below(random, 4));
	default:
		return quire_recorder_write_value(recorder, dst, 1);
	}
}

/* Sets *@most to the most slots that hold something at one time. */
static bool replay(const struct quire_lists *lists, uint32_t *most)
{
	bool held[SLOTS] = { false };
	uint32_t count, end = 0;

	*most = 0;
	for (uint32_t i = 0; i < lists->nr_patches; i++) {
		const struct drm_quire_patch_location *patch = &lists->patches[i];

		if (patch->split_offset < end)
			return false;
		end = patch->split_offset;
		held[patch->slot] = lists->allocations[patch->allocation].handle;
		if (i + 1 < lists->nr_patches && patch[1].split_offset == end)
			continue;
		count = 0;
		for (uint32_t slot = 0; slot < SLOTS; slot++)
			count += held[slot];
		*most = count > *most ? count : *most;
	}
	return true;
}

/* @kept: slots that are bound and unbound on the way */
static void test_random(uint32_t commands, uint32_t kept, const char *name)
{
	bool bound[SLOTS] = { false };
	struct quire_lists lists = { 0 };
	uint64_t random = 1;
	uint32_t most = 0;

	for (uint32_t i = 0; i < commands; i++) {
		uint32_t slot = kept ? random_below(&random, kept) : 0;

		if (kept && random_below(&random, 4) == 0) {
			if (bound[slot])
				quire_recorder_unbind(recorder, slot);
			else
				quire_recorder_bind(recorder, slot, random_place(&random), 64,
						    random_below(&random, 2));
			bound[slot] = !bound[slot];
		}
		record_random(&random);
	}
	tap_ret(quire_recorder_finish(recorder, &lists), 0, "%s: it is recorded", name);
	tap_ret(lists_check(&lists, OBJECTS, OBJECT_SIZE), 0,
		"%s: the driver takes it", name);
	tap_ok(replay(&lists, &most), "%s: split offsets ascend", name);
	tap_ok(most <= 3 + kept,
	       "%s: no more is bound than a command uses, and what is kept: %u", name, most);
	quire_recorder_reset(recorder);
}

int main(void)
{
	tap_start(60);
	for (uint32_t i = 0; i < OBJECTS; i++)
		objects[i] = (struct quire_object){
			.device = &device, .info = { .handle = i + 1, .size = OBJECT_SIZE },
		};
	if (quire_recorder_create(&device, &recorder))
		tap_bail("no memory");
	test_ranges();
	test_values();
	test_2d();
	test_virtual_2d();
	test_slots();
	test_least_recent();
	test_bound();
	test_merged();
	test_errors();
	test_random(30000, 0, "30000 commands");
	test_random(30000, 8, "30000 commands, 8 slots kept");
	quire_recorder_destroy(recorder);
	return tap_done();
}
