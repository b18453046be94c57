#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# nsys.sh COMMAND...: measures a program under Nsight Systems, one database for each run. docs/recipes/nsys.md explains the flags.
# CAPTURE=1 records only between cudaProfilerStart() and cudaProfilerStop(). More variables: ci/recipes/lib.sh.
# shellcheck source=ci/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

nsys profile --trace=cuda,nvtx --cuda-graph-trace=node --sample=none --cpuctxsw=none --force-overwrite=true \
	${CAPTURE:+--capture-range=cudaProfilerApi --capture-range-end=stop} -o "$out/profile" "$@"
nsys export --type=sqlite --lazy=false --force-overwrite=true -o "$out/profile.sqlite" "$out/profile.nsys-rep"
rm -f "$out/profile.nsys-rep"
