#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Counts the instructions that an operation of the driver takes, from the system call to the
# program's going on; no machine changes these figures.
#
# Usage: instructions.sh            print the figures
#        instructions.sh --check    compare them with the table tools/bench/instructions: TAP; an
#                                   operation fails whose total or whose driver part has grown
#                                   by more than 3 %
#        instructions.sh --write    print the figures and make them the table
#        instructions.sh --profile OPERATION [LINES]
#                                   the functions that take most of one operation, in the sample
#                                   whose total is the median (30 lines)
# Takes a minute of a guest with one processor, in virtual time, with a plugin of the emulator;
# see instructions_plugin.c and bench_instructions.c.
#
# Columns: total; TTM; the driver; the other modules of DRM (drm, drm_buddy, drm_exec, drm_gpuvm,
# drm_suballoc_helper, gpu_sched); the rest of the kernel, with interrupts and the idle task. User
# space is left out. Each iteration of a string instruction counts: clearing a page takes 512.
# The table is of one kernel release and one compiler of the driver; with others --check is
# skipped.

set -eu
here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
quire_help "$0" "$@"

table=$here/instructions
limit=3		# percent
loop=2000	# instructions, see bench_instructions.c
mode=print operation='' lines=30

usage() { quire_die "instructions.sh: $1; see tools/bench/instructions.sh --help"; }

parse_options()
{
	case ${1:-} in
	'') ;;
	--check | --write) mode=${1#--} ;;
	--profile)
		mode=profile operation=${2:-} lines=${3:-30}
		[[ $operation =~ ^[a-z0-9-]+$ ]] || usage "--profile needs an operation"
		[[ $lines =~ ^[1-9][0-9]*$ ]] || usage "--profile: '$lines' is not a number of lines" ;;
	*) usage "unknown argument '$1'" ;;
	esac
}

build_plugin()
{
	local flags=()
	read -ra flags < <(pkg-config --cflags glib-2.0)
	quire_run "$QUIRE_BUILD/check/plugin.log" "build of the plugin" gcc -std=gnu11 -O2 -Wall -Wextra -Werror \
		-shared -fPIC -fvisibility=hidden -I"$1" "${flags[@]}" \
		-o "$out/plugin.so" "$here/instructions_plugin.c"
}

# measure COMMAND...: in a guest; its output goes to $out/stdout, the samples to $out/samples.
#
# An instruction takes 1 ns here: the fewer ticks.  Without nokaslr addresses differ from run
# to run; with nohz the idle task sometimes stops the tick and sometimes does not.
measure()
{
	local emulator
	emulator=$("$here/../guest/emulator.sh")
	quire_build_dir "$QUIRE_BUILD/check"
	build_plugin "$emulator"
	QUIRE_SHIFT=0 "$here/../guest/guest" --time virtual --smp 1 --timeout 600 \
		--append 'nokaslr nohz=off' --console "$QUIRE_BUILD/check/console-instructions.log" \
		--emulator-args "-plugin $out/plugin.so,out=$out/samples${operation:+,profile=$operation}" \
		-- "$@" >"$out/stdout" || quire_die "instructions: the guest failed; see above"
}

# The kernel and the compiler of the driver that is measured.
measured_with()
{
	local kernel
	kernel=$("$here/../guest/kernel.sh" stock)
	printf 'kernel %s, gcc %s\n' "$(ls "$kernel/lib/modules")" "$(gcc -dumpversion)"
}

print_figures()
{
	printf '# %-12s %9s %9s %9s %9s %9s\n' operation total TTM driver DRM rest
	while read -r name figures; do
		# shellcheck disable=SC2086 # five numbers
		printf '%-14s %9s %9s %9s %9s %9s\n' "$name" $figures
	done <"$out/figures"
}

print_table()
{
	printf '# SPDX-License-Identifier: GPL-2.0 OR MIT\n#\n'
	printf '# Instructions per operation; written by tools/bench/instructions.sh --write.\n'
	printf '# %s\n#\n' "$with"
	print_figures
}

# TAP.  A figure that has become smaller should be written, so that it stays so.
compare()
{
	awk -v limit=$limit '
		function change(now, before) { return before ? 100 * (now - before) / before : now ? 100 : 0 }
		/^#/ { next }
		NR == FNR { total[$1] = $2; driver[$1] = $4; next }
		{
			seen[$1] = 1
			t = change($2, total[$1])
			d = change($4, driver[$1])
			if (t < -limit || d < -limit)
				printf "# %s takes less than the table says: tools/bench/instructions.sh --write\n", $1
			result = (t > limit || d > limit) ? "not ok" : "ok"
			printf "%s %d - instructions of %s: %d (%+.1f %%), driver %d (%+.1f %%)\n",
				result, ++n, $1, $2, t, $4, d
		}
		END {
			for (name in total)
				if (!seen[name])
					printf "not ok %d - instructions of %s: not measured\n", ++n, name
			printf "1..%d\n", n
		}' "$table" "$out/figures"
}

check()
{
	if [ -n "${QUIRE_COVERAGE:-}" ]; then
		echo "1..0 # SKIP a kernel that counts lines takes other instructions"
		return 0
	fi
	if ! grep -qxF "# $with" "$table"; then
		echo "1..0 # SKIP the table of instructions is of another kernel or compiler than $with"
		return 0
	fi
	figures
	compare >"$out/tap" || quire_die "instructions: the figures cannot be compared"
	cat "$out/tap"
	! grep -q '^not ok' "$out/tap"
}

figures()
{
	measure bench-instructions
	awk -v LOOP=$loop -f "$here/instructions.awk" "$out/samples" >"$out/figures" ||
		quire_die "instructions: the samples make no sense"
}

# The number of the sample of $operation whose total is the median.
median_sample()
{
	awk -v name="$operation" '$1 == "sample" && $2 == name { print $4 + $5 + $6 + $7, ++n }' \
		"$out/samples" | sort -n | awk '{ sample[NR] = $2 } END { print sample[int((NR + 1) / 2)] }'
}

# Symbols and blocks in the order of their addresses: a block belongs to the symbol before it.
# Addresses have 16 digits each; of symbols at one address the first counts.
profile()
{
	local sample
	measure sh -c "bench-instructions && grep -i ' [tw] ' /proc/kallsyms"
	sample=$(median_sample)
	[ -n "$sample" ] || usage "there is no operation '$operation'"
	{
		awk '{ print $1, "0", $3 $4 }' "$out/stdout"
		awk -v name="$operation" -v sample="$sample" '
			$1 == "sample" { n += $2 == name; count = $3 }
			$1 == "block" && n == sample { print $2, "1", $3, count }' "$out/samples"
	} | LC_ALL=C sort -s -k1,1 -k2,2 | awk '
		$2 == "0" && $1 != last { symbol = $3; last = $1 }
		$2 == "1" { taken[symbol] += $3 / $4 }
		END { for (symbol in taken) printf "%9d %s\n", taken[symbol] + 0.5, symbol }' |
		sort -rn >"$out/profile"
	head -n "$lines" "$out/profile"
}

# A function: bash reads it whole, so that an edit of this file does no harm.
main()
{
	parse_options "$@"
	out=$(mktemp -d "${TMPDIR:-/tmp}/quire-instructions.XXXXXX")
	trap 'rm -rf "$out"' EXIT
	with=$(measured_with)
	case $mode in
	print)
		figures
		print_figures ;;
	write)
		figures
		print_table >"$table.new"
		mv "$table.new" "$table"
		print_figures ;;
	check) check ;;
	profile) profile ;;
	esac
}

main "$@"
exit
