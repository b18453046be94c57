# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of the recipes, which source it. A recipe measures one run if the variable WEIR_RUN is set; otherwise it calls
# `weir record`, which starts it once for each run. Variables:
#   RUNS     runs, of each side (default 10)
#   WARMUP   executions before them, which are not kept (default 1)
#   FOLDER   folder that gets the runs (default: that of weir record)
#   BASE     arguments of the recipe for the base version, as a shell line: both versions are measured by turns, A B B A
# shellcheck shell=sh
set -eu
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")

# Prints words as one shell line.
line_of() { # WORD...
	for word; do
		printf "'"
		printf '%s' "$word" | sed "s/'/'\\\\''/g"
		printf "' "
	done
}

# Measures base and change by turns. The order A B B A has no place for a warm-up: it comes before.
by_turns() { # WORD...
	cold=$(mktemp -d)
	trap 'rm -rf "$cold"' EXIT
	turn=0
	while [ "$turn" -lt "$WARMUP" ]; do
		WEIR_RUN=$cold/a-$turn sh -c "$(line_of "$self") $BASE" >&2
		WEIR_RUN=$cold/b-$turn "$self" "$@" >&2
		turn=$((turn + 1))
	done
	rm -rf "$cold"
	trap - EXIT
	exec weir record -n "$RUNS" ${FOLDER:+-o "$FOLDER"} --interleave "$(line_of "$self") $BASE" "$(line_of "$self" "$@")"
}

# Sets `out`, the folder of the run that is being measured; or measures all runs and ends.
begin() { # WORD...
	[ $# -gt 0 ] || { sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$self" >&2; exit 2; }
	RUNS=${RUNS:-10} WARMUP=${WARMUP:-1}
	if [ -n "${WEIR_RUN:-}" ]; then
		out=${WEIR_RUN_DIR:-$WEIR_RUN}
		mkdir -p "$out"
	elif [ -n "${BASE:-}" ]; then
		by_turns "$@"
	else
		exec weir record -n "$RUNS" --warmup "$WARMUP" ${FOLDER:+-o "$FOLDER"} -- "$self" "$@"
	fi
}

# Starts a server and waits until it answers. It is ended when the script ends; its output is shown if it never answers.
serve() { # URL WORD...
	url=$1
	shift
	log=$(mktemp)
	"$@" >"$log" 2>&1 &
	server=$!
	trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -f "$log"' EXIT
	trap 'exit 143' TERM INT HUP
	left=${PATIENCE:-900}
	until curl -fsS -o /dev/null "$url" 2>/dev/null; do
		left=$((left - 1))
		if [ "$left" -lt 0 ] || ! kill -0 "$server" 2>/dev/null; then
			tail -n 20 "$log" >&2
			echo "$(basename "$self"): the server does not answer at $url" >&2
			exit 1
		fi
		sleep 1
	done
}
