/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the parts of device_fuzz share. */
#ifndef QUIRE_DEVICE_GUEST_H
#define QUIRE_DEVICE_GUEST_H

#include "fuzz.h"

#define RAM_BASE	0x10000ull
#define RAM_SIZE	(128u * FUZZ_PAGE)
#define ROM_BASE	0x200000ull
#define ROM_SIZE	(4u * FUZZ_PAGE)
#define VRAM_SIZE	(16u * FUZZ_PAGE)
#define VRAM_LARGE	(5u << 20) /* has blocks that a discard gives back */
#define APERTURE_PAGES	24u /* more than the write buffer has */
#define APERTURE_SIZE	(APERTURE_PAGES * FUZZ_PAGE)
#define RANGES		2u
#define RANGE_SIZE	(16u * FUZZ_PAGE)
#define WINDOW_SIZE	(8u * FUZZ_PAGE)
#define MMU_SIZE	(16u * FUZZ_PAGE)
#define RINGS		3u /* the paging ring among them */

/* Where a well-behaved part of the guest keeps its rings. */
#define RING_MEMORY	(3u * FUZZ_PAGE)
#define ENTRIES(ring)	((ring) * RING_MEMORY)
#define FENCE(ring)	((ring) * RING_MEMORY + 2u * FUZZ_PAGE)
#define PACKETS		(RINGS * RING_MEMORY)

/**
 * struct guest - what is hostile
 * @host: of the engine
 * @input: what it does
 * @ram: RAM_SIZE bytes
 * @rom: ROM_SIZE bytes, which can only be read
 * @top: the last page of the address space
 * @vram: VRAM_SIZE bytes
 * @vram_large: VRAM_LARGE bytes
 * @order: of each ring
 * @wptr: of each ring
 * @ring: that the packets which are not submitted yet are for
 * @start: of them, in @ram
 * @end: of them
 * @in_context: their addresses are virtual
 */
struct guest {
	struct memory_host host;
	struct fuzz_input input;
	uint8_t *ram;
	uint8_t *rom;
	uint8_t *top;
	uint8_t *vram;
	uint8_t *vram_large;
	uint32_t order[RINGS];
	uint32_t wptr[RINGS];
	uint32_t ring;
	uint32_t start;
	uint32_t end;
	bool in_context;
};

/**
 * struct moment - what rings were at before a slice
 * @progress: of each ring
 * @rptr: of each ring
 * @fault: of each ring
 * @context: of the submission of each ring, if there is one at work
 * @active: is there?
 */
struct moment {
	uint64_t progress[RINGS];
	uint32_t rptr[RINGS];
	uint32_t fault[RINGS];
	uint64_t context[RINGS];
	bool active[RINGS];
};

void put(uint8_t *to, uint64_t value, unsigned int size);
uint64_t take_edge(struct fuzz_input *input);
uint64_t take_run(struct fuzz_input *input);

uint32_t make_image(struct guest *guest, uint8_t *packet, bool lock);

uint32_t make_notice(struct fuzz_input *input, uint8_t *packet);

uint32_t make_packet(struct guest *guest, uint8_t *packet, uint64_t addr);

uint32_t make_command(struct guest *guest, uint8_t *packet);

uint64_t take_va(struct fuzz_input *input, uint32_t align);
uint64_t take_context(struct fuzz_input *input);
uint64_t table_entry(bool vram, unsigned int level);
void make_spaces(struct guest *guest);
void change_space(struct guest *guest);
uint32_t make_virtual(struct guest *guest, uint8_t *packet);
void moment_take(const struct guest *guest, struct moment *moment);
void latches_tell(void);
void check_latches(struct guest *guest, const struct moment *before);

void add_packet(struct guest *guest);
void submit(struct guest *guest);
void map_all(struct guest *guest);
void start_ring(struct guest *guest, uint32_t ring);

void write_register(struct guest *guest);
void read_registers(struct guest *guest);
void start_range(struct guest *guest);
void access_window(struct guest *guest);
void access_aperture(struct guest *guest);
void write_memory(struct guest *guest);

void load_range(struct guest *guest);
void load_state(struct guest *guest);

#endif
