#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Refuses calls that have a better form here (docs/style.md), printing or exiting below the command line, and paths to the
# shelf outside tests/unit/shelf.c.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

everywhere='strcpy|strcat|sprintf|vsprintf|strtok|strtok_r|gets|atoi|atol|atoll|atof|sscanf|vsscanf|alloca|rand|srand'
everywhere="$everywhere|tmpnam|mktemp|system|popen|setlocale"
allocating='malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf'
below_cli='exit|_exit|_Exit|quick_exit|abort|printf|vprintf|puts|putchar|perror'
streams='stdout|stderr'

# Prints the lines of code that match a pattern, except those of some files.
complain() { # PATTERN MESSAGE [EXCEPTED-FILES]
	grep -E "$1" "$code" | grep -vE "^(${3:-none}):" | sed "s|: |: $2: |" || true
}

call() { # NAMES
	printf '(^|[^A-Za-z0-9_.>])(%s) ?\\(' "$1"
}

code=$(mktemp)
trap 'rm -f "$code"' EXIT
split_sources code >"$code"

tests='tests/[^:]*'
arena='engine/base/arena\.c'
found=$(
	complain "$(call "$everywhere")" 'banned call'
	complain "$(call "$allocating")" 'allocates outside engine/base/arena' "$arena|$tests"
	complain "$(call "$below_cli")" 'prints or exits below engine/cli' "engine/cli/[^:]*|$arena|$tests"
	complain "(^|[^A-Za-z0-9_])($streams)([^A-Za-z0-9_]|\$)" 'a standard stream below engine/cli' \
		"engine/cli/[^:]*|$arena|$tests"
	split_sources prose | grep -E ':text: .*\.\./shared' | grep -v '^tests/unit/shelf\.c:' |
		sed 's|text: |path to the shelf, use tests/unit/shelf.h: |' || true
	c_files | xargs -r grep -HnwE 'TODO|FIXME' | sed 's|$| (an open end without an issue)|' || true
)
report "$found"
