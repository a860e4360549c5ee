/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef QUIRE_TEST_LAYOUT_TABLES_H
#define QUIRE_TEST_LAYOUT_TABLES_H

/* What layout.c says, compiled as on Linux and as elsewhere, in its order. */
extern const unsigned long long layout_linux[];
extern const unsigned long long layout_other[];

#endif
