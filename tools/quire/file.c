// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

/* Our own reason, no errno of open() or read(). */
#define FILE_CHANGED	(-ESTALE)

/* What is wrong with a file, for people; @error is negative. */
const char *file_reason(int error)
{
	switch (error) {
	case FILE_CHANGED:
		return "it changed meanwhile";
	case -ELOOP:
		return "it is a symbolic link";
	case -EXDEV:
		return "the name is not relative to DIR";
	case -EMEDIUMTYPE:
		return "it is no regular file";
	default:
		return strerror(-error);
	}
}

/* Returns how many of @size bytes there are from @offset on, or a negative errno. */
ssize_t file_read_at(int fd, uint8_t *buffer, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, buffer + done, size - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += got;
	}
	return done;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int read_pieces(const struct file_reader *reader, int fd, struct file_content *content,
		       int *piece_error)
{
	struct sha256_ctx sha;
	uint64_t offset = 0;

	sha256_init(&sha);
	while (offset < content->size) {
		uint64_t left = content->size - offset;
		size_t bytes = left < reader->size ? left : reader->size;
		ssize_t got = file_read_at(fd, reader->buffer, bytes, offset);

		if (got < 0)
			return got;
		if ((size_t)got < bytes)
			return FILE_CHANGED;
		sha256_update(&sha, bytes, reader->buffer);
		*piece_error = reader->piece(reader->context, reader->buffer, bytes);
		if (*piece_error)
			return *piece_error;
		offset += bytes;
	}
	sha256_digest(&sha, sizeof(content->digest), content->digest);
	return 0;
}

static int read_open(const struct file_reader *reader, int fd, struct file_content *content,
		     int *piece_error)
{
	struct stat before, after;
	uint8_t beyond;
	int ret;

	if (fstat(fd, &before))
		return -errno;
	if (!S_ISREG(before.st_mode))
		return -EMEDIUMTYPE;
	content->size = before.st_size;
	ret = read_pieces(reader, fd, content, piece_error);
	if (ret)
		return ret;
	if (pread(fd, &beyond, 1, content->size) > 0)
		return FILE_CHANGED;
	if (fstat(fd, &after))
		return -errno;
	return same_file(&before, &after) ? 0 : FILE_CHANGED;
}

/**
 * file_read - read a file
 * @reader: how
 * @path: relative to the directory
 * @content: returned
 * @piece_error: what @reader->piece failed with, else 0: then the file is at fault
 *
 * Returns 0, or a negative errno that file_reason() explains; then the pieces
 * that were taken are worth nothing.
 */
int file_read(const struct file_reader *reader, const char *path, struct file_content *content,
	      int *piece_error)
{
	int fd = openat(reader->dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int ret;

	*piece_error = 0;
	if (fd < 0)
		return -errno;
	ret = read_open(reader, fd, content, piece_error);
	close(fd);
	return ret;
}
