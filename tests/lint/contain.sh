#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks which files include which third-party headers. Any other system header must belong to C17 or POSIX.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

# HEADER: the files that may include it, as shell patterns.
third_parties='
cjson/*:                       engine/base/json* engine/readers/* tests/*
sqlite3.h:                     baselines/db_sqlite.c engine/readers/sql* engine/query/database.c tests/*
gsl/*:                         engine/stats/* tests/bench/*
isa-l.h:                       engine/base/source*.c tests/*
isa-l/*:                       engine/base/source*.c tests/*
zstd.h:                        engine/base/source*.c engine/base/pack.c tests/*
zstd_errors.h:                 engine/base/source*.c
archive.h:                     engine/base/archive*.[ch] tests/*
archive_entry.h:               engine/base/archive*.[ch] tests/*
libpq-fe.h:                    baselines/pq_calls.h tests/*
curl/*:                        engine/base/curl_calls.h
dlfcn.h:                       engine/base/library.c tests/faults/*.c
execinfo.h:                    tests/faults/*.c
cmocka.h:                      tests/*
malloc.h:                      engine/base/arena.c
sys/random.h:                  engine/base/hash.c
linux/*:                       engine/base/sandbox_rights.c
sys/prctl.h:                   engine/base/sandbox_rights.c
sys/syscall.h:                 engine/base/sandbox_rights.c tests/faults/*.c
sanitizer/asan_interface.h:    engine/base/arena.c
emmintrin.h:                   engine/base/jsonblock.h
immintrin.h:                   engine/base/jsonblock_avx2.h
weir/weir.h:                   tests/install/*
'

standard='arpa/inet assert complex ctype dirent errno fcntl fnmatch ftw glob regex sched float inttypes iso646 libgen limits locale math netinet/in poll pthread setjmp signal
spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings sys/ioctl sys/mman sys/resource
sys/socket sys/stat sys/time sys/types sys/uio sys/wait termios time uchar unistd wchar'
standard=$(printf ' %s ' "$standard" | tr '\n' ' ')

report "$(include_lines '<' | awk -F: -v parties="$third_parties" -v standard="$standard" '
	# Turns a shell pattern into a regular expression.
	function regex(pattern) {
		gsub(/\./, "\\.", pattern)
		gsub(/\*/, ".*", pattern)
		return "^" pattern "$"
	}
	BEGIN {
		count = split(parties, lines, "\n")
		for (i = 1; i <= count; i++)
			if ((at = index(lines[i], ":")) > 0) {
				header_of[++known] = regex(substr(lines[i], 1, at - 1))
				files_of[known] = substr(lines[i], at + 1)
			}
	}
	{
		match($0, /<[^>]*>/); header = substr($0, RSTART + 1, RLENGTH - 2)
		plain = header; sub(/\.h$/, "", plain)
		if (index(standard, " " plain " "))
			next
		for (i = 1; i <= known && header !~ header_of[i]; i++)
			;
		if (i > known) {
			print $1 ":" $2 ": <" header "> belongs neither to C17 or POSIX nor to the table of contain.sh"
			next
		}
		count = split(files_of[i], patterns, " ")
		for (j = 1; j <= count && $1 !~ regex(patterns[j]); j++)
			;
		if (j > count)
			print $1 ":" $2 ": <" header "> may be included only by" files_of[i]
	}')"
