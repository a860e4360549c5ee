// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The dmem cgroup: VRAM is charged to who brings objects there, a limit evicts objects of its own
 * cgroup, and of no other.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "fixture.h"
#include "kprobe.h"

#define FIT	4u	/* MiB that the limit allows */
#define FEW	10u	/* tries to find room, where nothing changes */

static char region[64];	/* as the controller calls VRAM */

static uint64_t dmem_read(const char *group, const char *file)
{
	char name[32];

	snprintf(name, sizeof(name), "dmem.%s", file);
	return cgroup_read(group, name, region);
}

static void group_limit(const char *group, unsigned int mib)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %uM", region, mib);
	cgroup_write(group, "dmem.max", text);
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
	FILE *stream = fopen(CGROUP_ROOT "/dmem.capacity", "re");

	if (stream || mount("none", CGROUP_ROOT, "cgroup", 0, "dmem"))
		return stream;
	umount(CGROUP_ROOT);
	for (unsigned int ms = 0; ms < WAIT_MS && !stream; ms += 10) {
		test_sleep_ms(10);
		stream = fopen(CGROUP_ROOT "/dmem.capacity", "re");
	}
	return stream;
}

static void groups_make(const struct fixture *fixture)
{
	FILE *stream;

	if (!cgroup_mount())
		tap_skip_all("the kernel has no cgroups");
	stream = open_capacity();
	if (!stream) {
		cgroup_unmount();
		tap_skip_all("the kernel has no dmem cgroup");
	}
	while (fscanf(stream, "%63s %*s", region) == 1 && !strstr(region, "/vram"))
		;
	fclose(stream);
	cgroup_write("", "cgroup.subtree_control", "+dmem");
	if (mkdir(CGROUP_ROOT "/mine", 0755) || mkdir(CGROUP_ROOT "/others", 0755))
		tap_bail("mkdir: %m");
	tap_ok(dmem_read("", "capacity") == fixture_vram(fixture), "VRAM is the region '%s'",
	       region);
}

static void groups_end(void)
{
	cgroup_enter("");
	tap_ok(!rmdir(CGROUP_ROOT "/mine") && !rmdir(CGROUP_ROOT "/others"), "the cgroups can go");
	cgroup_unmount();
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
	unsigned int tries;
	bool traced;

	cgroup_enter("/mine");
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
	traced = kprobe_start("room", "ttm_bo_mem_space");
	tap_ret(object_place(fixture, &large, &places[2]), -ENOSPC, "more than the limit at once");
	if (traced) {
		tries = kprobe_count("room", gettid());
		tap_ok(tries && tries <= FEW, "refused at once, not after many tries (%u)", tries);
		kprobe_stop("room");
	} else {
		tap_skip("no kprobes", "refused at once");
	}
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
	cgroup_enter("/others");
	place_more(&fixture, others, FIT);
	test_limit(&fixture, others);
	close_all(&fixture, others, FIT);
	tap_ok(group_settles("/others", 0), "also to others");
	groups_end();
	return tap_done();
}
