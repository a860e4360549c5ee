#!/bin/bash
# shellcheck disable=SC2034 # the variables are for those who source this
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# QEMU's own fuzzer: the same source tree as the emulator's, a build directory of its own.
#
# Sourced after lib.sh.  It is built by clang under ASan and UBSan, with as few devices as
# the device's machines need.  No processor runs, so there is no TCG, whose files take long to
# compile; QEMU wants some accelerator, which is KVM.  Only the device counts as coverage: what
# the machine around it does is then no news, and no input is kept for it.

emulator_fuzz_configure=(
	--python=/usr/bin/python3 --cc=clang --cxx=clang++ --target-list=x86_64-softmmu
	--enable-fuzzing --enable-asan --enable-ubsan
	--disable-debug-info --extra-cflags=-gline-tables-only
	--without-default-features --without-default-devices --with-devices-x86_64=quire-fuzz
	--disable-tcg --enable-kvm
	--enable-trace-backends=log
	--disable-install-blobs --disable-tools --disable-docs --disable-download
	--firmwarepath=/usr/share/seabios:/usr/share/qemu
)

emulator_fuzz_devices='CONFIG_PCI_DEVICES=n
CONFIG_TEST_DEVICES=n
CONFIG_I440FX=y
CONFIG_Q35=y
CONFIG_QUIRE=y'

# libFuzzer wants coverage of its entry, or ends at once.
emulator_fuzz_filter='src:*/hw/quire/*
src:*/hw/pci/msix.c
src:*/tests/qtest/fuzz/fuzz.c
fun:*'

# emulator_fuzz_check: stop if the compiler can't do it.
emulator_fuzz_check()
{
	emulator_fuzz_possible ||
		quire_die "emulator: no clang with libFuzzer; install clang and libclang-rt-dev"
}

emulator_fuzz_possible()
{
	echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' |
		clang -fsanitize=fuzzer,address,undefined -o /dev/null -x c - 2>/dev/null
}

# emulator_fuzz_narrow BUILD: what counts as coverage; QEMU's build reads it.
emulator_fuzz_narrow() { echo "$emulator_fuzz_filter" >"$1/instrumentation-filter"; }
