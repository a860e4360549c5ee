// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * CPU faults while placements wait for their turn: a fault takes no room then, but
 * succeeds, and nobody's turn is lost.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define NR_PLACERS	4
#define SIZE		(16 * QUIRE_PAGE)
#define RUN_MS		6000

static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

/* Two of them do not fit: each placement of one evicts another one, in its turn. */
static void place_forever(atomic_uint *placed)
{
	struct fixture fixture;
	uint32_t handle;
	int ret;

	fixture_open(&fixture);
	ret = quire_bo_create(fixture.fd, fixture_vram(&fixture) / 4 * 3 / QUIRE_PAGE * QUIRE_PAGE,
			      &handle);
	for (; !ret; ++*placed)
		ret = quire_bo_place(fixture.fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0);
	_exit(-ret);
}

/* Out of reach, then read by the CPU. */
static int fault_once(const struct fixture *fixture, const struct object *object)
{
	int ret = object_place(fixture, object, &invisible);

	return ret ? ret : object_check(fixture, object);
}

static unsigned int fault_for_long(const struct fixture *fixture, const struct object *object)
{
	int64_t end = quire_now_ns() + RUN_MS * 1000000ll;
	unsigned int faults = 0;
	int ret;

	do {
		ret = fault_once(fixture, object);
		faults += !ret;
	} while (!ret && quire_now_ns() < end);
	tap_ret(ret, 0, "all faults (%u) show the content", faults);
	return faults;
}

/* While none of them ends. */
static void expect_placements(const atomic_uint *placed)
{
	const int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	unsigned int before[NR_PLACERS];

	for (unsigned int i = 0; i < NR_PLACERS; i++)
		before[i] = placed[i];
	for (unsigned int i = 0; i < NR_PLACERS; i++) {
		while (placed[i] == before[i] && quire_now_ns() < end)
			test_sleep_ms(10);
		tap_ok(placed[i] > before[i], "placer %u goes on (%u times)", i, placed[i]);
	}
}

static void stop(const pid_t *placers)
{
	for (unsigned int i = 0; i < NR_PLACERS; i++) {
		int status = 0;

		kill(placers[i], SIGKILL);
		waitpid(placers[i], &status, 0);
		tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it was not refused");
	}
}

int main(void)
{
	struct fixture fixture;
	struct object object;
	atomic_uint *placed = mmap(NULL, NR_PLACERS * sizeof(*placed), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t placers[NR_PLACERS];

	if (placed == MAP_FAILED)
		tap_bail("mmap");
	tap_start(120);
	fixture_open(&fixture);
	if (!fixture_has_place(&fixture, &invisible, SIZE))
		tap_skip_all("all of VRAM is visible");
	tap_ret(object_create(&fixture, &object, SIZE, 1), 0, "create");
	for (unsigned int i = 0; i < NR_PLACERS; i++) {
		placers[i] = child_start(60);
		if (!placers[i])
			place_forever(&placed[i]);
	}
	tap_ok(fault_for_long(&fixture, &object), "there were faults");
	expect_placements(placed);
	stop(placers);
	object_close(&fixture, &object);
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
