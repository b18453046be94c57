#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD: installs a build into one folder, moves the folder, and uses the program and the library there.
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
for script in share/bash-completion/completions/weir share/zsh/site-functions/_weir share/fish/vendor_completions.d/weir.fish; do
	[ -f "$script" ] || missing "$script"
done
for file in lib/python3/dist-packages/weir/__init__.py share/doc/weir/agents.md share/doc/weir/query.md; do
	[ -f "$file" ] || missing "$file"
done
bound=$(WEIR=$PWD/bin/weir PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/lib/python3/dist-packages python3 -c "
import weir
print(weir.classify('$root/tests/data/kineto/malloc_churn.pt.trace.json.gz').verdict.bound)")
[ "$bound" = memory ] || { echo "the module for Python says $bound" >&2; exit 1; }
pc=$(find . -name weir.pc)
[ -n "$pc" ] || missing weir.pc

PKG_CONFIG_PATH=$(dirname "$PWD/$pc")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir weir)
export LD_LIBRARY_PATH

# check NAME WANTED GOT
check() {
	[ "$2" = "$3" ] || { printf '%s: expected\n%s\ngot\n%s\n' "$1" "$2" "$3" >&2; exit 1; }
}

example=$(find "$PWD/share" -name embed.c)
[ -n "$example" ] || missing embed.c
trace=$root/tests/data/kineto/malloc_churn.pt.trace.json.gz
runs=$root/tests/data/runs
# shellcheck disable=SC2086 # words of a command
for compiler in "gcc -std=c17 -Wstrict-prototypes" "gcc -std=c99" "g++ -std=c++11 -x c++" "g++ -std=c++20 -x c++"; do
	# shellcheck disable=SC2046
	$compiler -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -o embed "$example" $(pkg-config --cflags --libs weir)
	check "$compiler: classify" "$(bin/weir classify "$trace" | head -1)" "$(./embed "$trace" | head -1)"
	code=0
	said=$(./embed "$runs/none-01.json" "$runs/slow5-05.json") || code=$?
	check "$compiler: gate" "6 inconclusive" "$code $(echo "$said" | head -1)"
	code=0
	said=$(./embed "$work/nothing.json" 2>&1) || code=$?
	check "$compiler: no file" "7 embed: $work/nothing.json: cannot open: No such file or directory" "$code $said"
done
