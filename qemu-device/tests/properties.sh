#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Properties of the device: what is refused, with which message, and what is
# accepted, on which machine. Prints TAP. QEMU names the emulator.
set -u

qemu=${QEMU:-${1:-qemu-system-x86_64}}
count=0
failed=0

# ok STATUS NAME: one test point.
ok() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
	fi
}

# start MACHINE ARGUMENTS...: start and quit at once; the monitor answers last.
start() {
	machine=$1
	shift
	echo quit | timeout 60 "$qemu" -M "$machine" -accel tcg -S -nodefaults -display none \
		-monitor stdio "$@" 2>&1
}

# refused PROPERTIES MESSAGE: the device says MESSAGE and the emulator exits with 1.
refused() {
	output=$(start q35 -device "quire,$1")
	status=$?
	[ "$status" -eq 1 ] && echo "$output" | grep -Fq -- "$2"
	ok $? "$1 is refused: $2"
	[ "$status" -eq 1 ] || echo "#   exit status $status"
	echo "$output" | grep -Fq -- "$2" || echo "$output" | sed 's/^/#   /'
}

# accepted NAME MACHINE ARGUMENTS...: the emulator starts with it.
accepted() {
	name=$1
	shift
	output=$(start "$@")
	status=$?
	ok "$status" "$name is accepted"
	[ "$status" -eq 0 ] || echo "$output" | sed 's/^/#   /'
}

unit="must be a multiple of 1 MiB, from 1 MiB to"
for size in 0 1 4095 1048575 1572864; do
	refused "vram-size=$size" "vram-size=$size $unit 64 GiB"
	refused "aperture-size=$size" "aperture-size=$size $unit 16 GiB"
	refused "mmu-size=$size" "mmu-size=$size $unit 16 GiB"
done
refused vram-size=65G "$unit 64 GiB"
for entries in 1 2 3 5 255 8192; do
	refused "tlb-entries=$entries" "tlb-entries=$entries must be 0, or a power of two from 4 to 4096"
done
refused tlb-entries=-1 "tlb-entries"
for entries in 0 4 4096; do
	accepted "tlb-entries=$entries" q35 -device "quire,tlb-entries=$entries"
done
refused vram-size=15E "$unit 64 GiB"
refused aperture-size=17G "$unit 16 GiB"
refused mmu-size=17G "mmu-size=18253611008 $unit 16 GiB"
refused mmu-size=many "mmu-size"
refused vram-size=-1 "vram-size"
refused vram-size=many "vram-size"
refused vram-visible=4096 "vram-visible=4096 must be a power of two, at least 1 MiB"
refused vram-size=8M,vram-visible=3M "must be a power of two"
refused vram-size=8M,vram-visible=16M \
	"vram-visible=16777216 must not exceed vram-size=8388608"
size="must be a power of two, from 1 MiB to 256 MiB"
for bytes in 0 1 16 524288 3145728 536870912; do
	refused "swizzle-range-size=$bytes" "swizzle-range-size=$bytes $size"
done
refused swizzle-ranges=0,swizzle-range-size=3M "$size"
refused swizzle-range-size=many "swizzle-range-size"
refused swizzle-ranges=17 "swizzle-ranges=17 must not exceed 16"
refused swizzle-ranges=4294967295 "must not exceed 16"
refused swizzle-ranges=-1 "swizzle-ranges"
for rings in 8 4294967295; do
	refused "execution-rings=$rings" "execution-rings=$rings must be 0 to 7"
done
refused execution-rings=-1 "execution-rings"
refused execution-rings=many "execution-rings"
refused swizzle-ranges=9,swizzle-range-size=256M "swizzle-ranges=9 of \
swizzle-range-size=268435456 do not fit into a BAR of 2 GiB"
size="must be 0, or a power of two from 4096 to"
for bytes in 1 2048 12288 536870912; do
	refused "aperture-window-size=$bytes" "aperture-window-size=$bytes $size 268435456"
done
refused aperture-size=3M,aperture-window-size=4M \
	"aperture-window-size=4194304 $size 2097152, what aperture-size=3145728 allows"
refused aperture-size=16G,aperture-window-size=2G "$size 1073741824"
refused aperture-window-size=many "aperture-window-size"
refused colour=blue "colour"
refused fault-injection=perhaps "fault-injection"
refused dummy-page-report=perhaps "dummy-page-report"

# described PROPERTY: "-device quire,help" says what it is for.
described() {
	"$qemu" -device quire,help | grep -Eq "^ +$1=<[a-z0-9]+> +- +[A-Z].+ [(]default: "
	ok $? "$1 has a description and a default"
}

source=$(dirname "$0")/../hw/quire/quire-pci.c
properties=$(sed -n 's/^ *DEFINE_PROP_[A-Z0-9]*("\([a-z-]*\)".*/\1/p' "$source")
for property in $properties; do
	described "$property"
done
[ -n "$properties" ]
ok $? "all of them are looked at"

accepted "the default" q35 -device quire
accepted "the default on a PCI bus" pc -device quire
accepted "the smallest" q35 -device quire,vram-size=1M,vram-visible=1M,aperture-size=1M
accepted "all of VRAM visible" q35 -device quire,vram-size=64M,vram-visible=64M
accepted "VRAM of no power of two" q35 -device quire,vram-size=3M
for size in 3M 24M 31M 33M; do
	accepted "aperture-size=$size" q35 -device "quire,aperture-size=$size"
done
accepted "much aperture" q35 -device quire,aperture-size=16G
accepted "the smallest MMUs" q35 -device quire,mmu-size=1M
accepted "MMUs of no power of two" q35 -device quire,mmu-size=3M
accepted "large MMUs" q35 -device quire,mmu-size=16G
accepted "no window of the aperture" q35 -device quire,aperture-window-size=0
accepted "the smallest window" q35 -device quire,aperture-window-size=4K
accepted "the largest window" q35 -device quire,aperture-size=16G,aperture-window-size=1G
accepted "a window of all" q35 -device quire,aperture-size=4M,aperture-window-size=4M
accepted "a root port" q35 -device pcie-root-port,id=rp0 -device quire,bus=rp0
accepted "two devices" q35 -device quire -device quire
accepted "no execution rings" q35 -device quire,execution-rings=0
accepted "most execution rings" q35 -device quire,execution-rings=7
accepted "no swizzling ranges" q35 -device quire,swizzle-ranges=0
accepted "one swizzling range" q35 -device quire,swizzle-ranges=1,swizzle-range-size=1M
accepted "most swizzling ranges" q35 -device quire,swizzle-ranges=16,swizzle-range-size=128M
accepted "largest swizzling ranges" q35 -device quire,swizzle-ranges=8,swizzle-range-size=256M
accepted "faults on demand" q35 -device quire,fault-injection=on
accepted "a report of dummy pages" q35 -device quire,dummy-page-report=on

echo "1..$count"
[ "$failed" -eq 0 ]
