// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>

#include "plan.h"
#include "quire_split.h"

#define NOWHERE	UINT32_MAX

/**
 * struct planning - the planner, and the memory that it sees
 * @split: the planner
 * @plan: what is noted
 * @stay_of: of each object, index of its stay; or %NOWHERE
 */
struct planning {
	struct quire_split split;
	struct plan *plan;
	uint32_t *stay_of;
};

static struct planning *planning_of(struct quire_split *split)
{
	return (struct planning *)split;
}

static uint64_t size_of(const struct planning *planning, u32 object)
{
	return planning->split.list->objects[object].size;
}

/* Room for one more of @count elements, by doubling. */
static int grow(void **array, uint32_t count, size_t element)
{
	void *larger;

	if (count & (count - 1))
		return 0;
	larger = reallocarray(*array, count ? 2 * count : 1, element);
	if (!larger)
		return -ENOMEM;
	*array = larger;
	return 0;
}

/* The part in preparation. */
static int find_part(struct planning *planning, struct plan_part **part)
{
	struct plan *plan = planning->plan;
	int ret = 0;

	if (plan->nr_parts == planning->split.parts) {
		ret = grow((void **)&plan->parts, plan->nr_parts, sizeof(*plan->parts));
		if (ret)
			return ret;
		plan->parts[plan->nr_parts++] = (struct plan_part){ 0 };
	}
	*part = &plan->parts[planning->split.parts];
	return 0;
}

static bool find(struct quire_split *split, u32 object, u64 *address)
{
	struct planning *planning = planning_of(split);

	if (planning->stay_of[object] == NOWHERE)
		return false;
	*address = planning->plan->stays[planning->stay_of[object]].address;
	return true;
}

/* There is nobody else: where the planner knows of no room, there is none. */
static int page_in(struct quire_split *split, u32 object, u64 *address)
{
	struct planning *planning = planning_of(split);
	struct plan *plan = planning->plan;
	u64 size = size_of(planning, object);
	struct plan_part *part;
	int ret = *address == QUIRE_SPLIT_ANYWHERE ? -ENOSPC : find_part(planning, &part);

	if (!ret)
		ret = grow((void **)&plan->stays, plan->nr_stays, sizeof(*plan->stays));
	if (ret)
		return ret;
	planning->stay_of[object] = plan->nr_stays;
	plan->stays[plan->nr_stays++] = (struct plan_stay){
		.object = object, .address = *address, .first = split->parts, .end = NOWHERE,
	};
	part->bytes_in += size;
	plan->bytes_in += size;
	return 0;
}

static int evict(struct quire_split *split, u32 object)
{
	struct planning *planning = planning_of(split);
	struct plan_part *part;
	int ret = find_part(planning, &part);

	if (ret)
		return ret;
	planning->plan->stays[planning->stay_of[object]].end = split->parts;
	planning->stay_of[object] = NOWHERE;
	part->bytes_out += size_of(planning, object);
	planning->plan->bytes_out += size_of(planning, object);
	return 0;
}

static int submit(struct quire_split *split, const struct quire_split_part *submitted)
{
	struct plan_part *part;
	int ret = find_part(planning_of(split), &part);

	if (ret)
		return ret;
	part->start = submitted->start;
	part->end = submitted->end;
	return 0;
}

static const struct quire_split_memory_ops ops = {
	.find = find, .page_in = page_in, .evict = evict, .submit = submit,
};

static int run(struct planning *planning, const struct command_lists *lists,
	       const u64 capacity[QUIRE_SPLIT_SEGMENTS], bool lru, void *memory)
{
	const struct quire_split_options options = { .lru = lru };
	struct plan *plan = planning->plan;
	int ret;

	for (u32 i = 0; i < lists->list.nr_objects; i++)
		planning->stay_of[i] = NOWHERE;
	quire_split_init(&planning->split, &ops, &lists->list, capacity, &options, memory);
	ret = quire_split_run(&planning->split);
	for (uint32_t i = 0; i < plan->nr_stays; i++)
		if (plan->stays[i].end == NOWHERE)
			plan->stays[i].end = plan->nr_parts;
	return ret;
}

/**
 * plan_make - let the planner divide a submission
 * @plan: returned, its arrays for free()
 * @lists: the submission; all objects are in video memory
 * @vram: bytes of it
 * @lru: as if nothing were known of the future
 *
 * Returns 0; -EFBIG, -EXFULL: something does not fit; -ENOMEM.
 */
int plan_make(struct plan *plan, const struct command_lists *lists, uint64_t vram, bool lru)
{
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = { vram, vram };
	struct planning planning = { .plan = plan };
	struct quire_command_error error;
	void *memory;
	int ret = quire_split_check(&lists->list, capacity, &error);

	if (ret)
		return ret;
	*plan = (struct plan){ .vram = vram };
	memory = malloc(quire_split_memory(&lists->list));
	planning.stay_of = calloc(lists->list.nr_objects + 1, sizeof(*planning.stay_of));
	ret = memory && planning.stay_of ? run(&planning, lists, capacity, lru, memory) : -ENOMEM;
	free(planning.stay_of);
	free(memory);
	return ret;
}
