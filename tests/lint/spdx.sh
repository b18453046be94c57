#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every file of ours that can hold a comment says its licence in its first two lines.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

tag='SPDX-License-Identifier: GPL-3\.0-or-later'

files=$({ c_files; find . -path ./build -prune -o -path ./.git -prune -o -path ./tests/data -prune -o \
	\( -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt -o -name '*.sql' \) -print; } | sed 's|^\./||' | sort -u)
for file in $files; do
	head -n 2 "$file" | grep -q "$tag" || offend "$file:1: no line with SPDX-License-Identifier: GPL-3.0-or-later"
done
finish
