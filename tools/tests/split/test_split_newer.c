// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A submission in parts waits for what is on its ring, and not for what comes later: another
 * program makes one context after the other, has it work, and destroys it.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define NR_LARGE	3u
#define NR_WRITES	6u	/* not all objects fit */
#define STEP_NS		100000000ull

/* So many contexts are at work at each time, and so many it makes at most. */
#define NR_AT_WORK	4u
#define NR_CONTEXTS	400u

/**
 * struct shared - what both programs see
 * @made: contexts that the other one has made
 * @stop: it is to end
 */
struct shared {
	atomic_uint made;
	atomic_bool stop;
};

/* At each time there is one to wait for. */
static void make_contexts(struct shared *shared)
{
	struct quire_context *contexts[NR_AT_WORK] = { };
	struct quire_fence *ends[NR_AT_WORK];
	struct work work;

	work_open(&work);
	for (unsigned int i = 0; i < NR_AT_WORK; i++)
		ends[i] = work_fence(&work);
	for (unsigned int i = 0; i < NR_CONTEXTS && !shared->stop; i++) {
		if (contexts[i % NR_AT_WORK]) {
			if (work_fence_wait(ends[i % NR_AT_WORK]))
				_exit(1);
			quire_context_destroy(contexts[i % NR_AT_WORK]);
		}
		contexts[i % NR_AT_WORK] = work_context(&work);
		quire_recorder_delay(work.recorder, STEP_NS);
		if (work_submit(&work, contexts[i % NR_AT_WORK], 0, NULL, ends[i % NR_AT_WORK]))
			_exit(2);
		shared->made++;
	}
	_exit(0);
}

static void record(struct work *work, struct quire_object *const large[NR_LARGE])
{
	for (unsigned int i = 0; i < NR_WRITES; i++)
		quire_recorder_write_value(work->recorder, quire_at(large[i % NR_LARGE], 0), i);
}

static void test_newer(struct work *work, struct quire_object *const large[NR_LARGE],
		       struct shared *shared)
{
	struct quire_context *context = work_context(work);
	struct quire_fence *end = work_fence(work);
	pid_t other = child_start(WAIT_MS / 1000);

	if (!other)
		make_contexts(shared);
	while (shared->made <= NR_AT_WORK)
		test_sleep_ms(1);
	record(work, large);
	tap_ret(work_submit(work, context, 0, NULL, end), 0, "submit");
	tap_ok(work->result.parts > 1, "in %u parts", work->result.parts);
	tap_ok(shared->made < NR_CONTEXTS, "the other program still makes contexts (%u so far)",
	       shared->made);
	shared->stop = true;
	tap_ret(work_fence_wait(end), 0, "it is executed");
	tap_ok(work_number(large[(NR_WRITES - 1) % NR_LARGE], 0) == NR_WRITES - 1, "all of it");
	tap_ret(child_status(other), 0, "the other program ends well");
	quire_fence_close(end);
	quire_context_destroy(context);
}

int main(void)
{
	struct shared *shared = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct quire_object *large[NR_LARGE];
	struct work work;

	tap_start(WAIT_MS / 1000);
	work_begin(&work);
	for (unsigned int i = 0; i < NR_LARGE; i++)
		large[i] = work_object(&work, fixture_vram(&work.fixture) / 8 * 3);
	test_newer(&work, large, shared);
	for (unsigned int i = 0; i < NR_LARGE; i++)
		quire_object_close(large[i]);
	work_end(&work);
	return tap_done();
}
