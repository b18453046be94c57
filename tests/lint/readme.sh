#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that the report in README.md is the start of the golden case classify-runtime, that its install line names the
# packages of ci/lib.sh, and that every local link has a target.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^The first line of the report/ { seek = 1 }
     seek && /^```/ { if (inside) exit; inside = 1; next }
     inside' README.md >"$work/shown"
lines=$(wc -l <"$work/shown")
head -n "$lines" tests/golden/classify-runtime/stdout >"$work/golden"
[ "$lines" -gt 0 ] || offend "README.md: no report after \"The first line of the report\""
diff -u "$work/shown" "$work/golden" || offend "README.md: the report differs from tests/golden/classify-runtime/stdout"

# The packages of the first command and of the install line are the same.
install=$(sed -n 's/^sudo apt-get install //p' README.md)
packages=$(sed -n "s/^packages_to_build='\(.*\)'$/\1/p" ci/lib.sh)
[ -n "$install" ] || offend 'README.md: no line "sudo apt-get install"'
[ "$install" = "$packages" ] || offend "README.md: installs \"$install\", but ci/lib.sh \"$packages\""

for link in $(grep -o ']([^)#:]*)' README.md | tr -d '])('); do
	[ -e "$link" ] || offend "README.md: the link to $link has no target"
done
finish
