// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Sleep and reset
 *
 * The device may be switched off or reset by others; no content is lost by it:
 *
 * ==================  ==================================  ==================================
 * what                before                              after
 * ==================  ==================================  ==================================
 * suspend (S3)        everything is evicted to system     reset, aperture, ring; objects come
 *                     memory, the ring is stopped         back to VRAM when they are placed
 * hibernation (S4)    the same before the image is made,  the same, with the content of the
 *                     while there is memory to be had;    image
 *                     pages are swapped out
 * reset of the PCI    mappings of VRAM are taken away,    reset, aperture, ring: goes on with
 * function            the ring is stopped where it is;    the packet that was at work; who
 *                     a reset keeps VRAM; what is posted  touched VRAM meanwhile has waited
 *                     is written to memory
 * ==================  ==================================  ==================================
 *
 * If everything can not be evicted, for want of memory, suspend fails and the device goes on as if
 * it had not been asked.
 *
 * Locking: the PM core and the PCI core hold the lock of the PCI device, which binding and
 * unbinding hold, too.
 */
#include <linux/suspend.h>

#include "core/quire_device_types.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_range.h"
#include "move/quire_ttm.h"
#include "quire_device.h"
#include "quire_pm.h"

static int quire_pm_suspend(struct device *dev)
{
	struct quire_device *qdev = dev_get_drvdata(dev);
	int ret;

	ret = quire_ttm_evict_all(qdev);
	if (!ret)
		quire_device_suspend(qdev);
	return ret;
}

static int quire_pm_resume(struct device *dev)
{
	return quire_device_resume(dev_get_drvdata(dev));
}

DEFINE_SIMPLE_DEV_PM_OPS(quire_pm_ops, quire_pm_suspend, quire_pm_resume);

/* The PCI core takes the BARs away from the CPU while it resets the function. */
static void quire_pci_reset_prepare(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	quire_bo_vm_block(qdev);
	quire_device_suspend(qdev);
}

static void quire_pci_reset_done(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	quire_device_resume(qdev);
	quire_ranges_wait_left(qdev);
	quire_bo_vm_unblock(qdev);
}

const struct pci_error_handlers quire_pci_error_handlers = {
	.reset_prepare = quire_pci_reset_prepare,
	.reset_done = quire_pci_reset_done,
};

static int pm_notify(struct notifier_block *notifier, unsigned long event, void *unused)
{
	struct quire_device *qdev = container_of(notifier, struct quire_device, pm_notifier);
	int ret;

	if (event != PM_HIBERNATION_PREPARE)
		return NOTIFY_DONE;
	/* Before the memory of the image is counted and programs are frozen. */
	ret = quire_ttm_evict_all(qdev);
	if (!ret)
		quire_ttm_swap_out(qdev);
	return notifier_from_errno(ret);
}

/**
 * quire_pm_init - be told when the machine hibernates
 * @qdev: the device; memory management works
 *
 * Returns: 0, or an error of register_pm_notifier().
 */
int quire_pm_init(struct quire_device *qdev)
{
	qdev->pm_notifier.notifier_call = pm_notify;
	return register_pm_notifier(&qdev->pm_notifier);
}

/**
 * quire_pm_fini - be told no more
 * @qdev: the device
 */
void quire_pm_fini(struct quire_device *qdev)
{
	unregister_pm_notifier(&qdev->pm_notifier);
}
