// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How many binds an address space takes, of a page each, to an object that stays in VRAM: one a
 * call, and 1,024 a call, to the end of each call; and one a call in a bind queue, to the end of
 * all. Beside a query, which the driver answers by itself, and the answer of another process.
 */
#include <stdio.h>
#include <stdlib.h>

#include "echo.h"
#include "guest.h"
#include "measure.h"
#include "program.h"

#define ROUNDS		7
#define BATCH		1024u
#define SINGLES		256u	/* calls that are timed together */
#define BATCHES		8u
#define BASE		0x100000000ull

/**
 * struct binder - an address space and what is bound there
 * @program: the device, and a timeline
 * @vm: the address space
 * @binds: each leads to another page of the object; no two of them lie side by side
 */
struct binder {
	struct program program;
	struct quire_vm *vm;
	struct drm_quire_bind binds[BATCH];
};

/* Also of what was bound there before: it was another page. */
static void lead(struct binder *binder, unsigned int by)
{
	for (unsigned int i = 0; i < BATCH; i++)
		binder->binds[i].offset = (i + by) % BATCH * QUIRE_PAGE;
}

static void open_binder(struct binder *binder, struct quire_object *object)
{
	for (unsigned int i = 0; i < BATCH; i++)
		binder->binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = BASE + 2 * i * QUIRE_PAGE,
			.size = QUIRE_PAGE,
			.handle = quire_object_handle(object),
		};
	guest_must(quire_vm_create(binder->program.device, &binder->vm), "address space");
	lead(binder, 0);
	guest_must(quire_vm_bind(binder->vm, binder->binds, BATCH, NULL, NULL), "bind");
}

/* Microseconds of a bind; @each: of a call. */
static double bind_calls(struct binder *binder, unsigned int count, unsigned int each,
			 unsigned int round)
{
	double begin;

	lead(binder, round + 1);
	begin = measure_now();
	for (unsigned int i = 0; i < count; i++)
		guest_must(quire_vm_bind(binder->vm, binder->binds + i * each % BATCH, each, NULL,
					 NULL), "bind");
	return (measure_now() - begin) * 1e6 / count / each;
}

/* The same, one a call, which does not wait: the last of them is waited for. */
static double bind_queued(struct binder *binder, unsigned int round)
{
	struct quire_fence_point end = { .fence = binder->program.done };
	const struct quire_binding how = { .nr_signals = 1, .signals = &end };
	double begin;

	lead(binder, round + 1);
	begin = measure_now();
	for (unsigned int i = 0; i < SINGLES; i++) {
		end.point = ++binder->program.submitted;
		guest_must(quire_vm_bind(binder->vm, &binder->binds[i], 1, &how, NULL), "bind");
	}
	program_wait(&binder->program, end.point);
	return (measure_now() - begin) * 1e6 / SINGLES;
}

/* Microseconds of a call that the driver answers at once. */
static double query(const struct guest *guest)
{
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	double begin = measure_now();

	for (unsigned int i = 0; i < SINGLES; i++)
		guest_must(quire_query_segments(guest->fd, segments), "query");
	return (measure_now() - begin) * 1e6 / SINGLES;
}

enum { SINGLE, QUEUED, BATCHED, IOCTL, PIPE, TIMES };

static void print_ratio(const char *name, double times[TIMES][ROUNDS], int above, int below)
{
	double ratios[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		ratios[i] = times[above][i] / times[below][i];
	measure_print(name, measure_median(ratios, ROUNDS), "ratio");
}

static void print_rate(const char *name, double *us)
{
	measure_print(name, 1e6 / measure_median(us, ROUNDS), "/s");
}

/* Ratios first: a median puts times in order. */
static void print(double times[TIMES][ROUNDS])
{
	print_ratio("bind_per_pipe", times, SINGLE, PIPE);
	print_ratio("bind_per_ioctl", times, SINGLE, IOCTL);
	print_ratio("bind_queued_per_single", times, SINGLE, QUEUED);
	print_ratio("bind_batch_per_single", times, SINGLE, BATCHED);
	print_rate("bind_single_rate", times[SINGLE]);
	print_rate("bind_queued_rate", times[QUEUED]);
	print_rate("bind_batch_rate", times[BATCHED]);
}

void guest_bind(struct guest *guest)
{
	static struct binder binder;
	double times[TIMES][ROUNDS];
	struct quire_object *object;
	struct echo echo;

	echo_start(&echo);
	program_open(&binder.program, 0);
	object = program_object(&binder.program, BATCH * QUIRE_PAGE);
	open_binder(&binder, object);
	for (int i = 0; i < ROUNDS; i++) {
		times[PIPE][i] = echo_ping_pong(&echo);
		times[IOCTL][i] = query(guest);
		times[SINGLE][i] = bind_calls(&binder, SINGLES, 1, 3 * i);
		times[QUEUED][i] = bind_queued(&binder, 3 * i + 1);
		times[BATCHED][i] = bind_calls(&binder, BATCHES, BATCH, 3 * i + 2);
	}
	quire_vm_destroy(binder.vm);
	quire_object_close(object);
	program_close(&binder.program);
	echo_stop(&echo);
	print(times);
}
