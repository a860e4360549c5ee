#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
# shellcheck shell=dash
# shellcheck disable=SC3043 # busybox has local
#
# "quire page" and "quire pack": what comes back is what went in, and what is not is
# said.  Prints TAP; runs in the guest.

number=0
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# ok STATUS NAME
ok()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
		return
	fi
	failed=1
	echo "not ok $number - $2"
	sed 's/^/# /' "$dir/out" "$dir/err"
}

# run STATUS NAME COMMAND...: it ends with STATUS
run()
{
	local status=$1 name=$2 result=0
	shift 2
	"$@" >"$dir/out" 2>"$dir/err" || result=$?
	[ $result = "$status" ]
	ok $? "$name"
}

# says FILE PATTERN: the last command said so, there
says() { grep -q -- "$2" "$dir/$1"; ok $? "it says: $2"; }

last_line() { tail -n 1 "$dir/out" | grep -qE -- "$1"; ok $? "the last line is: $1"; }

# poke FILE OFFSET: change one byte
poke() { printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }

# Files of odd sizes and names, 17 MB of them, and what is no file.  The small ones are
# more than fit into one piece of an image, and none ends where a piece does.
make_files()
{
	local i=0
	mkdir -p "$dir/files/below" "$dir/files/small"
	while [ $i -lt 250 ]; do
		head -c 20000 /dev/urandom >"$dir/files/small/$i"
		i=$((i + 1))
	done
	head -c 9000001 /dev/urandom >"$dir/files/large"
	head -c 4096 /dev/urandom >"$dir/files/page"
	head -c 4097 /dev/urandom >"$dir/files/below/page and one"
	printf 'x' >"$dir/files/below/two
lines"
	: >"$dir/files/empty"
	head -c 3000000 /dev/zero >"$dir/files/zeros"
	ln -s large "$dir/files/link"
}

# line NAME: the numbers of a counter of the driver
line() { awk -v name="$1" '$1 == name { print $2, $3, $4 }' /sys/kernel/debug/dri/0000:*/counters; }

# adds_up NAME BEFORE: the table has by how much the counter rose, bytes as MiB
adds_up()
{
	echo "$2 $(line "$1") $(awk -v name="$1" '$1 == name { print $2, $3, $4 }' "$dir/out")" |
		awk '{
			n = NF / 3
			for (i = 1; i <= n; i++) {
				rose = $(n + i) - $i
				if (sprintf(i == 2 ? "%.1f" : "%d", i == 2 ? rose / 1048576 : rose) != $(2 * n + i) "")
					exit 1
			}
			exit n < 2
		}'
	ok $? "the table says by how much $1 rose"
}

test_good()
{
	local moves transfers
	moves=$(line 'system->vram') transfers=$(line TRANSFER)
	run 0 "page a directory" quire page --seed 1 "$dir/files"
	adds_up 'system->vram' "$moves"
	adds_up TRANSFER "$transfers"
	last_line '^quire: paged 256 files, 17008195 bytes through [0-9]+ bytes of VRAM in [0-9.]+ s: 0 differ$'
	says out '^moves '
	says out '^system->vram  *[1-9]'
	says out '^TRANSFER  *[1-9]'
	says out "^paging buffers  *[1-9]"
	run 0 "pack it" quire pack "$dir/files" "$dir/image"
	run 0 "page the image" quire page --seed 1 "$dir/image"
	last_line '^quire: paged 256 files, 17008195 bytes .*: 0 differ$'
}

# One byte is not what the image says of it.
test_differs()
{
	cp "$dir/image" "$dir/bad"
	poke "$dir/bad" 5000
	run 1 "a changed byte is found" quire page "$dir/bad"
	last_line ': 1 differ$'
	says err ' differs$'
	says out 'repeat it with --seed'
}

test_unread()
{
	printf 'page\0nothing\0link\0/etc/passwd\0' >"$dir/list"
	run 0 "pack a list" quire pack --files0-from "$dir/list" "$dir/files" "$dir/some"
	says err 'nothing: not read: No such file'
	says err 'link: not read: it is a symbolic link'
	says err 'passwd: not read: the name is not relative to DIR'
	run 1 "page what could be read" quire page "$dir/some"
	last_line 'paged 1 files, 4096 bytes .*: 0 differ, 3 not read$'
	run 1 "the same without an image" quire page --files0-from "$dir/list" "$dir/files"
	last_line 'paged 1 files, 4096 bytes .*: 0 differ, 3 not read$'
}

test_refused()
{
	run 1 "a file that is no image" quire page "$dir/files/large"
	says err 'neither a directory nor a whole image'
	head -c 40960 "$dir/image" >"$dir/short"
	run 1 "an image that is cut short" quire page "$dir/short"
	says err 'neither a directory nor a whole image'
	cp "$dir/some" "$dir/bad"
	poke "$dir/bad" $((2 * 4096 + 13))
	run 1 "an image with a file larger than itself" quire page "$dir/bad"
	says err 'neither a directory nor a whole image'
	run 1 "an image that is not there" quire page "$dir/none"
	run 1 "an image that cannot be written" quire pack "$dir/files" "$dir/none/image"
	run 1 "a disk that is full" quire pack "$dir/files" /dev/full
	run 2 "a list for an image" quire page --files0-from "$dir/list"
	run 2 "pack without an image" quire pack "$dir/files"
	run 2 "rounds for pack" quire pack --rounds 2 "$dir/files" "$dir/none"
}

echo "TAP version 13"
make_files
test_good
test_differs
test_unread
test_refused
echo "1..$number"
exit $failed
