/*
 * QTest testcase for the Quire virtual GPU: when the device has to be quiet,
 * between slices
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/quire.h"

#define QUIET_COMMAND   "-machine q35 -m 64M -nic none " \
                        "-device quire,addr=4.0,vram-size=16M," \
                        "vram-visible=4M,aperture-size=16M "

/* Nanoseconds between two slices that have more to do, at least. */
#define GAP             50000
#define DOORBELLS       500

/**
 * struct quiet - an emulator that writes down what its device does
 * @path: where
 * @q: the device, with a ring
 */
struct quiet {
    char *path;
    QQuire *q;
};

static void quiet_open(struct quiet *quiet, const char *event)
{
    QTestState *qts;

    quiet->path = g_strdup_printf("%s/quire-quiet-%d", g_get_tmp_dir(),
                                  getpid());
    qts = qtest_initf(QUIET_COMMAND "-trace %s -msg timestamp=on -D %s", event,
                      quiet->path);
    quiet->q = g_new0(QQuire, 1);
    quire_open_ring(quiet->q, qts, qpci_new_pc(qts, NULL));
}

/* Ends the emulator; the lines of what it wrote. */
static char **quiet_close(struct quiet *quiet)
{
    g_autofree char *text = NULL;

    qpci_free_pc(quiet->q->dev.bus);
    qtest_quit(quiet->q->qts);
    g_free(quiet->q);
    g_assert_true(g_file_get_contents(quiet->path, &text, NULL, NULL));
    unlink(quiet->path);
    g_free(quiet->path);
    return g_strsplit(text, "\n", -1);
}

/* Nanoseconds between the end of a slice with more to do and the next slice. */
static gint64 quiet_least_gap(char **lines, unsigned *slices)
{
    gint64 end = 0, least = G_MAXINT64;
    unsigned i;

    for (i = 0; lines[i]; i++) {
        unsigned seconds, microseconds, more, held;
        gint64 now;

        if (sscanf(lines[i], "%*d@%u.%u:quire_slice more %u ns %u", &seconds,
                   &microseconds, &more, &held) != 4) {
            continue;
        }
        now = seconds * 1000000000ll + microseconds * 1000ll;
        if (end) {
            least = MIN(least, now - held - end);
            (*slices)++;
        }
        end = more ? now : 0;
    }
    return least;
}

/* A guest that rings the doorbell all the time leaves the others their turn. */
static void test_doorbells(void *obj, void *data, QGuestAllocator *alloc)
{
    g_auto(GStrv) lines = NULL;
    struct quiet quiet;
    unsigned i, slices = 0;
    QQuire *q;

    quiet_open(&quiet, "quire_slice");
    q = quiet.q;
    /* Each shorter than what is left to a thread. */
    while (q->size + sizeof(struct quire_packet_transfer) <= MAX_SUBMISSION) {
        quire_transfer(q, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_VRAM, 4 * MiB,
                       128 * KiB, NULL, 0);
    }
    quire_submit(q, 1);
    for (i = 0; i < DOORBELLS; i++) {
        quire_doorbell(q);
    }
    quire_ring_set_reg(q, QUIRE_RING_CONTROL, 0);
    lines = quiet_close(&quiet);
    /* A microsecond is lost to each time. */
    g_assert_cmpint(quiet_least_gap(lines, &slices), >=, GAP - 2000);
    g_assert_cmpint(slices, >, 0);
}

static void quire_quiet_register(void)
{
    if (g_str_equal(qtest_get_arch(), "x86_64")) {
        qos_add_test("quiet-doorbells", "quire", test_doorbells, NULL);
    }
}

libqos_init(quire_quiet_register);
