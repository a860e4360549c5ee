# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Input: an apt sources file in the deb822 format.
# Output: a line "URI SUITE KEYRING" for each URI and suite of each binary source
# ("-": no keyring).  A key written into the stanza itself counts as Debian's own
# keyring file: the machine has that as well.

function flush(	i, j, nu, ns, u, s, key)
{
	if (f["types"] ~ /deb( |$)/ && f["enabled"] !~ /^no/ && f["components"] ~ /(^| )main( |$)/) {
		key = f["signed-by"]
		if (key ~ /BEGIN PGP/)
			key = "/usr/share/keyrings/debian-archive-keyring.gpg"
		gsub(/ /, "", key)
		nu = split(f["uris"], u, " ")
		ns = split(f["suites"], s, " ")
		for (i = 1; i <= nu; i++)
			for (j = 1; j <= ns; j++)
				print u[i], s[j], key == "" ? "-" : key
	}
	delete f
}

/^#/ { next }
/^[ \t]*$/ { flush(); next }
/^[ \t]/ { f[field] = f[field] " " $0; next }
{
	i = index($0, ":")
	field = tolower(substr($0, 1, i - 1))
	value = substr($0, i + 1)
	gsub(/^[ \t]+|[ \t]+$/, "", value)
	f[field] = value
}
END { flush() }
