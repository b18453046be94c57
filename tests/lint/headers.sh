#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that each header compiles alone: it includes everything that it uses.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need gcc gcc
need pkg-config pkg-config

# shellcheck disable=SC2046 # options
report "$(c_files | grep '\.h$' |
	xargs -r -P "$(nproc)" -n 24 gcc -std=c17 -D_XOPEN_SOURCE=700 -I. $(pkg-config --cflags-only-I libpq) -fsyntax-only -x c 2>&1 | grep -E ': (fatal )?error: ' || true)"
