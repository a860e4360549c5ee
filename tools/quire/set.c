// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "image.h"
#include "quire.h"
#include "quire_client.h"
#include "set.h"
#include "walk.h"

#define WAIT_MS		60000
#define AHEAD		64	/* objects that are on their way to the CPU */

static uint64_t bo_size(uint64_t bytes)
{
	return (bytes + QUIRE_PAGE - 1) / QUIRE_PAGE * QUIRE_PAGE;
}

static void report(struct set *set, const char *path, const char *verdict, const char *why)
{
	progress_clear(set->progress);
	fprintf(stderr, "quire: %s: ", set->command);
	quire_print_name(stderr, path);
	fprintf(stderr, ": %s%s\n", verdict, why);
}

/* Names and counts a file; @error is negative. */
void set_unreadable(struct set *set, const char *path, int error)
{
	report(set, path, "not read: ", file_reason(error));
	set->nr_unread++;
}

static void walk_unreadable(void *context, const char *path, int error)
{
	set_unreadable(context, path, error);
}

/* Room for one more of @count elements, by doubling. */
static int grow(void **array, size_t count, size_t element)
{
	void *larger;

	if (count & (count - 1))
		return 0;
	larger = reallocarray(*array, count ? 2 * count : 1, element);
	if (!larger)
		return -ENOMEM;
	*array = larger;
	return 0;
}

static int add_file(struct set *set, const char *path, uint64_t offset,
		    const struct file_content *content)
{
	struct set_file *file;

	if (grow((void **)&set->files, set->nr_files, sizeof(*file)))
		return -ENOMEM;
	file = &set->files[set->nr_files];
	*file = (struct set_file){ .path = strdup(path), .offset = offset, .content = *content };
	if (!file->path)
		return -ENOMEM;
	set->nr_files++;
	set->bytes += content->size;
	set->pages += bo_size(content->size);
	return set->pages <= set->limit ? 0 : -E2BIG;
}

static int add_found(void *context, const char *path, const struct stat *st)
{
	const struct file_content content = { .size = st->st_size };

	return add_file(context, path, 0, &content);
}

static int add_from_image(void *context, const char *name, uint64_t offset,
			  const struct file_content *content)
{
	return add_file(context, name, offset, content);
}

static int scan_image(struct set *set)
{
	uint64_t nr_unread;
	int ret = image_read(set->image, &nr_unread, add_from_image, set);

	if (!ret)
		set->nr_unread = nr_unread;
	return ret;
}

/**
 * set_scan - find the files
 * @set: with @set->dir or @set->image open
 * @files0_from: list of names in the directory, or NULL for all of it
 *
 * Returns 0, -E2BIG if there is more than @set->limit, -EBADMSG if the image is
 * none, or another negative errno.
 */
int set_scan(struct set *set, const char *files0_from)
{
	static const struct walk_ops ops = { .file = add_found, .unreadable = walk_unreadable };

	if (set->dir < 0)
		return scan_image(set);
	if (files0_from)
		return walk_list(set->dir, files0_from, &ops, set);
	return walk_tree(set->dir, &ops, set);
}

/*
 * The buffer goes through the CPU: a file system may want pages for read(),
 * which a mapping of an object does not have.
 */
static int fill_bo(struct set *set, uint32_t handle, const uint8_t *buffer, size_t bytes)
{
	uint64_t size = bo_size(bytes);
	void *map;
	int ret = quire_bo_map(set->fd, handle, size, &map);

	if (ret)
		return ret;
	memcpy(map, buffer, bytes);
	munmap(map, size);
	return 0;
}

/* Puts a piece of a file into a new object. */
static int add_bo(void *context, const uint8_t *buffer, size_t bytes)
{
	struct set *set = context;
	struct set_bo bo = { .bytes = bytes };
	int ret = grow((void **)&set->bos, set->nr_bos, sizeof(bo));

	if (!ret)
		ret = quire_bo_create(set->fd, bo_size(bytes), &bo.handle);
	if (ret)
		return ret;
	ret = fill_bo(set, bo.handle, buffer, bytes);
	if (ret) {
		quire_bo_close(set->fd, bo.handle);
		return ret;
	}
	set->bos[set->nr_bos++] = bo;
	progress_add(set->progress, bytes);
	return 0;
}

/* @device_error: set if an object, not the file, is what failed. */
static int read_from_dir(struct set *set, struct set_file *file, int *device_error)
{
	const struct file_reader reader = {
		.dir = set->dir,
		.buffer = set->buffer,
		.size = set->chunk,
		.piece = add_bo,
		.context = set,
	};

	return file_read(&reader, file->path, &file->content, device_error);
}

/*
 * Brings @bytes of the image, at most a chunk, into the buffer. What follows
 * them comes along: most files are small, and their neighbours are next.
 */
static int read_image(struct set *set, uint64_t offset, size_t bytes)
{
	ssize_t got;

	if (offset >= set->at && offset + bytes <= set->at + set->nr_at)
		return 0;
	set->nr_at = 0;
	got = file_read_at(set->image, set->buffer, set->chunk, offset);
	if (got < 0)
		return got;
	set->at = offset;
	set->nr_at = got;
	return set->nr_at < bytes ? -ENODATA : 0;
}

static int read_from_image(struct set *set, const struct set_file *file, int *device_error)
{
	uint64_t done = 0;

	while (done < file->content.size) {
		uint64_t left = file->content.size - done;
		size_t bytes = left < set->chunk ? left : set->chunk;
		uint64_t offset = file->offset + done;
		int ret = read_image(set, offset, bytes);

		if (ret)
			return ret;
		*device_error = add_bo(set, set->buffer + (offset - set->at), bytes);
		if (*device_error)
			return *device_error;
		done += bytes;
	}
	return 0;
}

static void drop_bos(struct set *set, const struct set_file *file)
{
	while (set->nr_bos > file->first_bo)
		quire_bo_close(set->fd, set->bos[--set->nr_bos].handle);
}

/* Returns only errors of the device. */
static int read_file(struct set *set, struct set_file *file)
{
	int device_error = 0, ret;

	file->first_bo = set->nr_bos;
	if (set->dir < 0)
		ret = read_from_image(set, file, &device_error);
	else
		ret = read_from_dir(set, file, &device_error);
	if (device_error)
		return device_error;
	if (ret) {
		drop_bos(set, file);
		set_unreadable(set, file->path, ret);
		return 0;
	}
	file->nr_bos = set->nr_bos - file->first_bo;
	file->whole = true;
	set->nr_whole++;
	set->bytes += file->content.size;
	return 0;
}

/**
 * set_read - read the files into objects
 * @set: after set_scan()
 *
 * Returns 0 or a negative errno of the device; files that can not be read are
 * counted in @set->nr_unread.
 */
int set_read(struct set *set)
{
	int ret = 0;

	progress_start(set->progress, set->bytes, "reading files");
	set->bytes = 0;
	for (size_t i = 0; i < set->nr_files && !ret; i++)
		ret = read_file(set, &set->files[i]);
	return ret;
}

static bool is_zero(const uint8_t *p, size_t size)
{
	while (size--) {
		if (*p++)
			return false;
	}
	return true;
}

/*
 * What the CPU can not reach is moved ahead of its turn, many objects at a
 * time, rather than one by one when it is touched. What is in visible VRAM is
 * read there.
 */
static int bring_to_cpu(struct set *set, size_t index)
{
	struct drm_quire_bo_info info;
	uint32_t handle;
	int ret;

	if (index >= set->nr_bos)
		return 0;
	handle = set->bos[index].handle;
	ret = quire_bo_info(set->fd, handle, &info);
	if (ret || info.flags & DRM_QUIRE_BO_VISIBLE)
		return ret;
	return quire_bo_place(set->fd, handle, DRM_QUIRE_SEGMENT_SYSTEM, 0);
}

static int verify_bo(struct set *set, const struct set_bo *bo, struct sha256_ctx *sha,
		     bool *tail_ok)
{
	uint64_t size = bo_size(bo->bytes);
	void *map;
	int ret = quire_bo_wait(set->fd, bo->handle, WAIT_MS);

	if (!ret)
		ret = quire_bo_map(set->fd, bo->handle, size, &map);
	if (ret)
		return ret;
	memcpy(set->buffer, map, size);
	munmap(map, size);
	sha256_update(sha, bo->bytes, set->buffer);
	if (!is_zero(set->buffer + bo->bytes, size - bo->bytes))
		*tail_ok = false;
	progress_add(set->progress, bo->bytes);
	return 0;
}

static int verify_file(struct set *set, const struct set_file *file)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	bool tail_ok = true;

	sha256_init(&sha);
	for (size_t i = file->first_bo; i < file->first_bo + file->nr_bos; i++) {
		int ret = bring_to_cpu(set, i + AHEAD);

		if (!ret)
			ret = verify_bo(set, &set->bos[i], &sha, &tail_ok);
		if (ret)
			return ret;
	}
	sha256_digest(&sha, sizeof(digest), digest);
	if (!tail_ok || memcmp(digest, file->content.digest, sizeof(digest))) {
		report(set, file->path, "differs", "");
		set->nr_differ++;
	}
	return 0;
}

/**
 * set_verify - read the objects back and compare
 * @set: after set_read()
 *
 * Returns 0 or a negative errno of the device; files that are not what was read
 * are counted in @set->nr_differ.
 */
int set_verify(struct set *set)
{
	int ret = 0;

	progress_start(set->progress, set->bytes, "comparing");
	for (size_t i = 0; i < AHEAD && !ret; i++)
		ret = bring_to_cpu(set, i);
	for (size_t i = 0; i < set->nr_files && !ret; i++) {
		if (set->files[i].whole)
			ret = verify_file(set, &set->files[i]);
	}
	return ret;
}
