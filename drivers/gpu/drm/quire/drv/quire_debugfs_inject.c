// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs, faults on demand
 *
 * ``inject`` in /sys/kernel/debug/dri/DEVICE/ takes one fault at a time, as the device
 * specification has them, and reads what is left of each:
 *
 * - ``hang N``, ``fault N``: the N-th packet of the paging ring from now on;
 * - ``ring R hang N``, ``ring R fault N``: the N-th command of execution ring R, which is counted
 *   as programs count them;
 * - ``drop-irq N``: the next N messages.
 *
 * A device that has no fault injection refuses them with EOPNOTSUPP.
 */
#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include <quire/quire_hw.h>

#include "core/quire_device_types.h"
#include "core/quire_regs.h"
#include "quire_debugfs.h"

#define NR_OF_RING	2

/* Those of a ring first, at the place that they have in its registers. */
static const struct {
	const char *name;
	u32 reg;
} injections[] = {
	{ "hang ", QUIRE_RING_INJECT_HANG },
	{ "fault ", QUIRE_RING_INJECT_FAULT },
	{ "drop-irq ", QUIRE_REG_INJECT_DROP_IRQ },
};

static u32 injection_reg(unsigned int i, unsigned int ring)
{
	return i < NR_OF_RING ? QUIRE_REG_RING(ring, injections[i].reg) : injections[i].reg;
}

/* Takes "ring R " off. Returns the number of the ring of the device, or -EINVAL. */
static int parse_ring(struct quire_device *qdev, char **command)
{
	size_t prefix = str_has_prefix(*command, "ring ");
	unsigned int ring;
	char *rest;

	if (!prefix)
		return QUIRE_RING_PAGING;
	rest = strchr(*command + prefix, ' ');
	if (!rest)
		return -EINVAL;
	*rest = '\0';
	if (kstrtouint(*command + prefix, 10, &ring) || ring >= qdev->nr_executions)
		return -EINVAL;
	*command = rest + 1;
	return ring + 1;
}

/* Which one is it, and how many? Returns its index, or -EINVAL. */
static int parse_injection(const char *command, int ring, u32 *value)
{
	unsigned int nr = ring == QUIRE_RING_PAGING ? ARRAY_SIZE(injections) : NR_OF_RING;
	size_t prefix = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		prefix = str_has_prefix(command, injections[i].name);
		if (prefix)
			break;
	}
	if (i == nr || kstrtou32(command + prefix, 0, value))
		return -EINVAL;
	return i;
}

static int quire_inject(struct quire_device *qdev, char *command)
{
	int injection, ring, idx, ret = 0;
	u32 value;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	ring = parse_ring(qdev, &command);
	injection = ring < 0 ? ring : parse_injection(command, ring, &value);
	if (injection < 0)
		ret = injection;
	else if (quire_can_inject(qdev->regs))
		quire_write32(qdev->regs, injection_reg(injection, ring), value);
	else
		ret = -EOPNOTSUPP;
	drm_dev_exit(idx);
	return ret;
}

static ssize_t quire_inject_write(struct file *file, const char __user *buf, size_t size,
				  loff_t *pos)
{
	struct quire_device *qdev = ((struct seq_file *)file->private_data)->private;
	char command[32];
	ssize_t len;
	int ret;

	if (*pos)
		return -EINVAL;
	len = simple_write_to_buffer(command, sizeof(command) - 1, pos, buf, size);
	if (len < 0)
		return len;
	if (len != size)
		return -EINVAL;
	command[len] = '\0';

	ret = quire_inject(qdev, command);
	return ret ?: len;
}

static void show_ring(struct seq_file *m, struct quire_device *qdev, unsigned int ring)
{
	unsigned int i;

	for (i = 0; i < NR_OF_RING; i++)
		seq_printf(m, "ring %u %s%u\n", ring - 1, injections[i].name,
			   quire_read32(qdev->regs, injection_reg(i, ring)));
}

static int quire_inject_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	unsigned int i;
	int idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	for (i = 0; i < ARRAY_SIZE(injections); i++)
		seq_printf(m, "%s%u\n", injections[i].name,
			   quire_read32(qdev->regs, injection_reg(i, QUIRE_RING_PAGING)));
	for (i = 1; i <= qdev->nr_executions; i++)
		show_ring(m, qdev, i);
	drm_dev_exit(idx);
	return 0;
}

DEFINE_SHOW_STORE_ATTRIBUTE(quire_inject);

/**
 * quire_debugfs_inject_init - make the file
 * @root: directory of the node
 * @qdev: the device
 */
void quire_debugfs_inject_init(struct dentry *root, struct quire_device *qdev)
{
	debugfs_create_file("inject", 0600, root, qdev, &quire_inject_fops);
}
