/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SUBMIT_OBJECT_H
#define QUIRE_SUBMIT_OBJECT_H

#include <linux/types.h>

struct quire_submit;

/**
 * struct quire_submit_goal - where an object shall go
 * @address: there, or %QUIRE_SPLIT_ANYWHERE
 * @must: nowhere else, and who is there has to leave; or else only if it is free
 */
struct quire_submit_goal {
	u64 address;
	bool must;
};

bool quire_submit_object_is_placed(struct quire_submit *submit, u32 index);
bool quire_submit_object_must_move(struct quire_submit *submit, u32 index);
bool quire_submit_object_must_wait(struct quire_submit *submit, u32 index);
int quire_submit_object_refuse(struct quire_submit *submit, u32 index, int error,
			       const char *why);
int quire_submit_object_refuse_room(const struct quire_submit *submit, u32 index);
int quire_submit_claim(struct quire_submit *submit);
void quire_submit_unclaim(struct quire_submit *submit);
int quire_submit_object_place(struct quire_submit *submit, u32 index,
			      struct quire_submit_goal goal);
int quire_submit_object_evict(struct quire_submit *submit, u32 index);
u32 quire_submit_exec_flags(bool interruptible);
int quire_submit_wait_before(struct quire_submit *submit);

#endif
