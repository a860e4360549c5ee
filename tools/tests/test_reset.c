// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The function is reset from outside: who writes to VRAM meanwhile waits, and nothing that was
 * written is lost; and every page of the aperture is shown again, however many runs they are.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing.h"
#include "fixture.h"

#define NR_RESETS	5
#define NR_WRITERS	2

/* One page each: more runs than one operation of a restoration takes. */
#define NR_SMALL	200

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static int device_reset(const char *address)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", address);
	return failing_write(path, "1") ? 0 : -errno;
}

/* Writes, and reads what it wrote one round before, until it is killed. */
static void write_forever(atomic_uint *rounds, atomic_uint *wrong)
{
	struct fixture fixture;
	struct object object;
	volatile uint32_t *word;
	void *map;

	alarm(60);
	fixture_open(&fixture);
	if (object_create(&fixture, &object, QUIRE_PAGE, 1) ||
	    object_place_and_wait(&fixture, &object, &visible) ||
	    quire_bo_map(fixture.fd, object.handle, QUIRE_PAGE, &map))
		_exit(1);
	word = map;
	for (uint32_t i = 0; i < 1024; i++)
		word[i] = 0;
	for (uint32_t round = 1;; round++, ++*rounds) {
		for (uint32_t i = 0; i < 1024; i++) {
			*wrong += word[i] != round - 1;
			word[i] = round;
		}
	}
}

static void test_writers(const char *address, atomic_uint *counts)
{
	atomic_uint *rounds = &counts[0], *wrong = &counts[1];
	pid_t writers[NR_WRITERS];
	unsigned int before;
	int ret = 0;

	fflush(stdout);
	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		writers[i] = fork();
		if (!writers[i])
			write_forever(rounds, wrong);
	}
	for (unsigned int i = 0; i < NR_RESETS && !ret; i++) {
		for (before = *rounds; *rounds < before + 100;)
			test_sleep_ms(1);
		ret = device_reset(address);
	}
	for (before = *rounds; !ret && *rounds < before + 100;)
		test_sleep_ms(1);
	tap_ret(ret, 0, "%u resets while VRAM is written", NR_RESETS);
	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		kill(writers[i], SIGKILL);
		waitpid(writers[i], NULL, 0);
	}
	tap_ret((int)*wrong, 0, "no write is lost (%u rounds)", *rounds);
}

static int place_all(const struct fixture *fixture, const struct object *objects,
		     const struct place *place)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = object_place_and_wait(fixture, &objects[i], place);
	return ret;
}

static void test_aperture(const struct fixture *fixture, const char *address)
{
	struct object objects[NR_SMALL];
	int ret = 0;

	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = object_create(fixture, &objects[i], QUIRE_PAGE, i + 1);
	tap_ret(ret, 0, "create");
	tap_ret(place_all(fixture, objects, &aperture), 0, "place them in the aperture");
	tap_ret(device_reset(address), 0, "reset");
	tap_ret(place_all(fixture, objects, &vram), 0, "through it to VRAM");
	for (unsigned int i = 0; i < NR_SMALL && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	tap_ret(ret, 0, "all of them are whole");
	for (unsigned int i = 0; i < NR_SMALL; i++)
		object_close(fixture, &objects[i]);
}

int main(void)
{
	atomic_uint *counts = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct fixture fixture;
	char address[64];

	if (counts == MAP_FAILED)
		tap_bail("mmap");
	tap_start(120);
	fixture_open(&fixture);
	if (sysfs_pci_address(fixture.fd, address, sizeof(address)) || device_reset(address))
		tap_skip_all("the device can not be reset, or not root");
	test_writers(address, counts);
	test_aperture(&fixture, address);
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
