#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks every script with shellcheck.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need shellcheck shellcheck

find . -path ./build -prune -o -path ./.git -prune -o \( -name '*.sh' -o -path './ci/hooks/*' -o -path './.ci/run' \) -print | sort | xargs -r shellcheck -x
