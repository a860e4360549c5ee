/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What tests need of vgem, the kernel's driver without a device: objects with
 * fences that programs signal.  libdrm does not ship its header; this is its
 * ABI, drivers/gpu/drm/vgem/vgem_fence.c.  A fence signals with an error by
 * itself after 10 seconds.
 */
#ifndef QUIRE_VGEM_H
#define QUIRE_VGEM_H

#include <drm.h>

/**
 * struct vgem_fence_attach - argument of %VGEM_IOCTL_FENCE_ATTACH
 * @handle: object that gets a fence
 * @flags: %VGEM_FENCE_WRITE: it excludes others
 * @fence: returned, for %VGEM_IOCTL_FENCE_SIGNAL
 * @pad: zero
 */
struct vgem_fence_attach {
	__u32 handle;
	__u32 flags;
	__u32 fence;
	__u32 pad;
};

/**
 * struct vgem_fence_signal - argument of %VGEM_IOCTL_FENCE_SIGNAL
 * @fence: from &struct vgem_fence_attach
 * @flags: zero
 */
struct vgem_fence_signal {
	__u32 fence;
	__u32 flags;
};

#define VGEM_FENCE_WRITE	0x1
#define VGEM_IOCTL_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_IOCTL_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)

#endif
