# SPDX-License-Identifier: GPL-3.0-or-later
# What quickstart.sh and test.sh share: packages, and where things are. Sourced, not run.
# shellcheck shell=sh disable=SC2034

set -eu
cd "$(dirname "$0")/.."

# Debian 12 packages, in one place.
packages_to_build='gcc libc6-dev cmake ninja-build pkg-config libcjson-dev libsqlite3-dev libgsl-dev libisal-dev libzstd-dev libcurl4-openssl-dev'
packages_to_test="$packages_to_build libcmocka-dev clang libclang-rt-14-dev clang-format clang-tidy mandoc shellcheck binutils diffutils zstd python3 python3-yaml openssl"

say() {
	printf '\n== %s\n' "$*"
}

fail() {
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

missing_of() { # PACKAGE...
	for package; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

install_missing() { # PACKAGE...
	command -v apt-get >/dev/null || fail "this needs Debian 12, or a system with its packages: $*"
	missing=$(missing_of "$@")
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		fail "missing, and there is neither root nor sudo to install them: apt-get install $missing"
	fi
	say "installing $missing"
	export DEBIAN_FRONTEND=noninteractive
	as_root apt-get -qq update || fail "apt-get update failed; still missing: $missing"
	# shellcheck disable=SC2086
	as_root apt-get -qq install -y --no-install-recommends $missing >/dev/null ||
		fail "apt-get could not install: $missing"
}

configure() { # PRESET [OPTION...]
	preset=$1
	shift
	cmake --preset "$preset" "$@" >"build/$preset.log" 2>&1 || { cat "build/$preset.log" >&2; fail "cannot configure $preset"; }
}

mkdir -p build
