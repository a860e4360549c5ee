#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Installs what building needs on this machine, through the private view of apt.
#
# Sourced after lib.sh and apt.sh; quire_host_setup and quire_host_ccache are the entries.  Nothing
# is asked of the network when all packages are there.
#
# quire_host_setup [tests [PACKAGE...]]: what builds and runs a guest needs; with "tests" also what
# only tests need, and these packages.  All that is missing is installed together: where there is no
# root to be had, one line is all that root has to run.

QUIRE_PACKAGES=(
	# compilers and the tools of both builds
	build-essential pkg-config python3 python3-venv flex bison bc
	# QEMU
	ninja-build libglib2.0-dev libpixman-1-dev zlib1g-dev libattr1-dev
	seabios qemu-system-data
	# Linux
	libelf-dev libssl-dev kmod cpio xz-utils zstd
	# the guest's programs
	busybox-static libdrm-dev libpng-dev nettle-dev
)
QUIRE_TEST_PACKAGES=(
	# the fuzzers
	clang libclang-rt-dev
)

# quire_host_meson: the package of meson, if it is missing.  QEMU 10 wants meson 1.5; Debian 12 has that
# in its -backports.
quire_host_meson()
{
	local have
	have=$(dpkg-query -W -f '${Version}' meson 2>/dev/null || true)
	! dpkg --compare-versions "$have" ge 1.5 || return 0
	case $(. /etc/os-release && echo "$VERSION_CODENAME") in
	bookworm) echo meson/bookworm-backports ;;
	*) echo meson ;;
	esac
}

quire_host_setup()
{
	local missing
	quire_not_sudo
	quire_room_guest
	[ "$(uname -m)" = x86_64 ] ||
		quire_die "host: this is $(uname -m), the project builds on x86_64 only; use such a machine"
	command -v apt-get >/dev/null ||
		quire_die "host: no apt-get; use Debian 12 or 13, a container will do"
	[ "${1:-}" != tests ] || QUIRE_PACKAGES+=("${QUIRE_TEST_PACKAGES[@]}" "${@:2}")
	mapfile -t missing < <(quire_apt_missing "${QUIRE_PACKAGES[@]}"; quire_host_meson)
	[ ${#missing[@]} -eq 0 ] || quire_apt_install_from "${missing[@]}"
}

# quire_host_ccache: what was compiled once, in any checkout, is not compiled again. A machine
# without ccache, whose user may not install it, does without.
quire_host_ccache()
{
	if [ ! -d /usr/lib/ccache ]; then
		quire_apt_root || return 0
		(quire_apt_install_from ccache) 2>/dev/null || return 0
	fi
	quire_cache
	export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=$QUIRE_CACHE/ccache CCACHE_MAXSIZE=2G
	export CCACHE_BASEDIR=$QUIRE_TOP CCACHE_NOHASHDIR=1
	# what a file includes is told by the compiler (-MD): to preprocess it first, as ccache does
	# otherwise, takes a quarter of the time of a build that finds nothing
	export CCACHE_DEPEND=1
}
