// SPDX-License-Identifier: GPL-2.0 OR MIT
/* "quire draw" in both generations: with lists, and with virtual addresses, the same picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drawn.h"
#include "run.h"

#define LISTED		"/tmp/listed.png"
#define VIRTUAL		"/tmp/virtual.png"
#define MOST		(4u << 20)	/* bytes of such a picture */

static size_t read_file(const char *path, char *bytes)
{
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(bytes, 1, MOST, file) : 0;

	if (file)
		fclose(file);
	return size;
}

static bool are_same(const char *a, const char *b)
{
	static char bytes[2][MOST];
	size_t size = read_file(a, bytes[0]);

	return size && size == read_file(b, bytes[1]) && !memcmp(bytes[0], bytes[1], size);
}

/**
 * struct moved - objects that were moved so far
 * @evicted: from VRAM, to make room
 * @beside: from system memory to the aperture, where there was none
 */
struct moved {
	uint64_t evicted;
	uint64_t beside;
};

static struct moved count_moved(const struct fixture *fixture)
{
	struct debugfs_counter system = { 0 }, aperture = { 0 }, beside = { 0 };

	debugfs_counter(fixture->debugfs, "vram->system", &system);
	debugfs_counter(fixture->debugfs, "vram->aperture", &aperture);
	debugfs_counter(fixture->debugfs, "system->aperture", &beside);
	return (struct moved){ system.evictions + aperture.evictions, beside.count };
}

/* They are twice the video memory: half of them leave for others, or do not come there. */
static void expect_moved(const struct fixture *fixture, const struct moved *before)
{
	struct moved now = count_moved(fixture);
	unsigned int evicted = now.evicted - before->evicted, beside = now.beside - before->beside;

	if (fixture->debugfs[0])
		tap_ok(evicted && evicted + beside >= DRAWN_TEXTURES / 2,
		       "%u have left for others, %u found no room", evicted, beside);
}

static void test_picture(const struct fixture *fixture, const char *options)
{
	struct drawn drawn = drawn_with(fixture, options, LISTED);
	struct moved before = count_moved(fixture);
	char text[64];

	tap_ok(drawn_is_right(&drawn), "with lists%s", options);
	snprintf(text, sizeof(text), "--virtual%s", options);
	drawn = drawn_with(fixture, text, VIRTUAL);
	tap_ok(drawn_is_right(&drawn), "with virtual addresses%s", options);
	tap_ok(are_same(LISTED, VIRTUAL), "the same picture, byte for byte%s", options);
	expect_moved(fixture, &before);
	unlink(LISTED);
	unlink(VIRTUAL);
}

/* Those that fit, and one that does not fit in a window beside another one. */
static void test_sizes(const struct fixture *fixture)
{
	static const char * const options[] = {
		"--virtual --textures 1 --size 4", "--virtual --textures 5 --size 4 --passes 16",
		"--virtual --textures 3 --size 16384",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct drawn drawn = drawn_with(fixture, options[i], VIRTUAL);

		tap_ok(drawn_is_right(&drawn), "%s", options[i]);
	}
	unlink(VIRTUAL);
}

static void test_errors(const struct fixture *fixture)
{
	struct drawn drawn = drawn_with(fixture, "--virtual=1", VIRTUAL);
	char text[512];

	tap_ok(drawn.status == 2 && strstr(drawn.text, "an option is unknown"),
	       "it takes no value");
	tap_ok(run_program("/quire/quire split --virtual " VIRTUAL, text, sizeof(text)) == 2,
	       "what has no lists is not split");
	tap_ok(access(VIRTUAL, F_OK), "no picture is left of those");
}

int main(void)
{
	struct fixture fixture;

	tap_start(280);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	test_picture(&fixture, "");
	test_picture(&fixture, " --passes 2");
	test_sizes(&fixture);
	test_errors(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
