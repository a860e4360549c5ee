// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Objects of each kind, of random shapes. */
#include "image.h"
#include "random.h"
#include "soak.h"

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

/* The device converts each access to an image in VRAM: many small ones see more. */
#define IMAGE_LIMIT	(128u << 10)
#define WIDTH_LIMIT	300
#define HEIGHT_LIMIT	10000
#define MAX_LEVELS	4
#define MAX_SLICES	3

const char *kind_name(enum soak_kind kind)
{
	static const char * const names[SOAK_KINDS] = {
		[SOAK_PLAIN] = "plain",
		[SOAK_IMAGE] = "image",
		[SOAK_VIEW] = "image with a view",
		[SOAK_COMBINED] = "write-combined",
		[SOAK_WINDOW] = "of the window",
	};

	return names[kind];
}

bool kind_is_there(const struct drm_quire_device_info *info, enum soak_kind kind)
{
	return kind != SOAK_WINDOW || info->aperture_window_size;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a < b ? b : a;
}

/* A column of whole tiles, or two beside each other: nothing of it is padding. */
static void shape_tiles(struct image *image, uint64_t size)
{
	const uint64_t tile = image->layout == DRM_QUIRE_LAYOUT_TILE_4K ? 4096 : 65536;
	uint64_t edge = 1;

	while (edge * edge * image->element_size < tile)
		edge *= 2;
	image->width = edge;
	image->height = edge * most(size / (edge * edge * image->element_size), 1);
	image->levels = 1;
	image->array_size = 1;
}

static void shape_any(struct image *image, uint64_t size, uint64_t *random)
{
	uint64_t elements;

	image->array_size = 1 + random_below(random, MAX_SLICES);
	elements = size / image->array_size / image->element_size;
	image->width = 1 + random_below(random, least(WIDTH_LIMIT, elements));
	image->height = 1 + random_below(random, least(HEIGHT_LIMIT, elements / image->width));
	image->levels = 1 + random_below(random, MAX_LEVELS);
	while (!(most(image->width, image->height) >> (image->levels - 1)))
		image->levels--;
}

/* About @size bytes, at least a tile. */
static struct image random_image(uint64_t *random, uint64_t size)
{
	struct image image = {
		.layout = random_below(random, 2) ? DRM_QUIRE_LAYOUT_TILE_64K :
						    DRM_QUIRE_LAYOUT_TILE_4K,
		.element_size = 1u << random_below(random, 5),
	};

	if (random_below(random, 2))
		shape_tiles(&image, least(size, IMAGE_LIMIT));
	else
		shape_any(&image, least(size, IMAGE_LIMIT), random);
	return image;
}

static uint32_t random_caching(uint64_t *random)
{
	return random_below(random, 2) ? DRM_QUIRE_CACHING_WRITE_COMBINED :
					 DRM_QUIRE_CACHING_CACHED;
}

static int create_image(struct soak_worker *worker, struct soak_object *object, uint64_t size)
{
	struct image image = random_image(&worker->random, size);

	object->size = image_linear_size(&image);
	object->map_size = image_object_size(&image);
	object->vram_size = most(object->map_size, image_tiled_size(&image));
	if (object->kind == SOAK_VIEW) {
		object->segments &= ~DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE);
		return image_create_view(worker->fd, &image, &object->handle);
	}
	return image_create_caching(worker->fd, &image, ANYWHERE,
				    random_caching(&worker->random), &object->handle);
}

static int create_bytes(struct soak_worker *worker, struct soak_object *object, uint64_t size)
{
	if (object->kind == SOAK_WINDOW)
		size = least(size, worker->info.aperture_window_size);
	object->size = size;
	object->map_size = size;
	object->vram_size = size;
	if (object->kind == SOAK_WINDOW)
		return quire_bo_create_window(worker->fd, size, random_caching(&worker->random),
					      &object->handle);
	return quire_bo_create_caching(worker->fd, size, ANYWHERE,
				       object->kind == SOAK_COMBINED ?
				       DRM_QUIRE_CACHING_WRITE_COMBINED :
				       DRM_QUIRE_CACHING_CACHED, &object->handle);
}

/**
 * kind_create - make an object of a kind, with neither mapping nor model
 * @worker: whose it is
 * @object: to fill
 * @kind: of it; see kind_is_there()
 * @size: bytes, about: images have a size of their own, and what is for the window is not
 *        larger than that
 *
 * Returns 0 or a negative errno.
 */
int kind_create(struct soak_worker *worker, struct soak_object *object, enum soak_kind kind,
		uint64_t size)
{
	*object = (struct soak_object){ .kind = kind, .segments = ANYWHERE };
	if (kind == SOAK_IMAGE || kind == SOAK_VIEW)
		return create_image(worker, object, size);
	return create_bytes(worker, object, size);
}
