/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Ioctls that must be refused: with one errno, changing nothing, and saying why
 * in the kernel's log.
 */
#ifndef QUIRE_TEST_REFUSE_H
#define QUIRE_TEST_REFUSE_H

#include "fixture.h"

#define NO_HANDLE	0x7ffffff0u
#define BAD_POINTER	8

/**
 * struct subject - an object that must not notice anything
 * @fixture: the device
 * @object: the object, in VRAM
 * @segments: before the bad ioctl
 * @info: before the bad ioctl
 * @log: the kernel's log; -1 if it can not be read
 */
struct subject {
	const struct fixture *fixture;
	struct object object;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	struct drm_quire_bo_info info;
	int log;
};

int refusals_open(void);
void refusals_close(int log);
bool refusals_say(int log, int error, const char *what);

void subject_make(struct subject *subject, const struct fixture *fixture);
void subject_close(struct subject *subject);
void subject_remember(struct subject *subject);
bool subject_is_unchanged(const struct subject *subject);

void refused_saying(struct subject *subject, unsigned long request, void *argument, int expected,
		    const char *what, const char *name);
void refused(struct subject *subject, unsigned long request, void *argument, int expected,
	     const char *name);
void refused_by_core(struct subject *subject, unsigned long request, void *argument,
		     int expected, const char *name);

/* One ioctl with the fields that follow, all others 0. */
#define REFUSED(subject, request, type, expected, name, ...) \
	do {						\
		type argument = { __VA_ARGS__ };	\
							\
		refused(subject, request, &argument, expected, name);	\
	} while (0)

#endif
