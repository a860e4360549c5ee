#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Compares the description of the ioctls for syzkaller with the headers: each ioctl with its number,
# direction and structure; each structure with the size and offset of each field, in order; each
# constant that is a value of a field.  Also that it keeps to the part of syzlang that it needs: what
# it names is defined, and what it defines is used.  syzkaller itself is not needed.
#
# Usage: check.sh [DESCRIPTION]    prints what is wrong; exit status 1 if anything is

set -u
here=$(dirname "$(readlink -f "$0")")
. "$here/../../guest/lib.sh"
quire_help "$0" "$@"
top=$here/../../..
description=${1:-$here/dev_quire.txt}
[[ $# -le 1 && -f $description ]] || quire_die "check.sh: there is no description '$*'"
program=$(mktemp "${TMPDIR:-/tmp}/quire-syzkaller.XXXXXX") || exit 1
trap 'rm -f "$program"' EXIT

failed=0
awk -v description="$description" -f "$here/check.awk" "$top/include/uapi/drm/quire_drm.h" \
	"$top/include/quire/quire_command.h" "$description" >"$program" || failed=1
# shellcheck disable=SC2046 # options are words
"${CC:-cc}" -x c -std=gnu11 -fsyntax-only -Wno-unused -I"$top/include" -I"$top/include/uapi/drm" \
	$(pkg-config --cflags libdrm) "$program" 2>&1 | grep 'error:' && failed=1
exit $failed
