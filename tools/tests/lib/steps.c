// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "failing.h"
#include "steps.h"

#define MOST	400	/* allocations of one call */

static int step_once(const struct fixture *fixture, struct object *object,
		     const struct step *step, unsigned int n, bool *failed)
{
	int ret = step->prepare ? step->prepare(fixture, object) : 0, run;

	if (ret)
		return ret;
	failing_arm(n);
	run = step->run(fixture, object);
	*failed = failing_disarm();
	if (run && run != -ENOMEM)
		tap_diag("%s, allocation %u: %d", step->name, n, run);
	ret = run == -ENOMEM ? 0 : run;
	return ret ? ret : step->finish(fixture, object, run);
}

/**
 * step_test - each allocation fails once: an error or success, and nothing is left
 * @fixture: the device; after failing_begin()
 * @object: what the step is done with; is in system memory afterwards
 * @step: the call
 */
void step_test(const struct fixture *fixture, struct object *object, const struct step *step)
{
	struct drm_quire_segment_info before[QUIRE_SEGMENTS];
	bool failed = true;
	unsigned int n;
	int ret = 0;

	if (fixture_rest(fixture, before))
		tap_bail("query");
	for (n = 1; failed && !ret && n < MOST; n++)
		ret = step_once(fixture, object, step, n, &failed);
	tap_ret(ret, 0, "%s: out of memory %u times", step->name, n - 2);
	tap_ok(n > 2 && !failed, "%s: there were such allocations, and an end", step->name);
	tap_ret(object_place_and_wait(fixture, object, &places[0]), 0, "back");
	tap_ok(fixture_settles(fixture, before), "%s: nothing is left", step->name);
}

/* &step.finish of a call that leaves the content alone. */
int step_finish_whole(const struct fixture *fixture, struct object *object, int ret)
{
	ret = quire_bo_wait(fixture->fd, object->handle, WAIT_MS);
	return ret ? ret : object_check(fixture, object);
}
