/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FILE_H
#define QUIRE_FILE_H

struct drm_device;
struct drm_file;
struct drm_printer;
struct file;
struct inode;

int quire_file_open(struct drm_device *drm, struct drm_file *file);
void quire_file_postclose(struct drm_device *drm, struct drm_file *file);
int quire_file_release(struct inode *inode, struct file *filp);
void quire_file_show_fdinfo(struct drm_printer *p, struct drm_file *file);

#endif
