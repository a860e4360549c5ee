// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs, faults on demand
 *
 * ``inject`` in /sys/kernel/debug/dri/DEVICE/ takes one fault at a time, as the device
 * specification has them, and reads what is left of each:
 *
 * - ``hang N``, ``fault N``: the N-th packet of the paging ring from now on;
 * - ``ring R hang N``, ``ring R fault N``: the N-th command of execution ring R, counted from 0;
 * - ``drop-irq N``: the next N messages.
 *
 * A device that has no fault injection refuses them with EOPNOTSUPP.
 *
 * ``spoil`` makes the address space of the paging ring wrong (quire_paging_space.c), so that moves
 * in virtual addresses end in page faults, and reads how many windows are left:
 *
 * - ``table``: nothing leads to the tables of windows any more, until the ring is restarted;
 * - ``window N``: the N-th window that is mapped from now on has no last page; one of a large page
 *   has none at all. A move of that chunk faults again at each try.
 */
#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "core/quire_regs.h"
#include "queue/quire_paging_queue.h"
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

/* Reads a command of a program into @command, of @room bytes. */
static int read_command(char *command, size_t room, const char __user *buf, size_t size,
			loff_t *pos)
{
	ssize_t len;

	if (*pos)
		return -EINVAL;
	len = simple_write_to_buffer(command, room - 1, pos, buf, size);
	if (len < 0)
		return len;
	if (len != size)
		return -EINVAL;
	command[len] = '\0';
	return 0;
}

static ssize_t quire_inject_write(struct file *file, const char __user *buf, size_t size,
				  loff_t *pos)
{
	struct quire_device *qdev = ((struct seq_file *)file->private_data)->private;
	char command[32];
	int ret = read_command(command, sizeof(command), buf, size, pos);

	return ret ?: quire_inject(qdev, command) ?: size;
}

static int quire_inject_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	unsigned int i, ring;
	int idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	for (i = 0; i < ARRAY_SIZE(injections); i++)
		seq_printf(m, "%s%u\n", injections[i].name,
			   quire_read32(qdev->regs, injection_reg(i, QUIRE_RING_PAGING)));
	for (ring = 1; ring <= qdev->nr_executions; ring++)
		for (i = 0; i < NR_OF_RING; i++)
			seq_printf(m, "ring %u %s%u\n", ring - 1, injections[i].name,
				   quire_read32(qdev->regs, injection_reg(i, ring)));
	drm_dev_exit(idx);
	return 0;
}

DEFINE_SHOW_STORE_ATTRIBUTE(quire_inject);

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
	int ret, idx;

	ret = read_command(command, sizeof(command), buf, size, pos);
	if (ret)
		return ret;
	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	ret = quire_spoil(&qdev->paging_queue->space, command);
	drm_dev_exit(idx);
	return ret ?: size;
}

static int quire_spoil_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;

	seq_printf(m, "window %d\n", atomic_read(&qdev->paging_queue->space.spoil));
	return 0;
}

DEFINE_SHOW_STORE_ATTRIBUTE(quire_spoil);

/**
 * quire_debugfs_inject_init - make the files of this part
 * @root: directory of the device
 * @qdev: the device
 */
void quire_debugfs_inject_init(struct dentry *root, struct quire_device *qdev)
{
	debugfs_create_file("inject", 0600, root, qdev, &quire_inject_fops);
	debugfs_create_file("spoil", 0600, root, qdev, &quire_spoil_fops);
}
