// SPDX-License-Identifier: GPL-2.0 OR MIT
/* libquire.h in a program in C++: it compiles, and its functions are those of the library. */
#include "libquire.h"

extern "C" {
#include "tap.h"
}

int main(void)
{
	struct quire_device *device = nullptr;

	tap_start(2);
	tap_ok(quire_at(nullptr, 8).offset == 8, "a location");
	tap_ok(quire_device_open("/dev/null", &device) < 0 && !device, "what is no device");
	return tap_done();
}
