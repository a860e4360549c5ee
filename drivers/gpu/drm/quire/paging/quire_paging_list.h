/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_LIST_H
#define QUIRE_PAGING_LIST_H

#include "quire_paging.h"

struct dma_fence;
struct quire_paging_list;

/**
 * struct quire_paging_sequence - the sub-transfers of one allocation, so far
 * @pending: there was a START, and no END yet
 * @idle: the allocation was waited for since START
 * @converts: the parts are swizzled or unswizzled
 * @operation: what the parts are
 * @allocation: what is moved
 * @source: segment that it leaves
 * @destination: segment that it gets to
 * @transfer_offset: of the next sub-transfer
 * @mdl_offset: of the next sub-transfer
 *
 * All zero: nothing is pending.
 */
struct quire_paging_sequence {
	bool pending;
	bool idle;
	bool converts;
	enum quire_paging_operation operation;
	const struct quire_paging_allocation *allocation;
	u32 source;
	u32 destination;
	u64 transfer_offset;
	u64 mdl_offset;
};

/**
 * struct quire_paging_buffer - one paging buffer while it is written
 * @cpu: start of the packets; NULL: no buffer is open
 * @gpu_address: DMA address of @cpu
 * @size: bytes at @cpu
 * @used: bytes written
 * @records: start of the private data
 * @nr_records: records written
 * @max_records: records that fit
 * @backend: private data of the provider of the buffer
 */
struct quire_paging_buffer {
	void *cpu;
	u64 gpu_address;
	u32 size;
	u32 used;
	struct quire_paging_record *records;
	u32 nr_records;
	u32 max_records;
	void *backend;
};

/**
 * struct quire_paging_patch - what the builder can not know
 * @dummy_page: DMA address, page aligned; what is unmapped points there
 * @mark: DMA address; what WRITE_PHYSICAL writes there, with 8 bytes, is @fence; 0: none
 * @fence: value of the submission in its ring
 * @marks: returned: packets that write @fence
 */
struct quire_paging_patch {
	u64 dummy_page;
	u64 mark;
	u64 fence;
	u32 marks;
};

/**
 * struct quire_paging_list_ops - where buffers come from and go to
 * @acquire: opens a fresh buffer; -ERESTARTSYS, -EIO, -ENODEV, -ENOMEM
 * @submit: takes the written buffer over, also when it fails; returns the fence of its execution
 *          with a reference for the caller, or ERR_PTR
 * @release: takes a buffer back in which nothing is that has to be executed
 * @wait_idle: waits until nothing uses the allocation of the list; no buffer is open. What the
 *             operation points to stays as it is
 * @is_idle: does nothing use it, but what is in the list? Does not wait
 * @wait: waits, uninterruptibly but in bounded time, for @fence; returns its error
 * @signalled: a fence that has signalled, with a reference for the caller
 * @put: drops a reference; @fence may be NULL
 *
 * Fences are opaque here: only the callbacks look into them.
 */
struct quire_paging_list_ops {
	int (*acquire)(struct quire_paging_list *list, struct quire_paging_buffer *buffer);
	struct dma_fence *(*submit)(struct quire_paging_list *list,
				    struct quire_paging_buffer *buffer);
	void (*release)(struct quire_paging_list *list, struct quire_paging_buffer *buffer);
	int (*wait_idle)(struct quire_paging_list *list);
	bool (*is_idle)(struct quire_paging_list *list);
	int (*wait)(struct quire_paging_list *list, struct dma_fence *fence);
	struct dma_fence *(*signalled)(void);
	void (*put)(struct dma_fence *fence);
};

/**
 * struct quire_paging_list - operations that belong to one move
 * @ops: where buffers come from and go to
 * @caps: for the builder
 * @buffer: the open buffer
 * @fence: of the last submitted buffer, or NULL
 * @sequence: of sub-transfers
 * @idle: allocation that only the list uses, as long as it lasts; or NULL
 * @no_wait: the caller may not wait: BUSY is an error unless the allocation is idle
 *
 * On the stack of one thread; not locked.
 */
struct quire_paging_list {
	const struct quire_paging_list_ops *ops;
	const struct quire_paging_caps *caps;
	struct quire_paging_buffer buffer;
	struct dma_fence *fence;
	struct quire_paging_sequence sequence;
	const struct quire_paging_allocation *idle;
	bool no_wait;
};

int quire_paging_sequence_check(const struct quire_paging_sequence *sequence,
				const struct quire_paging_args *args);
void quire_paging_sequence_note(struct quire_paging_sequence *sequence,
				const struct quire_paging_args *args);

int quire_paging_patch(const struct quire_paging_buffer *buffer,
		       struct quire_paging_patch *values);

int quire_paging_list_ask(struct quire_paging_list *list, enum quire_paging_operation operation,
			  const struct quire_paging_allocation *allocation);
int quire_paging_list_add(struct quire_paging_list *list, struct quire_paging_args *args);
int quire_paging_list_submit(struct quire_paging_list *list);
int quire_paging_list_submit_empty(struct quire_paging_list *list);
bool quire_paging_list_is_empty(const struct quire_paging_list *list);
struct dma_fence *quire_paging_list_finish(struct quire_paging_list *list, int error);

#endif
