// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands with the objects of a process, and with their models. What was not taken is taken
 * back from the models; what a context that ended has left is looked at anew.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "random.h"
#include "soak.h"

#define MOST_COMMANDS	6
#define MOST_OBJECTS	4
#define PIECE		(32u << 10)

/**
 * struct undo - bytes of a model before a command
 * @object: whose model
 * @at: where
 * @size: number of @bytes
 * @bytes: what there was
 */
struct undo {
	struct soak_object *object;
	uint64_t at;
	uint64_t size;
	uint8_t bytes[PIECE];
};

/**
 * struct batch - commands that are submitted together
 * @worker: whose they are
 * @nr_objects: number of @objects
 * @objects: that they use
 * @count: number of @undo
 * @undo: what they write
 */
struct batch {
	struct soak_worker *worker;
	unsigned int nr_objects;
	struct soak_object *objects[MOST_OBJECTS];
	unsigned int count;
	struct undo undo[MOST_COMMANDS];
};

/* Commands see images in their tiled form, of which there is no model. */
static bool object_takes_commands(const struct soak_object *object)
{
	return object->object && object->kind != SOAK_IMAGE && object->kind != SOAK_VIEW;
}

/*
 * Objects of which it is known what commands find in them. There may be none: that they are looked
 * at may end the context, and then it is known of fewer.
 */
static int choose_objects(struct batch *batch)
{
	struct soak_worker *worker = batch->worker;
	unsigned int count = 0;
	int ret = 0;

	for (unsigned int i = 0; i < MOST_OBJECTS && !ret; i++) {
		struct soak_object *object =
			&worker->objects[random_below(&worker->random, SOAK_OBJECTS)];

		if (!object_takes_commands(object))
			continue;
		if (object->lost || object->unneeded)
			ret = object_need(worker, object);
		batch->objects[count++] = object;
	}
	batch->nr_objects = 0;
	for (unsigned int i = 0; i < count; i++)
		if (!batch->objects[i]->lost)
			batch->objects[batch->nr_objects++] = batch->objects[i];
	return ret;
}

static struct span any_span(struct soak_worker *worker, struct mirror *mirror, uint64_t size)
{
	return span(mirror, random_below(&worker->random, (mirror->size - size) / 8 + 1) * 8);
}

static struct mirror mirror_of(const struct soak_object *object)
{
	return (struct mirror){ object->object, object->model, object->size };
}

static void remember(struct batch *batch, struct soak_object *object, struct span dst,
		     uint64_t size)
{
	struct undo *undo = &batch->undo[batch->count++];

	undo->object = object;
	undo->at = dst.offset;
	undo->size = size;
	memcpy(undo->bytes, object->model + dst.offset, size);
}

static struct soak_object *any_object(const struct batch *batch)
{
	return batch->objects[random_below(&batch->worker->random, batch->nr_objects)];
}

static void record(struct batch *batch)
{
	struct soak_object *from = any_object(batch), *to = any_object(batch);
	struct soak_worker *worker = batch->worker;
	struct mirror source = mirror_of(from), target = mirror_of(to);
	uint64_t limit = source.size < target.size ? source.size : target.size;
	uint64_t size = 16 * (1 + random_below(&worker->random, PIECE / 16));
	struct span src, dst;

	size = size < limit ? size : limit;
	src = any_span(worker, &source, size);
	/* one object has one mirror */
	dst = any_span(worker, from == to ? &source : &target, size);
	remember(batch, to, dst, size);
	switch (random_below(&worker->random, 7)) {
	case 0:
		mirror_fill(&worker->gpu, dst, size, random_next(&worker->random));
		break;
	case 1:
		mirror_arithmetic(&worker->gpu, QUIRE_ARITHMETIC_ADD, src, dst, size);
		break;
	case 2:
		mirror_arithmetic(&worker->gpu, QUIRE_ARITHMETIC_XOR, src, dst, size);
		break;
	case 3:
		mirror_write_value(&worker->gpu, dst, random_next(&worker->random));
		break;
	default:
		mirror_copy(&worker->gpu, src, dst, size);
	}
}

static void take_back(const struct batch *batch)
{
	for (unsigned int i = batch->count; i--;) {
		const struct undo *undo = &batch->undo[i];

		memcpy(undo->object->model + undo->at, undo->bytes, undo->size);
	}
}

static int create_context(struct soak_worker *worker)
{
	return quire_context_create(worker->gpu.device, DRM_QUIRE_PRIORITY_NORMAL,
				    &worker->gpu.context);
}

/* A context with something wrong takes nothing more. */
static int renew_context(struct soak_worker *worker)
{
	for (unsigned int i = 0; i < SOAK_OBJECTS; i++) {
		worker->objects[i].lost |= worker->objects[i].queued;
		worker->objects[i].queued = false;
	}
	worker->counts->ended++;
	quire_context_destroy(worker->gpu.context);
	worker->gpu.context = NULL;
	return create_context(worker);
}

/* Only faults and resets end it, or memory that came to an end in the middle. */
static bool may_have_ended(const struct soak_worker *worker, uint32_t status)
{
	switch (status) {
	case DRM_QUIRE_CONTEXT_HUNG:
	case DRM_QUIRE_CONTEXT_FAULTED:
		return worker->faults;
	case DRM_QUIRE_CONTEXT_LOST:
		return true;
	case DRM_QUIRE_CONTEXT_INCOMPLETE:
		return worker->gpu.result.parts;
	default:
		return false;
	}
}

/**
 * worker_look - has the context of a process ended?
 * @worker: gets a new one then; what commands write that are not known to be done is lost
 *
 * Returns 0, or a negative errno; -EPROTO: it ended without a reason.
 */
int worker_look(struct soak_worker *worker)
{
	struct drm_quire_context_state state;
	int ret;

	if (!worker->gpu.context)
		return create_context(worker);
	ret = quire_context_state(worker->gpu.context, &state);
	if (ret || state.status == DRM_QUIRE_CONTEXT_GOOD)
		return ret;
	if (may_have_ended(worker, state.status))
		return renew_context(worker);
	fprintf(stderr, "soak: process %u: its context ended: %u, fault %u\n", worker->number,
		state.status, state.fault);
	return -EPROTO;
}

static int submit(struct batch *batch)
{
	struct soak_worker *worker = batch->worker;
	const uint64_t ended = worker->counts->ended;
	struct gpu *gpu = &worker->gpu;
	int ret;

	gpu->ring = random_below(&worker->random, worker->info.execution_rings);
	ret = gpu_submit(gpu);
	/* the CPU may not write either what they only read, before they have read it */
	if (!ret || gpu->result.parts)
		for (unsigned int i = 0; i < batch->nr_objects; i++)
			batch->objects[i]->queued = true;
	else
		take_back(batch);
	worker->counts->submitted += !ret;
	worker->counts->divided += !ret && gpu->result.parts > 1;
	if (!ret)
		return 0;
	/* That it had ended before is no error of this one. */
	return worker_look(worker) ?: ended != worker->counts->ended ? 0 : ret;
}

/* Its work outlives it. */
static int submit_and_leave(struct soak_worker *worker)
{
	struct quire_context *context;
	int ret = quire_context_create(worker->gpu.device, DRM_QUIRE_PRIORITY_LOW, &context);

	if (ret)
		return ret;
	quire_recorder_delay(worker->gpu.recorder, 1000000);
	ret = quire_recorder_submit(worker->gpu.recorder, context, NULL, &worker->gpu.result);
	quire_recorder_reset(worker->gpu.recorder);
	quire_context_destroy(context);
	return ret;
}

/**
 * worker_submit - have some commands executed, with any objects of a process
 * @worker: the process
 *
 * Returns 0, also if the context had ended; or a negative errno.
 */
int worker_submit(struct soak_worker *worker)
{
	unsigned int commands = 1 + random_below(&worker->random, MOST_COMMANDS);
	static struct batch batch;
	int ret;

	if (!random_below(&worker->random, 16))
		return submit_and_leave(worker);
	batch.worker = worker;
	batch.count = 0;
	ret = choose_objects(&batch);
	if (!ret && !worker->gpu.context)
		ret = create_context(worker);
	if (ret || !batch.nr_objects)
		return ret;
	while (commands--)
		record(&batch);
	return submit(&batch);
}
