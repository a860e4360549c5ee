// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The dmem cgroup: VRAM is charged to who brings objects there, a limit evicts objects of its own
 * cgroup, and of no other.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

#define ROOT	"/tmp/cgroup"
#define FIT	4u	/* MiB that the limit allows */

static char region[64];	/* as the controller calls VRAM */

/* What the file of a cgroup says of the region; UINT64_MAX: nothing. */
static uint64_t dmem_read(const char *group, const char *file)
{
	uint64_t value = UINT64_MAX;
	char path[128], name[64], text[32];
	FILE *stream;

	snprintf(path, sizeof(path), ROOT "%s/dmem.%s", group, file);
	stream = fopen(path, "re");
	while (stream && fscanf(stream, "%63s %31s", name, text) == 2)
		if (!strcmp(name, region))
			value = strtoull(text, NULL, 10);
	if (stream)
		fclose(stream);
	return value;
}

static void group_write(const char *group, const char *file, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), ROOT "%s/%s", group, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		tap_bail("'%s' to %s: %m", text, path);
	close(fd);
}

/* This process is charged from now on. */
static void group_enter(const char *group)
{
	group_write(group, "cgroup.procs", "0");
}

static void group_limit(const char *group, unsigned int mib)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %uM", region, mib);
	group_write(group, "dmem.max", text);
}

/* What dies may leave a moment later. */
static bool group_settles(const char *group, uint64_t bytes)
{
	for (unsigned int ms = 0; ms < WAIT_MS; ms += 10) {
		if (dmem_read(group, "current") == bytes)
			return true;
		test_sleep_ms(10);
	}
	return false;
}

/*
 * A kernel that has no controller after this one makes the files of the root while it boots, and
 * does not show them: css_populate_dir() activates none. They are when it is bound anew, which is
 * some time after it was mounted elsewhere.
 */
static FILE *open_capacity(void)
{
	FILE *stream = fopen(ROOT "/dmem.capacity", "re");

	if (stream || mount("none", ROOT, "cgroup", 0, "dmem"))
		return stream;
	umount(ROOT);
	for (unsigned int ms = 0; ms < WAIT_MS && !stream; ms += 10) {
		test_sleep_ms(10);
		stream = fopen(ROOT "/dmem.capacity", "re");
	}
	return stream;
}

static void groups_make(const struct fixture *fixture)
{
	FILE *stream;

	if (mkdir(ROOT, 0755) && errno != EEXIST)
		tap_bail("mkdir: %m");
	if (mount("none", ROOT, "cgroup2", 0, NULL))
		tap_skip_all("the kernel has no cgroups");
	stream = open_capacity();
	if (!stream) {
		umount(ROOT);
		tap_skip_all("the kernel has no dmem cgroup");
	}
	while (fscanf(stream, "%63s %*s", region) == 1 && !strstr(region, "/vram"))
		;
	fclose(stream);
	group_write("", "cgroup.subtree_control", "+dmem");
	if (mkdir(ROOT "/mine", 0755) || mkdir(ROOT "/others", 0755))
		tap_bail("mkdir: %m");
	tap_ok(dmem_read("", "capacity") == fixture_vram(fixture), "VRAM is the region '%s'",
	       region);
}

static void groups_end(void)
{
	group_enter("");
	tap_ok(!rmdir(ROOT "/mine") && !rmdir(ROOT "/others"), "the cgroups can go");
	umount(ROOT);
}

static void place_more(const struct fixture *fixture, struct object *objects, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (object_create(fixture, &objects[i], QUIRE_MIB, i + 1) ||
		    object_fill(fixture, &objects[i]) ||
		    object_place_and_wait(fixture, &objects[i], &places[2]))
			tap_bail("object %u in VRAM: %m", i);
}

static void place_again(const struct fixture *fixture, const struct object *objects,
			unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (object_place_and_wait(fixture, &objects[i], &places[2]))
			tap_bail("object %u in VRAM again: %m", i);
}

static unsigned int in_vram(const struct fixture *fixture, const struct object *objects,
			    unsigned int count)
{
	unsigned int in = 0;

	for (unsigned int i = 0; i < count; i++)
		in += object_segment(fixture, &objects[i]) == DRM_QUIRE_SEGMENT_VRAM;
	return in;
}

static bool are_good(const struct fixture *fixture, const struct object *objects,
		     unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (object_check(fixture, &objects[i]))
			return false;
	return true;
}

static void close_all(const struct fixture *fixture, struct object *objects, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		object_close(fixture, &objects[i]);
}

static void test_limit(const struct fixture *fixture, const struct object *others)
{
	struct object mine[2 * FIT], large;

	group_enter("/mine");
	group_limit("/mine", FIT);
	place_more(fixture, mine, FIT);
	tap_ok(dmem_read("/mine", "current") == FIT * QUIRE_MIB, "what is placed is charged");
	place_more(fixture, &mine[FIT], FIT);
	tap_ok(dmem_read("/mine", "current") == FIT * QUIRE_MIB, "no more than the limit");
	tap_ok(in_vram(fixture, mine, 2 * FIT) == FIT, "as many are in VRAM");
	tap_ok(in_vram(fixture, others, FIT) == FIT &&
	       dmem_read("/others", "current") == FIT * QUIRE_MIB, "others have lost nothing");

	if (object_create(fixture, &large, (FIT + 1) * QUIRE_MIB, 99))
		tap_bail("a large object");
	tap_ret(object_place(fixture, &large, &places[2]), -ENOSPC, "more than the limit at once");
	tap_ok(in_vram(fixture, others, FIT) == FIT, "others do not make room for it");
	object_close(fixture, &large);

	place_again(fixture, mine, FIT);
	tap_ok(dmem_read("/mine", "current") == FIT * QUIRE_MIB, "what left can come back");
	group_limit("/mine", 1);
	tap_ok(dmem_read("/mine", "current") <= QUIRE_MIB, "a lower limit evicts");
	tap_ok(in_vram(fixture, mine, 2 * FIT) <= 1 && in_vram(fixture, others, FIT) == FIT,
	       "also its own alone");
	tap_ok(are_good(fixture, mine, 2 * FIT), "nothing is lost");
	close_all(fixture, mine, 2 * FIT);
	tap_ok(group_settles("/mine", 0), "in the end nothing is charged");
}

int main(void)
{
	struct fixture fixture;
	struct object others[FIT];

	tap_start(120);
	fixture_open(&fixture);
	groups_make(&fixture);
	group_enter("/others");
	place_more(&fixture, others, FIT);
	test_limit(&fixture, others);
	close_all(&fixture, others, FIT);
	tap_ok(group_settles("/others", 0), "also to others");
	groups_end();
	return tap_done();
}
