// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU's TCG that counts the instructions which the guest executes between two
 * marks, by the part of the guest that they belong to; see instructions_marks.h.
 *
 * Arguments: out=FILE        where the figures go
 *            profile=NAME    of this operation, the place of each instruction, too
 *
 * Each line of FILE is one sample: "sample NAME COUNT REST TTM DRIVER DRM USER", the
 * instructions of COUNT operations. A sample of the operation that is profiled is followed by
 * lines "block ADDRESS INSTRUCTIONS", of blocks of 16 bytes, in which Debian's kernel begins
 * each function.
 *
 * Each block of kernel text has a counter of its own, which translated code increments. So it
 * does not matter that text is translated before it is known which module it belongs to. With
 * -icount each iteration of a string instruction counts.
 *
 * One processor only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#include "instructions_marks.h"

#define BLOCK_SHIFT	4
#define SLOTS		524288u
#define HASHES		(2 * SLOTS)
#define USER_SLOT	0u	/* all of user space */

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/**
 * struct slot - a block of text that has a counter
 * @block: its address, without the lowest BLOCK_SHIFT bits
 * @before: its counter at MARK_BEGIN
 * @group: enum mark_group
 */
struct slot {
	uint64_t block;
	uint64_t before;
	uint8_t group;
};

static struct {
	FILE *file;
	char *profile;
	struct qemu_plugin_scoreboard *counters;
	struct qemu_plugin_register *rdi;
	struct mark_modules modules;
	struct mark_operation operation;
	struct slot slots[SLOTS];
	uint32_t hashes[HASHES];	/* slots; 0 is none of them */
	uint32_t used;
	bool begun;
} plugin = { .used = USER_SLOT + 1 };

static void fail(const char *what)
{
	fprintf(stderr, "instructions plugin: %s\n", what);
	exit(EXIT_FAILURE);
}

/* Of the modules that reach so far the last one that begins before: text comes first in each. */
static uint8_t group_of(uint64_t address)
{
	const struct mark_module *found = NULL;

	for (uint64_t i = 0; i < plugin.modules.count; i++) {
		const struct mark_module *module = &plugin.modules.modules[i];

		if (address >= module->begin && address < module->end &&
		    (!found || module->begin > found->begin))
			found = module;
	}
	return found ? found->group : MARK_REST;
}

static uint32_t slot_of(uint64_t address)
{
	uint64_t block = address >> BLOCK_SHIFT;
	uint32_t hash = (block * 0x9e3779b97f4a7c15ull) >> 32;

	if (!(address >> 63))
		return USER_SLOT;
	while (plugin.hashes[hash %= HASHES]) {
		if (plugin.slots[plugin.hashes[hash]].block == block)
			return plugin.hashes[hash];
		hash++;
	}
	if (plugin.used == SLOTS)
		fail("the guest has more kernel text than there are counters; raise SLOTS");
	plugin.slots[plugin.used] = (struct slot){ .block = block, .group = group_of(address) };
	plugin.hashes[hash] = plugin.used;
	return plugin.used++;
}

static void read_guest(void *to, size_t size)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	uint64_t address;

	if (!plugin.rdi || qemu_plugin_read_register(plugin.rdi, bytes) < (int)sizeof(address))
		fail("RDI cannot be read");
	memcpy(&address, bytes->data, sizeof(address));
	if (!qemu_plugin_read_memory_vaddr(address, bytes, size) || bytes->len < size)
		fail("memory of the guest cannot be read");
	memcpy(to, bytes->data, size);
}

static void set_modules(void)
{
	read_guest(&plugin.modules, sizeof(plugin.modules));
	if (plugin.modules.count > MARK_MODULES)
		fail("too many modules");
	for (uint32_t i = USER_SLOT + 1; i < plugin.used; i++)
		plugin.slots[i].group = group_of(plugin.slots[i].block << BLOCK_SHIFT);
}

static void set_operation(void)
{
	read_guest(&plugin.operation, sizeof(plugin.operation));
	plugin.operation.name[sizeof(plugin.operation.name) - 1] = 0;
}

static void begin(const uint64_t *counters)
{
	for (uint32_t i = 0; i < plugin.used; i++)
		plugin.slots[i].before = counters[i];
	plugin.begun = true;
}

static void print_blocks(const uint64_t *counters)
{
	for (uint32_t i = USER_SLOT + 1; i < plugin.used; i++)
		if (counters[i] != plugin.slots[i].before)
			fprintf(plugin.file, "block %016" PRIx64 " %" PRIu64 "\n",
				plugin.slots[i].block << BLOCK_SHIFT,
				counters[i] - plugin.slots[i].before);
}

/* Slots that came since MARK_BEGIN began at 0. */
static void end(const uint64_t *counters)
{
	uint64_t sums[MARK_GROUPS] = { 0 };

	if (!plugin.begun)
		fail("a mark ends what did not begin");
	plugin.begun = false;
	for (uint32_t i = 0; i < plugin.used; i++)
		sums[plugin.slots[i].group] += counters[i] - plugin.slots[i].before;
	fprintf(plugin.file, "sample %s %" PRIu64, plugin.operation.name, plugin.operation.count);
	for (int i = 0; i < MARK_GROUPS; i++)
		fprintf(plugin.file, " %" PRIu64, sums[i]);
	fputc('\n', plugin.file);
	if (plugin.profile && !strcmp(plugin.profile, plugin.operation.name))
		print_blocks(counters);
}

static void on_mark(unsigned int cpu, void *number)
{
	const uint64_t *counters = qemu_plugin_scoreboard_find(plugin.counters, cpu);

	switch ((uintptr_t)number) {
	case MARK_SET_MODULES:
		set_modules();
		break;
	case MARK_SET_OPERATION:
		set_operation();
		break;
	case MARK_BEGIN:
		begin(counters);
		break;
	case MARK_END:
		end(counters);
		break;
	}
}

/* Returns 0 for an instruction that is no mark. */
static uintptr_t mark_of(const struct qemu_plugin_insn *insn)
{
	static const uint8_t nop[] = MARK_NOP;
	uint8_t bytes[MARK_NOP_SIZE];
	uint32_t displacement;

	if (qemu_plugin_insn_size(insn) != sizeof(bytes) ||
	    qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes) ||
	    memcmp(bytes, nop, sizeof(nop)))
		return 0;
	memcpy(&displacement, bytes + sizeof(nop), sizeof(displacement));
	displacement -= MARK_MAGIC;
	return displacement <= MARK_END ? displacement : 0;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t slot = slot_of(qemu_plugin_insn_vaddr(insn));
		qemu_plugin_u64 counter = { plugin.counters, slot * sizeof(uint64_t) };
		uintptr_t number = slot == USER_SLOT ? mark_of(insn) : 0;

		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn,
								    QEMU_PLUGIN_INLINE_ADD_U64,
								    counter, 1);
		if (number)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       QEMU_PLUGIN_CB_R_REGS,
							       (void *)number);
	}
}

static void on_processor(qemu_plugin_id_t id, unsigned int cpu)
{
	g_autoptr(GArray) registers = qemu_plugin_get_registers();

	(void)id;
	if (cpu)
		fail("the guest has more than one processor");
	for (guint i = 0; i < registers->len; i++) {
		qemu_plugin_reg_descriptor *reg =
			&g_array_index(registers, qemu_plugin_reg_descriptor, i);

		if (!strcmp(reg->name, "rdi"))
			plugin.rdi = reg->handle;
	}
}

static void on_exit_of_emulator(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	if (fclose(plugin.file))
		fail("the figures cannot be written");
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv)
{
	const char *out = NULL;

	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = argv[i] + 4;
		else if (!strncmp(argv[i], "profile=", 8))
			plugin.profile = strdup(argv[i] + 8);
		else
			fail("an unknown argument");
	}
	plugin.file = out ? fopen(out, "w") : NULL;
	if (!plugin.file)
		fail("out=FILE is missing or cannot be written");
	plugin.slots[USER_SLOT].group = MARK_USER;
	plugin.counters = qemu_plugin_scoreboard_new(SLOTS * sizeof(uint64_t));
	qemu_plugin_register_vcpu_init_cb(id, on_processor);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_emulator, NULL);
	return 0;
}
