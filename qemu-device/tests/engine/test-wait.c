// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: commands that wait. The ring stands still and holds up no other one; it
 * goes on when the value is there, or the machine's time has passed, also in an engine
 * that its state was loaded into.
 */
#include <string.h>

#include "runner.h"
#include "tap.h"

#define VRAM		(64 * PAGE)
#define APERTURE	(16 * PAGE)
#define LOOK		100000u		/* nanoseconds between two looks at a value */
#define BUSY		QUIRE_RING_STATUS_BUSY

static struct packets p;

static struct host *start(struct runner *a, struct runner *b)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_map(&p, 0, 4, 1);
	packet_run(&p, RAM_BASE, 4);
	packet_end(&p);
	packet_map(&p, 4, 4, 0);
	packet_run(&p, RAM_BASE + 4 * PAGE, 4);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	host->memory.time = 5000000;
	runner_start(a, host, 1);
	runner_start(b, host, 2);
	p.size = 0;
	return host;
}

static void pass(struct host *host, uint64_t ns)
{
	host->memory.time += ns;
	host_run(host);
}

/* Does a wait for @value end when there is @there? */
static bool ends(uint16_t flags, uint64_t value, uint64_t there)
{
	struct runner a, b;
	struct host *host = start(&a, &b);
	bool end;

	command_wait_value(&p, flags, IN_VRAM(PAGE), value);
	runner_submit(&a, &p, 1);
	host_put64(host, RAM_BASE, there);
	memcpy(host->memory.vram + PAGE, host_ram(host, RAM_BASE, 8), 8);
	host_run(host);
	end = runner_fence(&a) == 1;
	host_free(host);
	return end;
}

static void test_compare(void)
{
	static const uint64_t values[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32,
					   INT64_MAX, 1ull << 63, UINT64_MAX };
	bool equal = true, greater = true;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			equal &= ends(1, values[i], values[j]) == (i == j);
			greater &= ends(2, values[i], values[j]) == (j >= i);
		}
	}
	ok(equal, "compare: equal");
	ok(greater, "compare: greater or equal, without sign");
}

/* What the ring says of itself while it waits, and that it does nothing. */
static void test_still(void)
{
	struct runner a, b;
	struct host *host = start(&a, &b);
	uint64_t progress;
	unsigned int i;

	command_nop(&p, 1);
	command_wait_value(&p, 1, IN_APERTURE(8), 77);
	command_write_value(&p, IN_VRAM(0), 1);
	runner_submit(&a, &p, 1);
	ok(host_run(host), "still: there is no more to run");
	progress = runner_reg64(&a, 0x40);
	is(host->memory.alarm, 5000000 + LOOK, "still: but later");
	for (i = 0; i < 5; i++) {
		pass(host, LOOK);
		host->memory.alarm = 0;
		quire_engine_run(&host->memory.engine);
	}
	ok(runner_reg(&a, 0x18) == BUSY && runner_reg(&a, 0x20) == 16 &&
	   runner_reg64(&a, 0x40) == progress && runner_reg64(&a, 0x48) == 1,
	   "still: busy at the command, without progress");
	p.size = 0;
	command_fill(&p, IN_VRAM(PAGE), PAGE, 3);
	runner_submit(&b, &p, 2);
	host_run(host);
	is(runner_fence(&b), 2, "still: another ring works");
	p.size = 0;
	packet_fill(&p, 1, 0, 8, 5);
	host_submit(host, &p, 3);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 3, "still: and the paging ring");
	is(runner_fence(&a), 0, "still: the ring goes on waiting");
	host_put64(host, RAM_BASE + 8, 77);
	ok(!memory_host_run(&host->memory) && !runner_fence(&a),
	   "still: the processor's write is not seen at once");
	pass(host, LOOK);
	ok(runner_fence(&a) == 1 && host->memory.vram[0] == 1, "still: but at the next look");
	host_free(host);
}

/*
 * The longer a ring waits, the less often it is looked at, and two rings are looked at together;
 * but what the processor writes is seen after an eighth of the wait more, or one look.
 */
static void test_long(void)
{
	static const uint64_t waits[] = { 50000, 700000, 3000000, 90000000, 10000000000ull };
	struct memory_host *memory;
	unsigned int i, looks;

	for (i = 0; i < ARRAY_SIZE(waits); i++) {
		struct runner a, b;
		struct host *host = start(&a, &b);
		uint64_t begin, late, most;

		memory = &host->memory;
		begin = memory->time;
		command_wait_value(&p, 1, IN_APERTURE(8), 77);
		runner_submit(&a, &p, 1);
		host_run(host);
		memory->time += LOOK / 3;
		runner_submit(&b, &p, 1);
		host_run(host);
		for (looks = 0; memory->alarm < begin + waits[i]; looks++) {
			memory->time = memory->alarm;
			memory->alarm = UINT64_MAX;
			host_run(host);
		}
		/* 8 until it doubles, at most 8 for each of 7 doublings, then one each 12.8 ms */
		ok(looks <= 8 + 7 * 8 + waits[i] / 12800000, "long: %u looks in %llu ns", looks,
		   (unsigned long long)waits[i]);
		host_put64(host, RAM_BASE + 8, 77);
		for (late = 0; !(runner_fence(&a) && runner_fence(&b)) && late < 3; late++) {
			memory->time = memory->alarm;
			memory->alarm = UINT64_MAX;
			host_run(host);
		}
		most = waits[i] / 8 > LOOK ? waits[i] / 8 : LOOK;
		ok(runner_fence(&a) == 1 && runner_fence(&b) == 1 &&
		   memory->time <= begin + waits[i] + most, "long: seen %llu ns later",
		   (unsigned long long)(memory->time - begin - waits[i]));
		host_free(host);
	}
}

/* A value that another ring writes is there without any time. */
static void test_other_ring(void)
{
	static const uint64_t at[] = { IN_VRAM(64), IN_APERTURE(64), IN_APERTURE(5 * PAGE) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		struct runner a, b;
		struct host *host = start(&a, &b);

		command_wait_value(&p, 1, at[i], 5);
		runner_submit(&b, &p, 1);
		host_run(host);
		p.size = 0;
		command_write_value(&p, at[i], 5);
		command_delay(&p, 1000);
		runner_submit(&a, &p, 1);
		host_run(host);
		ok(runner_fence(&b) == 1 && !runner_fence(&a), "other ring: seen at once, %u", i);
		host_free(host);
	}
}

/* The page that is waited at points elsewhere meanwhile. */
static void test_remapped(void)
{
	struct runner a, b;
	struct host *host = start(&a, &b);

	command_wait_value(&p, 1, IN_APERTURE(8), 9);
	runner_submit(&a, &p, 1);
	host_run(host);
	host_put64(host, RAM_BASE + 7 * PAGE + 8, 9);
	p.size = 0;
	packet_map(&p, 0, 1, 1);
	packet_run(&p, RAM_BASE + 7 * PAGE, 1);
	packet_end(&p);
	host_submit(host, &p, 2);
	host_run(host);
	is(runner_fence(&a), 1, "remapped: it looks through the new one");
	host_free(host);
}

static void test_end(void)
{
	static const char * const how[] = { "disabled", "reset", "reset with the machine" };
	unsigned int i;

	for (i = 0; i < 6; i++) {
		struct runner a, b;
		struct host *host = start(&a, &b);

		if (i & 1)
			command_delay(&p, 12345);
		else
			command_wait_value(&p, 1, IN_VRAM(8), 9);
		runner_submit(&a, &p, 1);
		host_run(host);
		pass(host, 345);
		if (i / 2 == 0)
			runner_set_reg(&a, 0x14, 0);
		else if (i / 2 == 1)
			host_set_reg(host, 0x30, 1);
		else
			quire_engine_reset(&host->memory.engine);
		ok(!runner_reg(&a, 0x18), "end: %s while it waits, %u", how[i / 2], i & 1);
		host->memory.vram[8] = 9;
		pass(host, 1000000);
		is(runner_fence(&a), 0, "end: it does not go on");
		runner_start(&a, host, 1);
		p.size = 0;
		command_delay(&p, 50);
		runner_submit(&a, &p, 2);
		host_run(host);
		is(runner_fence(&a), 0, "end: started again it waits anew");
		pass(host, 50);
		is(runner_fence(&a), 2, "end: and ends");
		host_free(host);
	}
}

static void test_delay(void)
{
	struct runner a, b;
	struct host *host = start(&a, &b);

	command_delay(&p, 0);
	runner_submit(&a, &p, 1);
	host_run(host);
	is(runner_fence(&a), 1, "delay: of nothing ends at once");
	p.size = 0;
	command_delay(&p, 1000);
	command_delay(&p, 500);
	runner_submit(&a, &p, 2);
	host_run(host);
	is(host->memory.alarm, host->memory.time + 1000, "delay: the alarm is for its end");
	pass(host, 999);
	ok(runner_reg(&a, 0x20) == 0 && runner_reg(&a, 0x18) == BUSY,
	   "delay: not over before its time");
	is(host->memory.alarm, host->memory.time + 1, "delay: the rest of it");
	pass(host, 1);
	is(runner_reg(&a, 0x20), 16, "delay: over");
	pass(host, 499);
	is(runner_fence(&a), 1, "delay: the next one begins then");
	pass(host, 1);
	is(runner_fence(&a), 2, "delay: and ends");
	p.size = 0;
	command_delay(&p, UINT64_MAX);
	runner_submit(&a, &p, 3);
	host_run(host);
	pass(host, UINT64_MAX / 2);
	ok(runner_fence(&a) == 2 && runner_reg(&a, 0x18) == BUSY, "delay: the longest");
	host_free(host);
}

/* Two rings that wait: the alarm is for the one that is first. */
static void test_alarm(void)
{
	struct runner a, b;
	struct host *host = start(&a, &b);
	uint64_t begin = host->memory.time;

	command_delay(&p, 1000);
	runner_submit(&a, &p, 1);
	p.size = 0;
	command_delay(&p, 300);
	runner_submit(&b, &p, 1);
	host_run(host);
	is(host->memory.alarm, begin + 300, "alarm: for the shorter one");
	pass(host, 300);
	ok(runner_fence(&b) == 1 && !runner_fence(&a), "alarm: that is over");
	is(host->memory.alarm, begin + 1000, "alarm: then for the other one");
	pass(host, 700);
	is(runner_fence(&a), 1, "alarm: and that, too");
	host_free(host);
}

/* What is left of a delay travels, and the time in between does not count. */
static void test_migrate(void)
{
	struct runner a, b;
	struct host *host = start(&a, &b);
	unsigned int i;

	command_delay(&p, 1000);
	runner_submit(&a, &p, 1);
	p.size = 0;
	command_wait_value(&p, 2, IN_VRAM(8), 9);
	runner_submit(&b, &p, 1);
	host_run(host);
	for (i = 0; i < 9; i++) {
		host->memory.time += 100;
		ok(host_migrate(host), "migrate: after %u ns", (i + 1) * 100);
		/* of another machine */
		host->memory.time = 777 * i;
		host_run(host);
	}
	ok(!runner_fence(&a) && runner_reg(&a, 0x18) == BUSY, "migrate: 100 ns are left");
	is(host->memory.alarm, host->memory.time + 100, "migrate: exactly");
	pass(host, 99);
	is(runner_fence(&a), 0, "migrate: not over before");
	ok(host_migrate(host), "migrate: the last of them");
	host_run(host);
	pass(host, 1);
	ok(runner_fence(&a) == 1 && !runner_fence(&b), "migrate: over");
	host->memory.vram[8] = 10;
	pass(host, LOOK);
	is(runner_fence(&b), 1, "migrate: the wait for a value, too");
	host->memory.time += 5000;
	p.size = 0;
	command_delay(&p, 1000);
	runner_submit(&a, &p, 2);
	host_run(host);
	host->memory.time += 5000;
	ok(host_migrate(host), "migrate: after all of its time");
	host_run(host);
	pass(host, 1);
	is(runner_fence(&a), 2, "migrate: the ring itself sees that it is over");
	host_free(host);
}

int main(void)
{
	test_compare();
	test_still();
	test_long();
	test_other_ring();
	test_remapped();
	test_end();
	test_delay();
	test_alarm();
	test_migrate();
	return tap_done();
}
