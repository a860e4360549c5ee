// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The example for newcomers, tools/examples/hello.c, does what it says. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define EXAMPLE	"/examples/hello"

/* Returns its exit status, or -1; @text gets what it prints. */
static int run_example(char *text, size_t size)
{
	FILE *pipe = popen(EXAMPLE " 2>&1", "r");
	size_t got;
	int status;

	if (!pipe)
		return -1;
	got = fread(text, 1, size - 1, pipe);
	text[got] = '\0';
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	unsigned int others = 0, segment = UINT32_MAX;
	struct fixture fixture;
	char text[256];

	tap_start(60);
	fixture_open(&fixture);
	if (access(EXAMPLE, X_OK))
		tap_bail("there is no " EXAMPLE);
	tap_ok(!run_example(text, sizeof(text)), "it finds its content whole");
	tap_diag("%s", text);
	tap_ok(sscanf(text, "hello: %u others later it is in segment %u", &others, &segment) == 2,
	       "it says what happened");
	tap_ok(others == fixture_vram(&fixture) / QUIRE_MIB, "its object was evicted by others");
	tap_ok(segment == fixture.segments[DRM_QUIRE_SEGMENT_APERTURE].instance,
	       "to the aperture");
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
