// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU plugin: which instructions of the guest kernel's modules each program executes.
 *
 * When the guest executes the marker instruction, the plugin appends a record to its file and
 * begins anew:
 *
 *	mark KERNEL USER MICROSECONDS
 *	BEGIN END
 *	...
 *
 * KERNEL and USER are the numbers of instructions that the guest executed since the last marker,
 * in the upper and in the lower half of its addresses, MICROSECONDS the processor time of the
 * emulator.  Each executed block is a line with two offsets into the module area, in decimal:
 * mawk reads no hexadecimal numbers.
 *
 * Inline counters of QEMU 10.0 do not work here: with one thread for two processors
 * gen_plugin_u64_ptr() multiplies what gen_cpu_index() returns in place, and that is TCG's
 * constant 1.  All code of the block that uses the same constant is wrong then.  Processors
 * that have a thread each would lose counts here.
 *
 * Usage: qemu-system-x86_64 -accel tcg,thread=single -plugin executed.so,out=FILE
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <qemu-plugin.h>

#include "marker.h"

/* Of x86-64 kernels with KASLR. */
#define MODULES_BEGIN	0xffffffffc0000000ull
#define MODULES_END	0xffffffffff000000ull

/* A power of two.  All modules of a guest have about 40,000 blocks. */
#define BLOCKS		262144u

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/**
 * struct block - a translation block in the module area
 * @begin: address of the first instruction, or 0
 * @end: address behind the last one
 * @executed: since the last marker
 */
struct block {
	uint64_t begin;
	uint64_t end;
	bool executed;
};

static uint64_t kernel_instructions, user_instructions;
static struct block blocks[BLOCKS];
static unsigned int nr_blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;

static uint64_t processor_time(void)
{
	static uint64_t last;
	struct rusage usage;
	uint64_t now, spent;

	getrusage(RUSAGE_SELF, &usage);
	now = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ull +
	      usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
	spent = now - last;
	last = now;

	return spent;
}

static void marked(unsigned int vcpu, void *unused)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	fprintf(out, "mark %llu %llu %llu\n", (unsigned long long)kernel_instructions,
		(unsigned long long)user_instructions, (unsigned long long)processor_time());
	kernel_instructions = 0;
	user_instructions = 0;
	for (i = 0; i < BLOCKS; i++) {
		if (!blocks[i].executed)
			continue;
		blocks[i].executed = false;
		fprintf(out, "%llu %llu\n",
			(unsigned long long)(blocks[i].begin - MODULES_BEGIN),
			(unsigned long long)(blocks[i].end - MODULES_BEGIN));
	}
	fflush(out);
	pthread_mutex_unlock(&lock);
}

static void count_kernel(unsigned int vcpu, void *number)
{
	kernel_instructions += (uintptr_t)number;
}

static void count_user(unsigned int vcpu, void *number)
{
	user_instructions += (uintptr_t)number;
}

static void executed(unsigned int vcpu, void *block)
{
	((struct block *)block)->executed = true;
}

/* The same code is translated again and again, and keeps its block. */
static struct block *find_block(uint64_t begin, uint64_t end)
{
	unsigned int i = (begin * 0x9e3779b97f4a7c15ull ^ end * 0xc2b2ae3d27d4eb4full) >> 46;

	while (blocks[i].begin && (blocks[i].begin != begin || blocks[i].end != end))
		i = (i + 1) % BLOCKS;
	if (!blocks[i].begin) {
		if (++nr_blocks > BLOCKS / 4 * 3) {
			fprintf(stderr, "executed: too many blocks; raise BLOCKS\n");
			abort();
		}
		blocks[i].begin = begin;
		blocks[i].end = end;
	}

	return &blocks[i];
}

static bool is_marker(const struct qemu_plugin_insn *insn)
{
	static const unsigned char marker[] = {
		0x0f, 0x1f, 0x84, 0x00,
		MARKER & 0xff, MARKER >> 8 & 0xff, MARKER >> 16 & 0xff, MARKER >> 24,
	};
	unsigned char bytes[sizeof(marker)];

	return qemu_plugin_insn_size(insn) == sizeof(marker) &&
	       qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) == sizeof(bytes) &&
	       !memcmp(bytes, marker, sizeof(marker));
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t begin = qemu_plugin_tb_vaddr(tb);
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
	struct block *block;

	qemu_plugin_register_vcpu_tb_exec_cb(tb, begin >> 63 ? count_kernel : count_user,
					     QEMU_PLUGIN_CB_NO_REGS, (void *)n);
	if (begin >= MODULES_BEGIN && begin < MODULES_END) {
		pthread_mutex_lock(&lock);
		block = find_block(begin, qemu_plugin_insn_vaddr(last) +
				   qemu_plugin_insn_size(last));
		pthread_mutex_unlock(&lock);
		qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
		return;
	}
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (is_marker(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "executed: give out=FILE, and nothing else\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);

	return 0;
}
