#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that clang-format 14 would change no C file. Repair with: clang-format -i FILE
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need clang-format clang-format

[ -f .clang-format ] || cp "$project/.clang-format" .
c_files | xargs -r clang-format --dry-run -Werror
