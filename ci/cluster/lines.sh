#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# lines.sh PARTS: packs each trace whose path is a line of standard input, one part a trace, into the folder PARTS, and prints the
# paths of the parts. For engines that pass lines to commands: pipe() of Spark, mappers of Hadoop streaming.
set -eu
[ $# -eq 1 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
code=0
while IFS= read -r trace; do
	part=$1/$(basename "$trace").part
	if weir part "$trace" -o "$part"; then
		printf '%s\n' "$part"
	else
		code=$?
	fi
done
exit $code
