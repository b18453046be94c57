#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh PROGRAM CASE...: runs cases and compares their output byte by byte, in C and de_DE.UTF-8, or in the locales that
# WEIR_GOLDEN_LOCALES names. A case is a folder here: `cmd` is a shell line, run in the root of the project, in which weir is the
# program; `stdout`, `stderr` and `exit` are expected. golden/locale says if the system lacks a locale: programs then use C.
# run.sh --update PROGRAM [CASE...]: writes the output into the cases instead (default: all of them). Review the diff.
set -eu

golden=$(cd "$(dirname "$0")" && pwd)
cd "$golden/../.."

update=no
if [ "${1:-}" = --update ]; then
	update=yes
	shift
fi
[ $# -ge 1 ] || { sed -n '3,6s/^# //p' "$golden/run.sh" >&2; exit 2; }
program=$(cd "$(dirname "$1")" && pwd)
shift
# shellcheck disable=SC2046 # names of cases contain no blanks
[ $# -gt 0 ] || set -- $(cd "$golden" && for cmd in */cmd; do dirname "$cmd"; done)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a case and writes stdout, stderr and exit to $work.
play() { # CASE LOCALE
	code=0
	rm -rf "${work:?}/home"
	mkdir "$work/home"
	env -i PATH="$program:$PATH" HOME="$work/home" TMPDIR="$work/home" NO_COLOR=1 COLUMNS=80 LC_ALL="$2" SOURCE_DATE_EPOCH=1795000000 \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}" \
		sh "$golden/$1/cmd" >"$work/stdout" 2>"$work/stderr" </dev/null || code=$?
	echo "$code" >"$work/exit"
}

# Compares the output in $work with the expected output of a case.
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
	for locale in ${WEIR_GOLDEN_LOCALES:-C de_DE.UTF-8}; do
		play "$case" "$locale"
		compare "$case" "$locale"
	done
done
if [ $failures -ne 0 ]; then
	echo "if the new output is right: tests/golden/run.sh --update $program/weir $*"
	exit 1
fi
