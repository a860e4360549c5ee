/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the kernel has of everything that calls take, counted before and after many of them. For
 * root; nothing else is at work.
 */
#ifndef QUIRE_TEST_COUNTED_H
#define QUIRE_TEST_COUNTED_H

#include "fixture.h"

#define COUNTED_CACHES	512
#define COUNTED_NAME	40

/**
 * struct counted - what is taken at one time
 * @nr_caches: number of @names and @objects
 * @names: of slab caches
 * @objects: that each of them has given out
 * @pages: that are not free, of all memory
 * @blocks: of the DMA pools of the device
 * @users: references of the module
 * @dmabufs: that there are
 * @segments: of the device
 * @budgets: of the file
 */
struct counted {
	unsigned int nr_caches;
	char names[COUNTED_CACHES][COUNTED_NAME];
	int64_t objects[COUNTED_CACHES];
	int64_t pages;
	int64_t blocks;
	int64_t users;
	int64_t dmabufs;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	struct drm_quire_budget_info budgets[QUIRE_SEGMENTS];
};

bool counted_possible(void);
void counted_take(const struct fixture *fixture, struct counted *counted);
bool counted_returns(const struct fixture *fixture, const struct counted *before,
		     unsigned int runs);

#endif
