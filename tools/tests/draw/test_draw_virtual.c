// SPDX-License-Identifier: GPL-2.0 OR MIT
/* "quire draw" in both generations: with lists, and with virtual addresses, the same picture. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drawn.h"
#include "quire.h"
#include "run.h"
#include "work.h"

#define LISTED		"/tmp/listed.png"
#define VIRTUAL		"/tmp/virtual.png"
#define MOST		(4u << 20)	/* bytes of such a picture */
#define SMALL		"--virtual --textures 5 --size 4 --passes 16"
#define SMALL_PACKETS	100u		/* about so many paging packets are made for it */
#define STALLS		10u

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
		"--virtual --textures 1 --size 4", SMALL, "--virtual --textures 3 --size 16384",
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct drawn drawn = drawn_with(fixture, options[i], VIRTUAL);

		tap_ok(drawn_is_right(&drawn), "%s", options[i]);
	}
	unlink(VIRTUAL);
}

/* The paging ring stands still for a while, each time at another packet: commands wait for it. */
static void test_stalled(const struct fixture *fixture)
{
	unsigned int right = 0, stalled = 0;
	char command[16];

	for (unsigned int i = 0; i < STALLS; i++) {
		struct drawn drawn;

		snprintf(command, sizeof(command), "hang %u",
			 i * SMALL_PACKETS / STALLS + SMALL_PACKETS / STALLS / 2);
		fixture_inject(fixture, command);
		drawn = drawn_with(fixture, SMALL, VIRTUAL);
		right += drawn_is_right(&drawn);
		stalled += fixture_hangs(fixture, 20);
	}
	fixture_inject(fixture, "hang 0");
	tap_ok(stalled > STALLS / 2, "%u of %u times a packet comes late", stalled, STALLS);
	tap_ok(right == STALLS, "each picture is right");
	unlink(VIRTUAL);
}

/* Each texture is bound and drawn by itself.  What it prints goes nowhere. */
static pid_t start_draw(const struct fixture *fixture)
{
	const struct draw_options options = {
		.output = VIRTUAL, .textures = 4, .passes = 1,
		.texture_size = 16 * 1024 * drawn_texture_kib(fixture),
		.side = 64, .is_virtual = true,
	};
	pid_t pid = child_start(WAIT_MS / 1000);

	if (pid)
		return pid;
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	_exit(quire_draw(&options));
}

/* Its commands wait for the ring: nothing that they use is bound anew before. */
static void test_behind(void)
{
	struct quire_context *context;
	struct gate gate;
	struct work work;
	pid_t pid;

	test_parameter("hang_period", WORK_PATIENCE_MS);
	work_open(&work);
	context = work_context(&work);
	work_gate_open_apart(&work, &gate);
	work_wait_at(&work, &gate, 1);
	tap_ret(work_submit(&work, context, 0, NULL, NULL), 0, "the ring is taken");
	pid = start_draw(&work.fixture);
	tap_ok(child_gets_within(pid, "drm_syncobj_timeline_wait_ioctl", WAIT_MS),
	       "a picture is bound and submitted as far as may be");
	work_gate_raise(&gate, 1);
	tap_ret(child_status(pid), 0, "it is right");
	work_gate_close(&gate);
	quire_context_destroy(context);
	work_close(&work);
	test_parameter("hang_period", 3000);
	unlink(VIRTUAL);
}

static void test_errors(const struct fixture *fixture)
{
	struct drawn drawn = drawn_with(fixture, "--virtual=1", VIRTUAL);
	char text[512];

	tap_ok(drawn.status == 2 && strstr(drawn.text, "--virtual=1: takes no value"),
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
	if (*fixture.debugfs)
		test_stalled(&fixture);
	if (!getuid())
		test_behind();
	test_errors(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
