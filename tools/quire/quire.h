/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The commands of the program and what they tell the user. */
#ifndef QUIRE_H
#define QUIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses. */
#define QUIRE_EXIT_FAILED	1
#define QUIRE_EXIT_USAGE	2

/**
 * struct page_options - what "quire page" is asked to do
 * @source: directory whose files are paged, or an image
 * @files0_from: file with names relative to @source, "-" for standard input, or
 *               NULL for all of @source
 * @rounds: how often the set goes through VRAM
 * @seed: of the order and the places
 * @progress: print a progress line
 */
struct page_options {
	const char *source;
	const char *files0_from;
	unsigned int rounds;
	uint64_t seed;
	bool progress;
};

/**
 * struct pack_options - what "quire pack" is asked to do
 * @dir: whose files are packed
 * @image: file that is made
 * @files0_from: as in &struct page_options
 * @progress: print a progress line
 */
struct pack_options {
	const char *dir;
	const char *image;
	const char *files0_from;
	bool progress;
};

/**
 * struct draw_options - what "quire draw" is asked to do
 * @output: file that is made
 * @textures: number of textures
 * @passes: how often each is drawn
 * @texture_size: bytes of a texture, a power of two
 * @side: of the picture, in pixels
 * @is_virtual: commands have virtual addresses, not lists of what they use
 * @progress: print a progress line
 */
struct draw_options {
	const char *output;
	uint32_t textures;
	uint32_t passes;
	uint64_t texture_size;
	uint32_t side;
	bool is_virtual;
	bool progress;
};

/**
 * struct split_options - what "quire split" is asked to do
 * @draw: the submission; its output is the file that is made
 * @vram: bytes of video memory
 * @lru: evict what was used least recently
 */
struct split_options {
	struct draw_options draw;
	uint64_t vram;
	bool lru;
};

int quire_info(void);
int quire_page(const struct page_options *options);
int quire_pack(const struct pack_options *options);
int quire_draw(const struct draw_options *options);
int quire_split(const struct split_options *options);

int quire_open_or_say(char *path, size_t size);
int quire_say(const char *what, const char *why, const char *next);
int quire_say_errno(const char *what, int error);
void quire_print_name(FILE *stream, const char *name);

#endif
