#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Refuses files that are too long to be read as one topic. clang-tidy limits the length of functions, see tidy.sh.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

limit=900

report "$(c_files | xargs -r awk -v limit=$limit '
	FNR == limit + 1 { print FILENAME ":" FNR ": more than " limit " lines: split the file by topic" }')"
