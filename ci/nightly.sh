#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# nightly.sh [TARGET...]: the checks that take too long for every change; installs missing packages.
#   fuzz     every fuzz target (or those named) for WEIR_FUZZ_SECONDS each (default 1800), the whole chain among them. The corpus
#            grows in WEIR_CORPUS (default build/corpus, a folder to keep), and is minimised afterwards
#   faults   one allocation of each call site fails
#   damage   200 damaged inputs of each reader, under the sanitizers
#   growth   every shape of tests/growth
#   mutants  60 mutants of a seed that is drawn from the day
# A finding is left in WEIR_CORPUS/findings, and ends the script with 1 after all targets ran.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2086
install_missing $packages_to_test

seconds=${WEIR_FUZZ_SECONDS:-1800}
corpus=${WEIR_CORPUS:-$PWD/build/corpus}
failed=no

say "building fuzz"
configure fuzz -DWEIR_FUZZ_CHAIN=ON
cmake --build --preset fuzz >build/fuzz.log 2>&1 || { tail -n 60 build/fuzz.log >&2; fail "building fuzz failed"; }
say "building release"
configure release -DBUILD_TESTING=ON
cmake --build --preset release >build/release.log 2>&1 || { tail -n 60 build/release.log >&2; fail "building release failed"; }
say "building asan"
configure asan
cmake --build --preset asan --target weir >build/asan.log 2>&1 || { tail -n 60 build/asan.log >&2; fail "building asan failed"; }

# Prints the folder of seeds of a target, as its test names it.
seeds_of() { # TARGET
	ctest --test-dir build/fuzz --show-only=json-v1 | python3 -c '
import json, sys
tests = {test["name"].split("@")[0]: test["command"] for test in json.load(sys.stdin)["tests"]}
print(tests["fuzz-smoke/" + sys.argv[1]][-1])' "$1"
}

fuzz() { # TARGET
	program=build/fuzz/tests/fuzz_$1
	seeds=$(seeds_of "$1")
	kept=$corpus/$1
	mkdir -p "$kept" "$corpus/findings"
	say "fuzzing $1 for $seconds s"
	"$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$corpus/findings/$1-" \
		"$kept" "$seeds" >"$corpus/$1.log" 2>&1 || { tail -n 40 "$corpus/$1.log" >&2; failed=yes; return; }
	grep -E 'stat::number_of_executed_units|cov: ' "$corpus/$1.log" | tail -n 2
	rm -rf "$kept.less"
	mkdir "$kept.less"
	"$program" -merge=1 -timeout=20 -rss_limit_mb=2048 "$kept.less" "$kept" "$seeds" >"$corpus/$1.merge.log" 2>&1 ||
		fail "cannot minimise the corpus of $1: $(tail -n 1 "$corpus/$1.merge.log")"
	rm -rf "$kept"
	mv "$kept.less" "$kept"
}

if [ $# -eq 0 ]; then
	for program in build/fuzz/tests/fuzz_*; do
		set -- "$@" "${program#build/fuzz/tests/fuzz_}"
	done
fi
for target; do
	[ -x "build/fuzz/tests/fuzz_$target" ] || fail "no fuzz target $target"
done
for target; do
	fuzz "$target"
done

say "allocations that fail"
python3 tests/faults/interposed.py build/release/weir build/release/tests/libinterpose.so alloc || failed=yes

say "damaged inputs"
python3 tests/faults/damaged_inputs.py build/asan/weir || failed=yes

say "growth"
python3 tests/growth/growth.py build/release/weir || failed=yes

say "mutants"
python3 tests/mutation/mutate.py --seed "$(date -u +%Y%m%d)" --count 60 || failed=yes

[ $failed = no ] || fail "checks failed; findings are in $corpus/findings"
