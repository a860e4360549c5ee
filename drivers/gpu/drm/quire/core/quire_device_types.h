/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DEVICE_TYPES_H
#define QUIRE_DEVICE_TYPES_H

/**
 * DOC: Layer core
 *
 * What every folder may use: struct quire_device and struct quire_file, which have pointers to the
 * state of the other folders; registers, arrays of programs, quire_refuse(), which says why a call
 * fails, syncobjs, how long a call waits for others, and what differs between kernels.
 *
 * May use: the kernel, include/. Nothing enters or leaves: it is called.
 */

#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/notifier.h>
#include <linux/rwsem.h>
#include <linux/wait.h>

#include <drm/drm_device.h>
#include <drm/ttm/ttm_device.h>

/**
 * struct quire_device - one PCI function
 * @drm: base
 * @regs: BAR 0
 * @max_submission: bytes, what a ring takes at once
 * @vram_size: bytes
 * @vram_visible: bytes of VRAM in BAR 2, from its start
 * @vram_base: CPU physical address of BAR 2
 * @vram_access: read while the CPU accesses VRAM or gets mappings of it, or the device is told of a
 *               use of a range, inside of reservations; written while BAR 2 does not answer
 * @ranges: windows through which the CPU sees images in VRAM
 * @aperture_size: bytes
 * @window: through which the CPU sees pages of the aperture
 * @dummy_page: unmapped aperture pages point here; DMA memory
 * @dummy_dma: DMA address of @dummy_page
 * @dummy_watched: it has a pattern that nothing was seen to have overwritten
 * @mark: how far the device came
 * @device_copies: moves are made by the device, not by the CPU (module parameter)
 * @ttm: memory management
 * @vram_mgr: segment 1; segment 2 is TTM's own range manager
 * @dmem: region of the dmem cgroup controller that is segment 1, or NULL
 * @removed: eviction drops content and place: the device is stopped for good
 * @free_list: dead objects
 * @turn: who may take room in the segments
 * @budgets: of all files
 * @shares: objects that others hold on to
 * @shrinker: asks offered objects for their pages
 * @move_stats: for debugfs
 * @purge_stats: for debugfs
 * @aperture: what segment 2 shows
 * @mmu_table: what segments 3 and 4 show
 * @mmu: what of that is whose
 * @restore: gives the device its aperture back after a reset
 * @recovery: what was tried to make the device work again
 * @coredump: what is kept of a hang
 * @watchdogs: where those of all rings look
 * @paging_ring: ring 0
 * @paging_queue: fills ring 0
 * @discards: on their way to @paging_queue
 * @residency: what the device is told of objects
 * @residency_table: what it was told, over a reset
 * @unplanned: woken when a submission that was split lets go of its objects
 * @contexts: of all programs
 * @vms: of all programs
 * @fences: monitored fences, of all programs
 * @natives: native fences, of all programs
 * @nr_executions: number of @executions
 * @executions: rings that execute commands
 * @pm_notifier: hears of hibernation
 */
struct quire_device {
	struct drm_device drm;
	void __iomem *regs;
	u32 max_submission;
	u64 vram_size;
	u64 vram_visible;
	resource_size_t vram_base;
	struct rw_semaphore vram_access;
	struct quire_ranges *ranges;
	u64 aperture_size;
	struct quire_window *window;
	void *dummy_page;
	dma_addr_t dummy_dma;
	atomic_t dummy_watched;
	struct quire_mark *mark;
	bool device_copies;
	struct ttm_device ttm;
	struct quire_vram_mgr *vram_mgr;
	struct dmem_cgroup_region *dmem;
	bool removed;
	struct quire_free_list *free_list;
	struct quire_turn *turn;
	struct quire_budgets *budgets;
	struct quire_shares *shares;
	struct quire_shrinker *shrinker;
	struct quire_move_stats *move_stats;
	struct quire_purge_stats *purge_stats;
	struct quire_aperture *aperture;
	struct quire_mmu_table *mmu_table;
	struct quire_mmu *mmu;
	struct quire_restore *restore;
	struct quire_recovery *recovery;
	struct quire_coredump *coredump;
	struct workqueue_struct *watchdogs;
	struct quire_ring *paging_ring;
	struct quire_paging_queue *paging_queue;
	struct quire_discard_batch *discards;
	struct quire_residency *residency;
	struct quire_residency_table *residency_table;
	wait_queue_head_t unplanned;
	struct quire_contexts *contexts;
	struct quire_vms *vms;
	struct quire_fences *fences;
	struct quire_natives *natives;
	u32 nr_executions;
	struct quire_execution *executions;
	struct notifier_block pm_notifier;
};

static inline struct quire_device *to_quire_device(struct drm_device *drm)
{
	return container_of(drm, struct quire_device, drm);
}

static inline struct quire_device *ttm_to_quire(struct ttm_device *ttm)
{
	return container_of(ttm, struct quire_device, ttm);
}

#endif
