// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Every command, by itself and all of them in one submission, on each execution ring and in
 * each kind of memory: the CPU sees what it computed, and nothing else has changed.
 */
#include <unistd.h>

#include "mirror.h"
#include "work.h"

#define SIZE	(96u << 10)

#define VALUE	0x1122334455667788ull

/* Where the results of commands go. */
#define RESULT	(8u << 10)

/**
 * struct kind - where an object is
 * @name: for messages
 * @options: of it
 */
struct kind {
	const char *name;
	struct quire_object_options options;
};

#define APERTURE	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

static const struct kind vram = { "VRAM", { .size = SIZE } };
static const struct kind cached = { "aperture, cached", { .size = SIZE, .classes = APERTURE } };
static const struct kind combined = {
	"aperture, write-combined",
	{ .size = SIZE, .classes = APERTURE, .caching = DRM_QUIRE_CACHING_WRITE_COMBINED },
};

/* Where source, destination and results are. */
static const struct kind * const kinds[][3] = {
	{ &vram, &vram, &vram },
	{ &cached, &cached, &cached },
	{ &combined, &combined, &combined },
	{ &vram, &combined, &cached },
	{ &cached, &vram, &combined },
	{ &combined, &cached, &vram },
};

/**
 * struct world - what commands use
 * @gpu: who executes them
 * @src: source
 * @dst: destination
 * @result: of CHECKSUM and COMPARE
 */
struct world {
	struct gpu *gpu;
	struct mirror src;
	struct mirror dst;
	struct mirror result;
};

static void record_nop(struct world *world)
{
	quire_recorder_nop(world->gpu->recorder, 8);
	quire_recorder_nop(world->gpu->recorder, 4096);
}

static void record_copy(struct world *world)
{
	struct mirror *src = &world->src, *dst = &world->dst;

	mirror_copy(world->gpu, span(src, 3), span(dst, 4099), 20001);
	mirror_copy(world->gpu, span(src, SIZE - 1), span(dst, 0), 1);
	/* within one object, as memmove(), both ways */
	mirror_copy(world->gpu, span(dst, 0), span(dst, 1000), 9000);
	mirror_copy(world->gpu, span(dst, 50000), span(dst, 45000), 9000);
}

static void record_fill(struct world *world)
{
	mirror_fill(world->gpu, span(&world->dst, 4092), 8, 0x01020304);
	mirror_fill(world->gpu, span(&world->dst, 40000), SIZE - 40000, 0xa5b6c7d8);
}

static void record_arithmetic(struct world *world)
{
	struct mirror *src = &world->src, *dst = &world->dst;

	mirror_arithmetic(world->gpu, QUIRE_ARITHMETIC_ADD, span(src, 4), span(dst, 8), 40000);
	mirror_arithmetic(world->gpu, QUIRE_ARITHMETIC_XOR, span(src, 40008), span(dst, 40004),
			  40000);
	/* one number after the other: each takes the sum of those before */
	mirror_arithmetic(world->gpu, QUIRE_ARITHMETIC_ADD, span(dst, 60000), span(dst, 60004),
			  8000);
}

static void record_checksum(struct world *world)
{
	static const uint64_t sizes[] = { 1, 7, 31, 32, 33, 4096, SIZE - 64 };
	struct mirror *result = &world->result;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		mirror_checksum(world->gpu, span(&world->src, QUIRE_CHECKSUM_ALIGN * (i % 3)),
				sizes[i], span(result, RESULT + 8 * i));
}

static void record_compare(struct world *world)
{
	struct mirror *src = &world->src, *dst = &world->dst, *result = &world->result;

	mirror_copy(world->gpu, span(src, 5), span(dst, 77), 20000);
	mirror_compare(world->gpu, span(src, 5), span(dst, 77), 20000, span(result, 0));
	mirror_compare(world->gpu, span(src, 5), span(dst, 77), 30000, span(result, 16));
	mirror_compare(world->gpu, span(src, 1), span(src, 0), SIZE - 1, span(result, 32));
}

static void record_write_value(struct world *world)
{
	mirror_write_value(world->gpu, span(&world->dst, 8), VALUE);
	mirror_write_value(world->gpu, span(&world->dst, SIZE - 8), ~0ull);
}

/* It is there already. */
static void record_wait_value(struct world *world)
{
	struct quire_location at = quire_at(world->dst.object, 16);

	mirror_write_value(world->gpu, span(&world->dst, 16), VALUE);
	quire_recorder_wait_value(world->gpu->recorder, QUIRE_WAIT_EQUAL, at, VALUE);
	quire_recorder_wait_value(world->gpu->recorder, QUIRE_WAIT_GREATER_EQUAL, at, VALUE - 1);
	quire_recorder_wait_value(world->gpu->recorder, QUIRE_WAIT_GREATER_EQUAL, at, VALUE);
}

static void record_delay(struct world *world)
{
	quire_recorder_delay(world->gpu->recorder, 1000);
}

static struct picture picture(struct mirror *mirror, uint64_t offset, uint32_t element_size,
			      uint32_t pitch, uint32_t width, uint32_t height)
{
	return (struct picture){
		.mirror = mirror,
		.image = {
			.at = { mirror->object, offset },
			.pitch = pitch,
			.width = width,
			.height = height,
		},
		.element_size = element_size,
	};
}

/* Elements of every size; the rectangle reaches over all four edges. */
static void record_copy_2d(struct world *world)
{
	static const struct quire_rectangle rectangle = { -3, 2, 5, -4, 60, 70 };

	for (uint32_t size = 1; size <= 16; size *= 2) {
		struct picture src = picture(&world->src, 512, size, 48 * size, 37, 41);
		struct picture dst = picture(&world->dst, 256, size, 64 * size, 50, 23);

		mirror_copy_2d(world->gpu, &src, &dst, &rectangle);
	}
}

static void record_blend(struct world *world)
{
	static const struct quire_rectangle rectangle = { 1, -2, -3, 4, 100, 100 };
	struct picture src = picture(&world->src, 8, 4, 400, 99, 90);
	struct picture dst = picture(&world->dst, 12, 4, 512, 120, 80);

	mirror_blend(world->gpu, &src, &dst, &rectangle);
}

/**
 * struct command - one that is tested
 * @name: of it
 * @record: records it, with what it should do
 */
struct command {
	const char *name;
	void (*record)(struct world *world);
};

static const struct command commands[] = {
	{ "NOP", record_nop },
	{ "COPY", record_copy },
	{ "FILL", record_fill },
	{ "ARITHMETIC", record_arithmetic },
	{ "CHECKSUM", record_checksum },
	{ "COMPARE", record_compare },
	{ "WRITE_VALUE", record_write_value },
	{ "WAIT_VALUE", record_wait_value },
	{ "DELAY", record_delay },
	{ "COPY_2D", record_copy_2d },
	{ "BLEND", record_blend },
};

static bool world_is_right(const struct world *world)
{
	return mirror_is_right(&world->src) && mirror_is_right(&world->dst) &&
	       mirror_is_right(&world->result);
}

static void test_kind(struct gpu *gpu, const struct kind * const kind[3])
{
	struct world world = { .gpu = gpu };
	int ret = mirror_create(gpu, &world.src, &kind[0]->options, 1);

	if (!ret)
		ret = mirror_create(gpu, &world.dst, &kind[1]->options, 2);
	if (!ret)
		ret = mirror_create(gpu, &world.result, &kind[2]->options, 3);
	tap_ret(ret, 0, "ring %u: from %s to %s, results in %s", gpu->ring, kind[0]->name,
		kind[1]->name, kind[2]->name);

	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++) {
		commands[i].record(&world);
		tap_ret(gpu_run(gpu), 0, "%s", commands[i].name);
		tap_ok(world_is_right(&world), "%s did what it should", commands[i].name);
	}
	for (unsigned int i = 0; i < 20 * ARRAY_SIZE(commands); i++)
		commands[i * 7 % ARRAY_SIZE(commands)].record(&world);
	tap_ret(gpu_run(gpu), 0, "all of them, 20 times");
	tap_ok(world_is_right(&world), "all did what they should");
	mirror_close(&world.src);
	mirror_close(&world.dst);
	mirror_close(&world.result);
}

/**
 * struct tiled - an image with a layout
 * @layout: of it
 * @element_size: bytes
 */
struct tiled {
	uint32_t layout;
	uint32_t element_size;
};

static const struct tiled tiled[] = {
	{ DRM_QUIRE_LAYOUT_TILE_4K, 4 },
	{ DRM_QUIRE_LAYOUT_TILE_64K, 4 },
	{ DRM_QUIRE_LAYOUT_TILE_4K, 1 },
	{ DRM_QUIRE_LAYOUT_TILE_64K, 2 },
	{ DRM_QUIRE_LAYOUT_TILE_4K, 8 },
	{ DRM_QUIRE_LAYOUT_TILE_64K, 16 },
};

#define WIDTH	150u
#define HEIGHT	70u
#define LEVELS	3u
#define SLICES	2u

static int create_tiled(struct gpu *gpu, const struct tiled *tiled, struct picture *picture,
			struct mirror *mirror, uint64_t key)
{
	struct quire_object_options options = {
		.layout = tiled->layout,
		.element_size = tiled->element_size,
		.width = WIDTH,
		.height = HEIGHT,
		.levels = LEVELS,
		.array_size = SLICES,
	};
	int ret;

	for (uint32_t level = 0; level < LEVELS; level++)
		options.size += (WIDTH >> level) * (HEIGHT >> level) * tiled->element_size * SLICES;
	options.size = (options.size + QUIRE_PAGE - 1) & ~(QUIRE_PAGE - 1);
	ret = mirror_create(gpu, mirror, &options, key);
	if (!ret)
		*picture = (struct picture){
			.mirror = mirror,
			.image = quire_object_image(mirror->object, 0, 0),
			.element_size = tiled->element_size,
		};
	return ret;
}

/* Between tiles and rows, and between two images with tiles; also over the edges. */
static void record_tiled(struct gpu *gpu, struct picture *one, struct picture *other,
			 struct mirror *rows)
{
	static const struct quire_rectangle some = { 3, 1, 17, 9, 100, 50 };
	static const struct quire_rectangle over = { -5, -6, 4, 3, 500, 500 };
	const uint32_t size = one->element_size;
	struct picture linear = picture(rows, 16, size, 160 * size, 155, 66);

	for (uint32_t level = 0; level < LEVELS; level++) {
		one->image.level = level;
		one->image.slice = level % SLICES;
		other->image.level = level / 2;
		other->image.slice = SLICES - 1;
		mirror_copy_2d(gpu, &linear, one, &over);
		mirror_copy_2d(gpu, one, other, &some);
		mirror_copy_2d(gpu, other, &linear, &some);
		if (size != 4)
			continue;
		mirror_blend(gpu, &linear, one, &some);
		mirror_blend(gpu, one, other, &over);
		mirror_blend(gpu, other, &linear, &some);
	}
}

static void test_tiled(struct gpu *gpu, const struct tiled *kind, const struct kind *rows)
{
	const struct tiled other_kind = {
		DRM_QUIRE_LAYOUT_TILE_4K + DRM_QUIRE_LAYOUT_TILE_64K - kind->layout,
		kind->element_size,
	};
	struct quire_object_options options = rows->options;
	struct picture one, other;
	struct mirror mirrors[3];
	int ret;

	options.size = 192 << 10;
	ret = create_tiled(gpu, kind, &one, &mirrors[0], 4);
	if (!ret)
		ret = create_tiled(gpu, &other_kind, &other, &mirrors[1], 5);
	if (!ret)
		ret = mirror_create(gpu, &mirrors[2], &options, 6);
	tap_ret(ret, 0, "ring %u: tiles of %u KiB, elements of %u bytes, rows in %s", gpu->ring,
		kind->layout == DRM_QUIRE_LAYOUT_TILE_4K ? 4 : 64, kind->element_size,
		rows->name);
	record_tiled(gpu, &one, &other, &mirrors[2]);
	tap_ret(gpu_run(gpu), 0, "COPY_2D%s", kind->element_size == 4 ? " and BLEND" : "");
	for (unsigned int i = 0; i < ARRAY_SIZE(mirrors); i++) {
		tap_ok(mirror_is_right(&mirrors[i]), "image %u is right", i);
		mirror_close(&mirrors[i]);
	}
}

/* The CPU ends the wait; until then what stands behind it is not executed. */
static void test_wait_cpu(struct gpu *gpu, const struct kind *kind)
{
	const int fd = quire_device_fd(gpu->device);
	volatile uint64_t *value;
	struct mirror mirror;
	void *map;
	int ret = mirror_create(gpu, &mirror, &kind->options, 7);

	tap_ret(ret, 0, "ring %u: WAIT_VALUE in %s", gpu->ring, kind->name);
	/* where the CPU does not move it when it writes */
	if (!ret && kind == &vram)
		ret = quire_bo_place(fd, quire_object_handle(mirror.object),
				     DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE);
	if (!ret)
		ret = quire_object_map(mirror.object, &map);
	tap_ret(ret, 0, "it is in reach of the CPU");
	value = map;
	mirror_fill(gpu, span(&mirror, 0), 4096, 0);
	tap_ret(gpu_run(gpu), 0, "a value of 0");

	quire_recorder_wait_value(gpu->recorder, QUIRE_WAIT_EQUAL, quire_at(mirror.object, 0),
				  VALUE);
	mirror_write_value(gpu, span(&mirror, 8), VALUE);
	tap_ret(gpu_submit(gpu), 0, "it waits for another one");
	tap_ret(quire_fence_wait(gpu->fence, 0, 10000000), -ETIME, "that is not there");
	tap_ok(value[1] != VALUE, "nothing behind it is executed");
	*value = VALUE;
	tap_ret(quire_fence_wait(gpu->fence, 0, WAIT_MS * 1000000ll), 0, "the CPU writes it");
	tap_ok(value[1] == VALUE, "now it is");
	mirror_close(&mirror);
}

/* The other ring has to be done first, as it writes what is read here: that is no race. */
static void test_wait_ring(struct gpu *gpu, const struct kind *kind, uint32_t rings)
{
	const uint32_t ring = gpu->ring;
	struct mirror mirror, copy;
	int ret;

	if (rings < 2) {
		tap_skip("one execution ring", "wait for another one");
		return;
	}
	ret = mirror_create(gpu, &mirror, &kind->options, 8);
	if (!ret)
		ret = mirror_create(gpu, &copy, &kind->options, 9);
	tap_ret(ret, 0, "ring %u: WAIT_VALUE in %s for another ring", ring, kind->name);
	gpu->ring = (ring + 1) % rings;
	quire_recorder_delay(gpu->recorder, 20000000);
	mirror_write_value(gpu, span(&mirror, 64), VALUE);
	tap_ret(gpu_submit(gpu), 0, "that one writes, later");
	gpu->ring = ring;
	mirror_copy(gpu, span(&mirror, 64), span(&copy, 72), 8);
	quire_recorder_wait_value(gpu->recorder, QUIRE_WAIT_EQUAL, quire_at(mirror.object, 64),
				  VALUE);
	tap_ret(gpu_run(gpu), 0, "this one waits for it");
	tap_ok(mirror_is_right(&mirror) && mirror_is_right(&copy), "and reads it only then");
	mirror_close(&mirror);
	mirror_close(&copy);
}

static void test_delay(struct gpu *gpu)
{
	const int64_t delay = 50000000;
	int64_t begin = quire_now_ns();

	quire_recorder_delay(gpu->recorder, delay);
	tap_ret(gpu_run(gpu), 0, "ring %u: DELAY", gpu->ring);
	/* the clocks of guest and machine are not quite the same */
	tap_ok(quire_now_ns() - begin > delay - delay / 10, "it took that long");
}

static void test_ring(struct gpu *gpu, uint32_t rings)
{
	static const struct kind * const all[] = { &vram, &cached, &combined };

	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		test_kind(gpu, kinds[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(tiled); i++)
		test_tiled(gpu, &tiled[i], all[i % ARRAY_SIZE(all)]);
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		test_wait_cpu(gpu, all[i]);
		test_wait_ring(gpu, all[i], rings);
	}
	test_delay(gpu);
}

int main(void)
{
	struct fixture fixture;
	struct gpu gpu;
	uint32_t rings;

	tap_start(120);
	fixture_open(&fixture);
	rings = fixture.info.execution_rings;
	if (!rings)
		tap_skip_all("no execution rings");
	tap_ret(gpu_open(&gpu), 0, "open, with a context");
	if (!getuid())
		test_parameter("hang_period", WORK_PATIENCE_MS);
	for (gpu.ring = 0; gpu.ring < rings; gpu.ring++)
		test_ring(&gpu, rings);
	if (!getuid())
		test_parameter("hang_period", 3000);
	gpu_close(&gpu);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
