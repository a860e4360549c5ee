/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An image: many files in one, so that a guest reads them from a disk in one
 * go instead of asking for them one by one.
 *
 * A block is IMAGE_BLOCK bytes. The first holds struct image_header; then come
 * the files, each from a block's start; then the table, in which an
 * image_entry and the name follow each other for each file; then zeros to the
 * end of the block. Numbers are little endian.
 */
#ifndef QUIRE_IMAGE_H
#define QUIRE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "file.h"

#define IMAGE_MAGIC	"quire image 1\n"
#define IMAGE_BLOCK	((uint64_t)4096)

/**
 * struct image_header - the first block
 * @magic: IMAGE_MAGIC; written last, so that an image is whole or none
 * @nr_files: in the image
 * @nr_unread: files that could not be read when it was made
 * @table_offset: bytes from the start
 * @table_size: bytes
 */
struct image_header {
	char magic[16];
	uint64_t nr_files;
	uint64_t nr_unread;
	uint64_t table_offset;
	uint64_t table_size;
};

/**
 * struct image_entry - one file
 * @offset: of its content, bytes from the start
 * @size: bytes
 * @digest: SHA-256 of what was read
 * @name_size: bytes of the name that follows, with the NUL at its end
 */
struct image_entry {
	uint64_t offset;
	uint64_t size;
	uint8_t digest[SHA256_DIGEST_SIZE];
	uint64_t name_size;
};

/**
 * struct image_writer - an image that is being made
 * @fd: of it
 * @nr_files: that are whole
 * @start: of the file that is being written, bytes
 * @end: of what is written of it
 * @table: of the files that are whole
 * @table_size: bytes
 */
struct image_writer {
	int fd;
	uint64_t nr_files;
	uint64_t start;
	uint64_t end;
	uint8_t *table;
	size_t table_size;
};

int image_create(struct image_writer *image, const char *path);
int image_add_piece(struct image_writer *image, const uint8_t *buffer, size_t bytes);
void image_drop_pieces(struct image_writer *image);
int image_add_file(struct image_writer *image, const char *name,
		   const struct file_content *content);
int image_finish(struct image_writer *image, uint64_t nr_unread);

/* One file of an image, at @offset; an error ends the reading. */
typedef int (*image_file_fn)(void *context, const char *name, uint64_t offset,
			     const struct file_content *content);

int image_read(int fd, uint64_t *nr_unread, image_file_fn file, void *context);

#endif
