// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: interrupts, and faults on demand.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(2 * MIB)
#define APERTURE	(1 * MIB)

static struct packets p;

static struct host *start(uint64_t slice_looks, uint64_t look_bytes, unsigned int order)
{
	struct host *host = host_new(VRAM, APERTURE, slice_looks, look_bytes);

	host_ring_setup(host, order);
	host_set_reg(host, 0x38, 3);
	host_ring_enable(host);
	p.size = 0;
	return host;
}

static void test_interrupts(void)
{
	struct host *host = start(0, 0, 4);
	unsigned int i;

	host_submit(host, &p, 1);
	host_run(host);
	is(host->memory.interrupts[0], 1, "interrupt: of a fence");
	is(host_reg(host, 0x34), 1, "interrupt: status");
	host_submit(host, &p, 2);
	host_run(host);
	is(host->memory.interrupts[0], 2, "interrupt: again, though not acknowledged");
	host_set_reg(host, 0x34, 2);
	is(host_reg(host, 0x34), 1, "interrupt: a 0 acknowledges nothing");
	host_set_reg(host, 0x34, 1);
	is(host_reg(host, 0x34), 0, "interrupt: acknowledged");
	host_queue(host, &p, 3, 0);
	host_ring_doorbell(host);
	host_run(host);
	ok(host->memory.interrupts[0] == 2 && !host_reg(host, 0x34),
	   "interrupt: only where asked for");
	host_set_reg(host, 0x38, 0);
	host_submit(host, &p, 4);
	host_run(host);
	ok(host->memory.interrupts[0] == 2 && host_reg(host, 0x34) == 1, "interrupt: disabled");
	host_set_reg(host, 0x38, 3);
	is(host->memory.interrupts[0], 3, "interrupt: delivered when enabled");
	host_set_reg(host, 0x38, 3);
	is(host->memory.interrupts[0], 3, "interrupt: once");
	host_set_reg(host, 0x88, 2);
	for (i = 5; i <= 7; i++) {
		host_submit(host, &p, i);
		host_run(host);
	}
	is(host->memory.interrupts[0], 4, "interrupt: two dropped");
	is(host_reg(host, 0x88), 0, "interrupt: counted down");
	is(host_get64(host, FENCE_PAGE), 7, "interrupt: fences are not dropped");
	host_set_reg(host, 0x88, 1);
	host_queue(host, &p, 8, QUIRE_ENTRY_IRQ);
	host_submit(host, &p, 9);
	host_run(host);
	ok(host->memory.interrupts[0] == 4 && !host_reg(host, 0x88) && host_reg(host, 0x34) == 1,
	   "interrupt: one message of two events dropped, the status is set");
	host_free(host);
}

/* As the fence's, the message of a fault waits until it is enabled, and is sent once. */
static void test_fault_interrupt(void)
{
	struct host *host = start(0, 0, 4);

	host_set_reg(host, 0x38, 1);
	host_entry(host, host->wptr++, 4, 0, 0, 1, 0);
	host_put32(host, FENCE_PAGE + 64, host->wptr);
	host_ring_doorbell(host);
	host_run(host);
	ok(!host->memory.interrupts[1] && host_reg(host, 0x34) == 2, "fault interrupt: disabled");
	host_set_reg(host, 0x38, 3);
	is(host->memory.interrupts[1], 1, "fault interrupt: delivered when enabled");
	host_set_reg(host, 0x38, 3);
	is(host->memory.interrupts[1], 1, "fault interrupt: once");
	host_free(host);
}

/* Two messages are due and one is to be dropped: the other one is sent. */
static void test_drop_one(void)
{
	struct host *host = start(0, 0, 4);

	host_set_reg(host, 0x88, 1);
	host_queue(host, &p, 1, QUIRE_ENTRY_IRQ);
	host_entry(host, host->wptr++, 4, 0, 0, 2, 0);
	host_put32(host, FENCE_PAGE + 64, host->wptr);
	host_ring_doorbell(host);
	host_run(host);
	is(host->memory.interrupts[0], 0, "drop one: the first message");
	is(host->memory.interrupts[1], 1, "drop one: not the second");
	is(host_reg(host, 0x88), 0, "drop one: counted");
	host_free(host);
}

/* One message for what completed in a slice, however much it is. */
static void test_coalesced(void)
{
	struct host *host = start(0, 0, 6);
	unsigned int i;

	for (i = 1; i <= 60; i++)
		host_queue(host, &p, i, QUIRE_ENTRY_IRQ);
	host_ring_doorbell(host);
	ok(!memory_host_run(&host->memory), "coalesced: 60 entries in a slice");
	is(host_get64(host, FENCE_PAGE), 60, "coalesced: all complete");
	is(host->memory.interrupts[0], 1, "coalesced: one message");
	host_queue(host, &p, 61, QUIRE_ENTRY_IRQ);
	host_entry(host, host->wptr++, 4, 0, 0, 62, 0);
	host_put32(host, FENCE_PAGE + 64, host->wptr);
	host->trace_len = 0;
	memset(host->trace, 0, sizeof(host->trace));
	host_ring_doorbell(host);
	host_run(host);
	ok(!strcmp(host->trace, "WFRIE"), "coalesced: one message of each vector (%s)",
	   host->trace);
	host_free(host);

	host = start(8, 4096, 6);
	for (i = 1; i <= 60; i++)
		host_queue(host, &p, i, i % 10 ? 0 : QUIRE_ENTRY_IRQ);
	host_ring_doorbell(host);
	host_run(host);
	is(host->memory.interrupts[0], 6, "coalesced: one in each slice that has an event");
	host_free(host);
}

static void test_reset_drops_message(void)
{
	struct host *host = start(0, 0, 4);
	struct quire_engine *engine = &host->memory.engine;
	unsigned int vector;

	host_submit(host, &p, 1);
	host_entry(host, 1, 4, 0, 0, 2, 0);
	host_put32(host, FENCE_PAGE + 64, 2);
	quire_engine_run(engine);
	is(engine->messages, 3, "message: both are due");
	ok(quire_engine_take_interrupt(engine, &vector) && vector == 0, "message: one is sent");
	quire_engine_reset(engine);
	ok(!quire_engine_take_interrupt(engine, &vector), "message: the other not after a reset");
	host_free(host);
}

/*
 * A guest that knows a fence value only from its interrupt handler, which
 * acknowledges and then looks; it may also acknowledge at any other time.
 */
struct handler {
	uint64_t seen;
};

static void handle(struct host *host, char what)
{
	struct handler *handler = host->watch_data;

	if (what == 'I' || !(test_random() % 3))
		host->memory.engine.int_status &= ~QUIRE_INT_FENCE;
	if (what == 'I')
		handler->seen = host_get64(host, FENCE_PAGE);
}

static void test_acknowledged(void)
{
	struct host *host = start(3, 4096, 4);
	struct handler handler = { 0 };
	uint64_t fence = 0;
	unsigned int i, n;
	bool good = true;

	host->watch = handle;
	host->watch_data = &handler;
	for (i = 0; i < 500; i++) {
		for (n = 1 + test_random() % 16; n; n--)
			host_queue(host, &p, ++fence, QUIRE_ENTRY_IRQ);
		host_ring_doorbell(host);
		host_run(host);
		good &= handler.seen == fence;
	}
	ok(good, "acknowledged: whenever it is, the last fence is seen");
	host_free(host);
}

static void test_inject_fault(void)
{
	struct host *host = start(0, 0, 4);

	packet_signal(&p, RAM_BASE, 1);
	packet_signal(&p, RAM_BASE, 2);
	packet_signal(&p, RAM_BASE, 3);
	host_set_reg(host, 0x1064, 5);
	host_submit(host, &p, 11);
	host_submit(host, &p, 12);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_INJECTED, "inject: the fifth packet faults");
	is(host_ring_reg(host, 0x28), 24, "inject: its offset");
	is(host_ring_reg(host, 0x2c), 8, "inject: its opcode");
	is(host_ring_reg64(host, 0x38), 12, "inject: its submission");
	is(host_ring_reg(host, 0x1c), 1, "inject: read pointer");
	is(host_get64(host, RAM_BASE), 1, "inject: not executed");
	is(host->memory.interrupts[1], 1, "inject: fault interrupt");
	is(host->memory.errors, 0, "inject: no mistake of the guest");
	is(host_reg(host, 0x1064), 0, "inject: off again");
	host_free(host);
}

/* A packet that both would stop hangs, and counts for both. */
static void test_inject_both(void)
{
	static const uint32_t regs[] = { 0x1060, 0x1064, 0x88 };
	struct host *host = start(0, 0, 4);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		host_set_reg(host, regs[i], 0xfedcba98);
		is(host_reg(host, regs[i]), 0xfedcba98, "inject: any number");
	}
	host_set_reg(host, 0x1060, 1);
	host_set_reg(host, 0x1064, 1);
	packet_signal(&p, RAM_BASE, 1);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_ring_reg(host, 0x18), QUIRE_RING_STATUS_BUSY, "inject: both at once hang");
	is(host_reg(host, 0x1064), 0, "inject: the fault is counted");
	host_ring_restart(host);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 1, "inject: and does not come later");
	host_free(host);
}

static void test_inject_hang(void)
{
	struct host *host = start(0, 0, 4);
	unsigned int i;

	packet_signal(&p, RAM_BASE, 1);
	packet_signal(&p, RAM_BASE, 2);
	host_set_reg(host, 0x1060, 2);
	host_submit(host, &p, 1);
	for (i = 0; i < 5; i++) {
		ok(!memory_host_run(&host->memory), "hang: does not run");
		host_ring_doorbell(host);
	}
	is(host_ring_reg(host, 0x18), QUIRE_RING_STATUS_BUSY, "hang: busy");
	is(host_ring_reg(host, 0x20), 24, "hang: at the second packet");
	is(host_get64(host, RAM_BASE), 1, "hang: not executed");
	host_ring_disable(host);
	is(host_ring_reg(host, 0x20), 24, "hang: offset can be read after disable");
	is(host_ring_reg(host, 0x1c), 0, "hang: and the read pointer");
	host_ring_enable(host);
	p.size = 0;
	packet_signal(&p, RAM_BASE, 2);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_get64(host, RAM_BASE), 2, "hang: restarted from that packet");
	is(host_get64(host, FENCE_PAGE), 1, "hang: completed");
	host_free(host);
}

int main(void)
{
	test_interrupts();
	test_fault_interrupt();
	test_drop_one();
	test_coalesced();
	test_reset_drops_message();
	test_acknowledged();
	test_inject_fault();
	test_inject_both();
	test_inject_hang();
	return tap_done();
}
