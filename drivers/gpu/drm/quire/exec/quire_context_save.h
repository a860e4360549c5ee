/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_CONTEXT_SAVE_H
#define QUIRE_CONTEXT_SAVE_H

struct quire_context;
struct quire_vm_attempt;

int quire_context_save_validate(struct quire_context *context, struct quire_vm_attempt *attempt);
int quire_context_save_error(struct quire_context *context, unsigned long tell);

#endif
