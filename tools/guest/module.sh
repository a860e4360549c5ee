#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Builds quire.ko against a Debian kernel's headers or a kernel build tree.
#
# Usage: module.sh --headers deb12|deb13|next|RELEASE  Debian's headers, from the cache
#        module.sh --kernel DIR                   the kernel that kernel.sh printed: its own
#                                                 build directory, or headers for KERNEL
# Builds with W=1 in build/module-RELEASE (of a tree: and a key of its path); any warning
# is a failure.  Prints the path of quire.ko: that of the cache, where another checkout with the
# same sources finds it, or that of the build, if the tree may change or counts lines.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_at_most 2 "$0" "$@"

which=''
case ${1:-} in
--headers | --kernel) [ -n "${2:-}" ] || quire_die "module.sh: $1 needs a value; see tools/guest/module.sh --help" ;;
esac
case ${1:-} in
--headers) tree=$("$here/headers.sh" "$2") ;;
--kernel)
	tree=$2/build
	if [ -d "$tree" ]; then
		which=-$(quire_key -s "$tree")
	else
		tree=$("$here/headers.sh" "${KERNEL:-deb12}")
	fi
	;;
*) quire_die "module.sh: '${1:-}' is unknown; give --headers deb12, deb13, next or a RELEASE, or --kernel DIR" ;;
esac

release=$(sed -n 's/^.*UTS_RELEASE "\(.*\)".*$/\1/p' "$tree/include/generated/utsrelease.h")
stage=$QUIRE_BUILD/module-$release$which

stage()
{
	quire_sync "$QUIRE_TOP/drivers" "$stage/drivers"
	quire_sync "$QUIRE_TOP/include" "$stage/include"
	cmp -s "$QUIRE_TOP/Makefile" "$stage/Makefile" || cp "$QUIRE_TOP/Makefile" "$stage/"
	cmp -s "$QUIRE_TOP/Kconfig" "$stage/Kconfig" || cp "$QUIRE_TOP/Kconfig" "$stage/"
}

# Options of the kernel's compiler that this machine's compiler does not have.
compiler_args()
{
	echo CC=gcc
	gcc -fmin-function-alignment=16 -c -x c /dev/null -o /dev/null 2>/dev/null ||
		echo CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=
}

# For a kernel that counts lines: those of the driver, and its KUnit tests to run there.
# Four passes of gcc would do away with each "return -EINVAL;" before it is counted.
coverage_args()
{
	! grep -qsx CONFIG_GCOV_KERNEL=y "$tree/.config" || printf '%s\n' \
		GCOV_PROFILE=y CONFIG_DRM_QUIRE_KUNIT_TEST=m \
		'KCFLAGS=-fprofile-update=atomic -fno-tree-ccp -fno-tree-forwprop -fno-tree-fre -fno-tree-vrp'
}

build()
{
	local args log=$stage/build.log
	mapfile -t args < <(compiler_args; coverage_args)
	# warnings are printed once: what was warned about must be compiled again
	[ ! -e "$log" ] || ! grep -q '[^ ].*warning:' "$log" ||
		make -C "$tree" M="$stage" "${args[@]}" clean >/dev/null 2>&1
	quire_run "$log" "build of quire.ko for $release" \
		make -C "$tree" M="$stage" "${args[@]}" W=1 -j "$QUIRE_JOBS" modules
	# one that names no place is make's remark on another compiler or pahole
	if grep -E -A6 '[^ ].*warning:|WARNING:' "$log" >&2; then
		quire_die "module: warnings for $release; see $log"
	fi
	[ -e "$stage/drivers/gpu/drm/quire/quire.ko" ] ||
		quire_die "module: nothing was built for $release; see $log"
}

key_of_module()
{
	quire_key -s "$tree $(cat "$built" 2>/dev/null) $(gcc --version) ${KCFLAGS:-}" \
		"$here/module.sh" "$QUIRE_TOP"/{drivers,include,Makefile,Kconfig}
}

# make_module [DIR FINAL]: in the build directory, and from there to DIR, for FINAL.
# shellcheck disable=SC2120 # quire_artifact passes it
make_module()
{
	quire_build_dir "$stage"
	exec {lock}>"$stage/.lock"
	flock "$lock"
	[ $# = 0 ] || quire_check_key "$2" "$(key_of_module)"
	# quire_sync removes what is not in the checkout: build where it does not look
	stage
	build
	[ $# = 0 ] || cp "$stage/drivers/gpu/drm/quire/quire.ko" "$1/"
}

# Debian's headers do not change, and kernel.sh writes a key beside a kernel that it built of
# Debian's source. All other trees are somebody's own, and only make sees what changed there.
built=${tree%/build}.key
if [ -z "$(coverage_args)" ] && { [[ $tree == "$QUIRE_CACHE"/headers-* ]] || [ -e "$built" ]; }; then
	kept=$(quire_artifact "module-$release$which" "$(key_of_module)" 30 make_module)
	echo "$kept/quire.ko"
else
	make_module
	echo "$stage/drivers/gpu/drm/quire/quire.ko"
fi
