#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# vllm.sh vllm serve MODEL [OPTION...]: starts the server, puts it under load with `vllm bench serve` and ends it, for each run.
# docs/recipes/vllm.md explains the flags.
# MODEL is required. PORT (default 8000), BENCH (the vllm that makes the load, the same for both sides), PROMPTS (200),
# CONCURRENCY (16), INPUT and OUTPUT (tokens, 1024 and 128). More variables: ci/recipes/lib.sh.
# shellcheck source=ci/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

port=${PORT:-8000}
serve "http://127.0.0.1:$port/health" "$@"
"${BENCH:-vllm}" bench serve --model "${MODEL:?is the model that the server has}" --host 127.0.0.1 --port "$port" \
	--dataset-name random --random-input-len "${INPUT:-1024}" --random-output-len "${OUTPUT:-128}" --ignore-eos --seed 0 \
	--num-prompts "${PROMPTS:-200}" --max-concurrency "${CONCURRENCY:-16}" --num-warmups "${CONCURRENCY:-16}" \
	--percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99 \
	--save-result --save-detailed --result-dir "$out" --result-filename result.json
