/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Inputs of QEMU's generic fuzzer (tests/qtest/fuzz/generic_fuzz.c), made on purpose.
 *
 * Such an input is a list of accesses to the device's registers and configuration space. The
 * fuzzer gives the guest's memory its content when the device looks at it: each mapping that
 * the device makes of the guest's RAM is filled with the next of the input's patterns, over
 * and over from the first. So a seed says what the device finds, in the order in which it
 * looks: the write pointer, the entry, the packets, then the data of each of them.
 */
#ifndef QUIRE_FUZZ_SEED_H
#define QUIRE_FUZZ_SEED_H

#include <stddef.h>
#include <stdint.h>

#include "host.h"

#define SEED_MAX	8192u

/*
 * Regions of the device that the fuzzer can write to, in the order of their addresses; RAM,
 * like that behind BAR 2, is none of them.
 */
#define SEED_REGS	0
#define SEED_WINDOW	1
#define SEED_MSIX_TABLE	2
#define SEED_MSIX_PBA	3
#define SEED_RANGES	4

/* Where the fuzzer maps BAR 0 to 2 of the one device, whose BAR 2 has 1 MiB. */
#define SEED_BAR_REGS	0xe0000000ull
#define SEED_BAR_WINDOW	0xe0020000ull
#define SEED_BAR_VRAM	0xe0100000ull

/* Configuration space: QEMU's order of capabilities, and QUIRE_PCIE_CAP. */
#define SEED_PCI_COMMAND	0x04
#define SEED_PCI_BAR_REGS	0x10
#define SEED_PCI_MSIX		0x42
#define SEED_PCI_DEVCTL		0x88

/**
 * struct seed - an input under construction
 * @bytes: the input
 * @size: its bytes
 * @ring: number of the ring that is meant
 * @reach: what the device's trace events must say of it, in this order, each ended by a tab
 */
struct seed {
	uint8_t bytes[SEED_MAX];
	size_t size;
	unsigned int ring;
	char reach[1024];
};

void seed_write(struct seed *seed, unsigned int region, uint32_t offset, unsigned int size,
		uint64_t value);
void seed_read(struct seed *seed, unsigned int region, uint32_t offset, unsigned int size);
void seed_config(struct seed *seed, uint8_t offset, unsigned int size, uint32_t value);
void seed_pattern(struct seed *seed, const void *bytes, size_t size);
void seed_forget(struct seed *seed);
void seed_reach(struct seed *seed, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void seed_register(struct seed *seed, uint32_t offset, uint32_t value);
void seed_ring(struct seed *seed, uint64_t entries, uint64_t fence_page, uint32_t order);
void seed_enable(struct seed *seed);
void seed_disable(struct seed *seed);
void seed_doorbell(struct seed *seed);
void seed_gap(struct seed *seed, unsigned int reads);
void seed_slices(struct seed *seed);

void seed_mappings(struct seed *seed, unsigned int count);
void seed_wptr(struct seed *seed, uint32_t wptr);
void seed_entry(struct seed *seed, uint64_t addr, uint32_t size, uint32_t flags,
		uint64_t reserved);
void seed_submission(struct seed *seed, const struct packets *p);
void seed_idle(struct seed *seed, uint32_t wptr);

#endif
