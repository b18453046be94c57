#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# out_of_memory.sh PROGRAM: without enough memory weir prints one line and exits with 9, and a store does not change.
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"

limit_kb=65536 # a trace of 1,000 events needs about half of that

trace() { # EVENTS
	awk -v n="$1" 'BEGIN {
		printf "{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": ["
		for (i = 0; i < n; i++)
			printf "%s{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k%d\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 3, " \
				"\"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}}", i ? "," : "", i, i * 10, i + 1
		printf "]}\n"
	}'
}

limited() {
	(
		# shellcheck disable=SC3045 # dash and bash have it
		ulimit -v $limit_kb
		"$weir" "$@"
	)
}

trace 1000 | limited classify - -q >"$work/small" 2>&1 || give_up "a small trace does not fit: $(cat "$work/small")"

trace 1000000 >"$work/large.json"
make_run 0
record main 0 >/dev/null
"$weir" baseline export main --db "$db" >"$work/before"
for command in classify "baseline record --name main --db $db"; do
	code=0
	# shellcheck disable=SC2086 # words of one command
	limited $command "$work/large.json" >"$work/out" 2>"$work/err" || code=$?
	[ $code = 9 ] || give_up "$command: exit $code, expected 9: $(cat "$work/err")"
	[ "$(cat "$work/err")" = "weir: out of memory" ] || give_up "$command: $(cat "$work/err")"
	[ ! -s "$work/out" ] || give_up "$command: partial output: $(head -3 "$work/out")"
done
"$weir" baseline verify --db "$db" >/dev/null || give_up "the store is damaged"
"$weir" baseline export main --db "$db" | cmp - "$work/before" || give_up "the store changed"
