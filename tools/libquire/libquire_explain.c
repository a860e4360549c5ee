// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Why a submission was refused, in English. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libquire_private.h"
#include "quire_client.h"

struct meaning {
	int error;
	const char *text;
};

#define MEANING(error, text)	{ (error), text " (" #error ")" }

/* Those of "What is checked" in Documentation/gpu/quire/commands.rst, and of the planner. */
static const struct meaning meanings[] = {
	MEANING(EINVAL, "a field is what it can not be"),
	MEANING(E2BIG, "the commands, or a list, are too long"),
	MEANING(EBADR, "it has no object, but other fields"),
	MEANING(ERANGE, "bytes are none, or not inside of what they are of"),
	MEANING(EMSGSIZE, "the command does not end where one can, or is too long"),
	MEANING(EOPNOTSUPP, "there is no such command"),
	MEANING(EPROTO, "the size is not that of such commands"),
	MEANING(EDOM, "its flags, or another field, are what they can not be"),
	MEANING(EADDRINUSE, "the address field is not zero"),
	MEANING(EBADSLT, "there is no such allocation or slot to bind"),
	MEANING(ECHRNG, "there is no such slot"),
	MEANING(EILSEQ, "its split offset is below that of the one before"),
	MEANING(EBADMSG, "no command begins at its split offset"),
	MEANING(EBADE, "it unbinds its slot, but has other fields"),
	MEANING(ENXIO, "no address field is at its patch offset"),
	MEANING(EEXIST, "another one has the same address field"),
	MEANING(EPROTOTYPE, "its driver id is that of another address field"),
	MEANING(ESTALE, "its slot holds something else where the address is used"),
	MEANING(EDESTADDRREQ, "no patch location names the address field"),
	MEANING(EADDRNOTAVAIL, "the address is not aligned as the command wants it"),
	MEANING(EMEDIUMTYPE, "an image with tiles is not in video memory"),
	MEANING(EOVERFLOW, "the command touches bytes that are not of the allocation"),
	MEANING(EXDEV, "an image is not inside of its object"),
	MEANING(EACCES, "bytes are written that are listed for reading"),
	MEANING(EFBIG, "the object does not fit into its memory, whatever else is evicted"),
	MEANING(EXFULL, "what is bound there does not fit into memory together"),
	MEANING(ECANCELED, "the context has failed, and executes nothing any more"),
	MEANING(ENODATA, "an object is purged"),
	MEANING(EBUSY, "others are at work with an object, or have pinned it"),
	MEANING(ENOMEDIUM, "it can not be where commands could use it"),
	MEANING(ENOENT, "there is no such context, object or syncobj, or it has no fence"),
};

/* Of a recorder if there are no lists, else of a submission that was good so far. */
static const char *meaning_of_no_room(const struct quire_lists *lists)
{
	return lists ? "others are at work with what is in its way (ENOSPC)" :
		       "all slots of the resource table are bound (ENOSPC)";
}

static const char *meaning_of(int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (meanings[i].error == -error)
			return meanings[i].text;
	return strerror(-error);
}

static const char * const commands[] = {
	[QUIRE_COMMAND_NOP - QUIRE_COMMAND_FIRST] = "NOP",
	[QUIRE_COMMAND_COPY - QUIRE_COMMAND_FIRST] = "COPY",
	[QUIRE_COMMAND_FILL - QUIRE_COMMAND_FIRST] = "FILL",
	[QUIRE_COMMAND_COPY_2D - QUIRE_COMMAND_FIRST] = "COPY_2D",
	[QUIRE_COMMAND_BLEND - QUIRE_COMMAND_FIRST] = "BLEND",
	[QUIRE_COMMAND_ARITHMETIC - QUIRE_COMMAND_FIRST] = "ARITHMETIC",
	[QUIRE_COMMAND_CHECKSUM - QUIRE_COMMAND_FIRST] = "CHECKSUM",
	[QUIRE_COMMAND_COMPARE - QUIRE_COMMAND_FIRST] = "COMPARE",
	[QUIRE_COMMAND_WRITE_VALUE - QUIRE_COMMAND_FIRST] = "WRITE_VALUE",
	[QUIRE_COMMAND_WAIT_VALUE - QUIRE_COMMAND_FIRST] = "WAIT_VALUE",
	[QUIRE_COMMAND_DELAY - QUIRE_COMMAND_FIRST] = "DELAY",
	[QUIRE_COMMAND_SIGNAL_NATIVE - QUIRE_COMMAND_FIRST] = "SIGNAL_NATIVE",
	[QUIRE_COMMAND_SET_REGISTER - QUIRE_COMMAND_FIRST] = "SET_REGISTER",
	[QUIRE_COMMAND_STORE_REGISTER - QUIRE_COMMAND_FIRST] = "STORE_REGISTER",
	[QUIRE_COMMAND_LOAD_REGISTER - QUIRE_COMMAND_FIRST] = "LOAD_REGISTER",
};

_Static_assert(ARRAY_SIZE(commands) == QUIRE_COMMAND_LAST - QUIRE_COMMAND_FIRST + 1,
	       "each command has a name");

static const char *command_name(const struct quire_packet_header *header)
{
	uint16_t opcode = le16toh(header->opcode);

	if (opcode < QUIRE_COMMAND_FIRST || opcode > QUIRE_COMMAND_LAST ||
	    !commands[opcode - QUIRE_COMMAND_FIRST])
		return "what is no command";
	return commands[opcode - QUIRE_COMMAND_FIRST];
}

/* The command that has byte @byte in it; NULL if the sizes of those before are wrong. */
static const char *command_at(const struct quire_lists *lists, uint32_t byte)
{
	struct quire_packet_header header;
	uint64_t offset = 0, size;

	while (offset + sizeof(header) <= lists->commands_size) {
		memcpy(&header, (const char *)lists->commands + offset, sizeof(header));
		size = le32toh(header.size);
		if (size < sizeof(header))
			return NULL;
		if (byte - offset < size)
			return command_name(&header);
		offset += size;
	}
	return NULL;
}

static int print_place(char *text, size_t size, const struct quire_lists *lists,
		       const struct quire_result *result)
{
	const char *name = command_at(lists, result->refused_offset);

	if (result->refused_where == DRM_QUIRE_REFUSAL_COMMANDS)
		return snprintf(text, size, "byte %u of the commands%s%s: ",
				result->refused_offset, name ? ", in " : "", name ? name : "");
	if (result->refused_where == DRM_QUIRE_REFUSAL_ALLOCATIONS)
		return snprintf(text, size, "allocation %u: ", result->refused_entry);
	if (result->refused_where == DRM_QUIRE_REFUSAL_SYNCS)
		return snprintf(text, size, "fence %u: ", result->refused_entry);
	return snprintf(text, size, "patch location %u, for byte %u of the commands%s%s: ",
			result->refused_entry, result->refused_offset, name ? ", in " : "",
			name ? name : "");
}

/**
 * libquire_explain - say why
 * @lists: that were refused, or NULL
 * @error: with which, negative
 * @result: says where; gets its message
 */
void libquire_explain(const struct quire_lists *lists, int error, struct quire_result *result)
{
	char *text = result->message;
	size_t size = sizeof(result->message);
	bool placed = lists && result->refused_where != DRM_QUIRE_REFUSAL_SUBMIT;
	int place = placed ? print_place(text, size, lists, result) : 0;

	snprintf(text + place, size - place, "%s",
		 error == -ENOSPC ? meaning_of_no_room(lists) : meaning_of(error));
}
