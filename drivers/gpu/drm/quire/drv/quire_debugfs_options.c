// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs, test options
 *
 * /sys/kernel/debug/quire, which is there while the module is, has a file for each member of
 * &struct quire_options. They can be written at any time.
 */
#include <linux/debugfs.h>

#include "core/quire_options.h"
#include "quire_debugfs.h"

static struct dentry *options_dir;

/**
 * quire_debugfs_options_init - create the files of the test options
 */
void quire_debugfs_options_init(void)
{
	struct quire_options *options = &quire_options;
	struct dentry *dir = debugfs_create_dir("quire", NULL);

	debugfs_create_bool("check_dummy_page", 0600, dir, &options->check_dummy_page);
	debugfs_create_u32("mmu_pages", 0600, dir, &options->mmu_pages);
	debugfs_create_bool("patch_early", 0600, dir, &options->patch_early);
	debugfs_create_bool("patch_twice", 0600, dir, &options->patch_twice);
	debugfs_create_u32("patch_refuse", 0600, dir, &options->patch_refuse);
	debugfs_create_bool("patch_commands_twice", 0600, dir, &options->patch_commands_twice);
	debugfs_create_bool("split_every_point", 0600, dir, &options->split_every_point);
	debugfs_create_bool("split_lru", 0600, dir, &options->split_lru);
	debugfs_create_u32("split_seed", 0600, dir, &options->split_seed);
	debugfs_create_ulong("split_max_bytes", 0600, dir, &options->split_max_bytes);
	options_dir = dir;
}

/**
 * quire_debugfs_options_fini - remove the files of the test options
 */
void quire_debugfs_options_fini(void)
{
	debugfs_remove(options_dir);
}
