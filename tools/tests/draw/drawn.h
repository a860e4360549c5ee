/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Pictures that "quire draw" makes for a test. */
#ifndef QUIRE_TEST_DRAWN_H
#define QUIRE_TEST_DRAWN_H

#include "fixture.h"

#define DRAWN_TEXTURES	128

/**
 * struct drawn - what it says
 * @status: its exit status
 * @text: all of it
 * @parts: of the submission
 * @in: bytes that were paged in
 * @out: bytes that were paged out
 * @least: bytes that have to be paged in whatever is done
 */
struct drawn {
	int status;
	char text[4096];
	unsigned int parts;
	uint64_t in;
	uint64_t out;
	uint64_t least;
};

uint64_t drawn_texture_kib(const struct fixture *fixture);
struct drawn drawn_with(const struct fixture *fixture, const char *options, const char *file);
bool drawn_is_right(const struct drawn *drawn);

#endif
