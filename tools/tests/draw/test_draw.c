// SPDX-License-Identifier: GPL-2.0 OR MIT
/* "quire draw" and "quire split": pictures of more textures than there is video memory for. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "drawn.h"
#include "run.h"

#define PICTURE		"/tmp/draw.png"
#define PLAN		"/tmp/draw.svg"

static bool is_png(const char *path)
{
	FILE *file = fopen(path, "re");
	char start[8] = "";

	if (!file)
		return false;
	if (fread(start, 1, sizeof(start), file) != sizeof(start))
		start[0] = 0;
	fclose(file);
	return !memcmp(start, "\x89PNG\r\n\x1a\n", sizeof(start));
}

static void test_picture(const struct fixture *fixture, const char *options)
{
	struct drawn drawn = drawn_with(fixture, options, PICTURE);

	tap_ok(drawn_is_right(&drawn), "it is as the CPU draws it%s", options);
	tap_ok(drawn.parts > 1, "in parts%s: %u", options, drawn.parts);
	tap_ok(drawn.least && drawn.in <= drawn.least + drawn.least / 4,
	       "hardly more is paged in than has to be%s: %.3f times", options,
	       (double)drawn.in / drawn.least);
	tap_ok(is_png(PICTURE), "it is written%s", options);
	unlink(PICTURE);
}

static bool is_svg(const char *path)
{
	static const char end[] = "</svg>\n";
	char first[5] = "", last[sizeof(end)] = "";
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	if (!fgets(first, sizeof(first), file) || fseek(file, -(long)strlen(end), SEEK_END) ||
	    !fgets(last, sizeof(last), file))
		first[0] = '\0';
	fclose(file);
	return !strcmp(first, "<svg") && !strcmp(last, end);
}

static void test_plan(void)
{
	char text[512];

	tap_ok(!run_program("/quire/quire split --textures 64 " PLAN, text, sizeof(text)) &&
	       strstr(text, ": 27 parts, 136.0 MiB in (1.000 times what has to be), 104.0 MiB out"),
	       "a plan");
	tap_ok(is_svg(PLAN), "it is written");
	unlink(PLAN);
	tap_ok(run_program("/quire/quire split --vram 4 " PLAN, text, sizeof(text)) == 1 &&
	       strstr(text, "do not fit into video memory"), "layers that do not fit into that");
	tap_ok(access(PLAN, F_OK), "no plan is left of those");
}

static void test_errors(const struct fixture *fixture)
{
	struct drawn drawn = drawn_with(fixture, "--passes 1", "/nowhere/draw.png");

	tap_ok(drawn.status == 1 && strstr(drawn.text, "quire: /nowhere/draw.png: "),
	       "a file that can not be written");
	drawn = drawn_with(fixture, "--side 33", PICTURE);
	tap_ok(drawn.status == 2 && strstr(drawn.text, "--side"), "a side that can not be");
	drawn = drawn_with(fixture, "--size 65536 --textures 16384", PICTURE);
	tap_ok(drawn.status == 1 && strstr(drawn.text, "MiB"), "more than there is memory");
	drawn = drawn_with(fixture, "--side 4096 --textures 1", PICTURE);
	tap_ok(drawn.status == 1 && strstr(drawn.text, "does not fit"),
	       "layers that do not fit into video memory");
	tap_ok(access(PICTURE, F_OK), "no picture is left of those");
}

int main(void)
{
	struct fixture fixture;

	tap_start(280);
	fixture_open(&fixture);
	test_picture(&fixture, "");
	test_picture(&fixture, " --passes 2");
	test_errors(&fixture);
	test_plan();
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
