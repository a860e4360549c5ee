// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What a submission in parts comes to is claimed from the first part to the last one: who pins it
 * waits, or is refused, and what is offered is not dropped.
 */
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "gated.h"
#include "splitting.h"
#include "vgem.h"

#define VM		"/proc/sys/vm"

#define PROMPT_MS	10000	/* well below the 15 s that others are waited for */
#define GIVEN_UP_MS	40000	/* well above */
#define MOMENT_MS	500
#define NR_SWAPS	16u	/* TTM may take some of its own first */

/* Another device has the pages of what a later part needs. */
static void *import(void *data)
{
	struct gated *gated = data;
	int dmabuf = dmabuf_export(gated->work.fixture.fd, quire_object_handle(gated->large[2]));
	int vgem = vgem_open_static();
	uint32_t handle;

	gated->other_ret = dmabuf_import(vgem, dmabuf, &handle);
	if (!gated->other_ret)
		drmCloseBufferHandle(vgem, handle);
	gated->other_done = true;
	close(dmabuf);
	close(vgem);
	return NULL;
}

static bool imports_pin(void)
{
	int vgem = vgem_open_static();

	if (vgem >= 0)
		close(vgem);
	else
		tap_skip("no vgem here, or one that pins nothing", "what others pin");
	return vgem >= 0;
}

/* @expected: of the importer, when the submission ends, or has taken too long */
static void test_pinned(int expected)
{
	pthread_t submitting, importing;
	struct gated gated;

	if (!imports_pin())
		return;
	gated_open(&gated, 0, 5);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_settles(gated.large[0], true), "an object is in VRAM");
	importing = gated_start(import, &gated);
	tap_ok(!gated_comes_true(&gated.other_done, MOMENT_MS), "who pins another one waits");
	if (expected)
		tap_ok(gated_comes_true(&gated.other_done, GIVEN_UP_MS), "but not for ever");
	tap_ok(!gated.done, "while the submission is under way");
	gated_expect_done(&gated, submitting);
	tap_ok(gated_comes_true(&gated.other_done, PROMPT_MS), "who waits hears of its end");
	pthread_join(importing, NULL);
	tap_ret(gated.other_ret, expected, "it is pinned, or else not");
	gated_close(&gated);
}

static void shrink(struct gated *gated)
{
	(void)gated;
	for (unsigned int i = 0; i < 2; i++) {
		tap_ret(debugfs_write(VM, "drop_caches", "2"), 0, "memory gets short");
		test_sleep_ms(MOMENT_MS);
	}
}

static void swap_out(struct gated *gated)
{
	int pages = 0;

	(void)gated;
	for (unsigned int i = 0; i < NR_SWAPS; i++)
		pages += debugfs_swap_out();
	tap_ok(pages > 0, "%d pages are swapped out", pages);
}

static uint32_t flags_of(const struct gated *gated, struct quire_object *object)
{
	struct drm_quire_bo_info info;

	if (quire_bo_info(gated->work.fixture.fd, quire_object_handle(object), &info))
		tap_bail("info");
	return info.flags;
}

static void offer_first(const struct gated *gated)
{
	tap_ret(quire_bo_madvise(gated->work.fixture.fd, quire_object_handle(gated->large[0]),
				 DRM_QUIRE_MADV_DONTNEED, NULL), 0, "an object is offered");
}

/* What is offered may go again, when all parts are queued. */
static void expect_dropped(struct gated *gated)
{
	tap_ret(debugfs_write(gated->work.fixture.debugfs, "evict_all", "1"), 0,
		"nothing is in VRAM");
	shrink(gated);
	tap_ok(flags_of(gated, gated->large[0]) & DRM_QUIRE_BO_PURGED,
	       "then it is dropped, as it was offered");
}

/**
 * struct pressure - who wants the pages of what a submission has evicted
 * @name: for messages
 * @classes: where the object may be beside VRAM
 * @apply: does it
 */
struct pressure {
	const char *name;
	uint32_t classes;
	void (*apply)(struct gated *gated);
};

#define WITHOUT_APERTURE	(DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) | \
				 DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM))

static const struct pressure pressures[] = {
	{ "memory is short", WITHOUT_APERTURE, shrink },
	{ "memory is short, and the aperture has some", 0, shrink },
	{ "it is swapped out", WITHOUT_APERTURE, swap_out },
};

static void test_offered(const struct pressure *pressure)
{
	pthread_t submitting;
	struct gated gated;

	tap_diag("%s", pressure->name);
	gated_open_in(&gated, 0, 5, pressure->classes);
	offer_first(&gated);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_settles(gated.large[0], true), "it is in VRAM");
	gated_raise_to(&gated, 1);
	tap_ok(gated_settles(gated.large[0], false), "it has gone, and is needed again");
	pressure->apply(&gated);
	tap_ok(!gated.done, "while the submission is under way");
	gated_expect_done(&gated, submitting);
	expect_dropped(&gated);
	gated_close(&gated);
}

/* Thread ids of evict_all() and share(). */
static atomic_int evict_thread, share_thread;

static void *evict_all(void *data)
{
	struct gated *gated = data;

	evict_thread = gettid();
	gated->other_ret = debugfs_write(gated->work.fixture.debugfs, "evict_all", "1");
	gated->other_done = true;
	return NULL;
}

/* Another submission in parts uses the same object, and is over first. */
static void *share(void *data)
{
	struct gated *gated = data;
	struct quire_object *object;
	struct quire_context *context;
	struct work work = gated->work;

	context = work_context(&work);
	object = work_object(&work, QUIRE_PAGE);
	if (quire_recorder_create(work.device, &work.recorder))
		tap_bail("recorder");
	for (unsigned int i = 1; i <= GATED_PARTS; i++)
		quire_recorder_copy(work.recorder, quire_at(gated->large[0], 0),
				    quire_at(object, 8 * i), 8);
	share_thread = gettid();
	gated->share_ret = work_submit(&work, context, 1, NULL, NULL);
	quire_recorder_destroy(work.recorder);
	quire_object_close(object);
	quire_context_destroy(context);
	return NULL;
}

/* It is not bound when others have the turn, and in VRAM all the same. */
static void test_offered_in_vram(void)
{
	pthread_t submitting, evicting, sharing;
	struct gated gated;

	gated_open(&gated, 0, 0);
	tap_ok(splitting_set("split_max_bytes", 2 * QUIRE_PAGE),
	       "divided, with room for two objects");
	offer_first(&gated);
	gated_record(&gated);
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	tap_ok(gated_settles(gated.large[1], true), "two objects are in VRAM");
	evicting = gated_start(evict_all, &gated);
	sharing = gated_start(share, &gated);
	tap_ok(gated_thread_gets_within(&evict_thread, "quire_turn_begin") &&
	       gated_thread_gets_within(&share_thread, "quire_submit_wait_before"),
	       "others wait");
	tap_ok(gated_gets_within(&gated, "quire_submit_pause"), "they get their turn after a part");
	gated_raise_to(&gated, 2);
	tap_ok(gated_comes_true(&gated.other_done, PROMPT_MS), "others evict everything");
	pthread_join(evicting, NULL);
	tap_ret(gated.other_ret, 0, "which succeeds");
	pthread_join(sharing, NULL);
	tap_ret(gated.share_ret, 0, "another one has read it");
	gated_expect_done(&gated, submitting);
	splitting_usual();
	expect_dropped(&gated);
	gated_close(&gated);
}

int main(void)
{
	struct fixture fixture;

	tap_start(280);
	fixture_open(&fixture);
	if (getuid() || !*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_pinned(0);
	test_pinned(-ETIME);
	for (unsigned int i = 0; i < ARRAY_SIZE(pressures); i++)
		test_offered(&pressures[i]);
	if (fixture.info.execution_rings > 1 && splitting_begin()) {
		test_offered_in_vram();
		splitting_end();
	}
	test_parameter("hang_period", 3000);
	close(fixture.fd);
	return tap_done();
}
