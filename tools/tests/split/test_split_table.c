// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The resource table of a submission, in lists written by hand: what is bound is in memory
 * together, what is not may go; what can not be is refused before anything has run.
 */
#include <inttypes.h>

#include "script.h"

#define NR_GUESTS	20

static struct quire_object *create(struct gpu *gpu, uint64_t size, uint32_t classes)
{
	const struct quire_object_options options = { .size = size, .classes = classes };
	struct quire_object *object = NULL;

	tap_ret(quire_object_create(gpu->device, &options, &object), 0, "create");
	return object;
}

/* Two of these do not fit together. */
static uint64_t large(const struct fixture *fixture, uint32_t class)
{
	return fixture->segments[class].size / 8 * 5 & ~(QUIRE_PAGE - 1);
}

/**
 * struct refusal - how a submission is refused
 * @error: with what
 * @entry: of the patch-location list
 */
struct refusal {
	int error;
	uint32_t entry;
};

/* With a reason, and without a trace. */
static void test_refused(const struct fixture *fixture, struct gpu *gpu,
			 const struct script *script, const struct refusal *refusal,
			 const char *name)
{
	struct drm_quire_segment_info before[QUIRE_SEGMENTS];
	struct drm_quire_context_state state;
	struct quire_fence *fence = gpu->fence;

	if (fixture_rest(fixture, before))
		tap_bail("query");
	tap_ret(quire_fence_create(gpu->device, &gpu->fence), 0, "%s: a fence of its own", name);
	tap_ret(script_submit(script, gpu), refusal->error, "%s: refused", name);
	tap_ok(gpu->result.refused_where == DRM_QUIRE_REFUSAL_PATCHES &&
	       gpu->result.refused_entry == refusal->entry &&
	       gpu->result.refused_offset == script->patches[refusal->entry].split_offset,
	       "it says where: entry %u, byte %u", gpu->result.refused_entry,
	       gpu->result.refused_offset);
	tap_ok(gpu->result.message[0] && !gpu->result.submission && !gpu->result.parts,
	       "and why: %s", gpu->result.message);
	tap_ret(quire_fence_wait(gpu->fence, 0, 0), -EINVAL, "there is no fence of it");
	tap_ok(fixture_is_unchanged(fixture, before), "usage is what it was");
	tap_ok(!quire_context_state(gpu->context, &state) &&
	       state.status == DRM_QUIRE_CONTEXT_GOOD, "the context is good");
	quire_fence_close(gpu->fence);
	gpu->fence = fence;
}

/* What is bound together does not fit, unless the first one is unbound before. */
static void test_unbind(const struct fixture *fixture, struct gpu *gpu, uint32_t class)
{
	const struct refusal refusal = { -EXFULL, 1 };
	const uint32_t classes = class == DRM_QUIRE_SEGMENT_VRAM ? 0 : DRM_QUIRE_SEGMENT_BIT(class);
	struct quire_object *one = create(gpu, large(fixture, class), classes);
	struct quire_object *other = create(gpu, large(fixture, class), classes);
	struct script script = { .size = 0 }, unbound = { .size = 0 };

	script_fill(&script, bound_here(&script, script_object(&script, one), 0), 1);
	script_fill(&script, bound_here(&script, script_object(&script, other), 1), 2);
	test_refused(fixture, gpu, &script, &refusal, quire_segment_name(class));

	/* with all its pages it may be more than this machine has */
	if (class == DRM_QUIRE_SEGMENT_VRAM) {
		tap_ok(page_is(one, 0, 0) && page_is(other, 0, 0), "nothing has run");
		script_fill(&unbound, bound_here(&unbound, script_object(&unbound, one), 0),
			    1);
		script_unbind(&unbound, 0, script_none(&unbound));
		script_fill(&unbound, bound_here(&unbound, script_object(&unbound, other), 1),
			    2);
		tap_ret(script_run(&unbound, gpu), 0, "with the first one unbound");
		tap_ok(gpu->result.parts == 2, "in two parts");
		tap_ok(page_is(one, 0, 1) && page_is(other, 0, 2), "both are right");
	}
	quire_object_close(one);
	quire_object_close(other);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

static struct quire_object *create_shown(struct gpu *gpu, uint64_t size)
{
	const struct quire_object_options options = {
		.size = size,
		.classes = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE),
		.flags = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE,
	};
	struct quire_object *object = NULL;

	tap_ret(quire_object_create(gpu->device, &options, &object), 0, "create");
	return object;
}

/* The aperture has room for both, but not where the CPU sees it, and they may be nowhere else. */
static void test_window(const struct fixture *fixture, struct gpu *gpu)
{
	const uint64_t window = fixture->info.aperture_window_size;
	const uint64_t size = window / 8 * 5 & ~(QUIRE_PAGE - 1);
	const struct refusal refusal = { -EXFULL, 2 };
	struct quire_object *objects[3];
	struct script script = { .size = 0 };

	if (!window || fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size < 2 * window) {
		tap_skip("no window, or one of all of the aperture", "what the CPU sees of it");
		return;
	}
	objects[0] = create(gpu, QUIRE_PAGE, 0);
	for (unsigned int i = 1; i < 3; i++)
		objects[i] = create_shown(gpu, size);
	for (unsigned int i = 0; i < 3; i++)
		script_fill(&script, bound_here(&script, script_object(&script, objects[i]), i),
			    1 + i);
	test_refused(fixture, gpu, &script, &refusal, "the window");
	for (unsigned int i = 0; i < 3; i++)
		quire_object_close(objects[i]);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

/* One slot, by turns: who had it before is not bound any more. */
static void take_turns(struct gpu *gpu, struct quire_object *objects[2], uint64_t size,
		       unsigned int first)
{
	int fd = quire_device_fd(gpu->device);
	struct script script = { .size = 0 };

	for (unsigned int i = 0; i < 2; i++) {
		tap_ret(quire_bo_place(fd, quire_object_handle(objects[i]),
				       DRM_QUIRE_SEGMENT_SYSTEM, 0), 0, "object %u leaves", i);
		script_object(&script, objects[i]);
	}
	for (unsigned int i = 0; i < 4; i++)
		script_fill(&script, bound_here(&script, (i + first) % 2, 7), i);
	tap_ret(script_run(&script, gpu), 0, "one slot, two objects by turns");
	tap_ok(gpu->result.parts == 4, "in four parts");
	tap_ok(gpu->result.bytes_in == 4 * size && gpu->result.bytes_out == 3 * size,
	       "each one is brought in for its turn alone, and taken away for the other's");
	for (unsigned int i = 0; i < 2; i++)
		tap_ok(page_is(objects[i], 0, 2 + (i ^ first)),
		       "the last turn of object %u counts", i);
}

/* They do not fit together. In whichever order they come, none is there before its turn. */
static void test_turns(const struct fixture *fixture, struct gpu *gpu,
		       struct quire_object *objects[2], uint64_t size)
{
	for (unsigned int first = 0; first < 2; first++)
		take_turns(gpu, objects, size, first);
	for (unsigned int i = 0; i < 2; i++)
		quire_object_close(objects[i]);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

static void test_reuse(const struct fixture *fixture, struct gpu *gpu)
{
	const uint64_t size = large(fixture, DRM_QUIRE_SEGMENT_VRAM);
	struct quire_object *objects[] = { create(gpu, size, 0), create(gpu, size, 0) };

	test_turns(fixture, gpu, objects, size);
}

/* The planner would have the second one in the rest of the aperture, where it may not be. */
static void test_reuse_window(const struct fixture *fixture, struct gpu *gpu)
{
	const uint64_t window = fixture->info.aperture_window_size;
	const uint64_t size = window / 8 * 5 & ~(QUIRE_PAGE - 1);
	struct quire_object *objects[2];

	if (!window || fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size < 2 * window) {
		tap_skip("no window, or one of all of the aperture", "what the CPU sees of it");
		return;
	}
	for (unsigned int i = 0; i < 2; i++)
		objects[i] = create_shown(gpu, size);
	test_turns(fixture, gpu, objects, size);
}

/*
 * What has all of VRAM goes, and four others have all of it then. Rounded up to powers of two they
 * would not find room side by side: they are where the planner would have them.
 */
static void test_all_of_it(const struct fixture *fixture, struct gpu *gpu)
{
	static const unsigned int shares[] = { 31, 5, 7, 9, 11 };
	const uint64_t share = fixture_vram(fixture) / 32 & ~(QUIRE_PAGE - 1);
	struct quire_object *objects[ARRAY_SIZE(shares)];
	struct script script = { .size = 0 };

	for (unsigned int i = 0; i < ARRAY_SIZE(shares); i++) {
		objects[i] = create(gpu, shares[i] * share, 0);
		script_fill(&script, bound_here(&script, script_object(&script, objects[i]), i),
			    1 + i);
		if (!i)
			script_unbind(&script, 0, script_none(&script));
	}
	tap_ret(script_run(&script, gpu), 0, "four objects have all of VRAM");
	tap_ok(gpu->result.parts == 2, "after another one");
	tap_ok(gpu->result.bytes_in == 63 * share && gpu->result.bytes_out == 31 * share,
	       "each one is brought in once: %llu MiB in, %llu out",
	       (unsigned long long)(gpu->result.bytes_in / QUIRE_MIB),
	       (unsigned long long)(gpu->result.bytes_out / QUIRE_MIB));
	for (unsigned int i = 0; i < ARRAY_SIZE(shares); i++) {
		tap_ok(page_is(objects[i], 0, 1 + i), "object %u is right", i);
		quire_object_close(objects[i]);
	}
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

/* Bound three times it has to be there once. */
static void test_shared(const struct fixture *fixture, struct gpu *gpu)
{
	const uint64_t size = large(fixture, DRM_QUIRE_SEGMENT_VRAM);
	struct quire_object *object = create(gpu, size, 0);
	struct script script = { .size = 0 };

	for (unsigned int i = 0; i < 3; i++)
		script_fill(&script,
			    bound_here(&script, script_allocation(&script, object, i * QUIRE_PAGE,
								  2 * QUIRE_PAGE), 10 * i), 1 + i);
	tap_ret(script_run(&script, gpu), 0, "three allocations of one object");
	tap_ok(gpu->result.parts == 1 && gpu->result.bytes_in == size && !gpu->result.bytes_out,
	       "it is brought in once");
	for (unsigned int i = 0; i < 3; i++)
		tap_ok(page_is(object, i * QUIRE_PAGE, 1 + i), "page %u is right", i);
	quire_object_close(object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

/* It can be created, as it has room in the aperture. */
static void test_too_large(const struct fixture *fixture, struct gpu *gpu)
{
	const struct refusal refusal = { -EFBIG, 1 };
	const uint64_t size = fixture_vram(fixture) + QUIRE_PAGE;
	struct quire_object *small, *object;
	struct script script = { .size = 0 };

	if (size > fixture->info.max_bo_size) {
		tap_skip("VRAM is the largest segment", "an object that does not fit");
		return;
	}
	small = create(gpu, QUIRE_PAGE, 0);
	object = create(gpu, size, 0);
	script_fill(&script, bound_here(&script, script_object(&script, small), 0), 1);
	script_fill(&script, bound_here(&script, script_object(&script, object), 0), 2);
	test_refused(fixture, gpu, &script, &refusal, "larger than VRAM");
	tap_ok(page_is(small, 0, 0), "nothing has run");
	quire_object_close(object);
	quire_object_close(small);
}

static uint32_t number_of(uint32_t guest)
{
	return 0x01010101u * (guest + 1);
}

/* It stays, while others come and go: it is brought in once, as they are. */
static void test_kept(const struct fixture *fixture, struct gpu *gpu)
{
	const uint64_t size = fixture_vram(fixture) / (NR_GUESTS / 5 * 4) & ~(QUIRE_PAGE - 1);
	struct quire_object *guests[NR_GUESTS], *sum = create(gpu, 8 * QUIRE_PAGE, 0);
	uint32_t expected = 0, right = 0;

	quire_recorder_bind(gpu->recorder, 63, quire_at(sum, 0), QUIRE_PAGE, true);
	for (uint32_t i = 0; i < NR_GUESTS; i++)
		guests[i] = create(gpu, size, 0);
	for (uint32_t i = 0; i < NR_GUESTS; i++) {
		const uint32_t guest = (i * 7 + 3) % NR_GUESTS; /* in an order of their own */

		quire_recorder_fill(gpu->recorder, quire_at(guests[guest], 0), size,
				    number_of(guest));
		quire_recorder_arithmetic(gpu->recorder, QUIRE_ARITHMETIC_ADD,
					  quire_at(guests[guest], size - QUIRE_PAGE),
					  quire_at(sum, 0), QUIRE_PAGE);
		expected += number_of(guest);
	}
	quire_recorder_unbind(gpu->recorder, 63);
	tap_ret(gpu_run(gpu), 0, "one is bound all the time, %u others by turns", NR_GUESTS);
	tap_ok(gpu->result.parts > 1, "in parts: %u", gpu->result.parts);
	tap_ok(gpu->result.bytes_in == NR_GUESTS * size + 8 * QUIRE_PAGE,
	       "each one is brought in once");
	tap_ok(quire_object_class(sum) == DRM_QUIRE_SEGMENT_VRAM, "that one is there");
	tap_ok(page_is(sum, 0, expected), "and has the sum of the others");
	for (uint32_t i = 0; i < NR_GUESTS; i++) {
		right += page_is(guests[i], 0, number_of(i));
		quire_object_close(guests[i]);
	}
	tap_ok(right == NR_GUESTS, "these are right, too");
	quire_object_close(sum);
}

int main(void)
{
	struct fixture fixture;
	struct gpu gpu;

	tap_start(120);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	tap_ret(gpu_open(&gpu), 0, "open, with a context");
	test_unbind(&fixture, &gpu, DRM_QUIRE_SEGMENT_VRAM);
	tap_ok(gpu.result.submission == 1, "what was refused is not counted");
	test_unbind(&fixture, &gpu, DRM_QUIRE_SEGMENT_APERTURE);
	test_window(&fixture, &gpu);
	test_reuse(&fixture, &gpu);
	test_reuse_window(&fixture, &gpu);
	test_all_of_it(&fixture, &gpu);
	test_shared(&fixture, &gpu);
	test_too_large(&fixture, &gpu);
	test_kept(&fixture, &gpu);
	gpu_close(&gpu);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
