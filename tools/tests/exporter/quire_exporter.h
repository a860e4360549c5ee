/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What quire_exporter.ko and its callers have in common. */
#ifndef QUIRE_EXPORTER_H
#define QUIRE_EXPORTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define QUIRE_EXPORTER		"quire_exporter"

#define QUIRE_EXPORTER_MAX	16
#define QUIRE_EXPORTER_MAX_SIZE	(64u << 20)

/**
 * struct quire_exporter_create - make dma-bufs that share one reservation
 * @size: of each; a multiple of the page size, at most %QUIRE_EXPORTER_MAX_SIZE
 * @count: of them, 1 to %QUIRE_EXPORTER_MAX
 * @pad: 0
 * @fds: returned, descriptors of the first @count; they read as zero
 */
struct quire_exporter_create {
	__u64 size;
	__u32 count;
	__u32 pad;
	__s32 fds[QUIRE_EXPORTER_MAX];
};

#define QUIRE_EXPORTER_CREATE	_IOWR('Q', 0, struct quire_exporter_create)

#endif
