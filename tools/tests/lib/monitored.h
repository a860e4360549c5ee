/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Monitored fences, as tests use them. What returns int returns 0 or a negative errno. */
#ifndef QUIRE_TEST_MONITORED_H
#define QUIRE_TEST_MONITORED_H

#include "fixture.h"

/**
 * struct monitored - a monitored fence
 * @fd: of the device
 * @handle: of it
 * @page: as the program sees it
 */
struct monitored {
	int fd;
	uint32_t handle;
	const uint64_t *page;
};

int monitored_create(int fd, uint64_t value, uint32_t *handle);
void monitored_open(struct monitored *fence, int fd, uint64_t value);
void monitored_close(struct monitored *fence);
uint64_t monitored_offset(int fd, uint32_t handle);
uint64_t monitored_value(const struct monitored *fence);

int monitored_signal(const struct monitored *fence, uint64_t value);
int monitored_signal_syncs(const struct monitored *fence, uint64_t value,
			   const struct drm_quire_sync *syncs, uint32_t count);
int monitored_wait(const struct monitored *fence, uint64_t value, unsigned int milliseconds);
pid_t monitored_start_waiter(const struct monitored *fence, uint64_t value);

#endif
