// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vram.h"

#define MOST	(32 * 1024)	/* bytes of one read */

int vram_open(const struct fixture *fixture, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/device_vram", fixture->debugfs);
	return open(path, flags | O_CLOEXEC);
}

/* Where VRAM has the page; -1: nowhere. */
off_t vram_find(int fd, const void *page)
{
	static uint8_t piece[MOST];
	off_t start = 0;
	ssize_t got;

	while ((got = pread(fd, piece, sizeof(piece), start)) > 0) {
		for (ssize_t at = 0; at < got; at += QUIRE_PAGE)
			if (!memcmp(piece + at, page, QUIRE_PAGE))
				return start + at;
		start += got;
	}
	return -1;
}
