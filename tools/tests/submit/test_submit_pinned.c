// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Objects that commands can not use now: others have pinned them in system memory, or they are
 * purged. Whatever else the submission wants, it is refused before anything of it runs, and is
 * taken when that is over.
 */
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "refuse.h"
#include "splitting.h"
#include "vgem.h"
#include "work.h"

#define SIZE	(8 * QUIRE_PAGE)

/**
 * struct way - how a submission is executed
 * @name: for messages
 * @option: test option of the driver, or NULL
 * @eighths: of VRAM, in each object that is not in question; 0: they are small
 * @parts: at least
 */
struct way {
	const char *name;
	const char *option;
	uint64_t eighths;
	uint32_t parts;
};

static const struct way ways[] = {
	{ "as a whole", NULL, 0, 1 },
	{ "divided at every point", "split_every_point", 0, 3 },
	{ "divided, as it does not fit", NULL, 5, 2 },
};

/**
 * struct scene - a submission that uses an object in its middle
 * @work: the device
 * @context: whose it is
 * @bad: what is pinned, or purged
 * @good: used before and after it
 * @fence: gets the end
 * @number: that all of them get next
 */
struct scene {
	struct work work;
	struct quire_context *context;
	struct quire_object *bad;
	struct quire_object *good[2];
	struct quire_fence *fence;
	uint64_t number;
};

static void scene_open(struct scene *scene, const struct way *way, uint32_t classes)
{
	const uint64_t size = way->eighths ? fixture_vram(&scene->work.fixture) / 8 * way->eighths :
					     SIZE;

	splitting_usual();
	if (way->option)
		tap_ok(splitting_set(way->option, 1), "%s", way->option);
	scene->context = work_context(&scene->work);
	scene->bad = work_object_in(&scene->work, SIZE, classes);
	for (unsigned int i = 0; i < ARRAY_SIZE(scene->good); i++) {
		scene->good[i] = work_object(&scene->work, size);
		work_set_number(scene->good[i], 0, 1);
	}
	work_set_number(scene->bad, 0, 1);
	scene->fence = work_fence(&scene->work);
	scene->number = 2;
}

static void scene_close(struct scene *scene)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(scene->good); i++)
		quire_object_close(scene->good[i]);
	quire_object_close(scene->bad);
	quire_fence_close(scene->fence);
	quire_context_destroy(scene->context);
}

static int submit(struct scene *scene)
{
	struct quire_recorder *recorder = scene->work.recorder;

	quire_recorder_write_value(recorder, quire_at(scene->good[0], 0), scene->number);
	quire_recorder_write_value(recorder, quire_at(scene->bad, 0), scene->number);
	quire_recorder_write_value(recorder, quire_at(scene->good[1], 0), scene->number);
	return work_submit(&scene->work, scene->context, 0, NULL, scene->fence);
}

static void expect_refused(struct scene *scene, const struct way *way, int expected,
			   const char *why)
{
	int log = refusals_open();

	tap_ret(submit(scene), expected, "refused, %s", way->name);
	tap_ok(refusals_say(log, expected, why), "the log says: %s", why);
	refusals_close(log);
	tap_ok(!scene->work.result.parts && !scene->work.result.submission, "nothing was queued");
	tap_ok(scene->work.result.refused_where == DRM_QUIRE_REFUSAL_ALLOCATIONS &&
	       scene->work.result.refused_entry == 1, "the one in the middle is the reason");
	tap_ret(work_context_status(scene->context), DRM_QUIRE_CONTEXT_GOOD, "the context is good");
	tap_ret(quire_fence_wait(scene->fence, 0, 0), -EINVAL, "its fence has no work");
	tap_ok(work_number(scene->good[0], 0) == 1 && work_number(scene->good[1], 0) == 1,
	       "nothing was executed");
}

static void expect_executed(struct scene *scene, const struct way *way)
{
	tap_ret(submit(scene), 0, "taken, %s", way->name);
	tap_ok(scene->work.result.parts >= way->parts, "%u parts", scene->work.result.parts);
	tap_ret(work_fence_wait(scene->fence), 0, "executed");
	tap_ok(work_number(scene->good[0], 0) == 2 && work_number(scene->bad, 0) == 2 &&
	       work_number(scene->good[1], 0) == 2, "all of it");
}

static bool is_in_system_memory(const struct scene *scene)
{
	return quire_object_class(scene->bad) == DRM_QUIRE_SEGMENT_SYSTEM;
}

/* An importer has its pages, and then lets go. */
static void test_pinned(struct scene *scene, const struct way *way, uint32_t classes)
{
	int vgem = vgem_open_static(), dmabuf;
	uint32_t handle;

	if (vgem < 0) {
		tap_skip("no vgem here, or one that pins nothing", "pinned, %s", way->name);
		return;
	}
	scene_open(scene, way, classes);
	dmabuf = dmabuf_export(scene->work.fixture.fd, quire_object_handle(scene->bad));
	tap_ret(dmabuf_import(vgem, dmabuf, &handle), 0, "another device pins it");
	expect_refused(scene, way, -EBUSY, "list 2, element 1, byte 0x0: others have pinned it");
	tap_ok(is_in_system_memory(scene) && work_number(scene->bad, 0) == 1,
	       "it is where it was, and whole");
	drmCloseBufferHandle(vgem, handle);
	expect_executed(scene, way);
	close(dmabuf);
	close(vgem);
	scene_close(scene);
}

/* While it is at work it can be pinned all the same, when that is done. */
static void test_pinned_later(struct scene *scene, const struct way *way)
{
	int vgem = vgem_open_static(), dmabuf;
	uint32_t handle;

	if (vgem < 0) {
		tap_skip("no vgem here, or one that pins nothing", "pinned later, %s", way->name);
		return;
	}
	scene_open(scene, way, 0);
	dmabuf = dmabuf_export(scene->work.fixture.fd, quire_object_handle(scene->bad));
	quire_recorder_delay(scene->work.recorder, 300000000);
	tap_ret(submit(scene), 0, "commands are at work with it");
	tap_ret(dmabuf_import(vgem, dmabuf, &handle), 0, "another device pins it");
	tap_ok(is_in_system_memory(scene) && work_number(scene->bad, 0) == 2,
	       "it has what they wrote");
	tap_ret(work_fence_wait(scene->fence), 0, "they were executed");
	close(vgem);
	expect_executed(scene, way);
	close(dmabuf);
	scene_close(scene);
}

static void test_purged(struct scene *scene, const struct way *way)
{
	const struct fixture *fixture = &scene->work.fixture;
	uint32_t handle;

	if (!*fixture->debugfs) {
		tap_skip("no debugfs", "purged, %s", way->name);
		return;
	}
	scene_open(scene, way, 0);
	quire_object_unmap(scene->bad);
	handle = quire_object_handle(scene->bad);
	tap_ret(quire_bo_place(fixture->fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0), 0, "in VRAM");
	tap_ret(quire_bo_madvise(fixture->fd, handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"nobody needs it");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	expect_refused(scene, way, -ENODATA, "list 2, element 1, byte 0x0: it is purged");
	tap_ret(quire_bo_madvise(fixture->fd, handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"it is needed again");
	expect_executed(scene, way);
	scene_close(scene);
}

int main(void)
{
	struct scene scene = { 0 };

	tap_start(280);
	work_begin(&scene.work);
	if (!splitting_begin())
		tap_skip_all("options can not be set");
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		test_pinned(&scene, &ways[i], 0);
		test_pinned(&scene, &ways[i], DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
			    DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE));
		test_pinned_later(&scene, &ways[i]);
		test_purged(&scene, &ways[i]);
	}
	splitting_end();
	work_end(&scene.work);
	return tap_done();
}
