#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every test: installs what is missing, builds four ways, runs all of it with one ctest.
#   dev      unit and golden tests, rule examples, lints
#   asan     the same tests under address and undefined-behaviour sanitizers
#   fuzz     clang and libFuzzer, 60 seconds over all targets together
#   release  the same tests as users get the program, and the ceiling on its speed
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2086
install_missing $packages_to_test

for preset in dev asan fuzz release; do
	say "building $preset"
	case $preset in
	release) configure "$preset" -DBUILD_TESTING=ON ;;
	*) configure "$preset" ;;
	esac
	cmake --build --preset "$preset" >"build/$preset.log" 2>&1 ||
		{ tail -n 60 "build/$preset.log" >&2; fail "building $preset failed"; }
done

# One list of all tests; those that are not of the preset dev end with @PRESET.
mkdir -p build/all
for preset in dev asan fuzz release; do
	printf 'subdirs("%s/build/%s")\n' "$PWD" "$preset"
done >build/all/CTestTestfile.cmake

say "testing"
ctest --test-dir build/all --output-on-failure --parallel "$(nproc)"
