#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# manpage.sh ROOT PROGRAM: checks that docs/weir.1 equals the output of the program and passes mandoc, and that bash
# accepts the completion script. Repair with: build/dev/weir help --man >docs/weir.1
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need mandoc mandoc
need bash bash
program=$2

written=$(mktemp)
trap 'rm -f "$written"' EXIT
"$program" help --man >"$written"
diff -u docs/weir.1 "$written" || offend "docs/weir.1 differs from the output of weir help --man"
# The page has no date on purpose, so that every build writes the same page.
faults=$(mandoc -T lint -W warning docs/weir.1 | grep -v 'missing date' || true)
[ -z "$faults" ] || offend "$faults"
"$program" completion bash >"$written"
bash -n "$written" || offend "the bash completion has a syntax error"
finish
