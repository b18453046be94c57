#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# jax.sh [-C FOLDER] MODULE:FUNCTION: measures a function of yours, which does one step and returns its result, under jax.profiler,
# one trace for each run. FOLDER is where the module is (default: the current one). docs/recipes/jax.md explains the settings.
# STEPS are recorded (default 60). More variables: ci/recipes/lib.sh.
# shellcheck source=ci/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

exec "${PYTHON:-python3}" "$(dirname "$self")/capture_jax.py" --out "$out" --steps "${STEPS:-60}" "$@"
