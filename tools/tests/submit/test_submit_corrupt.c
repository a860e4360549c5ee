// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each bit of a good submission is turned over, one at a time: of its commands, its lists, its
 * syncobjs and the argument itself. What comes of it is refused with an errno that says why, or
 * is executed, and does no harm to anybody else.
 */
#include <unistd.h>

#include <xf86drm.h>

#include "attempt.h"
#include "syncs.h"

/**
 * struct sample - a good submission
 * @attempt: a copy inside of an object
 * @syncs: it waits for the first one, and signals the second one
 */
struct sample {
	struct attempt attempt;
	struct drm_quire_sync syncs[2];
};

/**
 * struct tally - what came of it
 * @executed: so many were
 * @refused: so many were not
 * @unknown: an errno that says nothing, or 0
 */
struct tally {
	unsigned int executed;
	unsigned int refused;
	int unknown;
};

/* What a submission of its own program is refused with, as &struct drm_quire_submit has it. */
static const int known[] = {
	E2BIG, EACCES, EADDRINUSE, EADDRNOTAVAIL, EBADE, EBADMSG, EBADR, EBADSLT, ECHRNG,
	EDESTADDRREQ, EDOM, EEXIST, EFAULT, EILSEQ, EINVAL, EMEDIUMTYPE, EMSGSIZE, ENOENT,
	ENOMEDIUM, ENXIO, EOPNOTSUPP, EOVERFLOW, EPROTO, EPROTOTYPE, ERANGE, ESTALE, EXDEV,
};

static bool is_known(int error)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i] == -error)
			return true;
	return false;
}

static void sample_init(struct sample *sample, const struct scene *scene, uint32_t handle,
			uint32_t before, uint32_t after)
{
	struct attempt *attempt = &sample->attempt;

	attempt_init(attempt, scene);
	attempt->allocations[0].handle = handle;
	attempt->allocations[1].handle = handle;
	sample->syncs[0] = (struct drm_quire_sync){
		.handle = before, .flags = DRM_QUIRE_SYNC_WAIT,
	};
	sample->syncs[1] = (struct drm_quire_sync){
		.handle = after, .flags = DRM_QUIRE_SYNC_SIGNAL,
	};
	attempt->submit.syncs = (struct drm_quire_array)DRM_QUIRE_ARRAY(2, sample->syncs);
}

static void submit_corrupt(const struct scene *scene, struct sample *sample, struct tally *tally)
{
	int ret = quire_ioctl(scene->work.fixture.fd, DRM_IOCTL_QUIRE_SUBMIT,
			      &sample->attempt.submit);

	if (!ret)
		tally->executed++;
	else if (is_known(ret))
		tally->refused++;
	else
		tally->unknown = ret;
}

/* Each bit of @size bytes from @bytes on, which are a part of @sample. */
static void corrupt(const struct scene *scene, struct sample *sample, void *bytes, size_t size,
		    const char *name)
{
	const struct sample good = *sample;
	struct tally tally = { 0 };

	for (size_t i = 0; i < 8 * size && !tally.unknown; i++) {
		((uint8_t *)bytes)[i / 8] ^= 1u << i % 8;
		submit_corrupt(scene, sample, &tally);
		*sample = good;
	}
	tap_ok(!tally.unknown && tally.refused, "%s: %u are refused, and say why", name,
	       tally.refused);
	tap_diag("%u are executed; %d", tally.executed, tally.unknown);
}

/* What is left as it was is executed. */
static void expect_good(struct scene *scene, struct sample *sample)
{
	struct tally tally = { 0 };

	submit_corrupt(scene, sample, &tally);
	tap_ok(tally.executed == 1, "it is good");
}

static void corrupt_all(const struct scene *scene, struct sample *sample)
{
	struct attempt *attempt = &sample->attempt;

	corrupt(scene, sample, &attempt->nop, sizeof(attempt->nop), "a command of nothing");
	corrupt(scene, sample, copy(attempt), sizeof(*copy(attempt)), "a copy");
	corrupt(scene, sample, attempt->allocations, 2 * sizeof(attempt->allocations[0]),
		"allocations");
	corrupt(scene, sample, attempt->patches, 2 * sizeof(attempt->patches[0]),
		"patch locations");
	corrupt(scene, sample, sample->syncs, sizeof(sample->syncs), "syncobjs");
	corrupt(scene, sample, &attempt->submit, sizeof(attempt->submit), "the argument");
}

static uint32_t context_status(const struct scene *scene)
{
	struct drm_quire_context_state state = { .context = scene->context };

	if (quire_ioctl(scene->work.fixture.fd, DRM_IOCTL_QUIRE_CONTEXT_STATE, &state))
		tap_bail("context state");
	return state.status;
}

int main(void)
{
	struct object object, others;
	struct fixture fixture;
	struct sample sample;
	struct scene scene;
	uint32_t before;

	tap_start(120);
	scene_open(&scene);
	fixture_open(&fixture);
	tap_ret(object_create(&fixture, &others, 4 * QUIRE_PAGE, 7), 0, "somebody else's object");
	tap_ret(object_create(&scene.work.fixture, &object, 4 * QUIRE_PAGE, 5), 0, "an object");
	before = sync_create(&scene.work.fixture);
	tap_ret(drmSyncobjSignal(scene.work.fixture.fd, &before, 1), 0, "a fence that is over");
	sample_init(&sample, &scene, object.handle, before, sync_create(&scene.work.fixture));
	expect_good(&scene, &sample);
	corrupt_all(&scene, &sample);
	expect_good(&scene, &sample);
	tap_ret(quire_bo_wait(scene.work.fixture.fd, object.handle, WAIT_MS), 0, "all is over");
	tap_ret(context_status(&scene), DRM_QUIRE_CONTEXT_GOOD, "the context is good");
	tap_ret(object_check(&fixture, &others), 0, "the other object is whole");
	object_close(&scene.work.fixture, &object);
	object_close(&fixture, &others);
	close(fixture.fd);
	scene_close(&scene);
	return tap_done();
}
