// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Whatever happens to the device, all that the driver has to watch, tell and arm again is watched,
 * told and armed: each event of one table, and after each of them each look of another (armed.c).
 *
 * Usage: quire-test-armed [COMMAND...]
 *   COMMAND  happens to the guest; else hangs, resets and suspends
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "armed.h"
#include "failing.h"
#include "kmsg.h"
#include "power.h"
#include "run.h"

/**
 * struct event - something that happens to the device
 * @name: for messages
 * @needs: set of ARMED_*
 * @happen: makes it happen, and returns 0 if it did; NULL: the driver lets go of the device, and
 *	takes it again: all is opened anew
 */
struct event {
	const char *name;
	unsigned int needs;
	int (*happen)(struct armed *armed);
};

static const char *command;	/* for run_command() */

/* At a move, which says in the log what is done about it. */
static int hang_move(struct armed *armed, const char *restarts, const char *said)
{
	int log = kmsg_open(), ret;

	ret = sysfs_parameter_write("hang_restarts", restarts) ?: armed_inject(armed, "hang 1");
	armed_patience(ARMED_PERIOD_MS);
	ret = ret ?: armed_move(armed);
	armed_patience(WORK_PATIENCE_MS);
	ret = ret ?: sysfs_parameter_write("hang_restarts", "1");
	if (!ret && !kmsg_count(log, said))
		ret = -ENOENT;
	close(log);
	return ret;
}

static int restart_paging(struct armed *armed)
{
	return hang_move(armed, "1", "stuck, restarting it");
}

static int reset_device(struct armed *armed)
{
	return hang_move(armed, "0", "stuck, resetting the device");
}

static int restart_first(struct armed *armed)
{
	return armed_hang(armed, 0) ? 0 : -EIO;
}

static int restart_last(struct armed *armed)
{
	return armed_hang(armed, armed->work.fixture.info.execution_rings - 1) ? 0 : -EIO;
}

static int reset_function(struct armed *armed)
{
	return sysfs_reset(armed->address);
}

static int suspend(struct armed *armed)
{
	(void)armed;
	return power_state("mem");
}

static int prepare_hibernation(struct armed *armed)
{
	int ret;

	(void)armed;
	if (!failing_write("/sys/power/pm_test", "freezer"))
		return -EIO;
	ret = power_state("disk");
	return failing_write("/sys/power/pm_test", "devices") ? ret : -EIO;
}

static int run_command(struct armed *armed)
{
	char text[1024];

	(void)armed;
	return run_program(command, text, sizeof(text));
}

static const struct event events[] = {
	{ "the paging ring is restarted", ARMED_INJECTION, restart_paging },
	{ "the device is reset at a hang", ARMED_INJECTION, reset_device },
	{ "the first ring gives a hang up", 0, restart_first },
	{ "the last ring gives a hang up", 0, restart_last },
	{ "the function is reset", ARMED_ADDRESS, reset_function },
	{ "devices are suspended", ARMED_SLEEP, suspend },
	{ "a hibernation is prepared", ARMED_SLEEP, prepare_hibernation },
	{ "the driver is bound again", ARMED_ADDRESS, NULL },
};

static void prepare(struct armed *armed)
{
	for (unsigned int i = ARMED_LOOKS; i--;) {
		const struct look *look = armed_look(i);

		if (look->before && !armed_lacks(armed, look->needs))
			look->before(armed);
	}
}

static void rebind(struct armed *armed)
{
	struct fixture fixture;

	armed_close(armed);
	fixture_open(&fixture);
	fixture_rebind(&fixture);
	close(fixture.fd);
	armed_open(armed);
}

static void look_at(struct armed *armed, const struct event *event, const struct look *look)
{
	const char *reason = armed_lacks(armed, look->needs);

	if (reason)
		tap_skip(reason, "%s: %s", event->name, look->name);
	else
		tap_ok(look->after(armed), "%s: %s", event->name, look->name);
}

static void test_event(struct armed *armed, const struct event *event)
{
	const char *reason;

	armed_open(armed);
	reason = armed_lacks(armed, event->needs);
	if (reason) {
		tap_skip(reason, "%s", event->name);
		armed_close(armed);
		return;
	}
	if (event->happen) {
		prepare(armed);
		tap_ret(event->happen(armed), 0, "it happens: %s", event->name);
	} else {
		rebind(armed);
		prepare(armed);
	}
	for (unsigned int i = 0; i < ARMED_LOOKS; i++)
		look_at(armed, event, armed_look(i));
	armed_close(armed);
}

static const char *join(int argc, char **argv)
{
	static char text[256];

	for (int i = 1; i < argc; i++) {
		size_t end = strlen(text);

		snprintf(text + end, sizeof(text) - end, "%s%s", end ? " " : "", argv[i]);
	}
	return text;
}

int main(int argc, char **argv)
{
	static struct armed armed;

	tap_start(400);
	if (argc > 1) {
		command = join(argc, argv);
		test_event(&armed, &(struct event){ command, 0, run_command });
		return tap_done();
	}
	if (power_begin())
		armed.has = ARMED_SLEEP;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		test_event(&armed, &events[i]);
	power_end();
	return tap_done();
}
