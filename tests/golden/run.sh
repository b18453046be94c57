#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh PROGRAM CASE...: each case is a folder here with `cmd` (a shell line, run from the project's root, where weir is
# the program) and what must come back, byte by byte: `stdout`, `stderr`, `exit`. Every case runs in two locales.
# run.sh --update PROGRAM [CASE...]: writes what came back instead (all cases where none is named); read the diff.
set -eu

golden=$(cd "$(dirname "$0")" && pwd)
cd "$golden/../.."

update=no
if [ "${1:-}" = --update ]; then
	update=yes
	shift
fi
[ $# -ge 1 ] || { sed -n '3,5s/^# //p' "$golden/run.sh" >&2; exit 2; }
program=$(cd "$(dirname "$1")" && pwd)
shift
# shellcheck disable=SC2046 # names of cases hold no blanks
[ $# -gt 0 ] || set -- $(cd "$golden" && for cmd in */cmd; do dirname "$cmd"; done)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

play() { # CASE LOCALE: leaves stdout, stderr and exit in $work
	code=0
	rm -rf "${work:?}/home"
	mkdir "$work/home"
	env -i PATH="$program:$PATH" HOME="$work/home" TMPDIR="$work/home" NO_COLOR=1 COLUMNS=80 LC_ALL="$2" \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}" \
		sh "$golden/$1/cmd" >"$work/stdout" 2>"$work/stderr" </dev/null || code=$?
	echo "$code" >"$work/exit"
}

compare() { # CASE LOCALE
	for part in stdout stderr exit; do
		if ! diff -u "$golden/$1/$part" "$work/$part" >"$work/diff" 2>&1; then
			printf '%s, %s differs (LC_ALL=%s):\n' "$1" "$part" "$2"
			cat "$work/diff"
			failures=$((failures + 1))
		fi
	done
}

failures=0
for case; do
	[ -f "$golden/$case/cmd" ] || { echo "no case $case" >&2; exit 2; }
	if [ $update = yes ]; then
		play "$case" C
		cp "$work/stdout" "$work/stderr" "$work/exit" "$golden/$case/"
		continue
	fi
	for locale in C de_DE.UTF-8; do
		play "$case" $locale
		compare "$case" $locale
	done
done
if [ $failures -ne 0 ]; then
	echo "where the new output is right: tests/golden/run.sh --update $program/weir $*"
	exit 1
fi
