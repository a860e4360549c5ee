/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * libquire: programs of the Quire virtual GPU.
 *
 * A device has objects, which hold bytes, and contexts, which execute commands. A recorder
 * writes commands and, with them, the lists that the driver wants: which bytes of which
 * objects they use (the allocation list), and where in the command buffer the addresses of
 * these go, from which byte on (the patch-location list). Objects of one submission may be
 * larger together than the video memory: the driver divides it where commands begin.
 *
 * Documentation/gpu/quire/programming.rst has three whole programs. They are compiled with
 * the sources in tools/libquire.
 *
 * Errors: a function that returns int returns 0, or what its description says, or a negative
 * errno, and has changed nothing then; what is returned through pointers is not written. What
 * every function can return that asks the driver is left out below: -EIO the device is wedged,
 * -ENODEV it is gone, -ENOMEM the kernel, or the program, has no memory. Functions that return
 * void do not fail; those of a recorder keep their error until it is asked for.
 *
 * Signals: every function goes on after a signal.
 *
 * Threads: a device may be used by any number of threads at once, and so may its contexts and
 * fences. An object may be, but for what maps, unmaps or closes it; a recorder is used by one
 * thread at a time. What is closed may be in no other call.
 *
 * Ownership: who creates something closes it, objects, contexts, fences and recorders before
 * their device. What was submitted is executed all the same.
 *
 * Units: sizes and offsets are bytes, times are nanoseconds.
 *
 * The header is for programs in C and in C++.
 */
#ifndef LIBQUIRE_H
#define LIBQUIRE_H

#include <stdbool.h>
#include <stdint.h>

#include <quire_drm.h>
#include <quire/quire_command.h>

#ifdef __cplusplus
extern "C" {
#endif

/** define QUIRE_CLASSES - kinds of memory: enum drm_quire_segment_class is below it */
#define QUIRE_CLASSES		3

/** define QUIRE_FOREVER - a time that does not come */
#define QUIRE_FOREVER		INT64_MAX

struct quire_context;
struct quire_device;
struct quire_fence;
struct quire_object;
struct quire_recorder;
struct quire_vm;

/*
 * Devices
 */

/**
 * quire_device_open - open a device
 * @path: its render node, as /dev/dri/renderD128; NULL: the first one that there is
 * @device: returned; for quire_device_close()
 *
 * Returns 0; -ENODEV there is none, or @path is none of the quire driver; -EACCES it is not
 * for this user; another error of open().
 */
int quire_device_open(const char *path, struct quire_device **device);

/**
 * quire_device_close - close a device
 * @device: of which nothing is left, or NULL
 */
void quire_device_close(struct quire_device *device);

/**
 * quire_device_fd - the descriptor of a device, for ioctls that are not here
 * @device: that keeps the descriptor
 *
 * Returns it; handles of objects and syncobjs are those of this descriptor.
 */
int quire_device_fd(const struct quire_device *device);

/**
 * quire_device_info - what the device can do
 * @device: of which it was asked when it was opened
 *
 * Returns the answer, which lives as long as @device.
 */
const struct drm_quire_device_info *quire_device_info(const struct quire_device *device);

/**
 * quire_device_segments - what memory there is, and how much of it is in use now
 * @device: to be asked
 * @segments: returned, indexed by enum drm_quire_segment_class: of each class its largest segment;
 *            one of no bytes where the device has none, whose instance is all ones
 *
 * Returns 0, or an error of &struct drm_quire_query.
 */
int quire_device_segments(const struct quire_device *device,
			  struct drm_quire_segment_info segments[QUIRE_CLASSES]);

/*
 * Objects
 */

/**
 * struct quire_object_options - what kind of object is created
 * @size: a multiple of &drm_quire_device_info.page_size
 * @classes: set of DRM_QUIRE_SEGMENT_BIT(enum drm_quire_segment_class) where it may be; system
 *           memory always; 0: in all of them
 * @caching: enum drm_quire_caching
 * @flags: DRM_QUIRE_BO_CREATE_*
 * @layout: enum drm_quire_layout; what follows is zero of what is no image
 * @element_size: of an element of the image: 1, 2, 4, 8 or 16
 * @width: elements of a row of level 0
 * @height: rows of level 0
 * @levels: of the image
 * @array_size: slices of the image
 * @vm: address space that it is private to, or NULL
 *
 * Commands use an object that may be in video memory there, and another one in the aperture.
 */
struct quire_object_options {
	uint64_t size;
	uint32_t classes;
	uint32_t caching;
	uint32_t flags;
	uint32_t layout;
	uint32_t element_size;
	uint32_t width;
	uint32_t height;
	uint32_t levels;
	uint32_t array_size;
	const struct quire_vm *vm;
};

/**
 * quire_object_create - create an object
 * @device: whose memory it is in
 * @options: what kind
 * @object: returned; for quire_object_close()
 *
 * It reads as zero.
 *
 * Returns 0, or the errors of &struct drm_quire_bo_create.
 */
int quire_object_create(struct quire_device *device, const struct quire_object_options *options,
			struct quire_object **object);

/**
 * quire_object_from_handle - make an object of a handle, as drmPrimeFDToHandle() gives one
 * @device: of whose descriptor the handle is
 * @handle: it belongs to the object from then on; to one object only
 * @object: returned; for quire_object_close()
 *
 * Returns 0, or -ENOENT: there is no such handle.
 */
int quire_object_from_handle(struct quire_device *device, uint32_t handle,
			     struct quire_object **object);

/**
 * quire_object_close - close an object
 * @object: in no recorder that is finished or submitted later, or NULL; its mapping goes, too
 */
void quire_object_close(struct quire_object *object);

/**
 * quire_object_handle - the handle of an object, for ioctls that are not here
 * @object: that keeps the handle
 *
 * Returns it.
 */
uint32_t quire_object_handle(const struct quire_object *object);

/**
 * quire_object_size - how large is an object?
 * @object: of any kind
 *
 * Returns its bytes; of an image those of the linear form, up to the end of a page.
 */
uint64_t quire_object_size(const struct quire_object *object);

/**
 * quire_object_map - see the bytes of an object
 * @object: if it is mapped already it stays where it is
 * @bytes: returned, all of it, to be read and written, until quire_object_unmap()
 *
 * An image is seen in its linear form. Touching it waits for moves, not for commands: see
 * quire_object_wait().
 *
 * Returns 0, or an error of mmap().
 */
int quire_object_map(struct quire_object *object, void **bytes);

/**
 * quire_object_unmap - see them no more
 * @object: mapped or not
 */
void quire_object_unmap(struct quire_object *object);

/**
 * quire_object_wait - wait for all work that uses an object
 * @object: that was submitted with it, by whomever
 * @timeout: from now on; 0 only asks
 *
 * That the work is done does not say that it went well, see quire_context_state().
 *
 * Returns 0, or -ETIME: it was not done in time.
 */
int quire_object_wait(const struct quire_object *object, int64_t timeout);

/**
 * quire_object_info - ask about an object
 * @object: to be asked about
 * @info: returned
 *
 * Returns 0.
 */
int quire_object_info(const struct quire_object *object, struct drm_quire_bo_info *info);

/**
 * quire_object_class - in what kind of memory is an object?
 * @object: to be asked about
 *
 * Returns enum drm_quire_segment_class, what it was when it was asked.
 */
int quire_object_class(const struct quire_object *object);

/*
 * Contexts
 */

/**
 * quire_context_create - create a context
 * @device: that executes its commands
 * @priority: enum drm_quire_priority
 * @context: returned; for quire_context_destroy()
 *
 * Returns 0, or the errors of &struct drm_quire_context_create.
 */
int quire_context_create(struct quire_device *device, uint32_t priority,
			 struct quire_context **context);

/**
 * quire_context_destroy - destroy a context
 * @context: or NULL
 */
void quire_context_destroy(struct quire_context *context);

/**
 * quire_context_state - what became of the work of a context
 * @context: to be asked about
 * @state: returned
 *
 * Returns 0.
 */
int quire_context_state(const struct quire_context *context,
			struct drm_quire_context_state *state);

/*
 * Fences
 */

/**
 * quire_fence_create - create a fence that no work has yet
 * @device: of the work
 * @fence: returned; for quire_fence_close()
 *
 * A submission gives it its end, see &struct quire_submission. It is one end, that of the
 * submission that was given it last, or, with points above 0, a timeline: an end for each
 * point. Points are given out in ascending order.
 *
 * Returns 0.
 */
int quire_fence_create(struct quire_device *device, struct quire_fence **fence);

/**
 * quire_fence_from_file - make a fence of a sync_file, of this or of another driver
 * @device: whose work is to wait for it
 * @sync_file: descriptor; the caller keeps it
 * @fence: returned; for quire_fence_close()
 *
 * Returns 0, or -EINVAL: it is no sync_file.
 */
int quire_fence_from_file(struct quire_device *device, int sync_file,
			  struct quire_fence **fence);

/**
 * quire_fence_close - close a fence
 * @fence: or NULL; who waits for it already goes on waiting
 */
void quire_fence_close(struct quire_fence *fence);

/**
 * quire_fence_syncobj - the handle of a fence, for ioctls that are not here
 * @fence: that keeps the handle
 *
 * Returns that of its syncobj.
 */
uint32_t quire_fence_syncobj(const struct quire_fence *fence);

/**
 * quire_fence_wait - wait for the end of work
 * @fence: that was submitted
 * @point: of a timeline; 0: it is none
 * @timeout: from now on; 0 only asks
 *
 * Returns 0 all is well; -ETIME it was not done in time; -EINVAL nothing was submitted with
 * it; else the error with which the work ended: -EIO a command of it failed, or did not come
 * to an end, see quire_context_state(); -ECANCELED one that was submitted to its context
 * before it did; -ENODEV the device went away.
 */
int quire_fence_wait(const struct quire_fence *fence, uint64_t point, int64_t timeout);

/**
 * quire_fence_signal - end a fence without any work
 * @fence: that work may wait for
 * @point: of a timeline; 0: it is none
 *
 * Returns 0.
 */
int quire_fence_signal(const struct quire_fence *fence, uint64_t point);

/**
 * quire_fence_export - give a fence to others
 * @fence: that was submitted
 * @point: of a timeline; 0: it is none
 *
 * Returns a sync_file, for the caller to close, which becomes readable with the end; -EINVAL
 * nothing was submitted with it; -EMFILE there is no descriptor left.
 */
int quire_fence_export(const struct quire_fence *fence, uint64_t point);

/*
 * Submissions
 */

/**
 * struct quire_lists - a command buffer and what belongs to it
 * @commands: the command buffer: packets of quire_command.h, one after the other
 * @commands_size: a multiple of 8
 * @nr_allocations: number of @allocations
 * @nr_patches: number of @patches
 * @allocations: the allocation list
 * @patches: the patch-location list
 *
 * A recorder makes them; anybody else may.
 */
struct quire_lists {
	const void *commands;
	uint32_t commands_size;
	uint32_t nr_allocations;
	uint32_t nr_patches;
	const struct drm_quire_allocation *allocations;
	const struct drm_quire_patch_location *patches;
};

/**
 * struct quire_fence_point - a fence that goes in or out with a submission
 * @fence: of the same device
 * @point: of a timeline; 0: it is none
 */
struct quire_fence_point {
	const struct quire_fence *fence;
	uint64_t point;
};

/**
 * struct quire_submission - how commands are executed; all zero is what most want
 * @ring: below &drm_quire_device_info.execution_rings; rings work side by side
 * @nr_waits: number of @waits
 * @waits: the commands are executed after these
 * @nr_signals: number of @signals; with @nr_waits at most %DRM_QUIRE_MAX_SYNCS
 * @signals: these get the end of the last command
 *
 * What objects need needs no fence: commands that use what others write, or write what
 * others use, are executed after these.
 */
struct quire_submission {
	uint32_t ring;
	uint32_t nr_waits;
	const struct quire_fence_point *waits;
	uint32_t nr_signals;
	const struct quire_fence_point *signals;
};

/**
 * struct quire_result - what became of a submission
 * @submission: its number in the context, from 1; 0: it was refused
 * @parts: in how many parts it is executed
 * @bytes_in: that were brought to where commands can use them
 * @bytes_out: that were taken away for that
 * @refused_where: enum drm_quire_refusal_where, of one that was refused
 * @refused_entry: the element of the list that was refused; of fences those that are waited for
 *                 count first, then those that are signalled
 * @refused_offset: byte of the command buffer that it is about
 * @message: why it was refused, in English, without a full stop; "" if it was not
 */
struct quire_result {
	uint64_t submission;
	uint32_t parts;
	uint64_t bytes_in;
	uint64_t bytes_out;
	uint32_t refused_where;
	uint32_t refused_entry;
	uint32_t refused_offset;
	char message[192];
};

/**
 * quire_submit - have commands executed
 * @context: in whose order
 * @lists: that are the caller's again when it returns
 * @submission: how; NULL: on ring 0, without fences
 * @result: returned, always; may be NULL
 *
 * Does not wait for the commands, unless they are divided: then for all of them but the last
 * part, and for what they are executed after.
 *
 * Returns 0, or the errors of &struct drm_quire_submit.
 */
int quire_submit(struct quire_context *context, const struct quire_lists *lists,
		 const struct quire_submission *submission, struct quire_result *result);

/*
 * Address spaces
 *
 * Commands of a context that has an address space (VM) name virtual addresses, which lead where
 * the program has bound them. There are no lists, and nothing is recorded: commands are bytes
 * of an object that is bound, too.
 */

/**
 * quire_vm_create - create an address space
 * @device: of its contexts and objects
 * @vm: returned, nothing is bound in it; for quire_vm_destroy()
 *
 * Returns 0, or the errors of &struct drm_quire_vm_create.
 */
int quire_vm_create(struct quire_device *device, struct quire_vm **vm);

/**
 * quire_vm_destroy - destroy an address space
 * @vm: or NULL; contexts that have it keep what is bound there
 */
void quire_vm_destroy(struct quire_vm *vm);

/**
 * quire_vm_id - what the driver calls an address space, for ioctls that are not here
 * @vm: the address space
 *
 * Returns it.
 */
uint32_t quire_vm_id(const struct quire_vm *vm);

/**
 * quire_context_create_in - create a context that has an address space
 * @vm: of its commands
 * @priority: enum drm_quire_priority
 * @context: returned, for quire_exec(); for quire_context_destroy()
 *
 * Returns 0, or the errors of &struct drm_quire_context_create.
 */
int quire_context_create_in(struct quire_vm *vm, uint32_t priority,
			    struct quire_context **context);

/**
 * struct quire_binding - when binds are done; all zero: one after the other
 * @queue: below %DRM_QUIRE_BIND_QUEUES
 * @nr_waits: number of @waits
 * @waits: they are done after these
 * @nr_signals: number of @signals; with @nr_waits at most %DRM_QUIRE_MAX_SYNCS
 * @signals: these get their end
 */
struct quire_binding {
	uint32_t queue;
	uint32_t nr_waits;
	const struct quire_fence_point *waits;
	uint32_t nr_signals;
	const struct quire_fence_point *signals;
};

/**
 * quire_vm_bind - change where addresses lead
 * @vm: the address space
 * @binds: done one after the other, all or none
 * @count: of them
 * @binding: when; NULL, or one without fences: the call returns when they are done
 * @refused: returned with an error, the bind that it is about, @count: none; may be NULL
 *
 * Returns 0, or the errors of &struct drm_quire_vm_bind.
 */
int quire_vm_bind(struct quire_vm *vm, const struct drm_quire_bind *binds, uint32_t count,
		  const struct quire_binding *binding, uint32_t *refused);

/**
 * quire_vm_map - bind bytes of an object, and wait until that is done
 * @vm: the address space
 * @address: first virtual address
 * @object: of the same device
 * @offset: its first byte
 * @size: of them
 * @flags: DRM_QUIRE_BIND_*
 *
 * Returns 0, or the errors of &struct drm_quire_vm_bind.
 */
int quire_vm_map(struct quire_vm *vm, uint64_t address, const struct quire_object *object,
		 uint64_t offset, uint64_t size, uint32_t flags);

/**
 * quire_vm_unmap - have addresses lead nowhere, and wait until that is done
 * @vm: the address space
 * @address: the first
 * @size: of the range
 *
 * Returns 0, or the errors of &struct drm_quire_vm_bind.
 */
int quire_vm_unmap(struct quire_vm *vm, uint64_t address, uint64_t size);

/** define QUIRE_NOWHERE - no address */
#define QUIRE_NOWHERE		UINT64_MAX

/**
 * quire_exec - have commands executed that are bound
 * @context: of quire_context_create_in()
 * @address: virtual, of the first command; they stay as they are until they are executed
 * @size: bytes of all
 * @submission: how; NULL: on ring 0, without fences
 * @refused: returned, with an error: an address of the object that it is about, or
 *           %QUIRE_NOWHERE; may be NULL
 *
 * Does not wait for the commands. Objects need no fences here, and have none: who wants to know
 * the end asks for one.
 *
 * Returns 0, or the errors of &struct drm_quire_exec.
 */
int quire_exec(struct quire_context *context, uint64_t address, uint32_t size,
	       const struct quire_submission *submission, uint64_t *refused);

/**
 * struct quire_writer - memory for commands with virtual addresses
 * @bytes: aligned to 8, perhaps of an object that is mapped
 * @size: of it
 * @used: bytes of commands so far; above @size: they did not fit, and the last are missing
 */
struct quire_writer {
	void *bytes;
	uint32_t size;
	uint32_t used;
};

/**
 * quire_write - add any command
 * @writer: to which it is added
 * @command: begins with a struct quire_packet_header, which gets the opcode, flags and size
 * @opcode: enum quire_command_opcode
 * @flags: of the command
 * @size: bytes, a multiple of 8
 */
void quire_write(struct quire_writer *writer, void *command, uint16_t opcode, uint16_t flags,
		 uint32_t size);

/**
 * quire_write_copy - as quire_recorder_copy(), of virtual addresses
 * @writer: to which it is added
 * @src: from here
 * @dst: to here
 * @size: not 0
 */
void quire_write_copy(struct quire_writer *writer, uint64_t src, uint64_t dst, uint64_t size);

/**
 * quire_write_fill - as quire_recorder_fill(), of virtual addresses
 * @writer: to which it is added
 * @dst: from here on; a multiple of 4
 * @size: not 0, a multiple of 4
 * @pattern: the number
 */
void quire_write_fill(struct quire_writer *writer, uint64_t dst, uint64_t size, uint32_t pattern);

/**
 * quire_write_checksum - as quire_recorder_checksum(), of virtual addresses
 * @writer: to which it is added
 * @src: the first; a multiple of %QUIRE_CHECKSUM_ALIGN
 * @size: of them, not 0
 * @result: where the 64-bit hash goes; a multiple of 8
 */
void quire_write_checksum(struct quire_writer *writer, uint64_t src, uint64_t size,
			  uint64_t result);

/**
 * quire_write_value - as quire_recorder_write_value(), of virtual addresses
 * @writer: to which it is added
 * @dst: here; a multiple of 8
 * @value: the number
 */
void quire_write_value(struct quire_writer *writer, uint64_t dst, uint64_t value);

/**
 * quire_write_wait - as quire_recorder_wait_value(), of virtual addresses
 * @writer: to which it is added
 * @condition: %QUIRE_WAIT_EQUAL or %QUIRE_WAIT_GREATER_EQUAL, without sign
 * @src: here; a multiple of 8
 * @value: the number
 */
void quire_write_wait(struct quire_writer *writer, uint16_t condition, uint64_t src,
		      uint64_t value);

/**
 * quire_write_delay - let time pass, of the machine
 * @writer: to which it is added
 * @time: how much
 */
void quire_write_delay(struct quire_writer *writer, uint64_t time);

/**
 * quire_write_set_register - combine a register of the context with a number
 * @writer: to which it is added
 * @number: of the register, below %QUIRE_CONTEXT_REGISTERS; each ring has its own
 * @operation: QUIRE_REGISTER_*
 * @operand: the number
 */
void quire_write_set_register(struct quire_writer *writer, uint32_t number, uint16_t operation,
			      uint64_t operand);

/**
 * quire_write_store_register - write a register of the context to memory, at once
 * @writer: to which it is added
 * @number: of the register, below %QUIRE_CONTEXT_REGISTERS; each ring has its own
 * @dst: here; a multiple of 8
 */
void quire_write_store_register(struct quire_writer *writer, uint32_t number, uint64_t dst);

/**
 * quire_write_load_register - combine a register of the context with a number in memory
 * @writer: to which it is added
 * @number: of the register, below %QUIRE_CONTEXT_REGISTERS; each ring has its own
 * @operation: QUIRE_REGISTER_*
 * @src: here; a multiple of 8
 */
void quire_write_load_register(struct quire_writer *writer, uint32_t number, uint16_t operation,
			       uint64_t src);

/*
 * Recorders
 *
 * Each command of a recorder is a split point: it binds all that it uses to slots of the
 * resource table, those that it used before in the same ones, and what it does not use is
 * bound no longer. So the driver may divide the submission before each of them, and has to
 * have only what one command uses in memory then. What is to stay where it is over several
 * commands is bound with quire_recorder_bind().
 *
 * Functions that write commands return nothing. The first error stays, what comes later is
 * not recorded, and quire_recorder_finish() tells: -ENOMEM; -EINVAL there is no object where
 * there has to be one; -ERANGE an offset, or the commands, can not be counted; -ENOSPC all
 * slots are bound. What the driver refuses it refuses when they are submitted.
 */

/**
 * quire_recorder_create - create a recorder
 * @device: of the objects
 * @recorder: returned, empty; for quire_recorder_destroy()
 *
 * Returns 0 or -ENOMEM.
 */
int quire_recorder_create(struct quire_device *device, struct quire_recorder **recorder);

/**
 * quire_recorder_destroy - destroy a recorder
 * @recorder: or NULL
 */
void quire_recorder_destroy(struct quire_recorder *recorder);

/**
 * quire_recorder_reset - begin anew
 * @recorder: is empty then, its error gone, its memory kept; nothing is bound
 */
void quire_recorder_reset(struct quire_recorder *recorder);

/**
 * quire_recorder_offset - where does the next command begin?
 * @recorder: what is recorded
 *
 * Returns the byte of the command buffer, as refusals and faults name it.
 */
uint32_t quire_recorder_offset(const struct quire_recorder *recorder);

/**
 * quire_recorder_finish - the lists of what is recorded
 * @recorder: more may be recorded later
 * @lists: returned; they are the recorder's, until it is called again
 *
 * Returns 0, or the first error of a command.
 */
int quire_recorder_finish(struct quire_recorder *recorder, struct quire_lists *lists);

/**
 * quire_recorder_submit - have executed what is recorded
 * @recorder: keeps it: it may be submitted again
 * @context: as for quire_submit(), and so is what follows
 * @submission: how
 * @result: returned
 *
 * Returns 0, the first error of a command, or those of quire_submit().
 */
int quire_recorder_submit(struct quire_recorder *recorder, struct quire_context *context,
			  const struct quire_submission *submission,
			  struct quire_result *result);

/**
 * struct quire_location - some byte of an object
 * @object: the object
 * @offset: of the byte; of a tiled image: in the tiled form
 */
struct quire_location {
	struct quire_object *object;
	uint64_t offset;
};

/**
 * quire_at - a location in one expression
 * @object: the object
 * @offset: of the byte
 *
 * Returns the location.
 */
static inline struct quire_location quire_at(struct quire_object *object, uint64_t offset)
{
	return (struct quire_location){ object, offset };
}

/**
 * struct quire_image - an image in an object, and what of it is used
 * @at: its first byte
 * @layout: enum drm_quire_layout
 * @pitch: linear: from one row to the next; tiled: 0
 * @width: elements of a row of level 0
 * @height: rows of level 0
 * @levels: of the image; 0: 1
 * @array_size: slices of the image; 0: 1
 * @level: that is used
 * @slice: that is used
 */
struct quire_image {
	struct quire_location at;
	uint32_t layout;
	uint32_t pitch;
	uint32_t width;
	uint32_t height;
	uint16_t levels;
	uint16_t array_size;
	uint16_t level;
	uint16_t slice;
};

/**
 * struct quire_rectangle - what is copied or blended from one image to another, in elements
 * @src_x: first column in the source; may be outside, as all that follows: it is clipped
 * @src_y: first row in the source
 * @dst_x: first column in the destination
 * @dst_y: first row in the destination
 * @columns: of it
 * @rows: of it
 */
struct quire_rectangle {
	int32_t src_x;
	int32_t src_y;
	int32_t dst_x;
	int32_t dst_y;
	uint32_t columns;
	uint32_t rows;
};

/**
 * quire_object_image - the image that an object was created for
 * @object: of one with a layout
 * @level: to be used
 * @slice: to be used
 *
 * Returns it.
 */
struct quire_image quire_object_image(struct quire_object *object, uint16_t level, uint16_t slice);

/**
 * quire_recorder_bind - keep bytes of an object bound
 * @recorder: to which it is added
 * @slot: of the resource table, below &drm_quire_device_info.slots, that has no object of
 *        another quire_recorder_bind()
 * @at: first byte
 * @size: of them, not 0
 * @writable: commands may write them
 *
 * From the next command on that uses the object (reads it, if it is not @writable) it
 * stays bound, and does not move, whatever parts the submission is divided into, until
 * quire_recorder_unbind(). Makes sense for what is small and in use all the time.
 *
 * Errors: -EBADSLT no such slot, or it is taken.
 */
void quire_recorder_bind(struct quire_recorder *recorder, uint32_t slot, struct quire_location at,
			 uint64_t size, bool writable);

/**
 * quire_recorder_unbind - keep it no longer
 * @recorder: to which it is added
 * @slot: of quire_recorder_bind()
 *
 * Errors: -EBADSLT there is nothing.
 */
void quire_recorder_unbind(struct quire_recorder *recorder, uint32_t slot);

/**
 * quire_recorder_nop - do nothing
 * @recorder: to which it is added
 * @size: of the command, at least 8, a multiple of 8
 */
void quire_recorder_nop(struct quire_recorder *recorder, uint32_t size);

/**
 * quire_recorder_copy - copy bytes, as memmove() does
 * @recorder: to which it is added
 * @src: from here
 * @dst: to here
 * @size: not 0
 */
void quire_recorder_copy(struct quire_recorder *recorder, struct quire_location src,
			 struct quire_location dst, uint64_t size);

/**
 * quire_recorder_fill - repeat a number
 * @recorder: to which it is added
 * @dst: from here on; a multiple of 4
 * @size: not 0, a multiple of 4
 * @pattern: the number
 */
void quire_recorder_fill(struct quire_recorder *recorder, struct quire_location dst,
			 uint64_t size, uint32_t pattern);

/**
 * quire_recorder_copy_2d - copy a rectangle, also between layouts
 * @recorder: to which it is added
 * @src: from this image
 * @dst: to this one
 * @rectangle: where; something has to be left when it is clipped
 * @element_size: of both images: 1, 2, 4, 8 or 16
 */
void quire_recorder_copy_2d(struct quire_recorder *recorder, const struct quire_image *src,
			    const struct quire_image *dst,
			    const struct quire_rectangle *rectangle, uint32_t element_size);

/**
 * quire_recorder_blend - put a rectangle over another one
 * @recorder: to which it is added
 * @src: above; elements of four channels of 8 bits, premultiplied with the last one, alpha
 * @dst: below; as @src, and becomes what is seen
 * @rectangle: where; something has to be left when it is clipped
 */
void quire_recorder_blend(struct quire_recorder *recorder, const struct quire_image *src,
			  const struct quire_image *dst,
			  const struct quire_rectangle *rectangle);

/**
 * quire_write_copy_2d - as quire_recorder_copy_2d(), of virtual addresses
 * @writer: to which it is added
 * @src: &quire_image.at has no object, and the address as its offset
 * @dst: the same; not the same bytes
 * @rectangle: what is copied
 * @element_size: 1, 2, 4, 8 or 16
 */
void quire_write_copy_2d(struct quire_writer *writer, const struct quire_image *src,
			 const struct quire_image *dst, const struct quire_rectangle *rectangle,
			 uint32_t element_size);

/**
 * quire_write_blend - as quire_recorder_blend(), of virtual addresses
 * @writer: to which it is added
 * @src: as for quire_write_copy_2d(), and so is what follows
 * @dst: the same
 * @rectangle: what is blended
 */
void quire_write_blend(struct quire_writer *writer, const struct quire_image *src,
		       const struct quire_image *dst, const struct quire_rectangle *rectangle);

/**
 * quire_recorder_arithmetic - combine ranges of 32-bit numbers
 * @recorder: to which it is added
 * @operation: %QUIRE_ARITHMETIC_ADD or %QUIRE_ARITHMETIC_XOR
 * @src: one number of each; a multiple of 4
 * @dst: the other one, and the result; a multiple of 4
 * @size: not 0, a multiple of 4
 */
void quire_recorder_arithmetic(struct quire_recorder *recorder, uint16_t operation,
			       struct quire_location src, struct quire_location dst,
			       uint64_t size);

/**
 * quire_recorder_checksum - hash bytes: XXH64 with a seed of 0
 * @recorder: to which it is added
 * @src: the first; a multiple of %QUIRE_CHECKSUM_ALIGN
 * @size: of them, not 0
 * @result: where the 64-bit hash goes; a multiple of 8
 */
void quire_recorder_checksum(struct quire_recorder *recorder, struct quire_location src,
			     uint64_t size, struct quire_location result);

/**
 * quire_recorder_compare - compare bytes
 * @recorder: to which it is added
 * @src: with these
 * @dst: these, which are not written
 * @size: not 0
 * @result: where the struct quire_compare_report goes; a multiple of 8
 */
void quire_recorder_compare(struct quire_recorder *recorder, struct quire_location src,
			    struct quire_location dst, uint64_t size,
			    struct quire_location result);

/**
 * quire_recorder_write_value - write a 64-bit number at once
 * @recorder: to which it is added
 * @dst: here; a multiple of 8
 * @value: the number
 */
void quire_recorder_write_value(struct quire_recorder *recorder, struct quire_location dst,
				uint64_t value);

/**
 * quire_recorder_wait_value - wait for a 64-bit number
 * @recorder: to which it is added
 * @condition: %QUIRE_WAIT_EQUAL or %QUIRE_WAIT_GREATER_EQUAL, without sign
 * @src: here; a multiple of 8
 * @value: the number
 *
 * The ring stands still until it is there; too long, and the context has ended, as hung. It may
 * come from the CPU at any time, but from no other ring: what writes the object there, and is
 * submitted later, waits for this.
 */
void quire_recorder_wait_value(struct quire_recorder *recorder, uint16_t condition,
			       struct quire_location src, uint64_t value);

/**
 * quire_recorder_delay - let time pass, of the machine
 * @recorder: to which it is added
 * @time: how much
 */
void quire_recorder_delay(struct quire_recorder *recorder, uint64_t time);

#ifdef __cplusplus
}
#endif

#endif
