// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The device stops between what it writes to write-combined pages and the flush, with bytes that
 * are in no memory yet: whatever brings it back to work, they are not lost, for nobody writes
 * them again.
 */
#include <unistd.h>

#include "fixture.h"
#include "kmsg.h"

#define SIZE		(7 * QUIRE_PAGE)
#define PERIOD_MS	300
#define LONG_MS		60000
#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };

/**
 * struct stop - what comes of a move that stops at its flush
 * @name: for messages
 * @restarts: hang_restarts
 * @again: for "inject" once it has stopped, or NULL
 * @resets: the function is reset then, from outside
 * @said: what the log has at its end, or NULL if it @resets
 * @lost: the move is given up
 */
struct stop {
	const char *name;
	unsigned int restarts;
	const char *again;
	bool resets;
	const char *said;
	bool lost;
};

/* MAP, TRANSFER, READ; the aperture is restored by two packets, what is where by one. */
static const struct stop stops[] = {
	{ "a restart", 1, NULL, false, "restarting it", false },
	{ "a reset", 0, NULL, false, "resetting the device", false },
	{ "a reset of the function", 0, NULL, true, NULL, false },
	{ "a restart and a reset", 1, "hang 1", false, "resetting the device", false },
	{ "given up", 0, "fault 4", false, "is given up", true },
};

/* In VRAM, with content that its pages do not have. */
static int prepare(const struct fixture *fixture, struct object *object)
{
	int ret = debugfs_write(fixture->debugfs, "evict_all", "1") ?:
		  object_place_and_wait(fixture, object, &visible);

	object->key++;
	return ret ?: object_fill(fixture, object);
}

static void expect_lost(const struct fixture *fixture, const struct object *object)
{
	bool retained = true;

	tap_ok(object_flags(fixture, object) & DRM_QUIRE_BO_PURGED, "its content is lost");
	tap_ret(quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, &retained),
		0, "WILLNEED");
	tap_ok(!retained, "says so, too");
	tap_ret(object_check_zero(fixture, object), 0, "it reads as zero, and goes on to");
}

static void test_stop(const struct fixture *fixture, const char *address, struct object *object,
		      const struct stop *stop)
{
	int log;

	tap_ret(prepare(fixture, object), 0, "%s: content in VRAM", stop->name);
	test_sleep_ms(PERIOD_MS);
	test_parameter("hang_restarts", stop->restarts);
	/* the ring stands still until all that is to happen to it is known */
	test_parameter("hang_period", LONG_MS);
	log = kmsg_open();
	fixture_inject(fixture, "hang 3");
	tap_ret(object_place(fixture, object, &aperture), 0, "to the aperture");
	fixture_wait_hung(fixture);
	if (stop->again)
		fixture_inject(fixture, stop->again);
	if (stop->resets) {
		tap_ret(sysfs_reset(address), 0, "reset the function");
	} else {
		test_parameter("hang_period", PERIOD_MS);
		tap_ok(kmsg_wait(log, stop->said, WAIT_MS), "the log says: %s", stop->said);
		test_parameter("hang_period", LONG_MS);
	}
	tap_ret(quire_bo_wait(fixture->fd, object->handle, WAIT_MS), 0, "the move ends");
	if (stop->lost)
		expect_lost(fixture, object);
	else
		tap_ret(object_check(fixture, object), 0, "the content is whole");
	close(log);
}

/* With bytes that are in no memory; then nobody writes to the pages that it had. */
static void test_unbind(struct fixture *fixture)
{
	struct object object = { .size = SIZE, .key = 1 };

	test_parameter("hang_period", LONG_MS);
	tap_ret(quire_bo_create_caching(fixture->fd, SIZE, ANYWHERE,
					DRM_QUIRE_CACHING_WRITE_COMBINED, &object.handle), 0,
		"create");
	tap_ret(prepare(fixture, &object), 0, "unbind: content in VRAM");
	fixture_inject(fixture, "hang 3");
	tap_ret(object_place(fixture, &object, &aperture), 0, "to the aperture");
	fixture_wait_hung(fixture);
	fixture_rebind(fixture);
	test_parameter("hang_period", 3000);
	fixture_test_works(fixture);
}

int main(void)
{
	struct object object = { .size = SIZE };
	struct fixture fixture;
	char address[32];

	tap_start(120);
	fixture_open(&fixture);
	tap_ret(sysfs_pci_address(fixture.fd, address, sizeof(address)), 0, "find the device");
	tap_ret(quire_bo_create_caching(fixture.fd, SIZE, ANYWHERE,
					DRM_QUIRE_CACHING_WRITE_COMBINED, &object.handle), 0,
		"a write-combined object");
	for (size_t i = 0; i < ARRAY_SIZE(stops); i++)
		test_stop(&fixture, address, &object, &stops[i]);
	test_parameter("hang_restarts", 1);
	test_parameter("hang_period", 3000);
	object_close(&fixture, &object);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	test_unbind(&fixture);
	return tap_done();
}
