# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for the fault tests, which source it. $weir is the program, $work a temporary folder, $db a store in it, or the
# one that WEIR_TEST_STORE names. Random choices have fixed seeds.
# shellcheck shell=sh

set -eu
LC_ALL=C
export LC_ALL

[ $# -ge 1 ] || { echo "usage: $0 PROGRAM" >&2; exit 2; }
weir=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
db=${WEIR_TEST_STORE:-$work/baselines.db}

give_up() {
	echo "$*" >&2
	exit 1
}

# Writes a small run, different for each number, to $work/run-NUMBER.json.
make_run() { # NUMBER
	awk -v n="$1" 'BEGIN {
		printf "{\"schema\":\"weir.run/1\",\"unit\":\"ns\",\"labels\":{\"gpu\":\"G\"},\"stages\":{"
		for (s = 0; s < 3; s++) {
			printf "%s\"stage%d\":[", s ? "," : "", s
			for (i = 0; i < 100; i++) printf "%s%d", i ? "," : "", 500000 + n * 1000 + (i * 7919 + s) % 997
			printf "]"
		}
		printf "},\"operators\":{\"stage0/aten::mm\":[%d]}}\n", n + 1
	}' >"$work/run-$1.json"
}

# Prints the path of a new store, or the address of a new database of the server of WEIR_TEST_STORE.
another_store() { # NAME
	if [ -z "${WEIR_TEST_STORE:-}" ]; then
		echo "$work/$1.db"
		return
	fi
	psql -X -q -h "$WEIR_TEST_SOCKET" -U weir -d postgres -c "CREATE DATABASE $1"
	echo "postgresql://weir@/$1?host=$WEIR_TEST_SOCKET"
}

# Prints the number of runs of a baseline.
runs_of() { # NAME
	"$weir" baseline list --db "$db" -f json | sed -n "s/.*\"name\": \"$1\", \"runs\": \([0-9]*\),.*/\1/p"
}

record() { # NAME RUN [OPTION...]
	into=$1 number=$2
	shift 2
	"$weir" baseline record "$work/run-$number.json" --name "$into" --db "$db" --recorded 2026-11-20T14:00:00Z "$@"
}

# Checks that a command exits with 8 and a message that contains WORDS, and that it does not change the store.
stops() { # WORDS COMMAND...
	words=$1
	shift
	cp "$db" "$work/before"
	code=0
	"$@" >"$work/out" 2>&1 || code=$?
	[ "$code" = 8 ] || give_up "$*: exit $code, expected 8: $(cat "$work/out")"
	grep -qF "$words" "$work/out" || give_up "$*: no \"$words\" in: $(cat "$work/out")"
	grep -qF "$db" "$work/out" || give_up "$*: the message does not name the store: $(cat "$work/out")"
	cmp "$db" "$work/before" || give_up "$*: the store changed"
}
