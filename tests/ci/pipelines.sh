#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pipelines.sh SCENARIO: tests the pipeline files of ci/github and ci/gitlab. It extracts their shell scripts and runs them
# with stand-ins for weir, gh and unzip on the PATH, which record their arguments.
# shellcheck disable=SC2016 # the texts of the stand-ins are quoted literally
set -eu

scenario=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/temp"

fail() {
	printf '%s: %s\n' "$scenario" "$*" >&2
	cat "$work"/out "$work"/calls >&2 2>/dev/null || true
	exit 1
}

# Writes a stand-in; its script comes from standard input.
stand_in() { # NAME
	{ printf '#!/bin/sh\nprintf "%%s" "%s" >>"%s"\nprintf " [%%s]" "$@" >>"%s"\necho >>"%s"\n' \
		"$1" "$work/calls" "$work/calls" "$work/calls"; cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

# A gate that exits with $GATE_CODE and writes the files that its arguments name.
stand_in weir <<'END'
case $1 in
gate)
	for argument; do
		case $argument in
		*.json) echo '{}' >"$argument" ;;
		*.md) echo '### the report' >"$argument" ;;
		esac
	done
	echo '::error::from a profile' >&2
	echo "weir: verdict=${GATE_VERDICT:-regression} exit=${GATE_CODE:-1} regressions=1 judged=2" >&2
	exit "${GATE_CODE:-1}"
	;;
report) echo '::error title=decode::slower' ;;
comment) exit "${COMMENT_CODE:-0}" ;;
esac
END

script() { # FILE PLACE
	python3 "$here/pipelines.py" script "$1" "$2" >"$work/script"
}

# Runs the script in an environment; sets `code` and writes $work/out.
play() { # SHELL [NAME=VALUE...]
	shell=$1
	shift
	code=0
	: >"$work/output"
	: >"$work/summary"
	: >"$work/calls"
	(cd "$work" && env -i PATH="$work/bin:$PATH" RUNNER_TEMP="$work/temp" GITHUB_OUTPUT="$work/output" \
		GITHUB_STEP_SUMMARY="$work/summary" GITHUB_ACTION_PATH="$root/ci/github" GITHUB_REPOSITORY=o/r "$@" \
		"$shell" "$work/script") >"$work/out" 2>&1 || code=$?
}

has() { # FILE LINE
	grep -qxF -- "$2" "$work/$1" || fail "no line \"$2\" in $1: $(cat "$work/$1")"
}

has_not() { # FILE LINE
	! grep -qxF -- "$2" "$work/$1" || fail "a line \"$2\" in $1"
}

case $scenario in
files)
	python3 "$here/pipelines.py" check
	;;
action)
	script ci/github/action.yml runs.steps.0.run
	play bash RUNS='run-1 run 2*' BASELINE='main; echo $HOME' STRICT=true
	[ $code -eq 0 ] || fail "the step must continue to the upload, but exited with $code"
	has calls "weir [gate] [run-1] [run] [2*] [--baseline] [main; echo \$HOME] [-o] [$work/temp/weir-result.json] [-o] [$work/temp/weir-report.md] [--strict]"
	has output 'verdict=regression'
	has output 'exit-code=1'
	has summary '### the report'
	pause=$(sed -n '1s/^::stop-commands::\([0-9a-f]\{32\}\)$/\1/p' "$work/out")
	[ -n "$pause" ] || fail "commands are not stopped before the gate runs"
	[ "$(sed -n '/^::error::from a profile$/,$p' "$work/out" | grep -cxF "::$pause::")" -eq 1 ] ||
		fail "commands are not allowed again after the gate"
	[ "$(tail -n 1 "$work/out")" = '::error title=decode::slower' ] || fail "the annotations are not the last"

	play bash RUNS=run-1 BASELINE=main STRICT=false GATE_CODE=0 GATE_VERDICT=pass
	has output 'verdict=pass'
	has output 'exit-code=0'
	! grep -q strict "$work/calls" || fail "--strict without being asked"

	script ci/github/action.yml runs.steps.2.run
	play bash CODE=5
	[ $code -eq 5 ] || fail "the action must exit with the code of the gate, exited with $code"
	;;
workflow-comment)
	script ci/github/weir-comment.yml jobs.comment.steps.0.run
	stand_in gh <<-'END'
		case $2 in
		*/artifacts?name=*) [ -z "$ARTIFACT" ] || printf '%s\n' "$ARTIFACT" ;;
		*/zip) echo zipped ;;
		esac
	END
	stand_in unzip <<-'END'
		yes '{"schema": "weir.gate/1"}' | head -c "$SIZE"
	END
	play bash RUN_ID=5 LIMIT=1000 ARTIFACT=77 SIZE=20
	[ $code -eq 0 ] || fail "exited with $code"
	has output 'found=true'
	grep -qF '[repos/o/r/actions/runs/5/artifacts?name=weir-result]' "$work/calls" || fail "another run's artifacts"
	grep -qF 'select(.size_in_bytes <= 1000)' "$work/calls" || fail "an artifact of any size is fetched"
	has calls "unzip [-p] [weir-result.zip] [weir-result.json]"
	play bash RUN_ID=5 LIMIT=1000 ARTIFACT=77 SIZE=1000000
	[ "$(wc -c <"$work/temp/weir-result.json")" -eq 8000 ] || fail "the unpacked file is not cut at its limit"
	for artifact in '' '7; reboot' '../7'; do
		play bash RUN_ID=5 LIMIT=1000 ARTIFACT="$artifact" SIZE=20
		[ $code -eq 0 ] || fail "no artifact: exited with $code"
		has_not output 'found=true'
	done

	script ci/github/weir-comment.yml jobs.comment.steps.1.run
	for comment_code in 0 12 13; do
		play bash COMMENT_CODE=$comment_code
		[ $code -eq 0 ] || fail "a failed comment fails the job"
		has calls "weir [comment] [$work/temp/weir-result.json]"
		if [ $comment_code -eq 12 ]; then
			has out '::warning::weir comment exited with 12'
		else
			has_not out "::warning::weir comment exited with $comment_code"
		fi
	done
	;;
workflow-gate)
	script ci/github/weir-gate.yml jobs.gate.steps.2.run
	printf '#!/bin/sh\n: >"$1/profiled"\n' >"$work/profile.sh"
	chmod +x "$work/profile.sh"
	play bash
	[ $code -eq 0 ] || fail "exited with $code"
	for run in 1 2 3; do
		[ -e "$work/run-$run/profiled" ] || fail "run $run was not profiled"
	done
	;;
gitlab)
	printf '#!/bin/sh\n: >"$1/profiled"\n' >"$work/profile.sh"
	chmod +x "$work/profile.sh"
	{ echo 'set -e'; python3 "$here/pipelines.py" script ci/gitlab/weir.yml weir-gate.script; } >"$work/script"
	play sh WEIR_BASELINE='main branch' GATE_CODE=3
	[ $code -eq 3 ] || fail "the job must exit with the code of the gate, exited with $code"
	has calls 'weir [gate] [run-1] [run-2] [run-3] [--baseline] [main branch] [--strict] [-o] [weir-junit.xml] [-o] [weir-report.md] [-o] [weir-result.json]'
	script ci/gitlab/weir.yml weir-comment.script
	play sh
	has calls 'weir [comment] [weir-result.json]'
	rm "$work/weir-result.json"
	play sh
	[ $code -eq 0 ] || fail "without a result: exited with $code"
	[ ! -s "$work/calls" ] || fail "commented without a result"
	;;
*)
	fail "no such scenario"
	;;
esac
