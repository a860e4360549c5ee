// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A fence that goes from syncobj to syncobj keeps the module as long as a syncobj has it. Up to
 * Linux 6.12.95 the DRM core loses a syncobj when it refuses flags: its fence keeps the module for
 * ever. developing-ttm.rst is about that.
 *
 * Usage: quire-test-transfer [COUNT]
 *   COUNT  of transfers with an unknown flag; without, none is tried: what it loses can only be
 *          had back by a reboot
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <xf86drm.h>

#include "fixture.h"
#include "syncs.h"

#define NR_TRANSFERS	9u
#define UNKNOWN_FLAG	0x80000000u
#define LOST_MS		5000	/* after that it is lost */
#define REFERENCES	"/sys/module/quire/refcnt"

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/* Of the module; -1: it can not be unloaded at all. */
static int references(void)
{
	FILE *file = fopen(REFERENCES, "re");
	int count = -1;

	if (file && fscanf(file, "%d", &count) != 1)
		count = -1;
	if (file)
		fclose(file);
	return count;
}

/* The fence of a move, from one syncobj to another, both of a file that is closed then. */
static int transfer(uint32_t flags)
{
	struct fixture fixture;
	struct object object;
	uint32_t from, to;
	int ret;

	fixture_reopen(&fixture);
	from = sync_create(&fixture);
	to = sync_create(&fixture);
	ret = object_create(&fixture, &object, QUIRE_PAGE, 1) ?:
	      object_place_signal(&fixture, &object, &vram, from, 0) ?:
	      sync_wait(&fixture, from, 0, WAIT_MS);
	if (ret)
		tap_bail("no fence");
	ret = drmSyncobjTransfer(fixture.fd, to, 0, from, 0, flags) ? -errno : 0;
	close(fixture.fd);
	return ret;
}

/* What a file leaves behind is freed in work queues. Returns how many there are then. */
static int references_come_down(int count, unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;

	while (references() > count && quire_now_ns() < end)
		test_sleep_ms(20);
	return references();
}

static void test_transfers(unsigned int count, uint32_t flags, int expected, const char *name)
{
	int before = references(), after;
	unsigned int good = 0;

	for (unsigned int i = 0; i < count; i++)
		good += transfer(flags) == expected;
	tap_ok(good == count, "%u of %u %s", good, count, name);
	after = references_come_down(before, expected ? LOST_MS : WAIT_MS);
	tap_diag("references of the module: %d, then %d", before, after);
	tap_ok(after <= before, "they keep no reference of the module");
}

int main(int argc, char **argv)
{
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	if (references() < 0)
		tap_skip_all("the driver is built in");
	test_transfers(NR_TRANSFERS, 0, 0, "fences are transferred");
	if (argc > 1)
		test_transfers(strtoul(argv[1], NULL, 0), UNKNOWN_FLAG, -EINVAL,
			       "unknown flags are refused");
	close(fixture.fd);
	return tap_done();
}
