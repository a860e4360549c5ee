// SPDX-License-Identifier: GPL-2.0 OR MIT
/* "quire pack": the files of a directory into one image for "quire page". */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "quire.h"
#include "quire_client.h"
#include "set.h"

#define BUFFER_SIZE	(4 * QUIRE_MIB)

/**
 * struct pack - one run of the command
 * @options: what is asked for
 * @set: the files; it has no objects
 * @progress: line on the screen
 * @image: that is made
 */
struct pack {
	const struct pack_options *options;
	struct set set;
	struct progress progress;
	struct image_writer image;
};

static int scan(struct pack *pack)
{
	const char *dir = pack->options->dir, *list = pack->options->files0_from;
	int ret;

	pack->set.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (pack->set.dir < 0)
		return quire_say(dir, strerror(errno), "name a directory that can be read");
	ret = set_scan(&pack->set, list);
	if (ret)
		return quire_say(list ? "--files0-from" : dir, strerror(-ret),
				 "name one that can be read");
	return 0;
}

static int say_image(struct pack *pack, int error)
{
	progress_clear(&pack->progress);
	return quire_say(pack->options->image, strerror(-error),
			 "name a file that can be written, where there is room for all files");
}

static int add_piece(void *context, const uint8_t *buffer, size_t bytes)
{
	struct pack *pack = context;

	progress_add(&pack->progress, bytes);
	return image_add_piece(&pack->image, buffer, bytes);
}

/* Returns only errors of the image. */
static int pack_file(struct pack *pack, const struct file_reader *reader, const char *path)
{
	struct file_content content;
	int image_error;
	int ret = file_read(reader, path, &content, &image_error);

	if (!ret)
		return image_add_file(&pack->image, path, &content);
	if (image_error)
		return image_error;
	image_drop_pieces(&pack->image);
	set_unreadable(&pack->set, path, ret);
	return 0;
}

static int pack_files(struct pack *pack)
{
	const struct file_reader reader = {
		.dir = pack->set.dir,
		.buffer = malloc(BUFFER_SIZE),
		.size = BUFFER_SIZE,
		.piece = add_piece,
		.context = pack,
	};
	int ret = reader.buffer ? 0 : -ENOMEM;

	progress_start(&pack->progress, pack->set.bytes, "packing files");
	for (size_t i = 0; i < pack->set.nr_files && !ret; i++)
		ret = pack_file(pack, &reader, pack->set.files[i].path);
	free(reader.buffer);
	if (!ret)
		ret = image_finish(&pack->image, pack->set.nr_unread);
	progress_clear(&pack->progress);
	return ret;
}

/* What is allocated goes away with the process. */
int quire_pack(const struct pack_options *options)
{
	static struct pack pack;
	int ret;

	pack.options = options;
	pack.progress.enabled = options->progress;
	pack.set = (struct set){
		.command = "pack", .limit = UINT64_MAX, .progress = &pack.progress,
	};
	ret = scan(&pack);
	if (ret)
		return ret;
	ret = image_create(&pack.image, options->image);
	if (!ret)
		ret = pack_files(&pack);
	return ret ? say_image(&pack, ret) : 0;
}
