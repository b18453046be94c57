#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# read_only.sh PROGRAM: a store without write permission can be read, also in a folder without write permission and if its
# schema is of an earlier version; recording exits with 8.
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"

make_run 0
make_run 1
record main 0 >/dev/null
"$weir" baseline export main --db "$db" >"$work/expected"
cp "$db" "$work/old.db"
python3 -c 'import sqlite3, sys
old = sqlite3.connect(sys.argv[1])
old.executescript("DROP TABLE advice; DROP TABLE pin; DROP TABLE pruned; PRAGMA user_version = 1")
old.close()' "$work/old.db"
chmod 444 "$work/old.db"
cp "$weir" "$work/weir" # where the user nobody can reach it
chmod 755 "$work" "$work/weir"
chmod 444 "$db"

# Runs a command as an ordinary user: permissions do not bind root.
unprivileged() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

weir="unprivileged_weir"
unprivileged_weir() { unprivileged "$work/weir" "$@"; }

[ "$(id -u)" = 0 ] || chmod 555 "$work"
cat "$work"/run-1.json >/dev/null
: "${TMPDIR:=/tmp}"
say=$(mktemp)
trap 'chmod 755 "$work"; rm -rf "$work" "$say"' EXIT

code=0
$weir baseline record "$work/run-1.json" --name main --db "$db" >"$say" 2>&1 || code=$?
[ $code = 8 ] || give_up "exit $code, expected 8: $(cat "$say")"
grep -qF "$db is read-only" "$say" || give_up "no \"read-only\" in: $(cat "$say")"
$weir baseline export main --db "$db" >"$say" || give_up "cannot be read: $(cat "$say")"
cmp "$say" "$work/expected" || give_up "other data were read"
$weir baseline verify --db "$db"
$weir baseline export main --db "$work/old.db" >"$say" || give_up "an old store cannot be read: $(cat "$say")"
cmp "$say" "$work/expected" || give_up "other data were read from an old store"
$weir baseline verify --db "$work/old.db"
$weir doctor --db "$work/old.db" >/dev/null
