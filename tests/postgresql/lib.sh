# SPDX-License-Identifier: GPL-3.0-or-later
# Starts a PostgreSQL server in a temporary folder, reachable through a socket there, for run.sh. $weir is the program, $work
# a temporary folder, $sock the folder of the socket. Root starts the server as nobody: it refuses to run as root.
# shellcheck shell=sh disable=SC2154

set -eu
LC_ALL=C
export LC_ALL

skip() {
	echo "skipped: $*"
	exit 77
}

give_up() {
	echo "$*" >&2
	[ ! -s "$work/server/log" ] || tail -n 20 "$work/server/log" >&2
	exit 1
}

# Finds the folder of initdb and pg_ctl, which Debian keeps out of PATH.
find_server() {
	for folder in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null)"; do
		if [ -x "$folder/initdb" ] && [ -x "$folder/pg_ctl" ]; then
			echo "$folder"
			return
		fi
	done
}

as_server() { # COMMAND...
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

start_server() {
	as_server "$bin/pg_ctl" -D "$work/server/data" -l "$work/server/log" -w -t 60 \
		-o "-k $sock -c listen_addresses='' -c max_connections=100 -c fsync=${fsync:-off}" start >"$work/started" 2>&1 ||
		give_up "the server does not start: $(cat "$work/started")"
}

stop_server() { # MODE
	as_server "$bin/pg_ctl" -D "$work/server/data" -m "$1" -w -t 60 stop >"$work/stopped" 2>&1 ||
		give_up "the server does not stop: $(cat "$work/stopped")"
}

# The user weir is a superuser without a password; secret has one.
make_server() {
	bin=$(find_server)
	[ -n "$bin" ] || skip "no PostgreSQL server here: install the package postgresql"
	command -v psql >/dev/null || skip "no psql here: install the package postgresql-client"
	sock=$work/server/sock
	mkdir -p "$sock"
	chmod 755 "$work"
	[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$work/server"
	as_server "$bin/initdb" -D "$work/server/data" -U weir -A trust -E UTF8 --locale=C --no-sync >"$work/initdb" 2>&1 ||
		give_up "initdb fails: $(cat "$work/initdb")"
	printf 'local all secret scram-sha-256\nlocal all all trust\n' >"$work/server/data/pg_hba.conf"
	start_server
}

# Runs SQL as the superuser.
sql() { # DATABASE SQL
	psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$sock" -U weir -d "$1" -c "$2" || give_up "$2 fails"
}

# Creates a database and prints its address.
make_store() { # NAME
	sql postgres "CREATE DATABASE $1"
	address_of weir "$1"
}

address_of() { # USER DATABASE
	echo "postgresql://$1@/$2?host=$sock"
}

clean_up() {
	[ -z "${proxy:-}" ] || kill "$proxy" 2>/dev/null || true
	if [ -n "${bin:-}" ] && [ -e "$work/server/data/postmaster.pid" ]; then
		as_server "$bin/pg_ctl" -D "$work/server/data" -m immediate stop >/dev/null 2>&1 || true
	fi
	rm -rf "$work"
}

work=$(mktemp -d)
trap clean_up EXIT
trap 'exit 1' INT TERM

# A run as in tests/faults/lib.sh, different for each number, in $work/run-NUMBER.json.
make_run() { # NUMBER
	awk -v n="$1" 'BEGIN {
		printf "{\"schema\":\"weir.run/1\",\"unit\":\"ns\",\"labels\":{\"gpu\":\"G\"},\"stages\":{"
		for (s = 0; s < 3; s++) {
			printf "%s\"stage%d\":[", s ? "," : "", s
			for (i = 0; i < 100; i++) printf "%s%d", i ? "," : "", 500000 + n * 1000 + (i * 7919 + s) % 997
			printf "]"
		}
		printf "},\"operators\":{\"stage0/aten::mm\":[%d]}}\n", n + 1
	}' >"$work/run-$1.json"
}

record() { # STORE NAME RUN [OPTION...]
	to=$1 into=$2 run=$3
	shift 3
	"$weir" baseline record "$work/run-$run.json" --name "$into" --db "$to" --recorded 2026-11-20T14:00:00Z "$@"
}

# Prints the number of runs of a baseline.
runs_of() { # STORE NAME
	"$weir" baseline list --db "$1" -f json | sed -n "s/.*\"name\": \"$2\", \"runs\": \([0-9]*\),.*/\1/p"
}

# Checks that a command exits with 8 and one line that contains WORDS and no password.
stops() { # WORDS COMMAND...
	words=$1
	shift
	code=0
	"$@" >"$work/out" 2>"$work/said" || code=$?
	[ "$code" = 8 ] || give_up "$*: exit $code, expected 8: $(cat "$work/said")"
	grep -qF -- "$words" "$work/said" || give_up "$*: no \"$words\" in: $(cat "$work/said")"
	[ "$(wc -l <"$work/said")" = 1 ] || give_up "$*: more than one line: $(cat "$work/said")"
}
