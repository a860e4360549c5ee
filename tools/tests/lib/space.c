// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device_view.h"
#include "space.h"
#include "xxh64.h"

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: %s", what, strerror(-ret));
}

struct quire_context *space_context(const struct space *space)
{
	struct quire_context *context;

	must(quire_context_create_in(space->vm, DRM_QUIRE_PRIORITY_NORMAL, &context),
	     "context with an address space");
	return context;
}

/* After a fault. */
void space_renew_context(struct space *space)
{
	quire_context_destroy(space->context);
	space->context = space_context(space);
}

void *space_bytes(struct quire_object *object)
{
	void *bytes;

	must(quire_object_map(object, &bytes), "map");
	return bytes;
}

/**
 * space_open - make an address space in which commands can be executed
 * @space: to fill
 * @work: the device
 */
void space_open(struct space *space, struct work *work)
{
	*space = (struct space){ .work = work };
	must(quire_vm_create(work->device, &space->vm), "address space");
	space->context = space_context(space);
	space->fence = work_fence(work);
	space->buffer = work_object_in(work, SPACE_COMMANDS_SIZE + SPACE_RESULTS_SIZE,
				       DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE));
	space->writer.bytes = space_bytes(space->buffer);
	space->writer.size = SPACE_COMMANDS_SIZE;
	space->results = (uint64_t *)((char *)space->writer.bytes + SPACE_COMMANDS_SIZE);
	space_map(space, SPACE_COMMANDS, space->buffer, 0,
		  SPACE_COMMANDS_SIZE + SPACE_RESULTS_SIZE);
}

void space_close(struct space *space)
{
	quire_object_close(space->buffer);
	quire_fence_close(space->fence);
	quire_context_destroy(space->context);
	quire_vm_destroy(space->vm);
}

void space_map(const struct space *space, uint64_t address, const struct quire_object *object,
	       uint64_t offset, uint64_t size)
{
	must(quire_vm_map(space->vm, address, object, offset, size, 0), "bind");
}

/* What has no object. */
int space_bind(const struct space *space, uint32_t operation, uint32_t flags, uint64_t address,
	       uint64_t size)
{
	const struct drm_quire_bind bind = {
		.operation = operation, .flags = flags, .address = address, .size = size,
	};

	return quire_vm_bind(space->vm, &bind, 1, NULL, NULL);
}

/**
 * space_bind_queued - bind something in the order of a queue
 * @vm: the address space
 * @bind: what
 * @queue: number of the queue
 * @wait: it begins after this fence; or NULL
 * @signal: this fence gets its end; or NULL: if there is no @wait either, it is done on return
 *
 * Returns: 0 or a negative errno.
 */
int space_bind_queued(struct quire_vm *vm, const struct drm_quire_bind *bind, uint32_t queue,
		      const struct quire_fence *wait, const struct quire_fence *signal)
{
	const struct quire_fence_point before = { .fence = wait }, after = { .fence = signal };
	const struct quire_binding how = {
		.queue = queue,
		.nr_waits = !!wait,
		.waits = &before,
		.nr_signals = !!signal,
		.signals = &after,
	};

	return quire_vm_bind(vm, bind, 1, &how, NULL);
}

void space_unmap(const struct space *space, uint64_t address, uint64_t size)
{
	must(quire_vm_unmap(space->vm, address, size), "unbind");
}

/* @classes: as of struct quire_object_options */
struct quire_object *space_object(const struct space *space, uint64_t size, uint32_t classes,
				  bool is_private)
{
	const struct quire_object_options options = {
		.size = size, .classes = classes, .vm = is_private ? space->vm : NULL,
	};
	struct quire_object *object;

	must(quire_object_create(space->work->device, &options, &object), "object");
	return object;
}

/* The CPU writes it. */
void space_soil(struct quire_object *object, uint64_t key)
{
	pattern_fill(space_bytes(object), quire_object_size(object), key);
}

/* Nothing is at work. */
void space_rewind(struct space *space)
{
	space->writer.used = 0;
	space->begin = 0;
}

/**
 * space_exec - have executed what was written since the last time
 * @space: whose commands stay where they are until space_rewind()
 * @wait: it begins after this fence; or NULL
 * @signal: this fence gets its end; or NULL
 *
 * Returns: 0 or a negative errno.
 */
int space_exec(struct space *space, const struct quire_fence *wait,
	       const struct quire_fence *signal)
{
	const struct quire_fence_point before = { .fence = wait }, after = { .fence = signal };
	const struct quire_submission how = {
		.ring = space->ring,
		.nr_waits = !!wait,
		.waits = &before,
		.nr_signals = !!signal,
		.signals = &after,
	};
	uint32_t begin = space->begin;

	if (space->writer.used > space->writer.size)
		tap_bail("too many commands");
	space->begin = space->writer.used;
	space->refused = QUIRE_NOWHERE;
	return quire_exec(space->context, SPACE_COMMANDS + begin, space->writer.used - begin, &how,
			  &space->refused);
}

/* The same, to its end. Returns 0, or an error of the call or the commands. */
int space_run(struct space *space)
{
	int ret = space_exec(space, NULL, space->fence);

	if (!ret)
		ret = work_fence_wait(space->fence);
	space_rewind(space);
	return ret;
}

/* What the device finds there; SPACE_NO_HASH if it fails. */
uint64_t space_hash(struct space *space, uint64_t address, uint64_t size)
{
	int ret;

	space->results[0] = SPACE_NO_HASH;
	quire_write_checksum(&space->writer, address, size, SPACE_RESULTS);
	ret = space_run(space);
	if (ret)
		tap_diag("hash of %#" PRIx64 ": %s", address, strerror(-ret));
	return ret ? SPACE_NO_HASH : space->results[0];
}

bool space_has(struct space *space, uint64_t address, const void *bytes, uint64_t size)
{
	return space_hash(space, address, size) == xxh64(bytes, size);
}

bool space_is_zero(struct space *space, uint64_t address, uint64_t size)
{
	void *zero = calloc(1, size);
	bool is = zero && space_has(space, address, zero, size);

	free(zero);
	return is;
}

/* Nothing is there: an access ends the context, which is made anew. */
bool space_faults(struct space *space, uint64_t address)
{
	struct drm_quire_context_state state = { 0 };
	int ret;

	quire_write_checksum(&space->writer, address, QUIRE_PAGE, SPACE_RESULTS);
	ret = space_run(space);
	quire_context_state(space->context, &state);
	space_renew_context(space);
	if (ret == -EIO && state.fault == QUIRE_FAULT_PAGE && state.address == address)
		return true;
	tap_diag("%#" PRIx64 ": %d, fault %u at %#llx", address, ret, state.fault,
		 (unsigned long long)state.address);
	return false;
}

/* How many packets the device has executed, of whatever address space; debugfs is there. */
uint64_t spaces_executed(const struct fixture *fixture, unsigned int opcode)
{
	struct device_packets packets;

	if (device_packets_read(fixture->debugfs, &packets))
		tap_bail("no device_packets");
	return packets.opcodes[opcode - 1];
}

/*
 * What is free in VRAM looks like page tables from here on: each word leads to the middle of VRAM,
 * which is full of them, too. No object has that content: nothing is evicted for it, and it is
 * what others leave.
 */
void spaces_junk(struct work *work)
{
	const uint32_t vram = DRM_QUIRE_SEGMENT_VRAM;
	struct drm_quire_segment_info segments[QUIRE_CLASSES];
	struct quire_object *junk;
	uint64_t *entries, middle, size;
	uint32_t handle, system;

	if (quire_device_segments(work->device, segments))
		tap_bail("segments");
	size = segments[vram].size - segments[vram].usage;
	middle = segments[vram].size / 2 & QUIRE_PTE_ADDRESS_MASK;
	junk = work_object_in(work, size, DRM_QUIRE_SEGMENT_BIT(vram));
	handle = quire_object_handle(junk);
	entries = space_bytes(junk);
	for (uint64_t i = 0; i < size / sizeof(*entries); i++)
		entries[i] = QUIRE_PTE(QUIRE_SEGMENT_VRAM, middle, QUIRE_PTE_VALID);
	quire_segment_instance(work->fixture.fd, DRM_QUIRE_SEGMENT_SYSTEM, &system);
	/* What moves away leaves its bytes. */
	tap_ret(quire_bo_place(work->fixture.fd, handle, vram, 0) ?:
		quire_bo_place(work->fixture.fd, handle, system, 0) ?:
		quire_bo_wait(work->fixture.fd, handle, WAIT_MS), 0, "VRAM is full of junk");
	quire_object_close(junk);
}
