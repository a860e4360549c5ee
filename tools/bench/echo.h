/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What any answer of another process takes: a byte through a pipe and one back through a
 * second pipe.
 */
#ifndef QUIRE_BENCH_ECHO_H
#define QUIRE_BENCH_ECHO_H

#include <sys/types.h>

#define ECHO_SAMPLES	201

/**
 * struct echo - a process that answers
 * @pid: of it
 * @to: it reads from there
 * @from: it answers there
 */
struct echo {
	pid_t pid;
	int to;
	int from;
};

void echo_start(struct echo *echo);
void echo_stop(struct echo *echo);
double echo_ping_pong(const struct echo *echo);

#endif
