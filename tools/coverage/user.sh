#!/bin/bash
# shellcheck disable=SC2154 # the variables are those of coverage
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Counts in user space.
#
# Sourced by coverage; coverage_user() is the entry.  All is built by gcc, as the module is,
# so that both mean the same lines; the sanitizers would add branches of their own.

# user_engine TARGET..., user_fuzz TARGET...: of their Makefiles.
user_engine()
{
	make -C "$QUIRE_TOP/qemu-device/tests/engine" -j "$QUIRE_JOBS" O="$dir/engine" CC=gcc \
		CFLAGS='-O0 -g --coverage -fno-sanitize=all' "$@"
}

# Formats of no length are what clang does not warn about.
user_fuzz()
{
	make -C "$QUIRE_TOP/tools/fuzz" -j "$QUIRE_JOBS" O="$dir/fuzz" \
		CLANG='gcc -Wno-format-zero-length' sanitize='--coverage -O0' fuzz= \
		fuzzer="$dir/replay.o" "$@"
}

user_build()
{
	gcc -O2 -Wall -Wextra -Werror -c -o "$dir/replay.o" "$here/replay.c" &&
		user_engine all &&
		user_fuzz "$dir/fuzz"/{unit_test,{paging,submit,command,device,mmu}_fuzz}
}

user_run()
{
	local name
	user_engine check && user_fuzz check-unit || return
	for name in paging submit command device mmu; do
		"$dir/fuzz/${name}_fuzz" "$QUIRE_TOP/tools/fuzz/corpus/$name" || return
	done
}

coverage_user()
{
	local dir=$coverage/user
	mkdir -p "$dir"
	quire_run "$dir/build.log" "build of the tests in user space, with counts" user_build
	find "$dir" -name '*.gcda' -delete
	quire_run "$dir/run.log" "tests in user space" user_run
}
