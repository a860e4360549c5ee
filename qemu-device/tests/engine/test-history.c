// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: the registers that say what was executed, and what the aperture
 * points at.
 */
#include "host.h"
#include "tap.h"

#define VRAM		(64 * PAGE)
#define APERTURE	(16 * PAGE)

#define APERTURE_INDEX	0x90
#define APERTURE_ENTRY	0x98
#define PACKETS		0x48
#define HISTORY_INDEX	0x1050
#define HISTORY_HEADER	0x54
#define HISTORY_ADDR	0x58
#define PACKETS_OF(op)	(0x80 + 8 * (op))
#define KNOWN		64

static struct packets p;

static struct host *start(uint64_t look_bytes)
{
	struct host *host = host_new(VRAM, APERTURE, !!look_bytes, look_bytes);

	host_ring_setup(host, 4);
	host_ring_enable(host);
	host_run(host);
	p.size = 0;
	return host;
}

static uint64_t points_at(struct host *host, uint32_t page)
{
	host_set_reg(host, APERTURE_INDEX, page);
	is(host_reg(host, APERTURE_INDEX), page, "entry: index");
	return host_reg64(host, APERTURE_ENTRY);
}

static void test_entries(void)
{
	struct host *host = start(0);

	is(points_at(host, 0), 0, "entry: never mapped");
	packet_map(&p, 0, 2, 0);
	packet_run(&p, RAM_BASE + 5 * PAGE, 2);
	packet_end(&p);
	packet_map(&p, 15, 1, 1);
	packet_run(&p, TOP_BASE, 1);
	packet_end(&p);
	packet_unmap(&p, 1, 1, RAM_BASE + 9 * PAGE);
	host_submit(host, &p, 1);
	host_run(host);
	is(points_at(host, 0), (RAM_BASE + 5 * PAGE) | 1, "entry: mapped");
	is(points_at(host, 1), (RAM_BASE + 9 * PAGE) | 5, "entry: at the dummy page");
	is(points_at(host, 2), 0, "entry: between");
	is(points_at(host, 15), TOP_BASE | 3, "entry: the last, coherent");
	is(points_at(host, 16), 0, "entry: behind the last");
	is(points_at(host, UINT32_MAX), 0, "entry: far behind the last");
	is(quire_regs_read(&host->memory.engine, APERTURE_ENTRY, 8), 0, "entry: at once");
	host_set_reg(host, 0x30, 1);
	is(host_reg(host, APERTURE_INDEX), 0, "entry: a reset takes the index");
	is(host_reg64(host, APERTURE_ENTRY), 0, "entry: and the entry");
	host_free(host);
}

static void test_counts(void)
{
	struct host *host = start(0);
	unsigned int op, i;

	for (op = 1; op <= 8; op++) {
		for (i = 0; i < op; i++) {
			p.size = 0;
			if (op == 1)
				packet_transfer(&p, 1, 0, 1, PAGE, PAGE);
			else if (op == 2)
				packet_fill(&p, 1, 0, PAGE, 0);
			else if (op == 3)
				packet_discard(&p, 1, 0, PAGE);
			else if (op <= 5)
				packet_physical(&p, op, 1, 0, 8, 0);
			else if (op == 7)
				packet_unmap(&p, 0, 16, RAM_BASE);
			else if (op == 8)
				packet_signal(&p, RAM_BASE, 1);
			else
				packet_map(&p, 0, 1, 0);
			if (op == 6) {
				packet_run(&p, RAM_BASE, 1);
				packet_end(&p);
			}
			host_submit(host, &p, 1);
			host_run(host);
		}
	}
	for (op = 1; op <= 8; op++)
		is(host_ring_reg64(host, PACKETS_OF(op)), op, "counts: of an operation");
	is(host_ring_reg64(host, PACKETS), 36, "counts: all");
	host_ring_disable(host);
	is(host_ring_reg64(host, PACKETS), 36, "counts: a disable keeps them");
	host_set_reg(host, 0x30, 1);
	is(host_ring_reg64(host, PACKETS), 0, "counts: a reset does not");
	host_free(host);
}

/* What is not executed to its end does not count. */
static void test_not_executed(void)
{
	struct host *host = start(PAGE);

	packet_fill(&p, 1, 0, 4 * PAGE, 0);
	packet_physical(&p, 5, 0, HOLE, 8, 1);
	host_submit(host, &p, 1);
	memory_host_run(&host->memory);
	is(host_ring_reg64(host, PACKETS), 0, "not executed: in the middle");
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_DMA, "not executed: a fault");
	is(host_ring_reg64(host, PACKETS), 1, "not executed: at fault");
	host_ring_restart(host);
	p.size = 0;
	packet_fill(&p, 1, 0, 4, 0);
	packet_fill(&p, 1, 0, 4, 0);
	host_set_reg(host, 0x1060, 2);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_ring_reg64(host, PACKETS), 2, "not executed: hung");
	host_free(host);
}

static bool shows(struct host *host, uint32_t number, uint32_t header, uint64_t addr)
{
	host_set_reg(host, HISTORY_INDEX, number);
	return host_ring_reg(host, HISTORY_HEADER) == header &&
	       host_ring_reg64(host, HISTORY_ADDR) == addr;
}

static void test_history(void)
{
	struct host *host = start(0);
	unsigned int i;
	bool good = true;

	ok(shows(host, 0, 0, 0) && shows(host, 1, 0, 0), "history: empty");
	for (i = 0; i < KNOWN + 6; i++)
		packet_fill(&p, 1, 0, 4, 0);
	packet_map(&p, 0, 1, 1);
	packet_run(&p, RAM_BASE, 1);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	ok(shows(host, 0, 0, 0) && shows(host, 6, 0, 0), "history: too old");
	for (i = 7; i < KNOWN + 6; i++)
		good &= shows(host, i, 2, BUFFER + 32 * i);
	ok(good, "history: each with its address");
	ok(shows(host, KNOWN + 6, 0x10006, BUFFER + 32 * (KNOWN + 6)), "history: the last");
	ok(shows(host, KNOWN + 7, 0, 0), "history: not yet executed");
	ok(shows(host, UINT32_MAX, 0, 0), "history: never");
	host_set_reg(host, 0x30, 1);
	ok(!host_reg(host, HISTORY_INDEX) && shows(host, KNOWN + 6, 0, 0), "history: reset");
	host_free(host);
}

/* Started again at OFFSET, a ring executes each packet once. */
static void test_restart(void)
{
	struct host *host = start(0);
	uint32_t offset, i;
	bool good = true;

	for (i = 0; i < 6; i++)
		packet_fill(&p, 1, i * PAGE, PAGE, i);
	host_set_reg(host, 0x1060, 4);
	host_submit(host, &p, 1);
	host_run(host);
	offset = host_ring_reg(host, 0x20);
	is(offset, 96, "restart: it hangs at the fourth packet");
	host_ring_restart(host);
	host_entry(host, 0, BUFFER + offset, p.size - offset, 0, 1, 0);
	host_put32(host, FENCE_PAGE + 64, 1);
	host_ring_doorbell(host);
	host_run(host);
	is(host_ring_reg64(host, PACKETS_OF(2)), 6, "restart: each packet once");
	for (i = 0; i < 6; i++)
		good &= shows(host, i, 2, BUFFER + 32 * i);
	ok(good, "restart: in order");
	host_free(host);
}

int main(void)
{
	test_entries();
	test_counts();
	test_not_executed();
	test_history();
	test_restart();
	return tap_done();
}
