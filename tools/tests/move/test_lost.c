// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A move fails while programs wait to touch the object: no mapping ever shows its new place. */
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixture.h"
#include "kprobe.h"

#define NR_READERS	4
#define READER_SIZE	(16 * QUIRE_PAGE)	/* what one fault maps */

static const struct place visible = {
	"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
};

enum verdict {
	READ_WHOLE,
	READ_SIGBUS,
	READ_WRONG,
};

/**
 * struct reader - a process that touches one object
 * @object: of this process, and of the parent
 * @map: in both
 * @pid: of it
 * @verdict: what it saw
 */
struct reader {
	struct object object;
	void *map;
	pid_t pid;
	enum verdict verdict;
};

static int reader_prepare(const struct fixture *fixture, struct reader *reader, uint64_t key)
{
	int ret = object_create(fixture, &reader->object, READER_SIZE, key);

	return ret ? ret : quire_bo_map(fixture->fd, reader->object.handle, READER_SIZE,
					&reader->map);
}

/*
 * Adds 0 to a word of the object. The futex code brings it in with a fault that can not
 * be retried: that one waits for the move with the object locked.
 */
static void touch_without_retry(void *map)
{
	uint32_t other = 0;

	syscall(SYS_futex, &other, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 1, 1, map,
		FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0));
}

static enum verdict read_object(const struct reader *reader)
{
	touch_without_retry(reader->map);
	if (sigbus_on_read(reader->map))
		return READ_SIGBUS;
	return pattern_differs(reader->map, READER_SIZE, reader->object.key) == PATTERN_SAME ?
	       READ_WHOLE : READ_WRONG;
}

static void reader_start(struct reader *reader)
{
	reader->pid = child_start(2 * WAIT_MS / 1000);
	if (!reader->pid)
		_exit(read_object(reader));
}

static void reader_join(struct reader *reader)
{
	int status = child_status(reader->pid);

	reader->verdict = status < 0 ? READ_WRONG : (enum verdict)status;
}

static void check_readers(const struct reader *readers, bool traced)
{
	unsigned int wrong = 0, shown = 0, lost = 0;

	for (unsigned int i = 0; i < NR_READERS; i++) {
		unsigned int mapped = traced ? kprobe_count("insert", readers[i].pid) : 0;

		wrong += readers[i].verdict == READ_WRONG;
		lost += readers[i].verdict == READ_SIGBUS;
		shown += readers[i].verdict == READ_SIGBUS && mapped;
		/* or the trace does not see it */
		wrong += traced && readers[i].verdict == READ_WHOLE && !mapped;
	}
	tap_ok(!wrong, "nobody read anything but the content");
	if (traced)
		tap_ok(!shown, "what was lost was never mapped (%u of %u lost)", lost,
		       NR_READERS);
	else
		tap_skip("no kprobes", "what was lost was never mapped");
}

static void test_readers(const struct fixture *fixture, struct reader *readers)
{
	bool traced = kprobe_start("insert", "vmf_insert_pfn_prot");
	pid_t pid;
	int ret = 0;

	for (unsigned int i = 0; i < NR_READERS && !ret; i++)
		ret = reader_prepare(fixture, &readers[i], i + 1);
	tap_ret(ret, 0, "create and map");
	pid = fixture_start_hanging(fixture, 5);
	test_sleep_ms(100);
	for (unsigned int i = 0; i < NR_READERS && !ret; i++)
		ret = object_place(fixture, &readers[i].object, &visible);
	tap_ret(ret, 0, "queue moves of a device that hangs");
	for (unsigned int i = 0; i < NR_READERS; i++)
		reader_start(&readers[i]);
	for (unsigned int i = 0; i < NR_READERS; i++)
		reader_join(&readers[i]);
	child_kill(pid);
	debugfs_write(fixture->debugfs, "inject", "hang 0");
	check_readers(readers, traced);
	if (traced)
		kprobe_stop("insert");
}

int main(void)
{
	struct reader readers[NR_READERS] = { 0 };
	struct fixture fixture;

	tap_start(200);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	test_readers(&fixture, readers);
	for (unsigned int i = 0; i < NR_READERS; i++)
		munmap(readers[i].map, READER_SIZE);
	fixture_rebind(&fixture);
	fixture_test_works(&fixture);
	return tap_done();
}
