#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# triton.sh tritonserver --model-repository=FOLDER [OPTION...]: starts the server, puts a model under load with perf_analyzer and
# ends it, for each run. docs/recipes/triton.md explains the flags.
# MODEL is required. REQUESTS (at least, default 500), CONCURRENCY (4). More variables: ci/recipes/lib.sh.
# shellcheck source=ci/recipes/lib.sh
. "$(dirname "$0")/lib.sh"
begin "$@"

serve http://127.0.0.1:8000/v2/health/ready "$@"
perf_analyzer -m "${MODEL:?is the model to put under load}" -i grpc -u 127.0.0.1:8001 --concurrency-range="${CONCURRENCY:-4}" \
	--measurement-mode=count_windows --measurement-request-count="${REQUESTS:-500}" --profile-export-file="$out/requests.json"
