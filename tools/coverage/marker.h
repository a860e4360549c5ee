/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MARKER_H
#define MARKER_H

/* Displacement of the NOP that mark.c executes and executed.c recognises. */
#define MARKER	0x4b52414d

#endif
