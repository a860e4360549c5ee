/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A set of files and the buffer objects that hold their content.
 *
 * set_scan() finds the files, set_read() reads them into objects and remembers
 * the SHA-256 of what was read, set_verify() reads the objects back.  A file
 * that can not be read, or that changes meanwhile, is named and counted, and
 * the others go on.
 */
#ifndef QUIRE_SET_H
#define QUIRE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nettle/sha2.h>

#include "progress.h"

/**
 * struct set_bo - one buffer object
 * @handle: of it
 * @bytes: of the file in it; it ends with zeros up to a page
 */
struct set_bo {
	uint32_t handle;
	uint32_t bytes;
};

/**
 * struct set_file - one file
 * @path: relative to the directory
 * @size: bytes; of the scan until it is read
 * @first_bo: index of its first object
 * @nr_bos: number of its objects
 * @whole: it was read
 * @digest: SHA-256 of what was read
 */
struct set_file {
	char *path;
	uint64_t size;
	size_t first_bo;
	size_t nr_bos;
	bool whole;
	uint8_t digest[SHA256_DIGEST_SIZE];
};

/**
 * struct set - all of it
 * @fd: render node
 * @dir: the directory
 * @chunk: most bytes of one object
 * @buffer: @chunk bytes
 * @files: found
 * @nr_files: number of @files
 * @bos: the objects
 * @nr_bos: number of @bos
 * @bytes: of all files that were found, then of all that were read
 * @pages: bytes of memory for @bytes
 * @limit: bytes of memory that may be used
 * @nr_whole: files that were read
 * @nr_unread: files that could not be read
 * @progress: line on the screen
 */
struct set {
	int fd;
	int dir;
	size_t chunk;
	uint8_t *buffer;
	struct set_file *files;
	size_t nr_files;
	struct set_bo *bos;
	size_t nr_bos;
	uint64_t bytes;
	uint64_t pages;
	uint64_t limit;
	size_t nr_whole;
	size_t nr_unread;
	struct progress *progress;
};

int set_scan(struct set *set, const char *files0_from);
int set_read(struct set *set);
int set_verify(struct set *set, size_t *nr_differ);

uint64_t set_bo_size(uint64_t bytes);

#endif
