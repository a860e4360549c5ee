// SPDX-License-Identifier: GPL-2.0 OR MIT
/* However the driver divides a submission, the picture is the same. */
#include <stdio.h>
#include <unistd.h>

#include "drawn.h"

#define PICTURE		"/tmp/split.png"
#define COMMANDS	(DRAWN_TEXTURES + 3)	/* two fills, and the layers in the end */
#define PIECES		8

static struct drawn draw_under(const struct fixture *fixture, const char *option,
			       unsigned int value)
{
	struct drawn drawn;

	test_option(option, value);
	drawn = drawn_with(fixture, "", PICTURE);
	tap_ok(drawn_is_right(&drawn), "it is as the CPU draws it with %s=%u: %u parts", option,
	       value, drawn.parts);
	unlink(PICTURE);
	test_option(option, 0);
	return drawn;
}

static void test_divided(const struct fixture *fixture)
{
	const uint64_t most = fixture_vram(fixture) / PIECES;
	struct drawn drawn = draw_under(fixture, "split_every_point", 1);

	tap_ok(drawn.parts == COMMANDS, "each command is a part");
	drawn = draw_under(fixture, "split_seed", 1);
	tap_ok(drawn.parts > COMMANDS / 8 && drawn.parts < COMMANDS, "some of them are");
	drawn = draw_under(fixture, "split_max_bytes", most);
	tap_ok(drawn.least && drawn.in - drawn.out <= most, "no more stays than may be there");
	tap_ok(drawn.in >= drawn.least, "and nothing comes by itself");
}

int main(void)
{
	struct fixture fixture;

	tap_start(280);
	fixture_open(&fixture);
	test_divided(&fixture);
	draw_under(&fixture, "split_seed", 12345);
	draw_under(&fixture, "split_lru", 1);
	draw_under(&fixture, "patch_commands_twice", 1);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
