// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The lists of a recorder, and the resource table as it is behind its last command.
 *
 * An object has at most two allocations: what commands only read of it, and what they may
 * write; each from the first to the last byte that one of them uses. At each command the
 * table is made to hold what the command uses, and what is kept, and nothing else: slots
 * that it uses are programmed again, others are given to something new or unbound. So
 * nothing that is large has to stay where it is when the driver divides there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libquire_private.h"

int libquire_table_init(struct libquire_table *table, uint32_t nr_slots)
{
	table->nr_slots = nr_slots;
	table->slots = calloc(nr_slots ? nr_slots : 1, sizeof(*table->slots));
	if (!table->slots)
		return -ENOMEM;
	libquire_table_reset(table);
	return 0;
}

void libquire_table_free(struct libquire_table *table)
{
	free(table->allocations.data);
	free(table->patches.data);
	free(table->uses.data);
	free(table->slots);
}

void libquire_table_reset(struct libquire_table *table)
{
	const struct libquire_slot empty = { .held = LIBQUIRE_NONE, .kept = LIBQUIRE_NONE };

	if (table->uses.data)
		memset(table->uses.data, 0,
		       table->uses.count * sizeof(struct libquire_uses));
	table->allocations.count = 0;
	table->patches.count = 0;
	table->uses.count = 0;
	table->nothing = LIBQUIRE_NONE;
	table->command = 0;
	for (uint32_t i = 0; i < table->nr_slots; i++)
		table->slots[i] = empty;
}

static struct drm_quire_allocation *allocation_of(struct libquire_table *table, uint32_t index)
{
	return (struct drm_quire_allocation *)table->allocations.data + index;
}

static void widen(struct drm_quire_allocation *allocation, uint64_t offset, uint64_t size)
{
	uint64_t end = allocation->offset + allocation->size;

	if (end < offset + size)
		end = offset + size;
	if (offset < allocation->offset)
		allocation->offset = offset;
	allocation->size = end - allocation->offset;
}

static int add_allocation(struct libquire_table *table,
			  const struct drm_quire_allocation *allocation, uint32_t *index)
{
	*index = table->allocations.count;
	return libquire_array_add(&table->allocations, sizeof(*allocation), allocation);
}

/* The allocation of an operand, which has it from then on. */
static int find_allocation(struct libquire_table *table, const struct libquire_operand *operand,
			   uint32_t *index)
{
	const struct drm_quire_allocation new = {
		.handle = quire_object_handle(operand->at.object),
		.flags = operand->write ? DRM_QUIRE_ALLOCATION_WRITE : 0,
		.offset = operand->at.offset,
		.size = operand->size,
	};
	struct libquire_uses *uses;
	uint32_t *use;
	int ret = libquire_array_grow(&table->uses, sizeof(*uses), new.handle + 1);

	if (ret)
		return ret;
	uses = (struct libquire_uses *)table->uses.data + new.handle;
	use = operand->write ? &uses->write : &uses->read;
	if (*use) {
		*index = *use - 1;
		widen(allocation_of(table, *index), new.offset, new.size);
		return 0;
	}
	ret = add_allocation(table, &new, index);
	if (!ret)
		*use = *index + 1;
	return ret;
}

int libquire_table_bind(struct libquire_table *table, uint32_t slot,
			const struct libquire_operand *operand)
{
	if (slot >= table->nr_slots || table->slots[slot].kept != LIBQUIRE_NONE)
		return -EBADSLT;
	return find_allocation(table, operand, &table->slots[slot].kept);
}

int libquire_table_unbind(struct libquire_table *table, uint32_t slot)
{
	if (slot >= table->nr_slots || table->slots[slot].kept == LIBQUIRE_NONE)
		return -EBADSLT;
	table->slots[slot].kept = LIBQUIRE_NONE;
	return 0;
}

/* Where the caller keeps what an operand needs: what may be written may be read as well. */
static struct libquire_slot *find_kept(struct libquire_table *table,
				       const struct libquire_operand *operand)
{
	uint32_t handle = quire_object_handle(operand->at.object);

	for (uint32_t i = 0; i < table->nr_slots; i++) {
		struct libquire_slot *slot = &table->slots[i];
		const struct drm_quire_allocation *kept;

		if (slot->kept == LIBQUIRE_NONE)
			continue;
		kept = allocation_of(table, slot->kept);
		if (kept->handle == handle && (kept->flags || !operand->write))
			return slot;
	}
	return NULL;
}

static struct libquire_slot *find_held(struct libquire_table *table, uint32_t allocation)
{
	for (uint32_t i = 0; i < table->nr_slots; i++)
		if (table->slots[i].kept == LIBQUIRE_NONE && table->slots[i].held == allocation)
			return &table->slots[i];
	return NULL;
}

/* What an operand uses already, before anything new takes a slot. */
static int find_slot(struct libquire_table *table, const struct libquire_operand *operand,
		     struct libquire_slot **slot, uint32_t *allocation)
{
	*slot = find_kept(table, operand);
	if (*slot) {
		*allocation = (*slot)->kept;
		widen(allocation_of(table, *allocation), operand->at.offset, operand->size);
	} else {
		int ret = find_allocation(table, operand, allocation);

		if (ret)
			return ret;
		*slot = find_held(table, *allocation);
	}
	if (*slot)
		(*slot)->used = table->command;
	return 0;
}

/* Rather one that would be unbound; of those, the one that was used least recently. */
static bool is_better(const struct libquire_slot *slot, const struct libquire_slot *than)
{
	bool held = slot->held != LIBQUIRE_NONE, than_held = than->held != LIBQUIRE_NONE;

	return held != than_held ? held : slot->used < than->used;
}

static struct libquire_slot *choose_slot(struct libquire_table *table)
{
	struct libquire_slot *best = NULL;

	for (uint32_t i = 0; i < table->nr_slots; i++) {
		struct libquire_slot *slot = &table->slots[i];

		if (slot->kept == LIBQUIRE_NONE && slot->used != table->command &&
		    (!best || is_better(slot, best)))
			best = slot;
	}
	return best;
}

/* What is kept, and is there, stays bound as it is. */
static bool stays(const struct libquire_slot *slot)
{
	return slot->kept != LIBQUIRE_NONE && slot->held == slot->kept;
}

static int add_patch(struct libquire_table *table, struct libquire_slot *slot,
		     uint32_t allocation, uint32_t offset,
		     const struct libquire_operand *operand)
{
	if (!stays(slot))
		slot->bound_at = offset;
	slot->held = allocation;
	return libquire_array_add(&table->patches, sizeof(struct drm_quire_patch_location),
				  &(struct drm_quire_patch_location){
		.allocation = allocation,
		.slot = slot - table->slots,
		.driver_id = operand->field,
		.split_offset = slot->bound_at,
		.allocation_offset = operand->at.offset,
		.patch_offset = offset + operand->field_offset,
	});
}

static int unbind_slot(struct libquire_table *table, struct libquire_slot *slot, uint32_t offset)
{
	const struct drm_quire_allocation nothing = { 0 };
	int ret = 0;

	if (table->nothing == LIBQUIRE_NONE)
		ret = add_allocation(table, &nothing, &table->nothing);
	if (ret)
		return ret;
	slot->held = LIBQUIRE_NONE;
	return libquire_array_add(&table->patches, sizeof(struct drm_quire_patch_location),
				  &(struct drm_quire_patch_location){
		.allocation = table->nothing,
		.slot = slot - table->slots,
		.split_offset = offset,
	});
}

static int unbind_unused(struct libquire_table *table, uint32_t offset)
{
	int ret = 0;

	for (uint32_t i = 0; i < table->nr_slots && !ret; i++) {
		struct libquire_slot *slot = &table->slots[i];

		if (slot->held != LIBQUIRE_NONE && slot->used != table->command && !stays(slot))
			ret = unbind_slot(table, slot, offset);
	}
	return ret;
}

/* Slots for operands that have none yet; two of one allocation share theirs. */
static int choose_slots(struct libquire_table *table, struct libquire_slot **slots,
			const uint32_t *allocations, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < i && !slots[i]; j++)
			if (allocations[j] == allocations[i])
				slots[i] = slots[j];
		if (!slots[i])
			slots[i] = choose_slot(table);
		if (!slots[i])
			return -ENOSPC;
		slots[i]->used = table->command;
	}
	return 0;
}

/**
 * libquire_table_command - what one more command adds to the lists
 * @table: the lists
 * @offset: of the command
 * @operands: what it uses
 * @count: number of them, at most %LIBQUIRE_MAX_OPERANDS
 *
 * Returns 0; -ENOMEM; -ERANGE; -ENOSPC there are not enough slots.
 */
int libquire_table_command(struct libquire_table *table, uint32_t offset,
			   const struct libquire_operand *operands, uint32_t count)
{
	struct libquire_slot *slots[LIBQUIRE_MAX_OPERANDS];
	uint32_t allocations[LIBQUIRE_MAX_OPERANDS];
	int ret = 0;

	table->command++;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = find_slot(table, &operands[i], &slots[i], &allocations[i]);
	if (!ret)
		ret = choose_slots(table, slots, allocations, count);
	if (!ret)
		ret = unbind_unused(table, offset);
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = add_patch(table, slots[i], allocations[i], offset, &operands[i]);
	return ret;
}
