#!/bin/bash
# shellcheck disable=SC2034,SC2154 # the variables are those of coverage
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Puts the counts together, and says what they lack.
#
# Sourced by coverage; coverage_report() is the entry.

# Least part of the driver's and of the engine's lines that tests must run, in percent.
report_least=95

# report_stage ARCHIVE: print the directory in which the module was built, from the paths
# that the guest's kernel knows it by.
report_stage()
{
	tar -tzf "$1" | sed -n 's|^\./\(.*\)/drivers/gpu/drm/quire/drv/quire_drv\.gcda$|/\1|p'
}

# All guests: the counts of each one beside the compiler's notes, which both have to be of
# one build.
report_guests()
{
	local archives=("$coverage"/guests/*.tar.gz) archive dir stage all=$coverage/archives
	stage=$(report_stage "${archives[0]}")
	rm -rf "$all"
	for archive in "${archives[@]}"; do
		dir=$all/$(basename "$archive" .tar.gz)
		mkdir -p "$dir"
		tar -C "$dir" -xzf "$archive"
		(cd "$stage" && find . -name '*.gcno' -exec cp --parents -t "$dir$stage" {} +)
	done
	gcovr -r "$stage" --gcov-ignore-parse-errors --json "$coverage/guests.json" "$all"
}

report_user()
{
	# the sources of tools/fuzz are named as from there
	gcovr -r "$QUIRE_TOP" --object-directory "$QUIRE_TOP/tools/fuzz" "$coverage/user" \
		--json "$coverage/user.json"
}

report_gcovr()
{
	gcovr -r "$QUIRE_TOP" -a "$coverage/guests.json" -a "$coverage/user.json" \
		--filter drivers/gpu/drm/quire/ --filter qemu-device/engine/ --exclude '.*/tests/' "$@"
}

# The lines of all.json as report.awk wants them.
report_lines()
{
	jq -r '.files[] | .file as $file |
		(.functions[] | [$file, .lineno, "f", .name]),
		(.lines[] | select(."gcovr/noncode" or ."gcovr/excluded" | not) |
			[$file, .line_number, "l", .count, (.branches | length),
			(.branches | map(select(.count > 0)) | length)]) | @tsv' "$coverage/all.json" |
		LC_ALL=C sort -t "$(printf '\t')" -k 1,1 -k 2,2n -k 3,3
}

coverage_report()
{
	local part
	for part in user guests; do
		[ -d "$coverage/$part" ] ||
			quire_die "coverage: nothing was counted yet; run 'tools/coverage/coverage $part' first"
	done
	quire_run "$coverage/guests.log" "sum of the guests" report_guests
	quire_run "$coverage/user.log" "sum of user space" report_user
	rm -rf "$coverage/html"
	mkdir "$coverage/html"
	quire_run "$coverage/html.log" "annotated files" \
		report_gcovr --json "$coverage/all.json" --html-details "$coverage/html/index.html"
	report_lines >"$coverage/lines.tsv"
	cd "$QUIRE_TOP" || exit
	awk -v least=$report_least -v rest="$coverage/not-listed" -f "$here/report.awk" \
		tools/coverage/not-run "$coverage/lines.tsv" | tee "$coverage/table.txt"
	[ "${PIPESTATUS[0]}" = 0 ] || failed=1
	quire_say "coverage: annotated files are in build/coverage/html/index.html"
}
