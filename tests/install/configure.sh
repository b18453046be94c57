#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# configure.sh: configures a build on a machine without cmocka. The install line of the README and a build without a preset
# need no tests; a build that asks for tests fails and names the package.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/pkg-config" <<'END'
#!/bin/sh
case " $* " in
*cmocka*) exit 1 ;;
esac
exec pkg-config "$@"
END
chmod +x "$work/pkg-config"
export PKG_CONFIG="$work/pkg-config"

fail() {
	cat "$work/log" >&2
	echo "configure: $*" >&2
	exit 1
}

cmake --preset release -B "$work/release" >"$work/log" 2>&1 || fail "the preset of the install line needs cmocka"
cmake -S . -B "$work/plain" >"$work/log" 2>&1 || fail "a build without a preset needs cmocka"
cmake -S . -B "$work/tests" -DBUILD_TESTING=ON >"$work/log" 2>&1 && fail "tests are left out although they were asked for"
grep -q 'install libcmocka-dev' "$work/log" || fail "the message does not name the package"
