// SPDX-License-Identifier: GPL-2.0 OR MIT
/* "quire page": the files of a directory through VRAM and back. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters.h"
#include "memory.h"
#include "quire.h"
#include "quire_client.h"
#include "random.h"
#include "set.h"

#define MAX_CHUNK	(4 * QUIRE_MIB)
#define WAIT_EVERY	32
#define WAIT_MS		60000

/**
 * struct page_run - one run of the command
 * @options: what is asked for
 * @set: files and objects
 * @progress: line on the screen
 * @segments: of the device
 * @counters: of the device, before anything is done
 * @random: state
 * @order: of the objects in this round
 */
struct page_run {
	const struct page_options *options;
	struct set set;
	struct progress progress;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	struct counters counters;
	uint64_t random;
	size_t *order;
};

static int fail(struct page_run *run, const char *what, int error)
{
	progress_clear(&run->progress);
	if (error == -ETIME)
		return quire_say(what, "a move takes longer than a minute", "see dmesg");
	return quire_say_errno(what, error);
}

static int say_too_large(struct page_run *run)
{
	char why[128];

	snprintf(why, sizeof(why), "the files are larger than the %" PRIu64 " MiB of free memory",
		 run->set.limit / QUIRE_MIB);
	return quire_say("page", why, "give the guest more memory or name fewer files");
}

static void choose_chunk(struct page_run *run)
{
	const struct drm_quire_segment_info *vram = &run->segments[DRM_QUIRE_SEGMENT_VRAM];
	uint64_t chunk = MAX_CHUNK;

	if (vram->size / 8 < chunk)
		chunk = vram->size / 8;
	if (vram->visible_size / 2 < chunk)
		chunk = vram->visible_size / 2;
	chunk -= chunk % QUIRE_PAGE;
	run->set.chunk = chunk ? chunk : QUIRE_PAGE;
}

static int open_source(struct page_run *run)
{
	const char *source = run->options->source;
	int fd = open(source, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char what[320];
	struct stat st;

	snprintf(what, sizeof(what), "page: %.300s", source);
	if (fd < 0 || fstat(fd, &st))
		return quire_say(what, strerror(errno),
				 "name a directory that can be read, or an image");
	run->set.dir = S_ISDIR(st.st_mode) ? fd : -1;
	run->set.image = fd;
	if (run->set.dir < 0 && run->options->files0_from)
		return quire_say("--files0-from", "an image has its own list",
				 "give the list to quire pack");
	return 0;
}

static int open_device(struct page_run *run)
{
	int ret;

	run->set.fd = quire_open_or_say(NULL, 0);
	if (run->set.fd < 0)
		return QUIRE_EXIT_FAILED;
	ret = quire_query_segments(run->set.fd, run->segments);
	if (ret)
		return fail(run, "query", ret);
	if (!run->segments[DRM_QUIRE_SEGMENT_VRAM].size)
		return quire_say("page", "the device has no video memory", "use one that has some");
	counters_read(run->set.fd, &run->counters);
	choose_chunk(run);
	run->set.buffer = malloc(run->set.chunk);
	return run->set.buffer ? 0 : fail(run, "page", -ENOMEM);
}

static int scan(struct page_run *run)
{
	const char *list = run->options->files0_from;
	int ret;

	/* before anything is allocated: the kernel would rather kill us later */
	run->set.limit = memory_available();
	ret = set_scan(&run->set, list);
	if (ret == -E2BIG)
		return say_too_large(run);
	if (ret == -ENOMEM)
		return fail(run, "page", ret);
	if (ret == -EBADMSG)
		return quire_say("page", "it is neither a directory nor a whole image",
				 "make one with quire pack");
	if (ret)
		return quire_say(list ? "--files0-from" : "page", strerror(-ret),
				 "name one that can be read");
	if (!run->set.nr_files && !run->set.nr_unread)
		return quire_say("page", "there is no regular file in it",
				 "name another one");
	return 0;
}

static void shuffle(struct page_run *run)
{
	for (size_t i = run->set.nr_bos; i > 1; i--) {
		size_t j = random_below(&run->random, i);
		size_t last = run->order[i - 1];

		run->order[i - 1] = run->order[j];
		run->order[j] = last;
	}
}

static int place(struct page_run *run, const struct set_bo *bo, uint32_t segment, uint32_t flags)
{
	if (run->segments[segment].instance == QUIRE_NO_INSTANCE)
		return 0;
	return quire_bo_place(run->set.fd, bo->handle, segment, flags);
}

/* Mostly anywhere in VRAM, as eviction leaves room; now and then a part of it. */
static uint32_t vram_flags(struct page_run *run)
{
	const struct drm_quire_segment_info *vram = &run->segments[DRM_QUIRE_SEGMENT_VRAM];

	switch (random_below(&run->random, 8)) {
	case 0:
		return DRM_QUIRE_PLACE_VISIBLE;
	case 1:
		return vram->size >= 2 * vram->visible_size ? DRM_QUIRE_PLACE_INVISIBLE : 0;
	case 2:
		return DRM_QUIRE_PLACE_CONTIGUOUS;
	default:
		return 0;
	}
}

/* A detour over another segment, so that every pair of places is used. */
static int maybe_place_elsewhere(struct page_run *run, const struct set_bo *bo)
{
	switch (random_below(&run->random, 8)) {
	case 0:
		return place(run, bo, DRM_QUIRE_SEGMENT_APERTURE, 0);
	case 1:
		return place(run, bo, DRM_QUIRE_SEGMENT_SYSTEM, 0);
	default:
		return 0;
	}
}

static int page_bo(struct page_run *run, const struct set_bo *bo)
{
	int ret = maybe_place_elsewhere(run, bo);

	if (!ret)
		ret = place(run, bo, DRM_QUIRE_SEGMENT_VRAM, vram_flags(run));
	if (!ret)
		ret = maybe_place_elsewhere(run, bo);
	if (!ret && !random_below(&run->random, WAIT_EVERY))
		ret = quire_bo_wait(run->set.fd, bo->handle, WAIT_MS);
	progress_add(&run->progress, bo->bytes);
	return ret;
}

static int page_round(struct page_run *run, unsigned int round)
{
	shuffle(run);
	progress_start(&run->progress, run->set.bytes, "paging, round %u/%u", round,
		       run->options->rounds);
	for (size_t i = 0; i < run->set.nr_bos; i++) {
		int ret = page_bo(run, &run->set.bos[run->order[i]]);

		if (ret)
			return ret;
	}
	return 0;
}

static int page_rounds(struct page_run *run)
{
	int ret = 0;

	run->order = calloc(run->set.nr_bos + 1, sizeof(*run->order));
	if (!run->order)
		return -ENOMEM;
	for (size_t i = 0; i < run->set.nr_bos; i++)
		run->order[i] = i;
	for (unsigned int round = 1; round <= run->options->rounds && !ret; round++)
		ret = page_round(run, round);
	free(run->order);
	return ret;
}

static int summary(struct page_run *run, double seconds)
{
	const struct set *set = &run->set;
	struct counters now;

	progress_clear(&run->progress);
	fflush(stderr);
	counters_read(set->fd, &now);
	counters_print(&run->counters, &now);
	if (set->nr_differ)
		printf("quire: repeat it with --seed %" PRIu64 "\n", run->options->seed);
	printf("quire: paged %zu files, %" PRIu64 " bytes through %" PRIu64
	       " bytes of VRAM in %.1f s: %zu differ", set->nr_whole, set->bytes,
	       (uint64_t)run->segments[DRM_QUIRE_SEGMENT_VRAM].size, seconds, set->nr_differ);
	if (set->nr_unread)
		printf(", %zu not read", set->nr_unread);
	putchar('\n');
	return set->nr_differ || set->nr_unread ? QUIRE_EXIT_FAILED : 0;
}

static int run_all(struct page_run *run)
{
	int64_t start;
	int ret = open_source(run);

	if (!ret)
		ret = open_device(run);
	if (!ret)
		ret = scan(run);
	if (ret)
		return ret;
	start = quire_now_ns();
	ret = set_read(&run->set);
	if (ret)
		return fail(run, "reading files", ret);
	ret = page_rounds(run);
	if (ret)
		return fail(run, "paging", ret);
	ret = set_verify(&run->set);
	if (ret)
		return fail(run, "comparing", ret);
	return summary(run, (quire_now_ns() - start) / 1e9);
}

/* A deep directory needs a descriptor per level. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* What is allocated goes away with the process. */
int quire_page(const struct page_options *options)
{
	static struct page_run run;

	run.options = options;
	run.random = options->seed;
	run.progress.enabled = options->progress;
	run.set.command = "page";
	run.set.progress = &run.progress;
	raise_file_limit();
	memory_catch_lost();
	return run_all(&run);
}
