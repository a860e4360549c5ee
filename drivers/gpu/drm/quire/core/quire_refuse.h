/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_REFUSE_H
#define QUIRE_REFUSE_H

#include <linux/errno.h>

#include <drm/drm_device.h>
#include <drm/drm_print.h>

/**
 * quire_refuse() - fail, and say which field or limit is the reason
 * @drm: the device
 * @error: negative errno
 * @fmt: for drm_dbg_driver(), without a new line; its arguments follow
 *
 * Returns: @error.
 */
#define quire_refuse(drm, error, fmt, ...)				\
	({								\
		int refused = (error);					\
									\
		drm_dbg_driver(drm, fmt ": %d\n", ##__VA_ARGS__, refused); \
		refused;						\
	})

/**
 * quire_error_names_none - is an error about nothing that a program has named?
 * @error: of an ioctl, negative
 *
 * Returns: true for the errors of a signal, of memory and of the device: the answer must not blame
 * the element that the ioctl was busy with.
 */
static inline bool quire_error_names_none(int error)
{
	return error == -EINTR || error == -EIO || error == -ENODEV || error == -ENOMEM ||
	       error == -ERESTARTSYS;
}

#endif
