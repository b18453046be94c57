#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every test: installs missing packages, builds five presets and runs all their tests with one ctest.
#   dev      lints; asan and release run the other tests
#   asan     unit and golden tests, rule examples, under address and undefined-behaviour sanitizers; assertions are on
#   tsan     the tests in which several threads run, under the thread sanitizer
#   fuzz     clang and libFuzzer, 60 seconds for all targets together
#   release  the tests on the program as users get it, and upper bounds on its run time
# At the end it lists what was skipped, and why.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"

presets='dev asan tsan fuzz release'

# shellcheck disable=SC2086
install_missing $packages_to_test
# shellcheck disable=SC2086
(install_missing $packages_of_engines) || say "without $packages_of_engines: tests of ci/cluster are skipped"

for preset in $presets; do
	say "building $preset"
	case $preset in
	release) configure "$preset" -DBUILD_TESTING=ON ;;
	*) configure "$preset" ;;
	esac
	targets=all
	[ "$preset" != dev ] || targets='weir weir_static libweir'
	# shellcheck disable=SC2086
	cmake --build --preset "$preset" --target $targets >"build/$preset.log" 2>&1 ||
		{ tail -n 60 "build/$preset.log" >&2; fail "building $preset failed"; }
done

# One list of all tests. The tests of every preset but dev end with @PRESET.
mkdir -p build/all
for preset in $presets; do
	printf 'subdirs("%s/build/%s")\n' "$PWD" "$preset"
done >build/all/CTestTestfile.cmake

say "testing"
failed=no
ctest --test-dir build/all --tests-regex '^lint/|@' --output-on-failure --parallel "$(nproc)" || failed=yes
skipped=$(skipped_tests build/all)

# A clone has no shelf of real files beside it (see tests/unit/shelf.h): the tests that use it must pass there too.
if [ -d "${WEIR_SHELF:-../shared}" ]; then
	say "testing without the shelf"
	WEIR_SHELF=/nonexistent ctest --test-dir build/asan --label-regex shelf --output-on-failure --parallel "$(nproc)" || failed=yes
fi

say "skipped"
printf '%s\n' "${skipped:-nothing}"
[ $failed = no ] || fail "tests failed"
