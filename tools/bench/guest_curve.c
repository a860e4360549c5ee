// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Checksums of working sets of growing size, in both generations of the paging model: what
 * is left of the rate that there is while all of it is in VRAM. A submission uses each object
 * once, in the same order each time.
 */
#include <errno.h>
#include <stdio.h>

#include "guest.h"
#include "measure.h"
#include "program.h"

#define OBJECT_SIZE	(2 * QUIRE_MIB)
#define MOST		256	/* objects: four times 128 MiB */
#define ROUNDS		5
#define GENERATIONS	2

static const unsigned int percents[] = { 50, 100, 150, 200, 400 };

#define NR_SETS		(sizeof(percents) / sizeof(*percents))

/**
 * struct curve - objects, the first of which are a set
 * @program: that reads them
 * @objects: the objects
 * @count: of them
 * @results: where checksums go
 */
struct curve {
	struct program program;
	struct quire_object *objects[MOST];
	size_t count;
	struct quire_object *results;
};

static void record(struct curve *curve, size_t count)
{
	struct quire_recorder *recorder = curve->program.recorder;

	quire_recorder_reset(recorder);
	for (size_t i = 0; i < count; i++) {
		quire_recorder_bind(recorder, 0, quire_at(curve->objects[i], 0), OBJECT_SIZE, true);
		quire_recorder_checksum(recorder, quire_at(curve->objects[i], 0), OBJECT_SIZE,
					quire_at(curve->results, i * sizeof(uint64_t)));
		quire_recorder_unbind(recorder, 0);
	}
}

/* MiB per second, of the second time: the first one brings what can stay. */
static double rate(struct curve *curve, size_t count)
{
	record(curve, count);
	program_run(&curve->program, NULL);
	return count * OBJECT_SIZE / QUIRE_MIB / program_run(&curve->program, NULL);
}

static void print_set(unsigned int generation, size_t set, double rates[NR_SETS][ROUNDS],
		      const double *in_vram)
{
	double fractions[ROUNDS];
	char figure[64];

	for (int i = 0; i < ROUNDS; i++)
		fractions[i] = rates[set][i] / in_vram[i];
	snprintf(figure, sizeof(figure), "curve_%u_%u", generation, percents[set]);
	measure_print(figure, measure_median(fractions, ROUNDS), "ratio");
}

void guest_curve(struct guest *guest)
{
	static double rates[GENERATIONS][NR_SETS][ROUNDS];
	static struct curve curve;
	double in_vram[ROUNDS];

	program_open(&curve.program, 0);
	curve.results = program_object(&curve.program, QUIRE_PAGE);
	curve.count = guest->vram * percents[NR_SETS - 1] / 100 / OBJECT_SIZE;
	guest_must(curve.count <= MOST ? 0 : -ENOSPC, "VRAM is too large");
	for (size_t i = 0; i < curve.count; i++)
		curve.objects[i] = program_object(&curve.program, OBJECT_SIZE);
	for (int i = 0; i < ROUNDS; i++)
		for (size_t set = 0; set < NR_SETS; set++)
			for (unsigned int g = 0; g < GENERATIONS; g++) {
				program_set_parameter("generation", g + 1);
				rates[g][set][i] = rate(&curve, guest->vram * percents[set] / 100 /
								OBJECT_SIZE);
			}
	program_set_parameter("generation", 1);
	for (unsigned int g = 0; g < GENERATIONS; g++) {
		for (int i = 0; i < ROUNDS; i++)
			in_vram[i] = rates[g][0][i];
		for (size_t set = 0; set < NR_SETS; set++)
			print_set(g + 1, set, rates[g], in_vram);
	}
	for (size_t i = 0; i < curve.count; i++)
		quire_object_close(curve.objects[i]);
	quire_object_close(curve.results);
	program_close(&curve.program);
}
