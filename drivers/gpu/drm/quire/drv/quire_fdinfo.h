/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FDINFO_H
#define QUIRE_FDINFO_H

struct drm_file;
struct drm_printer;

void quire_file_show_fdinfo(struct drm_printer *p, struct drm_file *file);

#endif
