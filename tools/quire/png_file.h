/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PNG_FILE_H
#define QUIRE_PNG_FILE_H

#include <stddef.h>
#include <stdint.h>

int png_file_write(const char *path, const uint32_t *pixels, uint32_t side, char *why,
		   size_t size);

#endif
