// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"

static uint64_t next_block(uint64_t offset)
{
	return (offset + IMAGE_BLOCK - 1) / IMAGE_BLOCK * IMAGE_BLOCK;
}

static int write_at(int fd, const void *buffer, size_t size, uint64_t offset)
{
	const uint8_t *from = buffer;

	while (size) {
		ssize_t put = pwrite(fd, from, size, offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		from += put;
		offset += put;
		size -= put;
	}
	return 0;
}

/**
 * image_create - start an image
 * @image: to fill
 * @path: of it; what is there is lost
 *
 * Returns 0 or a negative errno.
 */
int image_create(struct image_writer *image, const char *path)
{
	*image = (struct image_writer){ .start = IMAGE_BLOCK, .end = IMAGE_BLOCK };
	image->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return image->fd < 0 ? -errno : 0;
}

/* Adds to the file that is being written. Returns 0 or a negative errno. */
int image_add_piece(struct image_writer *image, const uint8_t *buffer, size_t bytes)
{
	int ret = write_at(image->fd, buffer, bytes, image->end);

	image->end += bytes;
	return ret;
}

/* The file that is being written is not wanted. */
void image_drop_pieces(struct image_writer *image)
{
	image->end = image->start;
}

/**
 * image_add_file - all pieces of a file are there
 * @image: that it is in
 * @name: of the file
 * @content: of it
 *
 * Returns 0 or -ENOMEM.
 */
int image_add_file(struct image_writer *image, const char *name,
		   const struct file_content *content)
{
	size_t name_size = strlen(name) + 1;
	struct image_entry entry = {
		.offset = htole64(image->start),
		.size = htole64(content->size),
		.name_size = htole64(name_size),
	};
	uint8_t *table = realloc(image->table, image->table_size + sizeof(entry) + name_size);

	if (!table)
		return -ENOMEM;
	memcpy(entry.digest, content->digest, sizeof(entry.digest));
	memcpy(table + image->table_size, &entry, sizeof(entry));
	memcpy(table + image->table_size + sizeof(entry), name, name_size);
	image->table = table;
	image->table_size += sizeof(entry) + name_size;
	image->start = next_block(image->end);
	image->end = image->start;
	image->nr_files++;
	return 0;
}

static int write_header(const struct image_writer *image, uint64_t nr_unread)
{
	const struct image_header header = {
		.magic = IMAGE_MAGIC,
		.nr_files = htole64(image->nr_files),
		.nr_unread = htole64(nr_unread),
		.table_offset = htole64(image->start),
		.table_size = htole64(image->table_size),
	};

	return write_at(image->fd, &header, sizeof(header), 0);
}

/**
 * image_finish - write the table and the header
 * @image: of which no file is being written; it is closed
 * @nr_unread: files that could not be read
 *
 * Returns 0 or a negative errno: then there is no image.
 */
int image_finish(struct image_writer *image, uint64_t nr_unread)
{
	int ret = write_at(image->fd, image->table, image->table_size, image->start);

	if (!ret && ftruncate(image->fd, next_block(image->start + image->table_size)))
		ret = -errno;
	if (!ret)
		ret = write_header(image, nr_unread);
	if (close(image->fd) && !ret)
		ret = -errno;
	free(image->table);
	return ret;
}

/* Is [@offset, @offset + @size) inside of the first @limit bytes? */
static int check_range(uint64_t offset, uint64_t size, uint64_t limit)
{
	return size <= limit && offset <= limit - size ? 0 : -EBADMSG;
}

/* Takes one file from the table, which has @left bytes; returns how many it takes. */
static int64_t read_entry(const uint8_t *table, uint64_t left, uint64_t limit,
			  image_file_fn file, void *context)
{
	struct file_content content;
	struct image_entry entry;
	const char *name;
	uint64_t name_size;
	int ret;

	if (left < sizeof(entry))
		return -EBADMSG;
	memcpy(&entry, table, sizeof(entry));
	name = (const char *)table + sizeof(entry);
	name_size = le64toh(entry.name_size);
	left -= sizeof(entry);
	if (!name_size || name_size > left || strnlen(name, name_size) != name_size - 1)
		return -EBADMSG;

	content.size = le64toh(entry.size);
	memcpy(content.digest, entry.digest, sizeof(content.digest));
	ret = check_range(le64toh(entry.offset), content.size, limit);
	if (!ret)
		ret = file(context, name, le64toh(entry.offset), &content);
	return ret ? ret : (int64_t)(sizeof(entry) + name_size);
}

static int read_entries(const uint8_t *table, uint64_t size, uint64_t count, uint64_t limit,
			image_file_fn file, void *context)
{
	uint64_t at = 0;

	while (count--) {
		int64_t used = read_entry(table + at, size - at, limit, file, context);

		if (used < 0)
			return used;
		at += used;
	}
	return at == size ? 0 : -EBADMSG;
}

/* All of @size bytes, or a negative errno. */
static int read_all(int fd, void *buffer, size_t size, uint64_t offset)
{
	ssize_t got = file_read_at(fd, buffer, size, offset);

	if (got < 0)
		return got;
	return (size_t)got == size ? 0 : -EBADMSG;
}

static int read_header(int fd, struct image_header *header)
{
	off_t size = lseek(fd, 0, SEEK_END);
	int ret = size < 0 ? -errno : read_all(fd, header, sizeof(*header), 0);

	if (ret)
		return ret;
	if (memcmp(header->magic, IMAGE_MAGIC, sizeof(IMAGE_MAGIC)))
		return -EBADMSG;
	header->nr_files = le64toh(header->nr_files);
	header->nr_unread = le64toh(header->nr_unread);
	header->table_offset = le64toh(header->table_offset);
	header->table_size = le64toh(header->table_size);
	return check_range(header->table_offset, header->table_size, size);
}

/**
 * image_read - find the files of an image
 * @fd: of it
 * @nr_unread: returned, files that could not be read when it was made
 * @file: called for each
 * @context: for @file
 *
 * Returns 0, -EBADMSG if it is no whole image, or another negative errno.
 */
int image_read(int fd, uint64_t *nr_unread, image_file_fn file, void *context)
{
	struct image_header header;
	uint8_t *table;
	int ret = read_header(fd, &header);

	if (ret)
		return ret;
	*nr_unread = header.nr_unread;
	table = malloc(header.table_size + 1);
	if (!table)
		return -ENOMEM;
	ret = read_all(fd, table, header.table_size, header.table_offset);
	if (!ret)
		ret = read_entries(table, header.table_size, header.nr_files,
				   header.table_offset, file, context);
	free(table);
	return ret;
}
