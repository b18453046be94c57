#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ncu.sh COMMAND...: reads the hardware counters of some kernels of a program with Nsight Compute, for weir classify. It replays
# kernels, so the times of the program mean nothing: one run is enough, and a gate needs another recipe. docs/recipes/ncu.md.
# SKIP launches are left out (default 100), COUNT are measured (default 50). More variables: ci/recipes/lib.sh.
RUNS=${RUNS:-1} WARMUP=${WARMUP:-0}
# shellcheck source=ci/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

ncu --set=full --csv --page=raw --target-processes=all --launch-skip="${SKIP:-100}" --launch-count="${COUNT:-50}" \
	--log-file="$out/counters.csv" "$@"
