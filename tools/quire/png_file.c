// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdio.h>

#include <png.h>

#include "png_file.h"

/**
 * png_file_write - write a picture as a PNG file
 * @path: of the file, which may be there already
 * @pixels: red, green, blue and alpha, 8 bits each, opaque
 * @side: of the picture, which is square
 * @why: gets what is wrong, if something is
 * @size: bytes at @why
 *
 * Returns 0, or -EIO.
 */
int png_file_write(const char *path, const uint32_t *pixels, uint32_t side, char *why,
		   size_t size)
{
	png_image image = {
		.version = PNG_IMAGE_VERSION, .width = side, .height = side,
		.format = PNG_FORMAT_RGBA,
	};

	if (png_image_write_to_file(&image, path, 0, pixels, 0, NULL))
		return 0;
	snprintf(why, size, "%s", image.message);
	return -EIO;
}
