// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Exempt are the caches whose failure the kernel itself does not take well. That of the
 * buddy allocator: drm_buddy of 6.12 uses a block that it has freed when it can not split
 * another one, which later kernels have mended. radix_tree_node: the check of DMA mappings
 * switches itself off with a complaint. vmap_area: ioremap() warns.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing.h"
#include "tap.h"

#define SLABS		"/sys/kernel/slab"
#define FAIL_PAGES	"/sys/kernel/debug/fail_page_alloc/"

static int fail_nth = -1;

/**
 * failing_write - write to a file of the kernel
 * @path: name
 * @text: what
 *
 * Returns: true if all of it was written.
 */
bool failing_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

static bool is_exempt(const char *cache)
{
	return cache[0] == '.' || strstr(cache, "buddy") || !strcmp(cache, "radix_tree_node") ||
	       !strcmp(cache, "vmap_area");
}

/* Which caches may fail; what is merged with another one can not be chosen. */
static void choose_caches(const char *text)
{
	char path[512];
	struct dirent *entry;
	DIR *dir = opendir(SLABS);

	while (dir && (entry = readdir(dir))) {
		if (is_exempt(entry->d_name))
			continue;
		snprintf(path, sizeof(path), SLABS "/%s/failslab", entry->d_name);
		failing_write(path, text);
	}
	if (dir)
		closedir(dir);
}

/**
 * failing_begin - allocations of slabs and of pages may fail from now on
 *
 * Returns: false if this kernel can not do that, or this is not root.
 */
bool failing_begin(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0 || !failing_write(FAILSLAB "cache-filter", "1"))
		return false;
	choose_caches("1");
	return failing_write(FAILSLAB "ignore-gfp-wait", "0") &&
	       failing_write(FAILSLAB "verbose", "0") &&
	       failing_write(FAIL_PAGES "ignore-gfp-wait", "0") &&
	       failing_write(FAIL_PAGES "ignore-gfp-highmem", "0") &&
	       failing_write(FAIL_PAGES "min-order", "0") &&
	       failing_write(FAIL_PAGES "verbose", "0");
}

/**
 * failing_end - none fails any more
 */
void failing_end(void)
{
	failing_write(FAILSLAB "cache-filter", "0");
	choose_caches("0");
	close(fail_nth);
}

/**
 * failing_arm - one allocation of this thread fails
 * @nth: which one from here on, 1 is the next; 0: none
 */
void failing_arm(unsigned int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", nth);
	if (pwrite(fail_nth, text, strlen(text), 0) < 0)
		tap_bail("fail-nth");
}

/**
 * failing_disarm - no allocation fails
 *
 * Returns: true if the one of failing_arm() did.
 */
bool failing_disarm(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		tap_bail("fail-nth");
	failing_arm(0);
	return !atoi(text);
}
