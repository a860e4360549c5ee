/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What virtual addresses mean, for engine tests: the specification, byte by byte. Each byte is
 * looked up by itself, from the root, in a copy of all memory. Nothing here is remembered,
 * nor is anything known of slices, pieces or the write buffer.
 */
#ifndef QUIRE_TEST_MMU_MODEL_H
#define QUIRE_TEST_MMU_MODEL_H

#include "address-space.h"

/*
 * struct mmu_model - memory as it should be
 * @host: whose aperture has the pages
 * @vram: a copy of VRAM
 * @vram_size: bytes
 * @ram: a copy of RAM, %DATA_SIZE bytes
 * @bytes: for what is copied
 * @dry: accesses only find out how they end
 */
struct mmu_model {
	struct host *host;
	uint8_t *vram;
	uint64_t vram_size;
	uint8_t *ram;
	uint8_t *bytes;
	bool dry;
};

/*
 * struct outcome - how an access ends
 * @code: QUIRE_FAULT_*, 0 if it is done
 * @addr: what FAULT_ADDR says
 * @entry: the entry because of which
 * @access: what was tried, and its level from bit 8 on
 * @unclear: both sides fault at the same byte, or a page is wrong in more than one way: the
 *           specification does not say which is told
 */
struct outcome {
	uint32_t code;
	uint64_t addr;
	uint64_t entry;
	uint32_t access;
	bool unclear;
};

/*
 * struct rules - what TRANSFER_VIRTUAL demands of the pages of a side
 * @segments: a bit for each segment that it may be in
 * @page: bytes that each has at least
 */
struct rules {
	unsigned int segments;
	uint64_t page;
};

/*
 * struct found - where a virtual address leads
 * @byte: the byte; NULL in a page that is ZERO
 * @segment: of the page
 * @page: bytes of the page, or that an entry of the level has where there is none
 */
struct found {
	uint8_t *byte;
	unsigned int segment;
	uint64_t page;
};

void model_init(struct mmu_model *model, struct host *host);
void model_fini(struct mmu_model *model);
void model_take(struct mmu_model *model);
bool model_same(const struct mmu_model *model);
uint8_t *model_place(struct mmu_model *model, unsigned int segment, uint64_t address,
		     bool write);
void model_put(struct mmu_model *model, unsigned int segment, uint64_t address, uint64_t value,
	       unsigned int bytes);
bool model_find(struct mmu_model *model, uint64_t root, uint64_t va, unsigned int access,
		struct found *found, struct outcome *out);
void model_move(struct mmu_model *model, uint64_t root, const struct rules *src_rules,
		const struct rules *dst_rules, uint64_t src, uint64_t dst, uint64_t size,
		struct outcome *out);
void model_copy(struct mmu_model *model, uint64_t root, uint64_t src, uint64_t dst,
		uint64_t size, struct outcome *out);
void model_read(struct mmu_model *model, uint64_t root, uint64_t va, uint64_t size,
		uint8_t *to, struct outcome *out);
void model_write(struct mmu_model *model, uint64_t root, uint64_t va, uint64_t size,
		 const uint8_t *from, struct outcome *out);
void model_fill(struct mmu_model *model, uint64_t root, uint64_t dst, uint64_t size,
		uint32_t pattern, struct outcome *out);
bool model_latches(const struct outcome *out);
void model_latch(struct mmu_model *model, uint64_t context, const struct outcome *out);

#endif
