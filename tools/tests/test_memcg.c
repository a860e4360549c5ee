// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the kernel allocates for a program is charged to its memory cgroup: a limit of that ends a
 * program that creates without end, and nobody else.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "child.h"
#include "fixture.h"

#define GROUP		"/creator"
#define OBJECTS		4000u
#define OBJECT_BYTES	900u	/* less than struct quire_bo has */
#define SETTLE_MS	5000u

static void create_all(const struct fixture *fixture)
{
	struct object object;

	for (unsigned int i = 0; i < OBJECTS; i++)
		if (object_create(fixture, &object, QUIRE_PAGE, i))
			tap_bail("object %u", i);
}

/* Bytes of the kernel's slabs; what each processor has counted becomes a part of it later. */
static uint64_t charged(uint64_t least)
{
	uint64_t bytes = cgroup_read(GROUP, "memory.stat", "slab");

	for (unsigned int ms = 0; bytes < least && ms < SETTLE_MS; ms += 100) {
		test_sleep_ms(100);
		bytes = cgroup_read(GROUP, "memory.stat", "slab");
	}
	return bytes;
}

int main(void)
{
	struct fixture fixture;
	uint64_t before, after;

	tap_start(100);
	fixture_open(&fixture);
	if (getuid())
		tap_skip_all("not root");
	if (!cgroup_mount())
		tap_skip_all("the kernel has no cgroups");
	if (access(CGROUP_ROOT "/memory.stat", R_OK)) {
		cgroup_unmount();
		tap_skip_all("the kernel has no memory cgroup");
	}
	cgroup_write("", "cgroup.subtree_control", "+memory");
	if (mkdir(CGROUP_ROOT GROUP, 0755))
		tap_bail("mkdir: %m");
	cgroup_enter(GROUP);
	fixture_reopen(&fixture);
	before = charged(0);
	create_all(&fixture);
	after = charged(before + OBJECTS * OBJECT_BYTES);
	tap_ok(after - before >= OBJECTS * OBJECT_BYTES, "%u objects: %u bytes each", OBJECTS,
	       (unsigned int)((after - before) / OBJECTS));
	fixture_reopen(&fixture);
	cgroup_enter("");
	tap_ok(!rmdir(CGROUP_ROOT GROUP), "the cgroup can go");
	cgroup_unmount();
	close(fixture.fd);
	return tap_done();
}
