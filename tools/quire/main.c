// SPDX-License-Identifier: GPL-2.0 OR MIT
/* quire: command-line tool of the Quire virtual GPU. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "options.h"
#include "quire.h"

#define MAX_ROUNDS	1000

static const char help[] =
"Usage: quire info\n"
"       quire page [OPTION]... DIR|IMAGE\n"
"       quire pack [OPTION]... DIR IMAGE\n"
"       quire draw [OPTION]... FILE\n"
"       quire split [OPTION]... FILE\n"
"\n"
"quire info prints what the device is and how much of its memory is in use.\n"
"\n"
"quire page reads every regular file below DIR into buffer objects, moves them\n"
"through VRAM, aperture and system memory in random order, reads all back and\n"
"compares SHA-256. Symbolic links are not followed. The exit status is 0 if\n"
"every file was read and came back unchanged.\n"
"\n"
"quire pack reads them into one IMAGE, with the SHA-256 of each, that quire page\n"
"takes in place of DIR: as a file, or as the disk of a guest.\n"
"\n"
"quire draw has the device compose a picture of textures, in one submission that\n"
"uses more memory than there is VRAM, compares it with what the CPU draws, and\n"
"writes it to FILE, a PNG. With --virtual the same picture is drawn in an address\n"
"space, to which textures are bound a few at a time.\n"
"\n"
"quire split shows how that submission is divided: moves, what is where in VRAM,\n"
"and the resource table, in FILE, an SVG. It needs no device.\n"
"\n"
"      --rounds N           page: times the set goes through VRAM (1 to 1000;\n"
"                           default 2)\n"
"      --seed S             page: repeat the order and the places of an earlier run\n"
"      --files0-from FILE   only the files that FILE names, relative to DIR, each\n"
"                           ended by a NUL byte; - is standard input\n"
"      --textures N         draw, split: number of textures (1 to 16384; default 512)\n"
"      --size KIB           draw, split: of a texture, a power of two (4 to 65536;\n"
"                           default 2048)\n"
"      --side N             draw, split: pixels of a side of the picture, a multiple\n"
"                           of 32 (32 to 4096; default 1024)\n"
"      --passes N           draw, split: times each texture is drawn (1 to 16;\n"
"                           default 1)\n"
"      --virtual            draw: commands have virtual addresses\n"
"      --vram MIB           split: VRAM that there would be (default 32)\n"
"      --lru                split: evict what was used least recently, as if nothing\n"
"                           were known of the future\n"
"      --progress WHEN      progress line: auto (default: on a terminal), always,\n"
"                           never\n"
"  -h, --help               this text\n"
"\n"
"Exit status: 0 all is well; 1 a file or a pixel differs, a file was not read, or\n"
"the device failed; 2 the command line makes no sense.\n";

enum { OPTION_ROUNDS = 256, OPTION_SEED, OPTION_FILES, OPTION_PROGRESS };

static const struct option page_long_options[] = {
	{ "rounds", required_argument, NULL, OPTION_ROUNDS },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "files0-from", required_argument, NULL, OPTION_FILES },
	{ "progress", required_argument, NULL, OPTION_PROGRESS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const struct option pack_long_options[] = {
	{ "files0-from", required_argument, NULL, OPTION_FILES },
	{ "progress", required_argument, NULL, OPTION_PROGRESS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/* Ends the program. */
void print_help(void)
{
	fputs(help, stdout);
	exit(EXIT_SUCCESS);
}

static int parse_rounds(const char *text, unsigned int *rounds)
{
	uint64_t value;
	int ret = parse_number("--rounds", text, 1, MAX_ROUNDS, &value);

	if (!ret)
		*rounds = value;
	return ret;
}

static int parse_seed(const char *text, uint64_t *seed)
{
	return parse_number("--seed", text, 0, UINT64_MAX, seed);
}

static int parse_option(int option, char **argv, struct page_options *options)
{
	switch (option) {
	case OPTION_ROUNDS:
		return parse_rounds(optarg, &options->rounds);
	case OPTION_SEED:
		return parse_seed(optarg, &options->seed);
	case OPTION_FILES:
		options->files0_from = optarg;
		return 0;
	case OPTION_PROGRESS:
		return parse_progress(optarg, &options->progress);
	case 'h':
		print_help();
	default:
		return usage_option(option, argv);
	}
}

/* Leaves optind at the first argument that is no option. */
static int parse_options(int argc, char **argv, const struct option *long_options,
			 struct page_options *options)
{
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		ret = parse_option(option, argv, options);
		if (ret)
			return ret;
	}
	return 0;
}

static int page(int argc, char **argv)
{
	struct page_options options = { .rounds = 2, .progress = isatty(STDERR_FILENO) };
	int ret;

	if (getrandom(&options.seed, sizeof(options.seed), 0) < 0)
		options.seed = getpid();
	options.seed &= UINT32_MAX;
	ret = parse_options(argc, argv, page_long_options, &options);
	if (ret)
		return ret;
	if (argc - optind != 1)
		return usage("page", argc > optind ? "more than one DIR or IMAGE" :
						     "no DIR or IMAGE");
	options.source = argv[optind];
	return quire_page(&options);
}

static int pack(int argc, char **argv)
{
	struct page_options options = { .progress = isatty(STDERR_FILENO) };
	struct pack_options pack;
	int ret = parse_options(argc, argv, pack_long_options, &options);

	if (ret)
		return ret;
	if (argc - optind != 2)
		return usage("pack", argc - optind > 2 ? "more than DIR and IMAGE" :
							 "not both, DIR and IMAGE");
	pack = (struct pack_options){
		.dir = argv[optind],
		.image = argv[optind + 1],
		.files0_from = options.files0_from,
		.progress = options.progress,
	};
	return quire_pack(&pack);
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(command, "--help") || !strcmp(command, "-h") || !strcmp(command, "help"))
		print_help();
	if (!strcmp(command, "page"))
		return page(argc - 1, argv + 1);
	if (!strcmp(command, "pack"))
		return pack(argc - 1, argv + 1);
	if (!strcmp(command, "draw"))
		return draw_command(argc - 1, argv + 1);
	if (!strcmp(command, "split"))
		return split_command(argc - 1, argv + 1);
	if (strcmp(command, "info"))
		return *command ? usage(command, "no such command") :
				  usage("command", "none given");
	if (argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
		print_help();
	return argc == 2 ? quire_info() : usage("info", "takes no argument");
}
