#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# locale.sh LOCALE: checks that the system has the locale of the golden cases and that its numbers have a comma. Without it,
# programs take C in silence, and the cases say nothing about other locales.
set -eu

if ! locale -a | tr '[:upper:]' '[:lower:]' | tr -d - | grep -qx "$(printf '%s' "$1" | tr '[:upper:]' '[:lower:]' | tr -d -)"; then
	echo "skipped: no locale $1: the golden cases ran in C"
	exit 77
fi
[ "$(LC_ALL=$1 locale decimal_point)" = , ] || { echo "numbers of $1 have no comma" >&2; exit 1; }
