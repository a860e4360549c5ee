// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Memory of commands
 *
 * Queued commands stand in memory of the kernel, charged to their program, until the scheduler has
 * freed the last of their jobs. A job is copied to the pool of its ring when it runs
 * (quire_execution_load()), so jobs that wait take nothing of the pool.
 *
 * A context has a limit of such memory on each ring. A caller above it waits, with no lock, for
 * earlier submissions of the same context.
 */
#include <linux/build_bug.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "quire_command_memory.h"
#include "quire_context.h"
#include "quire_execution.h"

/* For jobs and fences, so that there are not too many small submissions. */
#define QUIRE_COMMAND_MEMORY_EACH	SZ_4K

/* Of a context on a ring. */
#define QUIRE_COMMAND_MEMORY_MAX	SZ_2M

static_assert(QUIRE_MAX_COMMANDS + QUIRE_COMMAND_MEMORY_EACH <= QUIRE_COMMAND_MEMORY_MAX);

static void memory_uncharge(struct quire_context *context, u32 ring, u32 bytes)
{
	spin_lock_irq(&context->lock);
	context->rings[ring].queued -= bytes;
	spin_unlock_irq(&context->lock);
	wake_up_all(&context->room);
}

/**
 * quire_command_memory_create - take memory for the commands of a submission
 * @context: whose it is
 * @ring: number of the execution ring
 * @size: bytes, at most %QUIRE_MAX_COMMANDS
 *
 * Waits while the context has too much of it.
 *
 * Returns: memory with one reference, not initialised; or -ENOMEM, -ERESTARTSYS.
 */
struct quire_command_memory *quire_command_memory_create(struct quire_context *context, u32 ring,
							 u32 size)
{
	u32 *queued = &context->rings[ring].queued;
	u32 bytes = size + QUIRE_COMMAND_MEMORY_EACH;
	struct quire_command_memory *memory;
	int ret;

	spin_lock_irq(&context->lock);
	ret = wait_event_interruptible_lock_irq(context->room,
						*queued + bytes <= QUIRE_COMMAND_MEMORY_MAX,
						context->lock);
	if (!ret)
		*queued += bytes;
	spin_unlock_irq(&context->lock);
	if (ret)
		return ERR_PTR(ret);

	memory = kvmalloc(struct_size(memory, words, size / sizeof(*memory->words)),
			  GFP_KERNEL_ACCOUNT);
	if (!memory) {
		memory_uncharge(context, ring, bytes);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&memory->refs);
	memory->context = context;
	memory->ring = ring;
	memory->size = size;
	return memory;
}

/**
 * quire_command_memory_get - take a reference
 * @memory: of which the caller has one
 * Returns: @memory.
 */
struct quire_command_memory *quire_command_memory_get(struct quire_command_memory *memory)
{
	kref_get(&memory->refs);
	return memory;
}

static void memory_release(struct kref *refs)
{
	struct quire_command_memory *memory = container_of(refs, struct quire_command_memory, refs);

	memory_uncharge(memory->context, memory->ring, memory->size + QUIRE_COMMAND_MEMORY_EACH);
	kvfree(memory);
}

/**
 * quire_command_memory_put - drop a reference
 * @memory: not the caller's any more; the caller has a reference to its context
 *
 * May sleep.
 */
void quire_command_memory_put(struct quire_command_memory *memory)
{
	kref_put(&memory->refs, memory_release);
}
