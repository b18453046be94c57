#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# manpage.sh ROOT PROGRAM: docs/weir.1 is what the program writes, without faults that mandoc sees; the completion is a
# script that bash accepts. Repair with: build/dev/weir help --man >docs/weir.1
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need mandoc mandoc
need bash bash
program=$2

written=$(mktemp)
trap 'rm -f "$written"' EXIT
"$program" help --man >"$written"
diff -u docs/weir.1 "$written" || offend "docs/weir.1 is not what weir help --man writes"
# A page without a date is deliberate: it is the same for every build.
faults=$(mandoc -T lint -W warning docs/weir.1 | grep -v 'missing date' || true)
[ -z "$faults" ] || offend "$faults"
"$program" completion bash >"$written"
bash -n "$written" || offend "the bash completion has a syntax error"
finish
