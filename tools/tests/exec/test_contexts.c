// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Contexts: how many there are, whose work comes first, and what becomes of their work when
 * they, their file or their program go.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "dmabuf.h"
#include "refuse.h"
#include "syncs.h"
#include "work.h"

#define NOBODY		65534
#define FILLERS		200	/* more than a ring takes at once */

#define CONTEXT(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_CONTEXT_CREATE, struct drm_quire_context_create, expected, \
		"create: " name, __VA_ARGS__)
#define DESTROY(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, struct drm_quire_context_destroy, expected, \
		"destroy: " name, __VA_ARGS__)
#define STATE(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_CONTEXT_STATE, struct drm_quire_context_state, expected, \
		"state: " name, __VA_ARGS__)

static int create(int fd, uint32_t priority, uint32_t *context)
{
	struct drm_quire_context_create create = { .priority = priority };
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create);

	*context = create.context;
	return ret;
}

static int destroy(int fd, uint32_t context)
{
	struct drm_quire_context_destroy destroy = { .context = context };

	return quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy);
}

static int state(int fd, uint32_t context, struct drm_quire_context_state *state)
{
	*state = (struct drm_quire_context_state){ .context = context, .status = 7, .fault = 7 };
	return quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_STATE, state);
}

static uint32_t one_context(int fd)
{
	uint32_t context;

	if (create(fd, DRM_QUIRE_PRIORITY_NORMAL, &context))
		tap_bail("no context");
	return context;
}

static void test_arguments(struct subject *s)
{
	uint32_t context = one_context(s->fixture->fd);

	CONTEXT(-EINVAL, "priority 3", .priority = 3);
	CONTEXT(-EINVAL, "priority -1", .priority = UINT32_MAX);
	CONTEXT(-EINVAL, "flag 0", .flags = 1);
	CONTEXT(-EINVAL, "flag 31", .flags = 1u << 31);
	CONTEXT(-EINVAL, "pad", .pad = 1);
	DESTROY(-ENOENT, "number 0", .context = 0);
	DESTROY(-ENOENT, "unknown number", .context = NO_HANDLE);
	DESTROY(-EINVAL, "pad", .context = context, .pad = 1);
	STATE(-ENOENT, "number 0", .context = 0);
	STATE(-ENOENT, "unknown number", .context = NO_HANDLE);
	STATE(0, "of a good one", .context = context);
	tap_ret(destroy(s->fixture->fd, context), 0, "destroy: once");
	DESTROY(-ENOENT, "twice", .context = context);
	STATE(-ENOENT, "destroyed", .context = context);
}

/* Makes as many as there can be, and destroys them. Returns how many, or an errno. */
static int count_free(int fd)
{
	uint32_t contexts[DRM_QUIRE_MAX_CONTEXTS + 1];
	int count = 0, ret = 0;

	while (count <= DRM_QUIRE_MAX_CONTEXTS && !ret) {
		ret = create(fd, DRM_QUIRE_PRIORITY_NORMAL, &contexts[count]);
		count += !ret;
	}
	for (int i = 0; i < count && (ret == -ENOSPC || !ret); i++)
		ret = destroy(fd, contexts[i]) ? -ENOENT : ret;
	return ret == -ENOSPC ? count : ret;
}

/* What has no room for the number, or does not want it, makes nothing. */
static void test_short(struct subject *s)
{
	const unsigned int number = DRM_COMMAND_BASE + DRM_QUIRE_CONTEXT_CREATE;
	struct drm_quire_context_create argument = { 0 };
	int fd = s->fixture->fd;

	refused(s, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, 8), &argument, -EINVAL,
		"create: structure of 8 bytes");
	refused(s, _IOC(_IOC_WRITE, DRM_IOCTL_BASE, number, sizeof(argument)), &argument, -EINVAL,
		"create: without an answer");
	tap_ret(count_free(fd), DRM_QUIRE_MAX_CONTEXTS, "there is none");
	tap_ret(quire_ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, 12),
			    &argument), 0, "create: structure of 12 bytes");
	tap_ret(destroy(fd, argument.context), 0, "it has a number");
}

/* Each file has its own, and each of them its own number. */
static void test_limit(const struct work *work)
{
	uint32_t contexts[DRM_QUIRE_MAX_CONTEXTS] = { 0 }, another;
	struct drm_quire_context_state answer;
	int fd = work->fixture.fd, other = quire_open(), ret = 0;
	unsigned int twice = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(contexts) && !ret; i++) {
		ret = create(fd, DRM_QUIRE_PRIORITY_NORMAL, &contexts[i]);
		for (unsigned int j = 0; j < i; j++)
			twice += contexts[j] == contexts[i];
		twice += !contexts[i];
	}
	tap_ret(ret, 0, "%zu contexts", ARRAY_SIZE(contexts));
	tap_ret(twice, 0, "each has a number of its own");
	tap_ret(create(fd, DRM_QUIRE_PRIORITY_NORMAL, &another), -ENOSPC, "and no more");
	tap_ret(state(other, contexts[0], &answer), -ENOENT, "another file does not know them");
	tap_ret(create(other, DRM_QUIRE_PRIORITY_NORMAL, &another), 0, "but has its own");
	close(other);
	tap_ret(destroy(fd, contexts[7]), 0, "destroy one");
	tap_ret(create(fd, DRM_QUIRE_PRIORITY_NORMAL, &contexts[7]), 0, "make another one");
	for (unsigned int i = 0; i < ARRAY_SIZE(contexts) && !ret; i++)
		ret = destroy(fd, contexts[i]);
	tap_ret(ret, 0, "destroy all");
}

/* Of the same file: it is the caller that counts. */
static int create_as_nobody(int fd, uint32_t priority)
{
	pid_t pid = child_start(60);
	uint32_t context;
	int ret;

	if (!pid) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(EXDEV);
		ret = create(fd, priority, &context);
		_exit(-(ret ?: destroy(fd, context)));
	}
	return -child_status(pid);
}

static void test_capability(const struct work *work)
{
	int fd = work->fixture.fd;
	uint32_t context;

	if (getuid()) {
		tap_skip("not root", "the priority that needs a capability");
		return;
	}
	tap_ret(create(fd, DRM_QUIRE_PRIORITY_HIGH, &context), 0, "root: high");
	tap_ret(destroy(fd, context), 0, "destroy it");
	tap_ret(create_as_nobody(fd, DRM_QUIRE_PRIORITY_NORMAL), 0, "nobody: normal");
	tap_ret(create_as_nobody(fd, DRM_QUIRE_PRIORITY_LOW), 0, "nobody: low");
	tap_ret(create_as_nobody(fd, DRM_QUIRE_PRIORITY_HIGH), -EACCES, "nobody: high");
}

static uint64_t ended_at(struct quire_fence *fence)
{
	struct fence_state state = { 0 };
	int ret = work_fence_wait(fence), file = quire_fence_export(fence, 0);

	if (ret || fence_query(file, &state) || state.status != 1)
		tap_bail("a fence did not end well: %d", ret);
	close(file);
	return state.timestamp;
}

/* One command that takes a moment, so that two do not end at once. */
static struct quire_fence *queue(struct work *work, struct quire_context *context)
{
	struct quire_fence *fence = work_fence(work);

	quire_recorder_delay(work->recorder, 2000000);
	if (work_submit(work, context, 0, NULL, fence))
		tap_bail("submit");
	return fence;
}

/* The ring is full; what waits to get there is of all priorities, the least first. */
static void test_order(struct work *work)
{
	static const uint32_t priorities[] = {
		DRM_QUIRE_PRIORITY_LOW, DRM_QUIRE_PRIORITY_NORMAL, DRM_QUIRE_PRIORITY_HIGH,
	};
	struct quire_context *context = work_context(work), *contexts[3];
	struct quire_fence *fences[3];
	uint64_t ends[3];
	struct gate gate;

	work_gate_open(work, &gate);
	for (unsigned int i = 0; i < FILLERS; i++) {
		if (!i)
			work_wait_at(work, &gate, 1);
		quire_recorder_nop(work->recorder, 8);
		if (work_submit(work, context, 0, NULL, NULL))
			tap_bail("submit");
	}
	for (unsigned int i = 0; i < 3; i++) {
		if (quire_context_create(work->device, priorities[i], &contexts[i]))
			tap_bail("context");
		fences[i] = queue(work, contexts[i]);
	}
	work_gate_raise(&gate, 1);
	for (unsigned int i = 0; i < 3; i++) {
		ends[i] = ended_at(fences[i]);
		quire_fence_close(fences[i]);
		quire_context_destroy(contexts[i]);
	}
	tap_ok(ends[2] < ends[1], "high comes before normal");
	tap_ok(ends[1] < ends[0], "normal comes before low");
	quire_context_destroy(context);
	work_gate_close(&gate);
}

/* Numbers of submissions are those of their context, and it is good. */
static void test_numbers(struct work *work)
{
	struct quire_context *contexts[2] = { work_context(work), work_context(work) };
	struct drm_quire_context_state state;

	for (unsigned int i = 0; i < 6; i++) {
		quire_recorder_nop(work->recorder, 8);
		if (work_submit(work, contexts[i % 2], 0, NULL, NULL))
			tap_bail("submit");
		tap_ok(work->result.submission == i / 2 + 1, "context %u: submission %u", i % 2,
		       i / 2 + 1);
	}
	for (unsigned int i = 0; i < 2; i++) {
		tap_ret(quire_context_state(contexts[i], &state), 0, "its state");
		state.context = 0;
		tap_ok(!memcmp(&state, &(struct drm_quire_context_state){ 0 }, sizeof(state)),
		       "is good, and no more");
		quire_context_destroy(contexts[i]);
	}
}

/**
 * struct queued - work that waits at a gate, and work behind it
 * @gate: of who looks
 * @begun: is 1 when something waits
 * @numbers: the first one is written by what waits at the gate, the second one by what
 *           is executed after that; each alone in an object
 */
struct queued {
	struct gate gate;
	struct gate begun;
	struct quire_object *numbers[2];
};

static void queued_open(const struct work *work, struct queued *queued)
{
	work_gate_open(work, &queued->gate);
	work_gate_open(work, &queued->begun);
	for (unsigned int i = 0; i < 2; i++)
		queued->numbers[i] = work_object(work, QUIRE_PAGE);
}

static void queued_close(struct queued *queued)
{
	work_gate_close(&queued->gate);
	work_gate_close(&queued->begun);
	for (unsigned int i = 0; i < 2; i++)
		quire_object_close(queued->numbers[i]);
}

/* The same object, of another file. */
static struct quire_object *import(const struct work *from, const struct work *to,
				   struct quire_object *object)
{
	int file = dmabuf_export(from->fixture.fd, quire_object_handle(object));
	uint32_t handle;

	if (file < 0 || dmabuf_import(to->fixture.fd, file, &handle) ||
	    quire_object_from_handle(to->device, handle, &object))
		tap_bail("import");
	close(file);
	return object;
}

static void queue_all(struct work *work, struct quire_context *context, struct queued *queued)
{
	struct quire_fence *first = work_fence(work);
	int ret;

	quire_recorder_write_value(work->recorder, quire_at(queued->begun.object, 0), 1);
	work_wait_at(work, &queued->gate, 1);
	quire_recorder_write_value(work->recorder, quire_at(queued->numbers[0], 0), 11);
	ret = work_submit(work, context, 0, NULL, first);
	quire_recorder_write_value(work->recorder, quire_at(queued->numbers[1], 0), 12);
	if (ret || work_submit(work, context, work->fixture.info.execution_rings - 1, first, NULL))
		tap_bail("submit");
	quire_fence_close(first);
	while (!work_gate_number(&queued->begun))
		test_sleep_ms(1);
}

/* By another file, or program, of which nothing else is left than @context. */
static void queue_elsewhere(const struct work *work, const struct queued *queued,
			    struct work *other)
{
	struct queued theirs = *queued;

	theirs.gate.object = import(work, other, queued->gate.object);
	theirs.begun.object = import(work, other, queued->begun.object);
	for (unsigned int i = 0; i < 2; i++)
		theirs.numbers[i] = import(work, other, queued->numbers[i]);
	queue_all(other, work_context(other), &theirs);
}

static void expect_executed(struct queued *queued, uint64_t second, const char *name)
{
	tap_ret(quire_object_wait(queued->numbers[0], 0), -ETIME, "%s: it waits", name);
	work_gate_raise(&queued->gate, 1);
	tap_ok(work_number(queued->numbers[0], 0) == 11, "%s: what has begun is executed", name);
	tap_ok(work_number(queued->numbers[1], 0) == second, "%s: what has not %s", name,
	       second ? "is, too" : "is not");
}

static void test_destroy(struct work *work)
{
	struct quire_context *context = work_context(work);
	struct queued queued;

	queued_open(work, &queued);
	queue_all(work, context, &queued);
	quire_context_destroy(context);
	expect_executed(&queued, 12, "destroyed");
	queued_close(&queued);
}

static void test_close(struct work *work)
{
	struct queued queued;
	struct work other;

	queued_open(work, &queued);
	work_open(&other);
	queue_elsewhere(work, &queued, &other);
	work_close(&other);
	expect_executed(&queued, 12, "closed");
	queued_close(&queued);
}

/* @end: how the program that queues work ends, before any of it is done */
static void test_program(struct work *work, const char *name, void (*end)(void), uint64_t second)
{
	struct queued queued;
	struct work other;
	pid_t pid;

	queued_open(work, &queued);
	pid = child_start(60);
	if (!pid) {
		work_open(&other);
		queue_elsewhere(work, &queued, &other);
		end();
	}
	child_status(pid);
	expect_executed(&queued, second, name);
	queued_close(&queued);
}

static void end_well(void)
{
	_exit(0);
}

static void end_killed(void)
{
	kill(getpid(), SIGKILL);
}

int main(void)
{
	struct subject subject;
	struct work work;

	tap_start(60);
	work_begin(&work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	subject_make(&subject, &work.fixture);
	test_arguments(&subject);
	test_short(&subject);
	subject_close(&subject);
	test_limit(&work);
	test_capability(&work);
	test_numbers(&work);
	test_order(&work);
	test_destroy(&work);
	test_close(&work);
	test_program(&work, "ended", end_well, 12);
	test_program(&work, "killed", end_killed, 0);
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
