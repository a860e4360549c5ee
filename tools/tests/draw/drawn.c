// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drawn.h"
#include "run.h"

/* All textures are twice the video memory together, or a little less. */
uint64_t drawn_texture_kib(const struct fixture *fixture)
{
	uint64_t kib = 4;

	while (2 * kib * 1024 * DRAWN_TEXTURES <= 2 * fixture_vram(fixture))
		kib *= 2;
	return kib;
}

static void read_report(struct drawn *drawn)
{
	const char *first = strstr(drawn->text, " of VRAM in ");
	const char *second = strstr(drawn->text, "quire: paged in ");

	if (!first || sscanf(first, " of VRAM in %u parts", &drawn->parts) != 1)
		drawn->parts = 0;
	if (!second || sscanf(second, "quire: paged in %" SCNu64 " bytes, out %" SCNu64
			      "; in at least %" SCNu64, &drawn->in, &drawn->out,
			      &drawn->least) != 3)
		drawn->least = 0;
}

/* %DRAWN_TEXTURES textures, if @options do not say something else. */
struct drawn drawn_with(const struct fixture *fixture, const char *options, const char *file)
{
	struct drawn drawn = { 0 };
	char command[256];

	snprintf(command, sizeof(command), "/quire/quire draw --textures %u --size %" PRIu64
		 " --side 512 %s %s", DRAWN_TEXTURES, drawn_texture_kib(fixture), options, file);
	drawn.status = run_program(command, drawn.text, sizeof(drawn.text));
	read_report(&drawn);
	return drawn;
}

bool drawn_is_right(const struct drawn *drawn)
{
	return !drawn->status && strstr(drawn->text, "each byte as the CPU draws it");
}
