// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "walk.h"

/* One walk: @path is where it is, "" at the top. */
struct walk {
	const struct walk_ops *ops;
	void *context;
};

static int walk_dir(struct walk *walk, int fd, const char *path);

static int walk_subdir(struct walk *walk, int parent, const char *name, const char *path)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		walk->ops->unreadable(walk->context, path, -errno);
		return 0;
	}
	return walk_dir(walk, fd, path);
}

static int walk_entry(struct walk *walk, int parent, const char *dir, const char *name)
{
	struct stat st;
	char *path;
	int ret = 0;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return 0;
	if (asprintf(&path, "%s%s%s", dir, *dir ? "/" : "", name) < 0)
		return -ENOMEM;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		walk->ops->unreadable(walk->context, path, -errno);
	else if (S_ISDIR(st.st_mode))
		ret = walk_subdir(walk, parent, name, path);
	else if (S_ISREG(st.st_mode))
		ret = walk->ops->file(walk->context, path, &st);
	free(path);
	return ret;
}

/* Takes @fd over. */
static int walk_dir(struct walk *walk, int fd, const char *path)
{
	struct dirent *entry;
	DIR *dir = fdopendir(fd);
	int ret = 0;

	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	errno = 0;
	while (!ret && (entry = readdir(dir))) {
		ret = walk_entry(walk, fd, path, entry->d_name);
		errno = 0;
	}
	if (!ret && errno)
		walk->ops->unreadable(walk->context, *path ? path : ".", -errno);
	closedir(dir);
	return ret;
}

/**
 * walk_tree - find all regular files below a directory
 * @dir: the directory; stays open
 * @ops: who wants them
 * @context: for @ops
 *
 * Returns 0, -ENOMEM, or what @ops answered.
 */
int walk_tree(int dir, const struct walk_ops *ops, void *context)
{
	struct walk walk = { .ops = ops, .context = context };
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : walk_dir(&walk, fd, "");
}

static int walk_name(struct walk *walk, int dir, const char *name)
{
	struct stat st;
	int error = 0;

	if (*name == '/')
		error = -EXDEV;
	else if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		error = -errno;
	else if (!S_ISREG(st.st_mode))
		error = S_ISLNK(st.st_mode) ? -ELOOP : -EMEDIUMTYPE;
	if (!error)
		return walk->ops->file(walk->context, name, &st);
	walk->ops->unreadable(walk->context, name, error);
	return 0;
}

/**
 * walk_list - the files that a list names, each ended by a NUL byte
 * @dir: the directory that the names are relative to
 * @list: name of the list, "-" for standard input
 * @ops: who wants them
 * @context: for @ops
 *
 * Returns 0, why the list can not be read, or what @ops answered.
 */
int walk_list(int dir, const char *list, const struct walk_ops *ops, void *context)
{
	struct walk walk = { .ops = ops, .context = context };
	FILE *stream = strcmp(list, "-") ? fopen(list, "re") : stdin;
	char *name = NULL;
	size_t size = 0;
	int ret = 0;

	if (!stream)
		return -errno;
	while (!ret && getdelim(&name, &size, '\0', stream) > 0) {
		if (*name)
			ret = walk_name(&walk, dir, name);
	}
	if (!ret && ferror(stream))
		ret = -EIO;
	free(name);
	if (stream != stdin)
		fclose(stream);
	return ret;
}
