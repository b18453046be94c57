#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The step of the composite action: gates, writes the job's summary and annotations, and sets the outputs `verdict` and
# `exit-code`. Ends with 0 so that the result is uploaded; the action's last step ends with the gate's own code.
# Reads RUNS (one path a run, separated by blanks), BASELINE, STRICT and what GitHub sets. Nothing that comes from a
# profile or a branch is ever part of a command.
set -u

folder=${RUNNER_TEMP:-.}
result=$folder/weir-result.json
report=$folder/weir-report.md
log=$folder/weir-gate.log
rm -f "$result" "$report"

set -- --baseline "$BASELINE" -o "$result" -o "$report"
[ "${STRICT:-false}" = true ] && set -- "$@" --strict

# What a profile put into a table or a message must not be taken for a workflow command.
pause=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$pause"
set -f
# shellcheck disable=SC2086 # a list of paths
weir gate $RUNS "$@" 2>"$log"
code=$?
set +f
cat "$log"
echo "::$pause::"

# "weir: verdict=regression exit=1 regressions=2 judged=20"
verdict=$(sed -n 's/^weir: verdict=\([a-z-]*\) exit=.*/\1/p' "$log" | tail -n 1)

if [ -s "$report" ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
	cat "$report" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -s "$result" ]; then
	weir report "$result" -f annotations || echo "::notice::weir report ended with $?; the annotations are missing"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
	printf 'verdict=%s\nexit-code=%s\n' "$verdict" "$code" >>"$GITHUB_OUTPUT"
fi
exit 0
