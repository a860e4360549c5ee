// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: quire_hw.h means the same on Linux and elsewhere, and what the
 * specification says.
 */
#include <stddef.h>

#include "layout-tables.h"
#include "tap.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	unsigned long long expected;
} layouts[] = {
#define LAYOUT(name, expected, got) { name, expected },
#include "layout.h"
#undef LAYOUT
};

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		is(layout_linux[i], layouts[i].expected, layouts[i].name);
		is(layout_other[i], layouts[i].expected, "the same, not on Linux");
	}
	return tap_done();
}
