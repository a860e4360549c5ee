// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <string.h>

#include "pending.h"
#include "xxh64.h"

#define SIZE		(PENDING_PAGES * QUIRE_PAGE)
#define BASE		0x5000000000ull
#define LATER		(BASE + 2 * SIZE)	/* bound when the work ends */
#define FENCE		0x6000000000ull
#define GATE		0x7000000000ull

/* Such parts of a delay, so that no command lasts long. */
#define STEP_NS		250000000ull

/**
 * pending_open - make an address space, and what waits in it
 * @pending: to fill
 * @work: the device, which has two execution rings
 */
void pending_open(struct pending *pending, struct work *work)
{
	*pending = (struct pending){ .work = work };
	space_open(&pending->space, work);
	for (unsigned int i = 0; i < 2; i++) {
		pending->objects[i] = space_object(&pending->space, SIZE, 0, i);
		space_soil(pending->objects[i], i);
		space_map(&pending->space, BASE + i * SIZE, pending->objects[i], 0, SIZE);
	}
	work_gate_open_apart(work, &pending->gate);
	space_map(&pending->space, GATE, pending->gate.object, 0, QUIRE_PAGE);
	pending->holding = space_context(&pending->space);
	pending->waiting = space_context(&pending->space);
	pending->held = work_fence(work);
	for (unsigned int i = 0; i < DRM_QUIRE_BIND_QUEUES; i++)
		pending->bound[i] = work_fence(work);
	pending->executed = work_fence(work);
	pending->waited = work_fence(work);
	monitored_open(&pending->fence, work->fixture.fd, 0);
}

/* Work on ring 1 that pending_let_go() lets begin: what it does at its end has addresses. */
static int hold(struct pending *pending, uint64_t delay_ns)
{
	struct space *space = &pending->space;
	const struct quire_fence_point after = { .fence = pending->held };
	const struct quire_submission how = {
		.ring = 1, .nr_signals = 1, .signals = &after,
	};
	uint32_t begin = space->writer.used;

	quire_write_wait(&space->writer, QUIRE_WAIT_GREATER_EQUAL, GATE, 1);
	for (; delay_ns >= STEP_NS; delay_ns -= STEP_NS)
		quire_write_delay(&space->writer, STEP_NS);
	space->results[2] = SPACE_NO_HASH;
	quire_write_checksum(&space->writer, BASE, 2 * SIZE, SPACE_RESULTS + 16);
	return quire_exec(pending->holding, SPACE_COMMANDS + begin, space->writer.used - begin,
			  &how, NULL);
}

/* A page of each object by turns, in the order of the queues. */
static int bind_later(struct pending *pending, unsigned int queue)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .address = LATER + queue * QUIRE_PAGE,
		.size = QUIRE_PAGE, .offset = queue * QUIRE_PAGE,
		.handle = quire_object_handle(pending->objects[queue % 2]),
	};

	return space_bind_queued(pending->space.vm, &bind, queue, pending->held,
				 pending->bound[queue]);
}

static int bind_fence(const struct pending *pending)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .flags = DRM_QUIRE_BIND_READ_ONLY,
		.address = FENCE, .size = QUIRE_PAGE, .handle = pending->fence.handle,
	};

	return quire_vm_bind(pending->space.vm, &bind, 1, NULL, NULL);
}

/* After all binds: what they lead to. */
static int read_later(struct pending *pending)
{
	struct space *space = &pending->space;
	struct quire_fence_point before[DRM_QUIRE_BIND_QUEUES];
	const struct quire_fence_point after = { .fence = pending->executed };
	const struct quire_submission how = {
		.nr_waits = DRM_QUIRE_BIND_QUEUES, .waits = before,
		.nr_signals = 1, .signals = &after,
	};

	for (unsigned int i = 0; i < DRM_QUIRE_BIND_QUEUES; i++)
		before[i] = (struct quire_fence_point){ .fence = pending->bound[i] };
	space->results[0] = SPACE_NO_HASH;
	space->begin = space->writer.used;
	quire_write_checksum(&space->writer, LATER, DRM_QUIRE_BIND_QUEUES * QUIRE_PAGE,
			     SPACE_RESULTS);
	return quire_exec(space->context, SPACE_COMMANDS + space->begin,
			  space->writer.used - space->begin, &how, NULL);
}

/* Behind the work, on its ring: commands that wait for a value. */
static int wait_for_value(struct pending *pending)
{
	struct space *space = &pending->space;
	const struct quire_fence_point after = { .fence = pending->waited };
	const struct quire_submission how = {
		.ring = 1, .nr_signals = 1, .signals = &after,
	};
	uint32_t begin = space->writer.used;

	space->results[1] = 0;
	quire_write_wait(&space->writer, QUIRE_WAIT_GREATER_EQUAL, FENCE, 2);
	quire_write_value(&space->writer, SPACE_RESULTS + 8, 77);
	return quire_exec(pending->waiting, SPACE_COMMANDS + begin, space->writer.used - begin,
			  &how, NULL);
}

/**
 * pending_queue - have everything wait until pending_let_go()
 * @pending: that was opened
 * @delay_ns: the work lasts for so long after it
 */
void pending_queue(struct pending *pending, uint64_t delay_ns)
{
	const struct drm_quire_sync after = {
		.handle = quire_fence_syncobj(pending->executed), .flags = DRM_QUIRE_SYNC_WAIT,
	};
	int ret = 0;

	tap_ret(bind_fence(pending), 0, "a monitored fence is bound");
	tap_ret(hold(pending, delay_ns), 0, "work that lasts");
	for (unsigned int i = 0; i < DRM_QUIRE_BIND_QUEUES && !ret; i++)
		ret = bind_later(pending, i);
	tap_ret(ret, 0, "binds of all queues after it");
	tap_ret(read_later(pending), 0, "commands after the binds");
	tap_ret(monitored_signal_syncs(&pending->fence, 1, &after, 1), 0, "a value after them");
	tap_ret(monitored_signal(&pending->fence, 2), 0, "and another one");
	tap_ret(wait_for_value(pending), 0, "commands that wait for it");
	tap_ret(quire_fence_wait(pending->executed, 0, 0), -ETIME, "all of it waits");
}

void pending_let_go(const struct pending *pending)
{
	work_gate_raise(&pending->gate, 1);
}

/* Of what is bound from the beginning. */
static uint64_t first_hash(void)
{
	static uint8_t bytes[2][SIZE];

	for (unsigned int i = 0; i < 2; i++)
		pattern_fill(bytes[i], SIZE, i);
	return xxh64(bytes, sizeof(bytes));
}

/* Of what is bound later. */
static uint64_t later_hash(void)
{
	static uint8_t pages[DRM_QUIRE_BIND_QUEUES][QUIRE_PAGE];
	static uint8_t bytes[SIZE];

	for (unsigned int i = 0; i < DRM_QUIRE_BIND_QUEUES; i++) {
		pattern_fill(bytes, SIZE, i % 2);
		memcpy(pages[i], bytes + i * QUIRE_PAGE, QUIRE_PAGE);
	}
	return xxh64(pages, sizeof(pages));
}

/* It was let go, or lasts no longer: all of it has happened. */
void pending_finish(struct pending *pending)
{
	struct space *space = &pending->space;
	int ret = work_fence_wait(pending->held);

	tap_ret(ret, 0, "the work ends");
	tap_ok(space->results[2] == first_hash(), "and has found what was bound");
	for (unsigned int i = 0; i < DRM_QUIRE_BIND_QUEUES; i++)
		ret = ret ?: work_fence_wait(pending->bound[i]);
	tap_ret(ret, 0, "what waited is bound");
	tap_ret(work_fence_wait(pending->executed), 0, "what waited for that is executed");
	tap_ok(space->results[0] == later_hash(), "and has found it");
	tap_ret(monitored_wait(&pending->fence, 2, WAIT_MS), 0, "the values are written");
	tap_ok(monitored_value(&pending->fence) == 2, "in memory");
	tap_ret(work_fence_wait(pending->waited), 0, "who waited for them goes on");
	tap_ok(space->results[1] == 77, "to the end");
	tap_ok(work_context_status(space->context) == DRM_QUIRE_CONTEXT_GOOD &&
	       work_context_status(pending->waiting) == DRM_QUIRE_CONTEXT_GOOD &&
	       work_context_status(pending->holding) == DRM_QUIRE_CONTEXT_GOOD,
	       "all contexts are good");
}

/* Nothing waits any more: it was let go, or the device is gone. */
void pending_close(struct pending *pending)
{
	monitored_close(&pending->fence);
	quire_fence_close(pending->waited);
	quire_fence_close(pending->executed);
	for (unsigned int i = 0; i < DRM_QUIRE_BIND_QUEUES; i++)
		quire_fence_close(pending->bound[i]);
	quire_fence_close(pending->held);
	quire_context_destroy(pending->waiting);
	quire_context_destroy(pending->holding);
	quire_object_close(pending->gate.object);
	for (unsigned int i = 0; i < 2; i++)
		quire_object_close(pending->objects[i]);
	space_close(&pending->space);
}
