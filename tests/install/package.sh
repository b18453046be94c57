#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# package.sh BUILD: makes the Debian package of a build, unpacks it into an empty root with dpkg, and uses the program there.
set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "package: $*" >&2
	exit 1
}

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "cpack fails"; }
set -- "$work"/*.deb
[ $# -eq 1 ] || fail "not one package: $*"
depends=$(dpkg-deb -f "$1" Depends)
for library in libarchive13 libc6 libcjson1 libcurl4 libgsl libisal2 libpq5 libsqlite3-0 libzstd1; do
	case $depends in
	*$library*) ;;
	*) fail "does not depend on $library: $depends" ;;
	esac
done

root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
: >"$root/var/lib/dpkg/status"
# The root has no shell for ldconfig, and uses the libraries of the machine; therefore the package is not configured.
dpkg --root="$root" --force-not-root --force-depends --log=/dev/null --unpack "$1" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "dpkg fails"; }
[ "$(dpkg --root="$root" -l weir | awk 'END { print $1 }')" = iU ] || fail "not unpacked"
for file in usr/bin/weir usr/share/man/man1/weir.1 usr/share/bash-completion/completions/weir usr/share/zsh/site-functions/_weir \
	usr/share/fish/vendor_completions.d/weir.fish usr/include/weir/weir.h \
	usr/share/doc/weir/examples/llm_decode_eager_b1.pt.trace.json.gz usr/share/doc/weir/examples/runs/slow5-20.json \
	usr/lib/python3/dist-packages/weir/__init__.py; do
	[ -f "$root/$file" ] || fail "not installed: $file"
done
"$root/usr/bin/weir" --version | grep -q "^weir $(dpkg-deb -f "$1" Version)\$" || fail "another version: $("$root/usr/bin/weir" --version)"
"$root/usr/bin/weir" gate tests/data/runs/none-01.json --baseline none --db "$work/none.db" >"$work/out" 2>&1 && fail "a gate without a baseline passes"
grep -q 'verdict=no-baseline exit=4' "$work/out" || fail "the program does not work: $(cat "$work/out")"
