// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Slabs and pages are counted for the whole machine, which always takes and frees a few of them.
 * So calls are repeated, and what counts is if there is one more for every second call, or if less.
 * Objects that a processor has at hand look as if they were given out: all are taken from them
 * first. What is freed after a grace period, or by a worker, comes back a little later.
 *
 * The driver's pool of paging buffers keeps jobs that are done until it comes round, up to two
 * thousand of them: so it goes round before each look.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counted.h"

#define SLABS		"/sys/kernel/slab"
#define SLABINFO	"/proc/slabinfo"

/*
 * How often to look until something is said not to come back, each time later, up to the longest
 * pause: workers of the kernel that have nothing to do go after five minutes.
 */
#define LOOKS		30
#define SHORTEST_MS	250
#define LONGEST_MS	16000

/* What kfree_rcu() gets is freed five seconds later. Who counts before that misses a loss. */
#define BATCH_MS	6000

/*
 * The kernel copies what is written into an object of that size. It is large, because then there
 * are few in a slab: of the slab that a processor takes an object from, all look as if they were
 * given out.
 */
static void shrink_cache(const char *cache)
{
	static const char one[2048] = "1";
	char path[384];
	int fd;

	snprintf(path, sizeof(path), SLABS "/%s/shrink", cache);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, one, sizeof(one)) != sizeof(one))
		tap_diag("%s: %m", path);
	close(fd);
}

/* What the processors have at hand goes back; names that are links are of the same caches. */
static void shrink_all(void)
{
	struct dirent *entry;
	DIR *dir = opendir(SLABS);

	while (dir && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			shrink_cache(entry->d_name);
	if (dir)
		closedir(dir);
}

static void read_slabs(struct counted *counted)
{
	FILE *file = fopen(SLABINFO, "re");
	char line[256];

	counted->nr_caches = 0;
	while (file && fgets(line, sizeof(line), file)) {
		unsigned int i = counted->nr_caches;

		if (i == COUNTED_CACHES)
			tap_bail("too many caches");
		/* The kernel's own record of what others allocate, which comes and goes later. */
		if (!strncmp(line, "kmemleak_", strlen("kmemleak_")))
			continue;
		counted->nr_caches += sscanf(line, "%39s %" SCNd64 " %*u %*u", counted->names[i],
					     &counted->objects[i]) == 2;
	}
	if (file)
		fclose(file);
}

/* Free ones are those of zones and those that processors have at hand. */
static int64_t count_pages(void)
{
	int64_t free_pages = 0, number;
	FILE *file = fopen("/proc/zoneinfo", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " nr_free_pages %" SCNd64, &number) == 1 ||
		    sscanf(line, " count: %" SCNd64, &number) == 1)
			free_pages += number;
	if (file)
		fclose(file);
	return -free_pages;
}

static int64_t count_blocks(const struct fixture *fixture)
{
	char path[128], address[64], line[128];
	int64_t blocks = 0, active;
	FILE *file;

	if (sysfs_pci_address(fixture->fd, address, sizeof(address)))
		tap_bail("no PCI address");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/pools", address);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*s %" SCNd64 " %*u %*u %*u", &active) == 1)
			blocks += active;
	if (file)
		fclose(file);
	return blocks;
}

/* A driver that is built in has no such number. */
static int64_t count_users(void)
{
	FILE *file = fopen("/sys/module/quire/refcnt", "re");
	int64_t users = 0;

	if (file && fscanf(file, "%" SCNd64, &users) != 1)
		users = 0;
	if (file)
		fclose(file);
	return users;
}

static int64_t count_dmabufs(void)
{
	FILE *file = fopen("/sys/kernel/debug/dma_buf/bufinfo", "re");
	int64_t number, dmabufs = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Total %" SCNd64 " objects", &number) == 1)
			dmabufs = number;
	if (file)
		fclose(file);
	return dmabufs;
}

/* Of a device that is given up they are not told: then they are 0. */
static void read_budgets(const struct fixture *fixture, struct counted *counted)
{
	struct drm_quire_query query = {
		.type = DRM_QUIRE_QUERY_BUDGETS,
		.answer = DRM_QUIRE_ARRAY(QUIRE_SEGMENTS, counted->budgets),
	};

	int ret = quire_query_segments(fixture->fd, counted->segments);

	if (ret != -EIO && (ret || quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_QUERY, &query)))
		tap_bail("query");
}

static void look(const struct fixture *fixture, struct counted *counted)
{
	memset(counted, 0, sizeof(*counted));
	read_slabs(counted);
	counted->pages = count_pages();
	counted->blocks = count_blocks(fixture);
	counted->users = count_users();
	counted->dmabufs = count_dmabufs();
	read_budgets(fixture, counted);
}

/**
 * counted_possible - can this be counted here?
 *
 * Returns: false if this is not root, or the kernel does not count.
 */
bool counted_possible(void)
{
	return !access(SLABINFO, R_OK) && !access(SLABS "/dentry/shrink", W_OK);
}

static void settle(const struct fixture *fixture, unsigned int ms)
{
	debugfs_write(fixture->debugfs, "paging_pool", "1");
	test_sleep_ms(ms);
	shrink_all();
}

/**
 * counted_take - count what is taken now
 * @fixture: the device, and the file; it does nothing
 * @counted: to fill
 */
void counted_take(const struct fixture *fixture, struct counted *counted)
{
	settle(fixture, BATCH_MS);
	look(fixture, counted);
}

/* @most: what may be more; if it is not so, @why says it. */
static bool is_more(int64_t after, int64_t before, int64_t most, const char *what, char *why,
		    size_t size)
{
	if (after - before <= most)
		return false;
	snprintf(why, size, "%s: %" PRId64 " more", what, after - before);
	return true;
}

static const int64_t *find_cache(const struct counted *counted, const char *name)
{
	for (unsigned int i = 0; i < counted->nr_caches; i++)
		if (!strcmp(counted->names[i], name))
			return &counted->objects[i];
	return NULL;
}

/* What the machine, or the last of many calls, takes is less than one for each second call. */
static bool has_more_memory(const struct counted *after, const struct counted *before,
			    unsigned int runs, char *why, size_t size)
{
	for (unsigned int i = 0; i < after->nr_caches; i++) {
		const int64_t *objects = find_cache(before, after->names[i]);

		/* The kernel keeps areas for a while when their pages are free. */
		if (!strcmp(after->names[i], "vmap_area"))
			continue;
		if (is_more(after->objects[i], objects ? *objects : 0, runs / 2, after->names[i],
			    why, size))
			return true;
	}
	return is_more(after->users, before->users, runs / 2, "references of the module", why,
		       size) ||
	       is_more(after->pages, before->pages, runs / 2, "pages", why, size);
}

/* What is only the driver's is the same to the last one; nothing is held resident. */
static bool has_more(const struct counted *after, const struct counted *before, char *why,
		     size_t size)
{
	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++)
		if (is_more(after->segments[i].usage, before->segments[i].usage, 0,
			    "bytes of a segment", why, size) ||
		    is_more(after->budgets[i].usage, before->budgets[i].usage, 0,
			    "bytes of the file", why, size) ||
		    is_more(after->budgets[i].resident, 0, 0, "bytes held resident", why, size))
			return true;
	return is_more(after->blocks, before->blocks, 0, "DMA blocks", why, size) ||
	       is_more(after->dmabufs, before->dmabufs, 0, "dma-bufs", why, size);
}

/* Of each number the lower one. */
static void lower(struct counted *least, const struct counted *now)
{
	for (unsigned int i = 0; i < least->nr_caches; i++) {
		const int64_t *objects = find_cache(now, least->names[i]);

		if (objects && *objects < least->objects[i])
			least->objects[i] = *objects;
	}
	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++) {
		least->segments[i] = now->segments[i];
		least->budgets[i] = now->budgets[i];
	}
	least->pages = now->pages < least->pages ? now->pages : least->pages;
	least->blocks = now->blocks;
	least->users = now->users;
	least->dmabufs = now->dmabufs;
}

/**
 * counted_returns - is everything given back?
 * @fixture: the device, and the file
 * @before: what was taken before
 * @runs: so many calls were made meanwhile
 *
 * Waits until what dies has died. Says what is not given back.
 *
 * Returns: true if it is.
 */
bool counted_returns(const struct fixture *fixture, const struct counted *before,
		     unsigned int runs)
{
	struct counted *counts = calloc(2, sizeof(*counts)), *least = counts, *now = counts + 1;
	char why[96] = "no memory";
	unsigned int pause = SHORTEST_MS;
	bool more = true;

	for (unsigned int i = 0; counts && more && i < LOOKS; i++) {
		settle(fixture, pause);
		pause = pause < LONGEST_MS ? 2 * pause : pause;
		look(fixture, i ? now : least);
		if (i)
			lower(least, now);
		more = has_more(least, before, why, sizeof(why)) ||
		       has_more_memory(least, before, runs, why, sizeof(why));
	}
	free(counts);
	if (more)
		tap_diag("%s", why);
	return !more;
}
