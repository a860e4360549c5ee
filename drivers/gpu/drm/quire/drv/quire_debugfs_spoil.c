// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs, wrong page tables
 *
 * ``spoil`` in /sys/kernel/debug/dri/DEVICE/ makes the address space of the paging ring wrong
 * (quire_paging_space.c), so that moves in virtual addresses end in page faults:
 *
 * - ``table``: nothing leads to the tables of windows any more, until the ring is restarted;
 * - ``window N``: the N-th window that is mapped from now on has no last page; that of a large page
 *   is its only one. Who moves that chunk meets a fault again whatever is tried.
 *
 * It reads how many windows are left.
 */
#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_space.h"
#include "quire_debugfs.h"

static int quire_spoil(struct quire_paging_space *space, const char *command)
{
	size_t prefix = str_has_prefix(command, "window ");
	int value, ret;

	if (sysfs_streq(command, "table")) {
		quire_paging_space_spoil_table(space);
		return 0;
	}
	if (!prefix)
		return -EINVAL;
	ret = kstrtoint(command + prefix, 0, &value);
	if (ret || value < 0)
		return -EINVAL;
	atomic_set(&space->spoil, value);
	return 0;
}

static ssize_t quire_spoil_write(struct file *file, const char __user *buf, size_t size,
				 loff_t *pos)
{
	struct quire_device *qdev = ((struct seq_file *)file->private_data)->private;
	char command[32];
	ssize_t len;
	int idx, ret;

	if (*pos)
		return -EINVAL;
	len = simple_write_to_buffer(command, sizeof(command) - 1, pos, buf, size);
	if (len < 0)
		return len;
	if (len != size)
		return -EINVAL;
	command[len] = '\0';

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	ret = quire_spoil(&qdev->paging_queue->space, command);
	drm_dev_exit(idx);
	return ret ?: len;
}

static int quire_spoil_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;

	seq_printf(m, "window %d\n", atomic_read(&qdev->paging_queue->space.spoil));
	return 0;
}

DEFINE_SHOW_STORE_ATTRIBUTE(quire_spoil);

/**
 * quire_debugfs_spoil_init - make the file
 * @root: directory of the node
 * @qdev: the device
 */
void quire_debugfs_spoil_init(struct dentry *root, struct quire_device *qdev)
{
	debugfs_create_file("spoil", 0600, root, qdev, &quire_spoil_fops);
}
