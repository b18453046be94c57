#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# package-check.sh [BUILD]: makes the Debian package of a build (default build/release) and checks it on a clean Debian: makes
# a root with debootstrap in a temporary folder, installs the package there with apt, uses the program on the files that the
# package brings, removes it, and compares the root before and after. Needs root and debootstrap, and takes the mirror that
# apt of this machine uses. Ends with 77 and a line "skipped: REASON" where it cannot run. Takes about two minutes.
# shellcheck disable=SC2016 # formats of apt and dpkg
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build/release}" && pwd)

fail() {
	echo "package-check: $*" >&2
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
[ "$(id -u)" -eq 0 ] || skip "debootstrap needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed: apt-get install debootstrap"
command -v cpack >/dev/null || skip "cpack is not installed: apt-get install cmake"
[ "$release" = bookworm ] || skip "the package would be made for '$release', expected Debian 12 (bookworm)"
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | sed -n "s/^$release //p" | head -n 1)
[ -n "$mirror" ] || skip "apt of this machine names no mirror of $release"

work=$(mktemp -d)
clean() {
	# debootstrap mounts these while it works.
	for folder in proc sys; do
		! mountpoint -q "$root/$folder" || umount "$root/$folder" || true
	done
	rm -rf --one-file-system "$work"
}
root=$work/root
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
/usr/lib/apt/apt-helper download-file "${mirror%/}/dists/$release/InRelease" "$work/InRelease" >"$work/log" 2>&1 ||
	skip "the mirror cannot be reached: $(tail -n 1 "$work/log")"

# Runs a command, and shows its output only if it fails.
quietly() { # WHAT COMMAND...
	what=$1
	shift
	"$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; fail "$what fails"; }
}

# Runs a command in the root, without the variables of this machine.
inside() { # COMMAND...
	chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# Lists the files of the root: type, mode, owner, target of a link and checksum of the content. Time stamps differ.
list() {
	(cd "$root" && find . -path ./proc -prune -o -path ./sys -prune -o -path ./dev -prune -o -printf '%y %m %U:%G %p %l\n' |
		LC_ALL=C sort && find . -path ./proc -prune -o -path ./sys -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
}

# What apt, dpkg and ldconfig keep about themselves. Nothing of weir may be in a file that is not named here.
state() {
	cat <<'END'
./var/cache/apt/
./var/cache/ldconfig/
./var/lib/apt/
./var/lib/dpkg/available
./var/lib/dpkg/lock
./var/lib/dpkg/status
./var/lib/dpkg/status-old
./var/lib/dpkg/triggers/
./var/lib/dpkg/diversions-old
./var/log/apt/
./var/log/dpkg.log
./var/log/alternatives.log
./var/cache/debconf/
./etc/ld.so.cache
END
}

quietly "the package" cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/made"
set -- "$work"/made/*.deb
[ $# -eq 1 ] || fail "not one package: $*"
package=$1
echo "made ${package##*/}, $(($(wc -c <"$package") / 1024)) KiB"

# In two stages, so that dpkg knows from the start that nothing has to survive a power failure.
quietly "debootstrap" debootstrap --foreign --variant=minbase "$release" "$root" "$mirror"
mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
quietly "the second stage of debootstrap" inside /debootstrap/debootstrap --second-stage
# No service may be started in the root.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
cp "$package" "$root/var/cache/apt/archives/weir.deb"
quietly "apt-get update" inside apt-get update
list >"$work/before"
echo "clean root: $(inside cat /etc/debian_version), $(wc -l <"$work/before") entries"

quietly "apt-get install" inside apt-get install -y --no-install-recommends /var/cache/apt/archives/weir.deb
[ "$(inside dpkg-query -W -f '${db:Status-Status}' weir)" = installed ] || fail "the package is not installed"
echo "installed with $(grep -c '^Setting up ' "$work/log") packages"

# The first steps of a newcomer, with the files of the package.
examples=/usr/share/doc/weir/examples
version=$(dpkg-deb -f "$package" Version)
[ "$(inside weir --version)" = "weir $version" ] || "weir --version says $(inside weir --version 2>&1), expected weir $version"
inside weir formats >"$work/out" || fail "weir formats fails"
grep -q kineto "$work/out" || fail "weir formats does not list the reader kineto"
trace=$(cd "$root$examples" && ls ./*.trace.json.gz)
inside weir classify "$examples/$trace" >"$work/out" || fail "weir classify fails with $?"
head -n 1 "$work/out"
grep -q '^runtime-bound' "$work/out" || fail "the bundled trace is bound by its runtime; weir says $(head -n 1 "$work/out")"
inside sh -ec "cd $examples/runs; export WEIR_DB=/tmp/weir.db
	weir baseline record none-01.json none-02.json none-03.json none-04.json none-06.json none-09.json --name main
	weir gate none-14.json none-18.json --baseline main" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "the gate refuses unchanged code"; }
tail -n 1 "$work/out"
code=0
inside sh -c "cd $examples/runs; WEIR_DB=/tmp/weir.db weir gate slow5-05.json slow5-20.json --baseline main" >"$work/out" 2>&1 || code=$?
[ "$code" -eq 1 ] || { cat "$work/out" >&2; fail "slower code ends with $code, expected 1"; }
tail -n 1 "$work/out"
inside rm -f /tmp/weir.db /tmp/weir.db-wal /tmp/weir.db-shm
for file in share/man/man1/weir.1 share/bash-completion/completions/weir share/zsh/site-functions/_weir \
	share/fish/vendor_completions.d/weir.fish include/weir/weir.h; do
	[ -s "$root/usr/$file" ] || fail "not installed: /usr/$file"
done
inside bash -c '. /usr/share/bash-completion/completions/weir && complete -p weir' >/dev/null || fail "bash completes no weir"
# Libraries that are loaded when they are first needed.
inside sh -c "cd /tmp && tar -cf t.tar -C $examples/runs none-01.json && weir convert t.tar >/dev/null; code=\$?; rm -f t.tar; exit \$code" ||
	fail "an archive cannot be read"

quietly "apt-get purge" inside apt-get purge -y --auto-remove weir
[ ! -e "$root/usr/bin/weir" ] || fail "the program is still there"
list >"$work/after"
state >"$work/state"
diff "$work/before" "$work/after" | grep '^[<>]' | grep -vF -f "$work/state" >"$work/left" || true
if [ -s "$work/left" ]; then
	cat "$work/left" >&2
	fail "the root differs after the removal: $(wc -l <"$work/left") lines above"
fi
if find "$root/usr" "$root/etc" "$root/opt" "$root/root" "$root/tmp" "$root/var/lib/dpkg/info" -name '*weir*' | grep .; then
	fail "files of weir are left"
fi
echo "removed: nothing is left but the records of apt, dpkg and ldconfig:"
diff "$work/before" "$work/after" | grep -oF -f "$work/state" | sort | uniq -c | sed 's/^/  /'
