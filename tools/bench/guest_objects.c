// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What many objects cost: freeing them, evicting them, having them. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "allocations.h"
#include "debugfs.h"
#include "guest.h"
#include "measure.h"

#define FREED		10000
#define SETTLE_S	60

/* Until what was freed can be used again. */
static void settle(const struct guest *guest, uint32_t segment, uint64_t usage)
{
	double end = measure_now() + SETTLE_S;

	while (guest_usage(guest, segment) > usage) {
		if (measure_now() > end)
			guest_must(-ETIME, "freed memory does not come back");
		sched_yield();
	}
}

static double free_seconds(struct guest *guest, uint32_t segment)
{
	uint64_t usage = guest_usage(guest, segment);
	struct guest_set set;
	double begin;

	guest_set_create(&set, guest->fd, FREED, QUIRE_PAGE);
	guest_set_place(&set, segment);
	guest_set_wait(&set);
	begin = measure_now();
	guest_set_close(&set);
	settle(guest, segment, usage);
	return measure_now() - begin;
}

/* 10,000 objects of a page, in VRAM and in system memory. */
void guest_free(struct guest *guest)
{
	double vram[GUEST_ROUNDS], system[GUEST_ROUNDS], ratios[GUEST_ROUNDS];

	for (int i = 0; i < GUEST_ROUNDS; i++) {
		system[i] = free_seconds(guest, DRM_QUIRE_SEGMENT_SYSTEM) * 1000;
		vram[i] = free_seconds(guest, DRM_QUIRE_SEGMENT_VRAM) * 1000;
		ratios[i] = vram[i] / system[i];
	}
	measure_print("free_vram", measure_median(vram, GUEST_ROUNDS), "ms");
	measure_print("free_system", measure_median(system, GUEST_ROUNDS), "ms");
	measure_print("free_ratio", measure_median(ratios, GUEST_ROUNDS), "ratio");
}

/* One object takes the place of all that fill VRAM; its own fill is included. */
static double evict_seconds(const struct guest *guest, const struct guest_set *set)
{
	uint32_t whole;
	double seconds;

	guest_set_place(set, DRM_QUIRE_SEGMENT_VRAM);
	guest_set_wait(set);
	guest_must(quire_bo_create(guest->fd, guest->vram, &whole), "create");
	seconds = -measure_now();
	guest_must(quire_bo_place(guest->fd, whole, DRM_QUIRE_SEGMENT_VRAM, 0), "evict");
	guest_must(quire_bo_wait(guest->fd, whole, GUEST_WAIT_MS), "wait");
	seconds += measure_now();
	guest_must(quire_bo_close(guest->fd, whole), "close");
	settle(guest, DRM_QUIRE_SEGMENT_VRAM, 0);
	return seconds;
}

static void measure_eviction(struct guest *guest, uint64_t size, const char *name)
{
	double rates[GUEST_ROUNDS];
	struct guest_set set;

	guest_set_create(&set, guest->fd, guest->vram / size, size);
	for (int i = 0; i < GUEST_ROUNDS; i++)
		rates[i] = (double)guest->vram / QUIRE_MIB / evict_seconds(guest, &set);
	guest_set_close(&set);
	measure_print(name, measure_median(rates, GUEST_ROUNDS), "MiB/s");
}

/* All of VRAM, in small and in large objects. */
void guest_eviction(struct guest *guest)
{
	measure_eviction(guest, QUIRE_PAGE, "eviction_4k");
	measure_eviction(guest, 16 * QUIRE_MIB, "eviction_16m");
}

/* All of VRAM in small objects; the mark behind them counts, too. */
void guest_plug(struct guest *guest)
{
	struct debugfs_counter before, after;
	struct guest_set set;
	size_t count = guest->vram / QUIRE_PAGE;

	guest_set_create(&set, guest->fd, count, QUIRE_PAGE);
	guest_set_place(&set, DRM_QUIRE_SEGMENT_VRAM);
	guest_set_wait(&set);
	guest_must(debugfs_counter(guest->debugfs, "submissions", &before), "counters");
	guest_must(debugfs_write(guest->debugfs, "evict_all", "1"), "evict");
	guest_must(debugfs_counter(guest->debugfs, "submissions", &after), "counters");
	guest_set_close(&set);
	measure_print("submissions_per_evicted", (double)(after.count - before.count) / count,
		      "ratio");
}

/* From VRAM to system memory; pages and tables of the object are not the driver's. */
static void measure_allocations(struct guest *guest, uint64_t size, const char *name)
{
	const uint32_t segments = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
				  DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM);
	struct allocations allocations;
	uint32_t handle;

	guest_must(quire_bo_create_in(guest->fd, size, segments, &handle), "create");
	guest_must(quire_bo_place(guest->fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0), "place");
	guest_must(quire_bo_wait(guest->fd, handle, GUEST_WAIT_MS), "wait");
	guest_must(allocations_begin(), "look at allocations");
	guest_must(debugfs_write(guest->debugfs, "evict_all", "1"), "evict");
	guest_must(allocations_end(&allocations), "count allocations");
	guest_must(quire_bo_close(guest->fd, handle), "close");
	settle(guest, DRM_QUIRE_SEGMENT_VRAM, 0);
	measure_print(name, allocations.bytes, "bytes");
}

/* What the driver allocates while it evicts a small object, and one as large as VRAM. */
void guest_allocations(struct guest *guest)
{
	measure_allocations(guest, QUIRE_MIB, "evict_bytes_1m");
	measure_allocations(guest, guest->vram, "evict_bytes_64m");
}
