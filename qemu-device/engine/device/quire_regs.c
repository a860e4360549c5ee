// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the register file.
 *
 * Three tables describe every register: one for the device, one for each ring, one for
 * each range.
 * A register is a field of a structure with a mask of the bits that can be
 * written, and perhaps a function that acts on the write. A 64-bit register is
 * one line; its halves are reached by 4-byte accesses, the whole by 8 bytes.
 *
 * An access that names no register, or the wrong size, reads zero, changes
 * nothing and is reported as a guest error.
 */
#include "../core/quire_numbers.h"
#include "../execution/quire_opcode.h"
#include "../execution/quire_residency.h"
#include "../sync/quire_interrupt.h"
#include "../sync/quire_native.h"
#include "quire_engine.h"
#include "quire_history.h"
#include "quire_range.h"
#include "quire_regs.h"
#include "quire_ring.h"

/**
 * enum quire_reg_type - what a write does
 * @QUIRE_REG_RO: nothing
 * @QUIRE_REG_RW: stores the bits of the mask
 * @QUIRE_REG_W1C: clears the bits of the mask that are written as one
 * @QUIRE_REG_LOCKED: as RW, but nothing while the ring is enabled
 * @QUIRE_REG_INJECT: as RW, but nothing unless the device has fault injection
 * @QUIRE_REG_FIXED: as RW, but nothing while the range is enabled
 */
enum quire_reg_type {
	QUIRE_REG_RO,
	QUIRE_REG_RW,
	QUIRE_REG_W1C,
	QUIRE_REG_LOCKED,
	QUIRE_REG_INJECT,
	QUIRE_REG_FIXED,
};

/**
 * struct quire_reg - one register
 * @offset: of its first byte, in its block
 * @size: 4 or 8 bytes
 * @opcodes: there is one for each opcode, below this; 0: only one
 * @type: enum quire_reg_type
 * @field: offset of the field in the structure; unused with @get or @constant
 * @mask: bits that can be written
 * @constant: value, if @is_constant
 * @is_constant: reads @constant
 * @get: computes the value, or NULL
 * @set: called after a write with the old value and what was written, or NULL
 * @set_range: called after a write to a range with the old value, or NULL
 */
struct quire_reg {
	uint32_t offset;
	uint32_t size;
	uint32_t opcodes;
	enum quire_reg_type type;
	size_t field;
	uint64_t mask;
	uint32_t constant;
	bool is_constant;
	uint64_t (*get)(const struct quire_engine *engine, const struct quire_ring *ring);
	void (*set)(struct quire_engine *engine, struct quire_ring *ring, uint32_t old,
		    uint32_t written);
	void (*set_range)(struct quire_engine *engine, struct quire_range *range, uint32_t old);
};

static uint64_t quire_get_aperture_entry(const struct quire_engine *engine,
					 const struct quire_ring *ring)
{
	(void)ring;
	return engine->aperture_index < engine->aperture_top ?
	       engine->aperture[engine->aperture_index] : 0;
}

static uint64_t quire_get_range_oldest(const struct quire_engine *engine,
				       const struct quire_ring *ring)
{
	(void)ring;
	return quire_range_oldest(engine);
}

static uint64_t quire_get_status(const struct quire_engine *engine,
				 const struct quire_ring *ring)
{
	(void)engine;
	return quire_ring_status(ring);
}

static uint64_t quire_get_packets(const struct quire_engine *engine,
				  const struct quire_ring *ring)
{
	(void)engine;
	return quire_history_packets(ring);
}

static uint64_t quire_get_history_header(const struct quire_engine *engine,
					 const struct quire_ring *ring)
{
	(void)engine;
	return quire_history_get(ring).header;
}

static uint64_t quire_get_history_addr(const struct quire_engine *engine,
				       const struct quire_ring *ring)
{
	(void)engine;
	return quire_history_get(ring).addr;
}

static void quire_set_control(struct quire_engine *engine, struct quire_ring *ring,
			      uint32_t old, uint32_t written)
{
	(void)ring;
	(void)old;
	if (written & QUIRE_CONTROL_RESET)
		quire_engine_reset_control(engine);
}

/* What is pending when it becomes enabled is delivered now. */
static void quire_set_int_enable(struct quire_engine *engine, struct quire_ring *ring,
				 uint32_t old, uint32_t written)
{
	uint32_t now = engine->int_status & engine->int_enable & ~old;

	(void)ring;
	(void)written;
	if (now & QUIRE_INT_FENCE)
		quire_interrupt(engine, QUIRE_VECTOR_FENCE);
	if (now & QUIRE_INT_FAULT)
		quire_interrupt(engine, QUIRE_VECTOR_FAULT);
}

static void quire_set_ring_control(struct quire_engine *engine, struct quire_ring *ring,
				   uint32_t old, uint32_t written)
{
	(void)written;
	quire_ring_control(engine, ring, old);
}

#define QUIRE_CONSTANT(reg, value) \
	{ .offset = (reg), .size = 4, .is_constant = true, .constant = (value) }
#define QUIRE_COMPUTED(reg, bytes, function) \
	{ .offset = (reg), .size = (bytes), .get = (function) }
#define QUIRE_GLOBAL(reg, bytes, kind, name, bits, hook) \
	{ .offset = (reg), .size = (bytes), .type = (kind), .mask = (bits), .set = (hook), \
	  .field = offsetof(struct quire_engine, name) }
#define QUIRE_LOCAL(reg, bytes, kind, name, bits, hook) \
	{ .offset = (reg), .size = (bytes), .type = (kind), .mask = (bits), .set = (hook), \
	  .field = offsetof(struct quire_ring, name) }
#define QUIRE_OF_RANGE(reg, bytes, name, bits) \
	{ .offset = (reg), .size = (bytes), .type = QUIRE_REG_FIXED, .mask = (bits), \
	  .field = offsetof(struct quire_range, name) }

static const struct quire_reg quire_global_regs[] = {
	QUIRE_CONSTANT(QUIRE_REG_ID, QUIRE_ID),
	QUIRE_CONSTANT(QUIRE_REG_VERSION, QUIRE_VERSION),
	QUIRE_GLOBAL(QUIRE_REG_RING_COUNT, 4, QUIRE_REG_RO, ring_count, 0, NULL),
	QUIRE_CONSTANT(QUIRE_REG_MAX_SUBMISSION, QUIRE_MAX_SUBMISSION),
	QUIRE_GLOBAL(QUIRE_REG_VRAM_SIZE_LO, 8, QUIRE_REG_RO, vram_size, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_VRAM_VISIBLE_LO, 8, QUIRE_REG_RO, vram_visible, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_APERTURE_SIZE_LO, 8, QUIRE_REG_RO, aperture_size, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_CAPS, 4, QUIRE_REG_RO, caps, 0, NULL),
	{ .offset = QUIRE_REG_CONTROL, .size = 4, .type = QUIRE_REG_RW, .is_constant = true,
	  .mask = QUIRE_CONTROL_RESET, .set = quire_set_control },
	QUIRE_GLOBAL(QUIRE_REG_INT_STATUS, 4, QUIRE_REG_W1C, int_status, QUIRE_INT_ALL, NULL),
	QUIRE_GLOBAL(QUIRE_REG_INT_ENABLE, 4, QUIRE_REG_RW, int_enable, QUIRE_INT_ALL,
		     quire_set_int_enable),
	QUIRE_GLOBAL(QUIRE_REG_RANGE_COUNT, 4, QUIRE_REG_RO, range_count, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_RANGE_SIZE, 4, QUIRE_REG_RO, range_size, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_WINDOW_SIZE_LO, 8, QUIRE_REG_RO, window_size, 0, NULL),
	QUIRE_COMPUTED(QUIRE_REG_RANGE_OLDEST, 4, quire_get_range_oldest),
	QUIRE_GLOBAL(QUIRE_REG_INJECT_DROP_IRQ, 4, QUIRE_REG_INJECT, inject_drop_irq,
		     UINT32_MAX, NULL),
	QUIRE_GLOBAL(QUIRE_REG_APERTURE_INDEX, 4, QUIRE_REG_RW, aperture_index, UINT32_MAX,
		     NULL),
	QUIRE_COMPUTED(QUIRE_REG_APERTURE_ENTRY_LO, 8, quire_get_aperture_entry),
	QUIRE_GLOBAL(QUIRE_REG_POSTED, 4, QUIRE_REG_RO, posted.total, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_DUMMY_PAGES_LO, 8, QUIRE_REG_RO, dummy_pages, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_DUMMY_OFFSET_LO, 8, QUIRE_REG_RO, dummy_offset, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_TLB_ENTRIES, 4, QUIRE_REG_RO, tlb_entries, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_WALKS_LO, 8, QUIRE_REG_RO, walks, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_RESIDENCY_PAGE_LO, 8, QUIRE_REG_RW, residency_page, UINT64_MAX,
		     NULL),
	QUIRE_COMPUTED(QUIRE_REG_RESIDENCY_ALLOCATION, 4, quire_get_residency_allocation),
	QUIRE_COMPUTED(QUIRE_REG_RESIDENCY_OFFSET, 4, quire_get_residency_offset),
	QUIRE_COMPUTED(QUIRE_REG_RESIDENCY_PAGES, 4, quire_get_residency_pages),
	QUIRE_GLOBAL(QUIRE_REG_MMU_SIZE_LO, 8, QUIRE_REG_RO, mmu_size, 0, NULL),
	QUIRE_GLOBAL(QUIRE_REG_NATIVE_FENCE, 4, QUIRE_REG_RW, native_fence, UINT32_MAX, NULL),
	QUIRE_COMPUTED(QUIRE_REG_NATIVE_OWNER_LO, 8, quire_get_native_owner),
	QUIRE_COMPUTED(QUIRE_REG_NATIVE_CURRENT_LO, 8, quire_get_native_current),
	QUIRE_COMPUTED(QUIRE_REG_NATIVE_MONITORED_LO, 8, quire_get_native_monitored),
	QUIRE_GLOBAL(QUIRE_REG_NATIVE_INTERRUPTS_LO, 8, QUIRE_REG_RO, native_interrupts, 0, NULL),
};

static const struct quire_reg quire_ring_regs[] = {
	QUIRE_LOCAL(QUIRE_RING_ENTRIES_LO, 8, QUIRE_REG_LOCKED, entries, UINT64_MAX, NULL),
	QUIRE_LOCAL(QUIRE_RING_FENCE_PAGE_LO, 8, QUIRE_REG_LOCKED, fence_page, UINT64_MAX, NULL),
	QUIRE_LOCAL(QUIRE_RING_ORDER, 4, QUIRE_REG_LOCKED, order, UINT32_MAX, NULL),
	QUIRE_LOCAL(QUIRE_RING_CONTROL, 4, QUIRE_REG_RW, control, QUIRE_RING_CONTROL_ENABLE,
		    quire_set_ring_control),
	QUIRE_COMPUTED(QUIRE_RING_STATUS, 4, quire_get_status),
	QUIRE_LOCAL(QUIRE_RING_RPTR, 4, QUIRE_REG_RO, rptr, 0, NULL),
	QUIRE_LOCAL(QUIRE_RING_OFFSET, 4, QUIRE_REG_RO, offset, 0, NULL),
	QUIRE_LOCAL(QUIRE_RING_FAULT_CODE, 4, QUIRE_REG_RO, fault_code, 0, NULL),
	QUIRE_LOCAL(QUIRE_RING_FAULT_OFFSET, 4, QUIRE_REG_RO, fault_offset, 0, NULL),
	QUIRE_LOCAL(QUIRE_RING_FAULT_OPCODE, 4, QUIRE_REG_RO, fault_opcode, 0, NULL),
	QUIRE_LOCAL(QUIRE_RING_FAULT_ADDR_LO, 8, QUIRE_REG_RO, fault_addr, 0, NULL),
	QUIRE_LOCAL(QUIRE_RING_FAULT_FENCE_LO, 8, QUIRE_REG_RO, fault_fence, 0, NULL),
	QUIRE_LOCAL(QUIRE_RING_PROGRESS_LO, 8, QUIRE_REG_RO, progress, 0, NULL),
	QUIRE_COMPUTED(QUIRE_RING_PACKETS_LO, 8, quire_get_packets),
	QUIRE_LOCAL(QUIRE_RING_HISTORY_INDEX, 4, QUIRE_REG_RW, history_index, UINT32_MAX, NULL),
	QUIRE_COMPUTED(QUIRE_RING_HISTORY_HEADER, 4, quire_get_history_header),
	QUIRE_COMPUTED(QUIRE_RING_HISTORY_ADDR_LO, 8, quire_get_history_addr),
	QUIRE_LOCAL(QUIRE_RING_INJECT_HANG, 4, QUIRE_REG_INJECT, inject_hang, UINT32_MAX, NULL),
	QUIRE_LOCAL(QUIRE_RING_INJECT_FAULT, 4, QUIRE_REG_INJECT, inject_fault, UINT32_MAX, NULL),
	{ .offset = QUIRE_RING_PACKETS_OF(0), .size = 8, .opcodes = QUIRE_OPCODE_COUNT,
	  .field = offsetof(struct quire_ring, executed) },
};

static const struct quire_reg quire_range_regs[] = {
	QUIRE_OF_RANGE(QUIRE_RANGE_ADDR_LO, 8, addr, UINT64_MAX),
	QUIRE_OF_RANGE(QUIRE_RANGE_LAYOUT, 4, layout, QUIRE_RANGE_LAYOUT_BITS),
	QUIRE_OF_RANGE(QUIRE_RANGE_WIDTH, 4, width, UINT32_MAX),
	QUIRE_OF_RANGE(QUIRE_RANGE_HEIGHT, 4, height, UINT32_MAX),
	QUIRE_OF_RANGE(QUIRE_RANGE_LEVELS, 4, levels, UINT32_MAX),
	{ .offset = QUIRE_RANGE_CONTROL, .size = 4, .type = QUIRE_REG_RW,
	  .mask = QUIRE_RANGE_CONTROL_ENABLE, .field = offsetof(struct quire_range, control),
	  .set_range = quire_range_control },
	{ .offset = QUIRE_RANGE_DATA, .size = 4, .type = QUIRE_REG_RO,
	  .field = offsetof(struct quire_range, data) },
};

/**
 * struct quire_access - an access that found its register
 * @reg: the register
 * @field: its field in @base
 * @base: structure that @field counts from
 * @ring: the ring of a ring register, else NULL
 * @range: the range of a range register, else NULL
 * @offset: in the BAR, for messages
 * @shift: 32 for the upper half of a 64-bit register
 * @mask: bits of the register that the access covers, after shifting
 */
struct quire_access {
	const struct quire_reg *reg;
	size_t field;
	void *base;
	struct quire_ring *ring;
	struct quire_range *range;
	uint64_t offset;
	unsigned int shift;
	uint64_t mask;
};

static const struct quire_reg *quire_find_reg(const struct quire_reg *regs, size_t count,
					      uint32_t offset)
{
	size_t i;

	for (i = 0; i < count; i++) {
		uint32_t size = regs[i].size * (regs[i].opcodes ? regs[i].opcodes : 1);

		if (offset >= regs[i].offset && offset - regs[i].offset < size)
			return &regs[i];
	}
	return NULL;
}

static bool quire_size_ok(uint64_t offset, unsigned int size)
{
	return (size == 4 || size == 8) && !(offset & (size - 1));
}

/* Which ring has the register at @offset of all rings? Returns the offset in its block. */
static uint32_t quire_find_ring(struct quire_engine *engine, uint64_t offset,
				struct quire_access *access)
{
	if (offset / QUIRE_REG_RING_STRIDE < engine->ring_count) {
		access->ring = &engine->ring[offset / QUIRE_REG_RING_STRIDE];
		access->base = access->ring;
	}
	return offset % QUIRE_REG_RING_STRIDE;
}

/* The same of ranges. */
static uint32_t quire_find_range(struct quire_engine *engine, uint64_t offset,
				 struct quire_access *access)
{
	if (offset / QUIRE_REG_RANGE_STRIDE < engine->range_count) {
		access->range = &engine->range[offset / QUIRE_REG_RANGE_STRIDE];
		access->base = access->range;
	}
	return offset % QUIRE_REG_RANGE_STRIDE;
}

static bool quire_find_access(struct quire_engine *engine, uint64_t offset, unsigned int size,
			      struct quire_access *access)
{
	if (!quire_size_ok(offset, size) || offset >= QUIRE_DOORBELL_BASE)
		return false;
	*access = (struct quire_access){ .offset = offset };
	if (offset >= QUIRE_REG_RANGE_BASE) {
		offset = quire_find_range(engine, offset - QUIRE_REG_RANGE_BASE, access);
		access->reg = quire_find_reg(quire_range_regs, QUIRE_ARRAY_SIZE(quire_range_regs),
					     offset);
	} else if (offset >= QUIRE_REG_RING_BASE) {
		offset = quire_find_ring(engine, offset - QUIRE_REG_RING_BASE, access);
		access->reg = quire_find_reg(quire_ring_regs, QUIRE_ARRAY_SIZE(quire_ring_regs),
					     offset);
	} else {
		access->base = engine;
		access->reg = quire_find_reg(quire_global_regs, QUIRE_ARRAY_SIZE(quire_global_regs),
					     offset);
	}
	if (!access->base || !access->reg || size > access->reg->size)
		return false;
	offset -= access->reg->offset;
	if (access->reg->opcodes && !quire_opcode_exists(offset / access->reg->size))
		return false;
	access->field = access->reg->field + offset / access->reg->size * access->reg->size;
	access->shift = offset % access->reg->size * 8;
	access->mask = size == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX << access->shift;
	return true;
}

static uint64_t quire_reg_get(const struct quire_engine *engine,
			      const struct quire_access *access)
{
	const uint8_t *field = (const uint8_t *)access->base + access->field;

	if (access->reg->is_constant)
		return access->reg->constant;
	if (access->reg->get)
		return access->reg->get(engine, access->ring);
	if (access->reg->size == 8)
		return *(const uint64_t *)(const void *)field;
	return *(const uint32_t *)(const void *)field;
}

static void quire_reg_put(const struct quire_access *access, uint64_t value)
{
	uint8_t *field = (uint8_t *)access->base + access->field;

	if (access->reg->is_constant)
		return;
	if (access->reg->size == 8)
		*(uint64_t *)(void *)field = value;
	else
		*(uint32_t *)(void *)field = value;
}

/* Store @value, which is in place, as the type of the register wants it. */
static void quire_reg_write(struct quire_engine *engine, const struct quire_access *access,
			    uint64_t value)
{
	const struct quire_reg *reg = access->reg;
	uint64_t old = quire_reg_get(engine, access);
	uint64_t mask = reg->mask & access->mask;

	if (value & access->mask & ~reg->mask)
		engine->ops->guest_error(engine->opaque,
					 "register 0x%llx: reserved bits set: 0x%llx",
					 (unsigned long long)access->offset,
					 (unsigned long long)value);
	if (reg->type == QUIRE_REG_W1C)
		quire_reg_put(access, old & ~(value & mask));
	else
		quire_reg_put(access, (old & ~mask) | (value & mask));
	if (reg->set)
		reg->set(engine, access->ring, old, value);
	if (reg->set_range)
		reg->set_range(engine, access->range, old);
}

/* Why a write to a register has no effect, or NULL. */
static const char *quire_write_refused(const struct quire_engine *engine,
				       const struct quire_access *access)
{
	switch (access->reg->type) {
	case QUIRE_REG_RO:
		return "is read-only";
	case QUIRE_REG_LOCKED:
		return access->ring->control & QUIRE_RING_CONTROL_ENABLE ?
		       "can not be written while the ring is enabled" : NULL;
	case QUIRE_REG_INJECT:
		return engine->caps & QUIRE_CAPS_FAULT_INJECTION ?
		       NULL : "needs a device with fault-injection=on";
	case QUIRE_REG_FIXED:
		return access->range->control & QUIRE_RANGE_CONTROL_ENABLE ?
		       "can not be written while the range is enabled" : NULL;
	default:
		return NULL;
	}
}

/* Whose doorbell is it? NULL if it is none. */
static struct quire_ring *quire_find_doorbell(struct quire_engine *engine, uint64_t offset,
					      unsigned int size)
{
	uint64_t ring = (offset - QUIRE_DOORBELL_BASE) / QUIRE_DOORBELL_STRIDE;

	if (offset < QUIRE_DOORBELL_BASE || ring >= engine->ring_count ||
	    !quire_size_ok(offset, size))
		return NULL;
	return &engine->ring[ring];
}

static void quire_no_register(struct quire_engine *engine, uint64_t offset, unsigned int size)
{
	engine->ops->guest_error(engine->opaque, "no register of %u bytes at 0x%llx", size,
				 (unsigned long long)offset);
}

/**
 * quire_regs_read - the guest reads BAR 0
 * @engine: the engine
 * @offset: byte offset in the BAR
 * @size: bytes of the access
 *
 * Return: the value; 0 where there is nothing, and while state is loaded.
 */
uint64_t quire_regs_read(struct quire_engine *engine, uint64_t offset, unsigned int size)
{
	struct quire_access access;

	if (engine->loading || quire_find_doorbell(engine, offset, size))
		return 0;
	if (!quire_find_access(engine, offset, size, &access)) {
		quire_no_register(engine, offset, size);
		return 0;
	}
	return (quire_reg_get(engine, &access) & access.mask) >> access.shift;
}

/**
 * quire_regs_write - the guest writes BAR 0
 * @engine: the engine
 * @offset: byte offset in the BAR
 * @size: bytes of the access
 * @value: what it writes, from its low byte; ignored while state is loaded
 */
void quire_regs_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
		      uint64_t value)
{
	struct quire_ring *rung = quire_find_doorbell(engine, offset, size);
	struct quire_access access;
	const char *why;

	if (engine->loading)
		return;
	if (rung) {
		quire_ring_doorbell(engine, rung);
		return;
	}
	if (!quire_find_access(engine, offset, size, &access)) {
		quire_no_register(engine, offset, size);
		return;
	}
	why = quire_write_refused(engine, &access);
	if (why) {
		engine->ops->guest_error(engine->opaque, "register 0x%llx %s",
					 (unsigned long long)offset, why);
		return;
	}
	quire_reg_write(engine, &access, value << access.shift & access.mask);
}
