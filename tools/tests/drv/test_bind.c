// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * An allocation of the driver's own parts fails while it takes the device, one after the
 * other: it does not, and leaves nothing, or it does without. Needs a kernel with fault
 * injection, as the debug guest has it.
 *
 * Those of DRM and of interrupts are left out: in 6.12 drm_minor_alloc_release() puts a
 * device that there is not, and what removes an interrupt warns of its missing files.
 */
#include <string.h>
#include <unistd.h>

#include "failing.h"
#include "fixture.h"

#define MOST	400	/* allocations of one part */

/* Each of the first ones, then one of so many: a bind takes its time. */
#define FIRST	3
#define STEP	8

static const char * const parts[] = {
	"quire_coredump_init", "quire_reset_init", "quire_ring_init", "quire_aperture_init",
	"quire_paging_queue_init", "quire_ttm_init",
};

/**
 * struct tally - what came of all binds
 * @refused: there was no memory
 * @bound: the driver took the device, although an allocation failed
 * @error: what is neither
 */
struct tally {
	unsigned int refused;
	unsigned int bound;
	int error;
};

/* Returns: did an allocation fail? */
static bool bind_once(const char *address, unsigned int n, struct tally *tally)
{
	bool failed;
	int ret;

	failing_arm(n);
	ret = sysfs_driver_write("bind", address);
	failed = failing_disarm();
	if (!ret)
		tally->error = sysfs_driver_write("unbind", address);
	else if (ret != -ENOMEM)
		tally->error = ret;
	tally->refused += ret == -ENOMEM;
	tally->bound += failed && !ret;
	if (tally->error)
		tap_diag("allocation %u: bind says %d, then %d", n, ret, tally->error);
	return failed;
}

static void test_part(const char *address, const char *part)
{
	struct tally tally = { 0 };
	unsigned int n = 1;

	if (!failing_within(part))
		tap_bail("nobody knows where %s is", part);
	while (n < MOST && !tally.error && bind_once(address, n, &tally))
		n += n < FIRST ? 1 : STEP;
	tap_ret(tally.error, 0, "%s: the device is bound, or there is no memory", part);
	tap_ok(tally.refused + tally.bound && n < MOST,
	       "%s: %u times there was none, %u times it did without", part, tally.refused,
	       tally.bound);
}

int main(void)
{
	struct fixture fixture;
	char address[64];

	tap_start(120);
	fixture_open(&fixture);
	if (!failing_begin())
		tap_skip_all("no fault injection, or not root");
	tap_ret(sysfs_pci_address(fixture.fd, address, sizeof(address)), 0, "find the device");
	close(fixture.fd);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		test_part(address, parts[i]);
	failing_end();
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	fixture_reopen(&fixture);
	fixture_test_works(&fixture);
	return tap_done();
}
