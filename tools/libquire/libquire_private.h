/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of libquire know of each other. */
#ifndef LIBQUIRE_PRIVATE_H
#define LIBQUIRE_PRIVATE_H

#include "libquire.h"
#include "quire_client.h"

/**
 * struct quire_device - an open device
 * @fd: its render node
 * @info: what it said
 * @segments: all of them
 */
struct quire_device {
	int fd;
	struct drm_quire_device_info info;
	struct quire_segments segments;
};

/**
 * struct quire_object - an object
 * @device: whose it is
 * @info: what the driver said when it was created
 * @bytes: where it is mapped, or NULL
 */
struct quire_object {
	struct quire_device *device;
	struct drm_quire_bo_info info;
	void *bytes;
};

/**
 * struct quire_context - a context
 * @device: that executes its commands
 * @id: what the driver calls it
 */
struct quire_context {
	struct quire_device *device;
	uint32_t id;
};

/**
 * struct quire_vm - an address space
 * @device: where it is
 * @id: what the driver calls it
 */
struct quire_vm {
	struct quire_device *device;
	uint32_t id;
};

/**
 * struct quire_fence - a fence
 * @device: of the syncobj
 * @syncobj: handle
 */
struct quire_fence {
	struct quire_device *device;
	uint32_t syncobj;
};

/**
 * struct libquire_array - elements, as many as there is memory for
 * @data: of them
 * @count: how many there are
 * @room: for how many
 */
struct libquire_array {
	void *data;
	uint32_t count;
	uint32_t room;
};

int libquire_array_grow(struct libquire_array *array, uint32_t size, uint32_t count);
int libquire_array_add(struct libquire_array *array, uint32_t size, const void *element);

/* No allocation. */
#define LIBQUIRE_NONE		UINT32_MAX

/**
 * struct libquire_uses - which elements of the allocation list are of an object
 * @read: what commands only read: 1 + its index; 0: there is none
 * @write: what they may write, likewise
 */
struct libquire_uses {
	uint32_t read;
	uint32_t write;
};

/**
 * struct libquire_slot - a row of the resource table
 * @held: allocation that is there, or %LIBQUIRE_NONE
 * @kept: allocation that quire_recorder_bind() wants there, or %LIBQUIRE_NONE
 * @bound_at: split offset of @held
 * @used: number of the last command that used it
 */
struct libquire_slot {
	uint32_t held;
	uint32_t kept;
	uint32_t bound_at;
	uint32_t used;
};

/**
 * struct libquire_table - both lists of a recorder, and the resource table at its end
 * @allocations: of struct drm_quire_allocation
 * @patches: of struct drm_quire_patch_location
 * @uses: of struct libquire_uses, indexed by handle
 * @nothing: the allocation that is none, or %LIBQUIRE_NONE
 * @command: number of the present command, from 1
 * @nr_slots: number of @slots
 * @slots: the resource table
 */
struct libquire_table {
	struct libquire_array allocations;
	struct libquire_array patches;
	struct libquire_array uses;
	uint32_t nothing;
	uint32_t command;
	uint32_t nr_slots;
	struct libquire_slot *slots;
};

/**
 * struct libquire_operand - memory that a command uses
 * @at: its first byte
 * @size: from there on
 * @write: it is written, and perhaps read
 * @field: enum drm_quire_patch_field
 * @field_offset: byte of the command where the address is
 */
struct libquire_operand {
	struct quire_location at;
	uint64_t size;
	bool write;
	uint32_t field;
	uint32_t field_offset;
};

/* of src, dst and result */
#define LIBQUIRE_MAX_OPERANDS	3

int libquire_table_init(struct libquire_table *table, uint32_t nr_slots);
void libquire_table_free(struct libquire_table *table);
void libquire_table_reset(struct libquire_table *table);
int libquire_table_bind(struct libquire_table *table, uint32_t slot,
			const struct libquire_operand *operand);
int libquire_table_unbind(struct libquire_table *table, uint32_t slot);
int libquire_table_command(struct libquire_table *table, uint32_t offset,
			   const struct libquire_operand *operands, uint32_t count);

/**
 * struct quire_recorder - commands that are being written
 * @device: of the objects
 * @error: the first one, or 0
 * @commands: bytes
 * @table: what belongs to them
 */
struct quire_recorder {
	struct quire_device *device;
	int error;
	struct libquire_array commands;
	struct libquire_table table;
};

struct quire_command_2d libquire_command_2d(const struct quire_image *src,
					    const struct quire_image *dst,
					    const struct quire_rectangle *rectangle,
					    uint32_t element_shift);
uint64_t libquire_image_size(const struct quire_image *image, uint32_t element_shift);

void libquire_explain(const struct quire_lists *lists, int error, struct quire_result *result);
int64_t libquire_deadline(int64_t timeout);
int libquire_make_syncs(const struct quire_submission *submission,
			struct drm_quire_sync syncs[DRM_QUIRE_MAX_SYNCS]);
int libquire_context_create(struct quire_device *device, uint32_t vm, uint32_t priority,
			    struct quire_context **context);

#endif
