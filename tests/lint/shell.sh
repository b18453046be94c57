#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every script goes through shellcheck.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need shellcheck shellcheck

find . -path ./build -prune -o -path ./.git -prune -o -name '*.sh' -print | sort | xargs -r shellcheck -x
