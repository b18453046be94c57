#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# record.sh WEIR: interrupts `weir record` while a run is measured, by SIGTERM and SIGHUP, and fills the disk under
# it. A run is whole or absent: every folder run-NN can be read and has its labels, and nothing hidden is left.
set -eu
weir=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
data=$PWD/tests/data/runs/none-01.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
	echo "record: $*" >&2
	find . >&2
	exit 1
}

# The command writes its file at once, then reports, and works on in the second run.
cat >measure <<'END'
cp "$1" "$WEIR_RUN_DIR/profile.json"
[ "$WEIR_RUN_NUMBER" -lt 2 ] || { echo >"$2/ready"; sleep 60; }
END

for signal in TERM HUP; do
	rm -f ready
	"$weir" record -q -n 5 -o "$signal" -- sh measure "$data" "$work" >said 2>&1 &
	id=$!
	while [ ! -e ready ]; do
		kill -0 $id 2>/dev/null || { cat said >&2; fail "$signal: ended too early"; }
		sleep 0.05
	done
	kill -"$signal" $id
	code=0
	wait $id || code=$?
	[ $code -gt 128 ] || fail "$signal: ends with $code, expected that of a signal"
	[ "$(ls -A "$signal")" = run-01 ] || fail "$signal: left $(ls -A "$signal")"
	[ -s "$signal"/run-01/weir-labels.json ] || fail "$signal: a run without labels"
	"$weir" convert -q "$signal"/run-01 >/dev/null || fail "$signal: the run cannot be read"
done

# A limit on the size of files takes the place of a full disk: the labels cannot be written, so there is no run.
code=0
(ulimit -f 0; trap '' XFSZ; exec "$weir" record -q -n 2 -o full --time -- true 2>said) || code=$?
[ $code -ne 0 ] || fail "a full disk is no error"
[ -z "$(ls -A full)" ] || fail "a run of a full disk is left: $(ls -A full)"
