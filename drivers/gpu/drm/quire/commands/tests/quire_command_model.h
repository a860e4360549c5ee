/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMAND_MODEL_H
#define QUIRE_COMMAND_MODEL_H

#include "../quire_command_check.h"

/* Objects of the model are smaller. */
#define QUIRE_MODEL_OBJECT_MAX	0x1000000000000000ull

const char *quire_command_model(const struct quire_command_list *list);

#endif
