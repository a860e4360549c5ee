// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of the paging model: where native fences are. */
#include <unistd.h>

#include "native.h"
#include "rules.h"

static bool evict_all(const struct work *work)
{
	return !debugfs_write(work->fixture.debugfs, "evict_all", "1");
}

static uint64_t count(const struct work *work)
{
	struct debugfs_counter counter;

	if (debugfs_write(work->fixture.debugfs, "nop_submit", "1") ||
	    debugfs_counter(work->fixture.debugfs, "NOTIFY_FENCE_RESIDENCY", &counter))
		tap_bail("no counter");
	return counter.count;
}

/* Wherever it has moved, commands that are executed after that let it grow there. */
static bool told_with_the_move(void *data)
{
	struct space *space = data;
	struct native_known known;
	struct native native;
	uint64_t before;
	bool ok = true;

	native_open(&native, space, 0);
	before = count(space->work);
	for (unsigned int i = 1; i <= 3 && ok; i++)
		ok = rule_is(evict_all(space->work), "it leaves") &&
		     rule_ret(native_signal(space, &native, i), "and comes back for commands") &&
		     rule_is(native_known(space->work, native.number, &known, NULL),
			     "the device knows where") &&
		     rule_is(native_value(&native) == i, "its value is there");
	ok = rule_is(count(space->work) >= before + 5, "each move was told of") && ok;
	monitored_close(&native.base);
	return ok;
}

/* Where one was is something else, and the device has heard before that it is nowhere. */
static bool nowhere_before(void *data)
{
	struct space *space = data;
	struct native_known known;
	struct native native;
	bool ok;

	native_open(&native, space, 0);
	ok = rule_ret(native_signal(space, &native, 1), "it is somewhere") &&
	     rule_is(native_known(space->work, native.number, &known, NULL), "and that is told");
	ok = rule_is(evict_all(space->work), "it leaves") && ok;
	ok = rule_is(!native_known(space->work, native.number, &known, NULL),
		     "to the device it is nowhere") && ok;
	ok = rule_ret(native_signal(space, &native, 2), "it is somewhere again") && ok;
	monitored_close(&native.base);
	return rule_is(native_is_nowhere_soon(space->work, native.number),
		       "it is freed: nowhere") && ok;
}

static bool interrupt_when_reached(void *data)
{
	struct space *space = data;
	const uint64_t before = native_interrupts(space->work);
	struct native native;
	pid_t pid;
	bool ok;

	native_open(&native, space, 0);
	ok = rule_ret(native_signal(space, &native, 1), "a value that nobody waits for");
	pid = child_start(WAIT_MS / 1000);
	if (!pid)
		_exit(-monitored_wait(&native.base, 5, WAIT_MS));
	ok = rule_is(child_gets_within(pid, "quire_fence_wait_ioctl", WAIT_MS),
		     "somebody waits") && ok;
	ok = rule_ret(native_signal(space, &native, 4), "for a larger one") && ok;
	ok = rule_is(native_interrupts(space->work) == before, "he is not told yet") && ok;
	ok = rule_ret(native_signal(space, &native, 5), "but then") && ok;
	ok = rule_ret(child_status(pid), "he is") && ok;
	ok = rule_is(native_interrupts(space->work) == before + 1, "once") && ok;
	monitored_close(&native.base);
	return ok;
}

static const struct rule rules[] = {
	{ "fence-told-with-the-move", told_with_the_move },
	{ "fence-nowhere-when-it-leaves", nowhere_before },
	{ "fence-interrupt-when-reached", interrupt_when_reached },
};

int main(void)
{
	struct space space;
	struct work work;

	tap_start(110);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	space_open(&space, &work);
	rules_check(rules, ARRAY_SIZE(rules), &space);
	space_close(&space);
	work_end(&work);
	return tap_done();
}
