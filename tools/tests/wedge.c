// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <unistd.h>

#include "kmsg.h"
#include "wedge.h"

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/**
 * wedge - the device hangs at a move, and at the first packet after its reset
 * @fixture: the device, which has hang_period of the caller; given up when this returns
 */
void wedge(const struct fixture *fixture)
{
	struct object object;
	int log = kmsg_open();

	test_parameter("hang_restarts", 0);
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 9), 0, "one that moves");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "it is in the aperture");
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &object, &vram), 0, "it moves");
	fixture_wait_hung(fixture);
	fixture_inject(fixture, "fault 1");
	tap_ok(kmsg_wait(log, "the device is wedged", WAIT_MS), "the device is given up");
	test_parameter("hang_restarts", 1);
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
