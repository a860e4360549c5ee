// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Native fences: commands of their address space let them grow, wherever their storage is by
 * then, and nobody else does; programs see that, and wait for it; the device interrupts when a
 * value is reached that somebody waits for, and not before.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "failing.h"
#include "native.h"
#include "peek.h"
#include "refuse.h"

#define STILL_MS		100
#define CLOSED_MS		10000	/* to be seen waiting in, and for the fence to be closed */
#define WAITER_S		60
#define FENCE			0x300000000ull /* where one is bound */
#define MOVES			12u
#define TOLD			10u
#define MOST_ALLOCATIONS	2000u
#define MOST_BUFFERS		12u
#define APART			DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

static void test_values(struct space *space)
{
	struct native native;
	struct native_known known;

	native_open(&native, space, 5);
	tap_ok(native_value(&native) == 5 && native_monitored(&native) == UINT64_MAX,
	       "it begins with its value, and nobody waits");
	tap_ok(!native_known(space->work, native.number, &known, NULL),
	       "to the device it is nowhere");
	tap_ret(monitored_wait(&native.base, 5, 0), 0, "the value is there");
	tap_ret(monitored_wait(&native.base, 6, 0), -ETIME, "one above is not");
	tap_ret(native_signal(space, &native, 7), 0, "commands let it grow");
	tap_ok(native_value(&native) == 7, "the program sees that");
	tap_ret(monitored_wait(&native.base, 7, 0), 0, "and a call");
	tap_ok(native_known(space->work, native.number, &known, NULL) && known.owner &&
	       known.monitored == known.value + NATIVE_MONITORED * sizeof(uint64_t),
	       "the device knows where it is");
	tap_ret(native_signal(space, &native, 6), 0, "a value below");
	tap_ok(native_value(&native) == 7, "changes nothing");
	native_write_signal(space, native.number, 1ull << 63);
	native_write_signal(space, native.number, 8);
	tap_ret(space_run(space), 0, "there is no sign");
	tap_ok(native_value(&native) == 1ull << 63, "a large value is large");
	tap_ret(monitored_signal(&native.base, UINT64_MAX), -EOPNOTSUPP,
		"the paging ring does not signal it");
	monitored_close(&native.base);
}

/* Values of another fence come all the while. */
static void test_timeout(struct space *space)
{
	struct monitored other;
	struct native native;
	int64_t begin, elapsed;
	uint64_t value = 0;
	pid_t pid;

	native_open(&native, space, 0);
	monitored_open(&other, space->work->fixture.fd, 0);
	pid = child_start(WAITER_S);
	while (!pid)
		if (monitored_signal(&other, ++value))
			_exit(1);
	tap_ret(monitored_wait(&other, 1, WAIT_MS), 0, "another fence");
	begin = quire_now_ns();
	tap_ret(monitored_wait(&native.base, 1, STILL_MS), -ETIME, "a value that does not come");
	/* The kernel counts ticks, and a machine may be late with them. */
	elapsed = quire_now_ns() - begin;
	tap_ok(elapsed >= STILL_MS * 500000ll && elapsed < WAITER_S * 500000000ll,
	       "is waited for about that long");
	tap_ok(child_is_running(pid), "while the other one grows");
	child_kill(pid);
	monitored_close(&other);
	monitored_close(&native.base);
}

/* Who waits is told, and does not find out by himself, which takes a second. */
static void test_told(struct space *space)
{
	int64_t begin, took, least = INT64_MAX;
	struct native native;
	int ret = 0;

	native_open(&native, space, 0);
	for (unsigned int i = 1; i <= TOLD && !ret; i++) {
		begin = quire_now_ns();
		quire_write_delay(&space->writer, STILL_MS * 1000000 / 4);
		native_write_signal(space, native.number, i);
		ret = space_exec(space, NULL, space->fence) ?:
		      monitored_wait(&native.base, i, WAIT_MS) ?: work_fence_wait(space->fence);
		took = quire_now_ns() - begin;
		least = took < least ? took : least;
		space_rewind(space);
	}
	tap_ret(ret, 0, "%u values that come a little later", TOLD);
	tap_ok(least < 500000000ll, "who waits is told of one when it comes");
	monitored_close(&native.base);
}

/* A waiter writes the monitored value a little after its ioctl has begun. */
static bool gets_monitored(const struct native *native, uint64_t value)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (native_monitored(native) != value) {
		if (quire_now_ns() > end)
			return false;
		test_sleep_ms(1);
	}
	return true;
}

/* No interrupt below what is waited for, one when it is reached. */
static void test_interrupts(struct space *space)
{
	const uint64_t before = native_interrupts(space->work);
	struct native native;
	pid_t first, second, third;
	unsigned int i;
	int ret = 0;

	native_open(&native, space, 0);
	for (i = 1; i <= 20 && !ret; i++)
		ret = native_signal(space, &native, i);
	tap_ret(ret, 0, "%u values", i - 1);
	tap_ok(native_interrupts(space->work) == before, "of which nobody is told: nobody waits");
	/* The least is neither the first one nor the last one. */
	first = monitored_start_waiter(&native.base, 30);
	second = monitored_start_waiter(&native.base, 25);
	third = monitored_start_waiter(&native.base, 28);
	tap_ok(gets_monitored(&native, 25), "the least that is waited for is monitored");
	tap_ret(native_signal(space, &native, 24), 0, "one below");
	test_sleep_ms(STILL_MS);
	tap_ok(native_interrupts(space->work) == before && child_is_running(first) &&
	       child_is_running(second) && child_is_running(third), "wakes nobody");
	tap_ret(native_signal(space, &native, 26), 0, "one above");
	tap_ret(child_status(second), 0, "ends that wait");
	tap_ok(native_interrupts(space->work) == before + 1, "by one interrupt");
	tap_ok(child_is_running(first) && child_is_running(third) &&
	       native_monitored(&native) == 28, "the others go on");
	tap_ret(native_signal(space, &native, 30), 0, "their values");
	tap_ret(child_status(first) ?: child_status(third), 0, "end them");
	tap_ok(native_interrupts(space->work) == before + 2 &&
	       native_monitored(&native) == UINT64_MAX,
	       "by another one, and nothing is monitored");
	monitored_close(&native.base);
}

/* Commands that run yet tell of their values. */
static void test_within(struct space *space)
{
	struct work *work = space->work;
	struct quire_object *object = work_object_in(work, QUIRE_PAGE, APART);
	uint64_t *number = space_bytes(object);
	struct native native;

	native_open(&native, space, 0);
	space_map(space, 2 * FENCE, object, 0, QUIRE_PAGE);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	quire_write_value(&space->writer, 2 * FENCE + 8, 77);
	native_write_signal(space, native.number, 1);
	quire_write_wait(&space->writer, QUIRE_WAIT_EQUAL, 2 * FENCE, 1);
	native_write_signal(space, native.number, 2);
	tap_ret(space_exec(space, NULL, space->fence), 0, "commands that wait in the middle");
	tap_ret(monitored_wait(&native.base, 1, WAIT_MS), 0, "their first value comes");
	tap_ok(__atomic_load_n(number + 1, __ATOMIC_RELAXED) == 77,
	       "with what was written before");
	tap_ret(monitored_wait(&native.base, 2, STILL_MS), -ETIME, "the second one does not");
	__atomic_store_n(number, 1, __ATOMIC_RELEASE);
	tap_ret(monitored_wait(&native.base, 2, WAIT_MS), 0, "until they go on");
	tap_ret(work_fence_wait(space->fence), 0, "to their end");
	test_parameter("hang_period", 3000);
	space_rewind(space);
	space_unmap(space, 2 * FENCE, QUIRE_PAGE);
	monitored_close(&native.base);
	quire_object_close(object);
}

static int evict_all(const struct work *work)
{
	return debugfs_write(work->fixture.debugfs, "evict_all", "1");
}

/* Out of all segments and back between values, with somebody who waits. */
static void test_evicted(struct space *space)
{
	struct native native;
	struct native_known known;
	bool right = true;
	uint64_t before;
	unsigned int i;
	pid_t pid;

	native_open(&native, space, 0);
	for (i = 1; i <= MOVES && right; i++) {
		right = !native_signal(space, &native, i) && native_value(&native) == i &&
			native_known(space->work, native.number, &known, NULL) &&
			!evict_all(space->work) &&
			!native_known(space->work, native.number, &known, NULL) &&
			native_value(&native) == i;
	}
	tap_ok(right, "evicted and signalled, %u times", i - 1);
	pid = monitored_start_waiter(&native.base, MOVES + 2);
	before = native_interrupts(space->work);
	tap_ret(evict_all(space->work), 0, "evicted while somebody waits");
	tap_ret(native_signal(space, &native, MOVES + 1), 0, "a value below");
	tap_ok(child_is_running(pid) && native_interrupts(space->work) == before,
	       "does not end that");
	tap_ret(evict_all(space->work), 0, "evicted again");
	tap_ret(native_signal(space, &native, MOVES + 2), 0, "the value");
	tap_ret(child_status(pid), 0, "does");
	tap_ok(native_interrupts(space->work) == before + 1,
	       "by an interrupt: what is monitored moves, too");
	monitored_close(&native.base);
}

/* While commands are at work that signal it, it stays. */
static void test_at_work(struct space *space)
{
	struct quire_object *object = work_object_in(space->work, QUIRE_PAGE, APART);
	const struct fixture *fixture = &space->work->fixture;
	struct quire_object *large = work_object_in(space->work, fixture_vram(fixture),
					DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM));
	uint64_t *number = space_bytes(object);
	struct native_known at, known;
	struct native native;
	pid_t pid, other;

	native_open(&native, space, 0);
	space_map(space, 2 * FENCE, object, 0, QUIRE_PAGE);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	tap_ok(!native_signal(space, &native, 1) &&
	       native_known(space->work, native.number, &at, NULL), "it is somewhere");
	quire_write_wait(&space->writer, QUIRE_WAIT_EQUAL, 2 * FENCE, 1);
	native_write_signal(space, native.number, 2);
	tap_ret(space_exec(space, NULL, space->fence), 0, "commands that wait and then signal it");
	pid = child_start(WAITER_S);
	if (!pid)
		_exit(evict_all(space->work) ? 1 : 0);
	other = child_start(WAITER_S);
	if (!other)
		_exit(-quire_bo_place(fixture->fd, quire_object_handle(large),
				      DRM_QUIRE_SEGMENT_VRAM, 0));
	test_sleep_ms(3 * STILL_MS);
	tap_ok(native_known(space->work, native.number, &known, NULL) && known.value == at.value,
	       "others want all to be evicted, and all of VRAM: it stays");
	__atomic_store_n(number, 1, __ATOMIC_RELEASE);
	tap_ret(work_fence_wait(space->fence), 0, "they end well");
	tap_ret(child_status(pid), 0, "then it is evicted");
	tap_ret(child_status(other), 0, "and there is room");
	tap_ok(native_value(&native) == 2, "it has its value");
	test_parameter("hang_period", 3000);
	space_rewind(space);
	space_unmap(space, 2 * FENCE, QUIRE_PAGE);
	monitored_close(&native.base);
	quire_object_close(large);
	quire_object_close(object);
}

/* Twice as much as there is, and so many that what was used before them is in the way. */
#define RIVALS	256u
#define ENOUGH	192u

/* Others need all of VRAM. */
static void test_pressure(struct space *space)
{
	const struct fixture *fixture = &space->work->fixture;
	static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
	const uint64_t size = fixture_vram(fixture) / RIVALS * 2;
	struct object rivals[RIVALS];
	unsigned int moved = 0, i;
	struct native_known at, known;
	struct native native;
	bool right = true;

	native_open(&native, space, 0);
	right = !native_signal(space, &native, 1) &&
		native_known(space->work, native.number, &at, NULL);
	for (i = 0; i < RIVALS && right; i++)
		right = !object_create(fixture, &rivals[i], size, i);
	tap_ok(right, "%u others", i);
	for (i = 0; i < 4 * RIVALS && right; i++) {
		right = !object_place(fixture, &rivals[i % RIVALS], &vram);
		if (i % ENOUGH != ENOUGH - 1)
			continue;
		moved += !native_known(space->work, native.number, &known, NULL) ||
			 known.value != at.value;
		right &= !native_signal(space, &native, i) && native_value(&native) == i &&
			 native_known(space->work, native.number, &at, NULL);
	}
	tap_ok(right, "it is signalled between their moves");
	tap_ok(moved, "which it had to make room for, %u times", moved);
	for (i = 0; i < RIVALS; i++)
		object_close(fixture, &rivals[i]);
	monitored_close(&native.base);
}

/* It is refused, and its context ends. */
static void refused_for(struct space *space, uint32_t number, const char *why)
{
	struct drm_quire_context_state state;

	quire_write_delay(&space->writer, 0);
	native_write_signal(space, number, UINT64_MAX);
	tap_ret(space_run(space), -EIO, "%s", why);
	quire_context_state(space->context, &state);
	if (!tap_ok(state.status == DRM_QUIRE_CONTEXT_FAULTED &&
		    state.fault == QUIRE_FAULT_NATIVE_FENCE && state.address == number &&
		    state.offset == sizeof(struct quire_command_delay), "the context tells"))
		tap_diag("status %u, fault %u, address %#llx, offset %u", state.status,
			 state.fault, (unsigned long long)state.address, state.offset);
	space_renew_context(space);
}

static void test_others(struct space *space)
{
	struct native native;
	struct space other;

	native_open(&native, space, 0);
	space_open(&other, space->work);
	tap_ret(native_signal(space, &native, 3), 0, "its own commands");
	refused_for(&other, native.number, "those of another address space");
	tap_ok(native_value(&native) == 3, "the value is what it was");
	tap_ret(native_signal(space, &native, 4), 0, "its own again");
	tap_ok(native_value(&native) == 4, "let it grow");
	refused_for(space, DRM_QUIRE_MAX_NATIVE_FENCES - 1, "a fence that there is not");
	monitored_close(&native.base);
	space_close(&other);
}

/* The device has forgotten all, and is told before anything is executed. */
static void test_reset(struct space *space)
{
	const struct fixture *fixture = &space->work->fixture;
	struct native native, still;
	struct native_known known;
	char address[64];
	pid_t pid;

	native_open(&native, space, 0);
	native_open(&still, space, 0);
	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "find the device");
	tap_ret(native_signal(space, &native, 1), 0, "a value");
	pid = monitored_start_waiter(&native.base, 3);
	fixture_hang_and_reset(fixture);
	tap_ok(native_known(space->work, native.number, &known, NULL) &&
	       native_known(space->work, still.number, &known, NULL), "the device knows them");
	tap_ret(native_signal(space, &native, 2), 0, "a value after that");
	tap_ok(native_value(&native) == 2 && child_is_running(pid), "is written");
	tap_ret(sysfs_reset(address), 0, "a reset of the function");
	tap_ret(native_signal(space, &native, 3), 0, "a value after that");
	tap_ok(native_known(space->work, native.number, &known, NULL) &&
	       known.monitored == known.value + NATIVE_MONITORED * sizeof(uint64_t),
	       "what is monitored is known");
	tap_ret(child_status(pid), 0, "is told of");
	tap_ret(native_signal(space, &still, 9), 0, "and one of the other fence");
	tap_ok(native_value(&still) == 9, "is written");
	monitored_close(&still.base);
	monitored_close(&native.base);
}

static bool are_known(const struct work *work, const struct native *natives)
{
	struct native_known known;

	return native_known(work, natives[0].number, &known, NULL) ||
	       native_known(work, natives[1].number, &known, NULL);
}

/* One is evicted, and one is closed: the device is not told where they were before. */
static void test_reset_forgotten(struct work *work)
{
	const struct fixture *fixture = &work->fixture;
	struct native natives[2];
	struct space space;
	char address[64];

	space_open(&space, work);
	native_open(&natives[0], &space, 0);
	native_open(&natives[1], &space, 0);
	native_write_signal(&space, natives[0].number, 1);
	tap_ret(native_signal(&space, &natives[1], 1), 0, "values of two");
	monitored_close(&natives[1].base);
	tap_ret(evict_all(work), 0, "one is closed, the other one evicted");
	tap_ok(native_is_nowhere_soon(work, natives[1].number) && !are_known(work, natives),
	       "the device knows neither");
	fixture_hang_and_reset(fixture);
	tap_ok(!are_known(work, natives), "it still knows neither");
	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "find the device");
	tap_ret(sysfs_reset(address), 0, "a reset of the function");
	tap_ok(!are_known(work, natives), "nor after that");
	refused_for(&space, natives[1].number, "commands that signal the closed one are refused");
	tap_ret(native_signal(&space, &natives[0], 2), 0, "the other one is signalled");
	tap_ok(native_value(&natives[0]) == 2, "and grows");
	monitored_close(&natives[0].base);
	space_close(&space);
}

/* Buffer @number from here on is given up, in an address space of its own: is that the fence's? */
static bool lose(struct work *work, unsigned int number)
{
	struct native native, next;
	struct space space;
	bool lost;
	pid_t pid;

	space_open(&space, work);
	native_open(&native, &space, 0);
	native_open(&next, &space, 7);
	if (native_signal(&space, &native, 1) || evict_all(work))
		tap_bail("signal and evict");
	pid = monitored_start_waiter(&native.base, 100);
	test_option("patch_refuse", number);
	native_signal(&space, &native, 2);
	test_option("patch_refuse", 0);
	lost = monitored_wait(&native.base, 0, WAIT_MS) == -EIO;
	if (lost) {
		tap_ret(child_status(pid), EIO, "its move fails, with buffer %u: who waits is told",
			number);
		tap_ret(native_signal(&space, &next, 8), -ENODATA, "nothing is executed with it");
		space_rewind(&space);
	} else {
		child_kill(pid);
	}
	monitored_close(&native.base);
	if (lost) {
		if (native_signal(&space, &next, 9))
			space_renew_context(&space);
		tap_ret(native_signal(&space, &next, 10), 0, "it is closed: but then");
		tap_ok(native_value(&next) == 10, "other fences grow");
	}
	monitored_close(&next.base);
	space_close(&space);
	return lost;
}

/* What moves its values is given up: nobody takes for them what is in memory then. */
static void test_lost(struct work *work)
{
	unsigned int number = 1;

	while (number < MOST_BUFFERS && !lose(work, number))
		number++;
	tap_ok(number < MOST_BUFFERS, "one is lost");
}

/* Without a fence of the kernel: what DRM says of one without memory is not that. */
static int try_signal(struct space *space, const struct native *native, uint64_t value)
{
	int ret;

	native_write_signal(space, native->number, value);
	ret = space_exec(space, NULL, NULL) ?: monitored_wait(&native->base, value, WAIT_MS);
	space_rewind(space);
	return ret;
}

/* One is made, signalled, and signalled again after it was evicted. */
static int try_all(struct space *space)
{
	struct native native;
	int ret = native_create(space->work->fixture.fd, quire_vm_id(space->vm), 0, &native);

	if (ret)
		return ret;
	ret = try_signal(space, &native, 1) ?: evict_all(space->work) ?:
	      try_signal(space, &native, 2);
	quire_bo_close(space->work->fixture.fd, native.base.handle);
	return ret;
}

/* Each allocation fails once: that is an error, or helps itself, and nothing is left of it. */
static void test_no_memory(struct space *space)
{
	bool right = true, failed = true;
	struct native_known known;
	struct native native;
	unsigned int i;
	int ret;

	if (!failing_begin() || !failing_below("quire")) {
		failing_end();
		tap_skip("no fault injection", "no memory");
		return;
	}
	native_open(&native, space, 0);
	for (i = 1; right && failed && i < MOST_ALLOCATIONS; i++) {
		failing_arm(i);
		ret = try_all(space);
		failed = failing_disarm();
		right = (!ret || (failed && ret == -ENOMEM)) &&
			!native_signal(space, &native, i) && native_value(&native) == i;
		if (!right)
			tap_diag("allocation %u: %d", i, ret);
	}
	failing_end();
	tap_ok(right && !failed, "each of %u allocations fails once", i - 2);
	fixture_flush_discards(&space->work->fixture);
	tap_ok(native_known(space->work, native.number, &known, NULL), "the fence is known");
	monitored_close(&native.base);
}

/* Closed while somebody waits and commands signal it; then nobody has it, nor its number. */
static void test_closed(struct space *space)
{
	struct native native, next;
	uint32_t number;
	pid_t pid;

	native_open(&native, space, 0);
	number = native.number;
	tap_ret(native_signal(space, &native, 1), 0, "a value");
	pid = child_start(WAITER_S);
	if (!pid)
		_exit(-monitored_wait(&native.base, 2, CLOSED_MS));
	tap_ok(child_gets_within(pid, "quire_fence_wait_ioctl", WAIT_MS), "somebody waits");
	quire_bo_close(space->work->fixture.fd, native.base.handle);
	tap_ok(native_value(&native) == 1, "it is closed; a mapping shows it yet");
	munmap((void *)native.base.page, QUIRE_PAGE);
	tap_ret(child_status(pid), ETIME, "who waits does so to the end of his time");
	tap_ok(native_is_nowhere_soon(space->work, number), "the device has forgotten it");
	refused_for(space, number, "its commands are refused");
	native_open(&next, space, 40);
	tap_ret(native_signal(space, &next, 41), 0, "a new one");
	tap_ok(native_value(&next) == 41, "grows");
	monitored_close(&next.base);
}

static int bind_fence(const struct space *space, const struct native *native, uint32_t flags)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .flags = flags, .address = FENCE,
		.size = QUIRE_PAGE, .handle = native->base.handle,
	};

	return quire_vm_bind(space->vm, &bind, 1, NULL, NULL);
}

/* Commands of one ring wait for those of another one. */
static void test_bound(struct space *space)
{
	struct native native;

	native_open(&native, space, 8);
	tap_ret(bind_fence(space, &native, 0), -EACCES, "one that could be written");
	tap_ret(bind_fence(space, &native, DRM_QUIRE_BIND_READ_ONLY), 0, "a read-only one");
	space->results[1] = 0;
	test_parameter("hang_period", WORK_PATIENCE_MS);
	quire_write_wait(&space->writer, QUIRE_WAIT_GREATER_EQUAL, FENCE, 10);
	quire_write_value(&space->writer, SPACE_RESULTS + 8, 77);
	tap_ret(space_exec(space, NULL, space->fence), 0, "commands that wait for it");
	native_write_signal(space, native.number, 9);
	space->ring = 1;
	tap_ret(space_exec(space, NULL, NULL), 0, "others let it grow");
	tap_ret(monitored_wait(&native.base, 9, WAIT_MS), 0, "to a value below");
	tap_ok(!space->results[1], "they wait");
	native_write_signal(space, native.number, 10);
	tap_ret(space_exec(space, NULL, NULL), 0, "to the value");
	tap_ret(work_fence_wait(space->fence), 0, "they go on");
	tap_ok(space->results[1] == 77, "to their end");
	tap_ret(monitored_wait(&native.base, 10, WAIT_MS), 0, "and so does who waits here");
	test_parameter("hang_period", 3000);
	space->ring = 0;
	space_rewind(space);
	tap_ret(evict_all(space->work), 0, "it is evicted");
	tap_ret(native_signal(space, &native, 11), 0, "and comes back");
	quire_write_wait(&space->writer, QUIRE_WAIT_EQUAL, FENCE, 11);
	tap_ret(space_run(space), 0, "to where commands read it");
	quire_write_value(&space->writer, FENCE, 1000);
	tap_ok(space_run(space) < 0 && native_value(&native) == 11, "they can not write it");
	space_renew_context(space);
	space_unmap(space, FENCE, QUIRE_PAGE);
	monitored_close(&native.base);
}

/* Wherever it is, a debugger reads it, and writes it as little as the program. */
static void test_debugged(struct space *space)
{
	struct native native;
	uint64_t word = 0;

	native_open(&native, space, 5);
	for (unsigned int i = 0; i < 2; i++) {
		tap_ret(peek(getpid(), native.base.page, &word), 0, "a debugger reads its value");
		tap_ok(word == 5 + i, "which is %u", 5 + i);
		tap_ret(poke(getpid(), native.base.page, 4), -EIO, "he does not write it");
		tap_ret(poke(getpid(), native.base.page + NATIVE_MONITORED, 4), -EIO,
			"nor what is monitored");
		tap_ok(native_value(&native) == 5 + i && native_monitored(&native) == UINT64_MAX,
		       "both are what they were");
		tap_ret(monitored_wait(&native.base, 5 + i, 0), 0, "the value is there");
		if (!i)
			tap_ret(native_signal(space, &native, 6), 0, "commands let it grow");
	}
	monitored_close(&native.base);
}

static int map_error(int fd, uint64_t offset, int protection)
{
	void *map = mmap(NULL, QUIRE_PAGE, protection, MAP_SHARED, fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, QUIRE_PAGE);
	return 0;
}

#define CREATE(...)	REFUSED(s, DRM_IOCTL_QUIRE_FENCE_CREATE, \
				struct drm_quire_fence_create, __VA_ARGS__)

/* Of an address space with nothing in it. */
static void test_args(struct work *work)
{
	const int fd = work->fixture.fd;
	struct drm_quire_vm_create vm = { 0 };
	struct drm_quire_resident item = { 0 };
	struct subject subject, *s = &subject;
	struct native native;
	uint64_t offset;

	subject_make(s, &work->fixture);
	tap_ret(quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_CREATE, &vm), 0, "an address space");
	native_open_in(&native, fd, vm.vm, 1);
	offset = monitored_offset(fd, native.base.handle);
	CREATE(-EINVAL, "create: unknown flag", .flags = 2);
	CREATE(-EINVAL, "create: a monitored one of a VM", .vm = vm.vm);
	CREATE(-ENOENT, "create: VM 0", .flags = DRM_QUIRE_FENCE_NATIVE);
	CREATE(-ENOENT, "create: no VM", .flags = DRM_QUIRE_FENCE_NATIVE, .vm = NO_HANDLE);
	REFUSED(s, DRM_IOCTL_QUIRE_BO_PLACE, struct drm_quire_bo_place, -EPERM, "place it",
		.handle = native.base.handle);
	REFUSED(s, DRM_IOCTL_QUIRE_BO_MADVISE, struct drm_quire_bo_madvise, -EPERM, "offer it",
		.handle = native.base.handle, .advice = DRM_QUIRE_MADV_DONTNEED);
	item.handle = native.base.handle;
	REFUSED(s, DRM_IOCTL_QUIRE_MAKE_RESIDENT, struct drm_quire_make_resident, -EPERM,
		"hold it", .objects = DRM_QUIRE_ARRAY(1, &item));
	tap_ret(dmabuf_export(fd, native.base.handle), -EPERM, "export it");
	tap_ret(map_error(fd, offset, PROT_READ), 0, "a read-only mapping");
	tap_ret(map_error(fd, offset, PROT_READ | PROT_WRITE), -EACCES, "a writable one");
	tap_ret(mprotect((void *)native.base.page, QUIRE_PAGE, PROT_READ | PROT_WRITE) ? -errno : 0,
		-EACCES, "it does not become writable");
	tap_ok(native_value(&native) == 1, "the value is what it was");
	monitored_close(&native.base);
	quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_DESTROY, &(struct drm_quire_vm_destroy){ .vm = vm.vm });
	subject_close(s);
}

/* Until there can be no more. */
static int create_all(int fd, uint32_t vm, struct native *natives, unsigned int *count)
{
	int ret;

	for (*count = 0; *count <= DRM_QUIRE_MAX_NATIVE_FENCES; ++*count) {
		ret = native_create(fd, vm, *count, &natives[*count]);
		if (ret)
			return ret;
	}
	return 0;
}

static unsigned int create_in_file(int *fd, struct native *natives)
{
	struct drm_quire_vm_create vm = { 0 };
	unsigned int count;

	*fd = quire_open();
	if (*fd < 0 || quire_ioctl(*fd, DRM_IOCTL_QUIRE_VM_CREATE, &vm))
		tap_bail("another file");
	return create_all(*fd, vm.vm, natives, &count) == -ENOSPC ? count : 0;
}

/* Others have theirs, whatever one file has; together they have all that there are. */
static void test_limits_of_files(unsigned int most)
{
	static struct native natives[DRM_QUIRE_MAX_NATIVE_FENCES + 1];
	unsigned int counts[4], i;
	int files[4];

	for (i = 0; i < 4; i++)
		counts[i] = create_in_file(&files[i], natives);
	tap_ok(counts[0] == most && counts[1] == most && counts[2] == most,
	       "three other files have as many each (%u, %u, %u)", counts[0], counts[1],
	       counts[2]);
	tap_ok(!counts[3], "then the device has no more (%u)", counts[3]);
	for (i = 0; i < 4; i++)
		close(files[i]);
}

/* All that a file can have, each with a value of its own, and nothing of them stays. */
static void test_limit(struct work *work)
{
	static struct native natives[DRM_QUIRE_MAX_NATIVE_FENCES + 1];
	const unsigned int most = work->fixture.info.max_file_native_fences;
	unsigned int count, i;
	bool right = true;
	struct space space;
	int ret;

	space_open(&space, work);
	ret = create_all(work->fixture.fd, quire_vm_id(space.vm), natives, &count);
	tap_ret(ret, -ENOSPC, "there is a limit");
	tap_ok(count == most && most == DRM_QUIRE_MAX_NATIVE_FENCES / 4, "that is %u: %u", most,
	       count);
	test_limits_of_files(most);
	for (i = 0; i < count; i++)
		native_write_signal(&space, natives[i].number, 5000 + i);
	tap_ret(space_run(&space), 0, "all of them grow");
	for (i = 0; i < count && right; i++)
		right = !monitored_wait(&natives[i].base, 5000 + i, 0) &&
			monitored_wait(&natives[i].base, 5001 + i, 0) == -ETIME;
	tap_ok(right, "to values of their own");
	for (i = 0; i < count; i++)
		quire_bo_close(work->fixture.fd, natives[i].base.handle);
	tap_ok(native_is_nowhere_soon(work, natives[0].number), "one is gone");
	tap_ret(native_create(work->fixture.fd, quire_vm_id(space.vm), 0, &natives[0]), 0,
		"then there is room");
	quire_bo_close(work->fixture.fd, natives[0].base.handle);
	space_close(&space);
}

/* Who waits is told, and what programs have yet harms nobody. */
static void test_unbound(struct work *work)
{
	struct fixture *fixture = &work->fixture;
	struct native native;
	struct space space;
	char address[64];
	pid_t pid;

	space_open(&space, work);
	native_open(&native, &space, 3);
	tap_ret(native_signal(&space, &native, 4), 0, "a value");
	pid = monitored_start_waiter(&native.base, 5);
	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "find the device");
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	tap_ret(child_status(pid), ENODEV, "who waits is told");
	tap_ret(monitored_wait(&native.base, 5, WAIT_MS), -ENODEV, "and who asks later");
	tap_ok(sigbus_on_read(native.base.page), "the mapping is gone");
	monitored_close(&native.base);
	space_close(&space);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
}

int main(void)
{
	struct space space;
	struct work work;

	tap_start(200);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_args(&work);
	space_open(&space, &work);
	test_values(&space);
	test_timeout(&space);
	test_told(&space);
	test_interrupts(&space);
	test_within(&space);
	test_evicted(&space);
	test_at_work(&space);
	test_pressure(&space);
	test_others(&space);
	test_debugged(&space);
	test_reset(&space);
	test_reset_forgotten(&work);
	if (work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_lost(&work);
	test_no_memory(&space);
	test_closed(&space);
	if (work.fixture.info.execution_rings < 2)
		tap_skip("there is one ring", "commands that wait for others");
	else
		test_bound(&space);
	space_close(&space);
	test_limit(&work);
	test_unbound(&work);
	return tap_done();
}
