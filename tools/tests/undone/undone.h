/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Ways to make calls, and to have them fail, each of which is gone many times: whatever a call
 * takes is given back. Nothing else may be at work.
 */
#ifndef QUIRE_TEST_UNDONE_H
#define QUIRE_TEST_UNDONE_H

#include "attempt.h"
#include "space.h"

#define UNDONE_SIZE	(4 * QUIRE_PAGE)
#define UNDONE_BASE	0x100000000ull	/* where rows bind */
#define UNDONE_PURGED	0x200000000ull	/* where the purged object is bound, of @lost_vm */

/**
 * struct stage - what rows make calls with
 * @scene: the device, and a submission of the object: see attempt_init()
 * @space: an address space, its commands a value that is written
 * @fd: of the device
 * @vm: number of the address space
 * @context: of it, for commands with virtual addresses
 * @plain: a context without one
 * @ended: context of it that has ended
 * @object: in all segments
 * @other: likewise
 * @purged: its content is gone
 * @lost: context of an address space where it is bound
 * @system: in system memory only
 * @secret: private to the address space
 * @fence: a monitored fence
 * @value: that it has
 * @native: a native fence
 * @done: syncobj whose fence has signalled, another one for each run
 * @empty: syncobj without a fence
 * @signal: syncobj that gets fences, another one for each run
 * @number: name that the last call has given; the same each time
 * @more: of a row
 */
struct stage {
	struct scene scene;
	struct space space;
	int fd;
	uint32_t vm;
	uint32_t context;
	uint32_t plain;
	uint32_t ended;
	uint32_t object;
	uint32_t other;
	uint32_t purged;
	uint32_t lost;
	uint32_t system;
	uint32_t secret;
	uint32_t fence;
	uint64_t value;
	uint32_t native;
	uint32_t done;
	uint32_t empty;
	uint32_t signal;
	uint32_t number;
	void *more;
};

/**
 * struct row - one way to make calls
 * @name: for messages
 * @run: makes them and undoes what they have done; returns what came of it
 * @expected: that is
 * @runs: how often; 0: UNDONE_RUNS
 * @calls: so many are made by each run; 0: 1
 * @warm_up: how often before that; 0: UNDONE_WARM_UP
 * @seconds: of virtual time, ends what hangs; 0: UNDONE_S
 * @prepare: done once before; may be NULL. What is to be done behind it leaves to atexit()
 * @works: done once behind, has to return 0: a charge, a lock or a place in a queue that is not
 *	given back keeps it from that; may be NULL
 * @unplugged: function of the driver where the call waits: the driver lets go of the device then.
 *	Each run has a stage of its own
 */
struct row {
	const char *name;
	int (*run)(struct stage *s);
	int expected;
	unsigned int runs;
	unsigned int calls;
	unsigned int warm_up;
	unsigned int seconds;
	void (*prepare)(struct stage *s);
	int (*works)(struct stage *s);
	const char *unplugged;
};

#define UNDONE_RUNS	1000
#define UNDONE_WARM_UP	50
#define UNDONE_S	60

#define ROW(ret, function, what, ...)	\
	{ .name = what, .run = function, .expected = ret, __VA_ARGS__ }

/* One ioctl with the fields that follow, all others 0, as what a row runs. */
#define UNDONE_IOCTL(function, ioctl, type, ...)			\
	static int function(struct stage *s)				\
	{								\
		struct type argument = { __VA_ARGS__ };			\
									\
		return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_##ioctl, &argument);	\
	}

void undone_begin(const char *only);
void undone_rows(const struct row *rows, unsigned int count);
void undone_wedged_rows(const struct row *rows, unsigned int count);
int undone_end(void);

int undone_object(struct stage *s, uint32_t *handle);
int undone_context(struct stage *s, uint32_t vm, uint32_t *context);
int undone_place(struct stage *s, uint32_t handle, uint32_t segment);
int undone_wait(struct stage *s, uint32_t syncobj);

#endif
