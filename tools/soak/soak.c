// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Starts the processes, tells how far they are, stops them, and says what they found. */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "debugfs.h"
#include "random.h"
#include "soak.h"

#define MAX_PROCESSES	64
#define PROGRESS_S	10
#define WAIT_S		100	/* ends only what hangs */

static const char usage[] =
	"Usage: quire-soak [OPTIONS]\n"
	"Uses the device at random and compares what objects hold with a model.\n"
	"  --seconds N     stop after N seconds (0: at SIGTERM or SIGINT), or up to 100 later,\n"
	"                  when something of each kind was compared\n"
	"  --processes N   so many at once (4)\n"
	"  --mib N         of objects, all processes together (twice the VRAM)\n"
	"  --seed N        of what is done (1)\n"
	"  --faults        the device hangs, faults and loses interrupts meanwhile\n"
	"Exit status: 0 if nothing differed, failed or stayed behind.\n";

/**
 * struct soak - all of it
 * @seconds: to go on; 0 until a signal
 * @processes: how many
 * @bytes: of all objects
 * @seed: of what is done
 * @faults: inject them
 * @divides: it can say how submissions are divided
 * @fd: render node
 * @info: of the device
 * @before: usage of the device in the beginning
 * @debugfs: the driver's directory
 * @hang_period: the driver's parameter before the run; empty if the run does not change it
 * @shared: what the processes see
 */
struct soak {
	unsigned long seconds;
	unsigned long processes;
	uint64_t bytes;
	uint64_t seed;
	bool faults;
	bool divides;
	int fd;
	struct drm_quire_device_info info;
	struct drm_quire_segment_info before[QUIRE_SEGMENTS];
	char debugfs[64];
	char hang_period[16];
	struct {
		volatile bool stop;
		struct soak_counts counts[MAX_PROCESSES];
	} *shared;
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	stopped = number;
}

static void die(const char *what)
{
	fprintf(stderr, "soak: %s\n", what);
	exit(2);
}

static uint64_t parse_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	if (!*end && end != text && *text != '-' && value >= least && value <= most)
		return value;
	fprintf(stderr, "soak: %s: '%s' is not a number from %" PRIu64 " to %" PRIu64
		"; see quire-soak --help\n", option, text, least, most);
	exit(2);
}

static void parse_option(struct soak *soak, int option, const char *value)
{
	switch (option) {
	case 's':
		soak->seconds = parse_number("--seconds", value, 0, 1000000000);
		break;
	case 'p':
		soak->processes = parse_number("--processes", value, 1, MAX_PROCESSES);
		break;
	case 'm':
		soak->bytes = parse_number("--mib", value, 1, 1 << 20) * QUIRE_MIB;
		break;
	case 'r':
		soak->seed = parse_number("--seed", value, 0, UINT64_MAX);
		break;
	case 'f':
		soak->faults = true;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(EXIT_SUCCESS);
	default:
		/* getopt_long() has named the option, and said what is wrong */
		die("see quire-soak --help");
	}
}

static void parse(struct soak *soak, int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", 1, NULL, 's' }, { "processes", 1, NULL, 'p' },
		{ "mib", 1, NULL, 'm' },     { "seed", 1, NULL, 'r' },
		{ "faults", 0, NULL, 'f' },  { "help", 0, NULL, 'h' }, { 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		parse_option(soak, option, optarg);
	if (optind == argc)
		return;
	fprintf(stderr, "soak: %s: unknown argument; see quire-soak --help\n", argv[optind]);
	exit(2);
}

static void open_device(struct soak *soak)
{
	soak->fd = quire_open();
	if (soak->fd < 0 || quire_query_device(soak->fd, &soak->info) ||
	    quire_query_segments(soak->fd, soak->before))
		die("there is no quire device; load the driver");
	if (debugfs_find(soak->fd, soak->debugfs, sizeof(soak->debugfs)) && soak->faults)
		die("faults need debugfs, and root");
	if (!soak->bytes)
		soak->bytes = 2 * soak->before[DRM_QUIRE_SEGMENT_VRAM].size;
	soak->shared = mmap(NULL, sizeof(*soak->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (soak->shared == MAP_FAILED)
		die("there is no memory");
}

/*
 * Without faults the device stands still only as long as a busy host lets it: no context may end
 * for that.
 */
static void patience_begin(struct soak *soak)
{
	char ms[16];

	if (soak->faults || sysfs_parameter_read("hang_period", soak->hang_period,
						 sizeof(soak->hang_period)) <= 0)
		return;
	snprintf(ms, sizeof(ms), "%u", WAIT_S * 1000);
	sysfs_parameter_write("hang_period", ms);
}

static void patience_end(const struct soak *soak)
{
	if (*soak->hang_period)
		sysfs_parameter_write("hang_period", soak->hang_period);
}

static pid_t start(struct soak *soak, unsigned int i)
{
	struct soak_worker worker = {
		.number = i + 1,
		.bytes = soak->bytes / soak->processes,
		.random = soak->seed * MAX_PROCESSES + i,
		.stop = &soak->shared->stop,
		.counts = &soak->shared->counts[i],
		.faults = soak->faults,
	};
	pid_t pid = fork();

	if (pid < 0)
		die("fork failed");
	if (pid)
		return pid;
	/* Who stops us tells our parent. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	close(soak->fd);
	_exit(soak_work(&worker) ? EXIT_FAILURE : EXIT_SUCCESS);
}

static struct soak_counts sum(const struct soak *soak)
{
	struct soak_counts sum = { 0 };

	for (unsigned int i = 0; i < soak->processes; i++) {
		sum.steps += soak->shared->counts[i].steps;
		sum.bytes += soak->shared->counts[i].bytes;
		sum.differ += soak->shared->counts[i].differ;
		sum.refused += soak->shared->counts[i].refused;
		sum.submitted += soak->shared->counts[i].submitted;
		sum.divided += soak->shared->counts[i].divided;
		sum.ended += soak->shared->counts[i].ended;
		for (unsigned int kind = 0; kind < SOAK_KINDS; kind++)
			sum.kinds[kind] += soak->shared->counts[i].kinds[kind];
	}
	return sum;
}

/* Something that hardware does, soon. */
static void inject(struct soak *soak, uint64_t *random)
{
	static const char * const kinds[] = {
		"hang", "fault", "drop-irq", "ring 0 hang", "ring 0 fault",
	};
	char text[32];

	snprintf(text, sizeof(text), "%s %" PRIu64, kinds[random_below(random, ARRAY_SIZE(kinds))],
		 1 + random_below(random, 100));
	if (debugfs_write(soak->debugfs, "inject", text))
		fprintf(stderr, "soak: the device does not take '%s'\n", text);
}

/* From now on: not at all but where it has to be, somewhere, or wherever that can be. */
static void divide(struct soak *soak, uint64_t *random)
{
	uint64_t way = random_below(random, 3);
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, way == 1 ? 1 + random_below(random, 1000) : 0);
	soak->divides = !debugfs_option_write("split_seed", seed) &&
			!debugfs_option_write("split_every_point", way == 2 ? "1" : "0");
}

/* How much of what the device can do was not seen yet? */
static unsigned int missed(const struct soak *soak)
{
	struct soak_counts all = sum(soak);
	unsigned int count = 0;

	for (unsigned int i = 0; i < soak->processes; i++)
		count += !soak->shared->counts[i].bytes;
	for (unsigned int kind = 0; kind < SOAK_KINDS; kind++)
		count += kind_is_there(&soak->info, kind) && !all.kinds[kind];
	if (soak->info.execution_rings)
		count += (all.submitted == all.divided) + (soak->divides && !all.divided);
	return count;
}

/* A slow machine gets more time, until all was seen. */
static void watch(struct soak *soak)
{
	uint64_t random = soak->seed;
	unsigned long end = 0;

	for (unsigned long second = 1; !end || (second < end && missed(soak)); second++) {
		divide(soak, &random);
		sleep(1);
		if (soak->faults && !random_below(&random, 5))
			inject(soak, &random);
		if (second % PROGRESS_S == 0) {
			struct soak_counts now = sum(soak);

			fprintf(stderr, "soak: %lu s, %" PRIu64 " operations, %" PRIu64
				" MiB compared, %" PRIu64 " differ\n", second, now.steps,
				now.bytes / QUIRE_MIB, now.differ);
		}
		if (!end && (stopped || second == soak->seconds))
			end = second + WAIT_S;
	}
	debugfs_option_write("split_seed", "0");
	debugfs_option_write("split_every_point", "0");
	soak->shared->stop = true;
}

/* Returns how many processes did not end well. */
static unsigned int collect(struct soak *soak, const pid_t *pids)
{
	unsigned int failed = 0;
	int status;

	for (unsigned int i = 0; i < soak->processes; i++) {
		while (waitpid(pids[i], &status, 0) != pids[i])
			continue;
		if (WIFSIGNALED(status))
			fprintf(stderr, "soak: process %u: killed by signal %d (%s)\n", i + 1,
				WTERMSIG(status), strsignal(WTERMSIG(status)));
		else if (!soak->shared->counts[i].bytes)
			fprintf(stderr, "soak: process %u: compared nothing\n", i + 1);
		failed += !!status;
	}
	return failed;
}

static void report(const struct soak *soak, const struct soak_counts *all)
{
	for (unsigned int kind = 0; kind < SOAK_KINDS; kind++)
		if (kind_is_there(&soak->info, kind))
			fprintf(stderr, "soak: %s: %" PRIu64 " bytes compared\n",
				kind_name(kind), all->kinds[kind]);
	if (soak->info.execution_rings)
		fprintf(stderr, "soak: %" PRIu64 " submissions, %" PRIu64
			" of them in parts, %" PRIu64 " contexts ended\n", all->submitted,
			all->divided, all->ended);
}

/* Bytes of any segment that are in use and were not before. */
static uint64_t left_behind(const struct soak *soak)
{
	struct drm_quire_segment_info now[QUIRE_SEGMENTS];
	uint64_t left = 0;

	if (quire_query_segments(soak->fd, now))
		return UINT64_MAX;
	for (unsigned int i = 0; i < QUIRE_SEGMENTS; i++) {
		if (now[i].usage > soak->before[i].usage)
			left += now[i].usage - soak->before[i].usage;
	}
	return left;
}

static uint64_t settle(const struct soak *soak)
{
	int64_t end = quire_now_ns() + WAIT_S * 1000000000ll;
	const struct timespec moment = { .tv_nsec = 20000000 };
	uint64_t left;

	while ((left = left_behind(soak)) && quire_now_ns() < end)
		nanosleep(&moment, NULL);
	return left;
}

int main(int argc, char **argv)
{
	struct soak soak = { .processes = 4, .seed = 1 };
	pid_t pids[MAX_PROCESSES];
	struct soak_counts all;
	unsigned int failed;
	uint64_t left;
	int64_t begin;

	parse(&soak, argc, argv);
	open_device(&soak);
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	begin = quire_now_ns();
	patience_begin(&soak);
	for (unsigned int i = 0; i < soak.processes; i++)
		pids[i] = start(&soak, i);
	watch(&soak);
	failed = collect(&soak, pids);
	left = settle(&soak);
	patience_end(&soak);
	all = sum(&soak);
	report(&soak, &all);
	printf("quire-soak: %" PRIu64 " operations in %" PRId64 " s, %" PRIu64
	       " bytes compared: %" PRIu64 " differ; %u of %lu processes failed, %" PRIu64
	       " operations refused, %" PRIu64 " bytes left behind\n",
	       all.steps, (quire_now_ns() - begin) / 1000000000, all.bytes, all.differ, failed,
	       soak.processes, all.refused, left);
	return all.differ || failed || missed(&soak) || left ? EXIT_FAILURE : EXIT_SUCCESS;
}
