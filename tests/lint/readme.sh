#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The report in README.md is how the golden case classify-runtime begins, and every local link leads somewhere.
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
diff -u "$work/shown" "$work/golden" || offend "README.md: the report is not what tests/golden/classify-runtime says"

for link in $(grep -o ']([^)#:]*)' README.md | tr -d '])('); do
	[ -e "$link" ] || offend "README.md: nothing is at $link"
done
finish
