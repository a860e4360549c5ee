// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What virtual addresses mean, for engine tests: see mmu-model.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mmu-model.h"

#define APERTURE_SIZE(model)	((model)->host->memory.config.aperture_size)

void model_init(struct mmu_model *model, struct host *host)
{
	*model = (struct mmu_model){
		.host = host,
		.vram = malloc(host->memory.vram_size),
		.vram_size = host->memory.vram_size,
		.ram = malloc(DATA_SIZE),
		.bytes = malloc(DATA_SIZE),
	};
	if (!model->vram || !model->ram || !model->bytes)
		abort();
	model_take(model);
}

void model_fini(struct mmu_model *model)
{
	free(model->vram);
	free(model->ram);
	free(model->bytes);
}

/* All memory is as it should be. */
void model_take(struct mmu_model *model)
{
	memcpy(model->vram, model->host->memory.vram, model->vram_size);
	memcpy(model->ram, host_ram(model->host, RAM_BASE, DATA_SIZE), DATA_SIZE);
}

static void model_report(const char *where, const uint8_t *is, const uint8_t *wanted,
			 uint64_t size)
{
	uint64_t i;

	for (i = 0; i < size && is[i] == wanted[i]; i++)
		;
	printf("#   %s, byte 0x%llx: 0x%02x, expected 0x%02x\n", where, (unsigned long long)i,
	       is[i], wanted[i]);
}

/* What is posted has to be in memory. */
bool model_same(const struct mmu_model *model)
{
	const uint8_t *ram = host_ram(model->host, RAM_BASE, DATA_SIZE);
	const uint8_t *vram = model->host->memory.vram;
	bool good = true;

	if (memcmp(vram, model->vram, model->vram_size)) {
		model_report("VRAM", vram, model->vram, model->vram_size);
		good = false;
	}
	if (memcmp(ram, model->ram, DATA_SIZE)) {
		model_report("RAM", ram, model->ram, DATA_SIZE);
		good = false;
	}
	return good;
}

/* NULL where no memory is, or none that can be written. */
uint8_t *model_place(struct mmu_model *model, unsigned int segment, uint64_t address,
		     bool write)
{
	uint64_t entry;

	if (segment == 1)
		return address < model->vram_size ? model->vram + address : NULL;
	if (segment == 2) {
		entry = model->host->memory.engine.aperture[address / PAGE];
		address = (entry & PTE_ADDRESS) + address % PAGE;
	}
	if (address - RAM_BASE < DATA_SIZE)
		return model->ram + (address - RAM_BASE);
	if (address - ROM_BASE < ROM_SIZE && !write)
		return host_ram(model->host, address, 1);
	return NULL;
}

void model_put(struct mmu_model *model, unsigned int segment, uint64_t address, uint64_t value,
	       unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		*model_place(model, segment, address + i, true) = value >> 8 * i;
}

/* The entry that a table has, or false if the table is in no memory. */
static bool model_entry(struct mmu_model *model, unsigned int segment, uint64_t at,
			uint64_t *entry)
{
	const uint8_t *from = model_place(model, segment, at, false);
	unsigned int i;

	*entry = 0;
	if (!from)
		return false;
	for (i = 0; i < 8; i++)
		*entry |= (uint64_t)from[i] << 8 * i;
	return true;
}

static bool is_page(uint64_t entry, unsigned int level)
{
	return !level || (level == 1 && entry & PTE_LARGE);
}

/* Bytes of the page of an entry, or that an entry of this level stands for. */
static uint64_t page_size(uint64_t entry, unsigned int level)
{
	if (!(entry & PTE_VALID))
		return PAGE;
	if (!level)
		return entry & PTE_64K ? SIZE_64K : PAGE;
	return level < ROOT_LEVEL ? 1ull << (12 + 9 * level) : VA_END;
}

static bool directory_ok(const struct mmu_model *model, uint64_t entry)
{
	uint64_t segment = entry >> 5 & 31, address = entry & PTE_ADDRESS;

	if (entry & (PTE_ZERO | PTE_COHERENT | PTE_READ_ONLY | PTE_NO_EXECUTE | PTE_LARGE |
		     PTE_64K))
		return false;
	return !segment || (segment == 1 && address <= model->vram_size - PAGE);
}

static bool page_ok(const struct mmu_model *model, uint64_t entry, unsigned int level)
{
	uint64_t segment = entry >> 5 & 31, address = entry & PTE_ADDRESS;
	uint64_t size = page_size(entry, level), end = 0;

	if (entry & (level ? PTE_64K : PTE_LARGE))
		return false;
	if (entry & PTE_COHERENT && (segment || entry & PTE_ZERO))
		return false;
	if (entry & PTE_ZERO)
		return !segment && !address;
	if (segment > 2 || address % size)
		return false;
	if (segment)
		end = segment == 1 ? model->vram_size : APERTURE_SIZE(model);
	return !segment || (size <= end && address <= end - size);
}

static bool fails(struct outcome *out, uint32_t code, uint64_t addr)
{
	out->code = code;
	out->addr = addr;
	return false;
}

/* From the root to the entry of the page; false if there is none. */
static bool model_walk(struct mmu_model *model, uint64_t root, uint64_t va,
		       unsigned int access, struct outcome *out)
{
	unsigned int level = ROOT_LEVEL;
	uint64_t entry = root, at;
	bool there = true;

	for (;;) {
		*out = (struct outcome){ .entry = entry, .access = access | level << 8 };
		if (!there)
			return fails(out, QUIRE_FAULT_BAD_PTE, va);
		if (!(entry & PTE_VALID))
			return fails(out, QUIRE_FAULT_PAGE, va);
		if (is_page(entry, level))
			return page_ok(model, entry, level) ||
			       fails(out, QUIRE_FAULT_BAD_PTE, va);
		if (!directory_ok(model, entry))
			return fails(out, QUIRE_FAULT_BAD_PTE, va);
		level--;
		at = (entry & PTE_ADDRESS) + 8 * (va >> (12 + 9 * level) & 511);
		there = model_entry(model, entry >> 5 & 31, at, &entry);
	}
}

/* The byte at @va; @out says why not. */
bool model_find(struct mmu_model *model, uint64_t root, uint64_t va, unsigned int access,
		struct found *found, struct outcome *out)
{
	uint64_t address;
	bool walked = model_walk(model, root, va, access, out);

	*found = (struct found){
		.segment = out->entry >> 5 & 31,
		.page = page_size(out->entry, out->access >> 8),
	};
	if (!walked)
		return false;
	if ((access & ACCESS_WRITE && out->entry & PTE_READ_ONLY) ||
	    (access & ACCESS_EXECUTE && out->entry & PTE_NO_EXECUTE))
		return fails(out, QUIRE_FAULT_PROTECTION, va);
	if (out->entry & PTE_ZERO)
		return true;
	address = (out->entry & PTE_ADDRESS & ~(found->page - 1)) + va % found->page;
	if (found->segment == 2) {
		uint64_t entry = model->host->memory.engine.aperture[address / PAGE];

		if (!entry)
			return fails(out, QUIRE_FAULT_APERTURE, address & PTE_ADDRESS);
	}
	found->byte = model_place(model, found->segment, address, access & ACCESS_WRITE);
	if (!found->byte) {
		if (found->segment == 2)
			address = (model->host->memory.engine.aperture[address / PAGE] &
				   PTE_ADDRESS) + address % PAGE;
		return fails(out, QUIRE_FAULT_DMA, address);
	}
	return true;
}

/* One byte of a side of TRANSFER_VIRTUAL: also its page must be the right one. */
static bool model_side(struct mmu_model *model, uint64_t root, uint64_t va,
		       unsigned int access, const struct rules *rules, struct found *found,
		       struct outcome *out)
{
	bool there = model_find(model, root, va, access, found, out), elsewhere, small;

	if (!rules)
		return there;
	elsewhere = !(out->entry & PTE_ZERO) && !(rules->segments & 1u << found->segment);
	small = found->page < rules->page;
	if (!there) {
		/* There is a page, but more than one thing is wrong with it. */
		out->unclear = (out->code == QUIRE_FAULT_PROTECTION ||
				out->code == QUIRE_FAULT_APERTURE ||
				out->code == QUIRE_FAULT_DMA) && (elsewhere || small);
		return false;
	}
	out->unclear = elsewhere && small;
	if (elsewhere)
		return fails(out, QUIRE_FAULT_BAD_SEGMENT, va);
	return !small || fails(out, QUIRE_FAULT_BAD_RANGE, va);
}

/*
 * Where a fault at @va is told that was reached from behind: at the first byte of the access
 * in the page; memory that is none has its pages of 4 KiB. That of the aperture is the page's
 * in any case.
 */
static void tell_first(struct outcome *out, uint64_t va, uint64_t page, uint64_t first)
{
	uint64_t begin = va & ~((out->code == QUIRE_FAULT_DMA ? PAGE : page) - 1);

	if (out->code != QUIRE_FAULT_APERTURE)
		out->addr -= va - (begin < first ? first : begin);
}

/* As memmove does it, from the end if the destination overlaps the source from above. */
void model_move(struct mmu_model *model, uint64_t root, const struct rules *src_rules,
		const struct rules *dst_rules, uint64_t src, uint64_t dst, uint64_t size,
		struct outcome *out)
{
	bool backward = dst > src && dst - src < size;
	struct found from, to;
	struct outcome other;
	uint64_t n, i = 0;

	for (n = 0; n < size; n++) {
		bool read, written;

		i = backward ? size - 1 - n : n;
		read = model_side(model, root, src + i, ACCESS_READ, src_rules, &from, out);
		written = model_side(model, root, dst + i, ACCESS_WRITE, dst_rules, &to,
				     read ? out : &other);
		if (!read || !written) {
			if (read)
				tell_first(out, dst + i, to.page, dst);
			else
				tell_first(out, src + i, from.page, src);
			out->unclear |= !read && !written;
			break;
		}
		model->bytes[i] = from.byte ? *from.byte : 0;
	}
	while (n--) {
		model_find(model, root, dst + (backward ? size - 1 - n : n), ACCESS_WRITE, &to,
			   &other);
		if (to.byte && !model->dry)
			*to.byte = model->bytes[backward ? size - 1 - n : n];
	}
}

void model_copy(struct mmu_model *model, uint64_t root, uint64_t src, uint64_t dst,
		uint64_t size, struct outcome *out)
{
	model_move(model, root, NULL, NULL, src, dst, size, out);
}

void model_read(struct mmu_model *model, uint64_t root, uint64_t va, uint64_t size,
		uint8_t *to, struct outcome *out)
{
	struct found found;
	uint64_t i;

	for (i = 0; i < size; i++) {
		if (!model_find(model, root, va + i, ACCESS_READ, &found, out))
			return;
		to[i] = found.byte ? *found.byte : 0;
	}
}

void model_write(struct mmu_model *model, uint64_t root, uint64_t va, uint64_t size,
		 const uint8_t *from, struct outcome *out)
{
	struct found found;
	uint64_t i;

	for (i = 0; i < size; i++) {
		if (!model_find(model, root, va + i, ACCESS_WRITE, &found, out))
			return;
		if (found.byte && !model->dry)
			*found.byte = from[i];
	}
}

void model_fill(struct mmu_model *model, uint64_t root, uint64_t dst, uint64_t size,
		uint32_t pattern, struct outcome *out)
{
	uint64_t i;

	for (i = 0; i < size; i++)
		model->bytes[i] = pattern >> 8 * (i % 4);
	model_write(model, root, dst, size, model->bytes, out);
}

/* Is the fault one of the address space, of which its context is told? */
bool model_latches(const struct outcome *out)
{
	return out->code == QUIRE_FAULT_PAGE || out->code == QUIRE_FAULT_PROTECTION ||
	       out->code == QUIRE_FAULT_BAD_PTE;
}

void model_latch(struct mmu_model *model, uint64_t context, const struct outcome *out)
{
	uint64_t at = context & 0xffffffffffffff;
	unsigned int segment = context >> 56;

	if (!model_latches(out))
		return;
	model_put(model, segment, at + CONTEXT_STATUS, 1, 4);
	model_put(model, segment, at + CONTEXT_ADDRESS, out->addr, 8);
	model_put(model, segment, at + CONTEXT_ENTRY, out->entry, 8);
	model_put(model, segment, at + CONTEXT_CODE, out->code, 4);
	model_put(model, segment, at + CONTEXT_ACCESS, out->access, 4);
}
