// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each row has a process and files of its own, so that one that hangs, or loses something, is no
 * matter for the next one. Where memory can be made to fail, a row that succeeds is gone with the
 * first allocation of the driver failing, then with the second one, and so on, over and over.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include "counted.h"
#include "failing.h"
#include "undone.h"
#include "wedge.h"

/* As of struct row, of those where the driver lets go of the device. */
#define UNPLUGGED_S	900
#define WARM_UP_UNPLUGGED	20

#define ALLOCATIONS	2000	/* no row has as many */

static struct fixture fixture;
static bool memory_fails;
static const char *only_of;
static char address[64];	/* of the device, for the driver */

static unsigned int fail_nth;	/* allocation of the next call; 0: none */
static bool failed;		/* there was such an allocation */

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: %s", what, strerror(-ret));
}

/* An object in all segments. */
int undone_object(struct stage *s, uint32_t *handle)
{
	return quire_bo_create(s->fd, UNDONE_SIZE, handle);
}

/* @vm: of the context; 0: none */
int undone_context(struct stage *s, uint32_t vm, uint32_t *context)
{
	struct drm_quire_context_create create = { .vm = vm };
	int ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create);

	*context = create.context;
	return ret;
}

/* Moved, to its end. */
int undone_place(struct stage *s, uint32_t handle, uint32_t segment)
{
	return quire_bo_place(s->fd, handle, segment, 0) ?: quire_bo_wait(s->fd, handle, WAIT_MS);
}

/* Until the work has ended that has signalled a syncobj. */
int undone_wait(struct stage *s, uint32_t syncobj)
{
	return drmSyncobjWait(s->fd, &syncobj, 1, quire_now_ns() + WAIT_MS * 1000000ll, 0, NULL) ?
	       -errno : 0;
}

static uint32_t syncobj(struct stage *s, uint32_t flags)
{
	uint32_t handle;

	must(drmSyncobjCreate(s->fd, flags, &handle) ? -errno : 0, "syncobj");
	return handle;
}

static uint32_t fence(struct stage *s, uint32_t flags)
{
	struct drm_quire_fence_create create = { .flags = flags, .vm = flags ? s->vm : 0 };

	must(quire_ioctl(s->fd, DRM_IOCTL_QUIRE_FENCE_CREATE, &create), "fence");
	return create.handle;
}

static uint32_t private_object(struct stage *s)
{
	struct drm_quire_bo_create create = {
		.size = UNDONE_SIZE, .segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
		.vm = s->vm,
	};

	must(quire_ioctl(s->fd, DRM_IOCTL_QUIRE_BO_CREATE, &create), "private object");
	return create.handle;
}

/* A context whose address space has an object without content. */
static void lose_content(struct stage *s)
{
	struct drm_quire_vm_create vm = { 0 };
	struct drm_quire_bind bind = { .address = UNDONE_PURGED, .size = UNDONE_SIZE };
	struct drm_quire_vm_bind call = { .binds = DRM_QUIRE_ARRAY(1, &bind) };
	struct object object = { 0 };

	must(undone_object(s, &s->purged), "object");
	must(quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_CREATE, &vm), "address space");
	bind.handle = s->purged;
	call.vm = vm.vm;
	must(quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call), "bind");
	must(undone_context(s, vm.vm, &s->lost), "context");
	must(quire_bo_madvise(s->fd, s->purged, DRM_QUIRE_MADV_DONTNEED, NULL), "DONTNEED");
	must(debugfs_write(s->scene.work.fixture.debugfs, "evict_all", "1"), "evict");
	object.handle = s->purged;
	if (!(object_flags(&s->scene.work.fixture, &object) & DRM_QUIRE_BO_PURGED))
		tap_bail("nothing is purged");
}

/* Its commands are where nothing is bound. */
static uint32_t ended_context(struct stage *s)
{
	struct drm_quire_sync sync = { .handle = syncobj(s, 0), .flags = DRM_QUIRE_SYNC_SIGNAL };
	struct drm_quire_exec exec = {
		.address = UNDONE_BASE, .size = 8, .syncs = DRM_QUIRE_ARRAY(1, &sync),
	};

	must(undone_context(s, s->vm, &exec.context), "context");
	must(quire_ioctl(s->fd, DRM_IOCTL_QUIRE_EXEC, &exec), "a context that ends");
	undone_wait(s, sync.handle);
	return exec.context;
}

static void stage_open(struct stage *s)
{
	work_open(&s->scene.work);
	s->fd = s->scene.work.fixture.fd;
	space_open(&s->space, &s->scene.work);
	quire_write_value(&s->space.writer, SPACE_RESULTS, 1);
	s->vm = quire_vm_id(s->space.vm);
	s->empty = syncobj(s, 0);
	lose_content(s);
	must(undone_context(s, s->vm, &s->context), "context");
	must(undone_context(s, 0, &s->plain), "context");
	s->ended = ended_context(s);
	must(undone_object(s, &s->object), "object");
	must(undone_object(s, &s->other), "object");
	must(quire_bo_create_in(s->fd, UNDONE_SIZE,
				DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM), &s->system),
	     "object");
	s->secret = private_object(s);
	s->fence = fence(s, 0);
	s->native = fence(s, DRM_QUIRE_FENCE_NATIVE);
	s->scene.subject.object.handle = s->object;
	s->scene.context = s->plain;
}

/*
 * A reference that is lost of what all calls use would be one lost thing only: what may be fresh
 * is.
 */
static int run(struct stage *s, const struct row *row)
{
	int ret;

	s->done = syncobj(s, DRM_SYNCOBJ_CREATE_SIGNALED);
	s->signal = syncobj(s, 0);
	if (fail_nth)
		failing_arm(fail_nth);
	ret = row->run(s);
	if (fail_nth)
		failed = failing_disarm();
	drmSyncobjDestroy(s->fd, s->signal);
	drmSyncobjDestroy(s->fd, s->done);
	return ret;
}

static bool run_once(struct stage *s, const struct row *row)
{
	int ret = run(s, row);

	if (ret != row->expected)
		tap_diag("%s: %d instead of %d", row->name, ret, row->expected);
	return ret == row->expected;
}

/* All of its calls are as they should be, and so is the name that the last one gives. */
static bool run_often(struct stage *s, const struct row *row, unsigned int runs)
{
	uint32_t number = s->number;

	for (unsigned int i = 0; i < runs; i++)
		if (!run_once(s, row))
			return false;
	if (number && number != s->number)
		tap_diag("%s: the name %u is not free any more", row->name, number);
	return !number || number == s->number;
}

/* Whatever comes of it. The last time, nothing fails. */
static bool run_without_memory(struct stage *s, const struct row *row, unsigned int runs)
{
	fail_nth = 1;
	for (unsigned int i = 0; i < runs; i++) {
		run(s, row);
		fail_nth = failed && fail_nth < ALLOCATIONS ? fail_nth + 1 : 1;
	}
	fail_nth = 0;
	return run_once(s, row);
}

static bool still_works(struct stage *s, const struct row *row)
{
	int ret = row->works ? row->works(s) : 0;

	if (ret)
		tap_diag("%s: then %d", row->name, ret);
	return !ret;
}

/*
 * A process that has the same file makes the call, and waits; the driver lets go of the device.
 * Returns 0, or 1 if the call did not wait, or came to anything else.
 */
static int unplug(const struct row *row)
{
	struct stage *s = calloc(1, sizeof(*s));
	pid_t pid;
	bool waits;

	if (!s)
		return 1;
	stage_open(s);
	row->prepare(s);
	pid = child_start(UNDONE_S);
	if (!pid)
		_exit(!run_once(s, row));
	waits = child_gets_within(pid, row->unplugged, WAIT_MS);
	must(sysfs_driver_write("unbind", address), "unbind");
	return child_status(pid) || !waits;
}

static bool unplug_often(const struct row *row, unsigned int runs)
{
	bool good = true;

	for (unsigned int i = 0; i < runs && good; i++) {
		pid_t pid;

		close(fixture.fd);
		pid = child_start(UNDONE_S);
		if (!pid)
			_exit(unplug(row));
		good = !child_status(pid);
		must(sysfs_driver_write("bind", address), "bind");
		fixture_reopen(&fixture);
	}
	return good;
}

/* As run_row(). */
static int run_unplugged(const struct row *row)
{
	struct counted *before = malloc(sizeof(*before));

	if (!before || !unplug_often(row, WARM_UP_UNPLUGGED))
		return 1;
	counted_take(&fixture, before);
	if (!unplug_often(row, row->runs))
		return 1;
	return counted_returns(&fixture, before, row->runs) ? 0 : 2;
}

/* Returns 0 if all is given back, 1 if a call went wrong, 2 if something is not given back. */
static int run_row_on(struct stage *s, const struct row *row)
{
	unsigned int runs = row->runs ? row->runs : UNDONE_RUNS;
	struct counted *before = malloc(sizeof(*before));
	bool (*often)(struct stage *s, const struct row *row, unsigned int runs) = run_often;
	bool good;

	if (!before)
		return 1;
	if (memory_fails) {
		failing_begin();
		failing_below("quire");
		often = run_without_memory;
	}
	if (row->prepare)
		row->prepare(s);
	if (!often(s, row, row->warm_up ? row->warm_up : UNDONE_WARM_UP))
		return 1;
	counted_take(&s->scene.work.fixture, before);
	good = often(s, row, runs);
	if (good && !counted_returns(&s->scene.work.fixture, before,
				     runs * (row->calls ? row->calls : 1)))
		return 2;
	return !good || !still_works(s, row);
}

static int run_row(const struct row *row)
{
	struct stage *s = calloc(1, sizeof(*s));

	if (!s)
		return 1;
	stage_open(s);
	return run_row_on(s, row);
}

static bool is_asked(const struct row *row)
{
	return !(memory_fails && (row->expected || row->unplugged)) &&
	       strstr(row->name, only_of);
}

static unsigned int row_seconds(const struct row *row)
{
	if (row->unplugged)
		return UNPLUGGED_S;
	return row->seconds ? row->seconds : UNDONE_S;
}

static void row_is_gone(const struct row *row, int status)
{
	tap_ok(!status, "%s: nothing is left%s", row->name, status < 0 ? " (it hangs)" : "");
}

/**
 * undone_begin - the device is there, nothing is at work
 * @only: of all rows, those that have this in their name
 *
 * Skips all if nothing can be counted here.
 */
void undone_begin(const char *only)
{
	only_of = only;
	fixture_open(&fixture);
	if (!counted_possible() || !*fixture.debugfs)
		tap_skip_all("not root, or the kernel does not count");
	if (!fixture.info.execution_rings)
		tap_skip_all("the device executes no commands");
	if (sysfs_pci_address(fixture.fd, address, sizeof(address)))
		tap_bail("no PCI address");
	memory_fails = failing_begin();
	if (memory_fails)
		failing_end();
	/* Commands of some rows stand still. */
	test_parameter("hang_period", WORK_PATIENCE_MS);
}

/**
 * undone_rows - go all ways
 * @rows: the ways
 * @count: number of them
 *
 * Without memory only those that succeed else.
 */
void undone_rows(const struct row *rows, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		pid_t pid;
		int status;

		if (!is_asked(&rows[i]))
			continue;
		pid = child_start(row_seconds(&rows[i]));
		if (!pid)
			exit(rows[i].unplugged ? run_unplugged(&rows[i]) : run_row(&rows[i]));
		status = child_status(pid);
		if (rows[i].unplugged) {
			close(fixture.fd);
			fixture_reopen(&fixture);
		}
		if (!status && !fixture_settles(&fixture, fixture.segments))
			status = 2;
		row_is_gone(&rows[i], status);
	}
}

/**
 * undone_wedged_rows - go all ways at a device that is given up
 * @rows: the ways
 * @count: number of them
 *
 * All have one stage, of before, and each a process of its own. It is the last thing to do: the
 * device has a new start then.
 */
void undone_wedged_rows(const struct row *rows, unsigned int count)
{
	struct stage *s = calloc(1, sizeof(*s));

	if (!s)
		tap_bail("no memory");
	stage_open(s);
	wedge_by_reset(&s->scene.work.fixture);
	for (unsigned int i = 0; i < count; i++) {
		pid_t pid;

		if (!is_asked(&rows[i]))
			continue;
		pid = child_start(row_seconds(&rows[i]));
		if (!pid)
			exit(run_row_on(s, &rows[i]));
		row_is_gone(&rows[i], child_status(pid));
	}
	space_close(&s->space);
	work_close(&s->scene.work);
	free(s);
	fixture_rebind(&fixture);
}

/**
 * undone_end - all of it has come back, and the device can go
 *
 * A call that has never left it keeps that for ever.
 *
 * Returns: what main() returns.
 */
int undone_end(void)
{
	test_parameter("hang_period", 3000);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	tap_ret(debugfs_write(fixture.debugfs, "evict_all", "1"), 0, "all can be evicted");
	fixture_rebind(&fixture);
	fixture_test_works(&fixture);
	return tap_done();
}
