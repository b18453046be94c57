# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the golden cases that use a store on the server: a program `weir` in front of the real one gives each file name of a
# store a database, and puts the file name back into the output. run.sh sources it.
# shellcheck shell=sh disable=SC2154 # variables of lib.sh

# Cases about files: no database, a file that is not there, a copy between two files, a store in place of a profile, names that
# completion reads from a file (it asks no server); and cases that show the name of the store in a paragraph, whose lines end
# elsewhere as an address is longer.
only_files='advise-keep-no-store baseline-not-a-store gate-store-is-no-store baseline-none baseline-copy baseline-copy-differs'
only_files="$only_files first-hour-store first-hour-completion"
wrapped='advise-keep doctor doctor-one-run doctor-sessions gate-mistyped-baseline gate-no-baseline'

golden_cases() {
	(cd tests/golden && grep -lE -e '--db|WEIR_DB|--name|--baseline|weir baseline|weir history|weir doctor' -- */cmd) | while read -r cmd; do
		case " $only_files $wrapped " in
		*" ${cmd%/cmd} "*) ;;
		*) echo "${cmd%/cmd}" ;;
		esac
	done
}

# Writes $work/bin/weir. Databases are golden0, golden1, ...; the first call in a new home empties them.
make_front() {
	mkdir -p "$work/bin"
	cat >"$work/bin/weir" <<END
#!/bin/sh
real='$weir' sock='$sock' names=\$HOME/.stores
END
	cat >>"$work/bin/weir" <<'END'
# Sets `address` for a file name.
place() { # FILE
	case $1 in
	/*) file=$1 ;;
	*) file=$PWD/$1 ;;
	esac
	number=$(grep -nxF -- "$file" "$names" 2>/dev/null | cut -d: -f1)
	if [ -z "$number" ]; then
		echo "$file" >>"$names"
		number=$(wc -l <"$names")
		psql -X -q -h "$sock" -U weir -d "golden$number" -c 'SET client_min_messages = error' \
			-c 'DROP SCHEMA IF EXISTS weir CASCADE' >/dev/null
	fi
	address="postgresql://weir@/golden$number?host=$sock&port=5432"
	script="$script
s|$address|$1|g"
}

script=
given=no
count=$#
while [ $count -gt 0 ]; do
	word=$1
	shift
	count=$((count - 1))
	set -- "$@" "$word"
	[ "$word" = --db ] || continue
	place "$1"
	shift
	count=$((count - 1))
	set -- "$@" "$address"
	given=yes
done
if [ $given = no ]; then
	place "${WEIR_DB:-.weir/baselines.db}"
	WEIR_DB=$address
	export WEIR_DB
fi
hidden=$(mktemp -d)
trap 'rm -rf "$hidden"' EXIT
code=0
"$real" "$@" >"$hidden/out" 2>"$hidden/err" || code=$?
sed -e "$script" "$hidden/out"
sed -e "$script" "$hidden/err" >&2
exit $code
END
	chmod 755 "$work/bin/weir"
	n=1
	while [ $n -le 4 ]; do
		sql postgres "CREATE DATABASE golden$n"
		n=$((n + 1))
	done
}

scenario_golden() {
	make_front
	cases=$(golden_cases)
	[ "$(echo "$cases" | wc -w)" -ge 40 ] || give_up "only these cases use a store: $cases"
	# shellcheck disable=SC2086 # names of cases contain no blanks
	WEIR_GOLDEN_LOCALES=C tests/golden/run.sh "$work/bin/weir" $cases || give_up "golden cases differ on the server"
	echo "$(echo "$cases" | wc -w) cases have the same output on the server"
}
