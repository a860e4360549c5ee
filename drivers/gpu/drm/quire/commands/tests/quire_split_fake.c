// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the planner says is compared with the list itself, byte by byte, and with what is in
 * memory at that moment: nothing of the planner's own state is believed.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "quire_split_fake.h"

static struct quire_split_fake *to_fake(struct quire_split *split)
{
	return container_of(split, struct quire_split_fake, split);
}

static void fake_expect(struct quire_split_fake *fake, bool condition, const char *error)
{
	if (!condition && !fake->error)
		fake->error = error;
}

static u64 fake_size(const struct quire_split_fake *fake, u32 object)
{
	return fake->list->objects[object].size;
}

static u32 fake_segment(const struct quire_split_fake *fake, u32 object)
{
	return fake->list->objects[object].segment;
}

static u64 fake_used(const struct quire_split_fake *fake, u32 segment)
{
	u64 bytes = segment == QUIRE_SEGMENT_VRAM ? fake->obstacle_size : 0;
	u32 i;

	for (i = 0; i < fake->list->nr_objects; i++)
		if (fake->objects[i].resident && fake_segment(fake, i) == segment)
			bytes += fake_size(fake, i);
	return bytes;
}

/* The end of what is in the way at @address, or @address. */
static u64 fake_in_the_way(const struct quire_split_fake *fake, u32 segment, u64 address, u64 size)
{
	u32 i;

	if (segment == QUIRE_SEGMENT_VRAM && address < fake->obstacle + fake->obstacle_size &&
	    fake->obstacle < address + size)
		return fake->obstacle + fake->obstacle_size;
	for (i = 0; i < fake->list->nr_objects; i++) {
		const struct quire_fake_object *object = &fake->objects[i];
		u64 end = object->address + fake_size(fake, i);

		if (object->resident && fake_segment(fake, i) == segment && address < end &&
		    object->address < address + size)
			return end;
	}
	return address;
}

static int fake_first_fit(const struct quire_split_fake *fake, u32 object, u64 *address)
{
	u32 segment = fake_segment(fake, object), align = fake->list->objects[object].align;
	u64 end, size = fake_size(fake, object);

	for (*address = 0;; *address = align ? ALIGN(end, align) : end) {
		if (*address + size > fake->capacity[segment - QUIRE_SEGMENT_VRAM])
			return -ENOSPC;
		end = fake_in_the_way(fake, segment, *address, size);
		if (end == *address)
			return 0;
	}
}

static u64 fake_last_fit(const struct quire_split_fake *fake, u32 object)
{
	u32 segment = fake_segment(fake, object);
	u64 size = fake_size(fake, object), end = fake->capacity[segment - QUIRE_SEGMENT_VRAM];

	for (; end >= size; end--)
		if (fake_in_the_way(fake, segment, end - size, size) == end - size)
			return end - size;
	return QUIRE_SPLIT_ANYWHERE;
}

static bool fake_is_robbed(const struct quire_split_fake *fake)
{
	u32 i;

	for (i = 0; i < fake->list->nr_objects; i++)
		if (fake->objects[i].robbed)
			return true;
	return false;
}

static bool fake_has_others(const struct quire_split_fake *fake)
{
	return fake->thief || fake->robber || fake->robberies || fake->guests ||
	       fake->obstacle_size || fake_is_robbed(fake);
}

static u64 fake_best_fit(const struct quire_split_fake *fake, u32 object)
{
	u64 address;

	if (!fake->split.last)
		return fake_last_fit(fake, object);
	return fake_first_fit(fake, object, &address) ? QUIRE_SPLIT_ANYWHERE : address;
}

/*
 * Is the place that the planner chose free? If nobody else is there, it has to be the highest, or
 * as a last resort the lowest.
 */
static bool fake_follow(struct quire_split_fake *fake, u32 object, u64 place)
{
	u32 segment = fake_segment(fake, object), align = fake->list->objects[object].align;
	u64 size = fake_size(fake, object), capacity = fake->capacity[segment - QUIRE_SEGMENT_VRAM];

	fake_expect(fake, place == QUIRE_SPLIT_ANYWHERE || IS_ALIGNED(place, max(align, 1u)),
		    "not aligned");
	if (align <= 1 && !fake_has_others(fake))
		fake_expect(fake, place == fake_best_fit(fake, object), "not the best place");
	return size <= capacity && place <= capacity - size && IS_ALIGNED(place, max(align, 1u)) &&
	       fake_in_the_way(fake, segment, place, size) == place;
}

static int fake_find_room(struct quire_split_fake *fake, u32 object, u64 *address)
{
	u32 segment = fake_segment(fake, object);

	if (fake->pieces)
		return fake_first_fit(fake, object, address);
	if (fake_used(fake, segment) + fake_size(fake, object) >
	    fake->capacity[segment - QUIRE_SEGMENT_VRAM])
		return -ENOSPC;
	*address = fake->next++;
	return 0;
}

static void fake_came(struct quire_split_fake *fake, u32 object, u64 address)
{
	fake->objects[object].address = address;
	fake->objects[object].resident = true;
	if (fake->watch)
		fake->watch->came(fake, object);
}

static void fake_goes(struct quire_split_fake *fake, u32 object)
{
	if (fake->watch)
		fake->watch->goes(fake, object);
	fake->objects[object].resident = false;
}

/* Others take one object, if nobody holds it. */
static void fake_steal(struct quire_split_fake *fake)
{
	u32 object;

	if (!fake->thief || quire_stream_random(&fake->random) % fake->thief)
		return;
	object = quire_stream_random(&fake->random) % fake->list->nr_objects;
	if (fake->objects[object].resident && !fake->objects[object].held)
		fake_goes(fake, object);
}

/* Who does not ask. */
static void fake_rob(struct quire_split_fake *fake)
{
	u32 object = fake->robbed;

	if (fake->robber && !(quire_stream_random(&fake->random) % fake->robber))
		object = quire_stream_random(&fake->random) % fake->list->nr_objects;
	else if (!fake->rob_after || --fake->rob_after)
		return;
	if (!fake->objects[object].resident)
		return;
	fake->objects[object].robbed = true;
	fake_goes(fake, object);
}

static int fake_go_on(struct quire_split *split)
{
	struct quire_split_fake *fake = to_fake(split);

	return ++fake->goes_on == fake->end_at ? -EINTR : 0;
}

static bool fake_find(struct quire_split *split, u32 object, u64 *address)
{
	struct quire_split_fake *fake = to_fake(split);

	fake_steal(fake);
	*address = fake->objects[object].address;
	return fake->objects[object].resident;
}

/* In the order of the entries; what has gone again, or was moved, is of an earlier one. */
static void fake_check_order(struct quire_split_fake *fake, u32 object)
{
	u32 entry = fake->entry;

	if (fake->thief || fake->robber || fake->robberies || fake->guests || fake->pieces ||
	    fake->locked || fake->lost_in)
		return;
	while (entry < fake->list->nr_patches &&
	       quire_patch_object(fake->list, entry) != object)
		entry++;
	fake_expect(fake, entry < fake->list->nr_patches, "paged in out of order");
	fake->entry = entry;
}

/* Others are waited for if nothing of the submission can go, and there is room without them. */
static void fake_check_last(struct quire_split_fake *fake, u32 index)
{
	u32 i, segment = fake_segment(fake, index);
	u64 held = fake_size(fake, index);

	if (!fake->split.last)
		return;
	for (i = 0; i < fake->list->nr_objects; i++) {
		if (!fake->objects[i].resident || fake_segment(fake, i) != segment)
			continue;
		fake_expect(fake, fake->objects[i].held, "waits for others in vain");
		held += fake_size(fake, i);
	}
	fake_expect(fake, held <= fake->capacity[segment - QUIRE_SEGMENT_VRAM],
		    "waits for others for ever");
}

static int fake_page_in(struct quire_split *split, u32 index, u64 *address)
{
	struct quire_split_fake *fake = to_fake(split);
	struct quire_fake_object *object = &fake->objects[index];
	int ret = 0;

	fake_rob(fake);
	fake_expect(fake, !object->resident, "paged in again");
	if (fake->crowded && !(++fake->arrivals % fake->crowded)) {
		fake->waits++;
		return -EAGAIN;
	}
	fake_check_last(fake, index);
	if (fake->locked && !split->last)
		ret = -ENOSPC;
	else if (!fake->follows || !fake_follow(fake, index, *address))
		ret = fake_find_room(fake, index, address);
	if (ret)
		return ret;

	fake_check_order(fake, index);
	fake_came(fake, index, *address);
	object->page_ins++;
	fake->bytes_in += fake_size(fake, index);
	return 0;
}

static int fake_evict(struct quire_split *split, u32 index)
{
	struct quire_split_fake *fake = to_fake(split);
	struct quire_fake_object *object = &fake->objects[index];

	fake_expect(fake, object->resident, "evicted what is not there");
	fake_expect(fake, !object->held, "evicted what is held");
	if (fake->busy && !(++fake->tries % fake->busy)) {
		fake->waits++;
		return -EAGAIN;
	}
	fake_goes(fake, index);
	fake->bytes_out += fake_size(fake, index);
	if (fake->nr_evicted < 8)
		fake->evicted[fake->nr_evicted] = index;
	fake->nr_evicted++;
	fake_steal(fake);
	return 0;
}

static void fake_hold(struct quire_split *split, u32 index)
{
	struct quire_split_fake *fake = to_fake(split);

	fake_expect(fake, !fake->objects[index].held, "held twice");
	fake_expect(fake, fake->objects[index].resident, "held where it is not");
	fake->objects[index].held = true;
}

static void fake_release(struct quire_split *split, u32 index)
{
	struct quire_split_fake *fake = to_fake(split);

	fake_expect(fake, fake->objects[index].held, "released what is not held");
	fake->objects[index].held = false;
	fake->objects[index].released = true;
	fake_steal(fake);
}

/* The table at byte @offset, by the list. */
static void list_table(const struct quire_command_list *list, u32 offset, u32 *table)
{
	u32 i;

	for (i = 0; i < QUIRE_SLOTS; i++)
		table[i] = QUIRE_NO_OBJECT;
	for (i = 0; i < list->nr_patches && list->patches[i].split_offset <= offset; i++)
		table[list->patches[i].slot] = quire_patch_object(list, i);
}

static bool list_writes(const struct quire_command_list *list, u32 offset, u32 slot)
{
	u32 i;

	for (i = 0; i < list->nr_patches; i++)
		if (list->patches[i].split_offset == offset && list->patches[i].slot == slot)
			return true;
	return false;
}

static bool list_splits(const struct quire_command_list *list, u32 offset)
{
	u32 i;

	for (i = 0; i < list->nr_patches; i++)
		if (list->patches[i].split_offset == offset)
			return true;
	return offset == list->size;
}

/* All that is bound at some byte; entries take effect where commands begin. */
static u64 list_objects(const struct quire_command_list *list, u32 start, u32 end)
{
	u32 i, offset, table[QUIRE_SLOTS];
	u64 objects = 0;

	for (offset = start; offset < end; offset += 8) {
		list_table(list, offset, table);
		for (i = 0; i < QUIRE_SLOTS; i++)
			if (table[i] != QUIRE_NO_OBJECT)
				objects |= BIT_ULL(table[i]);
	}
	return objects;
}

static u64 part_objects(struct quire_split_fake *fake, const struct quire_split_part *part)
{
	u64 objects = 0;
	u32 i;

	for (i = 0; i < part->nr_objects; i++) {
		fake_expect(fake, !(objects & BIT_ULL(part->objects[i])), "an object twice");
		objects |= BIT_ULL(part->objects[i]);
	}
	return objects;
}

static u64 objects_bytes(const struct quire_split_fake *fake, u64 objects, u32 segment)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < fake->list->nr_objects; i++)
		if ((objects & BIT_ULL(i)) && fake_segment(fake, i) == segment)
			bytes += fake_size(fake, i);
	return bytes;
}

/* No part can have less than what is bound at one byte. */
static u64 fake_limit(const struct quire_split_fake *fake, u32 segment)
{
	u64 limit = fake->split.options.max_bytes;
	u32 offset;

	for (offset = 0; offset < fake->list->size; offset += 8) {
		u64 objects = list_objects(fake->list, offset, offset + 1);

		limit = max(limit, objects_bytes(fake, objects, segment));
	}
	return limit;
}

static void fake_check_memory(struct quire_split_fake *fake, u64 objects)
{
	u32 i, segment;

	for (i = 0; i < fake->list->nr_objects; i++) {
		if (!(objects & BIT_ULL(i)))
			continue;
		fake_expect(fake, fake->objects[i].resident, "bound and not resident");
		fake_expect(fake, fake->objects[i].held, "submitted and not held");
	}
	if (!fake->split.options.max_bytes)
		return;
	for (segment = QUIRE_SEGMENT_VRAM; segment <= QUIRE_SEGMENT_APERTURE; segment++)
		fake_expect(fake, objects_bytes(fake, objects, segment) <=
			    fake_limit(fake, segment), "more than it may use");
}

/* What is in slots that are not written at the split did not move. */
static void fake_check_places(struct quire_split_fake *fake, u32 start)
{
	u32 i, table[QUIRE_SLOTS];

	if (!fake->split.parts || fake->split.repacks != fake->repacks)
		return;
	list_table(fake->list, start, table);
	for (i = 0; i < QUIRE_SLOTS; i++) {
		const struct quire_fake_object *object;

		if (table[i] == QUIRE_NO_OBJECT || list_writes(fake->list, start, i))
			continue;
		object = &fake->objects[table[i]];
		fake_expect(fake, object->address == object->before, "moved");
		fake_expect(fake, !object->released || object->robbed, "was not held");
	}
}

static void fake_check_entries(struct quire_split_fake *fake, const struct quire_split_part *part)
{
	u32 i;

	for (i = 0; i < fake->list->nr_patches; i++) {
		u32 offset = fake->list->patches[i].split_offset;

		fake_expect(fake, (i >= part->first && i < part->last) ==
			    (offset >= part->start && offset < part->end), "entries of a part");
	}
}

static bool fake_has_all(const struct quire_split_fake *fake, const struct quire_split_part *part)
{
	u32 i;

	for (i = 0; i < part->nr_objects; i++)
		if (!fake->objects[part->objects[i]].resident)
			return false;
	return true;
}

static int fake_submit(struct quire_split *split, const struct quire_split_part *part)
{
	struct quire_split_fake *fake = to_fake(split);
	u32 i, end = split->parts ? fake->parts[split->parts - 1].end : 0;
	int ret = fake->refuse;

	fake_expect(fake, part->start == end && part->end > part->start, "parts do not tile");
	fake_expect(fake, list_splits(fake->list, part->end), "split between split points");
	fake->parts[split->parts] = (struct quire_fake_part) {
		.start = part->start,
		.end = part->end,
		.objects = part_objects(fake, part),
	};
	fake_expect(fake, fake->parts[split->parts].objects ==
		    list_objects(fake->list, part->start, part->end), "objects of a part");
	fake_rob(fake);
	/* or else all has to be there */
	if (fake_is_robbed(fake) && !fake_has_all(fake, part)) {
		fake->robberies++;
		return -EAGAIN;
	}
	fake_check_memory(fake, fake->parts[split->parts].objects);
	fake_check_places(fake, part->start);
	fake_check_entries(fake, part);

	for (i = 0; i < fake->list->nr_objects; i++) {
		fake->objects[i].before = fake->objects[i].address;
		fake->objects[i].released = false;
		fake->objects[i].robbed = false;
	}
	fake->repacks = split->repacks;
	if (!ret && fake->watch)
		ret = fake->watch->submit(fake, part);
	fake_steal(fake);
	return ret;
}

/* Exactly what is held is brought back. */
static void fake_check_held(struct quire_split_fake *fake, const u32 *held, u32 nr_held)
{
	u32 i, nr = 0;

	for (i = 0; i < nr_held; i++)
		fake_expect(fake, fake->objects[held[i]].held, "brought back and not held");
	for (i = 0; i < fake->list->nr_objects; i++)
		nr += fake->objects[i].held;
	fake_expect(fake, nr == nr_held, "held and not brought back");
}

static bool fake_loses(struct quire_split_fake *fake)
{
	return fake->pauses == fake->lost_in ||
	       (fake->loss && !(quire_stream_random(&fake->random) % fake->loss));
}

/* Others had all memory. What was held comes back to where it was, or not at all. */
static int fake_entertain(struct quire_split_fake *fake)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < fake->list->nr_objects; i++) {
		struct quire_fake_object *object = &fake->objects[i];

		if (!object->resident)
			continue;
		fake_goes(fake, i);
		if (!object->held)
			continue;
		if (!fake_loses(fake)) {
			fake_came(fake, i, object->address);
			continue;
		}
		object->robbed = true;
		ret = -ENOSPC;
	}
	return ret;
}

static int fake_pause(struct quire_split *split, const u32 *held, u32 nr_held)
{
	struct quire_split_fake *fake = to_fake(split);
	int ret = 0;

	fake->pauses++;
	fake_check_held(fake, held, nr_held);
	if (fake->pauses == fake->lost_in ||
	    (fake->guests && !(quire_stream_random(&fake->random) % fake->guests)))
		ret = fake_entertain(fake);
	fake_steal(fake);
	return fake->refuse_pause ?: ret;
}

static const struct quire_split_memory_ops fake_ops = {
	.go_on = fake_go_on,
	.find = fake_find,
	.page_in = fake_page_in,
	.evict = fake_evict,
	.hold = fake_hold,
	.release = fake_release,
	.submit = fake_submit,
	.pause = fake_pause,
};

/**
 * quire_fake_init - memory without an object in it
 * @fake: set
 * @list: what will be planned; outlives @fake
 * @vram: bytes of VRAM
 * @aperture: bytes of the aperture
 */
void quire_fake_init(struct quire_split_fake *fake, const struct quire_command_list *list,
		     u64 vram, u64 aperture)
{
	memset(fake, 0, sizeof(*fake));
	fake->list = list;
	fake->capacity[0] = vram;
	fake->capacity[1] = aperture;
	fake->random = 1;
}

/**
 * quire_fake_place - an object is there from before
 * @fake: memory
 * @object: which one
 *
 * Returns: there was room.
 */
bool quire_fake_place(struct quire_split_fake *fake, u32 object)
{
	u64 address;

	if (fake_find_room(fake, object, &address))
		return false;
	fake_came(fake, object, address);
	return true;
}

/**
 * quire_fake_run - let the planner run, and judge what it does
 * @fake: memory
 * @options: of the planner
 * @memory: of the planner
 *
 * Returns: what the planner returns; &quire_split_fake.error says what is wrong.
 */
int quire_fake_run(struct quire_split_fake *fake, const struct quire_split_options *options,
		   void *memory)
{
	struct quire_split *split = &fake->split;
	u32 i, page_ins = 0;
	int ret;

	quire_split_init(split, &fake_ops, fake->list, fake->capacity, options, memory);
	ret = quire_split_run(split);
	for (i = 0; i < fake->list->nr_objects; i++) {
		fake_expect(fake, !fake->objects[i].held, "held for ever");
		page_ins += fake->objects[i].page_ins;
	}
	fake_expect(fake, ret || split->repacks <= split->parts, "a split was counted twice");
	fake_expect(fake, split->page_ins == page_ins && split->bytes_in == fake->bytes_in &&
		    split->evictions == fake->nr_evicted &&
		    split->bytes_out == fake->bytes_out, "statistics");
	fake_expect(fake, ret || fake->parts[split->parts - 1].end == fake->list->size,
		    "the end is missing");
	return ret;
}
