#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# damage.sh PROGRAM [STEP]: inverts one byte of a store at every STEPth of 150 places. Reading returns the recorded data or exits with 8; a store
# that verify accepts returns the recorded data; a command that fails does not change the file. Then other damage.
# shellcheck source=tests/faults/lib.sh
. "$(dirname "$0")/lib.sh"
step=${2:-1}

for n in 0 1 2; do
	make_run $n
	record main $n >/dev/null
done
make_run 9
cp "$db" "$work/sound"
"$weir" baseline export main --db "$db" >"$work/expected"
size=$(wc -c <"$db")

invert() { # OFFSET
	byte=$(od -An -tu1 -j"$1" -N1 "$work/sound" | tr -d ' ')
	cp "$work/sound" "$db"
	# shellcheck disable=SC2059 # the format is the byte
	printf "\\$(printf %o $((byte ^ 255)))" | dd of="$db" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

# Prints the exit code of a command; its output goes to $work/out and $work/said.
code_of() { # COMMAND...
	code=0
	"$@" >"$work/out" 2>"$work/said" || code=$?
	echo $code
}

seen=0
n=0
while [ $n -lt 150 ]; do
	# The header byte by byte, then evenly over the file.
	if [ $n -lt 50 ]; then at=$((n * 2)); else at=$(((n - 49) * (size - 200) / 101 + 100)); fi
	n=$((n + step))
	invert $at
	cp "$db" "$work/before"
	verified=$(code_of "$weir" baseline verify --db "$db")
	read=$(code_of "$weir" baseline export main --db "$db")
	case $verified/$read in
	0/0 | 8/0) cmp -s "$work/out" "$work/expected" || {
		diff "$work/out" "$work/expected" | cut -c1-300
		give_up "byte $at: verify exits with $verified, but other data were read"
	} ;;
	8/8) grep -qF "$db" "$work/said" || give_up "byte $at: $(cat "$work/said")" ;;
	8/4) ;; # the damage is in the name of the baseline
	*) give_up "byte $at: verify exits with $verified, export with $read: $(cat "$work/said")" ;;
	esac
	[ "$verified" = 0 ] || seen=$((seen + 1))
	written=$(code_of record main 9)
	case $written in
	0) ;;
	8) cmp -s "$db" "$work/before" || give_up "byte $at: a failed command changed the store" ;;
	*) give_up "byte $at: recording exits with $written: $(cat "$work/said")" ;;
	esac
	rm -f "$db-wal" "$db-shm"
done
[ $((seen * step)) -ge 25 ] || give_up "verify detected only $seen of $((150 / step)) damaged bytes" # much of a small file is unused

printf 'not a database, but text of sufficient length\n' >"$db"
stops "is not an SQLite database" record main 9
head -c $((size / 2)) "$work/sound" >"$db"
stops "is damaged" "$weir" baseline export main --db "$db"
stops "is damaged" "$weir" baseline verify --db "$db"
# Schema version 99: bytes 60 to 63 of the header.
cp "$work/sound" "$db"
printf '\000\000\000\143' | dd of="$db" bs=1 seek=60 conv=notrunc 2>/dev/null
stops "written by a newer weir" record main 9
stops "written by a newer weir" "$weir" baseline list --db "$db"
echo "verify detected $seen of $((150 / step)) damaged bytes; no command returned other data"
