/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_GEM_H
#define QUIRE_GEM_H

struct quire_bo;
struct quire_bo_config;
struct quire_device;

struct quire_bo *quire_gem_create(struct quire_device *qdev,
				  const struct quire_bo_config *config);

#endif
