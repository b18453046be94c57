#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# part.sh TRACES PARTS: packs this task's share of the traces in the folder TRACES, one part a trace, into the folder PARTS.
# The engine says which share: of N tasks, task I takes the traces I, I+N, I+2N, ... in the order of their names.
# A part is written whole or not at all, so a task that is killed can run again. Set WEIR_NODE to the name of the machine
# that recorded the traces, if it is known.
set -eu
[ $# -eq 2 ] || { sed -n '3,6s/^# //p' "$0" >&2; exit 2; }
traces=$1
parts=$2

# Sets `task` and `tasks` from the variables of the engine that runs this script.
find_share() {
	if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
		# shellcheck disable=SC2153 # Slurm sets all three
		task=$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN))
		tasks=$SLURM_ARRAY_TASK_COUNT
	elif [ -n "${JOB_COMPLETION_INDEX:-}" ]; then
		task=$JOB_COMPLETION_INDEX
		tasks=$WEIR_TASKS # Kubernetes has no variable for the number of completions
	elif [ -n "${OMPI_COMM_WORLD_RANK:-}" ]; then
		task=$OMPI_COMM_WORLD_RANK
		tasks=$OMPI_COMM_WORLD_SIZE
	else
		echo "part.sh: not started by Slurm (job array), Kubernetes (indexed job) or Open MPI" >&2
		exit 2
	fi
}

find_share
mkdir -p "$parts"
code=0
number=0
for trace in "$traces"/*; do
	if [ -e "$trace" ] && [ $((number % tasks)) -eq "$task" ]; then
		weir part "$trace" ${WEIR_NODE:+--node "$WEIR_NODE"} -o "$parts/$(basename "$trace").part" || code=$?
	fi
	number=$((number + 1))
done
exit $code
