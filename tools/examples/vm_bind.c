// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands with virtual addresses: binds two objects and the commands, which are the bytes of a
 * third one, in an address space, and has the device fill the one, copy it to the other, and
 * hash that. What is waited for is a fence: objects of an address space have none.
 */
#include <err.h>
#include <inttypes.h>
#include <string.h>
#include <libquire.h>

#define SIZE		(1024 * 1024)
#define PAGE		4096
#define COMMANDS	0x100000000 /* addresses are the program's to choose */
#define FROM		0x200000000
#define TO		0x300000000

static void check(int ret, const char *what)
{
	if (ret)
		errx(1, "%s: %s", what, strerror(-ret));
}

static struct quire_object *bind_new(struct quire_device *device, struct quire_vm *vm,
				     uint64_t address, uint64_t size, void **bytes)
{
	const struct quire_object_options options = { .size = size };
	struct quire_object *object;

	check(quire_object_create(device, &options, &object), "create");
	check(quire_object_map(object, bytes), "map");
	check(quire_vm_map(vm, address, object, 0, size, 0), "bind");
	return object;
}

int main(void)
{
	struct quire_fence_point end = { 0 };
	const struct quire_submission how = { .nr_signals = 1, .signals = &end };
	struct quire_writer writer = { .size = PAGE - sizeof(uint64_t) };
	struct quire_object *objects[3];
	struct quire_context *context;
	struct quire_device *device;
	struct quire_fence *fence;
	uint64_t sum = PAGE - sizeof(sum); /* behind the commands */
	struct quire_vm *vm;
	void *from, *to;

	check(quire_device_open(NULL, &device), "open");
	check(quire_vm_create(device, &vm), "address space");
	check(quire_context_create_in(vm, DRM_QUIRE_PRIORITY_NORMAL, &context), "context");
	check(quire_fence_create(device, &fence), "fence");
	objects[0] = bind_new(device, vm, COMMANDS, PAGE, &writer.bytes);
	objects[1] = bind_new(device, vm, FROM, SIZE, &from);
	objects[2] = bind_new(device, vm, TO, SIZE, &to);

	quire_write_fill(&writer, FROM, SIZE, 0x71717171);
	quire_write_copy(&writer, FROM, TO, SIZE);
	quire_write_checksum(&writer, TO, SIZE, COMMANDS + sum);
	end.fence = fence;
	check(quire_exec(context, COMMANDS, writer.used, &how, NULL), "exec");
	check(quire_fence_wait(fence, 0, QUIRE_FOREVER), "wait");

	if (memcmp(from, to, SIZE) || *(char *)to != 'q')
		errx(1, "they differ");
	memcpy(&sum, (char *)writer.bytes + sum, sizeof(sum));
	warnx("%d bytes at %#" PRIx64 ", hash %016" PRIx64, SIZE, (uint64_t)TO, sum);

	for (int i = 0; i < 3; i++)
		quire_object_close(objects[i]);
	quire_fence_close(fence);
	quire_context_destroy(context);
	quire_vm_destroy(vm);
	quire_device_close(device);
	return 0;
}
