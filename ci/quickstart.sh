#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh clone to a verdict: installs what is missing, builds weir, classifies a real trace that comes with it.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"

trace=tests/data/kineto/llm_decode_eager_b1.pt.trace.json.gz

# shellcheck disable=SC2086
install_missing $packages_to_build

say "building build/release/weir"
configure release -DBUILD_TESTING=OFF
cmake --build --preset release --target weir-cli >build/release.log 2>&1 ||
	{ tail -n 40 build/release.log >&2; fail "the build failed; all of it is in build/release.log"; }

say "weir classify $trace"
echo "   A PyTorch trace of a language model that decodes one token at a time on one H200, without CUDA graphs."
echo
build/release/weir classify "$trace"

cat <<END

How to read it: the first line is the answer, and below it stand the rule that gave it and the numbers it read.
Shares are of the wall time of the steady steps. "next" is what is most worth trying.

Your own trace:    build/release/weir classify trace.json.gz
As JSON:           build/release/weir classify trace.json.gz -o report.json
Everything else:   build/release/weir --help
END
