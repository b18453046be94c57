#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh PROGRAM TESTS SCENARIO: starts a PostgreSQL server in a temporary folder and runs a scenario against it. TESTS is the
# folder of the unit test programs. Ends with 77 if this machine has no server.
# shellcheck source=tests/postgresql/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/postgresql/golden.sh
. "$(dirname "$0")/golden.sh"
# shellcheck source=tests/postgresql/faults.sh
. "$(dirname "$0")/faults.sh"
# shellcheck source=tests/postgresql/rights.sh
. "$(dirname "$0")/rights.sh"

[ $# = 3 ] || { echo "usage: $0 PROGRAM TESTS SCENARIO" >&2; exit 2; }
weir=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tests=$2
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

# The unit tests of the store, on the server.
scenario_unit() {
	WEIR_TEST_STORE=$(make_store unit)
	export WEIR_TEST_STORE
	for name in store store_advice store_each store_exchange store_server prune; do
		"$tests/test_$name" >"$work/out" 2>&1 || give_up "$name: $(cat "$work/out")"
		grep -E 'PASSED' "$work/out" | sed "s/^/$name /"
	done
}

# Everything from a file to the server and back; the second time nothing is added.
scenario_copy() {
	file=$work/a.db back=$work/back.db
	for n in 0 1 2 3 4 5; do
		make_run $n
		record "$file" main $n >/dev/null
	done
	record "$file" next 5 >/dev/null
	"$weir" baseline prune main --keep 4 --db "$file" >/dev/null
	"$weir" baseline promote next --as main --db "$file" >/dev/null
	"$weir" baseline pin main --db "$file" >/dev/null
	store=$(make_store copied)
	"$weir" baseline copy "$file" "$store" >"$work/out" || give_up "to the server: $(cat "$work/out")"
	grep -qF ' 38 rows added; both stores hold the same' "$work/out" || give_up "$(cat "$work/out")"
	"$weir" baseline copy "$file" "$store" | grep -qF ' 0 rows added;' || give_up "copied twice"
	"$weir" baseline copy "$store" "$back" | grep -qF ' 38 rows added;' || give_up "from the server"
	"$weir" baseline export main --db "$file" >"$work/first"
	for other in "$store" "$back"; do
		"$weir" baseline verify --db "$other" || give_up "$other is damaged"
		"$weir" baseline export main --db "$other" | cmp - "$work/first" || give_up "$other exports other data"
	done
	sql copied "DELETE FROM weir.pin"
	"$weir" baseline copy "$file" "$store" | grep -qF ' 1 row added;' || give_up "the pin was not restored"
	record "$store" more 3 >/dev/null
	stops "holds other rows in the table baseline: nothing was copied" "$weir" baseline copy "$file" "$store"
	grep -q '^baseline .* not equal$' "$work/out" || give_up "no table says what differs: $(cat "$work/out")"
	[ "$("$weir" baseline copy "$store" "$(make_store second)" | tail -n 1 | grep -c 'hold the same')" = 1 ] || give_up "server to server"
}

# The bound is twice the promised ratio, 1.5, so that it holds on a busy machine.
scenario_speed() {
	mkdir "$work/speed"
	tests/bench/gate_store.py "$weir" "$work/speed" "$(make_store speed)" 3 || give_up "a server is too slow"
}

case $3 in
unit | golden | copy | messages | password | rights | parallel | kill | restart | commit | silent | speed) ;;
*) echo "no scenario $3" >&2; exit 2 ;;
esac
make_server
"scenario_$3"
