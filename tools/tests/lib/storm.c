// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "storm.h"

#define MOST	256u

static pid_t start(int (*run)(uint64_t seed), uint64_t seed)
{
	pid_t pid = child_start(380);

	if (!pid)
		_exit(run(seed));
	return pid;
}

/**
 * struct weather - what became of them
 * @ended: well
 * @failed: found what they should not
 * @killed: by the test
 */
struct weather {
	unsigned int ended;
	unsigned int failed;
	unsigned int killed;
};

/* One of them, if it has ended, or is killed now. */
static bool is_over(struct weather *weather, pid_t pid, bool now)
{
	int status;

	if (now)
		kill(pid, SIGKILL);
	if (waitpid(pid, &status, now ? 0 : WNOHANG) != pid)
		return false;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && now)
		weather->killed++;
	else if (WIFEXITED(status) && !WEXITSTATUS(status))
		weather->ended++;
	else
		weather->failed++;
	return true;
}

/**
 * storm_blow - processes run, and each fourth one is killed, and others come
 * @run: of each, with a number of its own; returns 0 if all was as it should be
 * @count: so many at a time
 * @seconds: that new ones come
 */
void storm_blow(int (*run)(uint64_t seed), unsigned int count, unsigned int seconds)
{
	int64_t end = quire_now_ns() + seconds * 1000000000ll;
	struct weather weather = { 0 };
	pid_t pids[MOST];
	uint64_t random = 1;

	if (count > MOST)
		count = MOST;
	for (unsigned int i = 0; i < count; i++)
		pids[i] = start(run, random_next(&random));
	while (quire_now_ns() < end) {
		unsigned int i = random_below(&random, count);

		if (is_over(&weather, pids[i], !random_below(&random, 4)))
			pids[i] = start(run, random_next(&random));
		test_sleep_ms(random_below(&random, 40));
	}
	for (unsigned int i = 0; i < count; i += 2)
		is_over(&weather, pids[i], true);
	for (unsigned int i = 1; i < count; i += 2)
		while (!is_over(&weather, pids[i], false))
			test_sleep_ms(10);
	tap_ok(!weather.failed, "%u of %u failed", weather.failed, weather.ended);
	tap_ok(weather.ended, "some came to their end");
	tap_ok(weather.killed, "%u were killed", weather.killed);
}
