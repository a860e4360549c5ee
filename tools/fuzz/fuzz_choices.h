/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FUZZ_CHOICES_H
#define QUIRE_FUZZ_CHOICES_H

#include "../../drivers/gpu/drm/quire/commands/tests/quire_command_scene.h"

#include "fuzz.h"

/**
 * struct fuzz_choices - choices of a submission, made by an input
 * @choices: for quire_scene_random()
 * @input: the input
 */
struct fuzz_choices {
	struct quire_choices choices;
	struct fuzz_input input;
};

void fuzz_choices_start(struct fuzz_choices *choices, const uint8_t *bytes, size_t size);

#endif
