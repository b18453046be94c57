#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every C file is as clang-format 14 writes it; repair with: clang-format -i FILE
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need clang-format clang-format

[ -f .clang-format ] || cp "$project/.clang-format" .
c_files | xargs -r clang-format --dry-run -Werror
