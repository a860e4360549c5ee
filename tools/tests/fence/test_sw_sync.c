// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Fences that a program signals: commands wait for them, and for their end if the program gives
 * them up. For a guest with sw_sync.ko; skips elsewhere.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "space.h"

#define SW_SYNC		"/sys/kernel/debug/sync/sw_sync"

/* Of drivers/dma-buf/sw_sync.c: no header for programs has them. */
struct create_fence {
	uint32_t value;
	char name[32];
	int32_t fence;
};

#define CREATE_FENCE	_IOWR('W', 0, struct create_fence)
#define INCREASE	_IOW('W', 1, uint32_t)

/* A sync_file that signals when the timeline is at @value. */
static int create_file(int timeline, uint32_t value)
{
	struct create_fence create = { .value = value, .name = "quire-test" };

	if (ioctl(timeline, CREATE_FENCE, &create))
		tap_bail("sw_sync: no fence");
	return create.fence;
}

/* Commands wait for a fence, which ends by what @finish does. */
static void test_wait(struct space *space, void (*finish)(int timeline), const char *name)
{
	int timeline = open(SW_SYNC, O_RDWR | O_CLOEXEC), file = create_file(timeline, 1);
	struct quire_fence *fence;

	tap_ret(quire_fence_from_file(space->work->device, file, &fence), 0, "%s: import", name);
	close(file);
	space->results[0] = 0;
	quire_write_value(&space->writer, SPACE_RESULTS, 1);
	tap_ret(space_exec(space, fence, space->fence), 0, "%s: execute after it", name);
	tap_ret(quire_fence_wait(space->fence, 0, 0), -ETIME, "%s: it has not ended", name);
	tap_ok(!space->results[0], "%s: nothing was written", name);
	finish(timeline);
	tap_ret(work_fence_wait(space->fence), 0, "%s: it ends", name);
	tap_ok(space->results[0] == 1, "%s: it was executed", name);
	space_rewind(space);
	quire_fence_close(fence);
}

static void increase(int timeline)
{
	uint32_t by = 1;

	tap_ret(ioctl(timeline, INCREASE, &by) ? -errno : 0, 0, "the timeline goes on");
	close(timeline);
}

/* Its fences signal then, with an error. */
static void give_up(int timeline)
{
	close(timeline);
}

int main(void)
{
	struct space space;
	struct work work;

	tap_start(120);
	work_open(&work);
	if (access(SW_SYNC, R_OK | W_OK))
		tap_skip_all("no sw_sync, or not root");
	space_open(&space, &work);
	test_wait(&space, increase, "a fence that signals");
	test_wait(&space, give_up, "a fence that is given up");
	space_close(&space);
	work_close(&work);
	return tap_done();
}
