#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# merge.sh PARTS RANKS REPORT...: merges the parts in the folder PARTS into reports. It ends with 6 and the numbers of the missing
# ranks if there are fewer than RANKS, with 7 if a part is damaged; the report is written in both cases.
# With WEIR_WAIT_S it waits for RANKS parts, at most this many seconds.
set -eu
[ $# -ge 3 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
parts=$1
ranks=$2
shift 2

waited=0
while [ "$waited" -lt "${WEIR_WAIT_S:-0}" ] && [ "$(find "$parts" -name '*.part' 2>/dev/null | wc -l)" -lt "$ranks" ]; do
	sleep 1
	waited=$((waited + 1))
done
for report; do
	set -- "$@" -o "$report"
	shift
done
exec weir merge "$parts"/*.part --expect "$ranks" "$@"
