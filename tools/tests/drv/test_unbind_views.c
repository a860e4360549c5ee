// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver is unbound while threads write through swizzling ranges, to alternate views and
 * through the window of the aperture, and their objects go and come: each of them sees what it
 * has written, until SIGBUS tells it that the device is gone.
 *
 * To take a range from an image takes long, since it has many mappings: when unbinding begins,
 * threads are waiting for that inside of drm_dev_enter(), and take theirs afterwards.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "image.h"

#define ROUNDS		4
#define NR_IMAGES	14
#define NR_STAYING	10	/* in VRAM; more than there are ranges, as a rule */
#define NR_VIEWS	4
#define NR_SHOWN	4	/* in the window */
#define NR_MAPPINGS	300	/* of an image */
#define NR_SEEN		(NR_IMAGES + NR_VIEWS + NR_SHOWN)

/* A word in the middle of an image; its top bits say whose it is. */
#define WORD		1111
#define COUNT_MASK	0xffffffu

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 64, 64, 1, 1 };

/**
 * struct seen - an object that is mapped, and its writer
 * @object: size and handle are set
 * @map: its mapping
 * @tag: top bits of each word
 * @wrong: there was a word that it had not written
 * @read: that word
 * @written: what it had written
 */
struct seen {
	struct object object;
	void *map;
	uint32_t tag;
	bool wrong;
	uint32_t read;
	uint32_t written;
};

/* What a program says that has found something wrong. */
enum { GONE_WELL, NO_OBJECT, WRONG_ERROR, WRONG_WORD, STILL_THERE };

static __thread sigjmp_buf out;

static void on_sigbus(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

static int create(const struct fixture *fixture, struct seen *seen, unsigned int i)
{
	struct object *object = &seen->object;
	int ret;

	object->size = image_object_size(&image);
	if (i < NR_IMAGES)
		ret = image_create(fixture->fd, &image, ANYWHERE, &object->handle);
	else if (i < NR_IMAGES + NR_VIEWS)
		ret = image_create_view(fixture->fd, &image, &object->handle);
	else if (fixture->info.aperture_window_size >= NR_SHOWN * object->size)
		ret = quire_bo_create_window(fixture->fd, object->size, 0, &object->handle);
	else
		ret = quire_bo_create(fixture->fd, object->size, &object->handle);
	for (unsigned int n = 0; n < (i < NR_IMAGES ? NR_MAPPINGS : 1) && !ret; n++)
		ret = quire_bo_map(fixture->fd, object->handle, object->size, &seen->map);
	return ret;
}

/* Until there is a word that it has not written; SIGBUS may end any access. */
static void write_words(struct seen *seen)
{
	volatile uint32_t *word = (uint32_t *)seen->map + WORD;
	uint32_t read, written = 0;

	for (uint32_t count = 1; (read = *word) == written; count++) {
		written = seen->tag | (count & COUNT_MASK);
		*word = written;
		/* Others' turn: whose image has no range waits for one all the time. */
		usleep(50);
	}
	seen->wrong = true;
	seen->read = read;
	seen->written = written;
}

static void *run_writer(void *data)
{
	if (!sigsetjmp(out, 1))
		write_words(data);
	return NULL;
}

static const struct place *any_place(unsigned int i, uint64_t *random)
{
	if (i < NR_STAYING)
		return &vram;
	switch (random_below(random, 3)) {
	case 0:
		return &system_memory;
	case 1:
		return i < NR_IMAGES + NR_VIEWS ? &vram : &aperture;
	default:
		return &vram;
	}
}

/* Until the device is gone; says on @ready that it has begun. */
static int move_all(const struct fixture *fixture, const struct seen *seen, uint64_t seed,
		    int ready)
{
	uint64_t random = seed;
	int ret = 0;

	for (unsigned int n = 0; !ret; n++) {
		unsigned int i = random_below(&random, NR_SEEN);

		ret = object_place(fixture, &seen[i].object, any_place(i, &random));
		if (n == NR_SEEN && write(ready, "", 1) != 1)
			_exit(NO_OBJECT);
	}
	return ret;
}

/* Says what was wrong. */
static unsigned int wait_writers(const struct seen *seen, const pthread_t *threads)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < NR_SEEN; i++) {
		pthread_join(threads[i], NULL);
		if (seen[i].wrong)
			tap_diag("object %u: read %#x, not %#x", i, seen[i].read, seen[i].written);
		wrong += seen[i].wrong;
	}
	return wrong;
}

static void run_program(uint64_t seed, int ready)
{
	static struct seen seen[NR_SEEN];
	struct sigaction action = { .sa_handler = on_sigbus };
	pthread_t threads[NR_SEEN];
	struct fixture fixture;

	fixture_open(&fixture);
	for (unsigned int i = 0; i < NR_SEEN; i++)
		if (create(&fixture, &seen[i], i))
			_exit(NO_OBJECT);
	sigaction(SIGBUS, &action, NULL);
	for (unsigned int i = 0; i < NR_SEEN; i++) {
		seen[i].tag = (i + 1) << 24;
		pthread_create(&threads[i], NULL, run_writer, &seen[i]);
	}
	if (move_all(&fixture, seen, seed, ready) != -ENODEV)
		_exit(WRONG_ERROR);
	if (wait_writers(seen, threads))
		_exit(WRONG_WORD);
	/* Unbinding may still be at work: that takes what is left. */
	test_sleep_ms(500);
	for (unsigned int i = 0; i < NR_SEEN; i++)
		if (!sigbus_on_read(seen[i].map) || !sigbus_on_write(seen[i].map))
			_exit(STILL_THERE);
	_exit(GONE_WELL);
}

static void test_round(const char *address, unsigned int round)
{
	struct fixture fixture;
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready))
		tap_bail("pipe");
	pid = child_start(60);
	if (!pid)
		run_program(round, ready[1]);
	close(ready[1]);
	tap_ok(read(ready[0], &byte, 1) == 1, "a program writes and moves what it sees");
	close(ready[0]);
	test_sleep_ms(20 * round);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind, round %u", round);
	tap_ret(child_status(pid), GONE_WELL, "it saw what it wrote, until it was told");
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	fixture_reopen(&fixture);
	fixture_test_works(&fixture);
	close(fixture.fd);
}

int main(void)
{
	struct fixture fixture;
	char address[64];

	tap_start(120);
	fixture_open(&fixture);
	if (sysfs_pci_address(fixture.fd, address, sizeof(address)) || getuid())
		tap_skip_all("no sysfs, or not root");
	close(fixture.fd);
	for (unsigned int round = 1; round <= ROUNDS; round++)
		test_round(address, round);
	return tap_done();
}
