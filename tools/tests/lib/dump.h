/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the kernel keeps of a device that hung. */
#ifndef QUIRE_TEST_DUMP_H
#define QUIRE_TEST_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct drm_quire_context_state;

void dump_forget(void);
bool dump_wait(char *text, size_t size);
void dump_expect_command(const struct drm_quire_context_state *end, uint32_t job_offset,
			 uint16_t opcode);

#endif
