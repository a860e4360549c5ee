// SPDX-License-Identifier: GPL-2.0 OR MIT
/* One submission with all that it uses in lists, which the driver divides. */
#include <inttypes.h>

#include "draw_run.h"

static int submit(struct draw_run *run, struct quire_recorder *recorder,
		  struct quire_result *result)
{
	int ret;

	draw_record(&run->scene, recorder, run->textures, run->layers);
	progress_start(&run->progress, draw_drawn_bytes(run), "drawing");
	ret = quire_recorder_submit(recorder, run->context, NULL, result);
	if (!ret)
		ret = quire_object_wait(run->layers[0], QUIRE_FOREVER);
	progress_clear(&run->progress);
	if (result->message[0])
		return quire_say("draw", result->message,
				 "smaller textures or a smaller picture may help, or see dmesg");
	return ret ? draw_fail(run, "draw", ret) : draw_check_context(run);
}

static int report(struct draw_run *run, const struct quire_result *result)
{
	int64_t least = draw_least_bytes(&run->scene, run->vram);

	if (least < 0)
		return draw_fail(run, "draw", least);
	printf("quire: drew %u textures, %" PRIu64 " bytes, through %" PRIu64
	       " bytes of VRAM in %u parts\n", run->scene.textures, draw_all_bytes(run), run->vram,
	       result->parts);
	printf("quire: paged in %" PRIu64 " bytes, out %" PRIu64 "; in at least %" PRId64
	       ": %.3f times that\n", result->bytes_in, result->bytes_out, least,
	       (double)result->bytes_in / least);
	return 0;
}

/* Returns 0, or the exit status after a message; and so does draw_virtual(). */
int draw_recorded(struct draw_run *run)
{
	struct quire_result result = { 0 };
	struct quire_recorder *recorder;
	int ret = quire_context_create(run->device, DRM_QUIRE_PRIORITY_NORMAL, &run->context);

	if (!ret)
		ret = quire_recorder_create(run->device, &recorder);
	if (ret)
		return draw_fail(run, "draw", ret);
	ret = submit(run, recorder, &result);
	quire_recorder_destroy(recorder);
	return ret ? ret : report(run, &result);
}
