// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What it costs that memory is too small: textures are put on a layer, one after the other,
 * in one submission, when all are in VRAM and when only a quarter of them may be. It may be as
 * many bytes as the test option split_max_bytes says: so both are measured in turn, in the
 * same guest, and with the same objects.
 */
#include <errno.h>

#include "guest.h"
#include "measure.h"
#include "program.h"

#define TEXTURES	40
#define SIDE		512	/* of textures and layer, in pixels */
#define PIXEL		4
#define TEXTURE_SIZE	(SIDE * SIDE * PIXEL)
#define ROOM		((TEXTURES / 4 + 1) * TEXTURE_SIZE)

static struct quire_image image(struct quire_object *object)
{
	return (struct quire_image){
		.at = quire_at(object, 0), .pitch = SIDE * PIXEL, .width = SIDE, .height = SIDE,
	};
}

static void record(struct program *program, struct quire_object *layer,
		   struct quire_object **textures)
{
	const struct quire_rectangle all = { .columns = SIDE, .rows = SIDE };
	const struct quire_image to = image(layer);

	quire_recorder_fill(program->recorder, to.at, TEXTURE_SIZE, 0);
	for (int i = 0; i < TEXTURES; i++) {
		const struct quire_image from = image(textures[i]);

		quire_recorder_blend(program->recorder, &from, &to, &all);
	}
}

/* Seconds; what goes before brings memory to where it is each time that this is done. */
static double draw(const struct guest *guest, struct program *program, uint64_t room,
		   struct quire_result *result)
{
	program_limit(guest, room);
	program_run(program, NULL);
	return program_run(program, result);
}

static void measure(const struct guest *guest, struct program *program)
{
	double ratios[GUEST_ROUNDS];
	struct quire_result result;

	for (int i = 0; i < GUEST_ROUNDS; i++) {
		double whole = draw(guest, program, 0, &result);

		guest_must(result.bytes_in ? -EXFULL : 0, "not all is in VRAM");
		ratios[i] = draw(guest, program, ROOM, &result) / whole;
		guest_must(result.parts > 1 && result.bytes_in ? 0 : -EDOM, "it is not split");
	}
	measure_print("split_parts", result.parts, "parts");
	measure_print("split_paged", (double)result.bytes_in / QUIRE_MIB, "MiB");
	measure_print("split_per_whole", measure_median(ratios, GUEST_ROUNDS), "ratio");
}

void guest_split(struct guest *guest)
{
	struct quire_object *textures[TEXTURES], *layer;
	struct program program;

	guest_must(guest->vram > (TEXTURES + 1) * TEXTURE_SIZE ? 0 : -ENOSPC, "VRAM is too small");
	program_open(&program, 0);
	layer = program_object(&program, TEXTURE_SIZE);
	for (int i = 0; i < TEXTURES; i++)
		textures[i] = program_object(&program, TEXTURE_SIZE);
	record(&program, layer, textures);
	measure(guest, &program);
	program_limit(guest, 0);
	for (int i = 0; i < TEXTURES; i++)
		quire_object_close(textures[i]);
	quire_object_close(layer);
	program_close(&program);
}
