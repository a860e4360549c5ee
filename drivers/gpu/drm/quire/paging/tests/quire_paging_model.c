// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/string.h>
#include <linux/types.h>

#include "quire_paging_image.h"
#include "quire_paging_model.h"
#include "quire_paging_space.h"

/*
 * DOC: a model of the device for tests of the builder
 *
 * Decodes packets byte by byte from the specification (device.rst) and
 * executes them on arrays. It shares no code, structure or constant with the
 * builder on purpose: a mistake in quire_hw.h has to show up here.
 *
 * Functions return NULL, or what is wrong.
 */

enum {
	OP_TRANSFER = 1, OP_FILL, OP_DISCARD, OP_READ, OP_WRITE, OP_MAP, OP_UNMAP, OP_MAP2 = 9,
	OP_SPECIAL_LOCK, OP_INIT_CONTEXT = 13, OP_SIGNAL = 18,
};

enum { SEGMENT_SYSTEM, SEGMENT_VRAM, SEGMENT_APERTURE };

static u64 get_le(const u8 *bytes, unsigned int size)
{
	u64 value = 0;

	while (size--)
		value = value << 8 | bytes[size];

	return value;
}

/* Content that depends on the place, so that no two pages are alike. */
static void model_seed(u8 *bytes, u32 size, u32 seed)
{
	u32 i;

	for (i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = seed >> 24;
	}
}

static void model_fill(struct quire_model *model)
{
	u32 i;

	model_seed(model->vram, sizeof(model->vram), 1);
	model_seed(model->system, sizeof(model->system), 2);

	/* Neighbours in the aperture are no neighbours in memory. */
	for (i = 0; i < QUIRE_MODEL_APERTURE; i++)
		model->aperture[i] = QUIRE_MODEL_SYSTEM_BASE + QUIRE_MODEL_LIST +
				     (i * 7 + 3) % QUIRE_MODEL_APERTURE;
}

void quire_model_reset(struct quire_model *model)
{
	static struct quire_model fresh;

	if (!fresh.aperture[0])
		model_fill(&fresh);
	*model = fresh;
}

/* The bytes of a page, or NULL where the model has none. */
u8 *quire_model_page(struct quire_model *model, u32 segment, u64 page)
{
	if (segment == SEGMENT_APERTURE) {
		if (page >= QUIRE_MODEL_APERTURE)
			return NULL;
		page = model->aperture[page];
		segment = SEGMENT_SYSTEM;
	}

	if (segment == SEGMENT_VRAM) {
		page -= QUIRE_MODEL_VRAM_BASE;
		return page < QUIRE_MODEL_VRAM ? model->vram + page * QUIRE_MODEL_PAGE : NULL;
	}

	page -= QUIRE_MODEL_SYSTEM_BASE;
	return page < QUIRE_MODEL_SYSTEM ? model->system + page * QUIRE_MODEL_PAGE : NULL;
}

u64 quire_model_run_first(const struct quire_model_packet *packet, u32 nr)
{
	return get_le(packet->runs + nr * 8, 8) >> 12;
}

u64 quire_model_run_pages(const struct quire_model_packet *packet, u32 nr)
{
	return (get_le(packet->runs + nr * 8, 8) & 0xfff) + 1;
}

/* Page @nr of a packet with an address list. */
u64 quire_model_adl_page(const struct quire_model_packet *packet, u64 nr)
{
	return packet->numbers ? get_le(packet->numbers + nr * 8, 8) : packet->value + nr;
}

static const char *model_check_runs(struct quire_model_packet *packet, const u8 *bytes, u32 fixed)
{
	u64 pages = 0;
	u32 i;

	packet->runs = bytes + fixed;
	packet->nr_runs = (packet->size - fixed) / 8;
	for (i = 0; i < packet->nr_runs; i++)
		pages += quire_model_run_pages(packet, i);
	if (pages != packet->bytes / QUIRE_MODEL_PAGE + !!(packet->bytes % QUIRE_MODEL_PAGE))
		return "page runs do not cover the size";

	return NULL;
}

static const char *model_decode_swizzle(const u8 *bytes, struct quire_model_packet *packet)
{
	packet->bytes = packet->size < 40 ? 0 : get_le(bytes + 32, 8);
	if (!packet->bytes)
		return "empty transfer";
	/* That of the tiled side is 0. */
	packet->address = get_le(bytes + 16, 8) + get_le(bytes + 24, 8);
	packet->value = get_le(bytes + 60, 4);
	packet->converts = true;
	if (packet->opcode == OP_TRANSFER && packet->value)
		return "reserved bits of a packet that converts";

	return quire_model_swizzle_check(bytes, packet->size);
}

static const char *model_decode_special_lock(const u8 *bytes, struct quire_model_packet *packet)
{
	const char *wrong = model_decode_swizzle(bytes, packet);

	if (wrong)
		return wrong;
	if (packet->flags == 1 ? get_le(bytes + 8, 4) : get_le(bytes + 12, 4))
		return "a special lock without pages";

	return packet->value == 0xffffffff || (packet->value & 0xffff) < 16 ? NULL :
		"no such range";
}

/* A part of it may have been executed before: that must not have changed what it reads. */
static bool model_is_overwritten(const struct quire_model_packet *packet)
{
	return packet->src_segment == packet->segment && packet->src_address != packet->address &&
	       packet->src_address < packet->address + packet->bytes &&
	       packet->address < packet->src_address + packet->bytes;
}

static const char *model_decode_transfer(const u8 *bytes, struct quire_model_packet *packet)
{
	if (packet->flags)
		return model_decode_swizzle(bytes, packet);
	if (packet->size < 40)
		return "bad transfer header";
	packet->src_segment = get_le(bytes + 8, 4);
	packet->segment = get_le(bytes + 12, 4);
	packet->src_address = get_le(bytes + 16, 8);
	packet->address = get_le(bytes + 24, 8);
	packet->bytes = get_le(bytes + 32, 8);
	if (!packet->bytes)
		return "empty transfer";
	if (packet->src_segment > SEGMENT_APERTURE || packet->segment > SEGMENT_APERTURE)
		return "no such segment";
	if (packet->src_segment && packet->segment) {
		if (model_is_overwritten(packet))
			return "sides overlap";
		return packet->size == 40 ? NULL : "page runs without a system side";
	}
	if (!packet->src_segment && !packet->segment)
		return "both sides are system memory";
	if (packet->src_segment ? packet->address : packet->src_address)
		return "system side with an address";

	return model_check_runs(packet, bytes, 40);
}

static const char *model_decode_fill(const u8 *bytes, struct quire_model_packet *packet)
{
	packet->segment = get_le(bytes + 8, 4);
	packet->value = get_le(bytes + 12, 4);
	packet->address = get_le(bytes + 16, 8);
	packet->bytes = get_le(bytes + 24, 8);
	if (packet->size != 32 || packet->flags || packet->segment != SEGMENT_VRAM)
		return "bad fill";
	if (!packet->bytes || packet->bytes % 4 || packet->address % 4)
		return "bad size or address of a fill";

	return NULL;
}

static const char *model_decode_discard(const u8 *bytes, struct quire_model_packet *packet)
{
	packet->segment = get_le(bytes + 8, 4);
	packet->address = get_le(bytes + 16, 8);
	packet->bytes = get_le(bytes + 24, 8);
	if (packet->size != 32 || packet->flags || packet->segment != SEGMENT_VRAM)
		return "bad discard";
	if (get_le(bytes + 12, 4))
		return "reserved bits of a discard";
	if (!packet->bytes || packet->bytes % QUIRE_MODEL_PAGE ||
	    packet->address % QUIRE_MODEL_PAGE)
		return "bad size or address of a discard";

	return NULL;
}

static const char *model_decode_physical(const u8 *bytes, struct quire_model_packet *packet)
{
	packet->segment = get_le(bytes + 8, 4);
	packet->bytes = get_le(bytes + 12, 4);
	packet->address = get_le(bytes + 16, 8);
	packet->value = get_le(bytes + 24, 8);
	if (packet->size != 32 || packet->flags || packet->segment > SEGMENT_APERTURE)
		return "bad physical access";
	if (packet->bytes < 1 || packet->bytes > 8 ||
	    packet->address % QUIRE_MODEL_PAGE + packet->bytes > QUIRE_MODEL_PAGE)
		return "physical access leaves its page";
	if (packet->opcode == OP_READ && packet->value)
		return "read with a value";

	return NULL;
}

static const char *model_decode_aperture(const u8 *bytes, struct quire_model_packet *packet)
{
	packet->segment = get_le(bytes + 8, 4);
	packet->bytes = get_le(bytes + 12, 4) * QUIRE_MODEL_PAGE;
	packet->address = get_le(bytes + 16, 8) * QUIRE_MODEL_PAGE;
	if (packet->segment != SEGMENT_APERTURE || !packet->bytes)
		return "bad aperture operation";
	if (packet->opcode == OP_MAP)
		return packet->flags > 1 ? "flags of a map" : model_check_runs(packet, bytes, 24);

	packet->value = get_le(bytes + 24, 8);
	if (packet->size != 32 || packet->flags || packet->value % QUIRE_MODEL_PAGE)
		return "bad unmap";

	return NULL;
}

static const char *model_decode_map2(const u8 *bytes, struct quire_model_packet *packet)
{
	u64 pages = get_le(bytes + 12, 4);

	packet->segment = get_le(bytes + 8, 4);
	packet->bytes = pages * QUIRE_MODEL_PAGE;
	packet->address = get_le(bytes + 16, 8) * QUIRE_MODEL_PAGE;
	packet->value = get_le(bytes + 24, 8);
	if (packet->segment != SEGMENT_APERTURE || !pages || packet->flags > 7)
		return "bad map of an address list";
	if (!(packet->flags & 2))
		packet->numbers = bytes + 32;
	if (packet->size != 32 + (packet->numbers ? pages * 8 : 0))
		return "size of a map of an address list";

	return NULL;
}

/* Bytes that any packet of an operation has. */
static u32 model_least(u32 opcode)
{
	return opcode == OP_INIT_CONTEXT || opcode >= OP_SIGNAL ? 24 : 32;
}

const char *quire_model_decode(const u8 *bytes, u32 left, struct quire_model_packet *packet)
{
	memset(packet, 0, sizeof(*packet));
	if (left < 8)
		return "no room for a packet";
	packet->opcode = get_le(bytes, 2);
	packet->flags = get_le(bytes + 2, 2);
	packet->size = get_le(bytes + 4, 4);
	if (packet->size < model_least(packet->opcode) || packet->size > left ||
	    packet->size % 8)
		return "bad packet size";

	switch (packet->opcode) {
	case OP_TRANSFER:
		return model_decode_transfer(bytes, packet);
	case OP_FILL:
		return model_decode_fill(bytes, packet);
	case OP_DISCARD:
		return model_decode_discard(bytes, packet);
	case OP_READ:
	case OP_WRITE:
		return model_decode_physical(bytes, packet);
	case OP_MAP:
	case OP_UNMAP:
		return model_decode_aperture(bytes, packet);
	case OP_SPECIAL_LOCK:
		return model_decode_special_lock(bytes, packet);
	case OP_MAP2:
		return model_decode_map2(bytes, packet);
	default:
		return quire_space_decode(bytes, packet);
	}
}

/* Page number of a packet's page @nr: from its run list, or from its address. */
static u64 model_packet_page(const struct quire_model_packet *packet, u32 segment,
			     u64 address, u64 nr)
{
	u32 i;

	if (segment != SEGMENT_SYSTEM)
		return address / QUIRE_MODEL_PAGE + nr;

	for (i = 0; nr >= quire_model_run_pages(packet, i); i++)
		nr -= quire_model_run_pages(packet, i);

	return quire_model_run_first(packet, i) + nr;
}

/* Between @scratch and one side of a transfer; sides start at a page here. */
static const char *model_copy(struct quire_model *model, const struct quire_model_packet *packet,
			      u8 *scratch, bool write)
{
	u32 segment = write ? packet->segment : packet->src_segment;
	u64 address = write ? packet->address : packet->src_address;
	u64 done, part;

	if (address % QUIRE_MODEL_PAGE)
		return "transfer does not start at a page";

	for (done = 0; done < packet->bytes; done += part) {
		u8 *page = quire_model_page(model, segment,
					    model_packet_page(packet, segment, address,
							      done / QUIRE_MODEL_PAGE));

		if (!page)
			return "transfer outside of memory";
		part = packet->bytes - done;
		if (part > QUIRE_MODEL_PAGE)
			part = QUIRE_MODEL_PAGE;
		if (write)
			memcpy(page, scratch + done, part);
		else
			memcpy(scratch + done, page, part);
	}

	return NULL;
}

static const char *model_transfer(struct quire_model *model, u8 *scratch,
				  const struct quire_model_packet *packet)
{
	const char *wrong;

	if (packet->bytes > sizeof(model->vram))
		return "transfer larger than the model";
	wrong = model_copy(model, packet, scratch, false);

	return wrong ? wrong : model_copy(model, packet, scratch, true);
}

/* Fill and discard: one byte after the other. */
static const char *model_set(struct quire_model *model, const struct quire_model_packet *packet)
{
	u64 i;

	for (i = 0; i < packet->bytes; i++) {
		u64 address = packet->address + i;
		u8 *page = quire_model_page(model, SEGMENT_VRAM, address / QUIRE_MODEL_PAGE);

		if (!page)
			return "write outside of memory";
		page[address % QUIRE_MODEL_PAGE] = packet->value >> i % 4 * 8;
	}

	return NULL;
}

static const char *model_physical(struct quire_model *model,
				  const struct quire_model_packet *packet)
{
	u8 *page = quire_model_page(model, packet->segment, packet->address / QUIRE_MODEL_PAGE);
	u64 i;

	if (!page)
		return "physical access outside of memory";
	if (packet->opcode == OP_READ) {
		model->reads++;
		return NULL;
	}
	model->writes++;
	for (i = 0; i < packet->bytes; i++)
		page[packet->address % QUIRE_MODEL_PAGE + i] = packet->value >> i * 8;

	return NULL;
}

static u64 model_aperture_page(const struct quire_model_packet *packet, u64 nr)
{
	switch (packet->opcode) {
	case OP_MAP:
		return model_packet_page(packet, SEGMENT_SYSTEM, 0, nr);
	case OP_MAP2:
		return quire_model_adl_page(packet, nr);
	default:
		return packet->value / QUIRE_MODEL_PAGE;
	}
}

static const char *model_aperture(struct quire_model *model,
				  const struct quire_model_packet *packet)
{
	u64 first = packet->address / QUIRE_MODEL_PAGE;
	u64 i;

	for (i = 0; i < packet->bytes / QUIRE_MODEL_PAGE; i++) {
		if (first + i >= QUIRE_MODEL_APERTURE)
			return "outside of the aperture";
		model->aperture[first + i] = model_aperture_page(packet, i);
		model->coherent[first + i] = packet->flags & 1;
		model->visible[first + i] = packet->flags / 4 & 1;
	}

	return NULL;
}

/* Executes packets; @scratch has room for all of VRAM. */
const char *quire_model_execute(struct quire_model *model, u8 *scratch,
				const u8 *bytes, u32 size)
{
	struct quire_model_packet packet;
	const char *wrong;

	while (size) {
		wrong = quire_model_decode(bytes, size, &packet);
		if (wrong)
			return wrong;
		if (packet.converts)
			wrong = quire_model_swizzle(model, bytes, packet.size);
		else if (packet.opcode == OP_TRANSFER)
			wrong = model_transfer(model, scratch, &packet);
		else if (packet.opcode == OP_FILL || packet.opcode == OP_DISCARD)
			wrong = model_set(model, &packet);
		else if (packet.opcode == OP_READ || packet.opcode == OP_WRITE)
			wrong = model_physical(model, &packet);
		else
			wrong = model_aperture(model, &packet);
		if (wrong)
			return wrong;
		bytes += packet.size;
		size -= packet.size;
	}

	return NULL;
}
