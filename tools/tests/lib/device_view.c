// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugfs.h"
#include "device_view.h"

#define VIEW_SIZE	(1024u * 1024)

/* As the device specification has them. */
#define MAP_APERTURE2	9
#define MAP_CONTIGUOUS	2

/* Calls @line for each line of a file; returns 0 or a negative errno. */
static int each_line(const char *dir, const char *name, void *data,
		     void (*line)(void *data, const char *text))
{
	char *text = malloc(VIEW_SIZE), *state = NULL;
	int ret = text ? debugfs_read(dir, name, text, VIEW_SIZE) : -ENOMEM;

	if (ret == VIEW_SIZE - 1)
		ret = -EFBIG;
	if (ret >= 0)
		for (char *at = strtok_r(text, "\n", &state); at; at = strtok_r(NULL, "\n", &state))
			line(data, at);
	free(text);
	return ret < 0 ? ret : 0;
}

static void packets_line(void *data, const char *text)
{
	struct device_packets *packets = data;
	unsigned int opcode, header;
	uint64_t number, address;

	if (sscanf(text, "opcode %u %" SCNu64, &opcode, &number) == 2) {
		if (opcode >= 1 && opcode <= DEVICE_OPCODES)
			packets->opcodes[opcode - 1] = number;
	} else if (sscanf(text, "packet %" SCNu64 " %x %" SCNx64, &number, &header,
			  &address) == 3) {
		packets->known++;
		packets->nowhere += !address;
		if ((header & 0xffff) == MAP_APERTURE2)
			*(header >> 16 & MAP_CONTIGUOUS ? &packets->contiguous :
							  &packets->listed) += 1;
	} else if (sscanf(text, "entries %" SCNu64, &number) == 1) {
		packets->entries = number;
	} else if (sscanf(text, "packets %" SCNu64, &number) == 1) {
		packets->packets = number;
	}
}

/* Returns 0 or a negative errno. */
int device_packets_read(const char *dir, struct device_packets *packets)
{
	memset(packets, 0, sizeof(*packets));
	return each_line(dir, "device_packets", packets, packets_line);
}

static void history_line(void *data, const char *text)
{
	struct device_history *history = data;
	struct device_packet packet;
	uint64_t number;

	if (history->count < DEVICE_HISTORY &&
	    sscanf(text, "packet %" SCNu64 " %x %" SCNx64, &number, &packet.header,
		   &packet.address) == 3)
		history->packets[history->count++] = packet;
}

/* Returns 0 or a negative errno. */
int device_history_read(const char *dir, struct device_history *history)
{
	history->count = 0;
	return each_line(dir, "device_packets", history, history_line);
}

static void aperture_line(void *data, const char *text)
{
	struct device_aperture *aperture = data;
	uint64_t first, count;

	if (sscanf(text, "mapped %" SCNu64 " %" SCNu64, &first, &count) == 2) {
		aperture->mapped += count;
		aperture->coherent += strstr(text, " coherent") ? count : 0;
		aperture->visible += strstr(text, " cpu-visible") ? count : 0;
	} else if (sscanf(text, "dummy %" SCNu64 " %" SCNu64, &first, &count) == 2) {
		aperture->dummy += count;
	}
}

/* Returns 0 or a negative errno. */
int device_aperture_read(const char *dir, struct device_aperture *aperture)
{
	memset(aperture, 0, sizeof(*aperture));
	return each_line(dir, "device_aperture", aperture, aperture_line);
}
