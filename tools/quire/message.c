// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Errors of the form "quire: what: why; next step", and names of files. */
#include <errno.h>
#include <string.h>

#include "quire.h"
#include "quire_client.h"

/* Returns QUIRE_EXIT_FAILED, for the caller to return. */
int quire_say(const char *what, const char *why, const char *next)
{
	fflush(stdout);
	fprintf(stderr, "quire: %s: %s; %s\n", what, why, next);
	return QUIRE_EXIT_FAILED;
}

static const char *next_step(int error)
{
	switch (error) {
	case ENOMEM:
		return "give the guest more memory or name fewer files";
	case ENOSPC:
		return "give the device more VRAM";
	case EIO:
		return "the device is wedged: see dmesg, then unbind and bind its driver";
	case ENODEV:
		return "load the driver (modprobe quire) in a guest with -device quire";
	case EACCES:
	case EPERM:
		return "run it as root or as a member of the group render";
	default:
		return "see dmesg";
	}
}

/* @error is negative. Returns QUIRE_EXIT_FAILED. */
int quire_say_errno(const char *what, int error)
{
	const char *why = strerror(-error);

	if (error == -ENODEV)
		why = "no device of the quire driver";
	return quire_say(what, why, next_step(-error));
}

/* As quire_open_path(), with a message when it fails. */
int quire_open_or_say(char *path, size_t size)
{
	int fd = quire_open_path(path, size);

	if (fd < 0)
		quire_say_errno("device", fd);
	return fd;
}

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the UTF-8 character at @s that a terminal shows, 0 if there is none. */
static size_t printable(const unsigned char *s)
{
	size_t length = 1;

	if (s[0] < 0x80)
		return s[0] >= ' ' && s[0] != 0x7f && s[0] != '\\';
	if (s[0] == 0xc2 && s[1] < 0xa0)	/* control characters */
		return 0;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if (s[0] >= 0xe1 && s[0] <= 0xec)
		length = 3;
	else if (s[0] >= 0xf1 && s[0] <= 0xf3)
		length = 4;
	else
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (!is_continuation(s[i]))
			return 0;
	}
	return length;
}

/* Prints @name on one line, whatever bytes it has. */
void quire_print_name(FILE *stream, const char *name)
{
	const unsigned char *s = (const unsigned char *)name;

	while (*s) {
		size_t length = printable(s);

		if (length)
			fwrite(s, 1, length, stream);
		else if (*s == '\n')
			fputs("\\n", stream);
		else
			fprintf(stream, "\\x%02x", *s);
		s += length ? length : 1;
	}
}
