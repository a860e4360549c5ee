// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <string.h>

#include "fixture.h"
#include "stream.h"

/* What one command touches at most, so that the CPU keeps up. */
#define PIECE		(128u << 10)

#define RESULTS		(4 * QUIRE_PAGE)

static int add_object(struct stream *stream, uint64_t size)
{
	const struct quire_object_options options = { .size = size };
	struct mirror *mirror = &stream->mirrors[stream->nr];
	int ret = mirror_create(&stream->gpu, mirror, &options, random_next(&stream->random));

	stream->nr++;
	stream->bytes += size;
	return ret;
}

/**
 * stream_open - open the device once more, and make objects
 * @stream: to fill; for stream_close(), also after an error
 * @bytes: of all objects, at least
 * @largest: bytes of the largest one; others have down to half of it
 * @seed: of all that is random
 *
 * Returns 0 or a negative errno; -E2BIG: @largest is too small for @bytes.
 */
int stream_open(struct stream *stream, uint64_t bytes, uint64_t largest, uint64_t seed)
{
	uint64_t pages = largest / QUIRE_PAGE;
	int ret;

	memset(stream, 0, sizeof(*stream));
	stream->random = seed;
	stream->spare = QUIRE_PAGE;
	ret = gpu_open(&stream->gpu);
	while (!ret && stream->bytes < bytes && stream->nr < STREAM_MOST - 1)
		ret = add_object(stream, QUIRE_PAGE * (pages / 2 + random_below(&stream->random,
										pages / 2)));
	if (!ret && stream->bytes < bytes)
		ret = -E2BIG;
	return ret ? ret : add_object(stream, RESULTS);
}

void stream_close(struct stream *stream)
{
	for (unsigned int i = 0; i < stream->nr; i++)
		mirror_close(&stream->mirrors[i]);
	gpu_close(&stream->gpu);
}

/* Room for @size bytes, at a multiple of @align, in any object but that of the results. */
static struct span any_span(struct stream *stream, uint64_t size, uint64_t align)
{
	struct mirror *mirror =
		&stream->mirrors[random_below(&stream->random, stream->nr - 1)];
	uint64_t room = mirror->size - stream->spare - size;

	return span(mirror, random_below(&stream->random, room / align + 1) * align);
}

static struct span result(struct stream *stream)
{
	struct mirror *mirror = &stream->mirrors[stream->nr - 1];
	uint64_t places = (mirror->size - stream->spare) / sizeof(struct quire_compare_report);

	return span(mirror, random_below(&stream->random, places) *
			    sizeof(struct quire_compare_report));
}

static void record_one(struct stream *stream)
{
	uint64_t size = 4 * (1 + random_below(&stream->random, PIECE / 4));
	struct span src = any_span(stream, size, QUIRE_CHECKSUM_ALIGN);
	struct span dst = any_span(stream, size, 4);
	struct gpu *gpu = &stream->gpu;

	switch (random_below(&stream->random, 8)) {
	case 0:
		mirror_fill(gpu, dst, size, random_next(&stream->random));
		break;
	case 1:
		mirror_checksum(gpu, src, size, result(stream));
		break;
	case 2:
		mirror_compare(gpu, src, dst, size, result(stream));
		break;
	case 3:
		mirror_write_value(gpu, result(stream), random_next(&stream->random));
		break;
	case 4:
		mirror_arithmetic(gpu, QUIRE_ARITHMETIC_XOR, src, dst, size);
		break;
	case 5:
		mirror_arithmetic(gpu, QUIRE_ARITHMETIC_ADD, src, dst, size);
		break;
	default:
		mirror_copy(gpu, src, dst, size);
	}
}

/**
 * stream_record - record commands
 * @stream: whose recorder gets them
 * @commands: how many
 */
void stream_record(struct stream *stream, unsigned int commands)
{
	while (commands--)
		record_one(stream);
}

/* What was submitted is done. */
bool stream_is_right(const struct stream *stream)
{
	for (unsigned int i = 0; i < stream->nr; i++)
		if (!mirror_is_right(&stream->mirrors[i]))
			return false;
	return true;
}
