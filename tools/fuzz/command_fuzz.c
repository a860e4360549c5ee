// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Command buffers with their lists: an input becomes a submission, mostly a good one, of which
 * something is spoiled, perhaps. What the check says of it is compared with the model; what is
 * accepted is patched, part by part.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/array_size.h>
#include <linux/errno.h>

#include <asm/byteorder.h>

#include "../../drivers/gpu/drm/quire/commands/quire_command_check.h"

#include "fuzz_choices.h"

/* What the check said, so that nothing is left out unseen. */
static const struct answer {
	int err;
	const char *name;
} answers[] = {
#define ANSWER(err)	{ -(err), #err }
	{ 0, "0" }, ANSWER(EINVAL), ANSWER(EBADR), ANSWER(ERANGE), ANSWER(EMSGSIZE),
	ANSWER(EOPNOTSUPP), ANSWER(EPROTO), ANSWER(EDOM), ANSWER(EADDRINUSE), ANSWER(EBADSLT),
	ANSWER(ECHRNG), ANSWER(EILSEQ), ANSWER(EBADMSG), ANSWER(EBADE), ANSWER(ENXIO),
	ANSWER(EEXIST), ANSWER(EPROTOTYPE), ANSWER(ESTALE), ANSWER(EDESTADDRREQ),
	ANSWER(EADDRNOTAVAIL), ANSWER(EMEDIUMTYPE), ANSWER(EOVERFLOW), ANSWER(EXDEV),
	ANSWER(EACCES),
};

static unsigned long answered[ARRAY_SIZE(answers)];

static void tell_reach(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(answers); i++)
		fprintf(stderr, "reach: %lu answered: %s\n", answered[i], answers[i].name);
}

static void note_answer(int err)
{
	uint32_t i = 0;

	while (answers[i].err != err)
		FINDING_IF(++i == ARRAY_SIZE(answers));
	answered[i]++;
}

/* As large as it is, so that not a byte around it is touched unseen. */
static void *exactly(const void *from, size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		exit(2);
	memcpy(memory, from, size);

	return memory;
}

/* The same answer, if nothing is around it. */
static void check_exactly(struct quire_scene *scene, int err)
{
	struct quire_command_list list = scene->list;
	size_t fields_size = list.size / 8 * sizeof(*scene->fields);
	uint32_t *fields = malloc(fields_size);
	struct quire_command_error error;

	if (!fields)
		exit(2);
	list.commands = exactly(list.commands, list.size);
	list.objects = exactly(list.objects, list.nr_objects * sizeof(*list.objects));
	list.allocations = exactly(list.allocations,
				   list.nr_allocations * sizeof(*list.allocations));
	list.patches = exactly(list.patches, list.nr_patches * sizeof(*list.patches));
	FINDING_IF(quire_command_check(&list, fields, &error) != err);
	FINDING_IF(err && (error.why != scene->error.why || error.where != scene->error.where ||
			   error.entry != scene->error.entry ||
			   error.offset != scene->error.offset));
	FINDING_IF(!err && memcmp(fields, scene->fields, fields_size));
	free((void *)list.commands);
	free((void *)list.objects);
	free((void *)list.allocations);
	free((void *)list.patches);
	free(fields);
}

/* Where the command behind the one at @at begins, or one of those behind it. */
static uint32_t part_end(struct quire_scene *scene, struct quire_choices *choices, uint32_t at)
{
	do {
		const struct quire_packet_header *header = (void *)&scene->commands[at / 8];

		at += le32_to_cpu(header->size);
	} while (at < scene->list.size && choices->below(choices, 4));

	return at;
}

static void choose_addresses(struct quire_scene *scene, struct quire_choices *choices,
			     __u64 *addresses)
{
	uint32_t i;

	for (i = 0; i < scene->list.nr_objects; i++)
		addresses[i] = QUIRE_ADDRESS(scene->objects[i].segment,
					     choices->below(choices, 65536) * 0x10000ull);
}

/* What a word should be: that of the program, or the address of an entry. */
static uint64_t expected_word(const struct quire_scene *scene, uint32_t word,
			      const __u64 *addresses)
{
	const struct quire_command_list *list = &scene->list;
	uint32_t i;

	for (i = 0; i < list->nr_patches; i++) {
		const struct quire_patch_location *patch = &list->patches[i];
		uint32_t object = list->allocations[patch->allocation].object;

		if (object != QUIRE_NO_OBJECT && patch->patch_offset == 8 * word)
			return addresses[object] + patch->allocation_offset;
	}
	return le64_to_cpu(scene->commands[word]);
}

static void patch_part(struct quire_scene *scene, uint32_t start, uint32_t end,
		       const __u64 *addresses)
{
	__le64 *part = malloc(end - start);
	uint32_t i;

	if (!part)
		exit(2);
	quire_command_patch(part, &scene->list, scene->fields, start, end, addresses);
	for (i = 0; i < (end - start) / 8; i++)
		FINDING_IF(le64_to_cpu(part[i]) != expected_word(scene, start / 8 + i, addresses));
	free(part);
}

/* Part by part, each where its objects are then. */
static void patch_all(struct quire_scene *scene, struct quire_choices *choices)
{
	__u64 addresses[QUIRE_SCENE_OBJECTS];
	uint32_t start, end;

	for (start = 0; start < scene->list.size; start = end) {
		end = part_end(scene, choices, start);
		choose_addresses(scene, choices, addresses);
		patch_part(scene, start, end, addresses);
	}
}

static void check_one(struct quire_scene *scene, struct fuzz_choices *choices)
{
	uint32_t times = fuzz_below(&choices->input, 4);
	const char *wrong;
	int err;

	quire_scene_random(scene, &choices->choices);
	while (times--)
		quire_scene_spoil(scene, &choices->choices);

	wrong = quire_scene_check(scene, &err);
	if (wrong)
		fprintf(stderr, "%s\n", wrong);
	FINDING_IF(wrong);
	note_answer(err);
	check_exactly(scene, err);
	if (!err)
		patch_all(scene, &choices->choices);
}

/* An input is a sequence of command buffers, each checked by itself. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_choices choices;
	static struct quire_scene *scene;

	if (!scene) {
		scene = fuzz_alloc(sizeof(*scene));
		atexit(tell_reach);
	}
	fuzz_choices_start(&choices, data, size);
	do
		check_one(scene, &choices);
	while (choices.input.left);

	return 0;
}
