// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: doorbells that are not needed. A driver that rings only when
 * quire_doorbell_wanted() says so loses nothing, whenever it publishes.
 */
#define _GNU_SOURCE /* sem_clockwait() */

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host.h"
#include "tap.h"

#define VRAM		(2 * MIB)
#define APERTURE	(1 * MIB)
#define EVENT		(FENCE_PAGE + 16)
#define WAIT_S		100

static struct packets p;

static struct host *start(unsigned int order)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	p.size = 0;
	host_ring_setup(host, order);
	host_ring_enable(host);
	return host;
}

/* What the driver does: publish one entry, ring if it must. */
static bool publish(struct host *host)
{
	uint32_t old = host->wptr;

	host_queue(host, &p, old + 1, 0);
	if (!quire_doorbell_wanted(host_get32(host, EVENT), old, host->wptr))
		return false;
	host_ring_doorbell(host);
	return true;
}

/* The rule itself, against counting. */
static void test_wanted(void)
{
	uint32_t base, old, new, event;
	bool good = true;

	for (base = 0xfffffff0; base != 16; base++)
		for (old = base; old != base + 8; old++)
			for (new = old; new != base + 9; new++)
				for (event = base - 2; event != base + 12; event++) {
					bool inside = false;
					uint32_t at;

					for (at = old; at != new; at++)
						inside |= at == event;
					good &= quire_doorbell_wanted(event, old, new) == inside;
				}
	ok(good, "wanted: the doorbell, where the event is passed");
}

static void test_idle(void)
{
	struct host *host = start(4);
	unsigned int i;

	host_ring_disable(host);
	host_put64(host, EVENT, ~0ull);
	host_put64(host, EVENT + 8, 0);
	host_set_reg(host, 0x1014, 1);
	host_run(host);
	is(host_get64(host, EVENT), 0, "idle: after enable");
	ok(!strcmp(host->trace, "WDW"), "idle: look, ask, look again (%s)", host->trace);
	for (i = 1; i <= 5; i++)
		host_queue(host, &p, i, 0);
	host_ring_doorbell(host);
	is(host_get64(host, EVENT), 0, "idle: a doorbell alone changes nothing");
	host_run(host);
	is(host_get64(host, EVENT), 5, "idle: after five entries");
	ok(!strcmp(host->trace, "WDWWFRFRFRFRFRWDW"), "idle: asks once (%s)", host->trace);
	host_ring_doorbell(host);
	host_run(host);
	is(host_get64(host, EVENT), 5, "idle: a doorbell for nothing");
	host_free(host);
}

/* A driver that publishes one entry at one moment, and rings only if it must. */
struct moment {
	char what;
	unsigned int skip;
	bool rang;
};

static void publish_at(struct host *host, char what)
{
	struct moment *moment = host->watch_data;

	if (what != moment->what || moment->skip--)
		return;
	host->watch = NULL;
	moment->rang = publish(host);
}

/* The second entry is published at a moment of the first one's execution. */
static void test_moment(char what, unsigned int skip, bool rings, const char *name)
{
	struct moment moment = { what, skip, false };
	struct host *host = start(4);

	host_run(host);
	ok(publish(host), "%s: the first doorbell is wanted", name);
	host->watch = publish_at;
	host->watch_data = &moment;
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 2, name);
	ok(!host->watch && moment.rang == rings, "%s: doorbell %s", name,
	   rings ? "wanted" : "not wanted");
	is(host_get64(host, EVENT), 2, "and idle with the last pointer");
	host_free(host);
}

static void test_moments(void)
{
	test_moment('F', 0, false, "moment: the fence is written");
	test_moment('R', 0, false, "moment: the read pointer is written");
	/* The first look was at the first entry, the next finds nothing. */
	test_moment('W', 0, false, "moment: before the pointer is read");
	test_moment('W', 1, false, "moment: before the ring looks for more");
	/* The driver looks before the device asks: only the second look finds it. */
	test_moment('w', 1, false, "moment: after the ring looked for more");
	test_moment('D', 0, true, "moment: a doorbell is asked for");
	test_moment('W', 2, true, "moment: before the ring looks again");
}

/* After the last look nothing but a doorbell helps, and it is asked for. */
static void test_asleep(void)
{
	struct host *host = start(4);
	unsigned int i;
	bool good = true;

	host_run(host);
	for (i = 0; i < 40; i++) {
		good &= publish(host) && host_run(host) && host_get64(host, FENCE_PAGE) == i + 1;
		if (i % 3)
			continue;
		host->wptr += 2;	/* a store for several entries */
		host_entry(host, host->wptr - 2, 0, 0, 0, 0, 0);
		host_entry(host, host->wptr - 1, 0, 0, 0, host->wptr, 0);
		i += 2;
		host_put32(host, FENCE_PAGE + 64, host->wptr);
		good &= quire_doorbell_wanted(host_get32(host, EVENT), host->wptr - 2, host->wptr);
		host_ring_doorbell(host);
		good &= host_run(host) && host_get64(host, FENCE_PAGE) == host->wptr;
	}
	ok(good, "asleep: a doorbell is wanted for each entry");
	host_free(host);
}

static void test_stopped(void)
{
	struct host *host = start(4);

	host_run(host);
	host_set_reg(host, 0x1060, 1);
	packet_signal(&p, RAM_BASE, 1);
	publish(host);
	host_run(host);
	is(host_get64(host, EVENT), 0, "stopped: a hung ring does not ask");
	host_ring_disable(host);
	host_put64(host, EVENT, 0x1234);
	host_run(host);
	is(host_get64(host, EVENT), 0x1234, "stopped: nor a disabled one");
	memset(host_ram(host, FENCE_PAGE, 16), 0, 16);
	host_put32(host, FENCE_PAGE + 64, 0);
	host->wptr = 0;
	host_set_reg(host, 0x1064, 1);
	host_set_reg(host, 0x1014, 1);
	ok(!publish(host), "stopped: an old wish does not count after enable");
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_INJECTED, "stopped: the entry was seen");
	is(host_get64(host, EVENT), 0x1234, "stopped: a ring at fault does not ask");
	host_free(host);
}

static void test_fault(void)
{
	struct host *host = start(4);

	host_ring_disable(host);
	host_set_reg64(host, 0x1008, ROM_BASE);
	host_set_reg(host, 0x1014, 1);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_FENCE_DMA, "fault: can not ask");
	is(host_ring_reg64(host, 0x30), ROM_BASE + 16, "fault: address");
	is(host_ring_reg64(host, 0x38), 0, "fault: of no submission");
	host_free(host);
}

static void test_wrap(void)
{
	struct host *host = start(2);
	unsigned int i;
	bool good = true;

	host_run(host);
	host->memory.engine.ring[0].rptr = 0xfffffffd;
	host->memory.engine.ring[0].wptr = 0xfffffffd;
	host->wptr = 0xfffffffd;
	host_put32(host, FENCE_PAGE + 64, host->wptr);
	host_ring_doorbell(host);
	host_run(host);
	is(host_get64(host, EVENT), 0xfffffffd, "wrap: before");
	for (i = 0; i < 6; i++)
		good &= publish(host) && host_run(host) &&
			host_get64(host, FENCE_PAGE) == host->wptr &&
			host_get64(host, EVENT) == host->wptr;
	ok(good, "wrap: through it");
	host_free(host);
}

/* A driver that publishes at random moments, as long as there is room. */
static void publish_sometimes(struct host *host, char what)
{
	(void)what;
	if (!(test_random() % 4) && host->wptr < 5000 &&
	    host->wptr - host_get32(host, FENCE_PAGE + 8) < 4)
		publish(host);
}

static void test_any_time(void)
{
	unsigned int round, lost = 0;

	for (round = 0; round < 20; round++) {
		struct host *host = start(2);
		uint32_t published = 1;

		test_seed(round + 1);
		host->watch = publish_sometimes;
		while (published < 5000 && !lost) {
			host_run(host);
			published = host->wptr;
			lost += host_get64(host, FENCE_PAGE) != published;
			publish(host);
		}
		host_free(host);
	}
	is(lost, 0, "any time: nothing is lost");
}

/* Two processors, as in a virtual machine. */

#define THREAD_ENTRIES	1000000u

struct driver {
	struct host *host;
	sem_t doorbell;
	unsigned int rung;
};

static uint32_t load32(struct host *host, uint64_t addr)
{
	return __atomic_load_n((uint32_t *)(void *)host_ram(host, addr, 4), __ATOMIC_ACQUIRE);
}

/* Different moments of the device's work, some of them around its end. */
static void dawdle(unsigned int turns)
{
	while (turns--)
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void *driver_thread(void *data)
{
	struct driver *driver = data;
	struct host *host = driver->host;
	uint32_t *wptr = (void *)host_ram(host, FENCE_PAGE + 64, 4);
	uint32_t old;

	for (old = 0; old < THREAD_ENTRIES; old++) {
		while (old - load32(host, FENCE_PAGE + 8) >= 1 + old / 1024 % 2)
			;
		host_entry(host, old, 0, 0, 0, old + 1, 0);
		dawdle(old % 64);
		__atomic_store_n(wptr, old + 1, __ATOMIC_RELEASE);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (quire_doorbell_wanted(load32(host, EVENT), old, old + 1)) {
			driver->rung++;
			sem_post(&driver->doorbell);
		}
	}
	return NULL;
}

/* False if none comes in a time after which only what hangs goes on. */
static bool wait_doorbell(struct driver *driver)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += WAIT_S;
	return !sem_clockwait(&driver->doorbell, CLOCK_MONOTONIC, &end);
}

static void test_threads(void)
{
	struct host *host = start(2);
	struct driver driver = { .host = host };
	pthread_t thread;
	bool lost = false;

	host_run(host);
	sem_init(&driver.doorbell, 0, 0);
	pthread_create(&thread, NULL, driver_thread, &driver);
	while (load32(host, FENCE_PAGE) != THREAD_ENTRIES && !lost) {
		lost = !wait_doorbell(&driver);
		host_ring_doorbell(host);
		host_run(host);
	}
	/* After a loss, bring the driver to its end by doorbells it did not ask for. */
	while (load32(host, FENCE_PAGE) != THREAD_ENTRIES) {
		host_ring_doorbell(host);
		host_run(host);
	}
	pthread_join(thread, NULL);
	ok(!lost, "threads: nothing is lost");
	ok(driver.rung > 0 && driver.rung <= THREAD_ENTRIES,
	   "threads: %u doorbells for %u entries", driver.rung, THREAD_ENTRIES);
	sem_destroy(&driver.doorbell);
	host_free(host);
}

int main(void)
{
	test_wanted();
	test_idle();
	test_moments();
	test_asleep();
	test_stopped();
	test_fault();
	test_wrap();
	test_any_time();
	test_threads();
	return tap_done();
}
