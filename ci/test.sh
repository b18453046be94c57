#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every test: installs missing packages, builds four presets and runs all their tests with one ctest.
#   asan     unit tests, golden tests in a locale whose numbers have a comma, weir comment, damaged stores, under address
#            and undefined-behaviour sanitizers; assertions are on
#   tsan     the tests in which several threads run, under the thread sanitizer
#   fuzz     clang and libFuzzer, 60 seconds for all targets together
#   release  the answers of the program as users get it: golden tests in C, real files, stores, pipelines; and
#            upper bounds on its run time
#   dev      lints; it is configured, not built: lints examine the program of release
# docs/architecture.md says which test runs where. At the end this lists what was skipped, and why.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"

presets='asan tsan fuzz release'

# shellcheck disable=SC2086
install_missing $packages_to_test
# shellcheck disable=SC2086
(install_missing $packages_of_engines) || say "without $packages_of_engines: tests of ci/cluster are skipped"

say "configuring dev"
configure dev -DWEIR_LINT_BINARIES="$PWD/build/release"
for preset in $presets; do
	say "building $preset"
	case $preset in
	release) configure "$preset" -DBUILD_TESTING=ON ;;
	*) configure "$preset" ;;
	esac
	cmake --build --preset "$preset" >"build/$preset.log" 2>&1 ||
		{ tail -n 60 "build/$preset.log" >&2; fail "building $preset failed"; }
done

# One list of all tests. The tests of every preset but dev end with @PRESET.
mkdir -p build/all
for preset in dev $presets; do
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
