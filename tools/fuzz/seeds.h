/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FUZZ_SEEDS_H
#define QUIRE_FUZZ_SEEDS_H

#include "seed.h"

/* The device of generic.sh; bad-packets.h is made for one of these sizes, too. */
#define VRAM		(2 * MIB)
#define APERTURE	(1 * MIB)
#define APERTURE_PAGES	(APERTURE / PAGE)
#define RANGE_SIZE	(1 * MIB)

/**
 * struct scene - a seed that is more than a submission
 * @name: of its file
 * @build: makes it
 */
struct scene {
	const char *name;
	void (*build)(struct seed *seed);
};

/* Ended by one without a name. */
extern const struct scene seeds_rings[];
extern const struct scene seeds_space[];
extern const struct scene seeds_function[];

static inline void seed_reach_done(struct seed *seed)
{
	seed_reach(seed, "quire_complete ring %u fence 7 ", seed->ring);
}

static inline void seed_reach_fault(struct seed *seed, enum quire_fault fault)
{
	seed_reach(seed, "quire_err_fault ring %u %s at", seed->ring, quire_fault_name(fault));
}

/* Set the ring up anew and give it a fill of VRAM. */
void seed_start_work(struct seed *seed, uint64_t entries, uint64_t fence_page);
/* The ring works, whatever was before. */
void seed_work(struct seed *seed);
/* A ring that is enabled with these ends with @fault. */
void seed_enable_with(struct seed *seed, uint64_t entries, uint64_t fence_page, uint32_t order,
		      enum quire_fault fault);
/* What another thread does is done, or waited for; then the ring works. */
void seed_stop_thread(struct seed *seed);

#endif
