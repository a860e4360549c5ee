// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Objects in pieces of VRAM, which commands see through an MMU: what they read and write there
 * is what is in the pieces, also after the pieces were elsewhere, when MMUs are full, when the
 * device was reset, and of objects that die.
 */
#include <inttypes.h>
#include <string.h>

#include "holes.h"
#include "refuse.h"
#include "work.h"
#include "xxh64.h"

#define SMALL	4u	/* objects, two for each MMU */
#define PERIOD_MS	3000	/* commands are executed, too */
#define DISCARDED_MS	500
#define MANY		24u
#define VRAM_SET	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)

/**
 * struct scene - VRAM in holes, and objects that are larger than each
 * @work: the device
 * @context: of commands
 * @holes: where the objects are
 * @size: of the objects
 * @from: an object in pieces, which commands read; has content of key 1
 * @to: another one, which they write
 * @third: another one
 * @sum: one that takes a result
 */
struct scene {
	struct work work;
	struct quire_context *context;
	struct holes holes;
	uint64_t size;
	struct quire_object *from;
	struct quire_object *to;
	struct quire_object *third;
	struct quire_object *sum;
};

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: %s", what, strerror(-ret));
}

static void *bytes_of(struct quire_object *object)
{
	void *bytes;

	must(quire_object_map(object, &bytes), "map");
	return bytes;
}

static void give_content(struct quire_object *object, uint64_t key)
{
	pattern_fill(bytes_of(object), quire_object_size(object), key);
	quire_object_unmap(object);
}

/* The CPU may see it elsewhere than it was. */
static void expect_content(struct quire_object *object, uint64_t key, const char *name)
{
	uint64_t differs;

	must(quire_object_wait(object, WAIT_MS * 1000000ll), "wait");
	differs = pattern_differs(bytes_of(object), quire_object_size(object), key);
	if (!tap_ok(differs == PATTERN_SAME, "%s", name))
		tap_diag("differs at %#" PRIx64, differs);
	quire_object_unmap(object);
}

static int place(const struct scene *scene, struct quire_object *object, uint32_t segment)
{
	return quire_bo_place(scene->work.fixture.fd, quire_object_handle(object), segment, 0) ?:
	       quire_object_wait(object, WAIT_MS * 1000000ll);
}

/* Operations of the paging ring; all that were queued before are among them. */
static uint64_t count(const struct scene *scene, const char *operation)
{
	const char *debugfs = scene->work.fixture.debugfs;
	struct debugfs_counter counter;

	if (debugfs_write(debugfs, "nop_submit", "1") ||
	    debugfs_counter(debugfs, operation, &counter))
		tap_bail("no counter of %s", operation);
	return counter.count;
}

static uint64_t maps(const struct scene *scene)
{
	return count(scene, "MAP_MMU");
}

/* What goes without a hurry, goes now. */
static uint64_t unmaps(const struct scene *scene)
{
	fixture_flush_discards(&scene->work.fixture);
	return count(scene, "UNMAP_MMU");
}

static void scene_open(struct scene *scene)
{
	scene->context = work_context(&scene->work);
	holes_make(&scene->holes, &scene->work);
	scene->size = scene->holes.size * 5 / 2 + 3 * QUIRE_PAGE;
	scene->from = holes_object(&scene->work, scene->size);
	scene->to = holes_object(&scene->work, scene->size);
	scene->third = holes_object(&scene->work, scene->size);
	scene->sum = work_object(&scene->work, QUIRE_PAGE);
	give_content(scene->from, 1);
}

static void scene_close(struct scene *scene)
{
	holes_close(&scene->holes);
	quire_object_close(scene->from);
	quire_object_close(scene->to);
	quire_object_close(scene->third);
	quire_object_close(scene->sum);
	quire_context_destroy(scene->context);
}

static void record_copy(struct scene *scene)
{
	quire_recorder_copy(scene->work.recorder, quire_at(scene->from, 0),
			    quire_at(scene->to, 0), scene->size);
}

static struct quire_fence *queue(struct scene *scene, uint32_t ring)
{
	struct quire_fence *fence = work_fence(&scene->work);

	must(work_submit(&scene->work, scene->context, ring, NULL, fence), "submit");
	return fence;
}

static int ends(struct quire_fence *fence)
{
	int ret = work_fence_wait(fence);

	quire_fence_close(fence);
	return ret;
}

static void expect_run(struct scene *scene, const char *name)
{
	tap_ret(ends(queue(scene, 0)), 0, "%s", name);
}

static void run_copy(struct scene *scene, const char *name)
{
	record_copy(scene);
	expect_run(scene, name);
}

static bool is_in_vram(struct quire_object *object)
{
	return quire_object_class(object) == DRM_QUIRE_SEGMENT_VRAM;
}

static void expect_sum(struct scene *scene)
{
	uint64_t model;

	quire_recorder_checksum(scene->work.recorder, quire_at(scene->from, 0), scene->size,
				quire_at(scene->sum, 0));
	expect_run(scene, "all of it is hashed");
	must(place(scene, scene->from, DRM_QUIRE_SEGMENT_SYSTEM), "away from VRAM");
	model = xxh64(bytes_of(scene->from), scene->size);
	quire_object_unmap(scene->from);
	tap_ok(work_number(scene->sum, 0) == model, "the hash is that of its bytes");
}

static void test_content(struct scene *scene)
{
	uint64_t before, after;

	scene_open(scene);
	before = maps(scene);
	run_copy(scene, "a copy, of one in pieces to another");
	after = maps(scene);
	tap_ok(scene->work.result.parts == 1, "in one part");
	tap_ok(is_in_vram(scene->from) && is_in_vram(scene->to), "both are in VRAM");
	if (!tap_ok(after >= before + 6, "an MMU shows all pieces"))
		tap_diag("%" PRIu64 " maps", after - before);
	run_copy(scene, "once more");
	tap_ok(maps(scene) == after, "and still shows them");
	expect_content(scene->to, 1, "what was written is what was read");
	expect_sum(scene);
	expect_content(scene->from, 1, "who was read is whole");
	scene_close(scene);
}

/* What leaves VRAM is shown no more, and anew when it is back. */
static void test_moves(struct scene *scene)
{
	static const uint32_t ways[] = {
		DRM_QUIRE_SEGMENT_SYSTEM, DRM_QUIRE_SEGMENT_APERTURE, DRM_QUIRE_SEGMENT_SYSTEM,
	};
	uint64_t mapped, unmapped;

	scene_open(scene);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		run_copy(scene, "a copy");
		mapped = maps(scene);
		unmapped = unmaps(scene);
		tap_ret(place(scene, scene->from, ways[i]), 0, "it goes elsewhere");
		tap_ok(unmaps(scene) == unmapped + 1, "and is shown no more");
		run_copy(scene, "it comes back");
		tap_ok(maps(scene) >= mapped + 3, "and is shown");
	}
	expect_content(scene->to, 1, "all of it was copied");
	scene_close(scene);
}

/* Others want all of VRAM: between two submissions, all of it has left. */
static void test_eviction(struct scene *scene)
{
	struct quire_object *other;

	scene_open(scene);
	run_copy(scene, "a copy");
	other = work_object(&scene->work, fixture_vram(&scene->work.fixture) - 4 * QUIRE_PAGE);
	tap_ret(place(scene, other, DRM_QUIRE_SEGMENT_VRAM), 0, "others take VRAM");
	tap_ok(!is_in_vram(scene->from), "it was evicted");
	quire_object_close(other);
	give_content(scene->from, 5);
	holes_make(&scene->holes, &scene->work);
	run_copy(scene, "it is back, with other content");
	expect_content(scene->to, 5, "that is what was copied");
	scene_close(scene);
}

/* Each has room for as much; 0: for all that it can. */
static void limit_mmu(uint64_t bytes)
{
	test_option("mmu_pages", bytes / QUIRE_PAGE);
}

/* Three objects by turns in MMUs that have room for two. */
static void test_full(struct scene *scene)
{
	struct quire_object *third;
	uint64_t before;

	scene_open(scene);
	third = scene->third;
	limit_mmu(scene->size + QUIRE_PAGE);
	run_copy(scene, "two fit");
	before = unmaps(scene);
	quire_recorder_fill(scene->work.recorder, quire_at(third, 0), scene->size, 9);
	expect_run(scene, "a third one");
	tap_ok(is_in_vram(third), "is in VRAM");
	tap_ok(unmaps(scene) == before + 1, "another one made room");
	run_copy(scene, "the first two again");
	tap_ok(unmaps(scene) == before + 2, "the third one made room");
	tap_ok(work_number(third, scene->size - 8) == 0x900000009, "it was written");
	expect_content(scene->to, 1, "and the others are what they were");
	limit_mmu(0);
	scene_close(scene);
}

static void use(struct scene *scene, struct quire_object *object, const char *name)
{
	quire_recorder_fill(scene->work.recorder, quire_at(object, 0), scene->size, 9);
	expect_run(scene, name);
}

/* Several have to make room for one that is larger than each of them. */
static void test_full_of_small(struct scene *scene)
{
	struct quire_object *small[SMALL];
	uint64_t size, before;

	scene_open(scene);
	size = scene->holes.size * 3 / 2;
	limit_mmu(2 * size);
	for (unsigned int i = 0; i < SMALL; i++) {
		small[i] = holes_object(&scene->work, size);
		quire_recorder_fill(scene->work.recorder, quire_at(small[i], 0), size, 9);
		expect_run(scene, "a small one");
	}
	before = maps(scene);
	use(scene, scene->from, "one that needs the room of two");
	tap_ok(maps(scene) > before, "is shown in its pieces");
	limit_mmu(0);
	for (unsigned int i = 0; i < SMALL; i++)
		quire_object_close(small[i]);
	scene_close(scene);
}

/* Who was used last stays, where one has to make room. */
static void test_least_recent(struct scene *scene)
{
	uint64_t before;

	scene_open(scene);
	limit_mmu(scene->size + QUIRE_PAGE);
	use(scene, scene->from, "one is used");
	use(scene, scene->to, "another one is");
	use(scene, scene->from, "the first one again");
	use(scene, scene->third, "a third one needs room");
	before = maps(scene);
	use(scene, scene->from, "the first one once more");
	tap_ok(maps(scene) == before, "is shown all the time");
	limit_mmu(0);
	scene_close(scene);
}

/* There is no room in the MMUs: it comes to one run, as all others. */
static void test_no_room(struct scene *scene)
{
	uint64_t before;

	scene_open(scene);
	limit_mmu(scene->holes.size);
	before = maps(scene);
	run_copy(scene, "a copy without an MMU");
	tap_ok(maps(scene) == before, "nothing is mapped");
	expect_content(scene->to, 1, "it was copied");
	limit_mmu(0);
	scene_close(scene);
}

/* Who is at work with what an MMU shows goes on seeing it, whoever wants room. */
static void test_full_busy(struct scene *scene)
{
	struct quire_object *third, *fourth;
	struct quire_fence *fence;
	struct gate gate;

	if (scene->work.fixture.info.execution_rings < 2) {
		tap_skip("there is one ring", "what is in use is no room for others");
		return;
	}
	scene_open(scene);
	work_gate_open_apart(&scene->work, &gate);
	third = scene->third;
	fourth = holes_object(&scene->work, scene->size);
	limit_mmu(scene->size + QUIRE_PAGE);
	work_wait_at(&scene->work, &gate, 1);
	record_copy(scene);
	fence = queue(scene, 0);
	quire_recorder_fill(scene->work.recorder, quire_at(third, 0), scene->size, 9);
	quire_recorder_fill(scene->work.recorder, quire_at(fourth, 0), scene->size, 8);
	tap_ret(ends(queue(scene, 1)), 0, "others come meanwhile");
	work_gate_raise(&gate, 1);
	tap_ret(ends(fence), 0, "it goes on");
	tap_ret(work_context_status(scene->context), DRM_QUIRE_CONTEXT_GOOD, "all is good");
	expect_content(scene->to, 1, "it was copied");
	tap_ok(work_number(third, 0) == 0x900000009, "and they were written");
	tap_ok(work_number(fourth, 0) == 0x800000008, "both");
	limit_mmu(0);
	quire_object_close(fourth);
	work_gate_close(&gate);
	scene_close(scene);
}

/* The device is reset while commands are at work, and when what is shown is in no use. */
static void test_reset(struct scene *scene)
{
	struct quire_fence *fence;
	struct gate gate;
	uint64_t before;
	char address[64];

	if (sysfs_pci_address(scene->work.fixture.fd, address, sizeof(address)) ||
	    sysfs_reset(address)) {
		tap_skip("the device can not be reset", "what MMUs show, after a reset");
		return;
	}
	scene_open(scene);
	work_gate_open_apart(&scene->work, &gate);
	work_wait_at(&scene->work, &gate, 1);
	record_copy(scene);
	fence = queue(scene, 0);
	before = maps(scene);
	tap_ret(sysfs_reset(address), 0, "reset the function");
	work_gate_raise(&gate, 1);
	tap_ret(ends(fence), 0, "it goes on");
	tap_ret(sysfs_reset(address), 0, "reset it once more");
	run_copy(scene, "a copy");
	tap_ok(maps(scene) == before, "the driver has nothing to map anew");
	tap_ret(work_context_status(scene->context), DRM_QUIRE_CONTEXT_GOOD, "all is good");
	expect_content(scene->to, 1, "it was copied");
	work_gate_close(&gate);
	scene_close(scene);
}

/* The paging ring hangs at the first packet that maps, and behind it. */
static void test_hang(struct scene *scene)
{
	static const char * const commands[] = { "hang 1", "hang 2", "fault 1" };

	test_parameter("hang_period", PERIOD_MS);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(commands); i++) {
		scene_open(scene);
		must(place(scene, scene->from, DRM_QUIRE_SEGMENT_VRAM), "to VRAM");
		must(place(scene, scene->to, DRM_QUIRE_SEGMENT_VRAM), "to VRAM");
		test_parameter("hang_restarts", i < ARRAY_SIZE(commands));
		fixture_inject(&scene->work.fixture, commands[i % ARRAY_SIZE(commands)]);
		run_copy(scene, "a copy, while the paging ring hangs");
		tap_ret(work_context_status(scene->context), DRM_QUIRE_CONTEXT_GOOD, "is good");
		expect_content(scene->to, 1, "and right");
		scene_close(scene);
	}
	test_parameter("hang_restarts", 1);
	test_parameter("hang_period", WORK_PATIENCE_MS);
}

/* The device gives up to show an object: the commands fault, or are refused if it did so before. */
static void expect_not_shown(struct scene *scene)
{
	struct quire_fence *fence = work_fence(&scene->work);
	int ret = work_submit(&scene->work, scene->context, 0, NULL, fence);
	struct drm_quire_context_state state;

	if (!ret) {
		tap_ret(work_fence_wait(fence), -EIO, "a copy of what is not shown");
		tap_ret(quire_context_state(scene->context, &state), 0, "ask the context");
		tap_ret(state.fault, QUIRE_FAULT_MMU, "it has faulted");
	} else {
		tap_ret(ret, -EIO, "a copy of what is not shown is refused");
		tap_ret(work_context_status(scene->context), DRM_QUIRE_CONTEXT_GOOD, "is good");
	}
	quire_fence_close(fence);
}

/* A map that is given up shows nothing, and the next commands have a new one. */
static void test_given_up(struct scene *scene)
{
	scene_open(scene);
	must(place(scene, scene->from, DRM_QUIRE_SEGMENT_VRAM), "to VRAM");
	must(place(scene, scene->to, DRM_QUIRE_SEGMENT_VRAM), "to VRAM");
	fixture_flush_discards(&scene->work.fixture);
	record_copy(scene);
	test_option("patch_refuse", 1);
	expect_not_shown(scene);
	test_option("patch_refuse", 0);
	quire_context_destroy(scene->context);
	scene->context = work_context(&scene->work);
	run_copy(scene, "another context copies it");
	expect_content(scene->to, 1, "and all is there");
	scene_close(scene);
}

/* It dies while commands see it: they go on, and it is shown no more afterwards. */
static void test_death(struct scene *scene)
{
	struct quire_fence *fence;
	struct gate gate;
	uint64_t before;

	scene_open(scene);
	work_gate_open_apart(&scene->work, &gate);
	work_wait_at(&scene->work, &gate, 1);
	record_copy(scene);
	fence = queue(scene, 0);
	quire_object_close(scene->from);
	scene->from = NULL;
	before = unmaps(scene);
	work_gate_raise(&gate, 1);
	tap_ret(ends(fence), 0, "a copy of what is closed meanwhile");
	for (unsigned int i = 0; i < WAIT_MS / 10 && unmaps(scene) == before; i++)
		test_sleep_ms(10);
	tap_ok(unmaps(scene) == before + 1, "it is shown no more");
	expect_content(scene->to, 1, "it was copied");
	work_gate_close(&gate);
	scene_close(scene);
}

/* Nobody else does anything: it is shown no more all the same. */
static void test_goes_alone(struct scene *scene)
{
	uint64_t before;
	int64_t end;

	scene_open(scene);
	run_copy(scene, "a copy");
	before = unmaps(scene);
	/* what that has left behind in VRAM is discarded by then, and takes nothing with it */
	test_sleep_ms(DISCARDED_MS);
	must(place(scene, scene->from, DRM_QUIRE_SEGMENT_SYSTEM), "away from VRAM");
	end = quire_now_ns() + WAIT_MS * 1000000ll;
	while (count(scene, "UNMAP_MMU") == before && quire_now_ns() < end)
		test_sleep_ms(10);
	tap_ok(count(scene, "UNMAP_MMU") == before + 1, "who left is shown no more, soon");
	scene_close(scene);
}

static void test_purge(struct scene *scene)
{
	int fd = scene->work.fixture.fd;
	struct quire_object *other;
	bool retained;

	scene_open(scene);
	run_copy(scene, "a copy");
	must(quire_bo_madvise(fd, quire_object_handle(scene->from), DRM_QUIRE_MADV_DONTNEED,
			      &retained), "offer");
	other = work_object(&scene->work, fixture_vram(&scene->work.fixture) - 4 * QUIRE_PAGE);
	tap_ret(place(scene, other, DRM_QUIRE_SEGMENT_VRAM), 0, "others take VRAM");
	quire_object_close(other);
	record_copy(scene);
	tap_ret(work_submit(&scene->work, scene->context, 0, NULL, NULL), -ENODATA,
		"what is purged is refused");
	must(quire_bo_madvise(fd, quire_object_handle(scene->from), DRM_QUIRE_MADV_WILLNEED,
			      &retained), "need");
	tap_ok(!retained, "its content is gone");
	holes_make(&scene->holes, &scene->work);
	run_copy(scene, "a copy of nothing");
	must(quire_object_wait(scene->to, WAIT_MS * 1000000ll), "wait");
	tap_ok(pattern_not_zero(bytes_of(scene->to), scene->size) == PATTERN_SAME, "is zero");
	scene_close(scene);
}

/* In MMUs with room for some of them, and with more pieces than VRAM has holes. */
static void test_many(struct scene *scene)
{
	struct quire_object *objects[MANY];
	unsigned int wrong = 0;

	scene_open(scene);
	limit_mmu(5 * scene->size);
	for (unsigned int i = 0; i < MANY; i++)
		objects[i] = holes_object(&scene->work, scene->size);
	for (unsigned int turn = 0; turn < 2; turn++)
		for (unsigned int i = 0; i < MANY; i++) {
			quire_recorder_arithmetic(scene->work.recorder, QUIRE_ARITHMETIC_ADD,
						  quire_at(scene->from, 0),
						  quire_at(objects[i], 0), scene->size);
			wrong += !!ends(queue(scene, 0));
		}
	tap_ok(!wrong, "many objects, one after the other");
	quire_recorder_arithmetic(scene->work.recorder, QUIRE_ARITHMETIC_ADD,
				  quire_at(scene->from, 0), quire_at(scene->to, 0), scene->size);
	quire_recorder_arithmetic(scene->work.recorder, QUIRE_ARITHMETIC_ADD,
				  quire_at(scene->from, 0), quire_at(scene->to, 0), scene->size);
	expect_run(scene, "the same with the last one");
	must(quire_object_wait(scene->to, WAIT_MS * 1000000ll), "wait");
	for (unsigned int i = 0; i < MANY; i++) {
		wrong += !!memcmp(bytes_of(objects[i]), bytes_of(scene->to), scene->size);
		quire_object_close(objects[i]);
	}
	tap_ok(!wrong, "all are alike");
	limit_mmu(0);
	scene_close(scene);
}

static void test_refused(const struct scene *scene)
{
	const uint32_t mmu = DRM_QUIRE_BO_CREATE_MMU, all = DRM_QUIRE_SEGMENT_BIT(3) - 1;
	const struct fixture *fixture = &scene->work.fixture;
	struct drm_quire_vm_create vm = { 0 };
	struct subject subject;

	must(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_VM_CREATE, &vm), "VM");
	subject_make(&subject, fixture);
	REFUSED(&subject, DRM_IOCTL_QUIRE_BO_CREATE, struct drm_quire_bo_create, -EINVAL,
		"never in VRAM", .size = QUIRE_PAGE, .segments = all & ~VRAM_SET, .flags = mmu);
	REFUSED(&subject, DRM_IOCTL_QUIRE_BO_CREATE, struct drm_quire_bo_create, -EINVAL,
		"an image", .size = QUIRE_PAGE, .segments = all, .flags = mmu,
		.layout = DRM_QUIRE_LAYOUT_TILE_4K, .element_size = 4, .width = 32, .height = 32,
		.levels = 1, .array_size = 1);
	REFUSED(&subject, DRM_IOCTL_QUIRE_BO_CREATE, struct drm_quire_bo_create, -EINVAL,
		"private to an address space", .size = QUIRE_PAGE, .segments = all, .flags = mmu,
		.vm = vm.vm);
	REFUSED(&subject, DRM_IOCTL_QUIRE_BO_CREATE, struct drm_quire_bo_create, -EINVAL,
		"with another flag", .size = QUIRE_PAGE, .segments = all, .flags = mmu << 1 | mmu);
	subject_close(&subject);
}

int main(void)
{
	struct scene scene = { 0 };

	tap_start(400);
	work_begin(&scene.work);
	if (!*scene.work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(scene.work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU, of one run");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_refused(&scene);
	test_content(&scene);
	test_moves(&scene);
	test_eviction(&scene);
	test_full(&scene);
	test_full_of_small(&scene);
	test_least_recent(&scene);
	test_goes_alone(&scene);
	test_no_room(&scene);
	test_full_busy(&scene);
	test_reset(&scene);
	test_given_up(&scene);
	test_death(&scene);
	test_purge(&scene);
	test_many(&scene);
	test_hang(&scene);
	test_parameter("hang_period", 3000);
	work_end(&scene.work);
	return tap_done();
}
