#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# QEMU's generic fuzzer on the device, in a machine of one shape.
#
# Usage: generic.sh SHAPE [FILE | DIRECTORY | OPTION OF LIBFUZZER]...
#   SHAPE: express       PCI Express, in q35
#          conventional  conventional PCI, in pc (i440FX): no Function Level Reset
# A FILE is run once; what a fuzzer found, for example:
#   tools/fuzz/generic.sh express build/fuzz/findings/express-crash-0123
# Environment: QEMU_FUZZ_ARGS, what else QEMU has, e.g. "-trace 'quire_*'"; for the accesses of
#              an input as qtest commands QTEST_LOG=1 FUZZ_SERIALIZE_QTEST=1; QEMU, see
#              tools/guest/emulator.sh.
#
# The fuzzer accesses the device's own registers, MSI-X table and configuration space, and no
# other part of the machine: what QEMU's other devices do wrong is not looked for.  That other
# devices leak at exit is not looked at either.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_help "$0" "$@"

case ${1:-} in
express) machine=q35 ;;
conventional) machine=pc ;;
*) quire_die "generic.sh: no shape '${1:-}'; use express or conventional" ;;
esac
shift
fuzzer=$("$here/../guest/emulator.sh" --fuzz)

# seeds.h has these sizes, too
device=quire,fault-injection=on,dummy-page-report=on,vram-size=2M,vram-visible=1M,aperture-size=1M,mmu-size=1M
device+=,swizzle-ranges=2,swizzle-range-size=1M,aperture-window-size=32K
export QEMU_FUZZ_ARGS="-machine $machine -nodefaults -device $device ${QEMU_FUZZ_ARGS:-}"
export QEMU_FUZZ_OBJECTS='quire*'
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
exec "$fuzzer/qemu-fuzz-x86_64" --fuzz-target=generic-fuzz -detect_leaks=0 -max_len=8192 \
	-timeout=20 -rss_limit_mb=2048 -use_value_profile=1 "$@"
