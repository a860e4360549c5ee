// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quire.h"
#include "quire_client.h"
#include "set.h"
#include "walk.h"

/* Our own reason, no errno of open() or read(). */
#define FILE_CHANGED	(-ESTALE)
#define WAIT_MS		60000

uint64_t set_bo_size(uint64_t bytes)
{
	return (bytes + QUIRE_PAGE - 1) / QUIRE_PAGE * QUIRE_PAGE;
}

static void report(struct set *set, const char *path, const char *verdict, const char *why)
{
	progress_clear(set->progress);
	fputs("quire: page: ", stderr);
	quire_print_name(stderr, path);
	fprintf(stderr, ": %s%s\n", verdict, why);
}

static const char *reason(int error)
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

static void unreadable(void *context, const char *path, int error)
{
	struct set *set = context;

	report(set, path, "not read: ", reason(error));
	set->nr_unread++;
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

static int add_file(void *context, const char *path, const struct stat *st)
{
	struct set *set = context;
	struct set_file *file;

	if (grow((void **)&set->files, set->nr_files, sizeof(*file)))
		return -ENOMEM;
	file = &set->files[set->nr_files];
	*file = (struct set_file){ .path = strdup(path), .size = st->st_size };
	if (!file->path)
		return -ENOMEM;
	set->nr_files++;
	set->bytes += file->size;
	set->pages += set_bo_size(file->size);
	return set->pages <= set->limit ? 0 : -E2BIG;
}

/**
 * set_scan - find the files
 * @set: with @set->dir open
 * @files0_from: list of names, or NULL for the whole directory
 *
 * Returns 0, -E2BIG if there is more than @set->limit, or another negative errno.
 */
int set_scan(struct set *set, const char *files0_from)
{
	static const struct walk_ops ops = { .file = add_file, .unreadable = unreadable };

	if (files0_from)
		return walk_list(set->dir, files0_from, &ops, set);
	return walk_tree(set->dir, &ops, set);
}

static int read_all(int fd, uint8_t *buffer, size_t size)
{
	while (size) {
		ssize_t got = read(fd, buffer, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return FILE_CHANGED;
		buffer += got;
		size -= got;
	}
	return 0;
}

/*
 * The buffer goes through the CPU: a file system may want pages for read(),
 * which a mapping of an object does not have.
 */
static int fill_bo(struct set *set, uint32_t handle, size_t bytes)
{
	uint64_t size = set_bo_size(bytes);
	void *map;
	int ret = quire_bo_map(set->fd, handle, size, &map);

	if (ret)
		return ret;
	memcpy(map, set->buffer, bytes);
	munmap(map, size);
	return 0;
}

/* Puts the buffer into a new object. */
static int add_bo(struct set *set, size_t bytes)
{
	struct set_bo bo = { .bytes = bytes };
	int ret = grow((void **)&set->bos, set->nr_bos, sizeof(bo));

	if (ret)
		return ret;
	ret = quire_bo_create(set->fd, set_bo_size(bytes), &bo.handle);
	if (ret)
		return ret;
	ret = fill_bo(set, bo.handle, bytes);
	if (ret) {
		quire_bo_close(set->fd, bo.handle);
		return ret;
	}
	set->bos[set->nr_bos++] = bo;
	return 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* @device_error: set if the object, not the file, is what failed. */
static int read_chunks(struct set *set, struct set_file *file, int fd, int *device_error)
{
	struct sha256_ctx sha;
	uint64_t left = file->size;

	sha256_init(&sha);
	while (left) {
		size_t bytes = left < set->chunk ? left : set->chunk;
		int ret = read_all(fd, set->buffer, bytes);

		if (ret)
			return ret;
		sha256_update(&sha, bytes, set->buffer);
		*device_error = add_bo(set, bytes);
		if (*device_error)
			return *device_error;
		file->nr_bos++;
		left -= bytes;
		progress_add(set->progress, bytes);
	}
	sha256_digest(&sha, sizeof(file->digest), file->digest);
	return 0;
}

static int read_open_file(struct set *set, struct set_file *file, int fd, int *device_error)
{
	struct stat before, after;
	uint8_t beyond;
	int ret;

	if (fstat(fd, &before))
		return -errno;
	if (!S_ISREG(before.st_mode))
		return -EMEDIUMTYPE;
	file->size = before.st_size;
	ret = read_chunks(set, file, fd, device_error);
	if (ret)
		return ret;
	if (read(fd, &beyond, 1) > 0)
		return FILE_CHANGED;
	if (fstat(fd, &after))
		return -errno;
	return same_file(&before, &after) ? 0 : FILE_CHANGED;
}

static void drop_bos(struct set *set, struct set_file *file)
{
	for (size_t i = 0; i < file->nr_bos; i++)
		quire_bo_close(set->fd, set->bos[--set->nr_bos].handle);
	file->nr_bos = 0;
}

/* Returns only errors of the device. */
static int read_file(struct set *set, struct set_file *file)
{
	int fd = openat(set->dir, file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int device_error = 0;
	int ret = fd < 0 ? -errno : 0;

	file->first_bo = set->nr_bos;
	if (!ret)
		ret = read_open_file(set, file, fd, &device_error);
	if (fd >= 0)
		close(fd);
	if (device_error)
		return device_error;
	if (ret) {
		drop_bos(set, file);
		unreadable(set, file->path, ret);
		return 0;
	}
	file->whole = true;
	set->nr_whole++;
	set->bytes += file->size;
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

static int verify_bo(struct set *set, const struct set_bo *bo, struct sha256_ctx *sha,
		     bool *tail_ok)
{
	uint64_t size = set_bo_size(bo->bytes);
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

static int verify_file(struct set *set, const struct set_file *file, bool *same)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	*same = true;
	sha256_init(&sha);
	for (size_t i = 0; i < file->nr_bos; i++) {
		int ret = verify_bo(set, &set->bos[file->first_bo + i], &sha, same);

		if (ret)
			return ret;
	}
	sha256_digest(&sha, sizeof(digest), digest);
	if (memcmp(digest, file->digest, sizeof(digest)))
		*same = false;
	return 0;
}

/**
 * set_verify - read the objects back and compare
 * @set: after set_read()
 * @nr_differ: number of files whose content is not what was read
 *
 * Returns 0 or a negative errno of the device.
 */
int set_verify(struct set *set, size_t *nr_differ)
{
	progress_start(set->progress, set->bytes, "comparing");
	for (size_t i = 0; i < set->nr_files; i++) {
		bool same;
		int ret;

		if (!set->files[i].whole)
			continue;
		ret = verify_file(set, &set->files[i], &same);
		if (ret)
			return ret;
		if (!same) {
			report(set, set->files[i].path, "differs", "");
			(*nr_differ)++;
		}
	}
	return 0;
}
