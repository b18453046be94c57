# SPDX-License-Identifier: GPL-3.0-or-later
# Functions and package lists for quickstart.sh and test.sh, which source it. Changes to the root of the project.
# shellcheck shell=sh disable=SC2034

set -eu
cd "$(dirname "$0")/.."

# Debian 12 packages, in one place.
packages_to_build='gcc libc6-dev cmake ninja-build pkg-config libcjson-dev libsqlite3-dev libgsl-dev libisal-dev libzstd-dev libarchive-dev libcurl4-openssl-dev libpq-dev'
packages_to_test="$packages_to_build git libcmocka-dev clang libclang-rt-14-dev clang-format clang-tidy lld mandoc shellcheck binutils diffutils xz-utils zstd zsh fish dpkg-dev postgresql python3 python3-jsonschema python3-yaml openssl chromium"
packages_to_package="$packages_to_build dpkg-dev file"
# Engines of docs/cluster.md; their tests are skipped without them.
packages_of_engines='slurm-wlm munge openmpi-bin parallel'

say() {
	printf '\n== %s\n' "$*"
}

fail() {
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

# Prints the packages that are not installed.
missing_of() { # PACKAGE...
	for package; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
	done
}

as_root() { # COMMAND...
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# Installs the packages that are missing, or says which ones and fails.
install_missing() { # PACKAGE...
	command -v apt-get >/dev/null || fail "apt-get not found: install the packages that Debian 12 calls $*"
	missing=$(missing_of "$@")
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		fail "packages are missing; install them as root: apt-get install $missing"
	fi
	say "installing $missing"
	export DEBIAN_FRONTEND=noninteractive
	# Debian's package would make a database and start its server; the tests start their own.
	case " $missing " in
	*' postgresql '*)
		as_root mkdir -p /etc/postgresql-common/createcluster.d
		echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.d/weir.conf >/dev/null
		;;
	esac
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

# Lists the tests that the last ctest in a folder skipped, with the reason that each printed.
skipped_tests() { # FOLDER
	awk '
		/^[0-9]+\/[0-9]+ Testing: / { test = $3 }
		/^skipped: / { print test ": " substr($0, 10) }' "$1/Testing/Temporary/LastTest.log" | sort -u
}

mkdir -p build
