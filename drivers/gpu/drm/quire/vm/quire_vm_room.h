/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_ROOM_H
#define QUIRE_VM_ROOM_H

#include <linux/types.h>

#include "bo/quire_bo_room.h"

struct mutex;
struct quire_bo;
struct quire_vm;

/**
 * struct quire_vm_attempt - work that needs room for what is bound
 * @vm: the address space; who calls has a reference
 * @try: makes one try, with nothing reserved before and after: 0, or an error, then nothing
 *       has changed but places
 * @lock: held in each try, but not while others are waited for; taken before turns; or NULL
 * @alone: nobody else takes room meanwhile; set by quire_vm_attempt_run(), as all below
 * @interruptible: waits end with -ERESTARTSYS on a signal
 * @refused: address where an object is bound that is the reason of an error; else all ones
 * @hopeless: after -ENOSPC: there would be no room either if there was nothing else
 * @busy: after -EAGAIN: others are at work with it, and it has to move; with a reference
 * @tries: to find room
 */
struct quire_vm_attempt {
	struct quire_vm *vm;
	int (*try)(struct quire_vm_attempt *attempt);
	struct mutex *lock; /* around tries */
	bool alone;
	bool interruptible;
	u64 refused;
	bool hopeless;
	struct quire_bo *busy;
	struct quire_room_tries tries;
};

int quire_vm_attempt_run(struct quire_vm_attempt *attempt);
int quire_vm_attempt_place(struct quire_vm_attempt *attempt, struct quire_bo *bo);
bool quire_vm_can_place(const struct quire_bo *bo);

#endif
