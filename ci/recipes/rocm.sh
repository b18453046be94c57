#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# rocm.sh COMMAND...: measures a program under rocprofv3, one database for each run. docs/recipes/rocm.md explains the flags.
# Variables: ci/recipes/lib.sh.
# shellcheck source=ci/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

rocprofv3 --kernel-trace --hip-runtime-trace --memory-copy-trace --marker-trace --output-format rocpd \
	--output-directory "$out" --output-file profile -- "$@"
