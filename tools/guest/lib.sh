#!/bin/bash
# shellcheck disable=SC2034 # the variables are for those who source this
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Common ground of the build and boot scripts: messages, the cache, locks.
#
# Sourced, never run.  Sets QUIRE_TOP (the checkout), QUIRE_CACHE (where built
# things are kept) and QUIRE_BUILD (what belongs to this checkout alone).
#
# The shell stops at the first command that fails (set -e).  It forgets that in a subshell
# before "|| exit" and in $(...): what stands there says "set -e" again, or ends by
# quire_die.
#
# An artifact is a directory $QUIRE_CACHE/NAME/KEY.  KEY is a hash of all that
# goes into it.  It is made in a temporary directory and renamed when complete,
# so that it is either whole or not there; see quire_artifact().

QUIRE_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
QUIRE_CACHE=${QUIRE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/quire}
QUIRE_BUILD=$QUIRE_TOP/build
QUIRE_JOBS=${QUIRE_JOBS:-$(nproc)}
QUIRE_KEEP=2
# the folders of tools whose programs are built, and are in the guest
QUIRE_PROGRAMS=${QUIRE_PROGRAMS:-quire tests soak bench examples}
# seconds after which a step tells what it does
QUIRE_LONG=5
# what make was told, as KERNEL=, is for our Makefile and not for those of a kernel
unset MAKEFLAGS MFLAGS MAKEOVERRIDES

# The terminal that is told how far things are, as a file descriptor that all scripts
# below this one keep; empty if there is none.
if ! { [ -n "${QUIRE_LIVE:-}" ] && [ -t "$QUIRE_LIVE" ]; }; then
	QUIRE_LIVE=''
	[ ! -t 2 ] || exec {QUIRE_LIVE}>&2
fi
export QUIRE_LIVE

# a name is the same below another directory
[[ $QUIRE_CACHE = /* ]] || QUIRE_CACHE=$PWD/$QUIRE_CACHE

quire_say() { printf 'quire: %s\n' "$*" >&2; }

quire_die()
{
	quire_say "$*"
	exit 1
}

[[ $QUIRE_JOBS =~ ^[1-9][0-9]{0,3}$ ]] ||
	quire_die "QUIRE_JOBS: '$QUIRE_JOBS' is no number of jobs; use 1 to 9999"

# quire_help SCRIPT [ARGUMENT...]: "--help" prints the head of the script, and ends it.
quire_help()
{
	case ${2:-} in
	--help | -h)
		awk '!/^#/ { exit } head { sub(/^# ?/, ""); print } $0 == "#" { head = 1 }' "$1"
		exit 0 ;;
	esac
}

# quire_at_most NUMBER SCRIPT [ARGUMENT...]: the same, of a script that has so many other arguments.
quire_at_most()
{
	local number=$1 script
	shift
	quire_help "$@"
	script=$(readlink -f "$1")
	[ $# -le $((number + 1)) ] ||
		quire_die "${1##*/}: unknown argument '${*:number + 2:1}'; see ${script#"$QUIRE_TOP/"} --help"
}

quire_no_arguments() { quire_at_most 0 "$@"; }

# quire_run LOG WHAT CMD...: run CMD with its output in LOG, saying how far it is if that
# takes long; on failure show the end of LOG and stop.
quire_run()
{
	local log=$1 what=$2 result=0 follower begin=$SECONDS
	shift 2
	mkdir -p "$(dirname "$log")"
	: >"$log"
	quire_follow "$log" "$what" $$ >/dev/null &
	follower=$!
	"$@" >"$log" 2>&1 </dev/null || result=$?
	kill "$follower" 2>/dev/null || true
	wait "$follower" 2>/dev/null || true
	[ -z "$QUIRE_LIVE" ] || printf '\r\033[K' >&"$QUIRE_LIVE"
	if [ $result != 0 ]; then
		tail -n 20 "$log" >&2
		quire_die "$what failed: see $log; run the same command again after mending it"
	fi
	[ $((SECONDS - begin)) -lt $QUIRE_LONG ] || quire_say "$what: done ($(quire_since "$begin"))"
}

# quire_follow LOG WHAT PID: tell how far WHAT is until killed, or PID is gone: each second
# on a terminal, else once it is known to take long, and then each minute.
quire_follow()
{
	local begin=$SECONDS never next=$QUIRE_LONG
	exec {never}<> <(:)
	while kill -0 "$3" 2>/dev/null; do
		read -rt 1 -u "$never" || true
		if [ -n "$QUIRE_LIVE" ]; then
			printf '\r\033[Kquire: %s%s (%s)' "$2" "$(quire_how_far "$1")" "$(quire_since "$begin")" >&"$QUIRE_LIVE"
		elif [ $((SECONDS - begin)) -ge "$next" ]; then
			quire_say "$2$(quire_how_far "$1") ($(quire_since "$begin"))"
			next=$((next + 60))
		fi
	done
}

quire_since() { printf '%d:%02d' $(((SECONDS - $1) / 60)) $(((SECONDS - $1) % 60)); }

# quire_how_far LOG: what ninja says of the whole, or how many files a kernel has compiled.
quire_how_far()
{
	awk '/^\[[0-9]+\/[0-9]+\]/ { split(substr($1, 2), part, "/"); whole = part[2] + 0 }
		/^  (CC|AS|HOSTCC|LD)( \[M\])? / { files++ }
		END {
			if (whole)
				printf ": %d %%", 100 * part[1] / whole
			else if (files)
				printf ": %d files compiled", files
		}' "$1"
}

# quire_not_sudo: stop if this is sudo, and a user's checkout or cache would get files of root's.
quire_not_sudo()
{
	local dir
	{ [ -n "${SUDO_USER:-}" ] && [ "$(id -u)" = 0 ]; } || return 0
	for dir in "$QUIRE_TOP" "$QUIRE_CACHE"; do
		until [ -e "$dir" ]; do
			dir=$(dirname "$dir")
		done
		[ "$(stat -c %u "$dir")" = 0 ] ||
			quire_die "sudo: $dir is not root's; run the same command as $SUDO_USER, without sudo: it calls sudo itself where it needs root"
	done
}

# What is in the cache, and in a build directory, where an earlier version left no mark.
QUIRE_MARK=.made-by-quire
QUIRE_CACHE_NAMES='accel|apt|ccache|emulator(-fuzz|-qtests)?|headers-.*|kernel-.*|linux-source|locks'
QUIRE_CACHE_NAMES+='|module-.*|qemu-own|qemu-tree|tree|versions'
QUIRE_BUILD_NAMES='\.programs\.lock|bench(\.json)?|check|choose|conformance|coverage|engine|examples'
QUIRE_BUILD_NAMES+='|faults|fuzz|guest|igt|lib-tests|lint-.*|module-.*|mutants|pictures|quire|soak|tests|.*\.log'

# quire_foreign DIR NAMES: print the files that show that DIR may not be the tools'.  DIR is theirs if
# it has their mark, or nothing but NAMES.
quire_foreign()
{
	[ ! -e "$1/$QUIRE_MARK" ] || return 0
	find "$1/" -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | grep -vxE "$2" || true
}

# quire_cache_foreign: the same of the cache.  A directory of the user's may have few files, called
# "tree" or "apt": a cache has locks, too, also of parts that this version does not know.
quire_cache_foreign()
{
	local locks=$QUIRE_CACHE/locks
	if [ -d "$locks" ]; then
		quire_foreign "$QUIRE_CACHE" "$QUIRE_CACHE_NAMES" | grep -vxF -f <(ls "$locks") || true
	else
		quire_foreign "$QUIRE_CACHE" ''
	fi
}

# quire_mark DIR: "make clean" and "make distclean" may remove DIR.
quire_mark()
{
	[ -e "$1/$QUIRE_MARK" ] || echo 'Made by the tools of Quire, and removed by them.' >"$1/$QUIRE_MARK"
}

# quire_cache: make the cache, or stop if it cannot be, or if the directory never was one.
quire_cache()
{
	local foreign
	quire_not_sudo
	[ ! -w "$QUIRE_CACHE/$QUIRE_MARK" ] || return 0
	{ mkdir -p "$QUIRE_CACHE" 2>/dev/null && [ -w "$QUIRE_CACHE" ]; } ||
		quire_die "cache: cannot write $QUIRE_CACHE; set QUIRE_CACHE to a directory you can write"
	foreign=$(quire_cache_foreign)
	[ -z "$foreign" ] || [ -d "$QUIRE_CACHE/locks" ] ||
		quire_die "cache: $QUIRE_CACHE has '${foreign%%$'\n'*}', which is not Quire's; set QUIRE_CACHE to a directory that is empty or not there"
	[ -n "$foreign" ] || quire_mark "$QUIRE_CACHE"
}

# quire_build_dir DIR: make a directory of this checkout's build.
quire_build_dir()
{
	quire_not_sudo
	{ mkdir -p "$1" 2>/dev/null && [ -w "$1" ]; } ||
		quire_die "build: cannot write $1; make the checkout writable, or use one that is"
	[ -n "$(quire_foreign "$QUIRE_BUILD" "$QUIRE_BUILD_NAMES")" ] || quire_mark "$QUIRE_BUILD"
}

# quire_key_files PATH: hashes and names, relative to PATH (or to where the file is).  A copy has the
# key of what it is a copy of.
quire_key_files()
{
	(
		if [ -d "$1" ]; then
			cd "$1" || exit
			set -- .
		else
			cd "$(dirname "$1")" || exit
			set -- "$(basename "$1")"
		fi
		find -L "$1" -type f ! -name '.quire-synced*' -print0 | LC_ALL=C sort -z |
			xargs -0r sha256sum
	)
}

# quire_key [-s STRING | PATH]...: a hash over strings and over the names and
# contents of files (a directory stands for every file below it).
quire_key()
{
	local arg
	while [ $# -gt 0 ]; do
		arg=$1
		shift
		if [ "$arg" = -s ]; then
			printf 'string %s\n' "$1"
			shift
		elif [ -e "$arg" ]; then
			quire_key_files "$arg"
		fi
	done | sha256sum | cut -c1-16
}

# quire_space MIB WHAT: stop early when the cache's disk cannot hold WHAT.
quire_space()
{
	local free
	quire_cache
	free=$(quire_free)
	[ "$free" -ge "$1" ] ||
		quire_die "disk: $2 needs $1 MiB below $QUIRE_CACHE but $free MiB are free; free some or set QUIRE_CACHE to a directory elsewhere"
}

# quire_free: MiB that are free where the cache is, or will be.
quire_free()
{
	local dir=$QUIRE_CACHE
	until [ -e "$dir" ]; do
		dir=$(dirname "$dir")
	done
	df -Pm "$dir" | awk 'NR == 2 { print $4 }'
}

# quire_room MIB WHAT PART...: stop before the first download when what WHAT keeps in the cache, with
# all that it needs meanwhile, does not fit.  Not if the cache has all PARTs; nor for a kernel or an
# emulator of the user's, whose sizes are not known here.
quire_room()
{
	local mib=$1 what=$2 part missing=0 have=0 free
	# once for a command and all that it calls: what is built meanwhile is counted already
	[ -z "${QUIRE_ROOM:-}${KERNEL:-}${QEMU:-}" ] || return 0
	export QUIRE_ROOM=checked
	shift 2
	for part in "$@"; do
		compgen -G "$QUIRE_CACHE/$part/*" >/dev/null || missing=1
	done
	[ $missing = 1 ] || return 0
	[ ! -d "$QUIRE_CACHE" ] || have=$(du -sm "$QUIRE_CACHE" 2>/dev/null | cut -f 1)
	free=$(quire_free)
	[ "$free" -ge $((mib - have)) ] ||
		quire_die "disk: $what needs $((mib - have)) MiB more below $QUIRE_CACHE but $free MiB are free; free some or set QUIRE_CACHE to a directory elsewhere"
}

# quire_room_guest, quire_room_tests: the same, for what has Debian's kernel, and for what has a kernel
# of its own; see the table in CONTRIBUTING.md.
quire_room_guest() { quire_room 3072 "the set-up" emulator kernel-stock; }
quire_room_tests() { quire_room 8192 "the set-up of all tests" emulator linux-source; }

# quire_lock NAME: hold the lock NAME until this (sub)shell ends.
quire_lock()
{
	quire_cache
	mkdir -p "$QUIRE_CACHE/locks"
	exec {QUIRE_LOCK_FD}>"$QUIRE_CACHE/locks/$1"
	if ! flock -n "$QUIRE_LOCK_FD"; then
		quire_say "waiting for another run that builds $1"
		flock "$QUIRE_LOCK_FD"
	fi
}

# quire_alone NAME DIR: have DIR, of this checkout's build, alone until this shell ends.  Ends it if
# another NAME has it.
quire_alone()
{
	exec {QUIRE_ALONE_FD}>"$2/.lock"
	flock -n "$QUIRE_ALONE_FD" ||
		quire_die "$1: another one runs in this checkout; wait for it, or use a second checkout"
}

# quire_prune NAME: keep the QUIRE_KEEP most recently used artifacts of NAME, and what
# was used within the hour: another run may be at work with it.
quire_prune()
{
	local dir
	find "$QUIRE_CACHE/$1" -mindepth 1 -maxdepth 1 -type d ! -name '.*' \
		-printf '%T@ %p\n' | sort -rn | tail -n +$((QUIRE_KEEP + 1)) |
	while read -r _ dir; do
		[ -n "$(find "$dir" -maxdepth 0 -mmin -60)" ] || quire_forget "$dir"
	done
}

# quire_forget DIR: remove an artifact; what is interrupted leaves no half of one.
quire_forget()
{
	local gone
	gone=$(dirname "$1")/.gone.$(basename "$1").$$
	mv "$1" "$gone" 2>/dev/null || return 0
	rm -rf "$gone"
}

# quire_artifact NAME KEY MIB BUILDER [ARGS...]: print the path of the artifact;
# build it first if need be.  BUILDER is called as BUILDER TMP FINAL [ARGS...].
quire_artifact()
{
	local name=$1 final=$QUIRE_CACHE/$1/$2 mib=$3 tmp
	shift 3
	quire_cache
	if [ ! -d "$final" ]; then
		(
			set -e
			quire_lock "$name"
			[ ! -d "$final" ] || exit 0
			# what was interrupted, or found no room
			rm -rf "$QUIRE_CACHE/$name"/.{tmp,gone}.*
			quire_space "$mib" "$name"
			tmp=$QUIRE_CACHE/$name/.tmp.$$
			mkdir -p "$tmp"
			"$1" "$tmp" "$final" "${@:2}" >&2
			mv "$tmp" "$final"
		)
		[ -d "$final" ] || exit 1
	fi
	touch -c "$final"
	quire_prune "$name"
	printf '%s\n' "$final"
}

# quire_check_key FINAL KEY: for a builder that had to wait: are the sources still those that FINAL
# is named after?
quire_check_key()
{
	[ "${1##*/}" = "$2" ] ||
		quire_die "$(basename "$(dirname "$1")"): its sources changed before it was built; run the same command again"
}

# quire_sums DIR LIST: of each of the listed files that DIR has: sum, two blanks, name; sorted
quire_sums() { (set -o pipefail; cd "$1" && xargs -0r sha256sum -z | LC_ALL=C sort -z) <"$2"; }

# quire_sync SRC DST: bring SRC's files to DST.  A file is touched only when its
# contents change, so that make and ninja see just what really changed; a file
# brought earlier that SRC no longer has goes; others in DST (objects) stay.  Ends the shell if it
# cannot.
quire_sync()
{
	local src=$1 dst=$2 list=$2/.quire-synced file
	mkdir -p "$dst"
	(cd "$src" && find -L . -type f ! -name '*.o' ! -name '*.ko' -print0) >"$list.new"
	if [ -e "$list" ]; then
		while IFS= read -r -d '' file; do
			[ -e "$src/$file" ] || rm -f "$dst/$file"
		done <"$list"
	fi
	quire_sums "$src" "$list.new" >"$list.sums" || quire_die "$src: cannot read all of it"
	while IFS= read -r -d '' file; do
		mkdir -p "$(dirname "$dst/$file")"
		{ cp "$src/$file" "$dst/$file.quire-new" && mv -f "$dst/$file.quire-new" "$dst/$file"; } ||
			quire_die "disk: cannot write $dst/$file; is it full?"
	done < <(LC_ALL=C comm -z23 "$list.sums" <(quire_sums "$dst" "$list.new" 2>/dev/null) |
		cut -z -c67-)
	mv "$list.new" "$list"
	rm "$list.sums"
}

# quire_link_directory SRC DST: DST gets links to all in SRC but to what DST really has.
# Links to what SRC has no more go; the history of the source is none of a build's business.
quire_link_directory()
{
	local name real=(! -name .git)
	mkdir -p "$2"
	find "$2" -mindepth 1 -maxdepth 1 -type l -lname "$1/*" -delete
	while IFS= read -r name; do
		real+=(! -name "$name")
	done < <(find "$2" -mindepth 1 -maxdepth 1 -printf '%f\n')
	find "$1" -mindepth 1 -maxdepth 1 "${real[@]}" -exec ln -s -t "$2" {} +
}
