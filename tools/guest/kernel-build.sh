#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Builds a kernel for the guest from a source tree, which is not written to.
#
# Sourced after lib.sh; kernel_build() is the entry.  What belongs to a tree is in one
# directory of the cache, see kernel_state(), and stays there: a change in the tree
# compiles what depends on it and no more.

kernel_driver=$QUIRE_TOP/drivers/gpu/drm/quire

# kernel_state TREE: the directory of the cache for what is built of TREE.
kernel_state()
{
	local dir
	dir=$QUIRE_CACHE/tree/$(basename "$1")-$(quire_key -s "$1")
	quire_cache
	mkdir -p "$dir"
	if [ "$(cat "$dir/path" 2>/dev/null)" != "$1" ]; then
		echo "$1" >"$dir/path.$$"
		mv "$dir/path.$$" "$dir/path"
	fi
	echo "$dir"
}

# kernel_has_driver TREE: does the tree hold the driver (tools/into-tree)?
kernel_has_driver() { [ -e "$1/drivers/gpu/drm/quire/Kconfig" ]; }

# The helpers of DRM have no prompt, so something must select them: the tree's Kconfig
# and, after it, an option that selects what the driver's own does.
kernel_kconfig()
{
	cat "$1/Kconfig"
	cat <<-'END'

	config QUIRE_GUEST
		tristate "What the quire module needs of DRM"
		depends on DRM && PCI && MMU
	END
	kernel_selects | sed 's/^/\tselect /'
}

kernel_selects() { sed -n '/^config DRM_QUIRE$/,/help/s/^\tselect //p' "$kernel_driver/Kconfig"; }

# kernel_wanted TREE FRAGMENT...: the configuration asked for.
kernel_wanted()
{
	local tree=$1
	shift
	cat "$@"
	! kernel_has_driver "$tree" || echo CONFIG_DRM_QUIRE=m
	[ -z "${KERNEL_CONFIG:-}" ] || cat "$KERNEL_CONFIG"
}

# kernel_refused WANTED CONFIG: the options of the file WANTED that CONFIG has not, or has
# although WANTED says n; the last word on an option counts.
kernel_refused()
{
	awk -F= 'NR == FNR && /^# CONFIG_.* is not set$/ { split($0, part, " "); want[part[2]] = part[2] "=n" }
		NR == FNR { if (/^CONFIG_/) want[$1] = $0; next }
		/^CONFIG_/ { have[$1] = $0 }
		END {
			for (i in want)
				if (want[i] ~ /=n$/ ? i in have : want[i] != have[i])
					print want[i]
		}' "$1" "$2" | sort
}

# What a guest cannot do without, whatever the kernel, as a built-in or a module.
kernel_needs=(64BIT MODULES MODULE_UNLOAD BLK_DEV_INITRD BINFMT_ELF BINFMT_SCRIPT FUTEX EPOLL
	SHMEM PROC_FS SYSFS TMPFS DEVTMPFS DEBUG_FS UNIX98_PTYS PCI_MSI SERIAL_8250_CONSOLE
	VIRTIO_PCI VIRTIO_CONSOLE NET_9P_VIRTIO 9P_FS TRACING DRM)

# kernel_lacks CONFIG: the options that a guest needs and CONFIG has not.
kernel_lacks()
{
	local option
	for option in "${kernel_needs[@]}" $(kernel_selects); do
		grep -qE "^CONFIG_$option=[ym]$" "$1" || echo "CONFIG_$option"
	done
}

# What KASAN does not check, to save time: other checkers. Of all accesses that it checks in a
# debug guest most are lockdep's.
kernel_unchecked=(KASAN_SANITIZE_{lockdep,unwind_frame,debugobjects}.o=n)

# kernel_make ARGS...: make in $tree for $build.  LOCALVERSION: or else git's state would
# be part of the release, and a commit would build all modules anew.
kernel_make()
{
	make -C "$tree" O="$build" ARCH=x86_64 CC=gcc LOCALVERSION= \
		KBUILD_KCONFIG="$build/Kconfig.quire" "${kernel_unchecked[@]}" "$@"
}

kernel_configure()
{
	local lacks
	kernel_kconfig "$tree" >"$build/Kconfig.quire.new"
	cmp -s "$build/Kconfig.quire.new" "$build/Kconfig.quire" ||
		mv "$build/Kconfig.quire.new" "$build/Kconfig.quire"
	kernel_wanted "$tree" "$@" >"$build/wanted.config"
	quire_run "$dir/config.log" "configuration of the kernel" \
		kernel_make KCONFIG_ALLCONFIG="$build/wanted.config" allnoconfig
	lacks=$(kernel_lacks "$build/.config" | xargs)
	[ -z "$lacks" ] || quire_die "kernel: $tree does not grant $lacks, which the guest needs; see why in its Kconfig files"
}

# kernel_changed STAMP: is a module of $build, or a list of them, newer than STAMP?
kernel_changed()
{
	[ ! -e "$1" ] || [ -n "$(find "$build" \( -name '*.ko' -o -path "${build%/}/modules.*" \) \
		-newer "$1" -print -quit)" ]
}

kernel_install()
{
	kernel_changed "$dir/installed" || return 0
	rm -rf "${dir:?}/lib" "$dir/installed"
	touch "$dir/installed.new"
	quire_run "$dir/install.log" "installation of the kernel's modules" \
		make -C "$build" ARCH=x86_64 INSTALL_MOD_PATH="$dir" INSTALL_MOD_STRIP=1 modules_install
	rm -f "$dir"/lib/modules/*/{build,source}
	mv "$dir/installed.new" "$dir/installed"
}

# kernel_build TREE DIR FRAGMENT...: make DIR hold vmlinuz, lib/modules/RELEASE and build
# (for external modules) of TREE, configured by the fragments.
kernel_build()
{
	local tree=$1 dir=$2 build=$2/build targets=(bzImage modules)
	shift 2
	quire_space 3000 "the kernel"
	mkdir -p "$build"
	kernel_configure "$@"
	! grep -qx CONFIG_GDB_SCRIPTS=y "$build/.config" || targets+=(scripts_gdb)
	quire_run "$dir/build.log" "build of the kernel of $tree" \
		kernel_make -j "$QUIRE_JOBS" "${targets[@]}"
	ln -sfn build/arch/x86/boot/bzImage "$dir/vmlinuz"
	kernel_install
}
