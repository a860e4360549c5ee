#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Unpacks the headers of a Debian kernel into the cache (nothing is installed).
#
# Usage: headers.sh deb12|deb13|next|RELEASE
#   deb12, deb13  a 6.12 kernel of that Debian
#   next          7.3.4 of Debian's suites, or their newest kernel if that is gone; it stays until
#                 the cache goes
#   RELEASE       of any of Debian's suites, e.g. 7.2.12+deb13-amd64
# Prints the directory of the build tree (what "make -C" wants).

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_at_most 1 "$0" "$@"
. "$here/apt.sh"

# Releases known to work; the newest of the archive is taken if they are gone.
declare -A preferred=([deb12]=6.12.95-1~bpo12+1 [deb13]=6.12.107-1)

# relocate ROOT FINAL: the packages expect to be installed in /usr; they are not.
relocate()
{
	local file
	for file in "$1"/usr/src/*/Makefile; do
		sed -Ei "s#^(include |KBUILD_OUTPUT=)/usr/src/#\1$2/usr/src/#" "$file"
	done
	# without it no BTF is made, which would need pahole
	rm -f "$1"/usr/src/*/vmlinux
}

# Programs built for a newer libc than this machine's run with one of their own.
wrap_unrunnable()
{
	local tmp=$1 final=$2 file
	find "$tmp/usr/lib" -type f -perm -u+x | while read -r file; do
		LC_ALL=C ldd "$file" 2>&1 | grep -q "version .* not found" || continue
		[ -d "$tmp/libc" ] || unpack_libc "$tmp"
		mv "$file" "$file.bin"
		cat >"$file" <<-END
			#!/bin/sh
			exec $final/libc/usr/lib64/ld-linux-x86-64.so.2 --library-path \\
				$final/libc/usr/lib/x86_64-linux-gnu "\$0.bin" "\$@"
		END
		chmod +x "$file"
	done
}

unpack_libc()
{
	quire_apt_download "$1" libc6
	dpkg-deb -x "$1"/libc6_*.deb "$1/libc"
	rm "$1"/libc6_*.deb
}

unpack()
{
	local tmp=$1 final=$2 package=$3 version=$4 deb abi=${3#linux-headers-}
	abi=${abi%-amd64}
	quire_say "unpacking the headers of $abi"
	quire_apt_update
	quire_apt_download "$tmp" "$package=$version" \
		"linux-headers-$abi-common=$version" "linux-kbuild-$abi=$version"
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$tmp"
		rm "$deb"
	done
	relocate "$tmp" "$final"
	wrap_unrunnable "$tmp" "$final"
}

which=${1:-}
[ "$which" != next ] || which=$(quire_apt_next)
case $which in
deb12 | deb13)
	packages="linux-headers-6\\.12\\.[0-9]+\\+$which(\\.[0-9]+)?-amd64"
	picked=$(quire_apt_pick "headers-$which" "$packages" 6.12 "${preferred[$which]}")
	;;
[1-9]*-amd64)
	QUIRE_APT_FROM=kernels
	picked=$(quire_apt_pick "headers-$which" "linux-headers-${which//[.+]/\\&}" '')
	;;
*) quire_die "headers.sh: unknown headers '$which'; use deb12, deb13, next or a release like 7.2.12+deb13-amd64" ;;
esac
read -r package version <<<"$picked"
root=$(quire_artifact "headers-$which" "$(quire_key -s "$version" "$here/headers.sh")" 300 \
	unpack "$package" "$version")
echo "$root/usr/src/$package"
