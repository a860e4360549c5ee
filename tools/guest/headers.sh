#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Unpacks the headers of a Debian 6.12 kernel into the cache (nothing is installed).
#
# Usage: headers.sh deb12|deb13
# Prints the directory of the build tree (what "make -C" wants).

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
. "$here/apt.sh"

# Releases known to work; the newest of the archive is taken if they are gone.
declare -A preferred=([deb12]=6.12.95-1~bpo12+1 [deb13]=6.12.107-1)

# relocate ROOT FINAL: the packages expect to be installed in /usr; they are not.
relocate()
{
	local file
	for file in "$1"/usr/src/*/Makefile; do
		sed -i "s|^include /usr/src/|include $2/usr/src/|" "$file"
	done
	# without it no BTF is made, which would need pahole
	rm -f "$1"/usr/src/*/vmlinux
}

# Programs built for a newer libc than this machine's: take those of deb12.
replace_unrunnable()
{
	local file rel other=""
	find "$1/usr/lib" -type f -perm -u+x | while read -r file; do
		LC_ALL=C ldd "$file" 2>&1 | grep -q "version .* not found" || continue
		[ -n "$other" ] || other=$("$here/headers.sh" deb12)/../../lib
		rel=${file#"$1"/usr/lib/*/}
		cp "$other"/linux-kbuild-*/"$rel" "$file"
	done
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
	[ "$which" = deb12 ] || replace_unrunnable "$tmp"
}

which=${1:-}
[ -n "${preferred[$which]:-}" ] ||
	quire_die "headers.sh: unknown headers '$which'; use deb12 or deb13"
picked=$(quire_apt_pick "headers-$which" "linux-headers-6\\.12\\.[0-9]+\\+$which(\\.[0-9]+)?-amd64" \
	6.12 "${preferred[$which]}")
read -r package version <<<"$picked"
root=$(quire_artifact "headers-$which" "$(quire_key -s "$version" "$here/headers.sh")" 300 \
	unpack "$package" "$version")
echo "$root/usr/src/$package"
