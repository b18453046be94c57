#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The step of the composite action: gates, writes the summary and annotations of the job, and sets the outputs `verdict`
# and `exit-code`. Exits with 0 so that the result is uploaded; the last step of the action exits with the code of the gate.
# Reads RUNS (one path per run, separated by blanks), BASELINE, STRICT and the variables of GitHub. No text from a profile
# or a branch becomes part of a command.
set -u

folder=${RUNNER_TEMP:-.}
result=$folder/weir-result.json
report=$folder/weir-report.md
log=$folder/weir-gate.log
rm -f "$result" "$report"

set -- --baseline "$BASELINE" -o "$result" -o "$report"
[ "${STRICT:-false}" = true ] && set -- "$@" --strict

# Text from a profile in a table or a message must not be read as a workflow command.
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
	weir report "$result" -f annotations || echo "::notice::weir report exited with $?; the annotations are missing"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
	printf 'verdict=%s\nexit-code=%s\n' "$verdict" "$code" >>"$GITHUB_OUTPUT"
fi
exit 0
