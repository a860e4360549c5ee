// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What calls take is given back when there is no room: commands of another program are at work with
 * what is in the way. What is held resident is no such case: it goes last, but goes. Nor is what is
 * locked here: how long that is waited for has no such limit.
 *
 * A call waits for others for 15 seconds, also in virtual time, which the program has not much of:
 * so there are hundreds of calls and not a thousand, and many wait at the same time where they can.
 */
#include "undone_turns.h"

#define NR_TIMES	12
#define NR_ALONE	220

/* Commands stand still for as long as a row takes. */
#define HANG_MS		(6 * WORK_PATIENCE_MS)

WAITING_TOGETHER(turns_place, -ENOSPC)
WAITING_TOGETHER(turns_hold, -ENOSPC)
WAITING_TOGETHER(turns_exec, -ENOSPC)
WAITING_TOGETHER(turns_bind, -ENOSPC)

WAITING_WORKS(turns_place)
WAITING_WORKS(turns_hold)
WAITING_WORKS(turns_exec)
WAITING_WORKS(turns_bind)
WAITING_WORKS(turns_submit_late)

#define NO_ROOM(call, name)						\
	ROW(-ENOSPC, call##_together, "no room: " name, .runs = NR_TIMES,	\
	    .calls = WAITING_CALLERS, .warm_up = 1, .seconds = 1200,	\
	    .prepare = turns_fill_half, .works = call##_works)

static const struct row rows[] = {
	NO_ROOM(turns_place, "BO_PLACE"),
	NO_ROOM(turns_hold, "MAKE_RESIDENT"),
	NO_ROOM(turns_exec, "EXEC"),
	NO_ROOM(turns_bind, "VM_BIND"),
	/* One that is in parts has its ring for itself. */
	ROW(-ENOSPC, turns_submit_late, "no room: SUBMIT half way", .runs = NR_ALONE,
	    .warm_up = 1, .seconds = 4000, .prepare = turns_fill_half,
	    .works = turns_submit_late_works),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(4000);
	undone_begin(argc > 1 ? argv[1] : "");
	test_parameter("hang_period", HANG_MS);
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
