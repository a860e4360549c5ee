/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The picture as the CPU draws it, to be compared; nothing of the device's is used. */
#ifndef QUIRE_PAINT_H
#define QUIRE_PAINT_H

#include "progress.h"
#include "scene.h"

uint32_t *paint_scene(const struct scene *scene, struct progress *progress);

#endif
