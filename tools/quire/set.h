/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A set of files and the buffer objects that hold their content.
 *
 * set_scan() finds the files, in a directory or in an image; set_read() reads
 * them into objects and knows the SHA-256 of what was read: of an image, that
 * of the machine that made it. set_verify() reads the objects back. A file
 * that can not be read, or that changes meanwhile, is named and counted, and
 * the others go on.
 */
#ifndef QUIRE_SET_H
#define QUIRE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file.h"
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
 * @path: its name, relative to the directory
 * @offset: of its content in the image
 * @content: of the scan, then what was read
 * @first_bo: index of its first object
 * @nr_bos: number of its objects
 * @whole: it was read
 */
struct set_file {
	char *path;
	uint64_t offset;
	struct file_content content;
	size_t first_bo;
	size_t nr_bos;
	bool whole;
};

/**
 * struct set - all of it
 * @command: for messages
 * @fd: render node
 * @dir: the directory, or -1
 * @image: the image, if there is no directory
 * @chunk: most bytes of one object
 * @buffer: @chunk bytes; of an image, those from @at on
 * @at: offset in the image
 * @nr_at: bytes that were read from @at on
 * @limit: bytes of memory that may be used
 * @progress: line on the screen
 * @files: found
 * @nr_files: number of @files
 * @bos: the objects
 * @nr_bos: number of @bos
 * @bytes: of all files that were found, then of all that were read
 * @pages: bytes of memory for all that were found
 * @nr_whole: files that were read
 * @nr_unread: files that could not be read
 * @nr_differ: files whose objects have not the content that was read
 */
struct set {
	const char *command;
	int fd;
	int dir;
	int image;
	size_t chunk;
	uint8_t *buffer;
	uint64_t at;
	size_t nr_at;
	uint64_t limit;
	struct progress *progress;
	struct set_file *files;
	size_t nr_files;
	struct set_bo *bos;
	size_t nr_bos;
	uint64_t bytes;
	uint64_t pages;
	size_t nr_whole;
	size_t nr_unread;
	size_t nr_differ;
};

int set_scan(struct set *set, const char *files0_from);
void set_unreadable(struct set *set, const char *path, int error);
int set_read(struct set *set);
int set_verify(struct set *set);

#endif
