// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A program whose contexts fault again and again does not fill the kernel's log, and is told of
 * each fault as if it had only that. Root only: the log is read.
 */
#include <unistd.h>

#include "kmsg.h"
#include "space.h"

#define FAULTS		200u
#define NOWHERE		0x4000000000ull

/* The kernel's own, DEFAULT_RATELIMIT_*: so many in so many seconds. */
#define BURST		10u
#define INTERVAL_NS	5000000000ll

/**
 * struct logs - what is said of a fault
 * @faults: the device's words
 * @ends: those of the contexts
 */
struct logs {
	int faults;
	int ends;
};

static unsigned int read_logs(const struct logs *logs)
{
	unsigned int faults = kmsg_count(logs->faults, "fault: code");
	unsigned int ends = kmsg_count(logs->ends, "is given up, its context ends");

	if (faults != ends)
		tap_ok(false, "%u faults and %u ends in the log", faults, ends);
	return faults;
}

/* Ends when the time of those that nothing is said of is over. */
static void test_until_said(struct space *space, const struct logs *logs, const char *name)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	unsigned int said = 0;

	while (!said && quire_now_ns() < end && space_faults(space, NOWHERE))
		said = read_logs(logs);
	tap_ok(said, "%s", name);
}

/* A machine so slow that each may be said is no fault of the driver. */
static void test_many(struct space *space, const struct logs *logs)
{
	int64_t begin = quire_now_ns();
	unsigned int faults = 0, said, most;

	for (unsigned int i = 0; i < FAULTS; i++)
		faults += space_faults(space, NOWHERE);
	said = read_logs(logs);
	most = BURST * ((quire_now_ns() - begin) / INTERVAL_NS + 2);
	tap_ok(faults == FAULTS, "%u of %u contexts are told of their fault", faults, FAULTS);
	tap_ok(said <= most, "the log says it of %u, of at most %u", said, most);
}

int main(void)
{
	struct space space;
	struct work work;
	struct logs logs;

	tap_start(600);
	work_open(&work);
	if (getuid())
		tap_skip_all("not root");
	logs = (struct logs) { kmsg_open(), kmsg_open() };
	if (logs.faults < 0 || logs.ends < 0)
		tap_bail("no log");
	space_open(&space, &work);
	test_until_said(&space, &logs, "a fault is in the log");
	test_many(&space, &logs);
	test_until_said(&space, &logs, "a fault is in the log again");
	space_close(&space);
	close(logs.faults);
	close(logs.ends);
	work_close(&work);
	return tap_done();
}
