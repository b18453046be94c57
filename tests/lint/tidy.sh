#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tidy.sh ROOT BUILD [part PART PARTS]: checks every compiled file with clang-tidy, or one of PARTS shares of the files, which
# may run side by side; checks and limits are in .clang-tidy. BUILD needs to be configured only. BUILD/tidy holds a mark for
# each state that passed: a hash of the file, the headers that it includes and the settings.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need clang-tidy clang-tidy
need gcc gcc
build=$2
mode=${3:-all}
# Number of states that the analyzer follows in one function: a fifteenth of its default takes a seventh of the time. Use the
# default, WEIR_TIDY_NODES=225000, before a release.
depth=max-nodes=${WEIR_TIDY_NODES:-15000}

# Lists the file and the headers of ours that it includes.
headers() { # FILE
	gcc -std=c17 -D_XOPEN_SOURCE=700 -I"$PWD" -I"$build/generated" -MM -MG "$1" | tr -d '\\\n' | sed 's/^[^:]*://'
}

key() { # FILE
	# shellcheck disable=SC2046
	{ echo "$WEIR_TIDY_VERSION $depth"; cat .clang-tidy $(headers "$1") 2>/dev/null; } | sha256sum | cut -d' ' -f1
}

# Checks one file: given several, the check of va_list reports false errors.
check() { # FILE
	mark=$build/tidy/$(key "$1")
	[ -e "$mark" ] && return 0
	clang-tidy -p "$build/tidy" --quiet --extra-arg=-Xclang --extra-arg=-analyzer-config \
		--extra-arg=-Xclang --extra-arg="$depth" "$1" 2>/dev/null || return 1
	touch "$mark"
}

if [ "$mode" = file ]; then
	check "$4"
	exit
fi
if [ "$mode" = part ]; then part=$4 parts=$5 jobs=1; else part=1 parts=1 jobs=$(nproc); fi
if [ "$part" -lt 1 ] || [ "$part" -gt "$parts" ]; then echo "there is no part $part of $parts" >&2; exit 2; fi
[ -f "$build/compile_commands.json" ] || { echo "$build has no compile_commands.json: configure it first" >&2; exit 1; }
mkdir -p "$build/tidy"
work=$(mktemp -d "$build/tidy/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Keeps one entry of each file: a source that several programs share is compiled once for each. The parts write the same.
awk '/^\{/ { entry = ""; seen = 0 }
	{ entry = entry $0 "\n" }
	/^  "file":/ { seen = known[$0]++ }
	/^\}/ && !seen { sub(/,?\n$/, "", entry); printf "%s%s", joint, entry; joint = ",\n" }
	BEGIN { printf "[\n" } END { printf "\n]\n" }' "$build/compile_commands.json" >"$work/commands"
mv "$work/commands" "$build/tidy/compile_commands.json"
sed -n 's/^  "file": "\(.*\)",*$/\1/p' "$build/tidy/compile_commands.json" >"$work/compiled"
c_files | grep '\.c$' | while read -r file; do printf '%s/%s\n' "$PWD" "$file"; done | grep -Fxf "$work/compiled" |
	sed "s|^$PWD/||" >"$work/files" || true
[ -s "$work/files" ] || { echo "no compiled file found in $build/compile_commands.json" >&2; exit 1; }
WEIR_TIDY_VERSION=$(clang-tidy --version)
export WEIR_TIDY_VERSION
awk -v part="$part" -v parts="$parts" 'NR % parts == part % parts' "$work/files" |
	xargs -r -P "$jobs" -n 1 "$project/tests/lint/tidy.sh" "$PWD" "$build" file
