#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Builds QEMU, from Debian's source package, with the quire device in it.
#
# Usage: emulator.sh [--version 10.0|10.2] [--qtests | --fuzz | --tree | --compile-only]
#   (none)          print the directory of the finished emulator:
#                   qemu-system-x86_64, qemu-plugin.h, build.log
#   --qtests        the same, with qos-test
#   --fuzz          the same of QEMU's own fuzzer: qemu-fuzz-x86_64, build.log; see
#                   emulator-fuzz.sh
#   --tree          only unpack and configure; print the source directory
#   --compile-only  compile the device's files and nothing else
# Environment: QEMU=DIR  build a source tree of one's own instead, where no version is
#              asked for; see emulator-own.sh.
#
# The source tree and its build directories stay in the cache (qemu-tree), so that
# a change in the device compiles the device again and no more.  Of the version that guests
# run in mistakes are mended: see qemu-tlb-view.patch and qemu-icount-idle.patch.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_help "$0" "$@"
. "$here/apt.sh"
. "$here/host.sh"
. "$here/emulator-own.sh"
. "$here/emulator-fuzz.sh"

emulator_own_check
series=10.0
own=${QEMU:-}
mode=build kind='' fuzz='' patches=()
while [ $# -gt 0 ]; do
	case $1 in
	--version)
		[ $# -ge 2 ] || quire_die "emulator.sh: --version needs a value; use 10.0 or 10.2"
		series=$2 own=''; shift ;;
	--qtests) kind=-qtests ;;
	--fuzz) kind=-fuzz fuzz=-fuzz ;;
	--tree) mode=tree ;;
	--compile-only) mode=compile ;;
	*) quire_die "emulator.sh: unknown argument '$1'; see tools/guest/emulator.sh --help" ;;
	esac
	shift
done
case $series in
10.0 | 10.2) ;;
*) quire_die "emulator.sh: --version '$series' is unknown; use 10.0 or 10.2" ;;
esac

configure=(
	--python=/usr/bin/python3 --target-list=x86_64-softmmu --disable-debug-info
	--without-default-features --enable-kvm --enable-pixman
	--enable-attr --enable-virtfs --enable-plugins --enable-trace-backends=log
	--without-default-devices --with-devices-x86_64=quire
	--disable-install-blobs --disable-tools --disable-docs --disable-download
	--firmwarepath=/usr/share/seabios:/usr/share/qemu
)
# What the guests and the qtests have, and no other device of QEMU's 1,300 files.  HPET: on a busy
# machine Linux gives up its TSC; the clock of ACPI, which is next, stands still after a suspend.
devices='CONFIG_I440FX=y
CONFIG_Q35=y
CONFIG_HPET=y
CONFIG_VTD=y
CONFIG_PCIE_PORT=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_9P=y
CONFIG_QUIRE=y'
targets=(qemu-system-x86_64)
[ "$kind" != -qtests ] || targets+=(tests/qtest/qos-test)
if [ -n "$fuzz" ]; then
	configure=("${emulator_fuzz_configure[@]}") devices=$emulator_fuzz_devices
	targets=(qemu-fuzz-x86_64)
fi

# The files that the installer edits; they are put back before it runs again.
edited=(meson.build hw/meson.build hw/Kconfig tests/qtest/meson.build
	tests/qtest/libqos/meson.build)

unpack()
{
	local tmp=$1 package=$3 version=$4
	quire_say "unpacking $package $version"
	quire_apt_update
	quire_apt_source "$tmp" "$package=$version"
	(cd "$tmp" && quire_run "$tmp/unpack.log" "unpacking of $package" \
		dpkg-source --no-check -x ./*.dsc src)
	rm -f "$tmp"/*.tar.*
	mend "$tmp"
	(cd "$tmp/src" && cp --parents "${edited[@]}" ../)
}

# What is mended in another way some day does not need it. TREE/left-out names what does not fit.
mend()
{
	local patch
	: >"$1/left-out"
	[ ${#patches[@]} -gt 0 ] || return 0
	command -v patch >/dev/null || quire_die "emulator.sh: there is no 'patch'; install it"
	for patch in "${patches[@]}"; do
		if patch -s -f -F0 -p1 -d "$1/src" --dry-run <"$patch" >>"$1/patch.log"; then
			patch -s -f -F0 -p1 -d "$1/src" <"$patch"
		else
			echo "${patch##*/}" >>"$1/left-out"
		fi
	done
}

# Copy the device beside the source; run its installer if that would do anything new.
install_device()
{
	local tree=$1 stamp
	[ -x "$QUIRE_TOP/qemu-device/install.sh" ] || return 0
	quire_sync "$QUIRE_TOP/qemu-device" "$tree/quire/qemu-device"
	quire_sync "$QUIRE_TOP/include/quire" "$tree/quire/include/quire"
	stamp=$(quire_key "$tree/quire/qemu-device/install.sh" "${edited[@]/#/$tree/}" \
		-s "$(cd "$tree/quire" && find . -type f | LC_ALL=C sort)")
	if [ "$(cat "$tree/installed" 2>/dev/null)" != "$stamp" ]; then
		rm -f "$tree/installed"
		(cd "$tree" && cp --parents "${edited[@]}" src/)
		quire_run "$tree/install.log" "installation of the device" \
			bash "$tree/quire/qemu-device/install.sh" "$tree/src"
		echo "$stamp" >"$tree/installed"
	fi
}

# write_devices SRC: the list of devices, where QEMU's configure looks for it.
write_devices()
{
	local list=$1/configs/devices/x86_64-softmmu/quire$fuzz.mak
	[ "$(cat "$list" 2>/dev/null)" != "$devices" ] || return 0
	# in a tree of one's own it may be a link
	rm -f "$list"
	echo "$devices" >"$list"
}

configure_tree()
{
	local build=$1/src/build$fuzz done=$1/configured$fuzz stamp
	stamp=$(quire_key -s "${configure[*]} $devices")
	[ "$(cat "$done" 2>/dev/null)" != "$stamp" ] || return 0
	quire_say "configuring QEMU $series"
	rm -rf "$build" "$done"
	mkdir "$build"
	(cd "$build" && quire_run "$1/configure$fuzz.log" "configuration of QEMU" \
		../configure "${configure[@]}")
	echo "$stamp" >"$done"
}

# prepare TREE: all up to the point where ninja can run.
prepare()
{
	install_device "$1"
	write_devices "$1/src"
	configure_tree "$1"
	[ -z "$fuzz" ] || emulator_fuzz_narrow "$1/src/build$fuzz"
}

# no_warning TREE LOG: none in the device's files.  Those with one are compiled again.
no_warning()
{
	grep -A6 -E 'quire[^ ]*\.[ch]:.*warning:' "$2" >&2 || return 0
	rm -f "$1/src/build$fuzz"/lib*.a.p/hw_quire_* \
		"$1/src/build$fuzz"/tests/qtest/qos-test.p/quire-* \
		"$1/src/build$fuzz"/tests/qtest/libqos/libqos.a.p/quire.c.o
	quire_die "emulator: warnings in the device for QEMU $series; see $2"
}

# build_in TREE OUTPUT: build, and put the results into the directory OUTPUT.
build_in()
{
	local tree=$1 build=$1/src/build$fuzz log=$1/build$fuzz.log
	prepare "$tree"
	quire_run "$log" "build of QEMU" ninja -C "$build" -j "$QUIRE_JOBS" "${targets[@]}"
	no_warning "$tree" "$log"
	cp "${targets[@]/#/$build/}" "$tree/src/include/qemu/qemu-plugin.h" "$2"
	cp "$log" "$2/build.log"
}

key_of_build()
{
	quire_key -s "$version ${configure[*]}" "$here/emulator.sh" \
		${fuzz:+"$here/emulator-fuzz.sh"} "${patches[@]}" \
		"$QUIRE_TOP/qemu-device" "$QUIRE_TOP/include/quire"
}

# build OUTPUT FINAL TREE: for quire_artifact
build()
{
	quire_say "building QEMU $series with the device${fuzz:+, for fuzzing} (about 3 minutes the first time)"
	(
		set -e
		quire_lock qemu-tree-build
		quire_check_key "$2" "$(key_of_build)"
		build_in "$3" "$1"
	)
}

# Compile the generated headers and the device's own files.
compile_only()
{
	local tree=$1 objects
	(
		quire_lock qemu-tree-build
		prepare "$tree"
		quire_run "$tree/configure.log" "configuration of QEMU" \
			ninja -C "$tree/src/build" build.ninja
		mapfile -t objects < <(ninja -C "$tree/src/build" -t targets all | sed -nE \
			's#^(lib[a-z]*\.a\.p/hw_quire_[^:]*\.o|tests/qtest/(qos-test\.p/quire-|libqos/libqos\.a\.p/quire\.)[^:]*\.o):.*#\1#p')
		[ ${#objects[@]} -gt 0 ] ||
			quire_die "emulator.sh: QEMU $series has no file of the device; look at qemu-device/install.sh"
		quire_run "$tree/compile.log" "compilation of the device for QEMU $series" \
			ninja -C "$tree/src/build" -j "$QUIRE_JOBS" "${objects[@]}"
		no_warning "$tree" "$tree/compile.log"
		quire_say "QEMU $series: ${#objects[@]} files of the device compile"
	)
}

# The directory of the tree: of one's own, or of Debian's source package.
find_tree()
{
	local picked package
	if [ -n "$own" ]; then
		series=$(cat "$own/VERSION")
		tree=$(emulator_own_tree)
		return
	fi
	# shellcheck disable=SC2034 # apt.sh reads it
	[ "$series" = 10.0 ] || QUIRE_APT_FROM=next
	[ "$series" != 10.0 ] || patches=("$here"/qemu-{tlb-view,icount-idle}.patch)
	picked=$(quire_apt_pick "qemu-$series" qemu "1:${series//./\\.}\\.")
	read -r package version <<<"$picked"
	tree=$(quire_artifact qemu-tree "$(quire_key -s "$version" "${patches[@]}")" 2500 \
		unpack "$package" "$version")
	[ ! -s "$tree/left-out" ] ||
		quire_say "emulator: $(tr '\n' ' ' <"$tree/left-out")does not fit QEMU $version and is left out; see $tree/patch.log"
}

# Of one's own tree nothing is keyed: ninja knows what changed.  A guest may be about to start
# what was built before, so only what is new is replaced.
build_own()
{
	(
		set -e
		quire_lock qemu-tree-build
		emulator_own_link "$tree"
		rm -rf "$tree/out$kind.new"
		mkdir "$tree/out$kind.new"
		build_in "$tree" "$tree/out$kind.new" >&2
		quire_sync "$tree/out$kind.new" "$tree/out$kind"
	)
	echo "$tree/out$kind"
}

quire_host_setup ${fuzz:+tests}
[ -z "$fuzz" ] || emulator_fuzz_check
find_tree
case $mode-${own:+own} in
tree-*)
	(
		quire_lock qemu-tree-build
		[ -z "$own" ] || emulator_own_link "$tree"
		prepare "$tree"
	)
	echo "$tree/src"
	;;
compile-*)
	compile_only "$tree"
	;;
build-own)
	build_own
	;;
build-)
	quire_artifact "emulator$kind" "$(key_of_build)" 1500 build "$tree"
	;;
esac
