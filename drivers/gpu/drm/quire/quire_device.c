// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Bringing the device up and down
 *
 * Up: registers, checks of what the device says about itself, reset, dummy
 * page, ring, queue, interrupts; then the whole aperture is pointed at the
 * dummy page. After that the device executes paging work, and memory management
 * (quire_ttm.c) can start. Down is the reverse, in two steps: quire_device_stop()
 * takes the ring from the device, which from then on touches no system memory;
 * quire_device_fini() ends the queue, after memory management has let go of it.
 *
 * What is here belongs to the binding. What programs may hold longer (objects,
 * managers) goes with the last reference of the DRM device.
 */
#include <linux/dma-mapping.h>
#include <linux/pci.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "quire_device.h"
#include "quire_paging_work.h"
#include "quire_regs.h"

static irqreturn_t quire_fence_irq(int irq, void *data)
{
	struct quire_device *qdev = data;

	quire_ring_interrupt(&qdev->paging_ring);
	return IRQ_HANDLED;
}

static irqreturn_t quire_fault_irq(int irq, void *data)
{
	struct quire_device *qdev = data;

	quire_paging_queue_fault(&qdev->paging_queue);
	return IRQ_HANDLED;
}

static int device_check_identity(struct quire_device *qdev)
{
	u32 id = quire_read32(qdev->regs, QUIRE_REG_ID);
	u32 version = quire_read32(qdev->regs, QUIRE_REG_VERSION);

	if (id != QUIRE_ID) {
		drm_err(&qdev->drm, "not a Quire device: id %#x\n", id);
		return -ENODEV;
	}
	if (version >> 16 != QUIRE_VERSION_MAJOR || version < QUIRE_VERSION) {
		drm_err(&qdev->drm, "device has version %u.%u, driver needs %u.%u or a later %u.x\n",
			version >> 16, version & 0xffff, QUIRE_VERSION_MAJOR,
			QUIRE_VERSION_MINOR, QUIRE_VERSION_MAJOR);
		return -ENODEV;
	}
	return 0;
}

static int device_read_sizes(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);

	qdev->vram_size = quire_read64(qdev->regs, QUIRE_REG_VRAM_SIZE_LO);
	qdev->vram_visible = quire_read64(qdev->regs, QUIRE_REG_VRAM_VISIBLE_LO);
	qdev->aperture_size = quire_read64(qdev->regs, QUIRE_REG_APERTURE_SIZE_LO);
	qdev->vram_base = pci_resource_start(pdev, QUIRE_BAR_VRAM);

	if (!PAGE_ALIGNED(qdev->vram_size | qdev->vram_visible | qdev->aperture_size) ||
	    !qdev->vram_visible || !qdev->aperture_size ||
	    qdev->vram_visible > qdev->vram_size ||
	    qdev->vram_visible > pci_resource_len(pdev, QUIRE_BAR_VRAM)) {
		drm_err(&qdev->drm, "sizes make no sense: VRAM %#llx, visible %#llx, aperture %#llx\n",
			qdev->vram_size, qdev->vram_visible, qdev->aperture_size);
		return -ENODEV;
	}
	return 0;
}

static void device_reset(struct quire_device *qdev)
{
	quire_write32(qdev->regs, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	/* A read comes back after the reset is done. */
	quire_read32(qdev->regs, QUIRE_REG_ID);
}

static int device_init_pci(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;

	ret = pcim_request_all_regions(pdev, "quire");
	if (ret)
		return ret;

	if (pci_resource_len(pdev, QUIRE_BAR_REGS) < QUIRE_BAR_REGS_SIZE)
		return -ENODEV;
	qdev->regs = pcim_iomap(pdev, QUIRE_BAR_REGS, 0);
	if (!qdev->regs)
		return -ENOMEM;

	ret = device_check_identity(qdev) ?: device_read_sizes(qdev);
	if (ret)
		return ret;

	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;

	device_reset(qdev);
	pci_set_master(pdev);
	return 0;
}

static int device_init_dummy_page(struct quire_device *qdev)
{
	struct device *dev = qdev->drm.dev;

	/* Coherent: nobody syncs it, and anything may be written to it. */
	qdev->dummy_page = dmam_alloc_coherent(dev, QUIRE_PAGE_SIZE, &qdev->dummy_dma,
					       GFP_KERNEL);
	return qdev->dummy_page ? 0 : -ENOMEM;
}

static int device_init_irq(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	int ret;

	ret = pci_alloc_irq_vectors(pdev, QUIRE_VECTOR_COUNT, QUIRE_VECTOR_COUNT, PCI_IRQ_MSIX);
	if (ret < 0)
		return ret;

	ret = pci_request_irq(pdev, QUIRE_VECTOR_FENCE, quire_fence_irq, NULL, qdev,
			      "quire-fence");
	if (ret)
		goto err_vectors;
	ret = pci_request_irq(pdev, QUIRE_VECTOR_FAULT, quire_fault_irq, NULL, qdev,
			      "quire-fault");
	if (ret)
		goto err_fence;

	quire_write32(qdev->regs, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
	return 0;

err_fence:
	pci_free_irq(pdev, QUIRE_VECTOR_FENCE, qdev);
err_vectors:
	pci_free_irq_vectors(pdev);
	return ret;
}

static void device_fini_irq(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);

	pci_free_irq(pdev, QUIRE_VECTOR_FAULT, qdev);
	pci_free_irq(pdev, QUIRE_VECTOR_FENCE, qdev);
	pci_free_irq_vectors(pdev);
}

/* No aperture page is ever without a valid entry (DXGKARG_BUILDPAGINGBUFFER, DummyPage). */
static int device_unmap_aperture(struct quire_device *qdev)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
		.u.unmap.number_of_pages = qdev->aperture_size >> QUIRE_PAGE_SHIFT,
	};
	struct quire_paging_work work;

	quire_paging_work_init(&work, &qdev->paging_queue, NULL, 0, false);
	return quire_paging_work_run(&work, quire_paging_list_add(&work.list, &args));
}

static int device_init_queue(struct quire_device *qdev)
{
	const struct quire_paging_queue_config config = {
		.ring = &qdev->paging_ring,
		.max_submission = quire_read32(qdev->regs, QUIRE_REG_MAX_SUBMISSION),
		.vram_size = qdev->vram_size,
		.aperture_size = qdev->aperture_size,
		.dummy_page = qdev->dummy_dma,
	};

	return quire_paging_queue_init(&qdev->paging_queue, &qdev->drm, &config);
}

/**
 * quire_device_init - bring the device up
 * @qdev: the device, bound to its PCI function
 *
 * Returns: 0; -ENODEV if it is no Quire device, has another major version or
 * says nonsense about itself; -EINVAL if it takes no submission as large as a paging
 * buffer; -EIO if it does not execute; -ENOMEM; errors of
 * the PCI core.
 *
 * Source: Documentation/gpu/quire/device.rst, registers.
 */
int quire_device_init(struct quire_device *qdev)
{
	int ret;

	ret = device_init_pci(qdev) ?: device_init_dummy_page(qdev) ?:
	      quire_ring_init(&qdev->paging_ring, &qdev->drm, qdev->regs, QUIRE_RING_PAGING);
	if (ret)
		return ret;

	ret = device_init_queue(qdev);
	if (ret)
		return ret;

	ret = device_init_irq(qdev);
	if (ret)
		goto err_queue;

	ret = device_unmap_aperture(qdev);
	if (ret)
		goto err_irq;

	quire_discard_init(&qdev->discards, &qdev->paging_queue);
	return 0;

err_irq:
	device_fini_irq(qdev);
err_queue:
	quire_ring_kill(&qdev->paging_ring, -ENODEV);
	quire_paging_queue_fini(&qdev->paging_queue);
	return ret;
}

/**
 * quire_device_stop - take everything from the device that it works on
 * @qdev: the device; drm_dev_unplug() was called, or it was never registered
 *
 * All fences have signalled or soon will, and nothing is executed any more.
 *
 * Source: drm_dev_unplug().
 */
void quire_device_stop(struct quire_device *qdev)
{
	quire_ring_kill(&qdev->paging_ring, -ENODEV);
	device_reset(qdev);
}

/**
 * quire_device_fini - take the device down
 * @qdev: the device; stopped if it ever had work; nobody submits any more
 *
 * Programs may still hold the DRM device, objects and mappings.
 *
 * Source: drm_dev_unplug().
 */
void quire_device_fini(struct quire_device *qdev)
{
	quire_device_stop(qdev);
	device_fini_irq(qdev);
	quire_discard_fini(&qdev->discards);
	quire_paging_queue_fini(&qdev->paging_queue);
}

/**
 * quire_device_is_wedged - did the watchdog give the device up?
 * @qdev: the device
 *
 * Returns: true if nothing is executed any more; content of VRAM is lost.
 */
bool quire_device_is_wedged(struct quire_device *qdev)
{
	return quire_ring_error(&qdev->paging_ring) == -EIO;
}
