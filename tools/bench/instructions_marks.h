/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * How bench-instructions, in the guest, tells the plugin of the emulator what it measures: by
 * NOPs that no compiler writes. The plugin sees them when they are translated.
 */
#ifndef QUIRE_BENCH_INSTRUCTIONS_MARKS_H
#define QUIRE_BENCH_INSTRUCTIONS_MARKS_H

#include <stdint.h>

/* The first bytes of NOPL DISP32(%RAX,%RAX,1); the displacement is a magic number plus the mark. */
#define MARK_NOP	{ 0x0f, 0x1f, 0x84, 0x00 }
#define MARK_NOP_SIZE	8
#define MARK_MAGIC	0x51524500

/* Kernel text that belongs to none of the others has no range, and none has user space. */
enum mark_group { MARK_REST, MARK_TTM, MARK_DRIVER, MARK_DRM, MARK_USER, MARK_GROUPS };

/**
 * struct mark_module - a module of the guest's kernel
 * @begin: address of its text
 * @end: not below the end of its text; other modules may begin before it
 * @group: enum mark_group
 */
struct mark_module {
	uint64_t begin;
	uint64_t end;
	uint64_t group;
};

#define MARK_MODULES	64

/**
 * struct mark_modules - what MARK_SET_MODULES points to
 * @count: number of @modules
 * @modules: all that are loaded
 */
struct mark_modules {
	uint64_t count;
	struct mark_module modules[MARK_MODULES];
};

/**
 * struct mark_operation - what MARK_SET_OPERATION points to
 * @name: with a zero at its end, no blanks
 * @count: how many operations are between a MARK_BEGIN and its MARK_END
 */
struct mark_operation {
	char name[40];
	uint64_t count;
};

/* The marks; those that point to something have its address in RDI. */
#define MARK_SET_MODULES	1
#define MARK_SET_OPERATION	2
#define MARK_BEGIN		3
#define MARK_END		4

static inline __attribute__((always_inline)) void mark(uint32_t number, const void *pointer)
{
	asm volatile("nopl %c0(%%rax,%%rax,1)"
		     : : "i"(MARK_MAGIC + number), "D"(pointer) : "memory");
}

#endif
