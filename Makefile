# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The commands of the project; "make help" lists them.  The same file is the Kbuild
# entry of the module:  make -C KERNEL_BUILD_TREE M=$PWD modules

ifneq ($(KERNELRELEASE),)

# a kernel that was built without the driver has no symbol for it
export CONFIG_DRM_QUIRE ?= m
obj-m += drivers/gpu/drm/quire/

else

.PHONY: help run check check-all conformance soak fuzz lint coverage faults bench pictures module \
	emulator guest clean distclean

help:
	@echo 'Quire: a virtual GPU whose work is memory'
	@echo
	@echo '  make run      build all, boot a guest, page real files through its video memory'
	@echo '                DIR=/path  files of your own (default: 256 MiB of this machine'\''s)'
	@echo '  make check    build all and run every kind of test; ends with "N passed, N failed"'
	@echo '                RINGS="0 1 2 3 4 5 6 7"  some of: build, user space, KUnit, qtest,'
	@echo '                guest, debug guest, guests of other shapes, guests that sleep or'
	@echo '                are reset; ONLY="PROGRAM"  of guests: this program alone'
	@echo '  make check-all  every test in each of its guests; also rings 8 and 9, debug guests'
	@echo '                with failures and with commands'
	@echo '  make conformance  test each rule of the paging model and of splitting, in user space,'
	@echo '                in the guest and in the debug guest; ends with "N rules hold, M do not"'
	@echo '  make soak     random operations against a model, in the debug guest, with faults,'
	@echo '                sleep, migration and resets; MINUTES=10, SEED=1'
	@echo '  make fuzz     all fuzzers: builder, commands, submissions, engine, virtual addresses, and'
	@echo '                QEMU'\''s own; MINUTES=10'
	@echo '  make lint     coding style and static checks'
	@echo '  make coverage  count which lines of driver and engine run in tests: a table, and'
	@echo '                build/coverage/html/index.html'
	@echo '  make faults   put deliberate faults in, one at a time: each is caught by a test; a'
	@echo '                table; PARTS="device builder moves", only these'
	@echo '  make bench    measure; a table, and build/bench.json'
	@echo '  make pictures  draw the pictures of splitting.rst anew'
	@echo '  make module   build quire.ko for the guest'\''s kernel'
	@echo '  make emulator  build QEMU with the device'
	@echo '  make guest    build all and open a shell in the guest'
	@echo '  make clean    remove what this checkout built'
	@echo '  make distclean  the same, and the cache of emulators and kernels (neither, if one'
	@echo '                may hold what is not Quire'\''s)'
	@echo
	@echo 'Variables of run, check, conformance, soak, bench and guest (module: KERNEL; emulator, fuzz:'
	@echo 'QEMU):'
	@echo '  KERNEL=DIR             a kernel tree of yours: built outside of it, kept, incremental;'
	@echo '                         or one that is built already (not soak, conformance)'
	@echo '  KERNEL=7.2.12+deb13-amd64  another kernel of Debian (not soak, conformance)'
	@echo '  KERNEL_CONFIG=FILE     options for KERNEL=DIR, on top of tools/guest/guest.config'
	@echo '  QEMU=DIR               a QEMU tree of yours: built outside of it, kept, incremental'
	@echo '  ACCEL=auto|tcg|kvm     how the guest runs (default: auto)'
	@echo
	@echo 'Programs:'
	@echo '  tools/guest/guest --help          a guest with options, e.g. --kernel debug, --gdb'
	@echo '  tools/into-tree [--remove] DIR    put the driver into a kernel tree, or take it out'
	@echo '  tools/check/igt IGT=DIR           run tests of a source tree of IGT, see testing.rst'

run:
	@tools/run

check:
	@tools/check/check

check-all:
	@tools/check/check --all

conformance:
	@tools/conformance/conformance

soak:
	@tools/soak/soak

fuzz:
	@tools/fuzz/fuzz

lint:
	@tools/lint/lint

coverage:
	@tools/coverage/coverage

faults:
	@tools/faults/faults

bench:
	@tools/bench/bench

pictures:
	@tools/check/pictures --write

module:
	@kernel=$$(tools/guest/kernel.sh stock) && tools/guest/module.sh --kernel "$$kernel"

emulator:
	@tools/guest/emulator.sh

guest:
	@tools/guest/guest --tty -- sh

clean:
	@tools/guest/clean.sh

distclean:
	@tools/guest/clean.sh --cache

endif
