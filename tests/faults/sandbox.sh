#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sandbox.sh PROGRAM INTRUDER: code that runs while a file is read can neither write, nor open a socket, nor start a program, and what weir
# itself writes is as before. INTRUDER is the library of intrude.c, which tries.
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"

intruder=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
mkdir "$work/hostile"
cp tests/data/kineto/malloc_churn.pt.trace.json.gz "$work/hostile/trace.json.gz"
make_run 1
cp "$work/run-1.json" "$work/hostile/run.json"
trace=$work/hostile/trace.json.gz run=$work/hostile/run.json

"$weir" classify -v "$trace" >"$work/report" 2>"$work/said"
if grep -q 'with all rights\|without' "$work/said"; then
	echo "skipped: $(grep 'with all rights\|without' "$work/said")" >&2
	exit 77
fi

# Runs weir with the intruder, and checks what it could do.
expect() { # OUTCOME COMMAND...
	outcome=$1
	shift
	rm -f "$work/intruded"
	code=0
	INTRUDE=$work/intruded LD_PRELOAD=$intruder "$weir" "$@" >"$work/out" 2>"$work/err" || code=$?
	[ $code = 0 ] || give_up "weir $*: exit $code: $(cat "$work/err")"
	grep -qx "intruder: write $outcome, socket $outcome, program $outcome" "$work/err" ||
		give_up "weir $*: expected that each is $outcome: $(grep intruder "$work/err")"
	if [ "$outcome" = refused ] && [ -e "$work/intruded" ]; then
		give_up "weir $*: a file was written"
	fi
}

wrote() { # FILE...
	for file; do
		[ -s "$file" ] || give_up "$file was not written"
		rm "$file"
	done
}

expect "done" classify --no-sandbox "$trace"
expect refused classify "$trace"
cmp "$work/out" "$work/report" || give_up "the report differs in the sandbox"
expect refused classify "$trace" -q -o "$work/a.md" -o "$work/b.json"
wrote "$work/a.md" "$work/b.json"
mkdir "$work/hostile/ranks"
cp tests/data/kineto/straggler/* "$work/hostile/ranks" # several threads
expect refused classify "$work/hostile/ranks" -f json
expect refused convert "$trace" -o "$work/c.json"
wrote "$work/c.json"
expect refused part "$trace" -o "$work/d.part"
cp "$work/d.part" "$work/hostile/e.part"
expect refused merge "$work/hostile/e.part" -o "$work/f.part"
wrote "$work/f.part"
expect refused baseline record "$run" --name main --db "$db"
[ "$(runs_of main)" = 1 ] || give_up "the run was not recorded"
rm "$db"
expect refused gate "$run" --bootstrap --baseline main --db "$db"
[ "$(runs_of main)" = 1 ] || give_up "the gate recorded no baseline"
# record starts programs, and checks each run that they write.
expect refused record -q -n 2 -o "$work/hostile/runs" -- cp "$run" '{}'
[ -d "$work/hostile/runs/run-02" ] || give_up "the second run was not kept"

# Kernels that lack a mechanism: the other remains, and only --verbose tells.
lacking() { # MECHANISMS OUTCOME_OF_WRITES OUTCOME_OF_SOCKETS MESSAGE
	rm -f "$work/intruded"
	for option in --quiet --verbose; do
		LACKS=$1 INTRUDE=$work/intruded LD_PRELOAD=$intruder "$weir" classify $option "$trace" >"$work/out" 2>"$work/err" || give_up "$(cat "$work/err")"
		grep -qx "intruder: write $2, socket $3, program $2" "$work/err" || give_up "without $1: $(grep intruder "$work/err")"
		cmp "$work/out" "$work/report" || give_up "the report differs without $1"
		if [ $option = --quiet ] && [ "$(wc -l <"$work/err")" -ne 1 ]; then give_up "$option says $(cat "$work/err")"; fi
	done
	grep -q "$4" "$work/err" || give_up "--verbose does not tell that $1 is missing: $(cat "$work/err")"
}
lacking Landlock refused refused 'without Landlock, which this kernel lacks'
lacking seccomp refused "done" 'without the filter of seccomp, which this kernel lacks'
lacking 'Landlock seccomp' "done" "done" 'with all rights: this kernel has neither'

# More bytes than fit into memory go into a temporary file, which the sandbox cannot create itself. WAL and sizes as nsys writes them.
cp tests/data/nsys/export.sqlite "$work/hostile/large.sqlite"
python3 - "$work/hostile/large.sqlite" <<'EOF'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE TABLE padding (bytes BLOB)")
db.execute("INSERT INTO padding VALUES (zeroblob(20000000))")
db.commit()
EOF
for option in --quiet --no-sandbox; do
	TMPDIR=$work "$weir" classify $option -f folded - <"$work/hostile/large.sqlite" >"$work/$option"
done
cmp -- "$work/--quiet" "$work/--no-sandbox" || give_up "a database on a pipe differs in the sandbox"
TMPDIR=$work/nowhere "$weir" classify -q - <"$work/hostile/large.sqlite" >"$work/out" 2>"$work/err" && give_up "a temporary file in a folder that is not there"
grep -q 'cannot keep it in a temporary file in .*/nowhere: No such file' "$work/err" || give_up "$(cat "$work/err")"
echo "the sandbox holds"
