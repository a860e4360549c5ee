// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver lets go of the device while a call waits: it ends with ENODEV, and what it took, and
 * all that the program had, is given back.
 */
#include "undone_waiting.h"

#define NR_UNPLUGS	100

#define UNPLUGGED(call, name, begin, function)				\
	ROW(-ENODEV, call, name, .runs = NR_UNPLUGS, .prepare = begin, .unplugged = function)

static const struct row rows[] = {
	UNPLUGGED(waiting_bo, "BO_WAIT", waiting_begin, "quire_bo_wait"),
	UNPLUGGED(waiting_place, "BO_PLACE", waiting_begin, "quire_bo_place"),
	UNPLUGGED(waiting_renew, "BO_MADVISE WILLNEED", waiting_begin_purged, "quire_bo_madvise"),
	UNPLUGGED(waiting_fence, "FENCE_WAIT", waiting_begin, "quire_fence_wait_ioctl"),
	UNPLUGGED(waiting_native, "FENCE_WAIT for a native fence", waiting_begin,
		  "quire_fence_wait_ioctl"),
	UNPLUGGED(waiting_hold, "MAKE_RESIDENT", waiting_begin, "quire_make_resident_ioctl"),
	UNPLUGGED(waiting_submit, "SUBMIT", waiting_begin, "quire_submit_ioctl"),
	UNPLUGGED(waiting_submit_more, "SUBMIT of too much", waiting_fill_submit_once,
		  "quire_submit_ioctl"),
	UNPLUGGED(waiting_exec, "EXEC of too much", waiting_fill_exec_once, "quire_exec_ioctl"),
	UNPLUGGED(waiting_signal, "FENCE_SIGNAL of too much", waiting_fill_signals_once,
		  "quire_fence_signal_ioctl"),
	UNPLUGGED(waiting_bind, "VM_BIND of too much", waiting_fill_binds_once,
		  "quire_vm_bind_ioctl"),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(3000);
	undone_begin(argc > 1 ? argv[1] : "");
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
