#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Records the runs of the default branch in a baseline, without mixing two levels: runs that are no different are added, runs
# of another level replace the baseline, which becomes history. A regression replaces it only with ACCEPT=true. Reads RUNS
# (paths and patterns, separated by blanks), BASELINE, KEEP (runs that keep their samples, default 30), CONFIG, LABELS and
# ACCEPT. Exits with 0 if the runs were recorded, else with the code of weir.
set -u

log=$(mktemp)
trap 'rm -f "$log"' EXIT
next=$BASELINE-next

set -f
set --
for label in ${LABELS:-}; do
	set -- "$@" --label "$label"
done
set +f

append() {
	# shellcheck disable=SC2086 # a list of paths and patterns
	weir baseline record $RUNS --name "$BASELINE" --keep "${KEEP:-30}" "$@"
}

replace() {
	weir baseline remove "$next" --yes 2>/dev/null || true # of a job that was killed
	# shellcheck disable=SC2086 # a list of paths and patterns
	weir baseline record $RUNS --name "$next" "$@" && weir baseline promote "$next" --as "$BASELINE" &&
		weir baseline remove "$next" --yes
}

code=0
# shellcheck disable=SC2086 # a list of paths and patterns
weir gate $RUNS --baseline "$BASELINE" ${CONFIG:+--config "$CONFIG"} "$@" 2>"$log" || code=$?
cat "$log" >&2
verdict=$(sed -n 's/^weir: verdict=\([a-z-]*\) exit=.*/\1/p' "$log" | tail -n 1)

case $verdict in
pass | inconclusive | suspect | no-baseline)
	append "$@"
	;;
improvement)
	replace "$@"
	;;
regression | coverage)
	if [ "${ACCEPT:-false}" = true ]; then
		replace "$@"
	else
		echo "$BASELINE is unchanged, as the verdict is $verdict; to accept the new level, run this job with ACCEPT=true" >&2
		exit "$code"
	fi
	;;
*)
	echo "$BASELINE is unchanged" >&2
	exit "$code"
	;;
esac
