// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The command lines of "quire draw" and "quire split", which take the same submission. */
#include <getopt.h>
#include <unistd.h>

#include "options.h"
#include "quire.h"

#define MAX_TEXTURES	16384
#define MAX_PASSES	16
#define MAX_STEPS	32768	/* the lists of a submission have limits */
#define MAX_SIZE	(64 * 1024)
#define MAX_SIDE	4096
#define SIDE_STEP	32	/* layers are of whole pages */

#define MAX_VRAM	65536

enum {
	OPTION_TEXTURES = 256, OPTION_SIZE, OPTION_SIDE, OPTION_PASSES, OPTION_VIRTUAL,
	OPTION_PROGRESS, OPTION_VRAM, OPTION_LRU,
};

static const struct option draw_long_options[] = {
	{ "textures", required_argument, NULL, OPTION_TEXTURES },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "side", required_argument, NULL, OPTION_SIDE },
	{ "passes", required_argument, NULL, OPTION_PASSES },
	{ "virtual", no_argument, NULL, OPTION_VIRTUAL },
	{ "progress", required_argument, NULL, OPTION_PROGRESS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const struct option split_long_options[] = {
	{ "textures", required_argument, NULL, OPTION_TEXTURES },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "side", required_argument, NULL, OPTION_SIDE },
	{ "passes", required_argument, NULL, OPTION_PASSES },
	{ "vram", required_argument, NULL, OPTION_VRAM },
	{ "lru", no_argument, NULL, OPTION_LRU },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int parse_size(const char *text, uint64_t *bytes)
{
	uint64_t kib;
	int ret = parse_number("--size", text, 4, MAX_SIZE, &kib);

	if (ret)
		return ret;
	if (kib & (kib - 1))
		return usage("--size", "not a power of two");
	*bytes = kib * 1024;
	return 0;
}

static int parse_side(const char *text, uint64_t *side)
{
	int ret = parse_number("--side", text, SIDE_STEP, MAX_SIDE, side);

	if (!ret && *side % SIDE_STEP)
		ret = usage("--side", "not a multiple of 32");
	return ret;
}

static int parse_vram(const char *text, uint64_t *bytes)
{
	uint64_t mib = 0;
	int ret = parse_number("--vram", text, 1, MAX_VRAM, &mib);

	*bytes = mib * 1024 * 1024;
	return ret;
}

static int parse_option(int option, char **argv, struct split_options *split)
{
	struct draw_options *options = &split->draw;
	uint64_t value = 0;
	int ret;

	switch (option) {
	case OPTION_TEXTURES:
		ret = parse_number("--textures", optarg, 1, MAX_TEXTURES, &value);
		options->textures = value;
		return ret;
	case OPTION_SIZE:
		return parse_size(optarg, &options->texture_size);
	case OPTION_SIDE:
		ret = parse_side(optarg, &value);
		options->side = value;
		return ret;
	case OPTION_PASSES:
		ret = parse_number("--passes", optarg, 1, MAX_PASSES, &value);
		options->passes = value;
		return ret;
	case OPTION_VIRTUAL:
		options->is_virtual = true;
		return 0;
	case OPTION_PROGRESS:
		return parse_progress(optarg, &options->progress);
	case OPTION_VRAM:
		return parse_vram(optarg, &split->vram);
	case OPTION_LRU:
		split->lru = true;
		return 0;
	case 'h':
		print_help();
	default:
		return usage_option(option, argv);
	}
}

/* @argv: from the name of the command on. Returns 0 or the exit status. */
static int parse_options(int argc, char **argv, const struct option *long_options,
			 struct split_options *options)
{
	int option, ret;

	*options = (struct split_options){
		.draw = {
			.textures = 512, .passes = 1, .texture_size = 2 * 1024 * 1024,
			.side = 1024, .progress = isatty(STDERR_FILENO),
		},
		.vram = 32 * 1024 * 1024,
	};
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		ret = parse_option(option, argv, options);
		if (ret)
			return ret;
	}
	if (argc - optind != 1)
		return usage(argv[0], argc > optind ? "more than one FILE" : "no FILE");
	if (options->draw.textures * options->draw.passes > MAX_STEPS)
		return usage("--passes", "more than 32768 textures in all");
	options->draw.output = argv[optind];
	return 0;
}

int draw_command(int argc, char **argv)
{
	struct split_options options;
	int ret = parse_options(argc, argv, draw_long_options, &options);

	return ret ? ret : quire_draw(&options.draw);
}

int split_command(int argc, char **argv)
{
	struct split_options options;
	int ret = parse_options(argc, argv, split_long_options, &options);

	return ret ? ret : quire_split(&options);
}
