// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdio.h>
#include <unistd.h>

#include "armed.h"
#include "holes.h"
#include "vgem.h"

uint64_t armed_interrupts(const struct armed *armed)
{
	return fixture_count(&armed->work.fixture, "interrupts");
}

/*
 * Since they were @before: else a look of the watchdog, each second, has found what was done. One
 * is all that can be asked for: a message of the device that has not been taken yet stands for
 * all that is done until it is.
 */
bool armed_interrupted(const struct armed *armed, uint64_t before)
{
	return holds(fixture_count_reaches(&armed->work.fixture, "interrupts", before + 1,
					   INTERRUPT_MS),
		     "an interrupt says it is done");
}

void armed_patience(unsigned int milliseconds)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", milliseconds);
	must(sysfs_parameter_write("hang_period", text), "hang_period");
}

/* Of the paging ring. */
int armed_inject(const struct armed *armed, const char *what)
{
	return debugfs_write(armed->work.fixture.debugfs, "inject", what);
}

/* To VRAM, and back. */
int armed_move(const struct armed *armed)
{
	return object_place_and_wait(&armed->work.fixture, &armed->moves, &places[2]) ?:
	       object_place_and_wait(&armed->work.fixture, &armed->moves, &places[0]);
}

bool armed_moves_are_right(const struct armed *armed)
{
	return succeeds(armed_move(armed), "move") &&
	       succeeds(object_check(&armed->work.fixture, &armed->moves), "content");
}

int armed_place(const struct armed *armed, const struct quire_object *object,
		const struct place *place)
{
	return quire_bo_place(armed->work.fixture.fd, quire_object_handle(object), place->segment,
			      place->flags) ?: quire_object_wait(object, WAIT_MS * 1000000ll);
}

/* What is recorded, to be executed after all that @context has there. */
void armed_queue(struct armed *armed, struct quire_context *context, uint32_t ring,
		 struct quire_fence *fence)
{
	must(work_submit(&armed->work, context, ring, NULL, fence), "submit");
}

int armed_run(struct armed *armed, uint32_t ring)
{
	struct quire_fence *fence = work_fence(&armed->work);
	int ret = work_submit(&armed->work, armed->context, ring, NULL, fence);

	if (!ret)
		ret = work_fence_wait(fence);
	quire_fence_close(fence);
	return ret;
}

static unsigned int what_it_has(const struct armed *armed)
{
	const struct drm_quire_device_info *info = &armed->work.fixture.info;
	int vgem = vgem_open();
	unsigned int has = 0;

	if (info->caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		has |= ARMED_COPIES;
	if (has && !armed_inject(armed, "hang 0"))
		has |= ARMED_INJECTION;
	if (info->aperture_window_size >= 2 * ARMED_SIZE)
		has |= ARMED_WINDOW;
	if (info->swizzling_ranges >= 2 && info->swizzling_range_size >= ARMED_SIZE)
		has |= ARMED_RANGES;
	if (vgem >= 0)
		has |= ARMED_VGEM;
	close(vgem);
	if (*armed->address)
		has |= ARMED_ADDRESS;
	return has;
}

/* NULL: nothing that is needed. */
const char *armed_lacks(const struct armed *armed, unsigned int needs)
{
	static const struct {
		unsigned int what;
		const char *reason;
	} reasons[] = {
		{ ARMED_COPIES, "the CPU makes the moves" },
		{ ARMED_INJECTION, "no fault injection, or the CPU makes the moves" },
		{ ARMED_WINDOW, "the aperture has no window" },
		{ ARMED_RANGES, "no swizzling ranges" },
		{ ARMED_VGEM, "no vgem here" },
		{ ARMED_ADDRESS, "the device is not of the PCI" },
		{ ARMED_SLEEP, "no pm_test, or a share of the host, which does not last" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (needs & ~armed->has & reasons[i].what)
			return reasons[i].reason;
	return NULL;
}

/* Before anything else is placed in VRAM: the holes are those of holes_make(). */
static void open_pieces(struct armed *armed)
{
	struct holes holes = { 0 };

	holes_make(&holes, &armed->work);
	armed->pieces = holes_object(&armed->work, 2 * holes.size + ARMED_SIZE);
	space_soil(armed->pieces, ARMED_KEY);
	quire_object_unmap(armed->pieces);
	must(armed_place(armed, armed->pieces, &places[2]), "pieces");
	holes_close(&holes);
}

void armed_open(struct armed *armed)
{
	const unsigned int sleeps = armed->has & ARMED_SLEEP;

	*armed = (struct armed){ 0 };
	work_begin(&armed->work);
	if (!*armed->work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (sysfs_pci_address(armed->work.fixture.fd, armed->address, sizeof(armed->address)))
		armed->address[0] = '\0';
	armed->has = what_it_has(armed) | sleeps;
	armed_patience(WORK_PATIENCE_MS);
	if (armed->has & ARMED_COPIES)
		open_pieces(armed);
	space_open(&armed->space, &armed->work);
	armed->context = work_context(&armed->work);
	armed->result = work_object(&armed->work, QUIRE_PAGE);
	must(object_create(&armed->work.fixture, &armed->moves, QUIRE_MIB, ARMED_KEY), "object");
}

void armed_close(struct armed *armed)
{
	object_close(&armed->work.fixture, &armed->moves);
	if (armed->shared)
		close(armed->dmabuf);
	quire_object_close(armed->shared);
	quire_object_close(armed->pieces);
	quire_object_close(armed->result);
	quire_context_destroy(armed->context);
	space_close(&armed->space);
	armed_patience(3000);
	work_end(&armed->work);
}

/* Those of work first: what had begun is looked at before anything else is begun. */
const struct look *armed_look(unsigned int number)
{
	return number < ARMED_WORK_LOOKS ? &armed_work_looks[number] :
					   &armed_memory_looks[number - ARMED_WORK_LOOKS];
}
