#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill.sh PROGRAM [MOMENTS SEED]: kills recording at random moments (default: 200, seed 7). Each time the store is sound, its runs
# are complete, and every run whose recording succeeded is in it.
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"
moments=${2:-200}
seed=${3:-7}

make_run 0
record main 0 >/dev/null
make_run 1
# The shortest of five: a command that waited for a busy machine would put most moments after the end of the others.
took_us=
for _ in 1 2 3 4 5; do
	start=$(date +%s%N)
	record main 1 >/dev/null
	us=$((($(date +%s%N) - start) / 1000))
	[ -n "$took_us" ] && [ "$took_us" -le "$us" ] || took_us=$us
done
confirmed=2

# Moments between 0 and 1.5 times the duration of a whole command.
awk -v most="$took_us" -v moments="$moments" -v seed="$seed" 'BEGIN {
	srand(seed)
	for (i = 0; i < moments; i++) printf "%.6f\n", rand() * 1.5 * most / 1e6
}' >"$work/moments"

killed=0
n=2
while read -r moment; do
	make_run $n
	if [ $((n % 3)) = 0 ]; then
		record window $n --keep 3 >"$work/said" 2>&1 &
	else
		record main $n >"$work/said" 2>&1 &
	fi
	job=$!
	sleep "$moment"
	kill -9 $job 2>/dev/null || true
	if wait $job 2>/dev/null; then
		[ $((n % 3)) = 0 ] || confirmed=$((confirmed + 1))
	else
		killed=$((killed + 1))
	fi
	"$weir" baseline verify --db "$db" >"$work/verified" 2>&1 || give_up "after $moment s: $(cat "$work/verified")"
	n=$((n + 1))
done <"$work/moments"

runs=$(runs_of main)
[ "$runs" -ge $confirmed ] || give_up "$confirmed runs were recorded, $runs are in the store"
[ "$(runs_of window)" -le 3 ] || give_up "window holds $(runs_of window) runs, expected at most 3"
[ $killed -ge $((moments / 4)) ] || give_up "only $killed commands were killed: the moments are too late"
[ $confirmed -ge 3 ] || give_up "only $confirmed commands ended: the moments are too early"
record main 0 | grep -q 'already there' || give_up "the first run is gone"
echo "$killed commands killed, $confirmed succeeded; $(cat "$work/verified")"
