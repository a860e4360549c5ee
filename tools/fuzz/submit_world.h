/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the parts of submit_fuzz share. */
#ifndef QUIRE_SUBMIT_WORLD_H
#define QUIRE_SUBMIT_WORLD_H

#include "../../drivers/gpu/drm/quire/paging/quire_paging_list.h"
#include "../../drivers/gpu/drm/quire/commands/tests/quire_split_fake.h"

#include "fuzz_choices.h"
#include "fuzz_ring.h"

#define OBJECTS		QUIRE_SCENE_OBJECTS
#define OBJECT_PAGES	64u /* of the largest object */
#define OBSTACLE_PAGES	8u /* that others have of VRAM, at most */
#define VRAM_PAGES	(OBJECTS * OBJECT_PAGES + OBSTACLE_PAGES)
#define APERTURE_PAGES	(OBJECTS * OBJECT_PAGES)
#define SYSTEM_PAGES	(OBJECTS * OBJECT_PAGES + 1)
#define SYSTEM_BASE	0x7000000000ull
#define CONTROL_BASE	0x10000ull

#define EXECUTION_RINGS	2u /* one of which is used */
#define BUFFER_SIZE	1024u
#define MAX_RECORDS	32u
#define PART_SIZE	(QUIRE_SCENE_WORDS * 8u)

/* Pages at CONTROL_BASE. */
struct control {
	struct fuzz_ring_memory paging;
	struct fuzz_ring_memory execution;
	uint8_t buffers[FUZZ_RING_ENTRIES][BUFFER_SIZE];
	uint8_t parts[FUZZ_RING_ENTRIES][PART_SIZE];
};

struct memory {
	uint8_t vram[VRAM_PAGES * FUZZ_PAGE];
	uint8_t system[SYSTEM_PAGES * FUZZ_PAGE];
};

/**
 * struct object - what is behind an object of the submission
 * @bytes: what it should have in it
 * @pages: of it
 * @first: page of system memory that its pages begin with
 * @chunk: so many of its pages are in order there; the chunks are in the other order
 * @paging: for the builder
 */
struct object {
	uint8_t *bytes;
	uint32_t pages;
	uint32_t first;
	uint32_t chunk;
	struct quire_paging_allocation paging;
};

/**
 * struct world - one fuzzed world
 * @choices: what the input says
 * @scene: the submission
 * @fake: the allocator
 * @host: of the engine
 * @paging: the paging ring
 * @execution: the ring that parts run on
 * @control: memory of rings, paging buffers and parts
 * @real: what the device has
 * @expected: what it should have, when all that was submitted is executed
 * @flat: of the bytes of objects
 * @aperture: what entries should be
 * @system_pages: of objects; behind them is the dummy page
 * @caps: for the builder
 * @list: of paging operations
 * @records: of its buffer
 * @open: a buffer is out
 * @objects: of the submission
 * @gone: objects that were evicted in a run
 * @hangs: a command waits for ever
 */
struct world {
	struct fuzz_choices choices;
	struct quire_scene scene;
	struct quire_split_fake fake;
	struct memory_host host;
	struct fuzz_ring paging;
	struct fuzz_ring execution;
	struct control *control;
	struct memory *real;
	struct memory *expected;
	uint8_t *flat;
	uint64_t aperture[APERTURE_PAGES];
	uint32_t system_pages;
	struct quire_paging_caps caps;
	struct quire_paging_list list;
	struct quire_paging_record records[MAX_RECORDS];
	bool open;
	struct object objects[OBJECTS];
	uint32_t gone;
	bool hangs;
};

/* What inputs should reach. */
enum reach {
	REACH_REFUSED, REACH_LARGE, REACH_TOGETHER, REACH_WHOLE, REACH_SPLIT, REACH_PIECES,
	REACH_REPACK, REACH_HANG, REACH_STOLEN, REACH_AGAIN, REACH_VRAM_IN, REACH_VRAM_OUT,
	REACH_APERTURE_IN, REACH_APERTURE_OUT, REACH_BUSY, REACH_COMMANDS,
	NR_REACH = REACH_COMMANDS + QUIRE_COMMAND_LAST - QUIRE_COMMAND_FIRST + 1,
};

void reached(enum reach what);
void reach_tell(void);

static inline uint32_t world_below(struct world *world, uint32_t limit)
{
	return world->choices.choices.below(&world->choices.choices, limit);
}

static inline uint64_t world_take(struct world *world, unsigned int size)
{
	return fuzz_take(&world->choices.input, size);
}

struct world *world_create(void);
void world_start(struct world *world);
void world_stop(struct world *world);

void memory_start(struct world *world);
uint32_t memory_page(const struct object *object, uint32_t page);
uint64_t memory_dummy_page(const struct world *world);
void memory_is_in_place(struct world *world, uint32_t index);
void memory_is_in_system(struct world *world, uint32_t index);
void memory_spoil_system(struct world *world, uint32_t index);
void memory_compare(struct world *world);

void list_start(struct world *world);
void list_add(struct world *world, struct quire_paging_args *args);
void list_finish(struct world *world);

void paging_start(struct world *world);
void paging_flush(struct world *world);
void paging_in(struct world *world, uint32_t index);
void paging_out(struct world *world, uint32_t index);

void values_choose(struct world *world);
void values_wait(struct world *world, struct quire_command_wait_value *command, uint64_t value);

int room_answer(const struct world *world, const u64 *capacity);
bool room_is_there(const struct world *world, uint32_t offset);

int part_submit(struct world *world, const struct quire_split_part *part);

uint32_t reference_run(struct world *world, uint32_t start, uint32_t end);
uint8_t *reference_field(const struct world *world, uint32_t at);
void reference_2d(const struct world *world, uint32_t at);

#endif
