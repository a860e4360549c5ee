// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kmsg.h"

/**
 * kmsg_open - begin to listen
 *
 * Returns: a file that has what is logged from now on; negative if that can not be had.
 */
int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* The next line that is kept; false: there is none yet. */
static bool kmsg_next(int fd, char *line, size_t size)
{
	ssize_t bytes;

	do {
		bytes = read(fd, line, size - 1);
	} while (bytes < 0 && errno == EPIPE);
	if (bytes <= 0)
		return false;
	line[bytes] = '\0';
	return true;
}

/**
 * kmsg_count - how often was something said?
 * @fd: from kmsg_open()
 * @text: what
 *
 * Returns: lines with @text that were not read before; all of them are read now.
 */
unsigned int kmsg_count(int fd, const char *text)
{
	unsigned int count = 0;
	char line[1024];

	while (kmsg_next(fd, line, sizeof(line)))
		count += !!strstr(line, text);
	return count;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/**
 * kmsg_wait - wait until something is said
 * @fd: from kmsg_open(); lines up to the one are read
 * @text: what
 * @milliseconds: how long to wait
 *
 * Returns: true if it was said.
 */
bool kmsg_wait(int fd, const char *text, unsigned int milliseconds)
{
	struct pollfd file = { .fd = fd, .events = POLLIN };
	int64_t end = now_ms() + milliseconds;
	char line[1024];

	do {
		while (kmsg_next(fd, line, sizeof(line)))
			if (strstr(line, text))
				return true;
		poll(&file, 1, 100);
	} while (now_ms() < end);
	return false;
}
