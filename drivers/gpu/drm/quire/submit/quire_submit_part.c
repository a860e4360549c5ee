// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Queueing a part
 *
 * The objects of the part are reserved, and stay where they are until its fence signals. Its
 * commands are copied with their addresses (commands/quire_command_patch.c).
 */
#include <linux/dma-resv.h>

#include "commands/quire_command_patch.h"
#include "core/quire_options.h"
#include "bo/quire_bo.h"
#include "exec/quire_command_job.h"
#include "quire_submit.h"

static struct quire_submit *to_submit(struct quire_commands *commands)
{
	return container_of(commands, struct quire_submit, commands);
}

static struct quire_submit_object *part_object(struct quire_submit *submit, u32 i)
{
	return &submit->objects[submit->part->objects ? submit->part->objects[i] : i];
}

static int part_depend(struct quire_commands *commands, struct drm_sched_job *job)
{
	struct quire_submit *submit = to_submit(commands);
	int ret = 0;
	u32 i;

	for (i = 0; i < submit->part->nr_objects && !ret; i++) {
		struct quire_submit_object *object = part_object(submit, i);
		struct dma_resv *resv = object->bo->base.base.resv;

		/* Two objects may share it, one of which is written, and the other one read. */
		ret = dma_resv_reserve_fences(resv, 2) ?:
		      drm_sched_job_add_resv_dependencies(job, resv,
							  dma_resv_usage_rw(object->writes));
	}
	return ret;
}

static void part_patch(struct quire_commands *commands, u32 start, u32 end)
{
	unsigned int times = READ_ONCE(quire_options.patch_commands_twice) ? 2 : 1;
	struct quire_submit *submit = to_submit(commands);

	while (times--)
		quire_command_patch((void *)commands->memory->words + start, &submit->list,
				    submit->fields, start, end, submit->addresses);
}

static void part_publish(struct quire_commands *commands)
{
	struct quire_submit *submit = to_submit(commands);
	u32 i;

	for (i = 0; i < submit->part->nr_objects; i++) {
		struct quire_submit_object *object = part_object(submit, i);

		dma_resv_add_fence(object->bo->base.base.resv, commands->fence,
				   object->writes ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
	}
}

const struct quire_commands_ops quire_submit_ops = {
	.depend = part_depend,
	.patch = part_patch,
	.publish = part_publish,
};

/**
 * quire_submit_part - queue a part
 * @submit: the submission
 * @part: its objects are reserved, and are at &quire_submit.addresses
 *
 * Returns: as quire_commands_queue().
 *
 * Source: DXGKDDI_PATCH.
 */
int quire_submit_part(struct quire_submit *submit, const struct quire_submit_part *part)
{
	submit->part = part;
	return quire_commands_queue(&submit->commands, 0, part->start, part->end);
}
