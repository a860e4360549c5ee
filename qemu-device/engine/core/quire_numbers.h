/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: numbers, and little endian ones in memory.
 */
#ifndef QUIRE_NUMBERS_H
#define QUIRE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire_hw.h"

#define QUIRE_ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static inline uint64_t quire_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t quire_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline bool quire_range_ok(uint64_t offset, uint64_t len, uint64_t size)
{
	return len <= size && offset <= size - len;
}

static inline bool quire_page_aligned(uint64_t value)
{
	return !(value & (QUIRE_PAGE_SIZE - 1));
}

static inline uint32_t quire_get_le16(const void *from)
{
	const uint8_t *p = from;

	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t quire_get_le32(const void *from)
{
	const uint8_t *p = from;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t quire_get_le64(const void *from)
{
	return quire_get_le32(from) |
	       (uint64_t)quire_get_le32((const uint8_t *)from + 4) << 32;
}

/* Numbers that compilers make vectors of are accessed as a whole, by memcpy(), and swapped here. */
static inline uint32_t quire_le32(uint32_t raw)
{
	return quire_get_le32(&raw);
}

/* Compilers make one store of these; of a loop they do not. */
static inline void quire_put_le32(uint8_t *to, uint32_t value)
{
	to[0] = value;
	to[1] = value >> 8;
	to[2] = value >> 16;
	to[3] = value >> 24;
}

static inline void quire_put_le64(uint8_t *to, uint64_t value)
{
	quire_put_le32(to, value);
	quire_put_le32(to + 4, value >> 32);
}

/* Read a little endian field of the packet structure @type at @packet. */
#define QUIRE_GET16(packet, type, field) \
	quire_get_le16((packet) + offsetof(struct type, field))
#define QUIRE_GET32(packet, type, field) \
	quire_get_le32((packet) + offsetof(struct type, field))
#define QUIRE_GET64(packet, type, field) \
	quire_get_le64((packet) + offsetof(struct type, field))

#endif
