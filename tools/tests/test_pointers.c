// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Pointers that are no good, or not any more. The place of an answer can go while the kernel
 * works: an object that nobody can be told of is not there.
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
 * struct answer - where an answer goes, and who takes that away
 * @create: argument and answer, alone in its page
 * @stop: the race is over
 */
struct answer {
	struct drm_quire_bo_create *create;
	bool stop;
};

static void *take_away(void *data)
{
	struct answer *answer = data;

	while (!__atomic_load_n(&answer->stop, __ATOMIC_ACQUIRE)) {
		mprotect(answer->create, QUIRE_PAGE, PROT_READ);
		mprotect(answer->create, QUIRE_PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

/* Returns how many creations could not be told of; -1: something else went wrong. */
static int create_under_race(const struct fixture *fixture, struct answer *answer)
{
	int64_t end = quire_now_ns() + RACE_MS * 1000000ll;
	int untold = 0, ret;

	while (quire_now_ns() < end) {
		ret = quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_CREATE, answer->create);
		if (!ret)
			ret = quire_bo_close(fixture->fd, answer->create->handle);
		else if (ret == -EFAULT)
			untold++;
		if (ret && ret != -EFAULT)
			return -1;
	}
	return untold;
}

/* The lowest handles that are free are those of the next objects. */
static void next_handles(const struct fixture *fixture, uint32_t *handles)
{
	memset(handles, 0, NR_NEXT * sizeof(*handles));
	for (unsigned int i = 0; i < NR_NEXT; i++)
		quire_bo_create(fixture->fd, QUIRE_PAGE, &handles[i]);
	for (unsigned int i = 0; i < NR_NEXT; i++)
		quire_bo_close(fixture->fd, handles[i]);
}

static void test_create(const struct fixture *fixture)
{
	struct answer answer = {
		.create = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	};
	uint32_t before[NR_NEXT], after[NR_NEXT];
	pthread_t thread;
	int untold;

	if (answer.create == MAP_FAILED)
		tap_bail("mmap");
	answer.create->size = QUIRE_PAGE;
	answer.create->segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1;
	next_handles(fixture, before);
	if (pthread_create(&thread, NULL, take_away, &answer))
		tap_bail("no thread");
	untold = create_under_race(fixture, &answer);
	__atomic_store_n(&answer.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	munmap(answer.create, QUIRE_PAGE);
	tap_ok(untold > 0, "%d objects could not be told of", untold);
	next_handles(fixture, after);
	tap_ok(!memcmp(before, after, sizeof(before)), "none of them has a handle");
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
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	test_create(&fixture);
	test_command(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
