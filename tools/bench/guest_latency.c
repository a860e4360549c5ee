// SPDX-License-Identifier: GPL-2.0 OR MIT
/* How long one small move takes, against what any answer of another process takes. */
#include "echo.h"
#include "guest.h"
#include "measure.h"

#define ROUNDS	7
#define SAMPLES	201

/* Median of one place and wait, in microseconds; as many go in as out. */
static double place_and_wait(const struct guest_set *set)
{
	static const uint32_t segments[] = { DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_SEGMENT_SYSTEM };
	double times[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		double begin = measure_now();

		guest_set_place(set, segments[i % 2]);
		guest_set_wait(set);
		times[i] = (measure_now() - begin) * 1e6;
	}
	guest_set_place(set, DRM_QUIRE_SEGMENT_SYSTEM);
	guest_set_wait(set);
	return measure_median(times, SAMPLES);
}

void guest_latency(struct guest *guest)
{
	double places[ROUNDS], pipes[ROUNDS], ratios[ROUNDS];
	struct guest_set set;
	struct echo echo;

	guest_set_create(&set, guest->fd, 1, QUIRE_PAGE);
	echo_start(&echo);
	for (int i = 0; i < ROUNDS; i++) {
		pipes[i] = echo_ping_pong(&echo);
		places[i] = place_and_wait(&set);
		ratios[i] = places[i] / pipes[i];
	}
	echo_stop(&echo);
	guest_set_close(&set);
	measure_print("place_us", measure_median(places, ROUNDS), "us");
	measure_print("pipe_us", measure_median(pipes, ROUNDS), "us");
	measure_print("place_per_pipe", measure_median(ratios, ROUNDS), "ratio");
}
