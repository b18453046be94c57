#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attack.sh PROGRAM: every file of vectors/attack on the shelf, which were made to exhaust weir, ends within 5 s of processor time
# and 512 MiB of address space, with a report or with one line.
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"

shelf=${WEIR_SHELF:-../shared}/vectors/attack
[ -d "$shelf" ] || { echo "skipped: no $shelf" >&2; exit 77; }

attack() { # COMMAND FILE
	code=0
	(
		# shellcheck disable=SC3045,SC2015 # dash and bash have them; `exit` is for either
		ulimit -v 524288 && ulimit -t 5 || exit 99
		"$weir" "$1" "$2" -q -f json >"$work/out" 2>"$work/err"
	) || code=$?
	case $code in
	0) [ -s "$work/out" ] || give_up "weir $1 $2: exit 0 without a report" ;;
	2 | 7) [ "$(wc -l <"$work/err")" -eq 1 ] || give_up "weir $1 $2: exit $code, not with one line: $(cat "$work/err")" ;;
	*) give_up "weir $1 $2: exit $code: $(cat "$work/err")" ;;
	esac
}

count=0
for file in "$shelf"/*; do
	for command in classify convert report; do
		attack $command "$file"
		count=$((count + 1))
	done
done
[ $count -ge 40 ] || give_up "only $count attacks"
echo "$count attacks ended"
