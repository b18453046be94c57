#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# full_disk.sh PROGRAM: limits the size of files, so that writes end short as on a full disk. Recording exits with 8 and a
# message, the store does not change, and it works again without the limit.
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"

make_run 0
make_run 1
trap '' XFSZ # makes a write beyond the limit an error instead of a signal

limited() { # BLOCKS-OF-512 COMMAND...
	(
		ulimit -f "$1"
		shift
		"$@"
	)
}

for blocks in 1 8 32; do
	code=0
	limited $blocks record main 0 >/dev/null 2>"$work/said" || code=$?
	[ $code = 8 ] || give_up "a new store in $blocks blocks: exit $code: $(cat "$work/said")"
	grep -qF "$db" "$work/said" || give_up "the message does not name the store: $(cat "$work/said")"
done

record main 0 >/dev/null
for blocks in 1 8 32 64; do
	stops "cannot" limited $blocks record main 1
	[ "$(runs_of main)" = 1 ] || give_up "$blocks blocks: a run was recorded"
done
record main 1 >/dev/null
"$weir" baseline verify --db "$db"
[ "$(runs_of main)" = 2 ] || give_up "the store did not work afterwards"
