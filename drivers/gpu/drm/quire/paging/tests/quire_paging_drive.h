/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_DRIVE_H
#define QUIRE_PAGING_DRIVE_H

#include <linux/types.h>

#include "../quire_paging.h"
#include "quire_paging_model.h"

struct kunit;

#define QUIRE_DRIVE_MAX_WINDOW	(256 * 1024)
#define QUIRE_DRIVE_MAX_PRIVATE	(64 * 1024)
#define QUIRE_DRIVE_MAX_LOG	(64 * 1024)

/**
 * struct quire_drive - calls the builder until it is done
 * @test: fails if a rule that holds for every call is broken
 * @name: for messages
 * @caps: for the builder
 * @args: the operation; its window is ignored
 * @window: bytes of each paging buffer
 * @private_window: bytes of each private-data window
 * @seed: not 0: sizes differ from pass to pass, up to those
 * @forget: the builder remembers nothing between its calls
 * @pass: sees the packets of a pass; NULL: they are added to @log
 * @pass_data: for @pass
 * @buffer: the paging buffer
 * @private_buffer: the private data
 * @log: packets of all passes
 * @log_size: bytes in @log
 * @passes: calls of the builder that wrote something
 * @packets: number of packets
 * @bytes: what the packets say that they move, in all
 * @emitted: bytes of all packets
 */
struct quire_drive {
	struct kunit *test;
	const char *name;
	struct quire_paging_caps caps;
	const struct quire_paging_args *args;
	u32 window;
	u32 private_window;
	u32 seed;
	bool forget;
	void (*pass)(struct quire_drive *drive, const u8 *bytes, u32 size);
	void *pass_data;
	u8 *buffer;
	u8 *private_buffer;
	u8 *log;
	u32 log_size;
	u32 passes;
	u32 packets;
	u64 bytes;
	u64 emitted;
};

struct quire_drive *quire_drive_create(struct kunit *test);
void quire_drive_set(struct quire_drive *drive, const char *name,
		     const struct quire_paging_args *args, u32 max_packet_pages);
bool quire_drive_run(struct quire_drive *drive);
u32 quire_drive_smallest(const struct quire_paging_args *args);
u64 quire_drive_pages(const struct quire_paging_location *location);
u64 quire_drive_offset(const struct quire_paging_args *args,
		       const struct quire_paging_location *location);
u64 quire_drive_page(const struct quire_paging_location *location, u64 nr, u64 *left);

#endif
