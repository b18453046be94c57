#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tidy.sh ROOT BUILD: checks every compiled file with clang-tidy; checks and limits are in .clang-tidy. BUILD/tidy holds a
# mark for each state that passed: a hash of the file, the headers that it includes and the settings.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need clang-tidy clang-tidy
need gcc gcc
build=$2
# Number of states that the analyzer follows in one function: a ninth of its default takes a quarter of the time. Use the
# default, WEIR_TIDY_NODES=225000, before a release.
depth=max-nodes=${WEIR_TIDY_NODES:-25000}

# Lists the file and the headers of ours that it includes.
headers() { # FILE
	gcc -std=c17 -D_XOPEN_SOURCE=700 -I"$PWD" -I"$build/generated" -MM -MG "$1" | tr -d '\\\n' | sed 's/^[^:]*://'
}

key() { # FILE
	# shellcheck disable=SC2046
	{ clang-tidy --version; echo "$depth"; cat .clang-tidy $(headers "$1") 2>/dev/null; } | sha256sum | cut -d' ' -f1
}

check() { # FILE
	mark=$build/tidy/$(key "$1")
	[ -e "$mark" ] && return 0
	if clang-tidy -p "$build/tidy" --quiet --extra-arg=-Xclang --extra-arg=-analyzer-config \
		--extra-arg=-Xclang --extra-arg="$depth" "$1" >"$mark.$$" 2>/dev/null; then
		mv "$mark.$$" "$mark"
	else
		cat "$mark.$$"
		rm -f "$mark.$$"
		return 1
	fi
}

if [ $# -eq 3 ]; then
	check "$3"
	exit
fi
[ -f "$build/compile_commands.json" ] || { echo "$build has no compile_commands.json: configure it first" >&2; exit 1; }
mkdir -p "$build/tidy"
# Keeps one entry of each file: a source that several programs share is compiled once for each.
awk '/^\{/ { entry = ""; seen = 0 }
	{ entry = entry $0 "\n" }
	/^  "file":/ { seen = known[$0]++ }
	/^\}/ && !seen { sub(/,?\n$/, "", entry); printf "%s%s", joint, entry; joint = ",\n" }
	BEGIN { printf "[\n" } END { printf "\n]\n" }' "$build/compile_commands.json" >"$build/tidy/compile_commands.json"
files=$(for file in $(c_files | grep '\.c$'); do
	if grep -qF "/$file\"" "$build/compile_commands.json"; then
		printf '%s\n' "$file"
	fi
done)
[ -n "$files" ] || { echo "no compiled file found in $build/compile_commands.json" >&2; exit 1; }
printf '%s\n' "$files" | xargs -P "$(nproc)" -n 1 "$project/tests/lint/tidy.sh" "$PWD" "$build"
