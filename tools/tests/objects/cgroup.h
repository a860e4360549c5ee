/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Groups of the unified hierarchy of cgroups; for root. "" is the root of it. */
#ifndef QUIRE_TEST_CGROUP_H
#define QUIRE_TEST_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#define CGROUP_ROOT	"/tmp/cgroup"

bool cgroup_mount(void);
void cgroup_unmount(void);
void cgroup_write(const char *group, const char *file, const char *text);
void cgroup_enter(const char *group);
uint64_t cgroup_read(const char *group, const char *file, const char *key);

#endif
