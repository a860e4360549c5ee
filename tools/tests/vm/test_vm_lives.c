// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Address spaces, with binds, commands, contexts and monitored fences that wait, and programs
 * that are at work and evict each other, while the machine sleeps or moves: all of it goes on,
 * and the bytes are those that the CPU computes.
 *
 * Usage: quire-test-vm-lives [COMMAND...]
 *   COMMAND  happens to the guest, and what waits is let go after it; else its devices are
 *            suspended (pm_test)
 */
#include <stdio.h>
#include <string.h>

#include "churn.h"
#include "pending.h"
#include "power.h"
#include "run.h"

/* Not so long that the machine does not wait for it, which it does for 20 seconds. */
#define HELD_NS		4000000000ull
#define TURNS		10u

static int run_command(const char *what)
{
	char text[1024];

	return run_program(what, text, sizeof(text));
}

static void test_event(int (*happen)(const char *what), const char *what, uint64_t held_ns)
{
	struct pending pending;
	struct churn churn;
	struct work work;

	work_begin(&work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	churn_start(&churn, 240);
	tap_ok(churn_goes_on(&churn, TURNS), "programs are at work");
	pending_open(&pending, &work);
	pending_queue(&pending, held_ns);
	if (held_ns)
		pending_let_go(&pending);
	tap_ret(happen(what), 0, "it happens: %s", what);
	if (!held_ns) {
		tap_ret(quire_fence_wait(pending.executed, 0, 0), -ETIME, "all of it waits yet");
		pending_let_go(&pending);
	}
	pending_finish(&pending);
	pending_close(&pending);
	tap_ok(churn_goes_on(&churn, TURNS), "the programs go on");
	churn_end(&churn, 0, "all is as it should be");
	test_parameter("hang_period", 3000);
	work_end(&work);
}

static void test_command(int argc, char **argv)
{
	char command[256] = "";

	for (int i = 1; i < argc; i++) {
		size_t end = strlen(command);

		snprintf(command + end, sizeof(command) - end, "%s%s", end ? " " : "", argv[i]);
	}
	test_event(run_command, command, 0);
}

int main(int argc, char **argv)
{
	tap_start(280);
	if (argc > 1) {
		test_command(argc, argv);
	} else {
		if (!power_begin())
			tap_skip_all("the machine's devices can not be suspended");
		test_event(power_state, "mem", HELD_NS);
		power_end();
	}
	return tap_done();
}
