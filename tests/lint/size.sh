#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file about one topic fits into 500 lines or so. (Functions are measured by clang-tidy, see tidy.sh.)
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

limit=550

for file in $(c_files); do
	lines=$(wc -l <"$file")
	[ "$lines" -le $limit ] || offend "$file:1: $lines lines, at most $limit: split it by topic"
done
finish
