// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "native.h"

int native_create(int fd, uint32_t vm, uint64_t value, struct native *native)
{
	struct drm_quire_fence_create create = {
		.value = value, .flags = DRM_QUIRE_FENCE_NATIVE, .vm = vm,
	};
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_FENCE_CREATE, &create);

	*native = (struct native){
		.base = { .fd = fd, .handle = create.handle }, .number = create.number,
	};
	return ret;
}

void native_open_in(struct native *native, int fd, uint32_t vm, uint64_t value)
{
	int ret = native_create(fd, vm, value, native);
	void *page;

	if (ret)
		tap_bail("native fence: %s", strerror(-ret));
	page = mmap(NULL, QUIRE_PAGE, PROT_READ, MAP_SHARED, fd,
		    monitored_offset(fd, native->base.handle));
	if (page == MAP_FAILED)
		tap_bail("map a native fence");
	native->base.page = page;
}

void native_open(struct native *native, const struct space *space, uint64_t value)
{
	native_open_in(native, space->work->fixture.fd, quire_vm_id(space->vm), value);
}

uint64_t native_value(const struct native *native)
{
	return monitored_value(&native->base);
}

uint64_t native_monitored(const struct native *native)
{
	return __atomic_load_n(native->base.page + NATIVE_MONITORED, __ATOMIC_ACQUIRE);
}

void native_write_signal(struct space *space, uint32_t number, uint64_t value)
{
	struct quire_command_signal_native command = { .fence = number, .value = value };

	quire_write(&space->writer, &command, QUIRE_COMMAND_SIGNAL_NATIVE, 0, sizeof(command));
}

int native_signal(struct space *space, const struct native *native, uint64_t value)
{
	native_write_signal(space, native->number, value);
	return space_run(space);
}

/**
 * native_known - ask the device where a fence is
 * @work: the device
 * @number: of the fence
 * @known: returned
 * @interrupts: returned, how many signals were told of; or NULL
 *
 * Returns false if it is nowhere.
 */
bool native_known(const struct work *work, uint32_t number, struct native_known *known,
		  uint64_t *interrupts)
{
	static char text[1 << 16];
	unsigned int found;
	char *line;

	if (debugfs_read(work->fixture.debugfs, "device_natives", text, sizeof(text)) < 0)
		tap_bail("device_natives");
	if (interrupts && sscanf(text, "interrupts %" SCNu64, interrupts) != 1)
		tap_bail("no interrupts");
	for (line = strchr(text, '\n'); line; line = strchr(line + 1, '\n'))
		if (sscanf(line + 1, "fence %u %" SCNx64 " %" SCNx64 " %" SCNx64, &found,
			   &known->owner, &known->value, &known->monitored) == 4 &&
		    found == number)
			return true;
	return false;
}

/* What has executed lets its objects go a little after it has signalled. */
bool native_is_nowhere_soon(const struct work *work, uint32_t number)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	struct native_known known;

	do {
		fixture_flush_discards(&work->fixture);
		if (!native_known(work, number, &known, NULL))
			return true;
		test_sleep_ms(20);
	} while (quire_now_ns() < end);
	return false;
}

uint64_t native_interrupts(const struct work *work)
{
	struct native_known known;
	uint64_t count;

	native_known(work, 0, &known, &count);
	return count;
}
