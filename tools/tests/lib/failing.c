// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Exempt are the caches whose failure the kernel itself does not take well. That of the
 * buddy allocator: drm_buddy of 6.12 uses a block that it has freed when it can not split
 * another one, which later kernels have mended. radix_tree_node: the check of DMA mappings
 * switches itself off with a complaint. vmap_area: ioremap() warns.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing.h"
#include "tap.h"

#define PAGE		UINT64_C(4096)
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

/* Where the code of a module is; whole pages. False: nowhere that can be seen. */
static bool module_text(const char *module, uint64_t *start, uint64_t *end)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512], owner[64], type;
	uint64_t address;

	*start = UINT64_MAX;
	*end = 0;
	while (symbols && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%" SCNx64 " %c %*s [%63[^]]", &address, &type, owner) != 3 ||
		    (type != 't' && type != 'T') || strcmp(owner, module) || !address)
			continue;
		*start = address < *start ? address : *start;
		*end = address > *end ? address : *end;
	}
	if (symbols)
		fclose(symbols);
	*start &= ~(PAGE - 1);
	*end = (*end | (PAGE - 1)) + 1;
	return *start < *end;
}

/* Where the code of a function is: up to the next one, wherever that stands in the list. */
static bool function_text(const char *function, uint64_t *start, uint64_t *end)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type;
	uint64_t address;

	*start = 0;
	*end = UINT64_MAX;
	for (unsigned int pass = 0; symbols && pass < 2; pass++) {
		rewind(symbols);
		while (fgets(line, sizeof(line), symbols)) {
			if (sscanf(line, "%" SCNx64 " %c %255s", &address, &type, name) != 3)
				continue;
			if (!pass && !strcmp(name, function))
				*start = address;
			else if (pass && address > *start && address < *end)
				*end = address;
		}
	}
	if (symbols)
		fclose(symbols);
	return *start;
}

/* A setting of slabs and of pages. */
static bool set_both(const char *name, const char *text)
{
	char slab[64], pages[64];

	snprintf(slab, sizeof(slab), FAILSLAB "%s", name);
	snprintf(pages, sizeof(pages), FAIL_PAGES "%s", name);
	return failing_write(slab, text) && failing_write(pages, text);
}

static bool set_number(const char *path, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return failing_write(path, text);
}

static bool require_caller(uint64_t start, uint64_t end)
{
	return set_number(FAILSLAB "require-start", start) &&
	       set_number(FAILSLAB "require-end", end) &&
	       set_number(FAIL_PAGES "require-start", start) &&
	       set_number(FAIL_PAGES "require-end", end);
}

/**
 * failing_below - only what a module allocates, or has allocated for it, may fail
 * @module: one of its functions has to be on the stack
 *
 * Until failing_end().
 *
 * Returns: false if this kernel can not tell, or has no such module.
 */
bool failing_below(const char *module)
{
	uint64_t start, end;

	return module_text(module, &start, &end) && require_caller(start, end);
}

/**
 * failing_within - only what a function of the kernel allocates, or has allocated, may fail
 * @function: its name
 *
 * Until failing_end().
 *
 * Returns: false if this kernel can not tell, or has no such function.
 */
bool failing_within(const char *function)
{
	uint64_t start, end;

	return function_text(function, &start, &end) && require_caller(start, end);
}

/**
 * failing_all - there is no memory any more, for any thread
 * @bytes: of slabs that can still be had, less than 2 GiB
 * @pages: that can still be had
 *
 * With failing_below(), or else nothing works any more. Until failing_none().
 *
 * Returns: true if that was set.
 */
bool failing_all(unsigned int bytes, unsigned int pages)
{
	return set_number(FAILSLAB "space", bytes) && set_number(FAIL_PAGES "space", pages) &&
	       set_both("times", "-1") && set_both("probability", "100");
}

/**
 * failing_none - there is memory again, after failing_all()
 *
 * Returns: true if that was set.
 */
bool failing_none(void)
{
	return set_both("probability", "0") && set_both("space", "0");
}

/**
 * failing_end - none fails any more
 */
void failing_end(void)
{
	require_caller(0, UINT64_MAX);
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
