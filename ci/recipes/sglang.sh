#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sglang.sh python3 -m sglang.launch_server --model-path MODEL [OPTION...]: starts the server, puts it under load with
# sglang.bench_serving and ends it, for each run. docs/recipes/sglang.md explains the flags.
# PORT (default 30000), PYTHON (that makes the load, the same for both sides), PROMPTS (200), CONCURRENCY (16), INPUT and
# OUTPUT (tokens, 1024 and 128). More variables: ci/recipes/lib.sh.
# shellcheck source=ci/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

port=${PORT:-30000}
serve "http://127.0.0.1:$port/health" "$@"
"${PYTHON:-python3}" -m sglang.bench_serving --backend sglang --host 127.0.0.1 --port "$port" \
	--dataset-name random --random-input-len "${INPUT:-1024}" --random-output-len "${OUTPUT:-128}" --random-range-ratio 1 --seed 0 \
	--num-prompts "${PROMPTS:-200}" --max-concurrency "${CONCURRENCY:-16}" --warmup-requests "${CONCURRENCY:-16}" \
	--output-details --output-file "$out/result.jsonl"
