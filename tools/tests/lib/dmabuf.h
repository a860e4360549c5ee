/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * dma-bufs: how objects go from one driver to another, and udmabuf, the kernel's
 * exporter of a program's own memory.
 *
 * All functions that return int return 0 or a descriptor, or a negative errno.
 */
#ifndef QUIRE_DMABUF_H
#define QUIRE_DMABUF_H

#include <stddef.h>
#include <stdint.h>

int dmabuf_export(int fd, uint32_t handle);
int dmabuf_import(int fd, int dmabuf, uint32_t *handle);
int dmabuf_map(int dmabuf, uint64_t size, void **map);
int dmabuf_sync(int dmabuf, uint64_t flags);
int dmabuf_export_sync_file(int dmabuf);
int dmabuf_import_sync_file(int dmabuf, int sync_file);
int dmabuf_import_sync_file_of(int dmabuf, int sync_file, uint64_t flags);

int udmabuf_create(uint64_t size);
int udmabuf_create_scattered(size_t count, uint64_t *frames);

#endif
