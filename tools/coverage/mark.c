// SPDX-License-Identifier: GPL-2.0-or-later
/* Executes the marker of executed.c, in the guest. */
#include "marker.h"

int main(void)
{
	__asm__ volatile("nopl %c0(%%rax, %%rax, 1)" : : "i" (MARKER));

	return 0;
}
