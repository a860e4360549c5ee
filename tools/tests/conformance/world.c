// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "splitting.h"
#include "world.h"

/* Sizes are eighths of video memory: two of these do not fit together. */
#define LARGE	5

/* Of video memory. */
uint64_t world_eighth(const struct world *world)
{
	return fixture_vram(&world->work.fixture) / 8 & ~(QUIRE_PAGE - 1);
}

/* For one rule; @context is that of rules_check(). */
struct world *world_begin(void *context)
{
	struct world *world = context;

	world->gpu = (struct gpu){
		.device = world->work.device,
		.context = work_context(&world->work),
		.recorder = world->work.recorder,
		.fence = work_fence(&world->work),
	};
	world->nr_objects = 0;
	return world;
}

/* Does the rule hold? @ok says what was found so far. */
bool world_end(struct world *world, bool ok)
{
	while (world->nr_objects)
		quire_object_close(world->objects[--world->nr_objects]);
	quire_fence_close(world->gpu.fence);
	quire_context_destroy(world->gpu.context);
	return rule_is(fixture_settles(&world->work.fixture, world->work.fixture.segments),
		       "nothing is left") && ok;
}

/* Of @size bytes, all zero. */
struct quire_object *world_make(struct world *world, uint64_t size)
{
	struct quire_object *object;

	if (world->nr_objects == WORLD_OBJECTS)
		tap_bail("a rule has %u objects", WORLD_OBJECTS);
	object = work_object(&world->work, size);
	world->objects[world->nr_objects++] = object;
	return object;
}

struct quire_object *world_make_large(struct world *world)
{
	return world_make(world, LARGE * world_eighth(world));
}

/* Is it executed, in so many parts? */
bool world_runs(struct world *world, const struct script *script, uint32_t parts,
		const char *what)
{
	bool ok = rule_ret(script_run(script, &world->gpu), what);

	if (ok && world->gpu.result.parts != parts)
		tap_diag("%s: %u parts, not %u", what, world->gpu.result.parts, parts);
	return ok && world->gpu.result.parts == parts;
}

/* For the sake of element @entry of the patch-location list; nothing has become of it. */
bool world_refuses(struct world *world, const struct script *script, int error, uint32_t entry,
		   const char *what)
{
	const struct quire_result *result = &world->gpu.result;
	int ret = script_submit(script, &world->gpu);
	bool ok;

	if (ret != error)
		tap_diag("%s: %d, not %d: %s", what, ret, error, result->message);
	ok = rule_is(result->refused_where == DRM_QUIRE_REFUSAL_PATCHES &&
		     result->refused_entry == entry, "it says which element") &&
	     rule_is(!result->parts && !result->bytes_in && !result->bytes_out, "nothing ran");
	return rule_is(work_context_status(world->gpu.context) == DRM_QUIRE_CONTEXT_GOOD,
		       "the context is good") && ok && ret == error;
}

/* The whole of a program that tests rules of splitting; returns what main() does. */
int world_check(const struct rule *rules, size_t count)
{
	static struct world world;

	tap_start(118);
	work_begin(&world.work);
	if (!splitting_begin())
		tap_skip_all("parameters can not be set");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	rules_check(rules, count, &world);
	test_parameter("hang_period", 3000);
	splitting_end();
	work_end(&world.work);
	return tap_done();
}
