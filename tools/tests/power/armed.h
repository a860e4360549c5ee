/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * All that the driver has to watch, tell and arm again after an event, and a look at each. What is
 * wrong with a look is said as a comment; whatever should not fail before the event ends the test.
 */
#ifndef QUIRE_TEST_ARMED_H
#define QUIRE_TEST_ARMED_H

#include <string.h>

#include "chain.h"
#include "device_view.h"
#include "native.h"
#include "space.h"

#define ARMED_RINGS	8u
#define ARMED_COUNTERS	7u
#define ARMED_SIZE	(64 * QUIRE_PAGE)
#define ARMED_KEY	100u	/* of content */
#define ARMED_PERIOD_MS	1500	/* for which a ring may stand still, where that is wanted */

/* What an event or a look needs. */
#define ARMED_COPIES	1u	/* the device makes moves */
#define ARMED_INJECTION	2u	/* it misbehaves on demand */
#define ARMED_WINDOW	4u	/* the CPU sees a part of the aperture */
#define ARMED_RANGES	8u	/* the CPU sees images in VRAM */
#define ARMED_VGEM	16u	/* another driver */
#define ARMED_ADDRESS	32u	/* a function of the PCI */
#define ARMED_SLEEP	64u	/* devices can be suspended */

/**
 * struct seen - an object that the CPU has mapped before the event, and commands use after it
 * @object: the object
 * @bytes: where it is mapped
 * @place: where it is
 */
struct seen {
	struct quire_object *object;
	void *bytes;
	const struct place *place;
};

/**
 * struct picture - an image that the CPU has mapped before the event
 * @object: handle and content
 * @bytes: where it is mapped
 */
struct picture {
	struct object object;
	void *bytes;
};

/**
 * struct armed - what there is before the event
 * @work: the device
 * @space: an address space
 * @context: of submissions
 * @address: of the device, for its driver; "" if it has none
 * @has: set of ARMED_*
 * @number: a new one for all that is written
 * @moves: an object that is moved
 * @result: commands write their results to it
 * @begun: of each ring: what ends, what hangs and what is behind it
 * @bad: contexts of what hangs
 * @charged: engine time before that, ns
 * @counters: of debugfs
 * @bound: objects that are bound, the second one private
 * @chains: a register of each ring
 * @monitored: a monitored fence
 * @native: a native fence
 * @waiters: for the next value of each
 * @known: what the device knows of @native
 * @mapped: objects in the aperture: cached, write-combined, and in its window
 * @window: in the window of the aperture, write-combined
 * @vram: in visible VRAM
 * @pictures: one with an alternate view, and one in tiles alone
 * @pieces: in pieces of VRAM, which an MMU shows
 * @shared: an object with a dma-buf
 * @dmabuf: it
 * @rich: another file, which has asked for its budget
 * @of_rich: an object that it has in VRAM
 * @held: an object that is held resident
 * @offered: objects that are offered, in VRAM and in system memory
 */
struct armed {
	struct work work;
	struct space space;
	struct quire_context *context;
	char address[64];
	unsigned int has;
	uint64_t number;
	struct object moves;
	struct quire_object *result;
	struct quire_fence *begun[ARMED_RINGS][3];
	struct quire_context *bad[ARMED_RINGS];
	uint64_t charged;
	uint64_t counters[ARMED_COUNTERS];
	struct quire_object *bound[2];
	struct chain chains[ARMED_RINGS];
	struct monitored monitored;
	struct native native;
	pid_t waiters[2];
	struct native_known known;
	struct object mapped[3];
	struct seen window;
	struct seen vram;
	struct picture pictures[2];
	struct quire_object *pieces;
	struct quire_object *shared;
	int dmabuf;
	struct fixture rich;
	struct object of_rich;
	struct object held;
	struct object offered[2];
};

/**
 * struct look - something that has to be as it was, or to work again
 * @name: for messages
 * @needs: set of ARMED_*
 * @before: makes what it takes, before the event; may be NULL
 * @after: is it so? Called in the order of the table, @before in the other one
 */
struct look {
	const char *name;
	unsigned int needs;
	void (*before)(struct armed *armed);
	bool (*after)(struct armed *armed);
};

#define ARMED_WORK_LOOKS	14u
#define ARMED_MEMORY_LOOKS	12u
#define ARMED_LOOKS		(ARMED_WORK_LOOKS + ARMED_MEMORY_LOOKS)
extern const struct look armed_work_looks[ARMED_WORK_LOOKS];
extern const struct look armed_memory_looks[ARMED_MEMORY_LOOKS];

void armed_open(struct armed *armed);
void armed_close(struct armed *armed);
const char *armed_lacks(const struct armed *armed, unsigned int needs);

const struct look *armed_look(unsigned int number);

void armed_patience(unsigned int milliseconds);
int armed_inject(const struct armed *armed, const char *what);
int armed_move(const struct armed *armed);
bool armed_moves_are_right(const struct armed *armed);
int armed_place(const struct armed *armed, const struct quire_object *object,
		const struct place *place);
void armed_queue(struct armed *armed, struct quire_context *context, uint32_t ring,
		 struct quire_fence *fence);
int armed_run(struct armed *armed, uint32_t ring);
bool armed_hang(struct armed *armed, uint32_t ring);
uint64_t armed_interrupts(const struct armed *armed);
bool armed_interrupted(const struct armed *armed, uint64_t before);

static inline uint32_t armed_rings(const struct armed *armed)
{
	return armed->work.fixture.info.execution_rings;
}

/* What is needed for a look, but is none. */
static inline void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: %s", what, strerror(-ret));
}

/* A part of a look. */
static inline bool holds(bool ok, const char *what)
{
	if (!ok)
		tap_diag("not so: %s", what);
	return ok;
}

static inline bool succeeds(int ret, const char *what)
{
	if (ret)
		tap_diag("%s: %s", what, strerror(-ret));
	return !ret;
}

#endif
