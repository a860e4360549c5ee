/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Finds the files. */
#ifndef QUIRE_WALK_H
#define QUIRE_WALK_H

struct stat;

/**
 * struct walk_ops - who wants the files
 * @file: @path, relative to the directory, is a regular file; an answer that is
 *        not 0 ends the walk
 * @unreadable: @path can not be read; @error is negative
 */
struct walk_ops {
	int (*file)(void *context, const char *path, const struct stat *st);
	void (*unreadable)(void *context, const char *path, int error);
};

int walk_tree(int dir, const struct walk_ops *ops, void *context);
int walk_list(int dir, const char *list, const struct walk_ops *ops, void *context);

#endif
