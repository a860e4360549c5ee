// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is wrong with commands and their patch locations is found before anything of them runs:
 * each rule has its errno, and says where.
 */
#include "attempt.h"

static void test_forms(struct scene *s)
{
	COMMAND(-EMSGSIZE, COPY, "size 0", copy(&a)->header.size = 0);
	COMMAND(-EMSGSIZE, COPY, "half a word", copy(&a)->header.size += 4);
	COMMAND(-EMSGSIZE, COPY, "a word too many", copy(&a)->header.size += 8);
	COMMAND(-EPROTO, COPY, "a word too few", copy(&a)->header.size -= 8);
	COMMAND(-EMSGSIZE, COPY, "size -8", copy(&a)->header.size = -8);
	COMMAND(-EPROTO, COPY, "longer than its kind",
		copy(&a)->header.size += 8; a.submit.commands_size += 8);
	COMMAND(-EOPNOTSUPP, COPY, "opcode 0", copy(&a)->header.opcode = 0);
	COMMAND(-EOPNOTSUPP, COPY, "of the paging ring", copy(&a)->header.opcode = 1);
	COMMAND(-EOPNOTSUPP, COPY, "before the first",
		copy(&a)->header.opcode = QUIRE_COMMAND_FIRST - 1);
	COMMAND(-EOPNOTSUPP, COPY, "behind the last",
		copy(&a)->header.opcode = QUIRE_COMMAND_LAST + 1);
	COMMAND(-EOPNOTSUPP, COPY, "of registers",
		copy(&a)->header.opcode = QUIRE_COMMAND_SET_REGISTER);
	COMMAND(-EDOM, COPY, "a copy with a flag", copy(&a)->header.flags = 1);
	COMMAND(-EDOM, COPY, "a copy of nothing", copy(&a)->size = 0);
	COMMAND(-EADDRINUSE, SRC, "an address of its own", copy(&a)->src = 8);
	COMMAND(-EADDRINUSE, DST, "another one", copy(&a)->dst = 1ull << 63);
	COMMAND(-EDOM, 0, "a NOP with a flag", a.nop.flags = 1);
	COMMAND(-EDOM, COPY, "a delay with a flag",
		alone(&a, header(QUIRE_COMMAND_DELAY, 1, sizeof(struct quire_command_delay))));
	COMMAND(-EDOM, COPY, "a signal of a native fence",
		alone(&a, header(QUIRE_COMMAND_SIGNAL_NATIVE, 0,
				 sizeof(struct quire_command_signal_native))));
}

#define FORM(type, opcode, flags) \
	header(QUIRE_COMMAND_##opcode, flags, sizeof(struct quire_command_##type))

static void test_fields(struct scene *s)
{
	struct quire_command_fill *fill;
	struct quire_command_arithmetic *arithmetic;

	COMMAND(-EDOM, COPY, "fill nothing", alone(&a, FORM(fill, FILL, 0)));
	COMMAND(-EDOM, COPY, "fill half a number",
		fill = alone(&a, FORM(fill, FILL, 0)); fill->size = 6);
	COMMAND(-EDOM, COPY, "fill with more",
		fill = alone(&a, FORM(fill, FILL, 0)); fill->size = 8; fill->reserved = 1);
	COMMAND(-EDOM, COPY, "arithmetic of no kind",
		arithmetic = alone(&a, FORM(arithmetic, ARITHMETIC, 0)); arithmetic->size = 8);
	COMMAND(-EDOM, COPY, "arithmetic of both kinds",
		arithmetic = alone(&a, FORM(arithmetic, ARITHMETIC, 3)); arithmetic->size = 8);
	COMMAND(-EDOM, COPY, "arithmetic of a third kind",
		arithmetic = alone(&a, FORM(arithmetic, ARITHMETIC, 4)); arithmetic->size = 8);
	COMMAND(-EDOM, COPY, "arithmetic of half a number",
		arithmetic = alone(&a, FORM(arithmetic, ARITHMETIC, 1)); arithmetic->size = 2);
	COMMAND(-EDOM, COPY, "hash nothing", alone(&a, FORM(checksum, CHECKSUM, 0)));
	COMMAND(-EDOM, COPY, "compare nothing", alone(&a, FORM(compare, COMPARE, 0)));
	COMMAND(-EDOM, COPY, "wait for nothing", alone(&a, FORM(wait_value, WAIT_VALUE, 0)));
	COMMAND(-EDOM, COPY, "wait for both", alone(&a, FORM(wait_value, WAIT_VALUE, 3)));
	COMMAND(-EDOM, COPY, "write a value with a flag",
		alone(&a, FORM(write_value, WRITE_VALUE, 1)));
}

static struct quire_command_2d *surfaces(struct attempt *attempt, uint16_t opcode)
{
	const struct quire_command_surface surface = {
		.layout = DRM_QUIRE_LAYOUT_LINEAR, .pitch = 64, .width = 16, .height = 16,
		.levels = 1, .array_size = 1,
	};
	struct quire_command_2d *rectangle =
		alone(attempt, header(opcode, 0, sizeof(struct quire_command_2d)));

	rectangle->src = surface;
	rectangle->dst = surface;
	rectangle->element_shift = 2;
	rectangle->columns = 16;
	rectangle->rows = 16;
	return rectangle;
}

/* From the first allocation to the second one. */
static struct quire_command_2d *placed_surfaces(struct attempt *attempt)
{
	struct quire_command_2d *rectangle = surfaces(attempt, QUIRE_COMMAND_COPY_2D);

	attempt->submit.allocations.count = 2;
	attempt->submit.patches.count = 2;
	attempt->patches[0].patch_offset = COPY + offsetof(struct quire_command_2d, src);
	attempt->patches[1].patch_offset = COPY + offsetof(struct quire_command_2d, dst);
	return rectangle;
}

#define SURFACE(name, ...) \
	COMMAND(-EDOM, COPY, name, r = surfaces(&a, QUIRE_COMMAND_COPY_2D); __VA_ARGS__)

static void test_surfaces(struct scene *s)
{
	struct quire_command_2d *r;

	SURFACE("something reserved", r->reserved = 1);
	SURFACE("elements of 32 bytes", r->element_shift = 5);
	SURFACE("layout 3", r->dst.layout = 3);
	SURFACE("no width", r->src.width = 0);
	SURFACE("too wide", r->src.width = 16385; r->src.pitch = 65540);
	SURFACE("no height", r->dst.height = 0);
	SURFACE("too high", r->dst.height = 16385);
	SURFACE("no level", r->src.levels = 0);
	SURFACE("linear with levels", r->src.levels = 2);
	SURFACE("linear with slices", r->src.array_size = 2);
	SURFACE("a level that is not there", r->src.level = 1);
	SURFACE("a slice that is not there", r->src.slice = 1);
	SURFACE("less than a row", r->dst.pitch = 60);
	SURFACE("rows that are not aligned", r->dst.pitch = 66);
	SURFACE("tiled with a pitch", r->dst.layout = DRM_QUIRE_LAYOUT_TILE_4K);
	COMMAND(-EDOM, COPY, "blend elements of 8 bytes",
		r = surfaces(&a, QUIRE_COMMAND_BLEND);
		r->element_shift = 3; r->src.pitch = 128; r->dst.pitch = 128);
	COMMAND(-EDESTADDRREQ, COPY + 8, "surfaces of nobody",
		surfaces(&a, QUIRE_COMMAND_COPY_2D));
}

static void test_patches(struct scene *s)
{
	const uint32_t slots = s->work.fixture.info.slots;

	PATCH(-EINVAL, 1, 0, "pad", a.patches[1].pad = 1);
	PATCH(-EBADSLT, 1, DST, "no such allocation", a.patches[1].allocation = 2);
	PATCH(-EBADSLT, 0, SRC, "allocation -1", a.patches[0].allocation = UINT32_MAX);
	PATCH(-ECHRNG, 1, DST, "no such slot", a.patches[1].slot = slots);
	PATCH(-ECHRNG, 1, DST, "slot -1", a.patches[1].slot = UINT32_MAX);
	PATCH(-EILSEQ, 1, 0, "not in order", a.patches[1].split_offset = 0);
	PATCH(-EBADMSG, 0, SRC, "split within a command", a.patches[0].split_offset = SRC);
	PATCH(-EBADMSG, 1, COPY + 4, "split within a word", a.patches[1].split_offset = COPY + 4);
	PATCH(-EBADMSG, 1, COPY_END, "split at the end", a.patches[1].split_offset = COPY_END);
	PATCH(-EBADMSG, 1, -8u, "split far behind", a.patches[1].split_offset = -8u);
	PATCH(-ENXIO, 0, COPY, "patch a header", a.patches[0].patch_offset = COPY);
	PATCH(-ENXIO, 0, DST + 8, "patch a size", a.patches[0].patch_offset = DST + 8);
	PATCH(-ENXIO, 0, SRC + 4, "patch half an address", a.patches[0].patch_offset = SRC + 4);
	PATCH(-ENXIO, 1, COPY_END, "patch the end", a.patches[1].patch_offset = COPY_END);
	PATCH(-ENXIO, 1, -8u, "patch far behind", a.patches[1].patch_offset = -8u);
	PATCH(-EEXIST, 1, SRC, "patch twice", a.patches[1] = a.patches[0]);
	PATCH(-EPROTOTYPE, 0, SRC, "another field", a.patches[0].driver_id = DRM_QUIRE_PATCH_DST);
	PATCH(-EPROTOTYPE, 1, DST, "no field", a.patches[1].driver_id = 3);
}

/* The third element binds or unbinds a slot at another command. */
static void test_bindings(struct scene *s)
{
#define BINDING(expected, entry, offset, name, ...) \
	PATCH(expected, entry, offset, name, append(&a, header(QUIRE_COMMAND_NOP, 0, NOP));	\
	      a.allocations[2].handle = 0; a.submit.allocations.count = 3;	\
	      a.submit.patches.count = 3; a.patches[2].allocation = 2;	\
	      a.patches[2].split_offset = COPY; __VA_ARGS__)

	BINDING(-ESTALE, 0, SRC, "unbound before", a.patches[2].slot = 0);
	BINDING(-ESTALE, 1, DST, "unbound before, another one", a.patches[2].slot = 1);
	BINDING(-EBADE, 2, COPY, "unbind a field", a.patches[2].driver_id = 1);
	BINDING(-EBADE, 2, COPY, "unbind with an offset", a.patches[2].allocation_offset = 8);
	BINDING(-EBADE, 2, COPY, "unbind with a place", a.patches[2].patch_offset = SRC);
	PATCH(-ESTALE, 0, SRC, "one slot for both", a.patches[1].slot = 0);
	PATCH(-ESTALE, 1, DST, "bound too late", append(&a, header(QUIRE_COMMAND_NOP, 0, NOP));
	      a.patches[1].split_offset = COPY_END);
}

static void test_uses(struct scene *s)
{
	struct quire_command_fill *fill;
	struct quire_command_2d *r;

	COMMAND(-EDESTADDRREQ, DST, "an address of nobody", a.submit.patches.count = 1);
	COMMAND(-EDESTADDRREQ, SRC, "two of them", a.submit.patches.count = 0);
	PATCH(-EADDRNOTAVAIL, 0, COPY + 8, "fill not aligned",
	      fill = writes(&a, FORM(fill, FILL, 0), 8); fill->size = 4;
	      a.patches[0].allocation_offset += 2);
	PATCH(-EADDRNOTAVAIL, 0, COPY + 8, "value not aligned",
	      writes(&a, FORM(write_value, WRITE_VALUE, 0), 8);
	      a.patches[0].allocation_offset += 4);
	PATCH(-EADDRNOTAVAIL, 0, COPY + 8, "surface not aligned",
	      placed_surfaces(&a); a.patches[0].allocation_offset += 2);
	PATCH(-EMEDIUMTYPE, 0, COPY + 8, "tiles in the aperture",
	      r = placed_surfaces(&a); r->src.layout = DRM_QUIRE_LAYOUT_TILE_4K;
	      r->src.pitch = 0; a.patches[0].allocation_offset = 0;
	      a.allocations[0] = (struct drm_quire_allocation){ s->apart, 0, 0, QUIRE_PAGE });
	PATCH(-EOVERFLOW, 0, SRC, "a byte too many", copy(&a)->size++; a.allocations[1].size++);
	PATCH(-EOVERFLOW, 1, DST, "a byte too far", a.patches[1].allocation_offset++);
	PATCH(-EOVERFLOW, 1, DST, "a byte too early", a.patches[1].allocation_offset--);
	PATCH(-EOVERFLOW, 0, SRC, "no byte of the object", a.patches[0].allocation_offset = -8ull);
	PATCH(-EOVERFLOW, 0, SRC, "as many bytes as there are numbers",
	      copy(&a)->size = UINT64_MAX);
	PATCH(-EXDEV, 0, COPY + 8, "an image that goes on behind its object",
	      r = placed_surfaces(&a); r->src.layout = DRM_QUIRE_LAYOUT_TILE_4K;
	      r->src.pitch = 0; r->src.array_size = 2048);
	PATCH(-EACCES, 1, DST, "write what is read", a.allocations[1].flags = 0);
}

int main(void)
{
	struct scene scene;

	tap_start(60);
	scene_open(&scene);
	test_forms(&scene);
	test_fields(&scene);
	test_surfaces(&scene);
	test_patches(&scene);
	test_bindings(&scene);
	test_uses(&scene);
	scene_close(&scene);
	return tap_done();
}
