/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Many commands on many objects, in an order that a seed decides. */
#ifndef QUIRE_TEST_STREAM_H
#define QUIRE_TEST_STREAM_H

#include "mirror.h"

#define STREAM_MOST	64

/**
 * struct stream - objects that commands use by turns
 * @gpu: who executes them
 * @mirrors: the objects; the last one is small, and takes results
 * @nr: number of @mirrors
 * @bytes: of all of them
 * @spare: at the end of each, bytes that commands do not touch
 * @random: what comes next
 */
struct stream {
	struct gpu gpu;
	struct mirror mirrors[STREAM_MOST];
	unsigned int nr;
	uint64_t bytes;
	uint64_t spare;
	uint64_t random;
};

int stream_open(struct stream *stream, uint64_t bytes, uint64_t largest, uint64_t seed);
void stream_close(struct stream *stream);
void stream_record(struct stream *stream, unsigned int commands);
bool stream_is_right(const struct stream *stream);

#endif
