// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Address spaces: what addresses lead to after binds of every kind, and what becomes of a
 * context whose commands go where they must not. The device reads by CHECKSUM, and the CPU says
 * what it should find.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dmabuf.h"
#include "image.h"
#include "refuse.h"
#include "space.h"

#define SIZE	(16 * QUIRE_PAGE)
#define BASE	0x100000000ull
#define OTHER	0x123456789000ull	/* other tables on every level */
#define ZERO	DRM_QUIRE_BIND_MAP_ZERO
#define UNMAP	DRM_QUIRE_BIND_UNMAP

static uint8_t first_bytes[SIZE], second_bytes[SIZE];

static uint64_t page(unsigned int number)
{
	return BASE + number * QUIRE_PAGE;
}

/* Two objects with known bytes, the first of them bound. */
struct pair {
	struct space space;
	struct quire_object *first;
	struct quire_object *second;
};

static void pair_open(struct pair *pair, struct work *work, uint32_t classes)
{
	space_open(&pair->space, work);
	pair->first = work_object_in(work, SIZE, classes);
	pair->second = work_object_in(work, SIZE, classes);
	space_soil(pair->first, 1);
	space_soil(pair->second, 2);
	pattern_fill(first_bytes, SIZE, 1);
	pattern_fill(second_bytes, SIZE, 2);
	space_map(&pair->space, BASE, pair->first, 0, SIZE);
}

static void pair_close(struct pair *pair)
{
	quire_object_close(pair->first);
	quire_object_close(pair->second);
	space_close(&pair->space);
}

/* Pages from @from on, up to @to, are those of the bytes from page @at on. */
static bool leads(struct pair *pair, unsigned int from, unsigned int to, const uint8_t *bytes,
		  unsigned int at)
{
	return space_has(&pair->space, page(from), bytes + at * QUIRE_PAGE,
			 (to - from) * QUIRE_PAGE);
}

static void test_map(struct work *work, uint32_t classes, const char *name)
{
	struct pair pair;
	uint64_t number = 0x1122334455667788;

	pair_open(&pair, work, classes);
	tap_ok(leads(&pair, 0, 16, first_bytes, 0), "%s: an object is bound", name);
	space_map(&pair.space, OTHER, pair.second, 5 * QUIRE_PAGE, 3 * QUIRE_PAGE);
	tap_ok(space_has(&pair.space, OTHER, second_bytes + 5 * QUIRE_PAGE, 3 * QUIRE_PAGE),
	       "%s: a part of one", name);
	tap_ok(space_faults(&pair.space, OTHER + 3 * QUIRE_PAGE) &&
	       space_faults(&pair.space, OTHER - QUIRE_PAGE), "%s: and no more of it", name);
	space_map(&pair.space, page(100), pair.first, 0, SIZE);
	space_map(&pair.space, page(200), pair.first, QUIRE_PAGE, QUIRE_PAGE);
	tap_ok(leads(&pair, 100, 116, first_bytes, 0) && leads(&pair, 200, 201, first_bytes, 1),
	       "%s: the same one twice more", name);
	quire_write_value(&pair.space.writer, page(200) + 8, number);
	tap_ret(space_run(&pair.space), 0, "%s: a number is written by one address", name);
	memcpy(first_bytes + QUIRE_PAGE + 8, &number, sizeof(number));
	tap_ok(leads(&pair, 0, 16, first_bytes, 0) && leads(&pair, 100, 116, first_bytes, 0) &&
	       !memcmp(space_bytes(pair.first), first_bytes, SIZE),
	       "%s: all others, and the CPU, see it", name);
	quire_write_copy(&pair.space.writer, page(0) + 3, OTHER + 100, 2 * QUIRE_PAGE + 7);
	tap_ret(space_run(&pair.space), 0, "%s: a copy of odd bytes", name);
	memcpy(second_bytes + 5 * QUIRE_PAGE + 100, first_bytes + 3, 2 * QUIRE_PAGE + 7);
	tap_ok(!memcmp(space_bytes(pair.second), second_bytes, SIZE), "%s: is right", name);
	pair_close(&pair);
}

static void test_overlap(struct work *work)
{
	struct pair pair;

	pair_open(&pair, work, 0);
	space_map(&pair.space, page(6), pair.second, 2 * QUIRE_PAGE, 4 * QUIRE_PAGE);
	tap_ok(leads(&pair, 0, 6, first_bytes, 0) && leads(&pair, 6, 10, second_bytes, 2) &&
	       leads(&pair, 10, 16, first_bytes, 10), "one inside of another");
	space_map(&pair.space, page(8), pair.second, 0, 5 * QUIRE_PAGE);
	tap_ok(leads(&pair, 6, 8, second_bytes, 2) && leads(&pair, 8, 13, second_bytes, 0) &&
	       leads(&pair, 13, 16, first_bytes, 13), "over the ends of two");
	space_unmap(&pair.space, page(2), 2 * QUIRE_PAGE);
	tap_ok(leads(&pair, 0, 2, first_bytes, 0) && space_faults(&pair.space, page(2)) &&
	       space_faults(&pair.space, page(3)) && leads(&pair, 4, 6, first_bytes, 4),
	       "a hole in the middle");
	space_unmap(&pair.space, page(5), 10 * QUIRE_PAGE);
	tap_ok(leads(&pair, 4, 5, first_bytes, 4) && leads(&pair, 15, 16, first_bytes, 15),
	       "a hole over several");
	for (unsigned int i = 5; i < 15; i++)
		if (!space_faults(&pair.space, page(i)))
			tap_ok(false, "page %u is in the hole", i);
	space_map(&pair.space, BASE, pair.second, 0, SIZE);
	tap_ok(leads(&pair, 0, 16, second_bytes, 0), "one over all");
	space_unmap(&pair.space, 0, DRM_QUIRE_VM_SIZE / 4);
	tap_ok(space_faults(&pair.space, page(0)) && space_faults(&pair.space, page(15)),
	       "a quarter of the space unbound");
	tap_ok(!memcmp(space_bytes(pair.first), first_bytes, SIZE) &&
	       !memcmp(space_bytes(pair.second), second_bytes, SIZE), "the content is whole");
	pair_close(&pair);
}

static void test_ends(struct work *work)
{
	const uint64_t last = DRM_QUIRE_VM_SIZE - QUIRE_PAGE;
	struct pair pair;

	pair_open(&pair, work, 0);
	space_map(&pair.space, 0, pair.first, 0, SIZE);
	space_map(&pair.space, last, pair.second, 0, QUIRE_PAGE);
	tap_ok(space_has(&pair.space, 0, first_bytes, SIZE), "address 0");
	tap_ok(space_has(&pair.space, last, second_bytes, QUIRE_PAGE), "the last page");
	space_map(&pair.space, (1ull << 39) - 8 * QUIRE_PAGE, pair.second, 0, SIZE);
	tap_ok(space_has(&pair.space, (1ull << 39) - 8 * QUIRE_PAGE, second_bytes, SIZE),
	       "over the border of tables of all levels");
	pair_close(&pair);
}

static void test_zero(struct work *work)
{
	struct pair pair;

	pair_open(&pair, work, 0);
	tap_ret(space_bind(&pair.space, ZERO, 0, page(4), 4 * QUIRE_PAGE), 0,
		"zero over an object");
	tap_ok(space_is_zero(&pair.space, page(4), 4 * QUIRE_PAGE), "reads as zero");
	quire_write_fill(&pair.space.writer, page(4), 4 * QUIRE_PAGE, 0xffffffff);
	tap_ret(space_run(&pair.space), 0, "is written");
	tap_ok(space_is_zero(&pair.space, page(4), 4 * QUIRE_PAGE), "and stays zero");
	tap_ok(leads(&pair, 0, 4, first_bytes, 0) && leads(&pair, 8, 16, first_bytes, 8),
	       "beside it is the object");
	tap_ok(!memcmp(space_bytes(pair.first), first_bytes, SIZE), "which is whole");
	tap_ret(space_bind(&pair.space, ZERO, 0, OTHER, QUIRE_MIB * 64), 0, "64 MiB of zero");
	tap_ok(space_is_zero(&pair.space, OTHER + 63 * QUIRE_MIB, QUIRE_MIB), "are zero");
	space_map(&pair.space, page(4), pair.second, 0, QUIRE_PAGE);
	tap_ok(leads(&pair, 4, 5, second_bytes, 0) &&
	       space_is_zero(&pair.space, page(5), 3 * QUIRE_PAGE), "an object over zero");
	pair_close(&pair);
}

/**
 * struct wrong - an access that ends a context
 * @name: of it
 * @flags: of the binding of page 3
 * @operation: of it
 * @fault: enum quire_fault
 * @write: a FILL of four pages from page 1 on; else a CHECKSUM of the same; or, with @fetch,
 *         commands there
 * @fetch: commands at page 3
 */
struct wrong {
	const char *name;
	uint32_t operation;
	uint32_t flags;
	uint32_t fault;
	bool write;
	bool fetch;
};

static const struct wrong wrongs[] = {
	{ "read unbound", UNMAP, 0, QUIRE_FAULT_PAGE, false, false },
	{ "write unbound", UNMAP, 0, QUIRE_FAULT_PAGE, true, false },
	{ "execute unbound", UNMAP, 0, QUIRE_FAULT_PAGE, false, true },
	{ "write what is read-only", DRM_QUIRE_BIND_MAP, DRM_QUIRE_BIND_READ_ONLY,
	  QUIRE_FAULT_PROTECTION, true, false },
	{ "write zero that is read-only", ZERO, DRM_QUIRE_BIND_READ_ONLY,
	  QUIRE_FAULT_PROTECTION, true, false },
	{ "execute what may not be", DRM_QUIRE_BIND_MAP, DRM_QUIRE_BIND_NO_EXECUTE,
	  QUIRE_FAULT_PROTECTION, false, true },
	{ "execute zero that may not be", ZERO, DRM_QUIRE_BIND_NO_EXECUTE,
	  QUIRE_FAULT_PROTECTION, false, true },
	{ "execute what is no command", DRM_QUIRE_BIND_MAP, 0, QUIRE_FAULT_BAD_OPCODE, false,
	  true },
};

static int do_wrong(struct pair *pair, const struct wrong *wrong)
{
	const struct quire_fence_point end = { .fence = pair->space.fence };
	const struct quire_submission how = { .nr_signals = 1, .signals = &end };
	struct quire_writer *writer = &pair->space.writer;

	if (wrong->fetch)
		return quire_exec(pair->space.context, page(3), 32, &how, NULL) ?:
		       work_fence_wait(pair->space.fence);
	quire_write_delay(writer, 0);
	if (wrong->write)
		quire_write_fill(writer, page(1), 4 * QUIRE_PAGE, 7);
	else
		quire_write_checksum(writer, page(1), 4 * QUIRE_PAGE, SPACE_RESULTS);
	return space_run(&pair->space);
}

static uint32_t wrong_access(const struct wrong *wrong)
{
	if (wrong->fault == QUIRE_FAULT_BAD_OPCODE)
		return 0;
	if (wrong->fetch)
		return QUIRE_ACCESS_EXECUTE;
	return wrong->write ? QUIRE_ACCESS_WRITE : QUIRE_ACCESS_READ;
}

/* Without the segment and the page. */
static uint64_t wrong_entry(const struct wrong *wrong)
{
	uint64_t bits = QUIRE_PTE_VALID;

	if (wrong->fault != QUIRE_FAULT_PROTECTION)
		return 0;
	if (wrong->operation == ZERO)
		bits |= QUIRE_PTE_ZERO;
	return bits | (wrong->write ? QUIRE_PTE_READ_ONLY : QUIRE_PTE_NO_EXECUTE);
}

static void expect_fault(struct pair *pair, const struct wrong *wrong)
{
	const struct drm_quire_context_state expected = {
		.entry = wrong_entry(wrong),
		.access = wrong_access(wrong),
		.status = DRM_QUIRE_CONTEXT_FAULTED,
		.submission = 2,
		.offset = wrong->fetch ? 0 : sizeof(struct quire_command_delay),
		.fault = wrong->fault,
		.address = wrong->fault == QUIRE_FAULT_BAD_OPCODE ? 0 : page(3),
	};
	struct drm_quire_context_state state;

	quire_context_state(pair->space.context, &state);
	if (wrong->fault == QUIRE_FAULT_BAD_OPCODE)
		state.address = 0;
	state.entry &= QUIRE_PTE_VALID | QUIRE_PTE_ZERO | QUIRE_PTE_READ_ONLY |
		       QUIRE_PTE_NO_EXECUTE | QUIRE_PTE_LARGE;
	state.context = 0;
	tap_ok(!memcmp(&state, &expected, sizeof(state)), "%s: the context tells", wrong->name);
	if (memcmp(&state, &expected, sizeof(state)))
		tap_diag("status %u, submission %llu, offset %u, fault %u, address %#llx",
			 state.status, (unsigned long long)state.submission, state.offset,
			 state.fault, (unsigned long long)state.address);
	if (memcmp(&state, &expected, sizeof(state)))
		tap_diag("access %u, level %u, entry %#llx", state.access, state.level,
			 (unsigned long long)state.entry);
	quire_write_delay(&pair->space.writer, 0);
	tap_ret(space_run(&pair->space), -ECANCELED, "%s: it executes nothing more",
		wrong->name);
}

static void test_wrong(struct work *work, const struct wrong *wrong)
{
	const uint32_t no_opcode[8] = { 0x00200fff, 32 };
	struct drm_quire_bind bind = {
		.operation = wrong->operation, .flags = wrong->flags, .address = page(3),
		.size = QUIRE_PAGE,
	};
	struct quire_context *bystander;
	struct quire_context *mine;
	struct pair pair;

	pair_open(&pair, work, 0);
	if (wrong->fault == QUIRE_FAULT_BAD_OPCODE)
		memcpy((char *)space_bytes(pair.first) + 3 * QUIRE_PAGE, no_opcode,
		       sizeof(no_opcode));
	if (bind.operation == DRM_QUIRE_BIND_MAP) {
		bind.handle = quire_object_handle(pair.first);
		bind.offset = 3 * QUIRE_PAGE;
	}
	tap_ret(quire_vm_bind(pair.space.vm, &bind, 1, NULL, NULL), 0, "%s: bind", wrong->name);
	bystander = space_context(&pair.space);
	tap_ok(leads(&pair, 4, 16, first_bytes, 4), "%s: all is well before", wrong->name);
	tap_ret(do_wrong(&pair, wrong), -EIO, "%s: the fence has the error", wrong->name);
	expect_fault(&pair, wrong);
	mine = pair.space.context;
	pair.space.context = bystander;
	tap_ok(leads(&pair, 8, 16, first_bytes, 8), "%s: another context goes on", wrong->name);
	tap_ret(work_context_status(bystander), DRM_QUIRE_CONTEXT_GOOD, "%s: and is good",
		wrong->name);
	quire_context_destroy(mine);
	pair_close(&pair);
}

/* Read-only is to be read, no-execute to be read and written. */
static void test_allowed(struct work *work)
{
	struct pair pair;

	pair_open(&pair, work, 0);
	tap_ret(quire_vm_map(pair.space.vm, page(20), pair.first, 0, SIZE,
			     DRM_QUIRE_BIND_READ_ONLY), 0, "bind read-only");
	tap_ok(leads(&pair, 20, 36, first_bytes, 0), "read-only is read");
	tap_ret(quire_vm_map(pair.space.vm, page(40), pair.second, 0, SIZE,
			     DRM_QUIRE_BIND_NO_EXECUTE), 0, "bind without execution");
	tap_ok(leads(&pair, 40, 56, second_bytes, 0), "what is not executed is read");
	quire_write_copy(&pair.space.writer, page(20), page(40), SIZE);
	tap_ret(space_run(&pair.space), 0, "and written");
	tap_ok(leads(&pair, 40, 56, first_bytes, 0), "as it was to be");
	quire_write_copy(&pair.space.writer, page(40), page(20), QUIRE_PAGE);
	tap_ret(space_run(&pair.space), -EIO, "read-only by one address");
	space_renew_context(&pair.space);
	quire_write_fill(&pair.space.writer, page(0), QUIRE_PAGE, 3);
	tap_ret(space_run(&pair.space), 0, "writable by another one");
	pair_close(&pair);
}

#define MANY	DRM_QUIRE_MAX_BINDS

/* Page i leads to page (i * 7) % 16 of an object by turns. */
static void test_many(struct work *work)
{
	struct drm_quire_bind *binds = calloc(MANY + 1, sizeof(*binds));
	struct pair pair;
	uint32_t refused = 0;
	bool right = true;

	pair_open(&pair, work, 0);
	for (unsigned int i = 0; i < MANY; i++)
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = page(1000 + i),
			.size = QUIRE_PAGE,
			.offset = i * 7 % 16 * QUIRE_PAGE,
			.handle = quire_object_handle(i % 2 ? pair.first : pair.second),
		};
	binds[MANY - 1].handle = NO_HANDLE;
	tap_ret(quire_vm_bind(pair.space.vm, binds, MANY, NULL, &refused), -ENOENT,
		"the last of many is wrong");
	tap_ok(refused == MANY - 1, "it is named: %u", refused);
	tap_ok(space_faults(&pair.space, page(1000)) &&
	       space_faults(&pair.space, page(1000 + MANY - 2)), "none is done");
	binds[MANY - 1].handle = quire_object_handle(pair.first);
	tap_ret(quire_vm_bind(pair.space.vm, binds, MANY + 1, NULL, NULL), -E2BIG, "one too many");
	tap_ret(quire_vm_bind(pair.space.vm, binds, MANY, NULL, NULL), 0, "many");
	for (unsigned int i = 0; i < MANY && right; i += 61)
		right = leads(&pair, 1000 + i, 1001 + i, i % 2 ? first_bytes : second_bytes,
			      i * 7 % 16);
	tap_ok(right, "all are done");
	/* one after the other: the later one counts */
	for (unsigned int i = 0; i < 2; i++)
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = page(1000),
			.size = SIZE,
			.handle = quire_object_handle(i ? pair.first : pair.second),
		};
	binds[2] = (struct drm_quire_bind){ UNMAP, 0, page(1003), QUIRE_PAGE, 0, 0, 0 };
	binds[3] = (struct drm_quire_bind){ ZERO, 0, page(1003), QUIRE_PAGE, 0, 0, 0 };
	binds[4] = (struct drm_quire_bind){ UNMAP, 0, page(1004), QUIRE_PAGE, 0, 0, 0 };
	tap_ret(quire_vm_bind(pair.space.vm, binds, 5, NULL, NULL), 0, "over each other in a call");
	tap_ok(leads(&pair, 1000, 1003, first_bytes, 0) &&
	       space_is_zero(&pair.space, page(1003), QUIRE_PAGE) &&
	       space_faults(&pair.space, page(1004)) &&
	       leads(&pair, 1005, 1016, first_bytes, 5), "the later one counts");
	pair_close(&pair);
	free(binds);
}

#define PIECE	(16 * QUIRE_PAGE)

/* VRAM has room only in pieces. */
static void test_pieces(struct work *work)
{
	const uint64_t vram = fixture_vram(&work->fixture);
	unsigned int count = vram / PIECE;
	uint32_t *handles = calloc(count, sizeof(*handles));
	struct quire_object *large;
	struct space space;
	uint8_t *bytes;

	space_open(&space, work);
	for (unsigned int i = 0; i < count; i++)
		if (quire_bo_create(work->fixture.fd, PIECE, &handles[i]) ||
		    quire_bo_place(work->fixture.fd, handles[i], DRM_QUIRE_SEGMENT_VRAM, 0))
			tap_bail("pieces");
	for (unsigned int i = 0; i < count; i += 2)
		quire_bo_close(work->fixture.fd, handles[i]);
	large = space_object(&space, vram / 4, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM),
			     false);
	bytes = malloc(vram / 4);
	pattern_fill(bytes, vram / 4, 3);
	space_soil(large, 3);
	tap_ret(quire_vm_map(space.vm, BASE, large, 0, vram / 4, 0), 0, "bind what is in pieces");
	tap_ok(quire_object_class(large) == DRM_QUIRE_SEGMENT_VRAM, "it is in VRAM");
	tap_ok(space_has(&space, BASE, bytes, vram / 4), "it is whole");
	tap_ok(space_has(&space, BASE + PIECE - 32, bytes + PIECE - 32, vram / 8),
	       "from the middle, too");
	for (unsigned int i = 1; i < count; i += 2)
		quire_bo_close(work->fixture.fd, handles[i]);
	quire_object_close(large);
	space_close(&space);
	free(bytes);
	free(handles);
}

static const struct image images[] = {
	{ DRM_QUIRE_LAYOUT_TILE_4K, 4, 128, 128, 1, 1 },
	{ DRM_QUIRE_LAYOUT_TILE_64K, 4, 512, 256, 1, 2 },
};

/* What is bound is the image as it is in VRAM. */
static void test_image(struct work *work, const struct image *image)
{
	const uint64_t linear_size = image_object_size(image), size = image_tiled_size(image);
	uint8_t *linear = calloc(1, linear_size), *tiled = calloc(1, size);
	struct quire_object *object;
	struct space space;
	uint32_t handle;

	space_open(&space, work);
	if (image_create(work->fixture.fd, image,
			 DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
			 DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM), &handle) ||
	    quire_object_from_handle(work->device, handle, &object))
		tap_bail("image");
	pattern_fill(linear, linear_size, 5);
	space_soil(object, 5);
	image_tile(image, linear, tiled);
	tap_ret(quire_vm_map(space.vm, BASE, object, 0, size, 0), 0, "layout %u: bind",
		image->layout);
	tap_ok(space_has(&space, BASE, tiled, size), "it is in tiles");
	quire_write_value(&space.writer, BASE + 8, 0x5555);
	tap_ret(space_run(&space), 0, "written by address");
	*(uint64_t *)(tiled + 8) = 0x5555;
	tap_ok(space_has(&space, BASE, tiled, size), "read by address");
	tap_ok(*((uint64_t *)space_bytes(object) + 1) == 0x5555, "and by the CPU, in rows");
	tap_ok(space_has(&space, BASE, tiled, size), "and again by address");
	quire_object_close(object);
	space_close(&space);
	free(linear);
	free(tiled);
}

static void test_private(struct work *work)
{
	struct quire_object *object;
	struct quire_context *plain;
	struct space space, other;
	uint8_t bytes[SIZE];

	space_open(&space, work);
	space_open(&other, work);
	object = space_object(&space, SIZE, 0, true);
	pattern_fill(bytes, SIZE, 8);
	space_soil(object, 8);
	space_map(&space, BASE, object, 0, SIZE);
	tap_ok(space_has(&space, BASE, bytes, SIZE), "a private object is bound");
	tap_ret(quire_vm_map(other.vm, BASE, object, 0, SIZE, 0), -EPERM, "in another space");
	quire_recorder_fill(work->recorder, quire_at(object, 0), SIZE, 1);
	plain = work_context(work);
	tap_ret(work_submit(work, plain, 0, NULL, NULL), -EPERM, "in a submission");
	quire_context_destroy(plain);
	tap_ok(dmabuf_export(work->fixture.fd, quire_object_handle(object)) < 0,
	       "it is not exported");
	/* it lives as others do */
	space_close(&space);
	tap_ok(!memcmp(space_bytes(object), bytes, SIZE), "it outlives its space");
	tap_ret(quire_vm_map(other.vm, BASE, object, 0, SIZE, 0), -EPERM, "and is private yet");
	quire_object_close(object);
	space_close(&other);
}

/* Handles may go, and so may the address space, as long as a context has it. */
static void test_destroy(struct work *work)
{
	struct quire_vm *gone;
	struct drm_quire_vm_bind bind = { 0 };
	struct drm_quire_bind unmap = {
		.operation = UNMAP, .address = BASE, .size = SIZE,
	};
	struct pair pair;

	pair_open(&pair, work, 0);
	quire_object_close(pair.first);
	pair.first = NULL;
	tap_ok(leads(&pair, 0, 16, first_bytes, 0), "what is bound needs no handle");
	bind.vm = quire_vm_id(pair.space.vm);
	bind.binds = (struct drm_quire_array)DRM_QUIRE_ARRAY(1, &unmap);
	gone = pair.space.vm;
	pair.space.vm = NULL;
	quire_vm_destroy(gone);
	tap_ret(quire_ioctl(work->fixture.fd, DRM_IOCTL_QUIRE_VM_BIND, &bind), -ENOENT,
		"what is destroyed is bound no more");
	tap_ok(leads(&pair, 0, 16, first_bytes, 0), "but executes");
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ok(leads(&pair, 0, 16, first_bytes, 0), "and again");
	pair_close(&pair);
}

static uint64_t now(const uint64_t *number)
{
	return __atomic_load_n(number, __ATOMIC_SEQ_CST);
}

/* Another program writes an object that is shared, and is gone before all of that is done. */
static void write_and_end(int dmabuf, const uint64_t *number, bool killed)
{
	struct quire_object *object;
	struct space space;
	struct work other;
	uint32_t handle;

	work_open(&other);
	space_open(&space, &other);
	if (dmabuf_import(other.fixture.fd, dmabuf, &handle) ||
	    quire_object_from_handle(other.device, handle, &object))
		_exit(1);
	space_map(&space, BASE, object, 0, QUIRE_PAGE);
	quire_write_value(&space.writer, BASE, 3);
	quire_write_delay(&space.writer, 300000000);
	quire_write_value(&space.writer, BASE, 2);
	if (space_exec(&space, NULL, NULL))
		_exit(2);
	while (now(number) == 1) /* of one who is killed, only what has begun is executed */
		test_sleep_ms(1);
	if (killed)
		kill(getpid(), SIGKILL);
	_exit(0);
}

static void test_close(struct work *work, bool killed)
{
	const uint32_t apart = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE);
	struct quire_object *shared = work_object_in(work, QUIRE_PAGE, apart);
	int dmabuf = dmabuf_export(work->fixture.fd, quire_object_handle(shared));
	uint64_t *number;
	pid_t pid;

	number = space_bytes(shared);
	*number = 1;
	pid = child_start(60);
	if (!pid)
		write_and_end(dmabuf, number, killed);
	tap_ret(child_status(pid), killed ? -SIGKILL : 0, "a program ends, %s",
		killed ? "killed" : "with work queued");
	for (unsigned int i = 0; i < WAIT_MS / 20 && now(number) != 2; i++)
		test_sleep_ms(20);
	tap_ok(now(number) == 2, "what was begun is executed");
	close(dmabuf);
	quire_object_close(shared);
}

#define RINGS	8u
#define ROUNDS	20u

static void test_rings(struct work *work)
{
	uint32_t rings = work->fixture.info.execution_rings;
	struct quire_object *objects[RINGS];
	struct space spaces[RINGS];
	struct quire_fence *fences[RINGS];
	uint32_t *expected = malloc(SIZE);
	bool right = true;

	rings = rings > RINGS ? RINGS : rings;
	for (uint32_t i = 0; i < rings; i++) {
		space_open(&spaces[i], work);
		spaces[i].ring = i;
		objects[i] = work_object(work, SIZE);
		for (uint32_t j = 0; j <= i; j++)
			space_map(&spaces[i], page(16 * j), objects[j], 0, SIZE);
		fences[i] = work_fence(work);
	}
	for (uint32_t round = 0; round < ROUNDS && right; round++) {
		for (uint32_t i = 0; i < rings; i++) {
			quire_write_fill(&spaces[i].writer, page(16 * i), SIZE, 100 * round + i);
			right &= !space_exec(&spaces[i], NULL, fences[i]);
		}
		for (uint32_t i = 0; i < rings; i++)
			right &= !work_fence_wait(fences[i]);
		for (uint32_t i = 0; i < rings; i++) {
			for (size_t n = 0; n < SIZE / 4; n++)
				expected[n] = 100 * round + i;
			space_rewind(&spaces[rings - 1]);
			right &= space_has(&spaces[rings - 1], page(16 * i), expected, SIZE);
			space_rewind(&spaces[i]);
		}
	}
	tap_ok(right, "%u rings at once, %u rounds", rings, ROUNDS);
	for (uint32_t i = 0; i < rings; i++) {
		quire_object_close(objects[i]);
		quire_fence_close(fences[i]);
		space_close(&spaces[i]);
	}
	free(expected);
}

int main(void)
{
	struct work work;

	tap_start(120);
	work_begin(&work);
	test_map(&work, 0, "anywhere");
	test_map(&work, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM), "VRAM");
	test_map(&work, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE), "aperture");
	test_overlap(&work);
	test_ends(&work);
	test_zero(&work);
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++)
		test_wrong(&work, &wrongs[i]);
	test_allowed(&work);
	test_many(&work);
	test_pieces(&work);
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		test_image(&work, &images[i]);
	test_private(&work);
	test_destroy(&work);
	test_close(&work, false);
	test_close(&work, true);
	test_rings(&work);
	work_end(&work);
	return tap_done();
}
