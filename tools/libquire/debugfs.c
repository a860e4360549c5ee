// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "debugfs.h"

#define DRI_ROOT	"/sys/kernel/debug/dri"
#define RENDER_MINOR	128
#define OPTIONS		"/sys/kernel/debug/quire"
#define PARAMETERS	"/sys/module/quire/parameters"

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static bool has_counters(const char *dir)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/counters", dir);
	return !access(path, R_OK);
}

/* Name of the device as the driver's bind and unbind take it. */
int sysfs_pci_address(int fd, char *address, size_t size)
{
	char link[64], target[256];
	struct stat st;
	ssize_t length;

	if (fstat(fd, &st))
		return -errno;
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	snprintf(address, size, "%s", strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
	return 0;
}

/**
 * debugfs_find - find the driver's directory
 * @fd: render node
 * @dir: gets its name
 * @size: bytes at @dir
 *
 * It has the PCI name of the device, in older kernels only the number of a
 * node, the primary one's or the render node's.
 *
 * Returns 0, or -ENOENT if there is none or it is not for us.
 */
int debugfs_find(int fd, char *dir, size_t size)
{
	unsigned int number;
	char address[64];
	struct stat st;

	if (!sysfs_pci_address(fd, address, sizeof(address))) {
		snprintf(dir, size, DRI_ROOT "/%s", address);
		if (has_counters(dir))
			return 0;
	}
	if (fstat(fd, &st))
		return -errno;
	number = minor(st.st_rdev);
	snprintf(dir, size, DRI_ROOT "/%u", number);
	if (has_counters(dir))
		return 0;
	snprintf(dir, size, DRI_ROOT "/%u", number - RENDER_MINOR);
	return has_counters(dir) ? 0 : -ENOENT;
}

int debugfs_write(const char *dir, const char *name, const char *text)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return write_file(path, text);
}

/* Returns the number of bytes read, or a negative errno. @text ends with NUL. */
int debugfs_read(const char *dir, const char *name, char *text, size_t size)
{
	char path[192];
	size_t used = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((got = read(fd, text + used, size - 1 - used)) > 0)
		used += got;
	got = got < 0 ? -errno : (ssize_t)used;
	text[used] = '\0';
	close(fd);
	return got;
}

/* Finds the line "@name count [bytes [evictions]]" of "counters", in upper or lower case. */
int debugfs_counter(const char *dir, const char *name, struct debugfs_counter *counter)
{
	char text[4096], found[64];
	char *state = NULL;
	int ret = debugfs_read(dir, "counters", text, sizeof(text));

	if (ret < 0)
		return ret;
	for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		*counter = (struct debugfs_counter){ 0 };
		if (sscanf(line, "%63s %" SCNu64 " %" SCNu64 " %" SCNu64, found, &counter->count,
			   &counter->bytes, &counter->evictions) >= 2 && !strcasecmp(found, name))
			return 0;
	}
	return -ENOENT;
}

/* Keeps the object of a dma-buf locked. Returns -EINTR after a signal, -ENODEV after an unplug. */
int debugfs_lock(const char *dir, int dmabuf)
{
	char descriptor[16];

	snprintf(descriptor, sizeof(descriptor), "%d", dmabuf);
	return debugfs_write(dir, "lock", descriptor);
}

/*
 * TTM swaps out one object of any device, whatever its limit is, and takes it for one if what is
 * dead is freed. Returns its pages, 0 if there is none, or a negative errno.
 */
int debugfs_swap_out(void)
{
	char text[16];
	int ret = debugfs_read(DEBUGFS_TTM, "tt_shrink", text, sizeof(text));

	return ret < 0 ? ret : atoi(text);
}

/* Writes @text to a test option of the driver. */
int debugfs_option_write(const char *name, const char *text)
{
	return debugfs_write(OPTIONS, name, text);
}

/* Reads a test option of the driver as debugfs_read() does a file. */
int debugfs_option_read(const char *name, char *text, size_t size)
{
	return debugfs_read(OPTIONS, name, text, size);
}

/* Writes @text to a parameter of the module. */
int sysfs_parameter_write(const char *name, const char *text)
{
	return debugfs_write(PARAMETERS, name, text);
}

/* Reads a parameter of the module as debugfs_read() does a file. */
int sysfs_parameter_read(const char *name, char *text, size_t size)
{
	return debugfs_read(PARAMETERS, name, text, size);
}

/* Writes @text to @attribute ("bind", "unbind") of the driver. */
int sysfs_driver_write(const char *attribute, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/quire/%s", attribute);
	return write_file(path, text);
}

/* Resets the function, as the kernel knows how to. */
int sysfs_reset(const char *address)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", address);
	return write_file(path, "1");
}
