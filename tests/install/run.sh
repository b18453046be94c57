#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD: installs into one folder, moves it to another, and uses what is there as a user would.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

missing() {
	echo "not installed: $1" >&2
	exit 1
}

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
cd "$work/moved"

[ -x bin/weir ] || missing bin/weir
[ -f share/man/man1/weir.1 ] || missing share/man/man1/weir.1
[ -f share/bash-completion/completions/weir ] || missing share/bash-completion/completions/weir
pc=$(find . -name weir.pc)
[ -n "$pc" ] || missing weir.pc

PKG_CONFIG_PATH=$(dirname "$PWD/$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
gcc -std=c17 -Wall -Wextra -Wpedantic -Werror -o consumer "$here/consumer.c" $(pkg-config --cflags --libs weir)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir weir)
export LD_LIBRARY_PATH
said=$(./consumer "$root/tests/data/kineto/malloc_churn.pt.trace.json.gz" "$work/nothing.json")
[ "$said" = "$(bin/weir --version)" ] || { echo "library says $said, program says $(bin/weir --version)" >&2; exit 1; }
