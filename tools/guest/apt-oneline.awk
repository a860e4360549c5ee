# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Input: an apt sources file in the one-line format.
# Output: a line "URI SUITE KEYRING" for each binary source ("-": no keyring).

$1 == "deb" {
	sub(/#.*/, "")
	key = "-"
	if (match($0, /\[[^]]*\]/)) {
		opts = substr($0, RSTART + 1, RLENGTH - 2)
		$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
		if (match(opts, /signed-by=[^ ]*/))
			key = substr(opts, RSTART + 10, RLENGTH - 10)
	}
	if ($0 ~ / main( |$)/)
		print $2, $3, key
}
