// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The entries that lead to new page tables take several buffers, and there is no memory for one of
 * them: a bind is refused, and what the buffers before it have linked stays, or what VRAM has there
 * later would be page tables. Needs a kernel with fault injection, as the debug guest has it.
 */
#include "failing.h"
#include "space.h"

/* Each has two tables of its own. */
#define FAR	(1024 * QUIRE_MIB)
#define TABLES	40u
#define STEP	512u	/* bytes of memory that there are more each time */
#define MOST	(64u << 10)
#define APART	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

static uint8_t bytes[QUIRE_PAGE];
static unsigned int halves; /* binds of which a buffer was executed, though they were refused */

static int bind_far(struct space *space, const struct quire_object *object, unsigned int first,
		    unsigned int count)
{
	struct drm_quire_bind binds[TABLES];

	for (unsigned int i = 0; i < count; i++)
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = (first + i) * FAR, .size = QUIRE_PAGE,
			.handle = quire_object_handle(object),
		};
	return quire_vm_bind(space->vm, binds, count, NULL, NULL);
}

static void without_memory(const char *function, unsigned int left)
{
	if (!failing_within(function) || !failing_all(left, 0))
		tap_bail("no memory within %s", function);
}

static bool has_far(struct space *space, unsigned int i)
{
	return space_has(space, i * FAR, bytes, QUIRE_PAGE);
}

/* Returns true if there was memory for it. */
static bool bind_with(struct work *work, const struct quire_object *object, unsigned int left)
{
	struct space space;
	uint64_t written;
	int ret, other;

	space_open(&space, work);
	tap_ret(debugfs_write(work->fixture.debugfs, "nop_submit", "1"), 0, "all before is done");
	written = spaces_executed(&work->fixture, QUIRE_OP_UPDATE_PAGE_TABLE);
	without_memory("quire_vm_write_before", left);
	ret = bind_far(&space, object, 0, TABLES);
	failing_none();
	if (!ret) {
		tap_ok(has_far(&space, 0) && has_far(&space, TABLES - 1),
		       "%u bytes of memory: bound", left);
		space_close(&space);
		return true;
	}
	without_memory("quire_vm_tables_ensure", 0);
	other = bind_far(&space, object, TABLES, 1);
	failing_none();
	tap_ok(ret == -ENOMEM && other == -ENOMEM, "%u bytes of memory: %d, then none: %d", left,
	       ret, other);
	spaces_junk(work);
	halves += spaces_executed(&work->fixture, QUIRE_OP_UPDATE_PAGE_TABLE) > written;
	tap_ok(space_faults(&space, 0) && space_faults(&space, (TABLES - 1) * FAR),
	       "nothing is found there");
	tap_ret(bind_far(&space, object, 0, TABLES), 0, "there is memory again");
	tap_ok(has_far(&space, 0) && has_far(&space, TABLES - 1), "all is bound");
	space_close(&space);
	return false;
}

int main(void)
{
	struct quire_object *object;
	unsigned int left = 0;
	struct work work;

	tap_start(280);
	work_begin(&work);
	if (!*work.fixture.debugfs || !failing_begin())
		tap_skip_all("a kernel without fault injection, or not root");
	object = work_object_in(&work, QUIRE_PAGE, APART);
	pattern_fill(bytes, QUIRE_PAGE, 1);
	space_soil(object, 1);
	while (left < MOST && !bind_with(&work, object, left))
		left += STEP;
	tap_ok(halves && left < MOST, "%u binds were refused halfway", halves);
	failing_end();
	quire_object_close(object);
	work_end(&work);
	return tap_done();
}
