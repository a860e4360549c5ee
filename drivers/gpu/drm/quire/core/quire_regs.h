/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Access to BAR 0, for whoever was given a part of it. */
#ifndef QUIRE_REGS_H
#define QUIRE_REGS_H

#include <linux/io.h>
#include <linux/kernel.h>
#include <quire/quire_hw.h>

static inline u32 quire_read32(void __iomem *regs, u32 reg)
{
	return readl(regs + reg);
}

static inline void quire_write32(void __iomem *regs, u32 reg, u32 value)
{
	writel(value, regs + reg);
}

/*
 * @reg is the _LO register of a pair. If it changes meanwhile, the value may be none that it ever
 * had; good enough to see that it changes.
 */
static inline u64 quire_read64(void __iomem *regs, u32 reg)
{
	return readl(regs + reg) | (u64)readl(regs + reg + 4) << 32;
}

static inline void quire_write64(void __iomem *regs, u32 reg, u64 value)
{
	writel(lower_32_bits(value), regs + reg);
	writel(upper_32_bits(value), regs + reg + 4);
}

/* Does the device take faults on demand? */
static inline bool quire_can_inject(void __iomem *regs)
{
	return quire_read32(regs, QUIRE_REG_CAPS) & QUIRE_CAPS_FAULT_INJECTION;
}

#endif
