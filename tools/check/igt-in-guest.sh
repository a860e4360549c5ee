#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Runs tests of IGT inside the guest of tools/check/igt.
#
# Usage: igt-in-guest.sh TEST...
# Prints "# test: NAME", the output of the test and "# status: N" for each; see igt.awk.

# seconds; only ends a test that hangs
limit=1000
# IGT does not know the driver: without this it opens the first card that is not vgem
export IGT_FORCE_DRIVER=quire LD_LIBRARY_PATH=/share/lib
for test; do
	echo "# test: $test"
	timeout -k 20 $limit "/share/tests/$test" 2>&1
	echo "# status: $?"
done
