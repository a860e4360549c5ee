// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of a ring that stops, with the driver: what was submitted is submitted again. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <quire/quire_hw.h>

#include "device_view.h"
#include "fixture.h"
#include "rules.h"
#include "syncs.h"

#define NEVER		"60000"
#define SOON		"1000"
#define USUAL		"3000"

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct step - a move of one page, which is one packet, and a notice
 * @opcode: of the first packet
 * @from: where the page is; NULL: it has no content yet
 * @to: where it goes
 */
struct step {
	uint32_t opcode;
	const struct place *from;
	const struct place *to;
};

/* Each by another operation than its neighbours. */
static const struct step steps[] = {
	{ QUIRE_OP_TRANSFER, &vram, &system_memory },
	{ QUIRE_OP_FILL, NULL, &vram },
	{ QUIRE_OP_MAP_APERTURE, &system_memory, &aperture },
	{ QUIRE_OP_UNMAP_APERTURE, &aperture, &system_memory },
	{ QUIRE_OP_FILL, NULL, &vram },
};

#define NR_STEPS	ARRAY_SIZE(steps)
#define NR_PACKETS	(2 * NR_STEPS)

/**
 * struct queued - the moves, once they are on their way
 * @objects: that move
 * @syncobjs: one for each
 * @files: the fences, as they were before the ring went on
 */
struct queued {
	struct object objects[NR_STEPS];
	uint32_t syncobjs[NR_STEPS];
	int files[NR_STEPS];
};

static int create_all(const struct fixture *fixture, struct queued *queued)
{
	int ret = 0;

	for (size_t i = 0; i < NR_STEPS; i++)
		queued->files[i] = -1;
	for (size_t i = 0; i < NR_STEPS && !ret; i++) {
		struct object *object = &queued->objects[i];

		*object = (struct object){ .size = QUIRE_PAGE, .key = i };
		queued->syncobjs[i] = sync_create(fixture);
		ret = quire_bo_create(fixture->fd, object->size, &object->handle);
		if (!ret && steps[i].from)
			ret = object_fill(fixture, object) ?:
			      object_place_and_wait(fixture, object, steps[i].from);
	}
	return ret;
}

static void close_all(const struct fixture *fixture, struct queued *queued)
{
	for (size_t i = 0; i < NR_STEPS; i++) {
		object_close(fixture, &queued->objects[i]);
		if (queued->files[i] >= 0)
			close(queued->files[i]);
	}
}

static int place_step(const struct fixture *fixture, struct queued *queued, size_t i)
{
	int ret = object_place_signal(fixture, &queued->objects[i], steps[i].to,
				      queued->syncobjs[i], 0);

	queued->files[i] = sync_export(fixture, queued->syncobjs[i]);
	return ret;
}

/* The ring stands at the first one; the others are behind it, the last came while it stood. */
static int queue_all(const struct fixture *fixture, struct queued *queued)
{
	int ret = sysfs_parameter_write("hang_period", NEVER) ?:
		  debugfs_write(fixture->debugfs, "inject", "hang 1");

	for (size_t i = 0; i < NR_STEPS - 1 && !ret; i++)
		ret = place_step(fixture, queued, i);
	if (!ret && !fixture_hangs(fixture, WAIT_MS))
		ret = -ETIME;
	return ret ?: place_step(fixture, queued, NR_STEPS - 1);
}

static int restart(const struct fixture *fixture)
{
	return sysfs_parameter_write("hang_period", SOON);
}

static int reset(const struct fixture *fixture)
{
	char address[64];

	return sysfs_pci_address(fixture->fd, address, sizeof(address)) ?: sysfs_reset(address);
}

/* None has signalled yet, or all have, in their order and without an error. */
static bool fences_are(const struct queued *queued, int status)
{
	struct fence_state state = { 0 };
	uint64_t before = 0;
	bool ok = true;

	for (size_t i = 0; i < NR_STEPS; i++) {
		ok = rule_ret(fence_query(queued->files[i], &state), "ask a fence") && ok;
		ok = rule_is(state.status == status, "what the fence says") && ok;
		ok = rule_is(state.timestamp >= before, "after the one before it") && ok;
		before = state.timestamp;
	}
	return ok;
}

static bool are_executed_in_order(const struct fixture *fixture)
{
	struct device_history history;
	bool ok;

	ok = rule_ret(device_history_read(fixture->debugfs, &history), "device_packets") &&
	     rule_is(history.count >= NR_PACKETS, "all are executed");
	for (size_t i = 0; i < NR_PACKETS && ok; i++) {
		uint32_t header = history.packets[history.count - NR_PACKETS + i].header;
		uint32_t opcode = i % 2 ? QUIRE_OP_NOTIFY_RESIDENCY : steps[i / 2].opcode;

		ok = rule_is((header & 0xffff) == opcode, "they are in their order");
	}
	return ok;
}

static bool are_whole(const struct fixture *fixture, const struct queued *queued)
{
	bool ok = true;

	for (size_t i = 0; i < NR_STEPS; i++) {
		const struct object *object = &queued->objects[i];

		ok = rule_is(object_is_at(fixture, object, steps[i].to), "it is there") && ok;
		ok = rule_ret(steps[i].from ? object_check(fixture, object) :
					      object_check_zero(fixture, object), "whole") && ok;
	}
	return ok;
}

static int wait_all(const struct fixture *fixture, const struct queued *queued)
{
	int ret = 0;

	for (size_t i = 0; i < NR_STEPS && !ret; i++)
		ret = quire_bo_wait(fixture->fd, queued->objects[i].handle, WAIT_MS);
	return ret;
}

/* What was submitted stays submitted, whatever makes the ring go on. */
static bool goes_on(const struct fixture *fixture, int (*revive)(const struct fixture *fixture))
{
	struct device_packets before = { 0 }, after = { 0 };
	struct queued queued = { 0 };
	bool ok;

	/* who died in VRAM before is discarded before, too */
	ok = rule_is(fixture_settles(fixture, fixture->segments), "nothing of others is left");
	fixture_flush_discards(fixture);
	ok = ok && rule_ret(create_all(fixture, &queued), "create");
	ok = ok && rule_ret(device_packets_read(fixture->debugfs, &before), "device_packets");
	ok = ok && rule_ret(queue_all(fixture, &queued), "a ring hangs");
	ok = ok && fences_are(&queued, 0);
	ok = ok && rule_ret(revive(fixture) ?: wait_all(fixture, &queued), "it goes on");
	ok = ok && rule_ret(device_packets_read(fixture->debugfs, &after), "device_packets");
	/* after a reset of the function the device counts anew */
	ok = ok && rule_is(revive == reset || after.packets == before.packets + NR_PACKETS, "once");
	ok = ok && are_executed_in_order(fixture);
	ok = ok && fences_are(&queued, 1) && are_whole(fixture, &queued);
	close_all(fixture, &queued);
	return rule_ret(debugfs_write(fixture->debugfs, "inject", "hang 0") ?:
			sysfs_parameter_write("hang_period", USUAL), "afterwards") && ok;
}

static bool same_after_restart(void *data) { return goes_on(data, restart); }

static bool same_after_reset(void *data) { return goes_on(data, reset); }

static const struct rule rules[] = {
	{ "restart-same-fences-and-order", same_after_restart },
	{ "reset-same-fences-and-order", same_after_reset },
};

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	rules_check(rules, ARRAY_SIZE(rules), &fixture);
	return tap_done();
}
