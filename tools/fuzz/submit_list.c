// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Lists of paging operations: the loop drives the builder, and the paging ring executes what
 * that writes, sooner or later.
 */
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/errno.h>

#include "submit_world.h"

/* A fence is the number of its submission; one that has signalled is behind all. */
#define SIGNALLED	UINT32_MAX

static struct world *to_world(struct quire_paging_list *list)
{
	return container_of(list, struct world, list);
}

static struct dma_fence *to_fence(uint32_t number)
{
	return (struct dma_fence *)(uintptr_t)number;
}

/* Of a few packets. */
static int list_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct world *world = to_world(list);

	FINDING_IF(world->open);
	world->open = true;
	if (fuzz_ring_is_full(&world->paging))
		fuzz_ring_finish(&world->paging);
	*buffer = (struct quire_paging_buffer) {
		.cpu = world->control->buffers[world->paging.wptr % FUZZ_RING_ENTRIES],
		.size = QUIRE_PAGING_MIN_BUFFER_SIZE + world_below(world, 116) * 8,
		.records = world->records,
		.max_records = 1 + world_below(world, MAX_RECORDS),
	};
	buffer->gpu_address = CONTROL_BASE + ((uint8_t *)buffer->cpu - (uint8_t *)world->control);
	return 0;
}

static void list_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct world *world = to_world(list);

	FINDING_IF(!world->open || buffer->used);
	world->open = false;
}

/* Not yet executed, mostly. */
static struct dma_fence *list_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct world *world = to_world(list);
	struct quire_paging_patch values = {
		.dummy_page = memory_dummy_page(world),
		.fence = world->paging.wptr + 1,
	};

	FINDING_IF(!world->open || !buffer->used);
	world->open = false;
	FINDING_IF(quire_paging_patch(buffer, &values));
	fuzz_ring_submit(&world->paging, buffer->gpu_address, buffer->used);
	if (!world_below(world, 4))
		fuzz_ring_finish(&world->paging);
	return to_fence(world->paging.wptr);
}

/* Only parts use objects, but for the list itself. */
static int list_wait_idle(struct quire_paging_list *list)
{
	struct world *world = to_world(list);

	FINDING_IF(world->open);
	fuzz_ring_finish(&world->execution);
	reached(REACH_BUSY);
	return 0;
}

static int list_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	struct world *world = to_world(list);

	fuzz_ring_finish(&world->paging);
	FINDING_IF(fuzz_ring_fence(&world->paging) < (uintptr_t)fence);
	return 0;
}

static struct dma_fence *list_signalled(void)
{
	return to_fence(SIGNALLED);
}

static void list_put(struct dma_fence *fence)
{
}

static const struct quire_paging_list_ops list_ops = {
	.acquire = list_acquire,
	.submit = list_submit,
	.release = list_release,
	.wait_idle = list_wait_idle,
	.wait = list_wait,
	.signalled = list_signalled,
	.put = list_put,
};

/* One list at a time. */
void list_start(struct world *world)
{
	world->list = (struct quire_paging_list) { .ops = &list_ops, .caps = &world->caps };
}

/* No operation is refused. */
void list_add(struct world *world, struct quire_paging_args *args)
{
	FINDING_IF(quire_paging_list_add(&world->list, args));
}

void list_finish(struct world *world)
{
	struct dma_fence *fence = quire_paging_list_finish(&world->list, 0);

	FINDING_IF(IS_ERR(fence) || world->open);
	FINDING_IF(fence != to_fence(world->paging.wptr) && fence != to_fence(SIGNALLED));
}
