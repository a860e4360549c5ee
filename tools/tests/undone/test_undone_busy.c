// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What calls take is given back when others are at work with an object, or have it pinned.
 *
 * A call waits for who is at work for 15 seconds, also in virtual time, which the program has not
 * much of: so there are hundreds of calls and not a thousand, and many wait at the same time.
 */
#include <stdlib.h>
#include <unistd.h>

#include "dmabuf.h"
#include "splitting.h"
#include "undone_waiting.h"
#include "vgem.h"

#define SYSTEM		DRM_QUIRE_SEGMENT_SYSTEM
#define NR_TIMES	12

/*
 * Another driver has an object pinned in system memory, where it is bound.
 */
static void pin(struct stage *s)
{
	const struct drm_quire_bind bind = {
		.address = UNDONE_BASE, .size = UNDONE_SIZE, .handle = s->object,
	};
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };
	int dmabuf = dmabuf_export(s->fd, s->object), vgem = vgem_open_static();
	uint32_t handle;

	if (quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call) ||
	    undone_place(s, s->object, SYSTEM) || dmabuf < 0 ||
	    dmabuf_import(vgem, dmabuf, &handle))
		tap_bail("no object is pinned");
	close(dmabuf);
}

/* Test options are those of all programs: they are what they were when it ends. */
static void split_everywhere(void)
{
	atexit(splitting_usual);
	if (!splitting_set("split_every_point", 1))
		tap_bail("no options");
}

static bool has_static_vgem(void)
{
	int vgem = vgem_open_static();

	if (vgem >= 0)
		close(vgem);
	return vgem >= 0;
}

static void pin_split(struct stage *s)
{
	pin(s);
	split_everywhere();
}

static const struct row pinned[] = {
	ROW(-EBUSY, waiting_place, "pinned: BO_PLACE", .prepare = pin),
	ROW(-EBUSY, waiting_hold, "pinned: MAKE_RESIDENT", .prepare = pin),
	ROW(-EBUSY, waiting_submit, "pinned: SUBMIT", .prepare = pin),
	ROW(-EBUSY, waiting_submit, "pinned: SUBMIT in parts", .prepare = pin_split),
	ROW(-EBUSY, waiting_exec_busy, "pinned: EXEC", .prepare = pin),
	ROW(-EBUSY, waiting_bind_busy, "pinned: VM_BIND", .prepare = pin),
};

WAITING_TOGETHER(waiting_place, -EBUSY)
WAITING_TOGETHER(waiting_renew, -EBUSY)
WAITING_TOGETHER(waiting_hold, -EBUSY)
WAITING_TOGETHER(waiting_submit, -EBUSY)
WAITING_TOGETHER(waiting_exec_busy, -EBUSY)
WAITING_TOGETHER(waiting_bind_busy, -EBUSY)

WAITING_WORKS(waiting_place)
WAITING_WORKS(waiting_renew)
WAITING_WORKS(waiting_hold)
WAITING_WORKS(waiting_submit)
WAITING_WORKS(waiting_exec_busy)
WAITING_WORKS(waiting_bind_busy)

#define BUSY(call, name, begin)						\
	ROW(-EBUSY, call##_together, name, .runs = NR_TIMES, .calls = WAITING_CALLERS,	\
	    .warm_up = 1, .seconds = 1200, .prepare = begin, .works = call##_works)

static const struct row rows[] = {
	BUSY(waiting_place, "busy: BO_PLACE", waiting_begin),
	BUSY(waiting_renew, "busy: BO_MADVISE WILLNEED", waiting_begin_purged),
	BUSY(waiting_hold, "busy: MAKE_RESIDENT", waiting_begin),
	BUSY(waiting_submit, "busy: SUBMIT", waiting_begin),
	BUSY(waiting_exec_busy, "busy: EXEC", waiting_begin),
	BUSY(waiting_bind_busy, "busy: VM_BIND", waiting_begin),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(900);
	undone_begin(argc > 1 ? argv[1] : "");
	if (has_static_vgem())
		undone_rows(pinned, ARRAY_SIZE(pinned));
	else
		tap_skip("no vgem that pins what it imports", "pinned objects");
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
