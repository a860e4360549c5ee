// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A hundred processes, each with a quarter of video memory, or with what this machine has for
 * each: all submit at once, and all reach their checksums.
 *
 * Usage: quire-test-submit-processes [MIB]
 *   MIB  that each has to have
 */
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"
#include "mirror.h"
#include "xxh64.h"

#define PROCESSES	100
#define OBJECTS		4
#define ROUNDS		3
#define PIECE		(128u << 10)
#define WORDS		(PIECE / sizeof(uint32_t))

/**
 * struct worker - one process
 * @gpu: who executes commands
 * @seed: what the CPU wrote, one piece
 * @objects: of pieces; piece n of all is n + 1 times the seed, and once more for each round
 * @sums: their checksums
 * @pieces: of each object
 */
struct worker {
	struct gpu gpu;
	struct mirror seed;
	struct quire_object *objects[OBJECTS];
	struct quire_object *sums;
	uint32_t pieces;
};

static int worker_create(struct worker *worker, unsigned int number)
{
	const struct quire_object_options seed = { .size = PIECE };
	const struct quire_object_options object = { .size = worker->pieces * PIECE };
	const struct quire_object_options sums = { .size = QUIRE_PAGE };
	int ret = gpu_open(&worker->gpu);

	if (!ret)
		ret = mirror_create(&worker->gpu, &worker->seed, &seed, number);
	for (unsigned int i = 0; i < OBJECTS && !ret; i++)
		ret = quire_object_create(worker->gpu.device, &object, &worker->objects[i]);
	if (!ret)
		ret = quire_object_create(worker->gpu.device, &sums, &worker->sums);
	return ret;
}

static struct quire_location piece(const struct worker *worker, uint32_t n)
{
	return quire_at(worker->objects[n % OBJECTS], (uint64_t)(n / OBJECTS) * PIECE);
}

static void record_start(struct worker *worker)
{
	const struct quire_location seed = quire_at(worker->seed.object, 0);
	struct quire_recorder *recorder = worker->gpu.recorder;

	for (uint32_t n = 0; n < OBJECTS * worker->pieces; n++) {
		quire_recorder_copy(recorder, seed, piece(worker, n), PIECE);
		if (n)
			quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_ADD,
						  piece(worker, n - 1), piece(worker, n), PIECE);
	}
}

static void record_round(struct worker *worker)
{
	const struct quire_location seed = quire_at(worker->seed.object, 0);
	struct quire_recorder *recorder = worker->gpu.recorder;

	for (uint32_t n = 0; n < OBJECTS * worker->pieces; n++) {
		quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_ADD, seed, piece(worker, n),
					  PIECE);
		quire_recorder_checksum(recorder, piece(worker, n), PIECE,
					quire_at(worker->sums, n * sizeof(uint64_t)));
	}
}

/* Of the seed so many times. */
static uint64_t expected(const struct worker *worker, uint32_t times)
{
	static uint32_t numbers[WORDS];
	const uint32_t *seed = (const uint32_t *)worker->seed.bytes;

	for (unsigned int i = 0; i < WORDS; i++)
		numbers[i] = seed[i] * times;
	return xxh64(numbers, PIECE);
}

static int check(const struct worker *worker, uint32_t first, uint32_t last, uint32_t round)
{
	uint64_t *sums;
	void *map;
	int ret = quire_object_map(worker->sums, &map);

	sums = map;
	for (uint32_t n = first; n < last && !ret; n++)
		if (sums[n] != expected(worker, n + 1 + round))
			ret = -EILSEQ;
	return ret;
}

static int work(struct worker *worker, unsigned int number)
{
	const uint32_t all = OBJECTS * worker->pieces;
	int ret;

	record_start(worker);
	ret = gpu_submit(&worker->gpu);
	for (uint32_t round = 1; round <= ROUNDS && !ret; round++) {
		uint32_t some = (number + round) % all;

		record_round(worker);
		ret = gpu_run(&worker->gpu);
		if (!ret && round < ROUNDS)
			ret = check(worker, some, some + 1, round);
	}
	return ret ? ret : check(worker, 0, all, ROUNDS);
}

/* Begins when the pipe is closed. */
static pid_t start(const struct fixture *fixture, uint32_t pieces, unsigned int number,
		   const int *begin)
{
	struct worker worker = { .pieces = pieces };
	pid_t pid = child_start(240);
	char byte;
	int ret;

	if (pid)
		return pid;
	close(begin[1]);
	ret = worker_create(&worker, number);
	worker.gpu.ring = number % fixture->info.execution_rings;
	if (!ret && read(begin[0], &byte, 1))
		ret = -EIO;
	_exit(-(ret ? ret : work(&worker, number)) & 0xff);
}

/* Of each object, so that half of what is free is enough for all; at most what was promised. */
static uint32_t choose_pieces(const struct fixture *fixture)
{
	uint64_t memory = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
	uint64_t bytes = fixture_vram(fixture) / 4;
	uint32_t pieces;

	if (bytes > memory / 2 / PROCESSES)
		bytes = memory / 2 / PROCESSES;
	pieces = bytes / OBJECTS / PIECE;
	return pieces > QUIRE_PAGE / sizeof(uint64_t) / OBJECTS ?
	       QUIRE_PAGE / sizeof(uint64_t) / OBJECTS : pieces;
}

int main(int argc, char **argv)
{
	pid_t pids[PROCESSES];
	struct fixture fixture;
	uint32_t pieces;
	int begin[2];

	tap_start(280);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	pieces = choose_pieces(&fixture);
	if (!pieces)
		tap_skip_all("too little memory");
	if (pipe(begin))
		tap_bail("pipe");
	tap_diag("%u processes of %u KiB each", PROCESSES, OBJECTS * pieces * (PIECE >> 10));
	if (argc == 2)
		tap_ret(OBJECTS * pieces * (PIECE >> 10) >> 10, atoi(argv[1]), "MiB for each");
	for (unsigned int i = 0; i < PROCESSES; i++)
		pids[i] = start(&fixture, pieces, i, begin);
	close(begin[0]);
	close(begin[1]);
	for (unsigned int i = 0; i < PROCESSES; i++)
		tap_ret(child_status(pids[i]), 0, "process %u has reached its checksums", i);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
