// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands are at work with an object that the CPU does not see, and a process waits for them to
 * look at it, in each way that there is. Meanwhile others get room, the object can be locked, and
 * the process can be killed. If there are always some, but each for a moment, it need not wait for
 * long.
 */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "space.h"
#include "user.h"
#include "vgem.h"

/* What waits for others does so for 15 s; what does not wait takes milliseconds. */
#define LESS_MS		10000
#define STEP_NS		20000000ull
#define ADDRESS		0x100000000ull
#define CHILD_S		(WAIT_MS / 1000)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place invisible = {
	"invisible", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

/**
 * struct scene - an object that is in use
 * @work: the device
 * @space: has @object bound
 * @user: the commands
 * @object: in invisible VRAM
 * @map: of the object
 * @dmabuf: of the object
 * @vgem: another driver
 */
struct scene {
	struct work work;
	struct space space;
	struct user user;
	struct object object;
	void *map;
	int dmabuf;
	int vgem;
};

static int by_access(const struct scene *scene)
{
	return pattern_differs(scene->map, QUIRE_PAGE, scene->object.key) != PATTERN_SAME;
}

static int by_sync(const struct scene *scene)
{
	return -dmabuf_sync(scene->dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
}

/* As a debugger would. */
static int by_proc(const struct scene *scene)
{
	int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	static uint8_t bytes[QUIRE_PAGE];

	if (pread(file, bytes, sizeof(bytes), (uintptr_t)scene->map) != sizeof(bytes))
		return errno;
	return pattern_differs(bytes, sizeof(bytes), scene->object.key) != PATTERN_SAME;
}

/* Adds 0: the futex code brings the page in with a fault that may not be retried. */
static int by_futex(const struct scene *scene)
{
	uint32_t other = 0;

	return syscall(SYS_futex, &other, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 1, 1, scene->map,
		       FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) < 0 ? errno : 0;
}

static int by_import(const struct scene *scene)
{
	uint32_t handle;
	int ret = dmabuf_import(scene->vgem, scene->dmabuf, &handle);

	if (!ret)
		drmCloseBufferHandle(scene->vgem, handle);
	return -ret;
}

static const struct way {
	const char *name;
	int (*look)(const struct scene *scene);
} ways[] = {
	{ "an access", by_access }, { "DMA_BUF_IOCTL_SYNC", by_sync },
	{ "/proc/self/mem", by_proc }, { "a futex", by_futex }, { "an import", by_import },
};

static pid_t start_look(const struct scene *scene, const struct way *way)
{
	pid_t pid = child_start(CHILD_S);

	if (!pid)
		_exit(way->look(scene));
	tap_ok(child_gets_within(pid, "dma_fence_default_wait", WAIT_MS), "%s waits", way->name);
	return pid;
}

static pid_t start_place(const struct fixture *fixture, const struct object *object)
{
	pid_t pid = child_start(CHILD_S);

	if (!pid)
		_exit(-object_place_and_wait(fixture, object, &vram));
	return pid;
}

/* All of VRAM is asked for, which has to wait, and then what fits. */
static void test_placements(const struct scene *scene)
{
	const struct fixture *fixture = &scene->work.fixture;
	struct object small, large = { .size = fixture_vram(fixture) };
	int64_t start = quire_now_ns();
	pid_t waiter;

	tap_ret(quire_bo_create(fixture->fd, large.size, &large.handle), 0, "all of VRAM");
	tap_ret(object_create(fixture, &small, QUIRE_PAGE, 2), 0, "a small object");
	waiter = start_place(fixture, &large);
	tap_ok(child_gets_within(waiter, "quire_validation_wait", WAIT_MS),
	       "who needs its room waits with nothing held");
	tap_ret(object_place_and_wait(fixture, &small, &vram), 0, "what fits is placed");
	tap_ret(quire_bo_madvise(fixture->fd, scene->object.handle, DRM_QUIRE_MADV_WILLNEED, NULL),
		0, "the object can be locked");
	tap_ok(quire_now_ns() - start < LESS_MS * 1000000ll, "neither waits for the other");
	child_kill(waiter);
	object_close(fixture, &small);
	quire_bo_close(fixture->fd, large.handle);
}

static void scene_busy(struct scene *scene)
{
	tap_ret(object_place_and_wait(&scene->work.fixture, &scene->object, &invisible), 0,
		"out of reach of the CPU");
	user_begin(&scene->user);
	user_uses(&scene->user, &scene->work.fixture, &scene->object);
}

static void test_way(struct scene *scene, const struct way *way)
{
	pid_t pid, killed;

	scene_busy(scene);
	killed = start_look(scene, way);
	pid = start_look(scene, way);
	test_placements(scene);
	child_kill(killed);
	tap_ok(child_is_running(pid), "%s waits all the time; another one was killed", way->name);
	user_end(&scene->user);
	tap_ret(-child_status(pid), 0, "%s goes on", way->name);
	tap_ret(object_check(&scene->work.fixture, &scene->object), 0, "the content is whole");
}

/* Two of them at each time. */
static void execute_always(struct space *space)
{
	struct quire_fence *ends[2] = { work_fence(space->work), work_fence(space->work) };
	int ret;

	for (unsigned int i = 0; space->writer.used < SPACE_COMMANDS_SIZE / 2; i++) {
		quire_write_delay(&space->writer, STEP_NS);
		do {
			ret = space_exec(space, NULL, ends[i % 2]);
		} while (ret == -EBUSY); /* an importer has pinned it */
		if (ret)
			_exit(1);
		if (i && work_fence_wait(ends[(i + 1) % 2]))
			_exit(2);
	}
	_exit(0);
}

static void test_always(struct scene *scene, const struct way *way)
{
	int64_t start;
	pid_t busy;

	tap_ret(object_place_and_wait(&scene->work.fixture, &scene->object, &invisible), 0,
		"out of reach of the CPU");
	space_rewind(&scene->space);
	busy = child_start(CHILD_S);
	if (!busy)
		execute_always(&scene->space);
	while (!quire_bo_wait(scene->work.fixture.fd, scene->object.handle, 0))
		test_sleep_ms(1);
	start = quire_now_ns();
	tap_ret(-way->look(scene), 0, "%s, while one command follows the other", way->name);
	tap_ok(quire_now_ns() - start < LESS_MS * 1000000ll, "it waits for those of that moment");
	tap_ok(child_is_running(busy), "which still come");
	child_kill(busy);
	tap_ret(quire_bo_wait(scene->work.fixture.fd, scene->object.handle, WAIT_MS), 0,
		"all is done");
	tap_ret(object_check(&scene->work.fixture, &scene->object), 0, "the content is whole");
}

static void bind(const struct scene *scene)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .address = ADDRESS, .size = QUIRE_MIB,
		.handle = scene->object.handle,
	};

	tap_ret(quire_vm_bind(scene->space.vm, &bind, 1, NULL, NULL), 0, "it has an address");
}

int main(void)
{
	struct scene scene = { .vgem = vgem_open() };
	struct fixture *fixture = &scene.work.fixture;

	tap_start(WAIT_MS / 1000);
	if (scene.vgem < 0)
		tap_skip_all("no vgem here");
	work_begin(&scene.work);
	if (getuid() || !fixture->info.execution_rings ||
	    !fixture_has_place(fixture, &invisible, QUIRE_MIB))
		tap_skip_all("not root, no execution rings, or all of VRAM is visible");
	tap_ret(object_create(fixture, &scene.object, QUIRE_MIB, 1), 0, "an object");
	tap_ret(quire_bo_map(fixture->fd, scene.object.handle, QUIRE_MIB, &scene.map), 0,
		"map it");
	scene.dmabuf = dmabuf_export(fixture->fd, scene.object.handle);
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++)
		test_way(&scene, &ways[i]);
	space_open(&scene.space, &scene.work);
	bind(&scene);
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++)
		test_always(&scene, &ways[i]);
	space_close(&scene.space);
	close(scene.dmabuf);
	munmap(scene.map, QUIRE_MIB);
	object_close(fixture, &scene.object);
	close(scene.vgem);
	work_end(&scene.work);
	return tap_done();
}
