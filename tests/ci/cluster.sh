#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cluster.sh PROGRAM SCENARIO: runs the commands of docs/cluster.md as they are written there, and compares the merge with weir classify.
#   mpirun, parallel, xargs, spark
# Ends with 77 if the engine is missing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
weir=$(cd "$(dirname "$1")" && pwd)
scenario=$2
page=$root/docs/cluster.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$root/ci" ci
PATH=$weir:$PATH

fail() {
	echo "cluster.sh: $scenario: $*" >&2
	cat "$work/log" >&2 2>/dev/null || true
	exit 1
}

need() { # PROGRAM PACKAGE
	command -v "$1" >/dev/null || { echo "skipped: no $1: install $2"; exit 77; }
}

# Runs the line of the page that begins with a text, with further words of sed on it, in a shell. Sets `code`.
play() { # BEGINNING [SED-COMMAND]
	line=$(grep -F -- "$1" "$page" | grep -E "^(mpirun|parallel|printf)" | sed "${2:-}")
	[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "$page does not have one line $1"
	mkdir -p parts
	code=0
	sh -c "$line" >log 2>&1 || code=$?
}

expect_report() {
	[ "$code" -eq 0 ] || fail "exits with $code"
	weir classify traces -f json >whole.json
	weir merge parts/*.part --expect 8 -f json >merged.json 2>log || fail "the merge exits with $?"
	cmp whole.json merged.json || fail "the reports differ"
	rm -r parts
}

# Damages the trace of rank 3: the others must be packed, and the merge must name it.
expect_the_others() { # BEGINNING [SED-COMMAND]
	echo '{"damaged"' >traces/rank003.json.gz
	play "$@"
	engine_code=$code
	code=0
	weir merge parts/*.part --expect 8 -f json >merged.json 2>log || code=$?
	[ "$code" -eq 6 ] || fail "without a rank, the merge exits with $code"
	grep -qxF 'weir: of 8 ranks these are missing: 3' log || fail "the rank is not named"
}

"$root/tests/ci/ranks.py" traces 8
case $scenario in
mpirun)
	need mpirun openmpi-bin
	# As root, more processes than processors, on this machine alone.
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=false
	four='s/^mpirun/mpirun -np 4/'
	play 'sh ci/cluster/part.sh traces parts' "$four"
	expect_report
	expect_the_others 'sh ci/cluster/part.sh traces parts' "$four"
	rm -r parts
	# Traces on the disks of machines: rank I has the trace I.
	"$root/tests/ci/ranks.py" "$work/all" 4
	for rank in 0 1 2 3; do
		mv "all/rank00$rank.json.gz" "all/rank$rank.json.gz"
	done
	# shellcheck disable=SC2016 # the page has this text
	play '/tmp/traces/rank$OMPI_COMM_WORLD_RANK' "$four; s|/tmp/traces|$work/all|"
	[ "$code" -eq 0 ] || fail "exits with $code"
	weir merge parts/*.part --expect 4 >log 2>&1 || fail "a rank has no part"
	;;
parallel)
	need parallel parallel
	play 'parallel --jobs'
	expect_report
	expect_the_others 'parallel --jobs'
	[ "$engine_code" -ne 0 ] || fail "a task that fails is not noticed"
	;;
xargs)
	need xargs findutils
	play 'xargs -0'
	expect_report
	expect_the_others 'xargs -0'
	[ "$engine_code" -ne 0 ] || fail "a task that fails is not noticed"
	;;
spark)
	# pipe() gives the lines of each partition to one process of the command, and takes the lines that it prints.
	grep -qF 'pipe("sh ci/cluster/lines.sh /shared/parts")' "$page" || fail "the page has another command"
	code=0
	for rank in 0 1 2 3 4 5 6 7; do
		echo "traces/rank00$rank.json.gz" | sh ci/cluster/lines.sh parts >>printed || code=$?
	done
	find parts -name '*.part' | sort | cmp - printed || fail "other lines than the paths of the parts"
	expect_report
	# The function of the page on the bytes of each trace.
	sed -n '/^def pack/,/^$/p' "$page" >pack.py
	python3 - <<-'END' >log 2>&1 || fail "the function of the page fails"
		import os
		import subprocess
		exec(open("pack.py").read())
		os.mkdir("parts")
		for name in os.listdir("traces"):
		    with open(f"traces/{name}", "rb") as trace, open(f"parts/{name}.part", "wb") as part:
		        part.write(pack(trace.read()))
	END
	weir merge parts/*.part --expect 8 -f json 2>log | sed 's/"path": "[^"]*"//' >merged.json
	weir classify traces -f json | sed 's/"path": "[^"]*"//' >whole.json
	cmp whole.json merged.json || fail "traces from standard input give another report"
	;;
*) fail "no such scenario" ;;
esac
