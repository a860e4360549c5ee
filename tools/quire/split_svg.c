// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Three panels above each other, from the first byte of the commands at the left to the last
 * one at the right: what is moved for each part, what is where in video memory, and what is in
 * the slots of the resource table.
 */
#include <inttypes.h>
#include <math.h>

#include "quire_client.h"
#include "split_svg.h"

#define LEFT		90.0
#define WIDTH		1480.0
#define TOP		70.0
#define MOVES_HEIGHT	110.0
#define VRAM_HEIGHT	420.0
#define SLOT_HEIGHT	22.0
#define GAP		56.0

/**
 * struct canvas - where panels are
 * @file: what is written
 * @picture: what is shown
 * @nr_slots: slots that are used at all
 * @moves: top of the panel of moves
 * @vram: top of that of video memory
 * @slots: top of that of slots
 */
struct canvas {
	FILE *file;
	const struct split_picture *picture;
	uint32_t nr_slots;
	double moves;
	double vram;
	double slots;
};

static double x_of(const struct canvas *canvas, uint32_t byte)
{
	return LEFT + WIDTH * byte / canvas->picture->lists->list.size;
}

static double x_of_part(const struct canvas *canvas, uint32_t part)
{
	const struct plan *plan = canvas->picture->plan;

	return x_of(canvas, part < plan->nr_parts ? plan->parts[part].start :
						    canvas->picture->lists->list.size);
}

static uint32_t channel(double hue, double shift)
{
	return lrint(150 + 80 * cos(hue - shift));
}

/* Textures go through the rainbow, layers are dark. */
static uint32_t colour_of(const struct split_picture *picture, uint32_t object)
{
	double hue = 6.28 * object / picture->nr_textures;

	if (object >= picture->nr_textures)
		return object == picture->nr_textures ? 0x404048 : 0x808088;
	return channel(hue, 0) << 16 | channel(hue, 2.1) << 8 | channel(hue, 4.2);
}

static void name_object(const struct split_picture *picture, uint32_t object, char *name,
			size_t size)
{
	bool texture = object < picture->nr_textures;

	snprintf(name, size, "%s %u", texture ? "texture" : "layer",
		 texture ? object : object - picture->nr_textures);
}

static void write_text(const struct canvas *canvas, double x, double y, const char *anchor,
		       const char *text)
{
	fprintf(canvas->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y,
		anchor, text);
}

/* With its frame, so that what is next to each other can be told apart. */
static void write_box(const struct canvas *canvas, double x, double y, double width,
		      double height, uint32_t colour, const char *title)
{
	fprintf(canvas->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x, y,
		width, height);
	fprintf(canvas->file, " fill=\"#%06x\"><title>%s</title></rect>\n", colour, title);
}

static void write_line(const struct canvas *canvas, double x1, double y1, double x2, double y2,
		       const char *colour)
{
	fprintf(canvas->file, "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\"/>\n", x1, y1, x2, y2,
		colour);
}

static uint64_t most_moved(const struct plan *plan)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < plan->nr_parts; i++) {
		const struct plan_part *part = &plan->parts[i];

		most = part->bytes_in > most ? part->bytes_in : most;
		most = part->bytes_out > most ? part->bytes_out : most;
	}
	return most;
}

/* Above the line what comes, below it what goes. */
static void write_moves(const struct canvas *canvas)
{
	const struct plan *plan = canvas->picture->plan;
	double middle = canvas->moves + MOVES_HEIGHT / 2;
	double scale = MOVES_HEIGHT / 2 / most_moved(plan);
	char text[80];

	for (uint32_t i = 0; i < plan->nr_parts; i++) {
		const struct plan_part *part = &plan->parts[i];
		double x = x_of_part(canvas, i), width = x_of_part(canvas, i + 1) - x;

		snprintf(text, sizeof(text), "part %u: %.2f MiB in, %.2f MiB out", i,
			 (double)part->bytes_in / QUIRE_MIB, (double)part->bytes_out / QUIRE_MIB);
		write_box(canvas, x, middle - part->bytes_in * scale, width,
			  part->bytes_in * scale, 0x3b78b5, text);
		write_box(canvas, x, middle, width, part->bytes_out * scale, 0xc0584c, text);
	}
	write_line(canvas, LEFT, middle, LEFT + WIDTH, middle, "#444");
	snprintf(text, sizeof(text), "moves for each part: in above, out below; at most %.1f MiB",
		 (double)most_moved(plan) / QUIRE_MIB);
	write_text(canvas, LEFT, canvas->moves - 8, "start", text);
}

static void write_stay(const struct canvas *canvas, const struct plan_stay *stay)
{
	const struct split_picture *picture = canvas->picture;
	uint64_t size = picture->lists->objects[stay->object].size;
	double scale = VRAM_HEIGHT / picture->plan->vram, x = x_of_part(canvas, stay->first);
	char name[32], text[128];

	name_object(picture, stay->object, name, sizeof(name));
	snprintf(text, sizeof(text), "%s: at %.2f MiB, parts %u to %u", name,
		 (double)stay->address / QUIRE_MIB, stay->first, stay->end - 1);
	write_box(canvas, x, canvas->vram + VRAM_HEIGHT - (stay->address + size) * scale,
		  x_of_part(canvas, stay->end) - x, size * scale,
		  colour_of(picture, stay->object), text);
}

static void write_vram(const struct canvas *canvas)
{
	const struct plan *plan = canvas->picture->plan;
	double bottom = canvas->vram + VRAM_HEIGHT;
	char text[64];

	for (uint32_t i = 0; i < plan->nr_stays; i++)
		write_stay(canvas, &plan->stays[i]);
	for (uint32_t i = 1; i < plan->nr_parts; i++)
		write_line(canvas, x_of_part(canvas, i), canvas->vram, x_of_part(canvas, i),
			   bottom, "#0006");
	snprintf(text, sizeof(text), "%" PRIu64 " MiB", plan->vram / QUIRE_MIB);
	write_text(canvas, LEFT - 8, canvas->vram + 12, "end", text);
	write_text(canvas, LEFT - 8, bottom, "end", "0");
	write_text(canvas, LEFT, canvas->vram - 8, "start",
		   "video memory: what is where; a line at each split");
}

static void write_binding(const struct canvas *canvas, uint32_t slot, uint32_t object,
			  uint32_t start, uint32_t end)
{
	char name[32], text[128];

	if (object == QUIRE_NO_OBJECT || start == end)
		return;
	name_object(canvas->picture, object, name, sizeof(name));
	snprintf(text, sizeof(text), "%s: in slot %u from byte %u to %u", name, slot, start, end);
	write_box(canvas, x_of(canvas, start), canvas->slots + slot * SLOT_HEIGHT + 1,
		  x_of(canvas, end) - x_of(canvas, start), SLOT_HEIGHT - 2,
		  colour_of(canvas->picture, object), text);
}

static void write_slot(const struct canvas *canvas, uint32_t slot)
{
	const struct quire_command_list *list = &canvas->picture->lists->list;
	uint32_t object = QUIRE_NO_OBJECT, start = 0;
	char text[32];

	for (uint32_t i = 0; i < list->nr_patches; i++) {
		const struct quire_patch_location *patch = &list->patches[i];

		if (patch->slot != slot || quire_patch_object(list, i) == object)
			continue;
		write_binding(canvas, slot, object, start, patch->split_offset);
		object = quire_patch_object(list, i);
		start = patch->split_offset;
	}
	write_binding(canvas, slot, object, start, list->size);
	snprintf(text, sizeof(text), "slot %u", slot);
	write_text(canvas, LEFT - 8, canvas->slots + (slot + 0.7) * SLOT_HEIGHT, "end", text);
}

static void write_slots(const struct canvas *canvas)
{
	double bottom = canvas->slots + canvas->nr_slots * SLOT_HEIGHT + 16;
	char text[64];

	for (uint32_t i = 0; i < canvas->nr_slots; i++)
		write_slot(canvas, i);
	write_text(canvas, LEFT, canvas->slots - 8, "start", "resource table: what is bound");
	write_text(canvas, LEFT, bottom, "start", "byte 0 of the commands");
	snprintf(text, sizeof(text), "byte %u", canvas->picture->lists->list.size);
	write_text(canvas, LEFT + WIDTH, bottom, "end", text);
}

static struct canvas make_canvas(FILE *file, const struct split_picture *picture)
{
	struct canvas canvas = {
		.file = file,
		.picture = picture,
		.moves = TOP,
		.vram = TOP + MOVES_HEIGHT + GAP,
		.slots = TOP + MOVES_HEIGHT + VRAM_HEIGHT + 2 * GAP,
	};

	for (uint32_t i = 0; i < picture->lists->list.nr_patches; i++)
		if (picture->lists->patches[i].slot >= canvas.nr_slots)
			canvas.nr_slots = picture->lists->patches[i].slot + 1;
	return canvas;
}

/**
 * split_svg_write - write the picture
 * @file: open for writing; the caller looks for errors
 * @picture: what is shown
 */
void split_svg_write(FILE *file, const struct split_picture *picture)
{
	struct canvas canvas = make_canvas(file, picture);
	double width = LEFT + WIDTH + 30;
	double height = canvas.slots + canvas.nr_slots * SLOT_HEIGHT + 40;

	fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\"", width,
		height);
	fputs(" font-family=\"sans-serif\" font-size=\"14\" stroke-width=\"0.6\">\n", file);
	fprintf(file, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", width, height);
	write_text(&canvas, LEFT, 28, "start", picture->title);
	write_moves(&canvas);
	write_vram(&canvas);
	write_slots(&canvas);
	fputs("</svg>\n", file);
}
