#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Third parties only where they are allowed, and nothing that is neither listed here nor C17 or POSIX.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

# header (a shell pattern): files that may include it (shell patterns)
third_parties='
cjson/*:                       engine/base/json* engine/readers/* tests/*
sqlite3.h:                     rules/clause*.c baselines/store* engine/readers/sql* tests/*
gsl/*:                         engine/stats/* tests/bench/*
isa-l.h:                       engine/base/source*.c tests/*
isa-l/*:                       engine/base/source*.c tests/*
zstd.h:                        engine/base/source*.c engine/base/pack.c tests/*
zstd_errors.h:                 engine/base/source*.c
curl/*:                        ci/comment/http.c
cmocka.h:                      tests/*
sanitizer/asan_interface.h:    engine/base/arena.c
emmintrin.h:                   engine/base/jsonblock.h
x86intrin.h:                   engine/base/jsonblock.h
weir/weir.h:                   tests/install/*
'

standard='arpa/inet assert complex ctype dirent errno fcntl fnmatch glob regex sched float inttypes iso646 limits locale math netinet/in poll pthread setjmp signal
spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings sys/ioctl sys/mman sys/resource
sys/socket sys/stat sys/time sys/types sys/wait termios time uchar unistd wchar'
standard=$(printf ' %s ' "$standard" | tr '\n' ' ')

matches() { # TEXT PATTERN...
	text=$1
	shift
	for pattern; do
		# shellcheck disable=SC2254 # the pattern is meant
		case $text in
		$pattern) return 0 ;;
		esac
	done
	return 1
}

# Sets `where` to the files that may include the header; fails for a header that the table does not know.
find_party() { # HEADER
	while IFS=: read -r pattern where; do
		[ -n "$pattern" ] && matches "$1" "$pattern" && return 0
	done <<-END
	$third_parties
	END
	return 1
}

set -f
includes=$(mktemp)
trap 'rm -f "$includes"' EXIT
c_files | xargs -r grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' >"$includes" || true

while IFS=: read -r file line text; do
	header=$(printf '%s\n' "$text" | sed 's/[^<]*<\([^>]*\)>.*/\1/')
	case $standard in
	*" ${header%.h} "*) continue ;;
	esac
	# shellcheck disable=SC2086 # a list of patterns
	if ! find_party "$header"; then
		offend "$file:$line: <$header> is neither C17, POSIX nor in the table of contain.sh"
	elif ! matches "$file" $where; then
		offend "$file:$line: <$header> belongs into ${where#"${where%%[! ]*}"}"
	fi
done <"$includes"
finish
