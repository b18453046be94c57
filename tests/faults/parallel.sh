#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# parallel.sh PROGRAM [RUNS STORES JOBS]: JOBS jobs (default: 8) record RUNS runs at once (default: 200; at least 6 a job) into a new
# store, some runs twice. Each run is in it exactly once. Then 8 jobs at once create a store, STORES times (default: 30).
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"
runs=${2:-200}
stores=${3:-30}
jobs=${4:-8}

n=0
while [ $n -lt "$runs" ]; do
	make_run $n
	n=$((n + 1))
done

# Records one run of as many as there are jobs into main, and again into a baseline of the job.
job() { # NUMBER
	run=$1
	while [ "$run" -lt "$runs" ]; do
		record main "$run" && record "job$1" $((run / jobs)) --keep 5 || echo "job $1, run $run" >>"$work/failed"
		run=$((run + jobs))
	done
}

first=0
while [ $first -lt "$jobs" ]; do
	job $first >/dev/null &
	first=$((first + 1))
done
wait

[ ! -e "$work/failed" ] || give_up "failed: $(cat "$work/failed")"
[ "$(runs_of main)" = "$runs" ] || give_up "main holds $(runs_of main) runs, expected $runs"
[ "$(runs_of job3)" = 5 ] || give_up "job3 holds $(runs_of job3) runs, expected 5"
"$weir" baseline verify --db "$db" | tee "$work/verified"
grep -q "$((jobs + 1)) baselines, $runs runs," "$work/verified" || give_up "a run is missing or stored twice"

first() { # STORE NUMBER
	"$weir" baseline record "$work/run-$2.json" --name main --db "$1" -q >/dev/null || echo "$1, run $2" >>"$work/failed"
}

n=0
while [ $n -lt "$stores" ]; do
	store=$(another_store fresh$n)
	for run in 0 1 2 3 4 5 6 7; do
		first "$store" $run &
	done
	wait
	n=$((n + 1))
done
[ ! -e "$work/failed" ] || give_up "failed: $(cat "$work/failed")"
