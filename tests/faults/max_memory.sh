#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# max_memory.sh PROGRAM: beyond --max-memory weir prints one line and exits with 7, a store does not change, and programs that
# weir starts are not limited.
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"

trace() { # EVENTS
	awk -v n="$1" 'BEGIN {
		printf "{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": ["
		for (i = 0; i < n; i++)
			printf "%s{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k%d\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 3, " \
				"\"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}}", i ? "," : "", i, i * 10, i + 1
		printf "]}\n"
	}'
}

trace 1000 >"$work/small.json"
trace 500000 >"$work/large.json"
"$weir" classify "$work/small.json" -q --max-memory 40MiB >"$work/out" || give_up "a small trace needs more than 40 MiB"

make_run 0
record main 0 >/dev/null
"$weir" baseline export main --db "$db" >"$work/before"
for command in classify convert "baseline record --name main --db $db"; do
	code=0
	# shellcheck disable=SC2086 # words of one command
	"$weir" $command "$work/large.json" --max-memory 40MiB >"$work/out" 2>"$work/err" || code=$?
	[ $code = 7 ] || give_up "$command: exit $code, expected 7: $(cat "$work/err")"
	expected='weir: the inputs need more memory than the limit of 40 MiB: raise it with --max-memory, or pass a part of them'
	[ "$(cat "$work/err")" = "$expected" ] || give_up "$command: $(cat "$work/err")"
	[ ! -s "$work/out" ] || give_up "$command: partial output: $(head -3 "$work/out")"
done
"$weir" baseline verify --db "$db" >/dev/null || give_up "the store is damaged"
"$weir" baseline export main --db "$db" | cmp - "$work/before" || give_up "the store changed"

# The lower of two limits holds, and only weir's own is named.
code=0
(
	# shellcheck disable=SC3045 # dash and bash have it
	ulimit -d 40960
	"$weir" classify "$work/large.json" --max-memory 1GiB >"$work/out" 2>"$work/err"
) || code=$?
[ $code = 9 ] || give_up "under ulimit -d: exit $code, expected 9: $(cat "$work/err")"
[ "$(cat "$work/err")" = "weir: out of memory" ] || give_up "under ulimit -d: $(cat "$work/err")"

# A program that weir record measures may use all memory.
cat >"$work/measure.sh" <<END
ulimit -d >>"$work/limits"
cp "$work/run-0.json" "\$WEIR_RUN"
END
"$weir" record --interleave "sh $work/measure.sh" "sh $work/measure.sh" -n 1 -o "$work/ab" --max-memory 40MiB -q >/dev/null ||
	give_up "weir record fails"
# shellcheck disable=SC3045 # dash and bash have it
[ "$(sort -u "$work/limits")" = "$(ulimit -d)" ] || give_up "a measured program is limited to $(cat "$work/limits") kB"
