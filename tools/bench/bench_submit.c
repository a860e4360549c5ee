// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * bench-submit: what the driver makes of the device when programs run on it, measured in the
 * guest.
 *
 * Usage: bench-submit MEASUREMENT...
 * Prints figures as bench-guest does.
 */
#include "guest.h"

static const struct guest_measurement measurements[] = {
	{ "submit", guest_submit },
	{ "rings", guest_rings },
	{ "split", guest_split },
	{ "hidden", guest_hidden },
	{ "curve", guest_curve },
	{ "bind", guest_bind },
	{ }
};

int main(int argc, char **argv)
{
	(void)argc;
	guest_run(measurements, argv);
	return 0;
}
