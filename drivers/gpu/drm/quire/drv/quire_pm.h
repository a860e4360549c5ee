/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PM_H
#define QUIRE_PM_H

#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/pm.h>

struct quire_device;

extern const struct dev_pm_ops quire_pm_ops;
extern const struct pci_error_handlers quire_pci_error_handlers;

int quire_pm_init(struct quire_device *qdev);
void quire_pm_fini(struct quire_device *qdev);

#endif
