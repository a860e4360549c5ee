// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "quire_paging_drive.h"

/*
 * DOC: the caller of the builder, in tests
 *
 * Does what the queue does, with windows of any size, and checks after every
 * call what must hold whatever the operation: nothing is written outside of
 * the window, window and token advance together, no other argument changes,
 * the answer is FULL only if no further packet fits, and private data
 * describes each packet.
 */

#define GUARD	64
#define POISON	0xa5

struct quire_drive *quire_drive_create(struct kunit *test)
{
	struct quire_drive *drive = kunit_kzalloc(test, sizeof(*drive), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, drive);
	drive->test = test;
	drive->buffer = kunit_kzalloc(test, QUIRE_DRIVE_MAX_WINDOW + GUARD, GFP_KERNEL);
	drive->private_buffer = kunit_kzalloc(test, QUIRE_DRIVE_MAX_PRIVATE + GUARD, GFP_KERNEL);
	drive->log = kunit_kzalloc(test, QUIRE_DRIVE_MAX_LOG, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, drive->buffer);
	KUNIT_ASSERT_NOT_NULL(test, drive->private_buffer);
	KUNIT_ASSERT_NOT_NULL(test, drive->log);

	return drive;
}

/* Segments end where the model's memory ends; windows are large. */
void quire_drive_set(struct quire_drive *drive, const char *name,
		     const struct quire_paging_args *args, u32 max_packet_pages)
{
	drive->name = name;
	drive->args = args;
	drive->caps.vram_pages = QUIRE_MODEL_VRAM_BASE + QUIRE_MODEL_VRAM;
	drive->caps.aperture_pages = QUIRE_MODEL_APERTURE;
	drive->caps.window_pages = QUIRE_MODEL_WINDOW;
	drive->caps.mmu_pages = QUIRE_MODEL_MMU;
	drive->caps.max_packet_pages = max_packet_pages;
	drive->caps.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE;
	drive->caps.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE;
	drive->window = QUIRE_DRIVE_MAX_LOG;
	drive->private_window = QUIRE_DRIVE_MAX_PRIVATE;
	drive->seed = 0;
	drive->forget = false;
	drive->pass = NULL;
}

/* Bytes of the smallest packet, from the specification. */
u32 quire_drive_smallest(const struct quire_paging_args *args)
{
	bool list = !args->u.transfer.source.segment || !args->u.transfer.destination.segment;

	switch (args->operation) {
	case QUIRE_PAGING_SPECIAL_LOCK_TRANSFER:
		return 96;
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		return args->u.map2.adl.contiguous ? 32 : 40;
	case QUIRE_PAGING_NOTIFY_RESIDENCY2:
		return args->u.notify_residency2.resident ? 32 : 24;
	case QUIRE_PAGING_INIT_CONTEXT_RESOURCE:
	case QUIRE_PAGING_NOTIFY_RESIDENCY:
	case QUIRE_PAGING_SIGNAL_MONITORED_FENCE:
	case QUIRE_PAGING_UNMAP_MMU:
		return 24;
	case QUIRE_PAGING_VIRTUAL_TRANSFER:
	case QUIRE_PAGING_UPDATE_PAGE_TABLE:
	case QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES:
	case QUIRE_PAGING_MAP_MMU:
	case QUIRE_PAGING_NOTIFY_ALLOC:
	case QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY:
		return 40;
	case QUIRE_PAGING_TRANSFER:
		break;
	default:
		return 32;
	}
	if (args->u.transfer.flags & (QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE))
		return list ? 96 : 88;
	return list ? 48 : 40;
}

/* Page number of page @nr of a location; @left pages of its run follow from it. */
u64 quire_drive_page(const struct quire_paging_location *location, u64 nr, u64 *left)
{
	const struct quire_page_run *run = location->runs;

	for (; nr >= run->count; run++)
		nr -= run->count;
	if (left)
		*left = run->count - nr;

	return run->first + nr;
}

/* Pages of all runs. */
u64 quire_drive_pages(const struct quire_paging_location *location)
{
	u64 pages = 0;
	u32 i;

	for (i = 0; i < location->nr_runs; i++)
		pages += location->runs[i].count;

	return pages;
}

/* Where a transfer starts on one side. */
u64 quire_drive_offset(const struct quire_paging_args *args,
		       const struct quire_paging_location *location)
{
	if (location->segment)
		return args->u.transfer.transfer_offset / QUIRE_MODEL_PAGE;
	return args->operation == QUIRE_PAGING_TRANSFER ? args->u.transfer.mdl_offset : 0;
}

static bool drive_is_poison(const u8 *bytes, u32 size)
{
	while (size--)
		if (*bytes++ != POISON)
			return false;
	return true;
}

/* All arguments but the window and the token are as before. */
static void drive_check_args(struct quire_drive *drive, const struct quire_paging_args *before,
			     const struct quire_paging_args *args)
{
	struct quire_paging_args same;

	memcpy(&same, args, sizeof(same));
	same.dma_buffer = before->dma_buffer;
	same.dma_size = before->dma_size;
	same.private_data = before->private_data;
	same.private_data_size = before->private_data_size;
	same.dma_buffer_write_offset = before->dma_buffer_write_offset;
	same.multipass_offset = before->multipass_offset;
	same.progress = before->progress;
	KUNIT_ASSERT_TRUE_MSG(drive->test, !memcmp(&same, before, sizeof(same)),
			      "%s: an argument changed", drive->name);
}

/* The window advanced by @used, in every way that it is told. */
static void drive_check_window(struct quire_drive *drive, const struct quire_paging_args *before,
			       const struct quire_paging_args *args)
{
	u32 used = before->dma_size - args->dma_size;
	u32 records = before->private_data_size - args->private_data_size;

	KUNIT_ASSERT_TRUE_MSG(drive->test, used <= before->dma_size && used % 8 == 0,
			      "%s: %u of %u bytes used", drive->name, used, before->dma_size);
	KUNIT_ASSERT_EQ_MSG(drive->test, (u8 *)args->dma_buffer - drive->buffer, (long)used,
			    "%s: window", drive->name);
	KUNIT_ASSERT_EQ_MSG(drive->test, (u8 *)args->private_data - drive->private_buffer,
			    (long)records, "%s: private data", drive->name);
	KUNIT_ASSERT_EQ_MSG(drive->test,
			    args->dma_buffer_write_offset - before->dma_buffer_write_offset, used,
			    "%s: write offset", drive->name);
	KUNIT_ASSERT_TRUE_MSG(drive->test,
			      drive_is_poison(drive->buffer + used,
					      before->dma_size - used + GUARD),
			      "%s: bytes behind the packets", drive->name);
	KUNIT_ASSERT_TRUE_MSG(drive->test,
			      drive_is_poison(drive->private_buffer + records, GUARD),
			      "%s: bytes behind the private data", drive->name);
	KUNIT_ASSERT_EQ_MSG(drive->test, used != 0, records != 0, "%s: private data", drive->name);
}

/* The linear side of a packet that converts has no more pages than a packet may have. */
static void drive_check_pages(struct quire_drive *drive, const struct quire_model_packet *packet)
{
	u64 end = packet->address % QUIRE_MODEL_PAGE + packet->bytes;

	KUNIT_ASSERT_TRUE_MSG(drive->test, end <= drive->caps.max_packet_pages * QUIRE_MODEL_PAGE,
			      "%s: pages of a packet that converts", drive->name);
}

/* The device finds an address list where its packet is. */
static void drive_check_adl(struct quire_drive *drive, const struct quire_model_packet *packet,
			    u64 address)
{
	if (packet->numbers)
		KUNIT_ASSERT_EQ_MSG(drive->test, packet->value, address + 32,
				    "%s: address of an address list", drive->name);
}

/* Each packet of a special lock names the range that showed the image, or all ones. */
static void drive_check_range(struct quire_drive *drive, const struct quire_paging_args *args,
			      u32 named)
{
	const struct quire_paging_transfer *lock = &args->u.special_lock;

	KUNIT_ASSERT_EQ_MSG(drive->test, named, lock->swizzling_range_id == 0xffffffff ?
			    0xffffffff :
			    lock->swizzling_range_id + lock->swizzling_range_data * 65536,
			    "%s: range of a special lock", drive->name);
}

/* Each packet has its record, and they agree. */
static void drive_check_records(struct quire_drive *drive, const struct quire_paging_args *before,
				const struct quire_paging_args *args)
{
	const struct quire_paging_record *record = before->private_data;
	u32 used = before->dma_size - args->dma_size;
	struct quire_model_packet packet;
	u32 offset;

	for (offset = 0; offset < used; offset += packet.size, record++) {
		const char *wrong = quire_model_decode(drive->buffer + offset, used - offset,
						       &packet);

		KUNIT_ASSERT_TRUE_MSG(drive->test, !wrong, "%s: %s", drive->name, wrong);
		KUNIT_ASSERT_EQ_MSG(drive->test, record->offset,
				    before->dma_buffer_write_offset + offset,
				    "%s: record's offset", drive->name);
		KUNIT_ASSERT_EQ_MSG(drive->test, (u32)record->operation, (u32)before->operation,
				    "%s: record's operation", drive->name);
		KUNIT_ASSERT_EQ_MSG(drive->test, (u32)record->reserved, 0u,
				    "%s: record's reserved field", drive->name);
		KUNIT_ASSERT_EQ_MSG(drive->test, record->bytes, packet.bytes,
				    "%s: record's bytes", drive->name);
		if (before->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER)
			drive_check_range(drive, before, packet.value);
		if (packet.converts)
			drive_check_pages(drive, &packet);
		drive_check_adl(drive, &packet, before->dma_buffer_gpu_address + record->offset);
		drive->packets++;
		drive->bytes += packet.bytes;
	}
	KUNIT_ASSERT_TRUE_MSG(drive->test, (void *)record == args->private_data,
			      "%s: number of records", drive->name);
}

static void drive_check_answer(struct quire_drive *drive, enum quire_build_status status,
			       const struct quire_paging_args *before,
			       const struct quire_paging_args *args)
{
	bool wrote = args->dma_size != before->dma_size;

	KUNIT_ASSERT_TRUE_MSG(drive->test,
			      status == QUIRE_BUILD_DONE || status == QUIRE_BUILD_FULL,
			      "%s: answer %d", drive->name, status);
	KUNIT_ASSERT_EQ_MSG(drive->test, args->multipass_offset > before->multipass_offset, wrote,
			    "%s: token %u after %u", drive->name,
			    args->multipass_offset, before->multipass_offset);
	if (status == QUIRE_BUILD_FULL)
		KUNIT_ASSERT_TRUE_MSG(drive->test,
				      args->dma_size < quire_drive_smallest(args) ||
				      args->private_data_size < 16,
				      "%s: full with %u and %u bytes left", drive->name,
				      args->dma_size, args->private_data_size);
	else
		KUNIT_ASSERT_TRUE_MSG(drive->test, wrote, "%s: a pass for nothing", drive->name);
}

static u32 drive_size(struct quire_drive *drive, u32 max)
{
	if (!drive->seed)
		return max;
	drive->seed = drive->seed * 1664525 + 1013904223;

	return (drive->seed >> 8) % (max + 1);
}

static void drive_log(struct quire_drive *drive, u32 used)
{
	if (drive->pass) {
		drive->pass(drive, drive->buffer, used);
		return;
	}
	KUNIT_ASSERT_LE(drive->test, drive->log_size + used, (u32)QUIRE_DRIVE_MAX_LOG);
	memcpy(drive->log + drive->log_size, drive->buffer, used);
	drive->log_size += used;
}

static void drive_open(struct quire_drive *drive, struct quire_paging_args *args)
{
	args->dma_buffer = drive->buffer;
	args->dma_size = drive_size(drive, drive->window);
	args->private_data = drive->private_buffer;
	args->private_data_size = drive_size(drive, drive->private_window);
	args->dma_buffer_gpu_address = 0x123456000ull;
	args->dma_buffer_write_offset = drive->passes * 8;
	memset(drive->buffer, POISON, args->dma_size + GUARD);
	memset(drive->private_buffer, POISON, args->private_data_size + GUARD);
}

/*
 * Drives the operation to its end. False if a window of a constant size held
 * not even one packet.
 */
bool quire_drive_run(struct quire_drive *drive)
{
	struct quire_paging_args args, before;
	enum quire_build_status status;
	u32 idle = 0;

	memcpy(&args, drive->args, sizeof(args));
	memset(&args.progress, POISON, sizeof(args.progress)); /* of another operation */
	drive->log_size = 0;
	drive->passes = 0;
	drive->packets = 0;
	drive->bytes = 0;
	drive->emitted = 0;

	do {
		drive_open(drive, &args);
		if (drive->forget)
			memset(&args.progress, 0, sizeof(args.progress));
		memcpy(&before, &args, sizeof(before));
		status = quire_build_paging_buffer(&drive->caps, &args);
		drive_check_args(drive, &before, &args);
		drive_check_window(drive, &before, &args);
		drive_check_records(drive, &before, &args);
		drive_check_answer(drive, status, &before, &args);
		if (args.dma_size != before.dma_size) {
			idle = 0;
			drive->passes++;
			drive->emitted += before.dma_size - args.dma_size;
			drive_log(drive, before.dma_size - args.dma_size);
		} else if (!drive->seed || idle++ > 10000) {
			return false;
		}
	} while (status == QUIRE_BUILD_FULL);

	return true;
}
