// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The example for newcomers, tools/examples/hello.c, does what it says. */
#include <stdio.h>

#include "fixture.h"
#include "run.h"

int main(void)
{
	unsigned int others = 0, segment = UINT32_MAX;
	struct fixture fixture;
	char text[256];

	tap_start(60);
	fixture_open(&fixture);
	tap_ok(!run_program("/examples/hello", text, sizeof(text)), "it finds its content whole");
	tap_ok(sscanf(text, "hello: %u others later it is in segment %u", &others, &segment) == 2,
	       "it says what happened");
	tap_ok(others == fixture_vram(&fixture) / QUIRE_MIB, "its object was evicted by others");
	tap_ok(segment == fixture.segments[DRM_QUIRE_SEGMENT_APERTURE].instance,
	       "to the aperture");
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
