#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls that have a better form here (docs/style.md), and printing or exiting below the command line.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need gcc gcc

everywhere='strcpy|strcat|sprintf|vsprintf|strtok|strtok_r|gets|atoi|atol|atoll|atof|sscanf|vsscanf|alloca|rand|srand'
everywhere="$everywhere|tmpnam|mktemp|system|popen|setlocale"
allocating='malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf'
below_cli='exit|_exit|_Exit|quick_exit|abort|printf|vprintf|puts|putchar|perror'
streams='stdout|stderr'

# Comments and texts taken out, line numbers kept.
bare() {
	gcc -fpreprocessed -dD -E -w -x c "$1" | awk -v file="$1" '
		/^# [0-9]+ / { next_line = $2; next }
		{ line = next_line ? next_line : line + 1; next_line = 0
		  gsub(/"([^"\\]|\\.)*"/, "\"\""); gsub(/\047([^\047\\]|\\.)*\047/, "0"); print file ":" line ": " $0 }'
}

complain() { # FILE PATTERN WHAT
	bare "$1" | grep -E "$2" | while IFS=: read -r file line text; do
		printf '%s:%s: %s:%s\n' "$file" "$line" "$3" "$text"
	done
}

check() { # FILE
	complain "$1" "(^|[^A-Za-z0-9_.>])($everywhere) ?\(" 'banned call'
	case $1 in
	engine/base/arena.c | tests/*) ;;
	*) complain "$1" "(^|[^A-Za-z0-9_.>])($allocating) ?\(" 'allocates beside engine/base/arena' ;;
	esac
	case $1 in
	engine/cli/* | engine/base/arena.c | tests/*) ;;
	*)
		complain "$1" "(^|[^A-Za-z0-9_.>])($below_cli) ?\(" 'prints or exits below engine/cli'
		complain "$1" "(^|[^A-Za-z0-9_])($streams)([^A-Za-z0-9_]|$)" 'a standard stream below engine/cli'
		;;
	esac
	grep -nwE 'TODO|FIXME' "$1" | sed "s|^|$1:|; s|$| (an open end without an issue)|" || true
}

found=$(for file in $(c_files); do check "$file"; done)
[ -z "$found" ] || { printf '%s\n' "$found"; offences=$(printf '%s\n' "$found" | wc -l); }
finish
