/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What commands have in common on the command line. */
#ifndef QUIRE_OPTIONS_H
#define QUIRE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

int usage(const char *what, const char *why);
int usage_option(int option, char **argv);
int parse_number(const char *option, const char *text, uint64_t least, uint64_t most,
		 uint64_t *value);
int parse_progress(const char *text, bool *progress);

_Noreturn void print_help(void);
int draw_command(int argc, char **argv);
int split_command(int argc, char **argv);

#endif
