/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Execution rings for engine tests, and builders of commands, word by word as those of
 * packets in host.h.
 */
#ifndef QUIRE_TEST_RUNNER_H
#define QUIRE_TEST_RUNNER_H

#include "host.h"

#define RUNNER_ORDER	4u

/* Addresses of commands. */
#define IN_VRAM(offset)		(1ull << 56 | (offset))
#define IN_APERTURE(offset)	(2ull << 56 | (offset))

/*
 * struct runner - a driver of an execution ring
 * @host: the host
 * @ring: number of the ring, from 1 on
 * @wptr: entries written
 * @used: next free byte of the ring's buffer
 */
struct runner {
	struct host *host;
	unsigned int ring;
	uint32_t wptr;
	uint64_t used;
};

/*
 * struct area - a surface of a command
 * @address: where its image begins
 * @layout: 0 for a linear one
 * @pitch: of a linear one
 * @width: of level 0
 * @height: of level 0
 * @levels: of the image
 * @slices: of the image
 * @level: of the surface
 * @slice: of the surface
 */
struct area {
	uint64_t address;
	uint32_t layout;
	uint32_t pitch;
	uint32_t width;
	uint32_t height;
	uint16_t levels;
	uint16_t slices;
	uint16_t level;
	uint16_t slice;
};

/*
 * struct place - where a rectangle is, signed as in the packet
 * @src_x: in the source
 * @src_y: in the source
 * @dst_x: in the destination
 * @dst_y: in the destination
 * @columns: of it
 * @rows: of it
 */
struct place {
	int32_t src_x;
	int32_t src_y;
	int32_t dst_x;
	int32_t dst_y;
	uint32_t columns;
	uint32_t rows;
};

/* Some of each kind, of elements of four bytes, and a rectangle that is in all of them. */
#define AT_vram_area		IN_VRAM(PAGE)
#define AT_tiled_area		IN_VRAM(8 * PAGE)
extern const struct area vram_area;
extern const struct area tiled_area;
extern const struct area aperture_area;
extern const struct place place;

void runner_start(struct runner *r, struct host *host, unsigned int ring);
uint64_t runner_queue(struct runner *r, const struct packets *p, uint64_t fence);
uint64_t runner_submit(struct runner *r, const struct packets *p, uint64_t fence);
uint32_t runner_reg(const struct runner *r, uint32_t reg);
uint64_t runner_reg64(const struct runner *r, uint32_t reg);
void runner_set_reg(const struct runner *r, uint32_t reg, uint32_t value);
uint64_t runner_fence(const struct runner *r);
const struct quire_ring *runner_ring(const struct runner *r);

void command_nop(struct packets *p, uint32_t words);
void command_copy(struct packets *p, uint64_t src, uint64_t dst, uint64_t size);
void command_fill(struct packets *p, uint64_t dst, uint64_t size, uint32_t pattern);
void command_2d(struct packets *p, uint16_t opcode, const struct area *src,
		const struct area *dst, uint32_t shift, const struct place *place);
void command_src(struct packets *p, const struct area *src);
void command_dst(struct packets *p, const struct area *dst);
void command_arithmetic(struct packets *p, uint16_t flags, uint64_t src, uint64_t dst,
			uint64_t size);
void command_checksum(struct packets *p, uint64_t src, uint64_t result, uint64_t size);
void command_compare(struct packets *p, uint64_t src, uint64_t dst, uint64_t result,
		     uint64_t size);
void command_write_value(struct packets *p, uint64_t dst, uint64_t value);
void command_wait_value(struct packets *p, uint16_t flags, uint64_t src, uint64_t value);
void command_signal_native(struct packets *p, uint32_t fence, uint64_t value);
void command_delay(struct packets *p, uint64_t ns);
void command_set_register(struct packets *p, uint16_t flags, uint32_t number, uint64_t operand);
void command_store_register(struct packets *p, uint32_t number, uint64_t dst);
void command_load_register(struct packets *p, uint16_t flags, uint32_t number, uint64_t src);

#endif
