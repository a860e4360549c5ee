#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Removes what this checkout built.
#
# Usage: clean.sh [--cache]
#   --cache  also the cache of emulators and kernels, which other checkouts may use
# Nothing is removed if one of them is not known to be made by the tools: it has their mark, or
# nothing but what they make.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
quire_help "$0" "$@"

refuse()
{
	local file=${2%%$'\n'*}
	[ -z "$file" ] ||
		quire_die "clean: $1 has '$file' and no $QUIRE_MARK: it may not be Quire's, and nothing is removed; remove it yourself, or move '$file' away"
}

doomed=("$QUIRE_BUILD")
case $* in
'') ;;
--cache) doomed+=("$QUIRE_CACHE") ;;
*) quire_die "clean: unknown argument '$*'; see tools/guest/clean.sh --help" ;;
esac
refuse "$QUIRE_BUILD" "$(quire_foreign "$QUIRE_BUILD" "$QUIRE_BUILD_NAMES")"
[ $# = 0 ] || refuse "$QUIRE_CACHE" "$(quire_cache_foreign)"
for dir in "${doomed[@]}"; do
	[ -e "$dir" ] || continue
	rm -rf "$dir"
	quire_say "removed $dir"
done
