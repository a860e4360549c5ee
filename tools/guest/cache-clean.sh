#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Removes the cache of emulators and kernels.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/lib.sh"
rm -rf "$QUIRE_CACHE"
quire_say "removed $QUIRE_CACHE"
