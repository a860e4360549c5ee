/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An address space, as tests use it. Whatever should not fail and does ends the test. */
#ifndef QUIRE_TEST_SPACE_H
#define QUIRE_TEST_SPACE_H

#include "work.h"

/* Where commands and results are bound, far from what tests bind. */
#define SPACE_COMMANDS		0x7f0000000000ull
#define SPACE_COMMANDS_SIZE	(64u << 10)
#define SPACE_RESULTS		(SPACE_COMMANDS + SPACE_COMMANDS_SIZE)
#define SPACE_RESULTS_SIZE	(16u << 10)

/* No content is that. */
#define SPACE_NO_HASH		0x6e6f2068617368ull

/**
 * struct space - an address space with commands in it
 * @work: the device
 * @vm: the address space
 * @context: that has it
 * @ring: that executes
 * @buffer: commands, and behind them results; in the aperture, so that VRAM is the test's
 * @writer: of what is executed next, and of what was and may be at work yet
 * @begin: byte of the first command that is not executed yet
 * @results: behind the commands
 * @fence: of space_run()
 * @refused: address that the last call was refused for
 */
struct space {
	struct work *work;
	struct quire_vm *vm;
	struct quire_context *context;
	uint32_t ring;
	struct quire_object *buffer;
	struct quire_writer writer;
	uint32_t begin;
	uint64_t *results;
	struct quire_fence *fence;
	uint64_t refused;
};

void space_open(struct space *space, struct work *work);
void space_close(struct space *space);
void space_renew_context(struct space *space);
struct quire_context *space_context(const struct space *space);

void space_map(const struct space *space, uint64_t address, const struct quire_object *object,
	       uint64_t offset, uint64_t size);
int space_bind(const struct space *space, uint32_t operation, uint32_t flags, uint64_t address,
	       uint64_t size);
int space_bind_queued(struct quire_vm *vm, const struct drm_quire_bind *bind, uint32_t queue,
		      const struct quire_fence *wait, const struct quire_fence *signal);
void space_unmap(const struct space *space, uint64_t address, uint64_t size);

struct quire_object *space_object(const struct space *space, uint64_t size, uint32_t classes,
				  bool is_private);
void space_soil(struct quire_object *object, uint64_t key);
void *space_bytes(struct quire_object *object);

void space_rewind(struct space *space);
int space_exec(struct space *space, const struct quire_fence *wait,
	       const struct quire_fence *signal);
int space_run(struct space *space);
uint64_t space_hash(struct space *space, uint64_t address, uint64_t size);
bool space_has(struct space *space, uint64_t address, const void *bytes, uint64_t size);
bool space_is_zero(struct space *space, uint64_t address, uint64_t size);
bool space_faults(struct space *space, uint64_t address);

uint64_t spaces_executed(const struct fixture *fixture, unsigned int opcode);
void spaces_junk(struct work *work);

#endif
