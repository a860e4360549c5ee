#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# A private view of Debian's archive, derived from the machine's own sources.
#
# Sourced after lib.sh.  Nothing below /etc/apt is written.  There are four
# views, each a directory of $QUIRE_CACHE/apt:
#   host     the machine's own release (with -backports on Debian 12): what
#            may be installed on this machine
#   ports    the suites that hold the 6.12 kernels and the QEMU source,
#            whatever the machine's release
#   next     the suite with the next QEMU; read only when that is asked for, so
#            that a mirror without it stops nothing else
#   kernels  all suites with kernels; read only when one is asked for by its
#            version (KERNEL=), or the newest
# From all but the first things are only ever downloaded.  QUIRE_APT_FROM says which view
# is searched and downloaded from.

QUIRE_APT=$QUIRE_CACHE/apt
QUIRE_APT_MAX_AGE=$((24 * 60))
QUIRE_APT_FROM=ports
QUIRE_SUDO=()

# The machine's sources as lines "URI SUITE KEYRING", one-line and deb822 files.
quire_apt_sources()
{
	local file
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -f "$file" ] && awk -f "$QUIRE_TOP/tools/guest/apt-oneline.awk" "$file"
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[ -f "$file" ] && awk -f "$QUIRE_TOP/tools/guest/apt-deb822.awk" "$file"
	done
	true
}

# quire_apt_archive SUITE [OTHER]: "URI KEYRING" of the archive that serves SUITE;
# one that also serves OTHER is preferred (third parties serve no -updates).
quire_apt_archive()
{
	quire_apt_sources | awk -v want="$1" -v other="${2:-}" '
		$2 == want { key[$1] = $3; order[++n] = $1 }
		$2 == other { full[$1] = 1 }
		END {
			for (i = 1; i <= n; i++)
				if (order[i] in full || key[order[i]] ~ /debian-archive/) {
					print order[i], key[order[i]]
					exit
				}
			if (n)
				print order[1], key[order[1]]
		}'
}

# quire_apt_line TYPE SUITE URI KEYRING: one line of a sources.list.
quire_apt_line()
{
	local opts=""
	[ "$4" = - ] || opts="[signed-by=$4] "
	printf '%s %s%s %s main\n' "$1" "$opts" "$3" "$2"
}

# quire_apt_lines CODENAME SUITE...: binary sources of these suites of the main archive,
# and of CODENAME-security, where the machine knows them.
quire_apt_lines()
{
	local codename=$1 suite
	shift
	for suite in "$@"; do
		quire_apt_line deb "$suite" "$main" "$mainkey"
	done
	[ -z "$sec" ] || quire_apt_line deb "$codename-security" "$sec" "$seckey"
}

# The suites of each view, as lines of a sources.list.
quire_apt_list_host()
{
	local suites=("$codename" "$codename-updates")
	[ "$codename" != bookworm ] || suites+=(bookworm-backports)
	quire_apt_lines "$codename" "${suites[@]}"
}

quire_apt_list_ports()
{
	local lines
	lines=$(quire_apt_lines trixie bookworm-backports trixie trixie-updates)
	printf '%s\n' "$lines" "${lines//deb /deb-src }"
}

quire_apt_list_next()
{
	quire_apt_line deb-src sid "$main" "$mainkey"
}

quire_apt_list_kernels()
{
	quire_apt_lines trixie bookworm-backports trixie trixie-updates trixie-backports
}

# quire_apt_write_list VIEW: VIEW/sources.list.new, from the machine's own sources.
quire_apt_write_list()
{
	local codename main mainkey sec seckey
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	case $codename in
	bookworm | trixie) ;;
	*) quire_die "host: this is not Debian 12 or 13 (VERSION_CODENAME is '$codename'); use one of these, a container will do" ;;
	esac
	read -r main mainkey < <(quire_apt_archive "$codename" "$codename-updates")
	read -r sec seckey < <(quire_apt_archive "$codename-security")
	[ -n "${main:-}" ] ||
		quire_die "apt: no source for $codename below /etc/apt; add the machine's Debian mirror there"
	mkdir -p "$QUIRE_APT/$1"
	"quire_apt_list_$1" >"$QUIRE_APT/$1/sources.list.new"
}

# quire_apt VIEW TOOL ARGS...: apt-get or apt-cache seeing only VIEW.
quire_apt()
{
	local view=$QUIRE_APT/$1 tool=$2
	shift 2
	"$tool" -o Dir::Etc::SourceList="$view/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::PreferencesParts=/dev/null -o Dir::Etc::Preferences=/dev/null \
		-o Dir::State::Lists="$view/lists" \
		-o Dir::Cache="$view/cache" -o Dir::Cache::Archives="$view/archives" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin \
		-o Acquire::Languages=none -o Acquire::Retries=3 -o Acquire::http::Timeout=30 \
		-o APT::Sandbox::User=root "$@"
}

# quire_apt_update [VIEW]: bring the view (that of QUIRE_APT_FROM) up to date, once a day
# or when the machine's sources change.
quire_apt_update()
{
	local view=${1:-$QUIRE_APT_FROM}
	(
		quire_lock apt
		quire_apt_write_list "$view" || exit
		quire_apt_update_view "$view"
	) || exit 1
}

quire_apt_update_view()
{
	local view=$1 dir=$QUIRE_APT/$1
	if cmp -s "$dir/sources.list.new" "$dir/sources.list" &&
	   [ -n "$(find "$dir/updated" -mmin -$QUIRE_APT_MAX_AGE 2>/dev/null)" ]; then
		rm "$dir/sources.list.new"
		return
	fi
	rm -f "$dir/updated"
	mv "$dir/sources.list.new" "$dir/sources.list"
	mkdir -p "$dir"/{lists,cache,archives}/partial
	quire_say "reading the package lists ($view)"
	if ! quire_apt "$view" apt-get -q update >"$dir/update.log" 2>&1 ||
	   grep -q '^[EW]: \(Failed\|Some index\)' "$dir/update.log"; then
		grep -m1 '^[EW]:' "$dir/update.log" >&2
		quire_die "apt: the package lists ($view) cannot be read (see $dir/update.log); mend what apt says above, or the connection, and run again"
	fi
	touch "$dir/updated"
}

# quire_apt_missing PACKAGE...: those that are not installed.
quire_apt_missing()
{
	local p installed
	installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
	for p in "$@"; do
		[[ $'\n'$installed$'\n' == *$'\n'"$p installed"$'\n'* ]] || echo "$p"
	done
}

# quire_apt_root [ask]: QUIRE_SUDO is then what runs a command as root; fails if there is no root
# to be had without a password or, with "ask", by asking the user on a terminal.
quire_apt_root()
{
	QUIRE_SUDO=()
	[ "$(id -u)" != 0 ] || return 0
	QUIRE_SUDO=(sudo -n)
	command -v sudo >/dev/null || return
	! sudo -n true 2>/dev/null || return 0
	[ "${1:-}" = ask ] && [ -n "$QUIRE_LIVE" ] && (exec </dev/tty) 2>/dev/null || return
	quire_say "packages must be installed; sudo may ask for your password"
	sudo -v && sudo -n true
}

# quire_apt_conf FILE: what root's apt-get needs to see the view "host". It writes nothing into it.
quire_apt_conf()
{
	cat >"$1" <<-END
		Dir::Etc::SourceList "$QUIRE_APT/host/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::Etc::Preferences "/dev/null";
		Dir::State::Lists "$QUIRE_APT/host/lists";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Acquire::http::Timeout "30";
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
	END
}

# quire_apt_install_from PACKAGE[/SUITE]...: install, as root; or say what root has to run.
quire_apt_install_from()
{
	local conf=$QUIRE_APT/host/install.conf
	quire_apt_update host
	quire_apt_conf "$conf"
	if ! quire_apt_root ask; then
		quire_say "packages: root must install some; run the next line as root, and then the same command again"
		printf 'apt-get -c %q install %s\n' "$conf" "$*" >&2
		exit 1
	fi
	quire_say "installing: $*"
	export DEBIAN_FRONTEND=noninteractive
	quire_run "$QUIRE_APT/install.log" "package installation" \
		"${QUIRE_SUDO[@]}" apt-get -c "$conf" -y -q install "$@"
}

# quire_apt_pick NAME PACKAGE-REGEX VERSION-REGEX [PREFERRED]: print "PACKAGE VERSION" of
# the newest that matches, or of PREFERRED if the archive has that version.  The
# choice is kept under NAME, so that builds stay what they are until the cache goes.
quire_apt_pick()
{
	local kept=$QUIRE_CACHE/versions/$1 found new
	if [ ! -s "$kept" ]; then
		quire_apt_update
		found=$(quire_apt_search "$2" "$3")
		[ -n "$found" ] ||
			quire_die "apt: the mirror has no $2 of version $3; use a mirror that carries bookworm-backports, trixie and sid"
		quire_cache
		mkdir -p "$QUIRE_CACHE/versions"
		if [ -n "${4:-}" ] && grep -qF " $4" <<<"$found"; then
			found=$(grep -F " $4" <<<"$found")
		fi
		new=$(mktemp "$kept.XXXXXX")
		tail -n 1 <<<"$found" >"$new"
		mv "$new" "$kept"
	fi
	cat "$kept"
}

# quire_apt_next: print the release of the newest kernel of Debian's suites, or of the one
# that is known to work, if they have that.
quire_apt_next()
{
	local picked QUIRE_APT_FROM=kernels
	picked=$(quire_apt_pick headers-next 'linux-headers-[7-9]\.[0-9.]+\+deb13-amd64' '' \
		7.3.4-1~bpo13+1) || exit 1
	picked=${picked%% *}
	echo "${picked#linux-headers-}"
}

# All "PACKAGE VERSION" of the view that match, oldest first.
quire_apt_search()
{
	local names
	mapfile -t names < <({ quire_apt "$QUIRE_APT_FROM" apt-cache pkgnames; echo qemu; } | grep -xE "$1" | sort -u)
	[ ${#names[@]} -gt 0 ] || return 0
	quire_apt "$QUIRE_APT_FROM" apt-cache madison "${names[@]}" |
		awk -F'|' '{ gsub(/ /, ""); print $2, $1 }' |
		grep -E "^$2" | grep -xE "[^ ]* ($1)" | sort -V -u | awk '{ print $2, $1 }'
}

# quire_apt_download DIR PACKAGE=VERSION...: fetch .deb files into DIR.
quire_apt_download()
{
	local dir=$1
	shift
	(cd "$dir" && quire_run "$QUIRE_APT/download-${1%%=*}.log" "download of $*" \
		quire_apt "$QUIRE_APT_FROM" apt-get -q download "$@")
}

# quire_apt_source DIR PACKAGE=VERSION: fetch a source package (not unpacked) into DIR.
quire_apt_source()
{
	local dir=$1
	shift
	(cd "$dir" && quire_run "$QUIRE_APT/download-${1%%=*}.log" "download of $*" \
		quire_apt "$QUIRE_APT_FROM" apt-get -q --download-only source "$@")
}
