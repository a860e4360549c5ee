/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the device itself says: the driver's files device_packets and device_aperture. */
#ifndef QUIRE_DEVICE_VIEW_H
#define QUIRE_DEVICE_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include <quire/quire_hw.h>

#define DEVICE_OPCODES	QUIRE_OP_MAX
#define DEVICE_HISTORY	64	/* packets that are known at most */

/**
 * struct device_packets - what the device executed
 * @entries: completed since the ring was enabled
 * @packets: since the device was reset
 * @opcodes: the same, of each opcode from 1 on
 * @known: how many of the last ones are known
 * @nowhere: those of them without an address
 * @contiguous: those of them that map by an address list of one base
 * @listed: those of them that map by an address list which is an array
 */
struct device_packets {
	uint64_t entries;
	uint64_t packets;
	uint64_t opcodes[DEVICE_OPCODES];
	unsigned int known;
	unsigned int nowhere;
	unsigned int contiguous;
	unsigned int listed;
};

/**
 * struct device_aperture - what the aperture points at
 * @mapped: pages of the aperture that point at some page
 * @dummy: that point at the driver's dummy page
 * @coherent: of @mapped, those that are mapped so
 * @visible: of @mapped, those that the CPU sees
 */
struct device_aperture {
	uint64_t mapped;
	uint64_t dummy;
	uint64_t coherent;
	uint64_t visible;
};

/**
 * struct device_packet - one that the device executed
 * @header: opcode, and flags from bit 16 on
 * @address: where it stood
 */
struct device_packet {
	uint32_t header;
	uint64_t address;
};

/**
 * struct device_history - the last packets
 * @count: of @packets
 * @packets: the oldest first
 */
struct device_history {
	unsigned int count;
	struct device_packet packets[DEVICE_HISTORY];
};

int device_packets_read(const char *dir, struct device_packets *packets);
int device_history_read(const char *dir, struct device_history *history);
int device_aperture_read(const char *dir, struct device_aperture *aperture);

#endif
