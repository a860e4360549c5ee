/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the parts of paging_fuzz share. */
#ifndef QUIRE_PAGING_WORLD_H
#define QUIRE_PAGING_WORLD_H

#include "../../drivers/gpu/drm/quire/paging/quire_paging_list.h"

#include "fuzz_ring.h"

#define VRAM_PAGES	24u
#define LIST_PAGES	20u /* system pages that page lists name */
#define APERTURE_PAGES	16u
#define WINDOW_PAGES	8u /* of them, that the CPU may see */
#define DUMMY_PAGE	(LIST_PAGES + APERTURE_PAGES)
#define SYSTEM_PAGES	(DUMMY_PAGE + 1)
#define SYSTEM_BASE	0x7000000000ull
#define CONTROL_BASE	0x10000ull

#define NR_RANGES	QUIRE_RANGE_MAX /* that special locks name; nobody looks through them */
#define SLOT_SIZE	1024u
#define MAX_RUNS	6u
#define MAX_NUMBERS	12u /* of an address list */
#define MAX_LISTS	4u
#define MAX_ROUNDS	4u
#define MAX_OPERATIONS	4u /* of a list */
#define MAX_RECORDS	32u
#define MAX_RANGES	6u /* of a copy of page-table entries */

/* Pages of the address space: of VRAM, of system memory and the aperture, and large ones. */
#define SPACE_BASE		0x123456600000ull
#define SPACE_SYSTEM		VRAM_PAGES
#define SPACE_APERTURE		(SPACE_SYSTEM + LIST_PAGES)
#define SPACE_LOCAL_64K		64u
#define SPACE_SYSTEM_64K	(SPACE_LOCAL_64K + QUIRE_PT_ENTRIES_64K)
#define SPACE_PAGES		(SPACE_SYSTEM_64K + QUIRE_PT_ENTRIES_64K)

/* Pages at CONTROL_BASE. */
struct control {
	struct fuzz_ring_memory ring;
	struct quire_context_area context;
	__le64 tables[QUIRE_PT_LEVELS][QUIRE_PT_ENTRIES]; /* by level */
	uint8_t slots[FUZZ_RING_ENTRIES][SLOT_SIZE];
};

struct memory {
	uint8_t vram[VRAM_PAGES * FUZZ_PAGE];
	uint8_t system[SYSTEM_PAGES * FUZZ_PAGE];
};

/*
 * One fuzzed world; @expected and @aperture are the model. @open: a buffer is out.
 * @space: of each page of the address space the segment, from bit 6 on, and its number there.
 * @cpu_table: a page table of the CPU, and what it should be.
 * @objects: what is moved, by chance. @image: what is converted. @empty: a submission of
 * no bytes may come. @submitted: bytes of the last submission. @fault: the error by which
 * the loop may end, as something was refused to it or the buffer is too small; else 0.
 */
struct world {
	struct memory_host host;
	struct control *control;
	struct memory *real;
	struct memory *expected;
	unsigned int aperture[APERTURE_PAGES]; /* page index in system */
	bool dummy[APERTURE_PAGES]; /* unmapped: a map may name the dummy page, too */
	bool coherent[APERTURE_PAGES];
	bool visible[APERTURE_PAGES];
	uint8_t space[SPACE_PAGES];
	__le64 cpu_table[QUIRE_PT_ENTRIES];
	uint8_t cpu_expected[FUZZ_PAGE];
	struct fuzz_ring ring;
	struct quire_paging_caps caps;
	struct quire_paging_list list;
	struct quire_paging_record records[MAX_RECORDS];
	struct quire_paging_allocation objects[2];
	struct quire_paging_allocation image;
	uint32_t list_start; /* submissions before the list */
	bool open;
	bool empty;
	uint32_t submitted;
	int fault;
	struct fuzz_input input;
};

/* What arguments point at. */
struct lists {
	struct quire_page_run runs[2][MAX_RUNS];
	u64 numbers[MAX_NUMBERS];
	struct quire_paging_pte entries[QUIRE_PT_ENTRIES];
	struct quire_paging_copy_range ranges[MAX_RANGES];
	u64 words[FUZZ_PAGE / 8];
};

/* Bytes of a paging buffer that nobody has written yet. */
#define GUARD		0x5au

static inline uint64_t get_le64(const void *from)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 8; i++)
		value |= (uint64_t)((const uint8_t *)from)[i] << 8 * i;

	return value;
}

void take_args(struct fuzz_input *input, const struct quire_paging_sequence *sequence,
	       struct quire_paging_args *args, struct quire_page_run runs[][MAX_RUNS],
	       u64 *numbers);
void take_virtual(struct world *world, struct quire_paging_args *args, struct lists *lists);
void space_start(struct world *world);
uint32_t space_page(uint64_t va);
uint32_t space_where(const struct world *world, uint32_t page, uint64_t *number);
void spoil_args(struct world *world, struct quire_paging_args *args, bool new_image);
void spoiled_tell(void);
bool good_pages(const struct quire_paging_caps *caps, uint32_t segment, __uint128_t first,
		__uint128_t count);
bool good_virtual_args(const struct quire_paging_caps *caps, const struct quire_paging_args *args);
bool good_args(const struct quire_paging_caps *caps, const struct quire_paging_args *args);
void take_image(struct fuzz_input *input, struct quire_paging_allocation *image);
void take_conversion(struct fuzz_input *input, const struct quire_paging_sequence *sequence,
		     const struct quire_paging_allocation *image,
		     struct quire_paging_args *args,
		     struct quire_page_run runs[][MAX_RUNS]);
uint64_t location_pages(const struct quire_paging_location *location);
uint8_t *model_page(struct world *world, uint32_t segment, uint64_t page);
bool model_virtual(struct world *world, const struct quire_paging_args *args);
bool model(struct world *world, const struct quire_paging_args *args);

/* The linker puts the second where the loop calls the builder, which is the first. */
enum quire_build_status __real_quire_build_paging_buffer(const struct quire_paging_caps *caps,
							 struct quire_paging_args *args);
enum quire_build_status __wrap_quire_build_paging_buffer(const struct quire_paging_caps *caps,
							 struct quire_paging_args *args);

#endif
