#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# slurm.sh TRACES PARTS RANKS REPORT [SBATCH-OPTION...]: submits a job array that packs the traces, and a job that merges the parts
# once every task of the array has ended, however it ended. Prints the number of the merge. All paths must be absolute and
# on a file system that the nodes share. WEIR_TASKS is the number of tasks in the array (default: RANKS).
set -eu
[ $# -ge 4 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
traces=$1
parts=$2
ranks=$3
report=$4
shift 4

array=$(sbatch --parsable --job-name=weir-part --requeue --ntasks=1 --array="0-$((${WEIR_TASKS:-$ranks} - 1))" "$@" \
	"$here/part.sh" "$traces" "$parts")
sbatch --parsable --job-name=weir-merge --ntasks=1 --dependency="afterany:${array%%;*}" "$@" "$here/merge.sh" "$parts" "$ranks" "$report"
