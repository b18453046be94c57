#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# package.sh [TAG]: makes the Debian package of weir in build/release, and prints its path. Installs packages that the build
# needs. With a TAG such as v1.2.0 it fails before the build if the project has another version. The release workflow and
# ci/Containerfile call it.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"

version=$(sed -n 's/^project(weir VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -z "${1:-}" ] || [ "$1" = "v$version" ] || fail "the tag is $1, but CMakeLists.txt has version $version; expected the tag v$version"

# shellcheck disable=SC2086
install_missing $packages_to_package >&2
configure release
cmake --build --preset release --target package >build/release.log 2>&1 ||
	{ tail -n 40 build/release.log >&2; fail "the build failed; see build/release.log"; }
ls "build/release/weir_${version}_$(dpkg --print-architecture).deb"
