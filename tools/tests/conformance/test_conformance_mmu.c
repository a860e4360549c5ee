// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of the paging model: what the MMUs of the device show. */
#include "holes.h"
#include "rules.h"
#include "space.h"

static uint64_t count(const struct work *work, const char *operation)
{
	struct debugfs_counter counter;

	if (debugfs_write(work->fixture.debugfs, "nop_submit", "1") ||
	    debugfs_counter(work->fixture.debugfs, operation, &counter))
		tap_bail("no counter of %s", operation);
	return counter.count;
}

/* Returns 0, or what came of commands that copy one to the other. */
static int copy(struct work *work, struct quire_object *from, struct quire_object *to)
{
	struct quire_context *context = work_context(work);
	struct quire_fence *fence = work_fence(work);
	int ret;

	quire_recorder_copy(work->recorder, quire_at(from, 0), quire_at(to, 0),
			    quire_object_size(from));
	ret = work_submit(work, context, 0, NULL, fence) ?: work_fence_wait(fence);
	quire_fence_close(fence);
	quire_context_destroy(context);
	return ret;
}

static bool has(struct quire_object *object, uint64_t key)
{
	void *bytes;

	if (quire_object_wait(object, WAIT_MS * 1000000ll) || quire_object_map(object, &bytes))
		return false;
	return pattern_differs(bytes, quire_object_size(object), key) == PATTERN_SAME;
}

/* In pieces here and there, commands find it as a whole. */
static bool shows_pieces(void *data)
{
	struct work *work = data;
	struct quire_object *from, *to;
	struct holes holes = { 0 };
	uint64_t before;
	bool ok;

	holes_make(&holes, work);
	from = holes_object(work, holes.size * 7 / 2);
	to = holes_object(work, holes.size * 7 / 2);
	space_soil(from, 1);
	before = count(work, "MAP_MMU");
	ok = rule_ret(copy(work, from, to), "commands copy it");
	ok = rule_is(count(work, "MAP_MMU") >= before + 8, "an MMU shows its pieces") && ok;
	ok = rule_is(has(to, 1), "and all of them were read, and written") && ok;
	quire_object_close(from);
	quire_object_close(to);
	holes_close(&holes);
	return ok;
}

/* Who dies is shown no more when another one is in its place. */
static bool gone_before(void *data)
{
	struct work *work = data;
	struct quire_object *dies, *other, *comes;
	struct holes holes = { 0 };
	uint64_t before;
	bool ok;

	holes_make(&holes, work);
	dies = holes_object(work, holes.size * 7 / 2);
	other = holes_object(work, holes.size * 7 / 2);
	comes = work_object(work, fixture_vram(&work->fixture) / 2);
	space_soil(dies, 1);
	ok = rule_ret(copy(work, dies, other), "commands use it");
	before = count(work, "UNMAP_MMU");
	quire_object_close(dies);
	quire_object_close(other);
	holes_wait(work);
	ok = rule_ret(quire_bo_place(work->fixture.fd, quire_object_handle(comes),
				     DRM_QUIRE_SEGMENT_VRAM, 0), "another one comes") && ok;
	ok = rule_is(count(work, "UNMAP_MMU") >= before + 1, "an MMU shows it no more") && ok;
	quire_object_close(comes);
	holes_close(&holes);
	return ok;
}

static const struct rule rules[] = {
	{ "mmu-shows-pieces", shows_pieces },
	{ "mmu-unmapped-before-others-come", gone_before },
};

int main(void)
{
	struct work work;

	tap_start(110);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU, of one run");
	rules_check(rules, ARRAY_SIZE(rules), &work);
	work_end(&work);
	return tap_done();
}
