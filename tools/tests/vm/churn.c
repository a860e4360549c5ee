// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each has objects of half of VRAM, so that they evict each other, and knows what is in them. A
 * turn binds some of them elsewhere, has commands write and copy, and a value after that, and
 * compares what the device finds with what it knows.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "churn.h"
#include "monitored.h"
#include "space.h"
#include "xxh64.h"

#define OBJECTS		8u
#define BASE		0x4000000000ull
#define PIECE_PAGES	16u
#define PIECE		(PIECE_PAGES * QUIRE_PAGE)
#define GO_ON_MS	1000000	/* ends what hangs */

/**
 * struct churner - one of them
 * @work: the device
 * @space: the address space
 * @size: of an object
 * @objects: the odd ones are private
 * @bytes: of each
 * @at: which object is bound at each place
 * @fence: counts turns
 * @turns: so far
 * @random: what comes next
 */
struct churner {
	struct work work;
	struct space space;
	uint64_t size;
	struct quire_object *objects[OBJECTS];
	uint8_t *bytes[OBJECTS];
	unsigned int at[OBJECTS];
	struct monitored fence;
	uint64_t turns;
	uint64_t random;
};

static uint64_t place_address(const struct churner *churner, unsigned int place)
{
	return BASE + place * churner->size;
}

static void churner_open(struct churner *churner, uint64_t seed)
{
	work_open(&churner->work);
	space_open(&churner->space, &churner->work);
	churner->random = seed;
	churner->size = fixture_vram(&churner->work.fixture) / 2 / OBJECTS / PIECE * PIECE;
	for (unsigned int i = 0; i < OBJECTS; i++) {
		churner->objects[i] = space_object(&churner->space, churner->size, 0, i % 2);
		churner->bytes[i] = calloc(1, churner->size);
		if (!churner->bytes[i])
			tap_bail("memory");
		churner->at[i] = i;
		space_map(&churner->space, place_address(churner, i), churner->objects[i], 0,
			  churner->size);
	}
	monitored_open(&churner->fence, churner->work.fixture.fd, 0);
}

/* A piece of a place; returns where it is in the model. */
static uint8_t *some_piece(struct churner *churner, uint64_t *address)
{
	unsigned int place = random_below(&churner->random, OBJECTS);
	uint64_t offset = random_below(&churner->random, churner->size / PIECE) * PIECE;

	*address = place_address(churner, place) + offset;
	return churner->bytes[churner->at[place]] + offset;
}

static void write_pieces(struct churner *churner, uint64_t *address, uint8_t **bytes)
{
	struct quire_writer *writer = &churner->space.writer;
	uint32_t number = random_next(&churner->random);
	uint64_t from;
	uint8_t *source = some_piece(churner, &from);

	quire_write_fill(writer, from, PIECE, number);
	for (size_t i = 0; i < PIECE; i += sizeof(number))
		memcpy(source + i, &number, sizeof(number));
	*bytes = some_piece(churner, address);
	quire_write_copy(writer, from, *address, PIECE);
	memmove(*bytes, source, PIECE);
	*bytes = some_piece(churner, address);
}

/* Two objects change places, in some queue; what is executed next waits for that. */
static int exchange(struct churner *churner, const struct quire_fence *done)
{
	const struct quire_fence_point after = { .fence = done };
	const struct quire_binding how = {
		.queue = random_below(&churner->random, DRM_QUIRE_BIND_QUEUES),
		.nr_signals = 1, .signals = &after,
	};
	unsigned int places[2] = {
		random_below(&churner->random, OBJECTS), random_below(&churner->random, OBJECTS),
	};
	unsigned int first = churner->at[places[0]];
	struct drm_quire_bind binds[2];

	churner->at[places[0]] = churner->at[places[1]];
	churner->at[places[1]] = first;
	for (unsigned int i = 0; i < 2; i++)
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = place_address(churner, places[i]), .size = churner->size,
			.handle = quire_object_handle(churner->objects[churner->at[places[i]]]),
		};
	return quire_vm_bind(churner->space.vm, binds, 2, &how, NULL);
}

/* The value after what is at work now. */
static int count_turn(struct churner *churner)
{
	const struct drm_quire_sync after = {
		.handle = quire_fence_syncobj(churner->space.fence), .flags = DRM_QUIRE_SYNC_WAIT,
	};

	return monitored_signal_syncs(&churner->fence, ++churner->turns, &after, 1) ?:
	       monitored_wait(&churner->fence, churner->turns, GO_ON_MS);
}

static int renew_context(struct churner *churner)
{
	struct space *space = &churner->space;

	quire_context_destroy(space->context);
	space->context = NULL;
	return quire_context_create_in(space->vm, DRM_QUIRE_PRIORITY_NORMAL, &space->context);
}

static int compare(const struct churner *churner, uint64_t address, const uint8_t *bytes)
{
	uint64_t value = monitored_value(&churner->fence);
	uint64_t hash = churner->space.results[0];

	if (hash == xxh64(bytes, PIECE) && value == churner->turns)
		return 0;
	tap_diag("turn %" PRIu64 ": value %" PRIu64 ", hash of %#" PRIx64 " %#" PRIx64 "%s",
		 churner->turns, value, address, hash, hash == SPACE_NO_HASH ? " (none)" : "");
	return -EILSEQ;
}

/* Returns 0; -EILSEQ something else is there than should be; or the error of a call. */
static int churner_turn(struct churner *churner)
{
	struct space *space = &churner->space;
	uint64_t address;
	uint8_t *bytes;
	int ret = random_below(&churner->random, 8) ? 0 : renew_context(churner);

	ret = ret ?: exchange(churner, space->fence);
	if (ret)
		return ret;
	write_pieces(churner, &address, &bytes);
	space->results[0] = SPACE_NO_HASH;
	quire_write_checksum(&space->writer, address, PIECE, SPACE_RESULTS);
	ret = space_exec(space, space->fence, space->fence) ?: count_turn(churner) ?:
	      work_fence_wait(space->fence);
	space_rewind(space);
	return ret ?: compare(churner, address, bytes);
}

/* Nothing is behind its mappings any more. */
static void on_sigbus(int number)
{
	(void)number;
	_exit(ENODEV);
}

static void run_churner(const struct churn *churn, unsigned int i)
{
	struct churner churner = { 0 };
	int ret = 0;

	signal(SIGBUS, on_sigbus);
	churner_open(&churner, i + 1);
	while (!ret && !atomic_load(&churn->shared->stop)) {
		ret = churner_turn(&churner);
		atomic_fetch_add(&churn->shared->turns[i], !ret);
	}
	_exit(-ret);
}

/**
 * churn_start - have them begin
 * @churn: to fill
 * @seconds: for longer than that they are not at work
 */
void churn_start(struct churn *churn, unsigned int seconds)
{
	churn->shared = mmap(NULL, sizeof(*churn->shared), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (churn->shared == MAP_FAILED)
		tap_bail("mmap");
	for (unsigned int i = 0; i < CHURN_PROCESSES; i++) {
		churn->pids[i] = child_start(seconds);
		if (!churn->pids[i])
			run_churner(churn, i);
	}
}

/* Has each made so many turns, or ended? */
bool churn_has_made(const struct churn *churn, unsigned int turns)
{
	for (unsigned int i = 0; i < CHURN_PROCESSES; i++)
		if (atomic_load(&churn->shared->turns[i]) < turns &&
		    child_is_running(churn->pids[i]))
			return false;
	return true;
}

/* Does each make so many turns more? */
bool churn_goes_on(const struct churn *churn, unsigned int turns)
{
	int64_t end = quire_now_ns() + GO_ON_MS * 1000000ll;
	unsigned int enough[CHURN_PROCESSES];

	for (unsigned int i = 0; i < CHURN_PROCESSES; i++)
		enough[i] = atomic_load(&churn->shared->turns[i]) + turns;
	for (unsigned int i = 0; i < CHURN_PROCESSES; i++)
		while (atomic_load(&churn->shared->turns[i]) < enough[i]) {
			if (quire_now_ns() >= end || !child_is_running(churn->pids[i]))
				return false;
			test_sleep_ms(1);
		}
	return true;
}

/**
 * churn_end - end them, and look what became of them
 * @churn: that was started
 * @expected: 0 or a negative errno, of each
 * @name: for messages
 */
void churn_end(struct churn *churn, int expected, const char *name)
{
	atomic_store(&churn->shared->stop, true);
	for (unsigned int i = 0; i < CHURN_PROCESSES; i++)
		tap_ret(-child_status(churn->pids[i]), expected, "%s, process %u", name, i);
	munmap(churn->shared, sizeof(*churn->shared));
}
