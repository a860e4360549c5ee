// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <string.h>

#include "eighths.h"

#define KEY		4711

/* What the CPU writes to the first page of an object. */
void eighths_page(unsigned int index, uint8_t page[QUIRE_PAGE])
{
	pattern_fill(page, QUIRE_PAGE, KEY + index);
}

static void *map(struct quire_object *object)
{
	void *bytes;

	if (quire_object_map(object, &bytes))
		tap_bail("map");
	return bytes;
}

/* All closed: the gate is at 0. */
void eighths_open(struct eighths *eighths, struct work *work)
{
	const uint64_t size = fixture_vram(&work->fixture) / 8 & ~(QUIRE_PAGE - 1);

	*eighths = (struct eighths) { .work = work };
	work_gate_open_apart(work, &eighths->gate);
	for (unsigned int i = 0; i < EIGHTHS; i++) {
		eighths->objects[i] = work_object(work, size);
		eighths_page(i, map(eighths->objects[i]));
	}
}

void eighths_close(struct eighths *eighths)
{
	work_gate_close(&eighths->gate);
	for (unsigned int i = 0; i < EIGHTHS; i++)
		quire_object_close(eighths->objects[i]);
}

uint64_t eighths_size(const struct eighths *eighths)
{
	return quire_object_size(eighths->objects[0]);
}

/*
 * To object i, from 0, its number from 1 is written, and beside the gate; then that has to be
 * there.
 */
void eighths_record(struct eighths *eighths)
{
	struct quire_recorder *recorder = eighths->work->recorder;
	const struct quire_location at_work = quire_at(eighths->gate.object, sizeof(uint64_t));

	for (unsigned int i = 0; i < EIGHTHS; i++) {
		eighths->offsets[i] = quire_recorder_offset(recorder);
		quire_recorder_write_value(recorder, quire_at(eighths->objects[i], 0), i + 1);
		quire_recorder_write_value(recorder, at_work, i + 1);
		eighths->ends[i] = quire_recorder_offset(recorder);
		work_wait_at(eighths->work, &eighths->gate, i + 1);
	}
}

/* The number of the object whose commands are at work, or were last; 0: none. */
unsigned int eighths_at_work(const struct eighths *eighths)
{
	return __atomic_load_n(eighths->gate.number + 1, __ATOMIC_SEQ_CST);
}

/* How many objects the first part used, if each later one brought one. */
unsigned int eighths_first(const struct quire_result *result)
{
	return EIGHTHS + 1 - result->parts;
}

static bool is_right(struct quire_object *object, unsigned int index, bool written)
{
	const uint64_t number = index + 1;
	uint8_t page[QUIRE_PAGE];

	eighths_page(index, page);
	if (written)
		memcpy(page, &number, sizeof(number));
	if (quire_object_wait(object, WAIT_MS * 1000000ll))
		return false;
	return !memcmp(map(object), page, sizeof(page));
}

/* The first ones have their numbers, the others what the CPU wrote. */
bool eighths_are_right(const struct eighths *eighths, unsigned int written)
{
	bool right = true;

	for (unsigned int i = 0; i < EIGHTHS; i++) {
		if (is_right(eighths->objects[i], i, i < written))
			continue;
		tap_diag("object %u is wrong", i);
		right = false;
	}
	return right;
}
