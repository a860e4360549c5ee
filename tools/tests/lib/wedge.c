// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <unistd.h>

#include "kmsg.h"
#include "wedge.h"
#include "work.h"

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/**
 * wedge_begin - let the device hang at the next move; no watchdog acts until wedge_restore()
 * @fixture: the device
 */
void wedge_begin(const struct fixture *fixture)
{
	test_parameter("hang_restarts", 0);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
}

/**
 * wedge_restore - let the watchdog reset the device, and inject a fault into its restore
 * @fixture: the device
 * @command: for "inject", from the first packet after the reset on
 */
void wedge_restore(const struct fixture *fixture, const char *command)
{
	fixture_wait_hung(fixture);
	fixture_inject(fixture, command);
	test_parameter("hang_period", 500);
}

/* It was given up. */
void wedge_end(void)
{
	test_parameter("hang_period", 3000);
	test_parameter("hang_restarts", 1);
}

/**
 * wedge - the device hangs at a move, and fails at the first packet after its reset
 * @fixture: the device; given up when this returns
 */
void wedge(const struct fixture *fixture)
{
	struct object object;
	int log = kmsg_open();

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 9), 0, "one that moves");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "it is in the aperture");
	wedge_begin(fixture);
	tap_ret(object_place(fixture, &object, &vram), 0, "it moves");
	wedge_restore(fixture, "fault 1");
	tap_ok(kmsg_wait(log, "the device is wedged", WAIT_MS), "the device is given up");
	wedge_end();
	close(log);
}

/* It may neither read nor write memory of the machine, nor interrupt. */
static bool forbid_memory(const char *address)
{
	uint16_t command;
	char path[96];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	done = pread(fd, &command, sizeof(command), PCI_COMMAND) == sizeof(command);
	command &= ~PCI_COMMAND_MASTER;
	done = done && pwrite(fd, &command, sizeof(command), PCI_COMMAND) == sizeof(command);
	close(fd);
	return done;
}

/**
 * wedge_by_reset - the function is reset, and the device does not work after that
 * @fixture: the device, at which nothing is queued; given up when this returns, and no use to
 *           anybody until the driver is bound again
 */
void wedge_by_reset(const struct fixture *fixture)
{
	struct object object;
	int log = kmsg_open();
	char address[64];

	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "find the device");
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 9), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0,
		"it is in the aperture, which has to be restored");
	tap_ok(forbid_memory(address), "the device can not read what to do");
	tap_ret(sysfs_reset(address), 0, "reset the function");
	tap_ok(kmsg_wait(log, "the device does not work after a reset", WAIT_MS),
	       "the device is given up");
	close(log);
}
