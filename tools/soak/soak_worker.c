// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A process: objects, and something at random with one of them, until it is to stop. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "debugfs.h"
#include "random.h"
#include "soak.h"

#define WAIT_MS		100000

/* Of as many objects as these: half of them are plain. Images are small. */
static const enum soak_kind kinds[] = {
	SOAK_PLAIN, SOAK_IMAGE, SOAK_PLAIN, SOAK_COMBINED,
	SOAK_PLAIN, SOAK_VIEW, SOAK_PLAIN, SOAK_WINDOW,
};

#define NR_LARGE	(SOAK_OBJECTS * 3 / 4)

static int renew(struct soak_worker *worker, struct soak_object *object, enum soak_kind kind)
{
	uint64_t limit = 2 * worker->bytes / NR_LARGE / QUIRE_PAGE;

	/* Sizes of a real set: many small ones, some large ones. */
	if (random_below(&worker->random, 2))
		limit /= 16;
	object_close(worker, object);
	return object_create(worker, object, kind,
			     (1 + random_below(&worker->random, limit + 1)) * QUIRE_PAGE);
}

static int evict_all(struct soak_worker *worker)
{
	return worker->debugfs[0] ? debugfs_write(worker->debugfs, "evict_all", "1") : 0;
}

static int step(struct soak_worker *worker, struct soak_object *object, enum soak_kind kind)
{
	if (!object->object)
		return renew(worker, object, kind);
	switch (random_below(&worker->random, 20)) {
	case 0:
		return renew(worker, object, kind);
	case 1:
		return object_advise(worker, object);
	case 2:
		return quire_bo_wait(worker->fd, object->handle, WAIT_MS);
	case 3:
		return object_check(worker, object);
	case 4 ... 7:
		return object_write(worker, object);
	case 8 ... 11:
		return object_read(worker, object);
	case 12:
		return random_below(&worker->random, 16) ? 0 : evict_all(worker);
	default:
		return object_place(worker, object);
	}
}

static int step_any(struct soak_worker *worker)
{
	unsigned int i = random_below(&worker->random, SOAK_OBJECTS);
	enum soak_kind kind = kinds[i % ARRAY_SIZE(kinds)];

	if (worker->info.execution_rings && !random_below(&worker->random, 8))
		return worker_submit(worker);
	if (!kind_is_there(&worker->info, kind))
		kind = SOAK_PLAIN;
	return step(worker, &worker->objects[i], kind);
}

/* No room is an answer; whether anything is lost by it, the next comparison says. */
static int count(struct soak_worker *worker, int ret)
{
	worker->counts->steps++;
	if (ret != -ENOSPC && ret != -ENOMEM)
		return ret;
	worker->counts->refused++;
	return 0;
}

static int open_device(struct soak_worker *worker)
{
	int ret = gpu_open(&worker->gpu);

	if (ret)
		return ret;
	worker->fd = quire_device_fd(worker->gpu.device);
	if (debugfs_find(worker->fd, worker->debugfs, sizeof(worker->debugfs)))
		worker->debugfs[0] = '\0';
	return quire_query_device(worker->fd, &worker->info) ?:
	       quire_query_segments(worker->fd, worker->segments);
}

/**
 * soak_work - use the device at random until it is to stop, then compare all
 * @worker: with all that its caller knows
 *
 * Return: 0 also if something differed, which is counted; or the negative errno
 * of the operation that should have gone well.
 */
int soak_work(struct soak_worker *worker)
{
	int ret = open_device(worker);

	while (!ret && !*worker->stop)
		ret = count(worker, step_any(worker));
	for (unsigned int i = 0; i < SOAK_OBJECTS && !ret; i++)
		ret = worker->objects[i].object ? object_check(worker, &worker->objects[i]) : 0;
	for (unsigned int i = 0; i < SOAK_OBJECTS; i++)
		object_close(worker, &worker->objects[i]);
	gpu_close(&worker->gpu);
	if (ret)
		fprintf(stderr, "soak: process %u: %s\n", worker->number, strerror(-ret));
	return ret;
}
