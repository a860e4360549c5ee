// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "refuse.h"

/* Category "driver" of the DRM core. */
#define DRM_DEBUG		"/sys/module/drm/parameters/debug"
#define DRM_DEBUG_DRIVER	"2"

static int write_debug(const char *categories)
{
	int fd = open(DRM_DEBUG, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, categories, strlen(categories)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/**
 * refusals_open - let the driver say why it refuses something
 *
 * Returns: a descriptor from which what is logged from now on can be read; -1: that can not be.
 */
int refusals_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && (lseek(fd, 0, SEEK_END) || write_debug(DRM_DEBUG_DRIVER))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/**
 * refusals_close - it says no more
 * @log: from refusals_open(), or -1
 */
void refusals_close(int log)
{
	if (log < 0)
		return;
	close(log);
	write_debug("0");
}

/**
 * subject_make - make an object that has to stay as it is
 * @subject: to fill
 * @fixture: the device; nobody else uses it
 */
void subject_make(struct subject *subject, const struct fixture *fixture)
{
	struct drm_quire_segment_info expected[QUIRE_SEGMENTS];

	memset(subject, 0, sizeof(*subject));
	subject->fixture = fixture;
	subject->log = refusals_open();
	if (subject->log < 0)
		tap_skip("not root, or no log", "refusals say why");
	memcpy(expected, fixture->segments, sizeof(expected));
	expected[DRM_QUIRE_SEGMENT_VRAM].usage += QUIRE_MIB;
	tap_ret(object_create(fixture, &subject->object, QUIRE_MIB, 1), 0, "create");
	tap_ret(object_place_and_wait(fixture, &subject->object, &places[2]), 0, "place");
	tap_ok(fixture_settles(fixture, expected), "usage is that of the object");
}

void subject_close(struct subject *subject)
{
	const struct fixture *fixture = subject->fixture;

	tap_ret(object_check(fixture, &subject->object), 0, "the content is whole");
	object_close(fixture, &subject->object);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
	refusals_close(subject->log);
}

void subject_remember(struct subject *subject)
{
	quire_query_segments(subject->fixture->fd, subject->segments);
	quire_bo_info(subject->fixture->fd, subject->object.handle, &subject->info);
}

bool subject_is_unchanged(const struct subject *subject)
{
	struct drm_quire_bo_info info;

	return fixture_is_unchanged(subject->fixture, subject->segments) &&
	       !quire_bo_info(subject->fixture->fd, subject->object.handle, &info) &&
	       !memcmp(&info, &subject->info, sizeof(info));
}

/*
 * A line about the device that does not come from a function of the DRM core. The name of
 * the module is no sign: a driver that is built in has none.
 */
static bool is_of_driver(const char *record)
{
	return strstr(record, ";quire ") && !strstr(record, "[drm:drm_");
}

/* A number that goes on is another one. */
static bool is_said(const char *record, const char *what)
{
	const size_t length = strlen(what);

	for (; (record = strstr(record, what)); record++)
		if (!length || !isdigit(what[length - 1]) || !isdigit(record[length]))
			return true;
	return false;
}

/**
 * refusals_say - does the log say why something was refused?
 * @log: from refusals_open(); all that was logged is read then
 * @error: negative errno, which the driver has to name
 * @what: that it has to say in the same line
 *
 * Returns: true if so.
 */
bool refusals_say(int log, int error, const char *what)
{
	char record[2048], name[16];
	bool said = false;
	ssize_t length;

	snprintf(name, sizeof(name), ": %d\n", error);
	do {
		length = read(log, record, sizeof(record) - 1);
		record[length > 0 ? length : 0] = '\0';
		said |= is_of_driver(record) && is_said(record, what) && strstr(record, name);
	} while (length > 0 || (length < 0 && errno == EPIPE));
	return said;
}

/* The ioctl is refused before it comes to the driver, which says nothing then. */
void refused_by_core(struct subject *subject, unsigned long request, void *argument,
		     int expected, const char *name)
{
	int ret;

	subject_remember(subject);
	ret = quire_ioctl(subject->fixture->fd, request, argument);
	if (tap_ret(ret, expected, "%s", name) && !subject_is_unchanged(subject))
		tap_ok(false, "%s: something changed", name);
}

/**
 * refused_saying - an ioctl must fail, and the log must say something of it
 * @subject: what must not change
 * @request: number of the ioctl
 * @argument: its structure
 * @expected: negative errno; or 0: it must not fail, and change nothing
 * @what: that the log has to say, beside the errno
 * @name: of the check
 */
void refused_saying(struct subject *subject, unsigned long request, void *argument, int expected,
		    const char *what, const char *name)
{
	if (subject->log >= 0)
		refusals_say(subject->log, -EINVAL, ""); /* what was before */
	refused_by_core(subject, request, argument, expected, name);
	if (expected && subject->log >= 0 && !refusals_say(subject->log, expected, what))
		tap_ok(false, "%s: the log does not say why: %s", name, what);
}

/* As refused_saying(), whatever is said. */
void refused(struct subject *subject, unsigned long request, void *argument, int expected,
	     const char *name)
{
	refused_saying(subject, request, argument, expected, "", name);
}
