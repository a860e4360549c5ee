# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Samples of the plugin to figures: "NAME TOTAL TTM DRIVER DRM REST", one operation a line.
# LOOP is the instructions of the operation "loop", which has no figure.
#
# A figure is the mean of the samples without their lowest and highest quarters: a timer tick or a
# new slab makes one sample dearer, and the scheduler alternates between several ways.

function fail(text)
{
	print "instructions: " text >"/dev/stderr"
	failed = 1
	exit 1
}

# mean(NAME, FIELD): of one operation
function mean(name, field, i, j, n, x, sum, sorted)
{
	n = samples[name]
	for (i = 1; i <= n; i++) {
		x = value[name, field, i]
		for (j = i; j > 1 && sorted[j - 1] > x; j--)
			sorted[j] = sorted[j - 1]
		sorted[j] = x
	}
	j = int(n / 4)
	for (i = j + 1; i <= n - j; i++)
		sum += sorted[i]
	return int(sum / (n - 2 * j) / count[name] + 0.5)
}

$1 == "sample" && NF == 8 {
	if (!samples[$2]++)
		names[++operations] = $2
	count[$2] = $3
	for (i = 4; i <= NF; i++)
		value[$2, i, samples[$2]] = $i
}

END {
	if (failed)
		exit 1
	if (!samples["loop"])
		fail("the guest measured nothing")
	for (i = 1; i <= operations; i++) {
		name = names[i]
		rest = mean(name, 4)
		ttm = mean(name, 5)
		driver = mean(name, 6)
		drm = mean(name, 7)
		if (name != "loop")
			print name, rest + ttm + driver + drm, ttm, driver, drm, rest
		else if (mean(name, 8) < LOOP || mean(name, 8) > LOOP + 4 || rest + ttm + driver + drm)
			fail("a loop of " LOOP " instructions is counted as " mean(name, 8))
	}
}
