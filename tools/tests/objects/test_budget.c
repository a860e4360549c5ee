// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Budgets: what a file is told of its share, by a query and by events, and that what is above it
 * goes first.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "budget.h"
#include "dmabuf.h"
#include "fixture.h"
#include "resident.h"
#include "user.h"

#define SYSTEM	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM)
#define VRAM	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)
#define APART	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

#define MOST	256u	/* objects of a party */
#define CONTENDERS	4u

/**
 * struct party - a file with objects
 * @fixture: its file
 * @objects: its objects
 * @count: number of @objects
 */
struct party {
	struct fixture fixture;
	struct object objects[MOST];
	unsigned int count;
};

static void party_open(struct party *party)
{
	memset(party, 0, sizeof(*party));
	fixture_open(&party->fixture);
}

static void party_close(struct party *party)
{
	for (unsigned int i = 0; i < party->count; i++)
		object_close(&party->fixture, &party->objects[i]);
	close(party->fixture.fd);
}

/* One object more, of VRAM. */
static struct object *party_add(struct party *party, uint64_t size)
{
	struct object *object = &party->objects[party->count++];

	*object = (struct object){ .size = size, .key = party->count };
	if (party->count > MOST ||
	    quire_bo_create_in(party->fixture.fd, size, SYSTEM | VRAM, &object->handle) ||
	    object_fill(&party->fixture, object) ||
	    object_place_and_wait(&party->fixture, object, &places[2]))
		tap_bail("object in VRAM");
	return object;
}

/* It leaves VRAM. */
static void party_leave(struct party *party)
{
	for (unsigned int i = 0; i < party->count; i++)
		if (object_place_and_wait(&party->fixture, &party->objects[i], &places[0]))
			tap_bail("object in system memory");
}

static unsigned int party_in_vram(const struct party *party)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < party->count; i++)
		count += object_segment(&party->fixture, &party->objects[i]) ==
			 DRM_QUIRE_SEGMENT_VRAM;
	return count;
}

static struct drm_quire_budget_info ask_vram(const struct party *party)
{
	return budget_ask(party->fixture.fd, DRM_QUIRE_SEGMENT_VRAM);
}

static bool is_about(uint64_t size, uint64_t part)
{
	return size <= part && size + QUIRE_PAGE > part;
}

/* As budget_event(). */
static uint32_t event_of(const struct party *party, int milliseconds)
{
	return budget_event(party->fixture.fd, milliseconds);
}

static void test_share(const struct fixture *fixture)
{
	const uint64_t vram = fixture_vram(fixture);
	struct drm_quire_budget_info info;
	struct party a, b;

	party_open(&a);
	party_open(&b);
	info = budget_ask(a.fixture.fd, DRM_QUIRE_SEGMENT_SYSTEM);
	tap_ok(info.budget == UINT64_MAX && !info.to_trim, "system memory has no limit");
	info = ask_vram(&a);
	tap_ok(info.budget == vram && !info.usage && !info.resident && !info.to_trim,
	       "who is alone has all of VRAM: %" PRIu64, (uint64_t)info.budget);
	party_add(&a, 2 * QUIRE_MIB);
	info = ask_vram(&a);
	tap_ok(info.budget == vram && info.usage == 2 * QUIRE_MIB && !info.to_trim,
	       "also with an object there");
	tap_ok(is_about(ask_vram(&b).budget, vram / 2), "another one would have half");
	tap_ok(ask_vram(&a).budget == vram, "that is not asked by the first");
	party_add(&b, QUIRE_MIB);
	tap_ok(is_about(ask_vram(&a).budget, vram / 2), "and has, with an object");
	tap_ok(ask_vram(&a).usage == 2 * QUIRE_MIB && ask_vram(&b).usage == QUIRE_MIB,
	       "each has its own");
	party_leave(&b);
	tap_ok(!ask_vram(&b).usage && ask_vram(&a).budget == vram, "until that leaves");
	tap_ok(budget_ask(b.fixture.fd, DRM_QUIRE_SEGMENT_SYSTEM).usage == QUIRE_MIB,
	       "to system memory");
	party_close(&b);
	party_close(&a);
}

static void test_trim_size(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	struct drm_quire_budget_info info;
	struct drm_quire_resident list[1];
	struct drm_quire_make_resident make = { .objects = DRM_QUIRE_ARRAY(1, list) };
	struct party a, b;

	party_open(&a);
	party_open(&b);
	for (unsigned int i = 0; i < 12; i++)
		party_add(&a, size);
	tap_ok(ask_vram(&a).to_trim == 0, "a file with 12 of 16 parts is alone");
	party_add(&b, size);
	info = ask_vram(&a);
	tap_ok(info.usage == 12 * size && info.to_trim == info.usage - info.budget &&
	       is_about(info.budget, 8 * size), "with another one it is 4 above its budget");
	list[0] = (struct drm_quire_resident){ .handle = a.objects[0].handle };
	tap_ret(quire_ioctl(a.fixture.fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make), 0,
		"it holds one");
	tap_ok(make.to_trim == info.to_trim, "and is told the same");
	tap_ok(ask_vram(&a).resident == size, "it is resident");
	tap_ret(resident_make(a.fixture.fd, a.objects, 3), 0, "and three");
	tap_ok(ask_vram(&a).resident == 3 * size, "each counts once");
	tap_ret(resident_evict(a.fixture.fd, a.objects, 3), 0, "three less");
	tap_ok(ask_vram(&a).resident == size, "one is held yet");
	object_close(&a.fixture, &a.objects[0]);
	info = ask_vram(&a);
	tap_ok(info.usage == 11 * size && !info.resident, "a closed one does not count");
	party_close(&b);
	party_close(&a);
}

/* For whom a shared one counts. */
static void test_shared(void)
{
	struct object *object;
	struct party a, b;
	uint32_t handle;
	int dmabuf;

	party_open(&a);
	party_open(&b);
	object = party_add(&a, QUIRE_MIB);
	dmabuf = dmabuf_export(a.fixture.fd, object->handle);
	tap_ret(dmabuf_import(b.fixture.fd, dmabuf, &handle), 0, "another file has it, too");
	tap_ok(ask_vram(&a).usage == QUIRE_MIB && !ask_vram(&b).usage,
	       "it counts for who made it");
	quire_bo_close(b.fixture.fd, handle);
	tap_ok(ask_vram(&a).usage == QUIRE_MIB, "also when the other one has closed it");
	tap_ret(dmabuf_import(b.fixture.fd, dmabuf, &handle), 0, "which has it again");
	object_close(&a.fixture, object);
	tap_ok(!ask_vram(&a).usage && !ask_vram(&b).usage, "then for nobody");
	tap_ret(dmabuf_import(a.fixture.fd, dmabuf, &object->handle), 0, "until it is opened");
	tap_ok(ask_vram(&a).usage == QUIRE_MIB, "by who has it then");
	close(dmabuf);
	party_close(&b);
	party_close(&a);
}

/* What is held is so wherever it is. */
static void test_held_moves(void)
{
	struct object *object;
	struct party a;

	party_open(&a);
	object = party_add(&a, QUIRE_MIB);
	tap_ret(resident_make(a.fixture.fd, object, 1), 0, "it is held");
	tap_ok(ask_vram(&a).resident == QUIRE_MIB, "in VRAM");
	party_leave(&a);
	tap_ok(!ask_vram(&a).resident &&
	       budget_ask(a.fixture.fd, DRM_QUIRE_SEGMENT_SYSTEM).resident == QUIRE_MIB,
	       "in system memory");
	tap_ret(object_place_and_wait(&a.fixture, object, &places[2]), 0, "it comes back");
	tap_ok(ask_vram(&a).resident == QUIRE_MIB, "and is held there");
	tap_ret(resident_evict(a.fixture.fd, object, 1), 0, "no more");
	tap_ok(!ask_vram(&a).resident, "no more");
	party_close(&a);
}

/* The aperture is shared, too. */
static void test_aperture(const struct fixture *fixture)
{
	static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
	const uint64_t size = fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size / 8 * 5;
	struct drm_quire_resident list[1];
	struct drm_quire_make_resident make = { .objects = DRM_QUIRE_ARRAY(1, list) };
	struct object large, small;
	struct party a, b;
	uint64_t to_trim;

	party_open(&a);
	party_open(&b);
	tap_ret(quire_bo_create_in(a.fixture.fd, size, SYSTEM | APART, &large.handle) ?:
		quire_bo_create_in(b.fixture.fd, QUIRE_PAGE, SYSTEM | APART, &small.handle), 0,
		"objects for the aperture");
	tap_ret(object_place_and_wait(&a.fixture, &large, &aperture), 0, "5 of 8 parts");
	tap_ok(!budget_ask(a.fixture.fd, DRM_QUIRE_SEGMENT_APERTURE).to_trim,
	       "which are not too many");
	tap_ret(object_place_and_wait(&b.fixture, &small, &aperture), 0, "until another one comes");
	tap_ok(event_of(&a, WAIT_MS) == APART, "it is told, of the aperture");
	to_trim = budget_ask(a.fixture.fd, DRM_QUIRE_SEGMENT_APERTURE).to_trim;
	tap_ok(to_trim == size - size / 5 * 4, "it is a part of 8 above its budget");
	list[0] = (struct drm_quire_resident){ .handle = large.handle };
	tap_ret(quire_ioctl(a.fixture.fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make), 0, "it holds it");
	tap_ok(make.to_trim == to_trim, "and is told the same");
	object_close(&a.fixture, &large);
	object_close(&b.fixture, &small);
	party_close(&b);
	party_close(&a);
}

/* What is evicted, purged and lost counts elsewhere. */
static void test_leaves(void)
{
	struct party a;

	party_open(&a);
	party_add(&a, QUIRE_MIB);
	party_add(&a, QUIRE_MIB);
	quire_bo_madvise(a.fixture.fd, a.objects[0].handle, DRM_QUIRE_MADV_DONTNEED, NULL);
	tap_ok(ask_vram(&a).usage == 2 * QUIRE_MIB, "two are in VRAM");
	resident_flood(&a.fixture);	/* another file would be above its budget */
	tap_ok(object_flags(&a.fixture, &a.objects[0]) & DRM_QUIRE_BO_PURGED, "one is purged");
	tap_ok(!ask_vram(&a).usage, "neither is in VRAM");
	tap_ok(budget_ask(a.fixture.fd, DRM_QUIRE_SEGMENT_SYSTEM).usage == 2 * QUIRE_MIB,
	       "both are in system memory");
	party_close(&a);
}

static void test_events(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	struct party a, b;

	party_open(&a);
	party_open(&b);
	for (unsigned int i = 0; i < 12; i++)
		party_add(&a, size);
	party_add(&b, QUIRE_PAGE);
	tap_ok(!event_of(&a, 200), "who does not ask is told nothing");
	party_leave(&b);
	ask_vram(&a);
	tap_ok(!event_of(&a, 200), "nor who asks and has what it needs");
	for (unsigned int i = 0; i < 300; i++) {
		object_place_and_wait(&b.fixture, &b.objects[0], &places[2]);
		object_place_and_wait(&b.fixture, &b.objects[0], &places[0]);
	}
	tap_ok(event_of(&a, WAIT_MS) == VRAM, "others have come and gone: it is told");
	tap_ok(!event_of(&a, 200), "once");
	object_place_and_wait(&b.fixture, &b.objects[0], &places[2]);
	ask_vram(&a);
	tap_ok(!event_of(&a, 200), "what it was told is no news");
	party_leave(&b);
	tap_ok(!event_of(&a, 200), "to get more is none either");
	ask_vram(&a);
	object_place_and_wait(&b.fixture, &b.objects[0], &places[2]);
	tap_ok(event_of(&a, WAIT_MS) == VRAM, "less is, again");
	tap_ok(!event_of(&b, 0), "the other one has not asked");
	party_close(&b);
	party_close(&a);
}

/* Its budget shrinks, but not below what it uses, until it uses more. */
static void test_late(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	struct party a, b;

	party_open(&a);
	party_open(&b);
	for (unsigned int i = 0; i < 7; i++)
		party_add(&a, size);
	ask_vram(&a);
	party_add(&b, size);
	tap_ok(!event_of(&a, 200), "half is enough");
	party_add(&a, size);
	tap_ok(!event_of(&a, 200), "all of it");
	party_add(&a, size);
	tap_ok(event_of(&a, WAIT_MS) == VRAM, "more is not");
	party_close(&b);
	party_close(&a);
}

/* Another one comes, which makes less of a budget, and leaves. */
static void come_and_leave(const struct party *party)
{
	object_place_and_wait(&party->fixture, &party->objects[0], &places[2]);
	object_place_and_wait(&party->fixture, &party->objects[0], &places[0]);
}

/* Nobody reads them: there are so many, and no more; what found no room is not lost. */
static void test_unread(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	const unsigned int most = 4096 / sizeof(struct drm_quire_event_budget);
	unsigned int count = 0;
	struct party a, b;

	party_open(&a);
	party_open(&b);
	for (unsigned int i = 0; i < 12; i++)
		party_add(&a, size);
	party_add(&b, QUIRE_PAGE);
	party_leave(&b);
	for (unsigned int i = 0; i < 2 * most; i++) {
		ask_vram(&a);
		come_and_leave(&b);
	}
	while (event_of(&a, 200))
		count++;
	tap_ok(count == most, "%u were kept, of %u", count, 2 * most);
	come_and_leave(&b);
	tap_ok(event_of(&a, WAIT_MS) == VRAM, "the one that found no room comes, without a query");
	come_and_leave(&b);
	tap_ok(!event_of(&a, 200), "once");
	ask_vram(&a);
	come_and_leave(&b);
	tap_ok(event_of(&a, WAIT_MS) == VRAM, "they are sent again");
	ask_vram(&a);
	come_and_leave(&b);
	party_close(&a);	/* with one that was not read */
	party_close(&b);
}

/* A process with objects in VRAM, which lives until it is killed. */
static pid_t start_rival(const struct fixture *fixture, unsigned int parts)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	struct party party;
	int said[2];
	char byte;
	pid_t pid;

	if (pipe(said))
		tap_bail("pipe");
	pid = child_start(60);
	if (!pid) {
		party_open(&party);
		for (unsigned int i = 0; i < parts; i++)
			party_add(&party, size);
		if (write(said[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	tap_ok(read(said[0], &byte, 1) == 1, "a process with %u parts", parts);
	close(said[0]);
	close(said[1]);
	return pid;
}

static bool gets_budget(const struct party *party, uint64_t budget)
{
	for (unsigned int i = 0; i < WAIT_MS / 10; i++) {
		if (is_about(ask_vram(party).budget, budget))
			return true;
		test_sleep_ms(10);
	}
	return false;
}

static void test_processes(const struct fixture *fixture)
{
	const uint64_t vram = fixture_vram(fixture);
	pid_t pids[3];
	struct party a;

	party_open(&a);
	party_add(&a, vram / 2);
	ask_vram(&a);
	for (unsigned int i = 0; i < 3; i++) {
		pids[i] = start_rival(fixture, 1);
		tap_ok(gets_budget(&a, vram / (2 + i)), "a part of %u", 2 + i);
	}
	tap_ok(event_of(&a, WAIT_MS) == VRAM, "there was an event");
	for (unsigned int i = 3; i; i--) {
		child_kill(pids[i - 1]);
		tap_ok(gets_budget(&a, vram / i), "one has died: a part of %u", i);
	}
	party_close(&a);
}

/* Who is above its budget makes room for others, and no more than that. */
static void test_trimming(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 32;
	struct party a, b, c;

	party_open(&a);
	party_open(&b);
	party_open(&c);
	for (unsigned int i = 0; i < 8; i++)
		party_add(&b, size);
	for (unsigned int i = 0; i < 22; i++)
		party_add(&a, size);
	tap_ret(resident_make(a.fixture.fd, a.objects, 6), 0, "one has 22 parts, and holds 6");
	for (unsigned int i = 0; i < 10; i++)
		party_add(&c, size);
	tap_ok(party_in_vram(&b) == 8, "the oldest, of who has 8, are there (%u)",
	       party_in_vram(&b));
	tap_ok(party_in_vram(&c) == 10, "and those of who needs 10 (%u)", party_in_vram(&c));
	tap_ok(party_in_vram(&a) >= 10 && party_in_vram(&a) <= 14, "of 22 there are %u",
	       party_in_vram(&a));
	for (unsigned int i = 0; i < 6; i++)
		tap_ok(object_segment(&a.fixture, &a.objects[i]) == DRM_QUIRE_SEGMENT_VRAM,
		       "what is held is (%u)", i);
	for (unsigned int i = 0; i < a.count; i++)
		if (object_check(&a.fixture, &a.objects[i]))
			tap_ok(false, "content %u is not whole", i);
	party_close(&c);
	party_close(&b);
	party_close(&a);
}

/* It holds all that is above: others go then. */
static void test_held_above(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	struct party a, b, c;

	party_open(&a);
	party_open(&b);
	party_open(&c);
	for (unsigned int i = 0; i < 3; i++)
		party_add(&b, size);
	for (unsigned int i = 0; i < 12; i++)
		party_add(&a, size);
	tap_ret(resident_make(a.fixture.fd, a.objects, 12), 0, "one holds 12 of 16 parts");
	for (unsigned int i = 0; i < 4; i++)
		party_add(&c, size);
	tap_ok(party_in_vram(&a) == 12, "which stay (%u)", party_in_vram(&a));
	tap_ok(party_in_vram(&c) == 4, "another one gets 4");
	tap_ok(party_in_vram(&b) == 0, "from who has not held its own (%u)", party_in_vram(&b));
	party_close(&c);
	party_close(&b);
	party_close(&a);
}

/*
 * A file is above its budget, but commands use all that it does not hold resident. What it holds
 * stays all the same: a second file, though within its budget, makes room for a third one.
 */
static void test_held_beside_work(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	struct party a, b, c;
	struct user user;

	party_open(&a);
	party_open(&b);
	party_open(&c);
	for (unsigned int i = 0; i < 12; i++)
		party_add(&a, size);
	for (unsigned int i = 0; i < 4; i++)
		party_add(&b, size);
	tap_ret(resident_make(a.fixture.fd, &a.objects[2], 10), 0, "one holds 10 of 12 parts");
	user_begin(&user);
	for (unsigned int i = 0; i < 2; i++)
		user_uses(&user, &a.fixture, &a.objects[i]);
	for (unsigned int i = 0; i < 4; i++)
		party_add(&c, size);
	tap_ok(party_in_vram(&a) == 12, "all of it stays (%u)", party_in_vram(&a));
	tap_ok(party_in_vram(&c) == 4, "another one gets 4");
	tap_ok(party_in_vram(&b) == 0, "from who has not held its own (%u)", party_in_vram(&b));
	user_end(&user);
	party_close(&c);
	party_close(&b);
	party_close(&a);
}

/* What is offered goes before what is above a budget. */
static void test_offered(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	struct party a, b, c;

	party_open(&a);
	party_open(&b);
	party_open(&c);
	for (unsigned int i = 0; i < 12; i++)
		party_add(&a, size);
	for (unsigned int i = 0; i < 4; i++)
		party_add(&b, size);
	tap_ret(quire_bo_madvise(b.fixture.fd, b.objects[3].handle, DRM_QUIRE_MADV_DONTNEED, NULL),
		0, "of two files, one offers what it has");
	party_add(&c, size);
	tap_ok(object_flags(&b.fixture, &b.objects[3]) & DRM_QUIRE_BO_PURGED, "that goes");
	tap_ok(party_in_vram(&a) == 12, "before what the other one has above its budget (%u)",
	       party_in_vram(&a));
	party_close(&c);
	party_close(&b);
	party_close(&a);
}

/* What is above the budget is not in the way: who keeps to his has to go all the same. */
static void test_elsewhere(const struct fixture *fixture)
{
	const uint64_t size = fixture_vram(fixture) / 16;
	struct party a, b, c;
	struct object *object;

	if (fixture_visible(fixture) > fixture_vram(fixture) / 4) {
		tap_skip("most of VRAM is visible", "room that is elsewhere");
		return;
	}
	party_open(&a);
	party_open(&b);
	party_open(&c);
	object = party_add(&b, fixture_visible(fixture));
	tap_ret(object_place_and_wait(&b.fixture, object, &places[3]), 0,
		"one has all that is visible");
	for (unsigned int i = 0; i < 10; i++)
		party_add(&a, size);
	object = party_add(&c, size);
	tap_ok(ask_vram(&a).to_trim && !ask_vram(&b).to_trim, "another one is above its budget");
	tap_ret(object_place_and_wait(&c.fixture, object, &places[3]), 0,
		"what has to be visible gets room");
	tap_ok(object_is_at(&c.fixture, object, &places[3]), "there");
	tap_ok(party_in_vram(&a) == 10, "who is above its budget was not in the way");
	party_close(&c);
	party_close(&b);
	party_close(&a);
}

/* All place and ask, at the same time. @ready: how many of them have their objects. */
static int contend(const struct fixture *outer, unsigned int seed, atomic_uint *ready)
{
	const uint64_t size = fixture_vram(outer) / 16;
	uint64_t random = seed;
	struct party party;
	int64_t end;

	party_open(&party);
	for (unsigned int i = 0; i < 12; i++)
		party_add(&party, size);
	atomic_fetch_add(ready, 1);
	while (atomic_load(ready) < CONTENDERS)
		test_sleep_ms(1);
	end = quire_now_ns() + 4000000000ll;
	while (quire_now_ns() < end) {
		struct object *object = &party.objects[random_below(&random, party.count)];
		struct drm_quire_budget_info info = ask_vram(&party);

		if (info.usage > 12 * size || info.resident > info.usage ||
		    info.budget > fixture_vram(outer))
			return 2;
		event_of(&party, 0);
		if (random_below(&random, 3) ?
		    object_place(&party.fixture, object, &places[2]) :
		    resident_make(party.fixture.fd, object, 1))
			return 3;
		if (!random_below(&random, 4) && resident_count(party.fixture.fd, object) < 0)
			return 4;
	}
	for (unsigned int i = 0; i < party.count; i++)
		if (object_check(&party.fixture, &party.objects[i]))
			return 5;
	party_leave(&party);
	return ask_vram(&party).usage ? 6 : 0;
}

static void test_contention(const struct fixture *fixture)
{
	atomic_uint *ready = mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pids[CONTENDERS];

	if (ready == MAP_FAILED)
		tap_bail("mmap");
	for (unsigned int i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = child_start(100);
		if (!pids[i])
			_exit(contend(fixture, i + 1, ready));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(pids); i++)
		tap_ret(child_status(pids[i]), 0, "process %u found all as it should be", i);
	munmap(ready, sizeof(*ready));
}

int main(void)
{
	struct fixture fixture;

	tap_start(150);
	fixture_open(&fixture);
	test_share(&fixture);
	test_trim_size(&fixture);
	test_shared();
	test_held_moves();
	test_aperture(&fixture);
	test_leaves();
	test_events(&fixture);
	test_late(&fixture);
	test_unread(&fixture);
	test_processes(&fixture);
	test_trimming(&fixture);
	test_held_above(&fixture);
	if (getuid() || !fixture.info.execution_rings)
		tap_skip("not root, or no commands", "a held object beside one at work");
	else
		test_held_beside_work(&fixture);
	test_offered(&fixture);
	test_elsewhere(&fixture);
	test_contention(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
