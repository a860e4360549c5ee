// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <unistd.h>

#include "dmabuf.h"
#include "user.h"

/**
 * user_begin - commands begin, and wait
 * @user: to fill
 *
 * For root, where the device executes commands. No hang is noticed until user_end().
 */
void user_begin(struct user *user)
{
	struct quire_fence *fence;

	test_parameter("hang_period", WORK_PATIENCE_MS);
	work_open(&user->work);
	user->context = work_context(&user->work);
	work_gate_open_apart(&user->work, &user->gate);
	work_wait_at(&user->work, &user->gate, 1);
	fence = work_fence(&user->work);
	tap_ret(work_submit(&user->work, user->context, 0, NULL, fence), 0, "commands wait");
	user->file = quire_fence_export(fence, 0);
	quire_fence_close(fence);
}

/* An object is in use until they have ended. */
void user_uses(const struct user *user, const struct fixture *fixture, const struct object *object)
{
	int dmabuf = dmabuf_export(fixture->fd, object->handle);

	tap_ret(dmabuf_import_sync_file(dmabuf, user->file), 0, "they are at work with an object");
	close(dmabuf);
}

/* They end, and are gone; so does what hangs. */
void user_end(struct user *user)
{
	work_gate_raise(&user->gate, 1);
	test_parameter("hang_period", 3000); /* they may be behind something that hangs */
	tap_ret(quire_object_wait(user->gate.object, WAIT_MS * 1000000ll), 0, "they are done");
	close(user->file);
	work_gate_close(&user->gate);
	quire_context_destroy(user->context);
	work_close(&user->work);
}
