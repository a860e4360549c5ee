// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver does not take what it can not drive: a function without its registers, one without
 * messages, one that DRM does not register. It says so, leaves nothing, and takes the device
 * when all is well again.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing.h"
#include "fixture.h"
#include "kmsg.h"

#define DEVICES		"/sys/bus/pci/devices/"
#define HOST_BRIDGE	"0000:00:00.0"
#define BAR0		0x10

/*
 * Allocations that fail: of an interrupt, and of the node that programs open. Later ones of
 * interrupts are of files in /proc, and the kernel warns when it removes what is not there.
 */
#define IRQ_FAILURES	1
#define NODE_FAILURES	3

static bool device_write(const char *address, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/%s", address, name);
	return failing_write(path, text);
}

/* @said: in the kernel's log */
static void expect_refused(const char *address, int error, const char *why, const char *said)
{
	int log = kmsg_open();

	tap_ret(sysfs_driver_write("bind", address), error, "it is refused: %s", why);
	tap_ok(kmsg_wait(log, said, WAIT_MS), "the log says so: %s", said);
	close(log);
}

/* No MSI-X, as with the kernel's parameter pci=nomsi. */
static void test_messages(const char *address)
{
	tap_ok(device_write(address, "msi_bus", "0"), "it may send no messages");
	expect_refused(address, -EINVAL, "it can not interrupt", "failed with error -22");
	tap_ok(device_write(address, "msi_bus", "1"), "it may send messages");
}

static int config_open(const char *address)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/config", address);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Its registers are not where the kernel has put them: nobody answers there. */
static void test_identity(const char *address)
{
	uint32_t bar, nowhere = 0;
	int config = config_open(address);

	tap_ok(pread(config, &bar, sizeof(bar), BAR0) == sizeof(bar), "read where BAR 0 is");
	tap_ok(pwrite(config, &nowhere, sizeof(nowhere), BAR0) == sizeof(nowhere),
	       "put it elsewhere");
	expect_refused(address, -ENODEV, "nobody answers", "not a Quire device");
	tap_ok(pwrite(config, &bar, sizeof(bar), BAR0) == sizeof(bar), "put it back");
	close(config);
}

/* A function that has no BAR 0, and no driver. */
static void test_other_device(void)
{
	tap_ok(device_write(HOST_BRIDGE, "driver_override", "quire"),
	       "the host bridge is said to be ours");
	tap_ret(sysfs_driver_write("bind", HOST_BRIDGE), -ENODEV,
		"it is refused: it has no registers");
	tap_ok(device_write(HOST_BRIDGE, "driver_override", "\n"), "it is nobody's again");
}

/* The first allocations of a part fail, one after the other: it is refused, or does without. */
static void test_part(const char *address, const char *part, unsigned int count)
{
	unsigned int refused = 0, failed = 0;
	int ret = 0;

	if (!failing_within(part))
		tap_bail("nobody knows where %s is", part);
	for (unsigned int n = 1; n <= count && !ret; n++) {
		failing_arm(n);
		ret = sysfs_driver_write("bind", address);
		failed += failing_disarm();
		refused += ret == -ENOMEM;
		ret = ret == -ENOMEM ? 0 : ret ?: sysfs_driver_write("unbind", address);
	}
	tap_ret(ret, 0, "%s: %u of %u binds without memory are refused", part, refused, count);
	tap_ok(refused && failed == count, "there were such allocations");
}

int main(void)
{
	struct fixture fixture;
	char address[64];

	tap_start(60);
	fixture_open(&fixture);
	if (getuid() || sysfs_pci_address(fixture.fd, address, sizeof(address)))
		tap_skip_all("not root");
	close(fixture.fd);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	test_messages(address);
	test_identity(address);
	test_other_device();
	if (failing_begin()) {
		test_part(address, "pci_request_irq", IRQ_FAILURES);
		test_part(address, "device_add", NODE_FAILURES);
		failing_end();
	} else {
		tap_skip("the kernel has no fault injection", "out of memory");
	}
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	fixture_reopen(&fixture);
	fixture_test_works(&fixture);
	return tap_done();
}
