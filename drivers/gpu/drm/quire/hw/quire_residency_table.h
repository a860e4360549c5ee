/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RESIDENCY_TABLE_H
#define QUIRE_RESIDENCY_TABLE_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <quire/quire_hw.h>

struct quire_device;
struct quire_packet_notify_fences;
struct quire_packet_notify_residency;
struct quire_packet_notify_residency2;
struct quire_paging_fence_residency;

/* Of the page of a native fence: where its values are. */
#define QUIRE_NATIVE_CURRENT	0
#define QUIRE_NATIVE_MONITORED	64

/**
 * struct quire_residency_run - consecutive pages of one object
 * @segment: %QUIRE_SEGMENT_VRAM or %QUIRE_SEGMENT_APERTURE
 * @first: first page in the segment
 * @pages: number of them, not 0
 * @id: the object; 0: none
 * @offset: page of the object at @first
 */
struct quire_residency_run {
	u32 segment;
	u64 first;
	u32 pages;
	u32 id;
	u32 offset;
};

/**
 * struct quire_residency_table - copy of the device's table while that has lost it
 * @lock: protects the registers of the table, several of which make one access
 * @count: pages of VRAM and of the aperture, by segment
 * @entries: for each page of VRAM, then of the aperture: allocation and its page; 0: nothing
 * @kept: @entries are valid, and the device has lost its table
 * @works: the device has a table worth keeping
 */
struct quire_residency_table {
	struct mutex lock; /* registers of the residency table */
	u32 count[3];
	u64 *entries;
	bool kept;
	bool works;
};

/**
 * struct quire_natives - native fences of all programs
 * @lock: protects @places; inside of &quire_ring.lock
 * @places: what the ring was last given to tell of each
 */
struct quire_natives {
	spinlock_t lock; /* of the places */
	struct quire_paging_fence_residency *places;
};

int quire_residency_table_init(struct quire_residency_table *table, u32 vram, u32 aperture);
void quire_residency_table_enter(struct quire_residency_table *table,
				 const struct quire_residency_run *run);
void quire_residency_table_note(struct quire_residency_table *table,
				const struct quire_packet_notify_residency *packet);
void quire_residency_table_note2(struct quire_residency_table *table,
				 const struct quire_packet_notify_residency2 *packet);
bool quire_residency_table_next(const struct quire_residency_table *table,
				struct quire_residency_run *run);
int quire_residency_save_init(struct quire_device *qdev);
bool quire_residency_read(struct quire_device *qdev, u32 segment, u64 page,
			  struct quire_residency_run *run);
void quire_residency_save(struct quire_device *qdev);

int quire_natives_init(struct quire_device *qdev);
void quire_natives_note(struct quire_natives *natives,
			const struct quire_packet_notify_fences *packet);
u32 quire_natives_next(struct quire_natives *natives, u32 *at,
		       struct quire_paging_fence_residency *fences, u32 most);

/* The device has its table again. */
static inline void quire_residency_table_restored(struct quire_residency_table *table)
{
	table->kept = false;
	table->works = true;
}

#endif
