// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Where QEMU's generic fuzzer starts from: each packet, each fault, and what a guest can do
 * with rings (seeds_rings.c), and with the PCI function and its messages (seeds_function.c).
 *
 * Usage: seeds DIRECTORY
 *
 * Writes an input DIRECTORY/NAME for each seed, and prints its name and what it must reach,
 * separated by tabs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "address-space.h"
#include "image.h"
#include "notice.h"
#include "runner.h"
#include "seeds.h"

#define PACKET		0 /* an address that bad-packets.h has for another test */

/* Packets in one submission. */
struct described {
	const char *name;
	enum quire_fault fault;
	unsigned int mappings; /* of the guest's RAM, for their data */
	bool in_thread;
	void (*build)(struct packets *p);
	unsigned int ring;
};

#define BAD(id, ...)		BUILD(bad_##id, __VA_ARGS__)
#define GOOD(id, ...)		BUILD(good_##id, 0, __VA_ARGS__)
#define LONG			GOOD

#define BUILD(id, fault, mappings, ...) \
	static void id(struct packets *p) { __VA_ARGS__; }
#include "good-packets.h"
#include "good-commands.h"
#include "bad-packets.h"
#undef BAD
#define BAD(id, ...)		BUILD(bad_command_##id, __VA_ARGS__)
#include "bad-commands.h"
#undef BAD
#undef GOOD
#undef LONG

static const struct described described[] = {
#define GOOD(id, mappings, ...) { #id, QUIRE_FAULT_NONE, mappings, false, good_##id, 0 },
#define LONG(id, mappings, ...) { #id, QUIRE_FAULT_NONE, mappings, true, good_##id, 0 },
#include "good-packets.h"
#undef GOOD
#undef LONG
#define GOOD(id, mappings, ...) { #id, QUIRE_FAULT_NONE, mappings, false, good_##id, 1 },
#define LONG(id, mappings, ...) { #id, QUIRE_FAULT_NONE, mappings, true, good_##id, 2 },
#include "good-commands.h"
#define BAD(id, fault, address, ...) { "bad_" #id, QUIRE_FAULT_##fault, 0, false, bad_##id, 0 },
#include "bad-packets.h"
#undef BAD
#define BAD(id, fault, address, ...) \
	{ "bad_command_" #id, QUIRE_FAULT_##fault, 0, false, bad_command_##id, 1 },
#include "bad-commands.h"
};

/* So many packets, each of which is traced, can be more than one slice of a slow machine. */
#define MANY_BYTES	1024

static void seed_described(struct seed *seed, const struct described *what)
{
	enum quire_fault fault = what->fault;
	static struct packets p;

	p.size = 0;
	what->build(&p);
	/* No page of the aperture is mapped: that is found out before what is behind it. */
	if (what->ring && fault == QUIRE_FAULT_DMA)
		fault = QUIRE_FAULT_APERTURE;
	seed->ring = what->ring;
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &p);
	seed_mappings(seed, what->mappings);
	seed_idle(seed, 1);
	seed_enable(seed);
	if (p.size > MANY_BYTES)
		seed_slices(seed);
	if (what->in_thread)
		seed_stop_thread(seed);
	else if (fault)
		seed_reach_fault(seed, fault);
	else
		seed_reach_done(seed);
}

static void write_seed(const char *directory, const char *name, const struct seed *seed)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "wb");
	if (!file || fwrite(seed->bytes, 1, seed->size, file) != seed->size || fclose(file)) {
		perror(path);
		exit(1);
	}
	printf("%s\t%s\n", name, seed->reach);
}

static void write_scenes(const char *directory, const struct scene *scene)
{
	for (; scene->name; scene++) {
		struct seed seed = { 0 };

		scene->build(&seed);
		write_seed(directory, scene->name, &seed);
	}
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: seeds DIRECTORY\n");
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(described); i++) {
		struct seed seed = { 0 };

		seed_described(&seed, &described[i]);
		write_seed(argv[1], described[i].name, &seed);
	}
	write_scenes(argv[1], seeds_rings);
	write_scenes(argv[1], seeds_space);
	write_scenes(argv[1], seeds_function);
	return 0;
}
