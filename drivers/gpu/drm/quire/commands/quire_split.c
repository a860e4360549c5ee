// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The split planner
 *
 * A command buffer whose objects do not fit into memory together runs in parts. Entries of
 * the patch-location list say from which byte on an object is bound to a slot; those with one
 * split offset take effect together, and between them and what is before it can be split.
 *
 * - Objects are paged in one after the other, as the entries name them, and stay while the
 *   part that is prepared needs them. If there is no more room, the part up to there is
 *   submitted, and the next one begins. If there is none but for what can be evicted, it is,
 *   too, unless little came for it: it is executed while room for more is made.
 * - What is bound on both sides of a split stays in place, held, but for slots that are
 *   written right there. Others may have memory between two parts; then it comes back.
 * - What is evicted says quire_split_victim(), by the policy of which quire_split_forecast() finds
 *   that it pages in least. Where to objects are paged in says quire_split_place().
 * - If others took something of a part that is ready, it is planned again. What has come to the
 *   place of that may leave no room for it, so the part may become shorter.
 * - The list says all that will be needed, so each entry knows the next one of its object.
 *
 * If memory is in pieces, so that what has to be bound at one byte does not fit though it is not
 * more than there is, what was just written is evicted and paged in again, in an order that fits;
 * if that is not enough, all that is bound. Fields are patched for each part, so this is right,
 * too, but it is not what the original promises. It is done only where the alternative is to
 * fail.
 *
 * Pure: nothing is allocated, nothing sleeps but the allocator. The memory is the caller's.
 *
 * Locking: none; a planner belongs to one thread.
 *
 * Life cycle: quire_command_check(), quire_split_check(), quire_split_init(),
 * quire_split_run().
 *
 * Source: "Splitting a DMA Buffer"; D3DDDI_PATCHLOCATIONLIST, SplitOffset, SlotId.
 */
#include <linux/module.h>

#include <kunit/visibility.h>

#include "quire_split_internal.h"

/**
 * quire_split_run - let a command buffer run, in as many parts as it takes
 * @split: prepared by quire_split_init(), and used up then
 *
 * Sleeps only where the allocator does. Nothing is held afterwards, and objects may be where
 * commands can use them.
 *
 * Returns: 0 all parts were submitted; -ENOSPC others have so much, or such pieces, that what is
 * bound at one byte does not fit; what the allocator returns. After an error the first
 * &quire_split.parts parts were submitted.
 */
int quire_split_run(struct quire_split *split)
{
	enum quire_split_policy policy;
	int ret = quire_split_forecast(split, &policy);

	quire_split_start(split, policy);
	return ret ?: quire_split_parts(split);
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_run);
