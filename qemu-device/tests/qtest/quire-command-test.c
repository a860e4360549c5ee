/*
 * QTest testcase for the Quire virtual GPU: execution rings and their commands
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"
#include "hw/quire/engine/quire_command.h"

#define COMMAND_MACHINE     "-machine q35 -m 64M -nic none " \
                            "-device quire,addr=4.0,fault-injection=on," \
                            "vram-size=64M,vram-visible=16M,aperture-size=16M "
#define RINGS               2
#define VALUE               0x0102030405060708ull
#define LOOK_NS             100000

/**
 * struct rings - an emulator of the test's own, and its rings
 * @bus: of the device
 * @q: for each ring, the paging ring first
 */
struct rings {
    QPCIBus *bus;
    QQuire *q[1 + RINGS];
};

static uint64_t in_vram(uint64_t offset)
{
    return cpu_to_le64(QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, offset));
}

static uint64_t in_aperture(uint64_t offset)
{
    return cpu_to_le64(QUIRE_ADDRESS(QUIRE_SEGMENT_APERTURE, offset));
}

static void rings_start(struct rings *r, unsigned ring)
{
    quire_ring_program(r->q[ring]);
    quire_ring_enable(r->q[ring]);
}

static void rings_attach(struct rings *r)
{
    unsigned i;

    for (i = 1; i <= RINGS; i++) {
        r->q[i] = quire_beside(r->q[0], i);
    }
}

/* Aperture pages 0 and 1 show the paging ring's first pages of data. */
static void rings_open(struct rings *r, const char *command)
{
    QTestState *qts = qtest_init(command);
    unsigned i;

    r->bus = qpci_new_pc(qts, NULL);
    r->q[0] = g_new0(QQuire, 1);
    quire_open_ring(r->q[0], qts, r->bus);
    rings_attach(r);
    for (i = 1; i <= RINGS; i++) {
        rings_start(r, i);
    }
    quire_map(r->q[0], 0, 2, r->q[0]->data);
    quire_run(r->q[0], 1);
}

static void rings_close(struct rings *r)
{
    QTestState *qts = r->q[0]->qts;
    unsigned i;

    qpci_free_pc(r->bus);
    for (i = 0; i <= RINGS; i++) {
        g_free(r->q[i]);
    }
    qtest_quit(qts);
}

static void add_copy(QQuire *q, uint64_t src, uint64_t dst, uint64_t size)
{
    struct quire_command_copy *p = quire_packet(q, QUIRE_COMMAND_COPY, 0,
                                                sizeof(*p));

    p->src = src;
    p->dst = dst;
    p->size = cpu_to_le64(size);
}

static void add_fill(QQuire *q, uint64_t dst, uint64_t size, uint32_t pattern)
{
    struct quire_command_fill *p = quire_packet(q, QUIRE_COMMAND_FILL, 0,
                                                sizeof(*p));

    p->dst = dst;
    p->size = cpu_to_le64(size);
    p->pattern = cpu_to_le32(pattern);
}

static void add_arithmetic(QQuire *q, uint16_t flag, uint64_t src,
                           uint64_t dst, uint64_t size)
{
    struct quire_command_arithmetic *p =
        quire_packet(q, QUIRE_COMMAND_ARITHMETIC, flag, sizeof(*p));

    p->src = src;
    p->dst = dst;
    p->size = cpu_to_le64(size);
}

static void add_checksum(QQuire *q, uint64_t src, uint64_t result,
                         uint64_t size)
{
    struct quire_command_checksum *p =
        quire_packet(q, QUIRE_COMMAND_CHECKSUM, 0, sizeof(*p));

    p->src = src;
    p->result = result;
    p->size = cpu_to_le64(size);
}

static void add_compare(QQuire *q, uint64_t src, uint64_t dst, uint64_t result,
                        uint64_t size)
{
    struct quire_command_compare *p =
        quire_packet(q, QUIRE_COMMAND_COMPARE, 0, sizeof(*p));

    p->src = src;
    p->dst = dst;
    p->result = result;
    p->size = cpu_to_le64(size);
}

static void add_write(QQuire *q, uint64_t dst, uint64_t value)
{
    struct quire_command_write_value *p =
        quire_packet(q, QUIRE_COMMAND_WRITE_VALUE, 0, sizeof(*p));

    p->dst = dst;
    p->value = cpu_to_le64(value);
}

static void add_wait(QQuire *q, uint64_t src, uint64_t value)
{
    struct quire_command_wait_value *p =
        quire_packet(q, QUIRE_COMMAND_WAIT_VALUE, QUIRE_WAIT_EQUAL, sizeof(*p));

    p->src = src;
    p->value = cpu_to_le64(value);
}

static void add_delay(QQuire *q, uint64_t ns)
{
    struct quire_command_delay *p = quire_packet(q, QUIRE_COMMAND_DELAY, 0,
                                                 sizeof(*p));

    p->ns = cpu_to_le64(ns);
}

/* All of an image of 1024 rows of pixels, to a tiled one of the same size. */
static void add_2d(QQuire *q, uint16_t opcode, uint64_t src, uint64_t dst,
                   uint32_t width)
{
    struct quire_command_2d *p = quire_packet(q, opcode, 0, sizeof(*p));
    struct quire_command_surface surface = {
        .width = cpu_to_le32(width),
        .height = cpu_to_le32(1024),
        .levels = cpu_to_le16(1),
        .array_size = cpu_to_le16(1),
    };

    p->src = surface;
    p->src.address = src;
    p->src.pitch = cpu_to_le32(4 * width);
    p->dst = surface;
    p->dst.address = dst;
    p->dst.layout = cpu_to_le32(QUIRE_LAYOUT_TILE_4K);
    p->element_shift = cpu_to_le32(2);
    p->columns = cpu_to_le32(width);
    p->rows = cpu_to_le32(1024);
}

static uint64_t vram_value(QQuire *q, uint64_t offset)
{
    return qtest_readq(q->qts, quire_vram_addr(q, offset));
}

/* Let time of the machine pass, if any, and the device work. */
static void step(QQuire *q, uint64_t ns)
{
    unsigned i;

    if (ns) {
        qtest_clock_step(q->qts, ns);
    }
    for (i = 0; i < 20; i++) {
        quire_ring_reg(q, QUIRE_RING_STATUS);
    }
}

static bool is_busy(QQuire *q)
{
    return quire_ring_reg(q, QUIRE_RING_STATUS) & QUIRE_RING_STATUS_BUSY;
}

static void test_rings(void *obj, void *data, QGuestAllocator *alloc)
{
    struct rings r;
    unsigned i;

    rings_open(&r, COMMAND_MACHINE);
    g_assert_cmpint(quire_reg(r.q[0], QUIRE_REG_RING_COUNT), ==, 1 + RINGS);
    for (i = 1; i <= RINGS; i++) {
        add_fill(r.q[i], in_vram(i * MiB), MiB, 0x01010101 * i);
        add_copy(r.q[i], in_vram(i * MiB), in_aperture(i * 16), 16);
        add_write(r.q[i], in_vram(i * 8), VALUE + i);
        quire_submit(r.q[i], i);
    }
    for (i = 1; i <= RINGS; i++) {
        quire_wait_idle(r.q[i]);
        g_assert_cmphex(qtest_readq(r.q[i]->qts, r.q[i]->fence_page), ==, i);
        g_assert_cmphex(vram_value(r.q[0], i * 8), ==, VALUE + i);
        g_assert_cmphex(vram_value(r.q[0], i * MiB + MiB - 8), ==,
                        0x0101010101010101 * i);
        g_assert_cmphex(qtest_readq(r.q[0]->qts, r.q[0]->data + i * 16), ==,
                        0x0101010101010101 * i);
    }
    /* Nobody has this doorbell. */
    quire_set_reg(r.q[0], QUIRE_DOORBELL(1 + RINGS), 0);
    quire_lives(r.q[0]);
    rings_close(&r);
}

/* A fault, or a hang, of a ring is none of the others. */
static void test_apart(void *obj, void *data, QGuestAllocator *alloc)
{
    struct rings r;

    rings_open(&r, COMMAND_MACHINE);
    quire_fill(r.q[1], QUIRE_SEGMENT_VRAM, 0, 8, 1);
    quire_submit(r.q[1], 1);
    quire_wait_idle(r.q[1]);
    quire_assert_fault(r.q[1], QUIRE_FAULT_BAD_OPCODE, 0, r.q[1]->buffer);
    quire_ring_set_reg(r.q[2], QUIRE_RING_INJECT_HANG, 1);
    add_write(r.q[2], in_vram(0), 1);
    quire_submit(r.q[2], 1);
    step(r.q[2], 1000);
    g_assert_true(is_busy(r.q[2]));
    add_write(r.q[0], in_vram(0), 1);
    quire_submit(r.q[0], 2);
    quire_wait_idle(r.q[0]);
    quire_assert_fault(r.q[0], QUIRE_FAULT_BAD_OPCODE, 0, r.q[0]->buffer);
    rings_start(&r, 1);
    add_write(r.q[1], in_vram(0), 7);
    quire_run(r.q[1], 3);
    quire_lives(r.q[0]);
    rings_start(&r, 2);
    add_write(r.q[2], in_vram(8), 8);
    quire_run(r.q[2], 4);
    g_assert_cmphex(vram_value(r.q[0], 8), ==, 8);
    rings_close(&r);
}

/* In slices, as no thread does it, again and again: longer than any test. */
static void keep_busy(QQuire *q)
{
    unsigned i;

    for (i = 0; i < 8000; i++) {
        add_checksum(q, in_vram(MiB), in_vram(8), 63 * MiB);
    }
    quire_submit(q, 1);
}

static bool goes_on(QQuire *q, uint64_t done)
{
    return quire_ring_reg64(q, QUIRE_RING_PROGRESS_LO) > done;
}

/* Rings at work with long commands leave paging, and each other, their turn. */
static void test_turns(void *obj, void *data, QGuestAllocator *alloc)
{
    struct rings r;
    uint64_t done;
    unsigned i, n;

    rings_open(&r, COMMAND_MACHINE);
    for (i = 1; i <= RINGS; i++) {
        keep_busy(r.q[i]);
    }
    for (i = 2; i < 10; i++) {
        quire_fill(r.q[0], QUIRE_SEGMENT_VRAM, 0, 8, i);
        quire_run(r.q[0], i);
    }
    for (i = 1; i <= RINGS; i++) {
        g_assert_true(is_busy(r.q[i]));
        done = quire_ring_reg64(r.q[i], QUIRE_RING_PROGRESS_LO);
        for (n = 0; n < 1000 && !goes_on(r.q[i], done); n++) {
            step(r.q[i], 100);
        }
        g_assert_true(goes_on(r.q[i], done));
    }
    for (i = 1; i <= RINGS; i++) {
        quire_ring_set_reg(r.q[i], QUIRE_RING_CONTROL, 0);
    }
    quire_lives(r.q[0]);
    rings_close(&r);
}

/* The ring stands still, and not the others, until time has passed. */
static void test_delay(void *obj, void *data, QGuestAllocator *alloc)
{
    struct rings r;

    rings_open(&r, COMMAND_MACHINE);
    add_delay(r.q[1], 5000000);
    quire_submit(r.q[1], 1);
    step(r.q[1], 0);
    add_write(r.q[2], in_vram(0), 7);
    quire_submit(r.q[2], 1);
    step(r.q[2], 4000000);
    g_assert_true(is_busy(r.q[1]));
    g_assert_false(is_busy(r.q[2]));
    step(r.q[1], 900000);
    g_assert_true(is_busy(r.q[1]));
    step(r.q[1], 200000);
    g_assert_false(is_busy(r.q[1]));
    g_assert_cmphex(qtest_readq(r.q[1]->qts, r.q[1]->fence_page), ==, 1);
    rings_close(&r);
}

/* The processor writes a value to VRAM, or to memory, and tells nobody. */
static void test_wait(void *obj, void *data, QGuestAllocator *alloc)
{
    struct rings r;
    uint64_t addr;
    unsigned i;

    rings_open(&r, COMMAND_MACHINE);
    for (i = 0; i < 2; i++) {
        add_wait(r.q[1], i ? in_aperture(QUIRE_PAGE_SIZE) : in_vram(64), VALUE);
        quire_submit(r.q[1], i + 1);
        step(r.q[1], 10 * LOOK_NS);
        g_assert_true(is_busy(r.q[1]));
        addr = i ? r.q[0]->data + QUIRE_PAGE_SIZE : quire_vram_addr(r.q[0], 64);
        qtest_writeq(r.q[0]->qts, addr, VALUE);
        step(r.q[1], LOOK_NS);
        g_assert_false(is_busy(r.q[1]));
        g_assert_cmphex(qtest_readq(r.q[1]->qts, r.q[1]->fence_page), ==,
                        i + 1);
    }
    /* What another ring writes is seen without any time. */
    add_wait(r.q[1], in_vram(72), 5);
    quire_submit(r.q[1], 3);
    step(r.q[1], 0);
    add_write(r.q[2], in_vram(72), 5);
    quire_submit(r.q[2], 1);
    step(r.q[1], 0);
    g_assert_false(is_busy(r.q[1]));
    rings_close(&r);
}

static void check_reset(struct rings *r)
{
    uint32_t ring, reg;

    for (ring = 0; ring <= RINGS; ring++) {
        for (reg = 0; reg < QUIRE_RING_PACKETS_OF(QUIRE_OPCODE_COUNT);
             reg += 4) {
            g_assert_cmphex(quire_ring_reg(r->q[ring], reg), ==, 0);
        }
    }
}

/* A reset, while one ring waits and another one works. */
static void test_reset(void *obj, void *data, QGuestAllocator *alloc)
{
    struct rings r;
    unsigned how, ring;

    rings_open(&r, COMMAND_MACHINE);
    for (how = 0; how < 2; how++) {
        add_delay(r.q[1], 5000000);
        quire_submit(r.q[1], 1);
        add_fill(r.q[2], in_vram(0), 64 * MiB, 5);
        add_fill(r.q[2], in_vram(0), 64 * MiB, 6);
        quire_submit(r.q[2], 1);
        if (how) {
            qtest_system_reset(r.q[0]->qts);
            qpci_device_enable(&r.q[0]->dev);
            r.q[0]->regs = qpci_iomap(&r.q[0]->dev, QUIRE_BAR_REGS, NULL);
            r.q[0]->vram = qpci_iomap(&r.q[0]->dev, QUIRE_BAR_VRAM, NULL);
            for (ring = 1; ring <= RINGS; ring++) {
                g_free(r.q[ring]);
            }
            rings_attach(&r);
        } else {
            quire_set_reg(r.q[0], QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
        }
        check_reset(&r);
        step(r.q[0], 10000000);
        check_reset(&r);
        for (ring = 1; ring <= RINGS; ring++) {
            rings_start(&r, ring);
            add_write(r.q[ring], in_vram(8 * ring), VALUE + how);
            quire_run(r.q[ring], 9);
            g_assert_cmphex(vram_value(r.q[0], 8 * ring), ==, VALUE + how);
        }
    }
    rings_close(&r);
}

/* Migration in the middle of work of a ring that takes long. */

#define WORK_SIZE       (16 * MiB)
#define WORK_SRC        in_vram(0)
#define WORK_DST        in_vram(WORK_SIZE)
#define WORK_TIMES      24

static void build_copy(QQuire *q, unsigned i)
{
    /* up by some bytes: what is done twice, or not, shows */
    add_copy(q, WORK_SRC, in_vram(4100), WORK_SIZE);
}

static void build_fill(QQuire *q, unsigned i)
{
    add_fill(q, in_vram(4 * (i % 7)), 2 * WORK_SIZE, 0x01020304 * i);
}

static void build_2d(QQuire *q, unsigned i)
{
    add_2d(q, QUIRE_COMMAND_COPY_2D, WORK_SRC, WORK_DST, 4096);
}

static void build_blend(QQuire *q, unsigned i)
{
    add_2d(q, QUIRE_COMMAND_BLEND, WORK_SRC, WORK_DST, 1024);
}

static void build_arithmetic(QQuire *q, unsigned i)
{
    add_arithmetic(q, QUIRE_ARITHMETIC_ADD, WORK_SRC, WORK_DST, WORK_SIZE);
}

static void build_checksum(QQuire *q, unsigned i)
{
    add_checksum(q, WORK_SRC, in_vram(WORK_SIZE + 64 * i), WORK_SIZE);
}

static void build_compare(QQuire *q, unsigned i)
{
    add_compare(q, WORK_SRC, in_vram(WORK_SIZE + QUIRE_PAGE_SIZE),
                in_vram(WORK_SIZE + 64 * i), WORK_SIZE);
}

/* What the bytes are, as a number. */
static uint64_t digest(QQuire *q)
{
    add_checksum(q, WORK_SRC, in_aperture(0), 2 * WORK_SIZE + QUIRE_PAGE_SIZE);
    quire_run(q, 99);
    return qtest_readq(q->qts, 0x1080000);
}

/*
 * The same bytes each time, and then the work, of which each part has an
 * outcome of its own.
 */
static void work_submit(QQuire *q, void (*build)(QQuire *q, unsigned i))
{
    unsigned i;

    add_fill(q, WORK_SRC, 2 * WORK_SIZE + QUIRE_PAGE_SIZE, 0x11223344);
    for (i = 0; i < 8; i++) {
        add_fill(q, in_vram(i * 1234568), 1000000, 0x80332211 * (i + 1));
    }
    quire_run(q, 1);
    for (i = 0; i < WORK_TIMES; i++) {
        build(q, i);
    }
    quire_submit(q, 2);
}

static void work(QQuire *q, void (*build)(QQuire *q, unsigned i))
{
    work_submit(q, build);
    quire_wait_idle(q);
}

/*
 * Leaves it halfway, with the machine stopped. A test that was not given the
 * processor meanwhile finds it done, and does it again.
 */
static void work_halfway(QQuire *q, void (*build)(QQuire *q, unsigned i))
{
    for (;;) {
        work_submit(q, build);
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'stop' }");
        if (qtest_readq(q->qts, q->fence_page) == 1) {
            return;
        }
        qtest_qmp_assert_success(q->qts, "{ 'execute': 'cont' }");
        quire_wait_idle(q);
    }
}

static QTestState *migrate(QTestState *from)
{
    g_autofree char *path = g_strdup_printf("%s/quire-command-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *to = qtest_init(COMMAND_MACHINE "-incoming defer");

    qtest_qmp_assert_success(from, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(from, "completed");
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    quire_migrate_wait(to, "completed");
    unlink(path);
    return to;
}

/* The rings go on in another emulator; the old one is returned. */
static QTestState *rings_move(struct rings *r)
{
    QTestState *from = r->q[0]->qts, *to = migrate(from);
    unsigned i;

    qpci_free_pc(r->bus);
    r->bus = qpci_new_pc(to, NULL);
    quire_open(r->q[0], to, r->bus);
    for (i = 1; i <= RINGS; i++) {
        r->q[i]->dev = r->q[0]->dev;
        r->q[i]->qts = to;
    }
    return from;
}

static void test_migrate(void *obj, void *data, QGuestAllocator *alloc)
{
    static void (*const builds[])(QQuire *q, unsigned i) = {
        build_copy, build_fill, build_2d, build_blend, build_arithmetic,
        build_checksum, build_compare,
    };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(builds); i++) {
        uint32_t before[QUIRE_REG_RING_STRIDE / 4], reg;
        uint64_t wanted;
        struct rings r;
        QTestState *old;

        rings_open(&r, COMMAND_MACHINE);
        work(r.q[1], builds[i]);
        wanted = digest(r.q[1]);
        work_halfway(r.q[1], builds[i]);
        for (reg = 0; reg < QUIRE_REG_RING_STRIDE; reg += 4) {
            before[reg / 4] = quire_ring_reg(r.q[1], reg);
        }
        old = rings_move(&r);
        for (reg = 0; reg < QUIRE_REG_RING_STRIDE; reg += 4) {
            g_assert_cmphex(quire_ring_reg(r.q[1], reg), ==,
                            before[reg / 4]);
        }
        qtest_qmp_assert_success(r.q[0]->qts, "{ 'execute': 'cont' }");
        quire_wait_idle(r.q[1]);
        g_assert_cmphex(qtest_readq(r.q[1]->qts, r.q[1]->fence_page), ==, 2);
        g_assert_cmphex(digest(r.q[1]), ==, wanted);
        qtest_quit(old);
        rings_close(&r);
    }
}

/* What is left of a delay travels; so does a wait. */
static void test_migrate_wait(void *obj, void *data,
                              QGuestAllocator *alloc)
{
    struct rings r;
    QTestState *old;

    rings_open(&r, COMMAND_MACHINE);
    add_delay(r.q[1], 5000000);
    quire_submit(r.q[1], 1);
    add_wait(r.q[2], in_vram(64), VALUE);
    quire_submit(r.q[2], 1);
    step(r.q[1], 0);
    step(r.q[1], 3000000);
    g_assert_true(is_busy(r.q[1]));
    qtest_qmp_assert_success(r.q[0]->qts, "{ 'execute': 'stop' }");
    old = rings_move(&r);
    qtest_qmp_assert_success(r.q[0]->qts, "{ 'execute': 'cont' }");
    step(r.q[1], 0);
    step(r.q[1], 1900000);
    g_assert_true(is_busy(r.q[1]) && is_busy(r.q[2]));
    step(r.q[1], 200000);
    g_assert_false(is_busy(r.q[1]));
    g_assert_cmphex(qtest_readq(r.q[1]->qts, r.q[1]->fence_page), ==, 1);
    qtest_writeq(r.q[0]->qts, quire_vram_addr(r.q[0], 64), VALUE);
    step(r.q[2], LOOK_NS);
    g_assert_false(is_busy(r.q[2]));
    qtest_quit(old);
    rings_close(&r);
}

#define CONTEXT_AT  (4 * MiB)
#define SAVE_AT     (5 * MiB)

static void add_register(QQuire *q, uint16_t operation, uint64_t operand)
{
    struct quire_command_set_register *p =
        quire_packet(q, QUIRE_COMMAND_SET_REGISTER, operation, sizeof(*p));

    p->number = cpu_to_le32(3);
    p->operand = cpu_to_le64(operand);
}

static uint64_t saved_register(QQuire *q, unsigned ring)
{
    return qtest_readq(q->qts, quire_vram_addr(q, SAVE_AT) +
                       offsetof(struct quire_save_area, registers[ring][3]));
}

/* What the device has of a context travels, and is stored on the other side. */
static void test_migrate_registers(void *obj, void *data,
                                   QGuestAllocator *alloc)
{
    struct rings r;
    QTestState *old;
    QQuire *q;

    rings_open(&r, COMMAND_MACHINE);
    q = r.q[1];
    qtest_writel(q->qts, quire_vram_addr(q, CONTEXT_AT), QUIRE_CONTEXT_MAGIC);
    qtest_writeq(q->qts, quire_vram_addr(q, CONTEXT_AT) +
                 offsetof(struct quire_context_area, save),
                 QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, SAVE_AT));
    qtest_writel(q->qts, quire_vram_addr(q, SAVE_AT), QUIRE_SAVE_MAGIC);
    add_register(q, QUIRE_REGISTER_SET, VALUE);
    add_delay(q, 5000000);
    add_register(q, QUIRE_REGISTER_ADD, 1);
    qtest_bufwrite(q->qts, q->buffer, q->packets, q->size);
    quire_entry(q, q->buffer, q->size, QUIRE_ENTRY_CONTEXT, 1,
                QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, CONTEXT_AT));
    q->size = 0;
    quire_doorbell(q);
    step(q, 0);
    step(q, 3000000);
    g_assert_true(is_busy(q));
    g_assert_cmphex(saved_register(q, 1), ==, 0);
    qtest_qmp_assert_success(r.q[0]->qts, "{ 'execute': 'stop' }");
    old = rings_move(&r);
    qtest_qmp_assert_success(r.q[0]->qts, "{ 'execute': 'cont' }");
    step(q, 0);
    step(q, 3000000);
    g_assert_false(is_busy(q));
    g_assert_cmphex(qtest_readq(q->qts, q->fence_page), ==, 1);
    g_assert_cmphex(saved_register(q, 1), ==, VALUE + 1);
    qtest_quit(old);
    rings_close(&r);
}

static void quire_command_register(void)
{
    qos_add_test("rings", "quire-rings", test_rings, NULL);
    qos_add_test("rings-apart", "quire-rings", test_apart, NULL);
    qos_add_test("rings-turns", "quire-rings", test_turns, NULL);
    qos_add_test("rings-reset", "quire-rings", test_reset, NULL);
    qos_add_test("command-delay", "quire-rings", test_delay, NULL);
    qos_add_test("command-wait", "quire-rings", test_wait, NULL);
    qos_add_test("command-migrate", "quire-rings", test_migrate, NULL);
    qos_add_test("command-migrate-wait", "quire-rings", test_migrate_wait,
                 NULL);
    qos_add_test("command-migrate-registers", "quire-rings",
                 test_migrate_registers, NULL);
}

libqos_init(quire_command_register);
