// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Paging buffers that are given up while something is bound: nothing is executed with page tables
 * that are not what they should be, and the next time they are made anew. VRAM is full of what
 * would be page-table entries, if anybody took it for that.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "space.h"
#include "vgem.h"
#include "wedge.h"

#define SIZE	(16 * QUIRE_PAGE)
#define BASE	0x100000000ull
#define MANY	512u	/* binds of a call that takes several buffers */
#define BUFFERS	8	/* that are given up, one by one */
#define TABLES	(MANY + 1)	/* with that above them, which maps 1 GiB */
#define LINKS	3
#define SPACES	8u	/* one of which has the root of one that is gone */
#define REGION	(2u << 20)	/* of a table of level 0 */
#define APART	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

static uint8_t bytes[SIZE];

/* What is executed before anybody knows may be refused once; its context goes on. */
static bool has(struct space *space, uint64_t address, const void *expected, uint64_t size)
{
	struct drm_quire_context_state state = { 0 };
	bool found = space_has(space, address, expected, size) ||
		     space_has(space, address, expected, size);

	quire_context_state(space->context, &state);
	return found && state.status == DRM_QUIRE_CONTEXT_GOOD;
}

static void fill_binds(struct drm_quire_bind *binds, struct quire_object *object, uint64_t step)
{
	for (unsigned int i = 0; i < MANY; i++)
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = BASE + i * step,
			.size = QUIRE_PAGE,
			.offset = i % 16 * QUIRE_PAGE,
			.handle = quire_object_handle(object),
		};
}

/*
 * Each page has a table of its own, and each table a buffer in which it comes to VRAM; those that
 * link them follow. The N-th one is given up.
 */
static void test_tables(struct work *work, unsigned int number)
{
	struct drm_quire_bind *binds = calloc(MANY, sizeof(*binds));
	struct quire_object *object = work_object_in(work, SIZE, APART);
	bool right = true, wrong = false;
	struct space space;

	space_open(&space, work);
	space_soil(object, 1);
	space_map(&space, 4 * BASE, object, 0, SIZE);
	spaces_junk(work);
	fill_binds(binds, object, REGION);
	test_option("patch_refuse", number);
	tap_ret(quire_vm_bind(space.vm, binds, MANY, NULL, NULL), 0, "many tables");
	test_option("patch_refuse", 0);
	for (unsigned int i = 0; i < MANY && right; i += 5)
		right = has(&space, BASE + i * REGION, bytes + i % 16 * QUIRE_PAGE, QUIRE_PAGE);
	tap_ok(right, "buffer %u is given up: what is bound is found", number);
	for (unsigned int i = 0; i < MANY && !wrong; i += 17)
		wrong = !space_faults(&space, BASE + i * REGION + QUIRE_PAGE);
	tap_ok(!wrong, "and nothing else");
	quire_object_close(object);
	space_close(&space);
	free(binds);
}

/* One of several buffers of a bind. */
static void test_part(struct work *work, unsigned int number)
{
	struct drm_quire_bind *binds = calloc(MANY, sizeof(*binds));
	struct quire_object *first = work_object(work, SIZE), *second = work_object(work, SIZE);
	struct space space;
	bool right = true;

	space_open(&space, work);
	space_soil(first, 1);
	space_soil(second, 2);
	/* It is there already: what is given up is none of its content. */
	space_map(&space, 4 * BASE, first, 0, SIZE);
	for (unsigned int round = 0; round < 2; round++) {
		fill_binds(binds, round ? first : second, QUIRE_PAGE);
		if (round)
			test_option("patch_refuse", number);
		tap_ret(quire_vm_bind(space.vm, binds, MANY, NULL, NULL), 0, "many");
		test_option("patch_refuse", 0);
		space_has(&space, BASE, bytes, QUIRE_PAGE);
	}
	for (unsigned int i = 0; i < MANY && right; i += 16)
		right = has(&space, BASE + i * QUIRE_PAGE, bytes, SIZE);
	tap_ok(right, "buffer %u of several is given up: all is bound as it should be", number);
	quire_object_close(first);
	quire_object_close(second);
	space_close(&space);
	free(binds);
}

/* What it has but its objects. */
static void destroy(struct space *space)
{
	quire_context_destroy(space->context);
	quire_vm_destroy(space->vm);
	space->context = NULL;
	space->vm = NULL;
}

/* The buffer in which the device would forget it is given up; who comes next has its pages. */
static void test_forgotten(struct work *work)
{
	struct quire_object *object = work_object(work, SIZE);
	struct space gone, spaces[SPACES];
	bool right = true;
	uint64_t flushed;
	char left[16];

	/* Or else others are forgotten, too. */
	tap_ok(fixture_comes_down(&work->fixture, DRM_QUIRE_SEGMENT_VRAM, 0), "nothing is dying");
	space_open(&gone, work);
	space_soil(object, 1);
	space_map(&gone, BASE, object, 0, SIZE);
	tap_ok(space_has(&gone, BASE, bytes, SIZE), "an address space at work");
	fixture_flush_discards(&work->fixture);
	flushed = spaces_executed(&work->fixture, QUIRE_OP_FLUSH_TLB);
	test_option("patch_refuse", 1);
	destroy(&gone);
	tap_ok(fixture_comes_down(&work->fixture, DRM_QUIRE_SEGMENT_VRAM, SIZE), "it is gone");
	tap_ok(debugfs_option_read("patch_refuse", left, sizeof(left)) > 0 && *left == '0',
	       "the device was not told");
	tap_ok(spaces_executed(&work->fixture, QUIRE_OP_FLUSH_TLB) == flushed + 1,
	       "and is told again");
	for (unsigned int i = 0; i < SPACES; i++) {
		space_open(&spaces[i], work);
		right &= space_faults(&spaces[i], BASE);
	}
	tap_ok(right, "nobody finds what was bound there");
	for (unsigned int i = 0; i < SPACES; i++)
		space_close(&spaces[i]);
	space_close(&gone);
	quire_object_close(object);
}

/* Others have the tables made anew while they wait: they do not wait for those. */
static void test_pushed(struct work *work)
{
	struct quire_object *object = work_object(work, SIZE);
	struct quire_context *other = work_context(work);
	struct quire_fence *held = work_fence(work);
	struct space space;
	struct gate gate;

	space_open(&space, work);
	space_soil(object, 1);
	space_map(&space, BASE, object, 0, SIZE);
	tap_ok(space_has(&space, BASE, bytes, SIZE), "an address space at work");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	work_gate_open_apart(work, &gate);
	work_wait_at(work, &gate, 1);
	tap_ret(work_submit(work, other, 1, NULL, held), 0, "work that is held");
	space.results[1] = 0;
	quire_write_value(&space.writer, SPACE_RESULTS + 8, 5);
	tap_ret(space_exec(&space, held, space.fence), 0, "commands behind it");
	fixture_flush_discards(&work->fixture);
	/* in tables that are there: what is given up is the bind itself */
	test_option("patch_refuse", 1);
	space_map(&space, BASE + SIZE, object, 0, SIZE);
	test_option("patch_refuse", 0);
	space_map(&space, BASE + 2 * SIZE, object, 0, SIZE);
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(space.fence), -EIO, "a bind is given up meanwhile: refused");
	test_parameter("hang_period", 3000);
	tap_ok(!space.results[1] &&
	       work_context_status(space.context) == DRM_QUIRE_CONTEXT_GOOD,
	       "nothing was executed, and the context goes on");
	space_rewind(&space);
	for (unsigned int i = 0; i < 3; i++)
		tap_ok(space_has(&space, BASE + i * SIZE, bytes, SIZE), "bind %u is found", i);
	work_gate_close(&gate);
	quire_fence_close(held);
	quire_context_destroy(other);
	quire_object_close(object);
	space_close(&space);
}

/**
 * struct late - calls that wait for others, and fail then
 * @fixture: the device
 * @vgem: another driver, which is at work with
 * @object: in system memory, and has to come to VRAM
 * @fence: of its work
 * @vm: address space
 * @context: of that, where the object is bound
 */
struct late {
	struct fixture fixture;
	int vgem;
	uint32_t object;
	uint32_t fence;
	uint32_t vm;
	uint32_t context;
};

/* Nothing is bound at the first one, and the last one is not what a call waits for. */
static int late_bind(const struct late *late, uint32_t *refused)
{
	const struct drm_quire_bind binds[] = {
		{ .operation = DRM_QUIRE_BIND_UNMAP, .address = 4 * BASE, .size = SIZE },
		{ .address = BASE, .size = SIZE, .handle = late->object },
		{ .operation = DRM_QUIRE_BIND_UNMAP, .address = 4 * BASE, .size = SIZE },
	};
	struct drm_quire_vm_bind bind = {
		.vm = late->vm, .binds = DRM_QUIRE_ARRAY(ARRAY_SIZE(binds), binds),
	};
	int ret = quire_ioctl_once(late->fixture.fd, DRM_IOCTL_QUIRE_VM_BIND, &bind);

	*refused = bind.refused_bind;
	return ret;
}

static int late_exec(const struct late *late, uint64_t *refused)
{
	struct drm_quire_exec exec = { .context = late->context, .address = BASE, .size = 8 };
	int ret = quire_ioctl_once(late->fixture.fd, DRM_IOCTL_QUIRE_EXEC, &exec);

	*refused = exec.refused_address;
	return ret;
}

/* The second object is the one. */
static int late_hold(const struct late *late, uint32_t *refused)
{
	struct drm_quire_resident objects[] = {
		{ .handle = 0 }, { .handle = late->object }, { .handle = 0 },
	};
	struct drm_quire_make_resident hold = {
		.objects = DRM_QUIRE_ARRAY(ARRAY_SIZE(objects), objects),
	};
	uint32_t other;
	int ret = quire_bo_create(late->fixture.fd, SIZE, &other);

	objects[0].handle = other;
	objects[2].handle = other;
	ret = ret ?: quire_ioctl_once(late->fixture.fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &hold);
	*refused = hold.refused_object;
	return ret;
}

static void late_open(struct late *late)
{
	struct drm_quire_vm_create vm = { 0 };
	struct drm_quire_context_create context = { 0 };
	uint32_t refused;

	fixture_open(&late->fixture);
	if (quire_ioctl(late->fixture.fd, DRM_IOCTL_QUIRE_VM_CREATE, &vm))
		tap_bail("no address space");
	late->vm = vm.vm;
	context.vm = vm.vm;
	tap_ret(quire_ioctl(late->fixture.fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &context), 0,
		"a context");
	late->context = context.context;
	tap_ret(quire_bo_create_in(late->fixture.fd, SIZE, DRM_QUIRE_SEGMENT_BIT(0) |
				   DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM), &late->object),
		0, "an object for VRAM");
	tap_ret(late_bind(late, &refused), 0, "it is bound");
	tap_ok(refused == 3, "no element is refused");
	tap_ret(quire_bo_place(late->fixture.fd, late->object, DRM_QUIRE_SEGMENT_SYSTEM, 0), 0,
		"it leaves");
	tap_ret(quire_bo_wait(late->fixture.fd, late->object, WAIT_MS), 0, "it has left");
	tap_ret(vgem_attach_fence(late->vgem, late->fixture.fd, late->object, &late->fence), 0,
		"others are at work with it");
}

static void on_signal(int number)
{
	(void)number;
}

enum call { BIND, EXEC, HOLD, NR_CALLS };

static const char *const call_names[NR_CALLS] = { "a bind", "an execution", "MAKE_RESIDENT" };

/* In a child: returns 0 if a call fails with @expected, and names nothing then. */
static int names_nothing(const struct late *late, enum call call, int expected)
{
	uint64_t address = UINT64_MAX;
	uint32_t refused = 3;
	int ret;

	if (call == EXEC)
		ret = late_exec(late, &address);
	else
		ret = call == BIND ? late_bind(late, &refused) : late_hold(late, &refused);
	tap_diag("%d, element %u, address %#" PRIx64, ret, refused, address);
	return ret == expected ? refused != 3 || address != UINT64_MAX : 2;
}

static pid_t start_waiter(const struct late *late, enum call call, int expected)
{
	const struct sigaction action = { .sa_handler = on_signal };
	pid_t pid = child_start(60);

	if (pid) {
		tap_ok(child_gets_within(pid, "quire_bo_wait", WAIT_MS), "%s waits",
		       call_names[call]);
		return pid;
	}
	if (sigaction(SIGUSR1, &action, NULL))
		_exit(3);
	_exit(names_nothing(late, call, expected));
}

static void test_interrupted(struct late *late, enum call call)
{
	pid_t pid;

	late_open(late);
	pid = start_waiter(late, call, -EINTR);
	kill(pid, SIGUSR1);
	tap_ret(child_status(pid), 0, "%s is interrupted, and names nothing", call_names[call]);
	tap_ret(vgem_signal_fence(late->vgem, late->fence), 0, "the others are done");
	close(late->fixture.fd);
}

static void test_given_up(struct late *late, enum call call)
{
	pid_t pid;

	late_open(late);
	pid = start_waiter(late, call, -EIO);
	wedge(&late->fixture);
	tap_ret(vgem_signal_fence(late->vgem, late->fence), 0, "the others are done");
	tap_ret(child_status(pid), 0, "%s fails with the device, and names nothing",
		call_names[call]);
	fixture_rebind(&late->fixture);
	close(late->fixture.fd);
}

/* Neither a signal nor a device that is given up has to do with an element or an address. */
static void test_late(void)
{
	struct late late = { .vgem = vgem_open() };

	if (late.vgem < 0) {
		tap_skip("no vgem", "calls that fail late");
		return;
	}
	for (enum call call = 0; call < NR_CALLS; call++) {
		test_interrupted(&late, call);
		test_given_up(&late, call);
	}
	close(late.vgem);
}

int main(void)
{
	struct work work;

	tap_start(150);
	work_begin(&work);
	if (!*work.fixture.debugfs || !(work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("not root, or moves are made by the CPU");
	pattern_fill(bytes, SIZE, 1);
	/* First: what takes others down is another buffer that could be given up. */
	test_pushed(&work);
	test_forgotten(&work);
	for (unsigned int i = 1; i <= BUFFERS; i++)
		test_tables(&work, i);
	for (unsigned int i = 1; i <= LINKS; i++)
		test_tables(&work, TABLES + i);
	for (unsigned int i = 1; i <= BUFFERS; i++)
		test_part(&work, i);
	work_end(&work);
	test_late();
	return tap_done();
}
