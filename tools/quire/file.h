/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reads one file whole, in pieces, and says what its content was.
 *
 * A file that changes while it is read, or is no regular file, is refused.
 */
#ifndef QUIRE_FILE_H
#define QUIRE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <nettle/sha2.h>

/**
 * struct file_reader - how a file is read
 * @dir: directory that names are relative to
 * @buffer: for a piece
 * @size: bytes of @buffer
 * @piece: takes the next @bytes of the file, in @buffer; its error ends the read
 * @context: for @piece
 */
struct file_reader {
	int dir;
	uint8_t *buffer;
	size_t size;
	int (*piece)(void *context, const uint8_t *buffer, size_t bytes);
	void *context;
};

/**
 * struct file_content - what was read
 * @size: bytes
 * @digest: SHA-256
 */
struct file_content {
	uint64_t size;
	uint8_t digest[SHA256_DIGEST_SIZE];
};

int file_read(const struct file_reader *reader, const char *path, struct file_content *content,
	      int *piece_error);
ssize_t file_read_at(int fd, uint8_t *buffer, size_t size, uint64_t offset);
const char *file_reason(int error);

#endif
