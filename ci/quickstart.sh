#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Leads from a fresh clone to a verdict: installs missing packages, builds weir, classifies the trace in tests/data, records
# runs as a baseline, and gates two candidates against it: one unchanged, one slower. All files come from an H200.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"

trace=tests/data/kineto/llm_decode_eager_b1.pt.trace.json.gz

# shellcheck disable=SC2086
install_missing $packages_to_build

say "building build/release/weir"
configure release
cmake --build --preset release --target weir >build/release.log 2>&1 ||
	{ tail -n 40 build/release.log >&2; fail "the build failed; see build/release.log"; }

say "weir classify $trace"
echo "   A PyTorch trace of a language model that decodes one token at a time on one H200, without CUDA graphs."
echo
build/release/weir classify "$trace"

cat <<END

How to read it: the first line is the answer; below it are the rule that gave it and the numbers that the rule read.
Shares are of the wall time of the steady steps. "next" is the change to try first.
END

runs=tests/data/runs
WEIR_DB=$(mktemp -d)/baselines.db
export WEIR_DB
trap 'rm -rf "$(dirname "$WEIR_DB")"' EXIT

say "weir baseline record $runs/none-0*.json --name main"
echo "   Six separate runs of one program on one H200, 300 iterations each: the reference."
echo
build/release/weir baseline record $runs/none-0*.json --name main

say "weir gate: two runs of the same code"
echo
build/release/weir gate $runs/none-14.json $runs/none-18.json --baseline main ||
	fail "the gate failed unchanged code"

say "weir gate: two runs with 5 % more device work"
echo
code=0
build/release/weir gate $runs/slow5-05.json $runs/slow5-20.json --baseline main || code=$?
[ "$code" -eq 1 ] || fail "the gate passed slower code (exit $code)"

cat <<END

The first gate passed, the second failed with exit code 1. A CI job needs no more.

Your own trace:    build/release/weir classify trace.json.gz
Your own baseline: build/release/weir baseline record run-*/ --name main
Your own gate:     build/release/weir gate new-*/ --baseline main
Everything else:   build/release/weir --help
END
