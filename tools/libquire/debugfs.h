/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The driver's files in debugfs, and TTM's, and the device in sysfs. */
#ifndef QUIRE_DEBUGFS_H
#define QUIRE_DEBUGFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUGFS_TTM	"/sys/kernel/debug/ttm"

/**
 * struct debugfs_counter - one line of "counters"
 * @count: operations, or moves from one place to another
 * @bytes: that they moved, filled, dropped, mapped or unmapped
 * @evictions: moves that made room for somebody else
 */
struct debugfs_counter {
	uint64_t count;
	uint64_t bytes;
	uint64_t evictions;
};

int debugfs_find(int fd, char *dir, size_t size);
int debugfs_write(const char *dir, const char *name, const char *text);
int debugfs_read(const char *dir, const char *name, char *text, size_t size);
int debugfs_counter(const char *dir, const char *name, struct debugfs_counter *counter);
int debugfs_lock(const char *dir, int dmabuf);
int debugfs_swap_out(void);
int debugfs_option_write(const char *name, const char *text);
int debugfs_option_read(const char *name, char *text, size_t size);

int sysfs_pci_address(int fd, char *address, size_t size);
int sysfs_driver_write(const char *attribute, const char *text);
int sysfs_reset(const char *address);
int sysfs_parameter_write(const char *name, const char *text);
int sysfs_parameter_read(const char *name, char *text, size_t size);

#endif
