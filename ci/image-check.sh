#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# image-check.sh IMAGE VERSION: uses the container image of weir: version, a trace, an archive, a gate that passes and one
# that fails, each without network and with a root that cannot be written.
set -eu
cd "$(dirname "$0")/.."
image=$1
version=$2

fail() {
	echo "image-check: $*" >&2
	exit 1
}

weir() {
	docker run --rm --network none --read-only --tmpfs /tmp -v "$PWD/tests/data:/data:ro" "$image" "$@"
}

[ "$(weir --version)" = "weir $version" ] || fail "expected weir $version, and --version says $(weir --version)"
weir classify kineto/llm_decode_eager_b1.pt.trace.json.gz | grep '^runtime-bound' || fail "the trace is bound by its runtime"
weir convert archive/job.tgz >/dev/null || fail "an archive cannot be read"
# Two runs of the same code, then two with 5 % more device work.
weir gate --against runs/none-01.json runs/none-02.json runs/none-03.json runs/none-04.json -- runs/none-14.json runs/none-18.json ||
	fail "the gate refuses unchanged code with $?"
code=0
weir gate --against runs/none-01.json runs/none-02.json runs/none-03.json runs/none-04.json -- runs/slow5-05.json runs/slow5-20.json || code=$?
[ "$code" -eq 1 ] || fail "slower code ends with $code, expected 1"
