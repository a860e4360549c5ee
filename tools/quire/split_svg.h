/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SPLIT_SVG_H
#define QUIRE_SPLIT_SVG_H

#include <stdio.h>

#include "plan.h"

/**
 * struct split_picture - what is shown
 * @title: a line
 * @lists: the submission
 * @plan: what came of it
 * @nr_textures: handles from 1 to it are textures, what is behind are layers
 */
struct split_picture {
	const char *title;
	const struct command_lists *lists;
	const struct plan *plan;
	uint32_t nr_textures;
};

void split_svg_write(FILE *file, const struct split_picture *picture);

#endif
