/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Native fences, as tests use them. Whatever should not fail and does ends the test. */
#ifndef QUIRE_TEST_NATIVE_H
#define QUIRE_TEST_NATIVE_H

#include "monitored.h"
#include "space.h"

/* The word of the page that has the monitored value. */
#define NATIVE_MONITORED	8

/**
 * struct native - a native fence
 * @base: as a monitored one: handle and mapping
 * @number: what commands call it
 */
struct native {
	struct monitored base;
	uint32_t number;
};

/* What the device says of one. */
struct native_known {
	uint64_t owner;
	uint64_t value;
	uint64_t monitored;
};

int native_create(int fd, uint32_t vm, uint64_t value, struct native *native);
void native_open_in(struct native *native, int fd, uint32_t vm, uint64_t value);
void native_open(struct native *native, const struct space *space, uint64_t value);

uint64_t native_value(const struct native *native);
uint64_t native_monitored(const struct native *native);
void native_write_signal(struct space *space, uint32_t number, uint64_t value);
int native_signal(struct space *space, const struct native *native, uint64_t value);
bool native_known(const struct work *work, uint32_t number, struct native_known *known,
		  uint64_t *interrupts);
bool native_is_nowhere_soon(const struct work *work, uint32_t number);
uint64_t native_interrupts(const struct work *work);

#endif
