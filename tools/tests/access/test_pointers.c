// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Pointers that are no good, or not any more. The place of an answer can go while the kernel
 * works: what the program can not be told of is not there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

#define RACE_MS		1500
#define NR_NEXT		8	/* handles that are looked at */

/**
 * struct kind - what is made, and told of
 * @name: for messages
 * @make: makes one, with argument and answer at @page; returns its name there in @number
 * @close: of that number
 */
struct kind {
	const char *name;
	int (*make)(const struct fixture *fixture, void *page, uint32_t *number);
	int (*close)(const struct fixture *fixture, uint32_t number);
};

static int object_make(const struct fixture *fixture, void *page, uint32_t *number)
{
	struct drm_quire_bo_create *create = page;
	int ret = quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_CREATE, create);

	*number = create->handle;
	return ret;
}

static int object_unmake(const struct fixture *fixture, uint32_t number)
{
	return quire_bo_close(fixture->fd, number);
}

static int context_make(const struct fixture *fixture, void *page, uint32_t *number)
{
	struct drm_quire_context_create *create = page;
	int ret = quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, create);

	*number = create->context;
	return ret;
}

static int context_unmake(const struct fixture *fixture, uint32_t number)
{
	struct drm_quire_context_destroy destroy = { .context = number };

	return quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy);
}

static int space_make(const struct fixture *fixture, void *page, uint32_t *number)
{
	struct drm_quire_vm_create *create = page;
	int ret = quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_VM_CREATE, create);

	*number = create->vm;
	return ret;
}

static int space_unmake(const struct fixture *fixture, uint32_t number)
{
	struct drm_quire_vm_destroy destroy = { .vm = number };

	return quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
}

static int fence_make(const struct fixture *fixture, void *page, uint32_t *number)
{
	struct drm_quire_fence_create *create = page;
	int ret = quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_FENCE_CREATE, create);

	*number = create->handle;
	return ret;
}

static const struct kind objects = { "objects", object_make, object_unmake };
static const struct kind contexts = { "contexts", context_make, context_unmake };
static const struct kind spaces = { "address spaces", space_make, space_unmake };
static const struct kind fences = { "monitored fences", fence_make, object_unmake };

/**
 * struct answer - where an answer goes, and who takes that away
 * @page: argument and answer, alone there
 * @stop: the race is over
 */
struct answer {
	void *page;
	bool stop;
};

static void *take_away(void *data)
{
	struct answer *answer = data;

	while (!__atomic_load_n(&answer->stop, __ATOMIC_ACQUIRE)) {
		mprotect(answer->page, QUIRE_PAGE, PROT_READ);
		mprotect(answer->page, QUIRE_PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

/* Returns how many creations could not be told of; -1: something else went wrong. */
static int create_under_race(const struct fixture *fixture, const struct kind *kind,
			     struct answer *answer)
{
	int64_t begin = quire_now_ns();
	int untold = 0, ret;
	uint32_t number;

	while (quire_now_ns() < begin + (untold ? RACE_MS : WAIT_MS) * 1000000ll) {
		ret = kind->make(fixture, answer->page, &number);
		if (!ret)
			ret = kind->close(fixture, number);
		else if (ret == -EFAULT)
			untold++;
		if (ret && ret != -EFAULT)
			return -1;
	}
	return untold;
}

/* The lowest numbers that are free are those of the next ones. */
static void next_numbers(const struct fixture *fixture, const struct kind *kind, void *page,
			 uint32_t *numbers)
{
	memset(numbers, 0, NR_NEXT * sizeof(*numbers));
	for (unsigned int i = 0; i < NR_NEXT; i++)
		kind->make(fixture, page, &numbers[i]);
	for (unsigned int i = 0; i < NR_NEXT; i++)
		kind->close(fixture, numbers[i]);
}

static void test_create(const struct fixture *fixture, const struct kind *kind,
			const void *argument, size_t size)
{
	struct answer answer = {
		.page = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	};
	uint32_t before[NR_NEXT], after[NR_NEXT];
	pthread_t thread;
	int untold;

	if (answer.page == MAP_FAILED)
		tap_bail("mmap");
	memcpy(answer.page, argument, size);
	next_numbers(fixture, kind, answer.page, before);
	if (pthread_create(&thread, NULL, take_away, &answer))
		tap_bail("no thread");
	untold = create_under_race(fixture, kind, &answer);
	__atomic_store_n(&answer.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	mprotect(answer.page, QUIRE_PAGE, PROT_READ | PROT_WRITE);
	tap_ok(untold > 0, "%d %s could not be told of", untold, kind->name);
	next_numbers(fixture, kind, answer.page, after);
	tap_ok(!memcmp(before, after, sizeof(before)), "none of them has a number");
	munmap(answer.page, QUIRE_PAGE);
}

/* A file of root takes no command from nowhere. */
static void test_command(const struct fixture *fixture)
{
	void *nowhere = mmap(NULL, QUIRE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[96], before[64] = "", after[64] = "";
	int file;

	if (!*fixture->debugfs) {
		tap_skip("no debugfs, or not root", "a command from nowhere");
		return;
	}
	debugfs_read(fixture->debugfs, "inject", before, sizeof(before));
	snprintf(path, sizeof(path), "%s/inject", fixture->debugfs);
	file = open(path, O_WRONLY | O_CLOEXEC);
	tap_ret(write(file, nowhere, 8) < 0 ? -errno : 0, -EFAULT, "a command from nowhere");
	close(file);
	munmap(nowhere, QUIRE_PAGE);
	debugfs_read(fixture->debugfs, "inject", after, sizeof(after));
	tap_ok(*before && !strcmp(before, after), "nothing is injected");
}

int main(void)
{
	const struct drm_quire_bo_create object = {
		.size = QUIRE_PAGE, .segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
	};
	const struct drm_quire_context_create context = { 0 };
	const struct drm_quire_vm_create space = { 0 };
	const struct drm_quire_fence_create fence = { 0 };
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	test_create(&fixture, &objects, &object, sizeof(object));
	test_create(&fixture, &contexts, &context, sizeof(context));
	test_create(&fixture, &spaces, &space, sizeof(space));
	test_create(&fixture, &fences, &fence, sizeof(fence));
	test_command(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
