/*
 * Quire virtual GPU: differences between QEMU 10.0 and later
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_QUIRE_COMPAT_H
#define HW_QUIRE_COMPAT_H

#define QUIRE_QEMU_AT_LEAST(major, minor) \
    (QEMU_VERSION_MAJOR > (major) || \
     (QEMU_VERSION_MAJOR == (major) && QEMU_VERSION_MINOR >= (minor)))

/* Moved to hw/core in 11.0 */
#if __has_include("hw/core/qdev-properties.h")
#include "hw/core/qdev-properties.h"
#include "hw/core/resettable.h"
#else
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#endif

/* Moved to system in 10.1 */
#if __has_include("system/memory.h")
#include "system/memory.h"
#else
#include "exec/memory.h"
#endif

/* Ram block functions moved to system in 10.1 */
#if __has_include("system/ramblock.h")
#include "system/ramblock.h"
#else
#include "exec/ramblock.h"
#endif

/* The instruction counter got a header of its own in 10.1 */
#if __has_include("exec/icount.h")
#include "exec/icount.h"
#else
#include "system/cpu-timers.h"
#endif

/* Class data and interface arrays became const in 10.1 */
#if QUIRE_QEMU_AT_LEAST(10, 1)
typedef const void QuireClassData;
#define QUIRE_INTERFACES (const InterfaceInfo[])
#else
typedef void QuireClassData;
#define QUIRE_INTERFACES (InterfaceInfo[])
#endif

#endif
