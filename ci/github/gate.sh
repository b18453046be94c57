#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The step of the composite action: gates, writes the summary and annotations of the job, and sets the outputs `verdict`,
# `exit-code` and `artifact`. Exits with 0 so that the result is uploaded; the last step of the action exits with the code
# of the gate. Reads RUNS (paths and patterns, separated by blanks), BASELINE, CONFIG, SUITE, KEY, LABELS, BOOTSTRAP, STRICT
# and the variables of GitHub. No text from a profile or a branch becomes part of a command.
set -u

folder=${RUNNER_TEMP:-.}
result=$folder/weir-result.json
report=$folder/weir-report.md
log=$folder/weir-gate.log
rm -f "$result" "$report"

set -f
set -- --baseline "$BASELINE" -o "$result" -o "$report"
[ -z "${CONFIG:-}" ] || set -- "$@" --config "$CONFIG"
for label in ${LABELS:-}; do
	set -- "$@" --label "$label"
done
[ "${BOOTSTRAP:-false}" = true ] && set -- "$@" --bootstrap
[ "${STRICT:-false}" = true ] && set -- "$@" --strict
set +f

# Each job of a matrix and each suite has its own artifact. Its name becomes the name of the comment.
name=$(printf '%s' "${SUITE:-$BASELINE}${KEY:+-$KEY}" | tr -c 'A-Za-z0-9._-' '-' | cut -c 1-64)

# Text from a profile in a table or a message must not be read as a workflow command.
pause=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$pause"
# shellcheck disable=SC2086 # a list of paths and patterns
weir gate $RUNS "$@" 2>"$log"
code=$?
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
	printf 'verdict=%s\nexit-code=%s\nartifact=weir-result-%s\n' "$verdict" "$code" "$name" >>"$GITHUB_OUTPUT"
fi
exit 0
