// SPDX-License-Identifier: GPL-2.0 OR MIT
/* "quire draw": pictures of more textures than there is video memory for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "run.h"

#define TEXTURES	128
#define PICTURE		"/tmp/draw.png"

/* Textures are twice the video memory, or a little less. */
static uint64_t texture_kib(const struct fixture *fixture)
{
	uint64_t kib = 4;

	while (2 * kib * 1024 * TEXTURES <= 2 * fixture_vram(fixture))
		kib *= 2;
	return kib;
}

/**
 * struct drawn - what it says
 * @status: its exit status
 * @text: all of it
 * @parts: of the submission
 * @in: bytes that were paged in
 * @out: bytes that were paged out
 * @least: bytes that have to be paged in whatever is done
 */
struct drawn {
	int status;
	char text[1024];
	unsigned int parts;
	uint64_t in;
	uint64_t out;
	uint64_t least;
};

static void read_report(struct drawn *drawn)
{
	const char *first = strstr(drawn->text, " of VRAM in ");
	const char *second = strstr(drawn->text, "quire: paged in ");

	if (!first || sscanf(first, " of VRAM in %u parts", &drawn->parts) != 1)
		drawn->parts = 0;
	if (!second || sscanf(second, "quire: paged in %" SCNu64 " bytes, out %" SCNu64
			      "; in at least %" SCNu64, &drawn->in, &drawn->out,
			      &drawn->least) != 3)
		drawn->least = 0;
}

static struct drawn run_draw(const struct fixture *fixture, const char *options, const char *file)
{
	struct drawn drawn = { 0 };
	char command[256];

	snprintf(command, sizeof(command), "/quire/quire draw --textures %u --size %" PRIu64
		 " --side 512 %s %s", TEXTURES, texture_kib(fixture), options, file);
	drawn.status = run_program(command, drawn.text, sizeof(drawn.text));
	read_report(&drawn);
	return drawn;
}

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
	struct drawn drawn = run_draw(fixture, options, PICTURE);

	tap_ok(!drawn.status && strstr(drawn.text, "each byte as the CPU draws it"),
	       "it is as the CPU draws it%s", options);
	tap_ok(drawn.parts > 1, "in parts%s: %u", options, drawn.parts);
	tap_ok(drawn.least && drawn.in <= drawn.least + drawn.least / 10,
	       "hardly more is paged in than has to be%s: %.3f times", options,
	       (double)drawn.in / drawn.least);
	tap_ok(is_png(PICTURE), "it is written%s", options);
	unlink(PICTURE);
}

static void test_errors(const struct fixture *fixture)
{
	struct drawn drawn = run_draw(fixture, "--passes 1", "/nowhere/draw.png");

	tap_ok(drawn.status == 1 && strstr(drawn.text, "quire: /nowhere/draw.png: "),
	       "a file that can not be written");
	drawn = run_draw(fixture, "--side 33", PICTURE);
	tap_ok(drawn.status == 2 && strstr(drawn.text, "--side"), "a side that can not be");
	drawn = run_draw(fixture, "--size 65536 --textures 16384", PICTURE);
	tap_ok(drawn.status == 1 && strstr(drawn.text, "MiB"), "more than there is memory");
	drawn = run_draw(fixture, "--side 4096 --textures 1", PICTURE);
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
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
