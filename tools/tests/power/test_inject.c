// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The device misbehaves once, in one way or another, and nothing is lost. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "kmsg.h"

#define NR_OBJECTS	6

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static int create_all(const struct fixture *fixture, struct object *objects)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_create(fixture, &objects[i], 300 * QUIRE_PAGE, i + 1);
	return ret;
}

/* All of them to @place, waited for only when all are queued. */
static int place_all(const struct fixture *fixture, const struct object *objects,
		     const struct place *place)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_place(fixture, &objects[i], place);
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = quire_bo_wait(fixture->fd, objects[i].handle, WAIT_MS);
	return ret;
}

static int check_all(const struct fixture *fixture, const struct object *objects)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	return ret;
}

/* What was asked for and did not happen must not hit the next test. */
static void clear(const struct fixture *fixture)
{
	debugfs_write(fixture->debugfs, "inject", "hang 0");
	debugfs_write(fixture->debugfs, "inject", "fault 0");
	debugfs_write(fixture->debugfs, "inject", "drop-irq 0");
}

/* What is left of what was asked for, as the device counts it. */
static unsigned int left_of(const struct fixture *fixture, const char *kind)
{
	unsigned int left = 0;
	char text[64] = "";
	const char *at;

	debugfs_read(fixture->debugfs, "inject", text, sizeof(text));
	at = strstr(text, kind);
	if (!at || sscanf(at + strlen(kind), "%u", &left) != 1)
		tap_bail("nothing of %s in \"%s\"", kind, text);
	return left;
}

/* A device that did nothing has all of it left. */
static void expect_happened(const struct fixture *fixture, const char *command)
{
	unsigned int asked = 0, left;
	char kind[16] = "";

	if (sscanf(command, "%15s %u", kind, &asked) != 2)
		tap_bail("no command: %s", command);
	left = left_of(fixture, kind);
	if (!strcmp(kind, "drop-irq"))
		tap_ok(left < asked, "%u of %u messages were dropped", asked - left, asked);
	else
		tap_ok(!left, "the device did \"%s\"", command);
}

/**
 * struct fault - what the device is told to do
 * @command: for "inject"
 * @in: before the objects move to VRAM
 * @back: before they move back
 * @said: what the log has for it then; NULL: the ring is not restarted
 */
struct fault {
	const char *command;
	bool in;
	bool back;
	const char *said;
};

/* Objects go there and back, and the device misbehaves on the way. */
static void test_fault(const struct fixture *fixture, const struct object *objects,
		       const struct fault *fault)
{
	int64_t start = quire_now_ns();
	int log = kmsg_open();

	if (fault->in)
		fixture_inject(fixture, fault->command);
	tap_ret(place_all(fixture, objects, &vram), 0, "moves to VRAM finish");
	if (fault->in)
		expect_happened(fixture, fault->command);
	if (fault->back)
		fixture_inject(fixture, fault->command);
	tap_ret(place_all(fixture, objects, &system_memory), 0, "moves back finish");
	if (fault->back)
		expect_happened(fixture, fault->command);
	clear(fixture);
	tap_ret(check_all(fixture, objects), 0, "the content of all is whole");
	if (fault->said)
		tap_ret(kmsg_count(log, fault->said), fault->in + fault->back,
			"the log says \"%s\" each time", fault->said);
	else
		tap_ret(kmsg_count(log, "is stuck"), 0, "the ring was not restarted");
	close(log);
	tap_diag("%s: %lld ms", fault->command, (long long)(quire_now_ns() - start) / 1000000);
}

/* No interrupt comes for any of the moves, nor later. */
static void test_no_interrupt(const struct fixture *fixture, const struct object *object)
{
	int64_t start = quire_now_ns();
	int log = kmsg_open();

	fixture_inject(fixture, "drop-irq 1000000");
	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "a move finishes without");
	expect_happened(fixture, "drop-irq 1000000");
	tap_ok(left_of(fixture, "drop-irq") > 0, "it was asked for more than that");
	clear(fixture);
	tap_ret(object_check(fixture, object), 0, "the content is whole");
	tap_ret(kmsg_count(log, "is stuck"), 0, "the ring was not restarted");
	close(log);
	tap_diag("no interrupt: %lld ms", (long long)(quire_now_ns() - start) / 1000000);
}

static void test_bad_command(const struct fixture *fixture, const char *command)
{
	tap_ret(debugfs_write(fixture->debugfs, "inject", command), -EINVAL,
		"inject does not take \"%s\"", command);
}

/* Each line ends with a number. */
static unsigned int lines_without_zero(const char *text)
{
	unsigned int count = 0;

	for (; *text; text = strchr(text, '\n') + 1)
		count += strncmp(strchr(text, '\n') - 2, " 0", 2) != 0;
	return count;
}

/* What was asked for of one driver is no wish of the next, which uses the device at once. */
static void test_rebind(struct fixture *fixture)
{
	uint32_t last = fixture->info.execution_rings - 1;
	char text[1024] = "", command[32];

	fixture_inject(fixture, "hang 1");
	fixture_inject(fixture, "fault 1000");
	fixture_inject(fixture, "drop-irq 1000");
	if (fixture->info.execution_rings) {
		snprintf(command, sizeof(command), "ring %u hang 1000", last);
		fixture_inject(fixture, command);
		snprintf(command, sizeof(command), "ring %u fault 1000", last);
		fixture_inject(fixture, command);
	}
	fixture_rebind(fixture);
	debugfs_read(fixture->debugfs, "inject", text, sizeof(text));
	tap_ok(!strncmp(text, "hang 0\nfault 0\ndrop-irq 0\n", 26), "those of the paging ring");
	tap_ret(lines_without_zero(text), 0, "nothing is left to be injected");
}

int main(void)
{
	static const struct fault faults[] = {
		{ "hang 1", true, false, "is stuck" },
		{ "hang 4", false, true, "is stuck" },
		{ "fault 1", true, true, "fault: code" },
		{ "fault 3", true, true, "fault: code" },
		{ "drop-irq 1", true, true, NULL },
		{ "drop-irq 5", true, true, NULL },
	};
	struct object objects[NR_OBJECTS];
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	tap_ret(create_all(&fixture, objects), 0, "create");
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		test_fault(&fixture, objects, &faults[i]);
	test_no_interrupt(&fixture, &objects[0]);
	test_bad_command(&fixture, "nonsense 1");
	test_bad_command(&fixture, "hang");
	test_bad_command(&fixture, "hang x");
	test_bad_command(&fixture, "ring 7 hang 1");
	test_bad_command(&fixture, "ring 0 drop-irq 1");
	test_bad_command(&fixture, "ring hang 1");
	clear(&fixture);
	fixture_test_works(&fixture);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		object_close(&fixture, &objects[i]);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	test_rebind(&fixture);
	fixture_test_works(&fixture);
	return tap_done();
}
