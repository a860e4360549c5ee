// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Looks at work: it goes on, watchdogs find what hangs, and interrupts tell those that wait. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armed.h"
#include "dump.h"
#include "fdinfo.h"

#define MOVES		4u
#define DELAYS		12u
#define DELAY_NS	250000000ull	/* less than a ring may stand still */
#define FOREVER_NS	3600000000000ull
#define NOTHING		0x200000000ull	/* where nothing is bound */
#define FIRST_REGISTER	3u
#define FIRST_RESULT	16u		/* of a register */

/* Commands without objects: an event that evicts everything does not wait for them. */
static void begin_work(struct armed *armed)
{
	struct quire_recorder *recorder = armed->work.recorder;

	armed->charged = fdinfo_statistic(armed->work.fixture.fd, "drm-engine-execution");
	for (uint32_t i = 0; i < armed_rings(armed); i++) {
		struct quire_fence **fences = armed->begun[i];

		for (unsigned int k = 0; k < 3; k++)
			fences[k] = work_fence(&armed->work);
		armed->bad[i] = work_context(&armed->work);
		for (unsigned int k = 0; k < DELAYS; k++)
			quire_recorder_delay(recorder, DELAY_NS);
		armed_queue(armed, armed->context, i, fences[0]);
		quire_recorder_delay(recorder, FOREVER_NS);
		armed_queue(armed, armed->bad[i], i, fences[1]);
		quire_recorder_nop(recorder, 8);
		armed_queue(armed, armed->context, i, fences[2]);
	}
}

/*
 * The first look: no other one has given the rings work, which would arm their watchdogs. Some of
 * the work may have ended with the event.
 */
static bool work_ends(struct armed *armed)
{
	const uint64_t before = armed_interrupts(armed);
	bool ok = true, ends = false;

	armed_patience(ARMED_PERIOD_MS);
	for (uint32_t i = 0; i < armed_rings(armed); i++) {
		struct quire_fence **fences = armed->begun[i];

		ends |= quire_fence_wait(fences[2], 0, 0) == -ETIME;
		ok &= succeeds(work_fence_wait(fences[0]), "what was at work") &&
		      holds(work_fence_wait(fences[1]) == -EIO, "what hangs ends") &&
		      holds(work_context_status(armed->bad[i]) == DRM_QUIRE_CONTEXT_HUNG,
			    "its context has hung") &&
		      succeeds(work_fence_wait(fences[2]), "what is behind it");
		for (unsigned int k = 0; k < 3; k++)
			quire_fence_close(fences[k]);
		quire_context_destroy(armed->bad[i]);
	}
	armed_patience(WORK_PATIENCE_MS);
	return ok && (!ends || armed_interrupted(armed, before)) &&
	       holds(fdinfo_statistic(armed->work.fixture.fd, "drm-engine-execution") >=
		     armed->charged + armed_rings(armed) * DELAYS * DELAY_NS,
		     "all of it is charged");
}

static bool moves_are_done(struct armed *armed)
{
	bool ok = true;

	for (unsigned int i = 0; i < MOVES; i++) {
		const uint64_t before = armed_interrupts(armed);

		ok &= armed_moves_are_right(armed) && armed_interrupted(armed, before);
	}
	return ok;
}

static bool submissions_are_done(struct armed *armed)
{
	bool ok = true;

	for (uint32_t i = 0; i < armed_rings(armed); i++) {
		const uint64_t before = armed_interrupts(armed), number = ++armed->number;

		quire_recorder_write_value(armed->work.recorder, quire_at(armed->result, 0),
					   number);
		ok &= succeeds(armed_run(armed, i), "commands") &&
		      armed_interrupted(armed, before) &&
		      holds(work_number(armed->result, 0) == number, "they were executed");
	}
	return ok;
}

static bool execs_are_done(struct armed *armed)
{
	struct space *space = &armed->space;
	bool ok = true;

	for (space->ring = 0; space->ring < armed_rings(armed); space->ring++) {
		const uint64_t before = armed_interrupts(armed), number = ++armed->number;

		quire_write_value(&space->writer, SPACE_RESULTS, number);
		ok &= succeeds(space_run(space), "commands") &&
		      armed_interrupted(armed, before) &&
		      holds(space->results[0] == number, "they were executed");
	}
	space->ring = 0;
	return ok;
}

static void set_registers(struct armed *armed)
{
	chain_inputs(&armed->space, ARMED_KEY);
	for (uint32_t i = 0; i < armed_rings(armed); i++) {
		armed->chains[i] = (struct chain){
			.space = &armed->space, .context = armed->space.context, .ring = i,
			.number = FIRST_REGISTER + i, .result = FIRST_RESULT + i,
		};
		if (!chain_goes_on(&armed->chains[i]))
			tap_bail("registers");
	}
}

/* In another place, if they had to leave. */
static bool registers_are_kept(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;
	bool ok = succeeds(object_place_and_wait(fixture, &armed->moves, &places[2]), "place");

	for (uint32_t i = 0; i < armed_rings(armed); i++)
		ok &= chain_goes_on(&armed->chains[i]);
	return ok;
}

/**
 * armed_hang - have commands executed that do not end
 * @armed: all that there is
 * @ring: where
 *
 * Returns: was that noticed, and are others executed then?
 */
bool armed_hang(struct armed *armed, uint32_t ring)
{
	struct quire_context *bad = work_context(&armed->work);
	struct quire_fence *hangs = work_fence(&armed->work), *behind = work_fence(&armed->work);
	bool ok;

	quire_recorder_delay(armed->work.recorder, FOREVER_NS);
	armed_queue(armed, bad, ring, hangs);
	quire_recorder_nop(armed->work.recorder, 8);
	armed_queue(armed, armed->context, ring, behind);
	armed_patience(ARMED_PERIOD_MS);
	ok = holds(work_fence_wait(hangs) == -EIO, "what hangs ends") &&
	     holds(work_context_status(bad) == DRM_QUIRE_CONTEXT_HUNG, "its context has hung") &&
	     succeeds(work_fence_wait(behind), "what is behind it");
	armed_patience(WORK_PATIENCE_MS);
	quire_fence_close(hangs);
	quire_fence_close(behind);
	quire_context_destroy(bad);
	return ok;
}

static bool hangs_are_noticed(struct armed *armed)
{
	bool ok = true;

	for (uint32_t i = 0; i < armed_rings(armed); i++)
		ok &= armed_hang(armed, i);
	return ok;
}

static bool hang_of_moves_is_noticed(struct armed *armed)
{
	bool ok = succeeds(armed_inject(armed, "hang 1"), "inject");

	armed_patience(ARMED_PERIOD_MS);
	ok &= armed_moves_are_right(armed);
	armed_patience(WORK_PATIENCE_MS);
	return ok;
}

/* Of each ring its own. */
static bool dumps_are_kept(struct armed *armed)
{
	static char text[16384];
	bool ok = true;
	char line[32];

	for (uint32_t i = 0; i < armed_rings(armed); i++) {
		snprintf(line, sizeof(line), "\nring: %u\n", i + 1);
		dump_forget();
		ok &= armed_hang(armed, i) &&
		      holds(dump_wait(text, sizeof(text)) && strstr(text, line),
			    "there is a dump of it");
	}
	return ok;
}

/* Those that tell of faults, of all processors; a little later where another one has them. */
static uint64_t fault_interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	uint64_t count = 0;
	char line[1024];

	if (!file)
		tap_bail("/proc/interrupts");
	while (fgets(line, sizeof(line), file)) {
		char *next = strchr(line, ':'), *at = NULL;

		/* a number of each processor, then text */
		if (next && strstr(line, "quire-fault"))
			for (next++; next != at; count += strtoull(at, &next, 10))
				at = next;
	}
	fclose(file);
	return count;
}

static bool fault_interrupted(uint64_t before)
{
	const int64_t end = quire_now_ns() + INTERRUPT_MS * 1000000ll;

	while (fault_interrupts() == before && quire_now_ns() < end)
		test_sleep_ms(10);
	return holds(fault_interrupts() > before, "an interrupt tells of the fault");
}

static bool faults_are_reported(struct armed *armed)
{
	struct space *space = &armed->space;
	bool ok = true;

	for (space->ring = 0; space->ring < armed_rings(armed); space->ring++) {
		const uint64_t before = fault_interrupts();

		ok &= holds(space_faults(space, NOTHING), "the context says where") &&
		      fault_interrupted(before);
	}
	space->ring = 0;
	return ok;
}

static bool fault_of_moves_is_noticed(struct armed *armed)
{
	const uint64_t before = fault_interrupts();

	return succeeds(armed_inject(armed, "fault 1"), "inject") && armed_moves_are_right(armed) &&
	       fault_interrupted(before);
}

static void wait_for_native(struct armed *armed)
{
	native_open(&armed->native, &armed->space, 1);
	if (native_signal(&armed->space, &armed->native, 2) ||
	    !native_known(&armed->work, armed->native.number, &armed->known, NULL))
		tap_bail("native fence");
	armed->waiters[1] = monitored_start_waiter(&armed->native.base, 3);
}

static bool native_wakes(struct armed *armed)
{
	const uint64_t told = native_interrupts(&armed->work), before = armed_interrupts(armed);
	struct native_known known = { 0 };
	bool ok;

	ok = succeeds(native_signal(&armed->space, &armed->native, 3), "signal") &&
	     succeeds(-child_status(armed->waiters[1]), "the one that has waited") &&
	     holds(native_interrupts(&armed->work) == told + 1, "the device has told of it") &&
	     armed_interrupted(armed, before) &&
	     holds(native_known(&armed->work, armed->native.number, &known, NULL),
		   "the device knows the fence") &&
	     holds(known.owner == armed->known.owner, "and its owner") &&
	     holds(known.monitored - known.value == armed->known.monitored - armed->known.value,
		   "and both of its values");
	monitored_close(&armed->native.base);
	return ok;
}

static void wait_for_monitored(struct armed *armed)
{
	monitored_open(&armed->monitored, armed->work.fixture.fd, 1);
	armed->waiters[0] = monitored_start_waiter(&armed->monitored, 2);
}

/* Behind commands of the last ring, which interrupt, too; then alone. */
static bool monitored_wakes(struct armed *armed)
{
	struct quire_fence *fence = work_fence(&armed->work);
	const struct drm_quire_sync sync = {
		.handle = quire_fence_syncobj(fence), .flags = DRM_QUIRE_SYNC_WAIT,
	};
	uint64_t before;
	bool ok;

	quire_recorder_nop(armed->work.recorder, 8);
	armed_queue(armed, armed->context, armed_rings(armed) - 1, fence);
	ok = succeeds(monitored_signal_syncs(&armed->monitored, 2, &sync, 1), "signal") &&
	     succeeds(-child_status(armed->waiters[0]), "the one that has waited") &&
	     holds(monitored_value(&armed->monitored) == 2, "the value is there");
	before = armed_interrupts(armed);
	ok = ok && succeeds(monitored_signal(&armed->monitored, 3), "signal again") &&
	     succeeds(monitored_wait(&armed->monitored, 3, WORK_PATIENCE_MS), "a wait for it") &&
	     armed_interrupted(armed, before);
	quire_fence_close(fence);
	monitored_close(&armed->monitored);
	return ok;
}

static bool engines_count(struct armed *armed)
{
	const int fd = armed->work.fixture.fd;
	const uint64_t paging = fdinfo_statistic(fd, "drm-engine-paging");
	const uint64_t execution = fdinfo_statistic(fd, "drm-engine-execution");
	bool ok;

	quire_recorder_delay(armed->work.recorder, DELAY_NS);
	ok = succeeds(armed_run(armed, 0), "a delay") && armed_moves_are_right(armed);
	return ok && holds(fdinfo_statistic(fd, "drm-engine-paging") > paging, "a move counts") &&
	       holds(fdinfo_statistic(fd, "drm-engine-execution") >= execution + DELAY_NS,
		     "commands count");
}

static const char *const counters[ARMED_COUNTERS] = {
	"system->vram", "vram->system", "TRANSFER", "NOTIFY_RESIDENCY", "submissions", "doorbells",
	"interrupts",
};

static void count(struct armed *armed)
{
	for (unsigned int i = 0; i < ARMED_COUNTERS; i++)
		armed->counters[i] = fixture_count(&armed->work.fixture, counters[i]);
}

/* None began anew with the event. What the device counts does. Twice: it may be in VRAM yet. */
static bool statistics_count(struct armed *armed)
{
	const struct fixture *fixture = &armed->work.fixture;
	struct device_packets before = { 0 }, after = { 0 };
	bool ok;

	ok = succeeds(device_packets_read(fixture->debugfs, &before), "device_packets") &&
	     armed_moves_are_right(armed) && armed_moves_are_right(armed) &&
	     succeeds(device_packets_read(fixture->debugfs, &after), "device_packets");
	for (unsigned int i = 0; i < ARMED_COUNTERS; i++)
		ok &= holds(fixture_count_reaches(fixture, counters[i], armed->counters[i] + 1,
						  INTERRUPT_MS), counters[i]);
	return ok && holds(after.packets > before.packets, "packets");
}

const struct look armed_work_looks[ARMED_WORK_LOOKS] = {
	{ "what was at work goes on, and is watched", 0, begin_work, work_ends },
	{ "registers are kept", 0, set_registers, registers_are_kept },
	{ "statistics go on", ARMED_COPIES, count, statistics_count },
	{ "moves are done, and told of", ARMED_COPIES, NULL, moves_are_done },
	{ "submissions are done, and told of", 0, NULL, submissions_are_done },
	{ "commands with addresses are done, and told of", 0, NULL, execs_are_done },
	{ "a native fence is signalled, and told of", 0, wait_for_native, native_wakes },
	{ "a monitored fence is signalled, and told of", 0, wait_for_monitored, monitored_wakes },
	{ "hangs of commands are noticed", 0, NULL, hangs_are_noticed },
	{ "a hang of moves is noticed", ARMED_INJECTION, NULL, hang_of_moves_is_noticed },
	{ "a dump of the next hang is kept", 0, NULL, dumps_are_kept },
	{ "faults of commands are told, with their address", 0, NULL, faults_are_reported },
	{ "a fault of moves is told", ARMED_INJECTION, NULL, fault_of_moves_is_noticed },
	{ "engines are charged", ARMED_COPIES, NULL, engines_count },
};
