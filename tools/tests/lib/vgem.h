/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* vgem, the kernel's driver without a device, as a peer: fences that programs signal. */
#ifndef QUIRE_VGEM_H
#define QUIRE_VGEM_H

#include <stdint.h>

int vgem_open(void);
int vgem_open_static(void);
int vgem_create_fence(int vgem, uint32_t *fence);
int vgem_attach_fence(int vgem, int fd, uint32_t handle, uint32_t *fence);
int vgem_signal_fence(int vgem, uint32_t fence);

#endif
