// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <unistd.h>

#include "kmsg.h"
#include "wedge.h"

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/**
 * wedge - the device hangs at a move, and at the first packet after its reset
 * @fixture: the device, which has hang_period of the caller; given up when this returns
 */
void wedge(const struct fixture *fixture)
{
	struct object object;
	int log = kmsg_open();

	test_parameter("hang_restarts", 0);
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 9), 0, "one that moves");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "it is in the aperture");
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &object, &vram), 0, "it moves");
	fixture_wait_hung(fixture);
	fixture_inject(fixture, "fault 1");
	tap_ok(kmsg_wait(log, "the device is wedged", WAIT_MS), "the device is given up");
	test_parameter("hang_restarts", 1);
	close(log);
}
