#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# A tree for the kernel's kunit.py with the driver in it, the source left as it is.
#
# Sourced after lib.sh and kernel-build.sh; kernel_uml() is the entry.  A tree that holds
# the driver is used itself.  Of another one a farm of links is made, with real files
# where the driver goes in.
# shellcheck source=tools/guest/kernel-build.sh disable=SC2154

# link_farm SRC DST: the directories below are real, all else is links.  kunit.py goes to
# where it really is, so that is real as well.
link_farm()
{
	local dir drm=drivers/gpu/drm
	mkdir -p "$2/$drm/quire" "$2"/{include/quire,include/uapi/drm,tools/testing/kunit}
	uml_write "$2/$drm/Kconfig" < <(cat "$1/$drm/Kconfig"; echo "source \"$drm/quire/Kconfig\"")
	# shellcheck disable=SC2016 # for make to expand
	uml_write "$2/$drm/Makefile" < <(cat "$1/$drm/Makefile"; echo 'obj-$(CONFIG_DRM_QUIRE) += quire/')
	quire_sync "$kernel_driver" "$2/$drm/quire"
	quire_sync "$QUIRE_TOP/include/quire" "$2/include/quire"
	quire_sync "$QUIRE_TOP/include/uapi/drm" "$2/include/uapi/drm"
	quire_sync "$1/tools/testing/kunit" "$2/tools/testing/kunit"
	for dir in . drivers drivers/gpu $drm include include/uapi include/uapi/drm tools tools/testing; do
		quire_link_directory "$1/$dir" "$2/$dir"
	done
}

# uml_write FILE: from stdin, but leave a file that is the same: its time says "changed".
uml_write()
{
	cat >"$1.new"
	cmp -s "$1.new" "$1" || cp "$1.new" "$1"
	rm "$1.new"
}

# Suites of the tree itself, those that are about memory and its scheduling.
uml_suites=(DRM_TTM_KUNIT_TEST DRM_KUNIT_TEST GPU_BUDDY_KUNIT_TEST DRM_SCHED_KUNIT_TEST)

# uml_config TREE: the driver's options and, of a tree of one's own, its suites.
uml_config()
{
	local suite
	cat "$kernel_driver/.kunitconfig"
	[ -n "${KERNEL:-}" ] || return 0
	for suite in "${uml_suites[@]}"; do
		! grep -rqsx --include='Kconfig*' "config $suite" "$1"/drivers/gpu/{Kconfig,drm/Kconfig*} ||
			echo "CONFIG_$suite=y"
	done
}

# kernel_uml TREE: print the directory with linux, build and kunitconfig.
kernel_uml()
{
	local state dir
	state=$(kernel_state "$1")
	dir=$state/uml
	(
		quire_lock "uml-${state##*/}"
		mkdir -p "$dir/build"
		if kernel_has_driver "$1"; then
			[ -L "$dir/linux" ] || rm -rf "$dir/linux"
			ln -sfn "$1" "$dir/linux"
		else
			[ ! -L "$dir/linux" ] || rm "$dir/linux"
			link_farm "$1" "$dir/linux"
		fi
		uml_config "$1" | uml_write "$dir/kunitconfig"
	)
	echo "$dir"
}
