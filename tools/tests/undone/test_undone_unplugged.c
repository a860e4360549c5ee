// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver lets go of the device while a call waits: it ends with ENODEV, and what it took, and
 * all that the program had, is given back.
 */
#include <linux/dma-buf.h>

#include "dmabuf.h"
#include "undone_turns.h"

/* Half as many are more than a slab of 102 objects, and than the fences of a step of counted.c. */
#define NR_UNPLUGS	220

/* VM_BIND without syncobjs returns when it is done: behind one that waits. */
static void begin_binds(struct stage *s)
{
	waiting_begin(s);
	if (waiting_bind(s))
		tap_bail("a bind that waits");
}

static int bind_last(struct stage *s)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP_ZERO, .address = 4 * UNDONE_BASE,
		.size = QUIRE_PAGE,
	};
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call);
}

/* At the first packet of the paging ring. */
static void stall(struct stage *s)
{
	if (debugfs_write(s->scene.work.fixture.debugfs, "inject", "hang 1"))
		tap_bail("no faults on demand");
}

static int create_context(struct stage *s)
{
	struct drm_quire_context_create create = { .vm = s->vm };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create);
}

static int shared = -1;	/* dma-buf of what the CPU does not see */

static void hide(struct stage *s)
{
	if (quire_bo_place(s->fd, s->object, DRM_QUIRE_SEGMENT_VRAM,
			   DRM_QUIRE_PLACE_INVISIBLE) ||
	    quire_bo_wait(s->fd, s->object, WAIT_MS))
		tap_bail("an object that the CPU does not see");
	shared = dmabuf_export(s->fd, s->object);
	waiting_use(s, s->object);
}

/* The driver does not wait for it before it lets go. */
static int sync_cpu(struct stage *s)
{
	(void)s;
	return dmabuf_sync(shared, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
}

#define UNPLUGGED(ret, call, name, begin, function)			\
	ROW(ret, call, name, .runs = NR_UNPLUGS, .prepare = begin, .unplugged = function)

static const struct row rows[] = {
	UNPLUGGED(-ENODEV, waiting_bo, "BO_WAIT", waiting_begin, "quire_bo_wait"),
	UNPLUGGED(-ENODEV, waiting_place, "BO_PLACE", waiting_begin, "quire_bo_place"),
	UNPLUGGED(-ENODEV, waiting_renew, "BO_MADVISE WILLNEED", waiting_begin_purged,
		  "quire_bo_madvise"),
	UNPLUGGED(-ENODEV, waiting_fence, "FENCE_WAIT", waiting_begin, "quire_fence_wait_ioctl"),
	UNPLUGGED(-ENODEV, waiting_native, "FENCE_WAIT for a native fence", waiting_begin,
		  "quire_fence_wait_ioctl"),
	UNPLUGGED(-ENODEV, waiting_hold, "MAKE_RESIDENT", waiting_begin,
		  "quire_make_resident_ioctl"),
	UNPLUGGED(-ENODEV, waiting_submit, "SUBMIT", waiting_begin, "quire_submit_ioctl"),
	UNPLUGGED(-ENODEV, waiting_submit_more, "SUBMIT of too much", waiting_fill_submit_once,
		  "quire_submit_ioctl"),
	UNPLUGGED(-ENODEV, waiting_exec, "EXEC of too much", waiting_fill_exec_once,
		  "quire_exec_ioctl"),
	UNPLUGGED(-ENODEV, waiting_signal, "FENCE_SIGNAL of too much", waiting_fill_signals_once,
		  "quire_fence_signal_ioctl"),
	UNPLUGGED(-ENODEV, waiting_bind, "VM_BIND of too much", waiting_fill_binds_once,
		  "quire_vm_bind_ioctl"),
	UNPLUGGED(-ENODEV, sync_cpu, "DMA_BUF_IOCTL_SYNC", hide, "prime_begin_cpu_access"),
	UNPLUGGED(-ENODEV, waiting_exec_busy, "EXEC with a busy object", waiting_begin,
		  "quire_bo_wait_others"),
	UNPLUGGED(-ENODEV, turns_submit_late, "SUBMIT half way without room", turns_fill_half,
		  "quire_submit_page_in"),
	UNPLUGGED(0, bind_last, "VM_BIND without syncobjs", begin_binds, "quire_vm_bind_ioctl"),
	UNPLUGGED(-ENODEV, create_context, "CONTEXT_CREATE", stall, "quire_context_create_ioctl"),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(3000);
	undone_begin(argc > 1 ? argv[1] : "");
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
