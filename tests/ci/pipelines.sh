#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pipelines.sh SCENARIO [PROGRAM]: tests the pipeline files of ci/github and ci/gitlab. It extracts their shell scripts and runs them
# with stand-ins for weir, gh, curl and unzip on the PATH, which record their arguments.
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
baseline) exit "${BASELINE_CODE:-0}" ;;
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
release)
	# A tag of another version stops before the build.
	code=0
	ci/package.sh v999.0 >"$work/out" 2>&1 || code=$?
	[ "$code" -eq 1 ] || fail "a tag of another version ends with $code"
	grep -q 'expected the tag v[0-9]' "$work/out" || fail "the message names no tag"
	# The last job, with what the others made.
	script .github/workflows/release.yml jobs.release.steps.2.run
	stand_in gh </dev/null
	mkdir "$work/made"
	echo package >"$work/made/weir_1.2.0_amd64.deb"
	echo image >"$work/made/weir_1.2.0_image.tar.gz"
	play bash TAG=v1.2.0
	[ "$code" -eq 0 ] || fail "exits with $code"
	has calls 'gh [release] [create] [v1.2.0] [--verify-tag] [--title] [weir 1.2.0] [--notes] [Changes: CHANGELOG.md] [weir_1.2.0_amd64.deb] [weir_1.2.0_image.tar.gz] [SHA256SUMS]'
	(cd "$work/made" && sha256sum --quiet -c SHA256SUMS) || fail "wrong checksums"
	;;
image)
	# The program of this build in place of the image: the commands and expectations of ci/image-check.sh hold.
	stand_in docker <<'END'
while [ "$1" != weir ]; do shift; done
shift
cd tests/data && exec "$PROGRAM" "$@"
END
	: >"$work/calls"
	PATH=$work/bin:$PATH PROGRAM=$(cd "$(dirname "$2")" && pwd)/weir
	export PATH PROGRAM
	version=$("$PROGRAM" --version)
	ci/image-check.sh weir "${version#weir }" >"$work/out" 2>&1 || fail "the check refuses the program"
	grep -q '^docker \[run\] \[--rm\] \[--network\] \[none\] \[--read-only\]' "$work/calls" || fail "with network"
	ci/image-check.sh weir 999.0 >"$work/out" 2>&1 && fail "another version passes"
	grep -q 'expected weir 999.0' "$work/out" || fail "the message names no version"
	;;
action)
	script ci/github/action.yml runs.steps.0.run
	: >"$work/run-1"
	: >"$work/run-2"
	play bash RUNS='run-* other 3*' BASELINE='main; echo $HOME' STRICT=true CONFIG='ci/my weir.json' LABELS='gpu=x session=*' \
		SUITE='nightly: a/b' KEY=h200
	[ $code -eq 0 ] || fail "the step must continue to the upload, but exited with $code"
	has calls "weir [gate] [run-1] [run-2] [other] [3*] [--baseline] [main; echo \$HOME] [-o] [$work/temp/weir-result.json] [-o] [$work/temp/weir-report.md] [--config] [ci/my weir.json] [--label] [gpu=x] [--label] [session=*] [--strict]"
	has output 'artifact=weir-result-nightly--a-b-h200'
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
	has output 'artifact=weir-result-main'
	! grep -q -e strict -e bootstrap -e config -e label "$work/calls" || fail "an option without being asked"
	play bash RUNS=run-1 BASELINE=main BOOTSTRAP=true GATE_CODE=0 GATE_VERDICT=no-baseline
	grep -q '\[--bootstrap\]' "$work/calls" || fail "the input bootstrap is ignored"

	script ci/github/action.yml runs.steps.2.run
	play bash CODE=5
	[ $code -eq 5 ] || fail "the action must exit with the code of the gate, exited with $code"
	;;
workflow-comment)
	script ci/github/weir-comment.yml jobs.comment.steps.1.run
	stand_in gh <<-'END'
		case $2 in
		*/artifacts?per_page=*) [ -z "$ARTIFACTS" ] || printf "$ARTIFACTS" ;;
		*/zip) echo zipped ;;
		esac
	END
	stand_in unzip <<-'END'
		[ "$SIZE" -eq 0 ] && exit 11
		yes '{"schema": "weir.gate/1"}' | head -c "$SIZE"
	END
	play bash RUN_ID=5 LIMIT=1000 MOST=2 ARTIFACTS='77 weir-result-main\n78 weir-result-main-h200\n79 weir-result-third\n' SIZE=20
	[ $code -eq 0 ] || fail "exited with $code"
	has output 'found=true'
	grep -qF '[repos/o/r/actions/runs/5/artifacts?per_page=100]' "$work/calls" || fail "another run's artifacts"
	grep -qF 'select(.size_in_bytes <= 1000)' "$work/calls" || fail "an artifact of any size is fetched"
	has calls "unzip [-p] [weir-result.zip] [weir-result.json]"
	[ "$(cd "$work/temp/weir-results" && echo *)" = 'main-h200.json main.json' ] || fail "not the first two results of a matrix"
	play bash RUN_ID=5 LIMIT=1000 MOST=20 ARTIFACTS='77 weir-result-main\n' SIZE=1000000
	[ "$(wc -c <"$work/temp/weir-results/main.json")" -eq 8000 ] || fail "the unpacked file is not cut at its limit"
	for artifacts in '' '7;reboot weir-result-main\n' '../7 weir-result-main\n' '7 weir-result-../../x\n' '7 weir-result-a b\n' \
		'7 weir-result--rf\n' '7 weir-result-..\n' '7 weir-result-\n'; do
		play bash RUN_ID=5 LIMIT=1000 MOST=20 ARTIFACTS="$artifacts" SIZE=20
		[ $code -eq 0 ] || fail "\"$artifacts\": exited with $code"
		has_not output 'found=true'
		! grep -q zip "$work/calls" || fail "\"$artifacts\" was fetched"
	done
	play bash RUN_ID=5 LIMIT=1000 MOST=20 ARTIFACTS='77 weir-result-main\n' SIZE=0
	[ $code -eq 0 ] || fail "an archive without the file fails the job: $code"
	has_not output 'found=true'

	play bash RUN_ID=5 LIMIT=1000 MOST=20 ARTIFACTS='77 weir-result-main\n78 weir-result-b-2\n' SIZE=20
	script ci/github/weir-comment.yml jobs.comment.steps.2.run
	for comment_code in 0 12 13; do
		play bash COMMENT_CODE=$comment_code
		[ $code -eq 0 ] || fail "a failed comment fails the job"
		has calls "weir [comment] [$work/temp/weir-results/main.json] [--suite] [main]"
		has calls "weir [comment] [$work/temp/weir-results/b-2.json] [--suite] [b-2]"
		if [ $comment_code -eq 12 ]; then
			has out '::warning::weir comment exited with 12'
		else
			has_not out "::warning::weir comment exited with $comment_code"
		fi
	done

	# The package of weir is installed only if its checksum is right.
	stand_in apt-get </dev/null
	stand_in curl <<-'END'
		while [ "$1" != -o ]; do shift; done
		printf package >"$2"
	END
	script ci/github/weir-comment.yml jobs.comment.steps.0.run
	play bash DEB_URL=https://example.org/weir.deb DEB_SHA256="$(printf package | sha256sum | cut -d ' ' -f 1)"
	[ $code -eq 0 ] || fail "the package is not installed: $code"
	has calls "apt-get [-qq] [install] [-y] [--no-install-recommends] [$work/temp/weir.deb]"
	play bash DEB_URL=https://example.org/weir.deb DEB_SHA256="$(printf other | sha256sum | cut -d ' ' -f 1)"
	[ $code -ne 0 ] || fail "a package with another checksum is installed"
	has_not calls "apt-get [-qq] [install] [-y] [--no-install-recommends] [$work/temp/weir.deb]"
	;;
fetch)
	# Runs 9 (expired), 8 (of a pull request) and 7 exist.
	stand_in gh <<-'END'
		case "$*" in
		*/actions/workflows/*) printf '%s\n' $RUNS_FOUND ;;
		*/actions/runs/7/artifacts*) echo 70 ;;
		*/actions/artifacts/70/zip) echo zipped ;;
		esac
	END
	stand_in unzip <<-'END'
		printf 'the store'
	END
	cp ci/github/fetch.sh "$work/script"
	play sh BRANCH='main & more' WORKFLOW=weir-record.yml ARTIFACT=weir-baselines RUNS_FOUND='9 7' GH_TOKEN=t
	[ $code -eq 0 ] || fail "exited with $code"
	has output 'found=true'
	[ "$(cat "$work/.weir/baselines.db")" = 'the store' ] || fail "the store was not unpacked"
	grep -qF '[-f] [branch=main & more] [-f] [status=success]' "$work/calls" || fail "not the last successful run of the branch"
	grep -qF '.head_repository.full_name == "o/r"' "$work/calls" || fail "runs of forks are not left out"
	grep -qF 'select(.event == "push" or .event == "schedule" or .event == "workflow_dispatch")' "$work/calls" ||
		fail "runs of pull requests are not left out"
	rm -r "$work/.weir"
	for runs in '' 9; do
		play sh BRANCH=main WORKFLOW=weir-record.yml ARTIFACT=weir-baselines RUNS_FOUND="$runs" GH_TOKEN=t
		[ $code -eq 0 ] || fail "without a baseline: exited with $code"
		has output 'found=false'
		[ ! -e "$work/.weir/baselines.db" ] || fail "a store from nowhere"
	done
	;;
record)
	cp ci/record.sh "$work/script"
	: >"$work/run-1"
	: >"$work/run-2"
	# VERDICT CODE ACCEPT, what happens to the baseline, and the exit code.
	while read -r verdict gate_code accept what expected; do
		play sh RUNS='run-*' BASELINE=main LABELS='commit=c0ffee' ACCEPT="$accept" GATE_VERDICT="$verdict" GATE_CODE="$gate_code"
		[ $code -eq "$expected" ] || fail "$verdict, accept $accept: expected $expected, got $code"
		has calls 'weir [gate] [run-1] [run-2] [--baseline] [main] [--label] [commit=c0ffee]'
		done=nothing
		grep -qxF 'weir [baseline] [record] [run-1] [run-2] [--name] [main] [--keep] [30] [--label] [commit=c0ffee]' "$work/calls" &&
			done=append
		if grep -q promote "$work/calls"; then
			done=replace
			tail -n 3 "$work/calls" >"$work/last"
			printf '%s\n' 'weir [baseline] [record] [run-1] [run-2] [--name] [main-next] [--label] [commit=c0ffee]' \
				'weir [baseline] [promote] [main-next] [--as] [main]' 'weir [baseline] [remove] [main-next] [--yes]' |
				cmp - "$work/last" || fail "$verdict: not these three commands"
		fi
		[ $done = "$what" ] || fail "$verdict, accept $accept: expected $what, got $done"
	done <<-'END'
		pass 0 false append 0
		inconclusive 6 false append 0
		suspect 0 false append 0
		no-baseline 4 false append 0
		improvement 0 false replace 0
		regression 1 false nothing 1
		regression 1 true replace 0
		coverage 6 false nothing 6
		coverage 6 true replace 0
		environment 5 true nothing 5
		error 7 true nothing 7
	END
	play sh RUNS='run-*' BASELINE=main GATE_VERDICT=improvement GATE_CODE=0 BASELINE_CODE=8
	[ $code -eq 8 ] || fail "a store that cannot be written: exited with $code"
	! grep -q promote "$work/calls" || fail "promoted runs that were not recorded"
	;;
workflow-gate)
	printf '#!/bin/sh\n: >"$1/profiled"\n' >"$work/profile.sh"
	chmod +x "$work/profile.sh"
	for job in gate record; do
		script ci/github/weir-$job.yml jobs.$job.steps.2.run
		rm -rf "$work"/run-*
		play bash
		[ $code -eq 0 ] || fail "exited with $code"
		for run in 1 2 3; do
			[ -e "$work/run-$run/profiled" ] || fail "run $run was not profiled"
		done
	done
	;;
gitlab)
	printf '#!/bin/sh\n: >"$1/profiled"\n' >"$work/profile.sh"
	chmod +x "$work/profile.sh"
	stand_in curl <<-'END'
		case "$*" in
		*--upload-file*) exit "${UPLOAD_CODE:-0}" ;;
		esac
		[ "$HTTP" != 000 ] || exit 7
		while [ "$1" != -o ]; do shift; done
		printf 'the store' >"$2"
		printf '%s' "$HTTP"
	END
	# PLACE [NAME=VALUE...]: the scripts of a job, as a runner executes them.
	job() {
		{ echo 'set -e'; python3 "$here/pipelines.py" script ci/gitlab/weir.yml .weir-measure.before_script
		python3 "$here/pipelines.py" script ci/gitlab/weir.yml "$1"; } >"$work/script"
		shift
		rm -rf "$work/.weir" "$work"/run-*
		play sh WEIR_DB=.weir/baselines.db WEIR_RUNS='run-*' WEIR_PACKAGE=packages/generic/weir-baselines/1.0.0/baselines.db \
			CI_API_V4_URL=https://lab/api/v4 CI_PROJECT_ID=9 CI_JOB_TOKEN=t "$@"
	}
	job weir-gate.script WEIR_BASELINE='main branch' GATE_CODE=3 HTTP=200 CI_MERGE_REQUEST_PROJECT_ID=4
	[ $code -eq 3 ] || fail "the job must exit with the code of the gate, exited with $code"
	has calls 'weir [gate] [run-1] [run-2] [run-3] [--baseline] [main branch] [--strict] [-o] [weir-junit.xml] [-o] [weir-report.md] [-o] [weir-result.json]'
	grep -qF '[https://lab/api/v4/projects/4/packages/generic/weir-baselines/1.0.0/baselines.db]' "$work/calls" ||
		fail "the baseline does not come from the target project"
	[ "$(cat "$work/.weir/baselines.db")" = 'the store' ] || fail "the baseline was not fetched"
	job weir-gate.script WEIR_BASELINE=main WEIR_BOOTSTRAP=true GATE_CODE=0 HTTP=404
	if [ $code -ne 0 ] || [ -e "$work/.weir/baselines.db" ]; then
		fail "without a baseline: exited with $code"
	fi
	grep -q '\[--bootstrap\]' "$work/calls" || fail "the variable WEIR_BOOTSTRAP is ignored"
	for http in 000 500; do
		job weir-gate.script WEIR_BASELINE=main HTTP=$http
		[ $code -eq 8 ] || fail "HTTP $http: a gate without its baseline exited with $code"
		! grep -q 'weir \[gate\]' "$work/calls" || fail "HTTP $http: gated without the baseline"
	done

	mkdir -p "$work/ci"
	cp ci/record.sh "$work/ci/"
	job weir-record.script WEIR_BASELINE=main GATE_CODE=0 GATE_VERDICT=pass HTTP=200
	[ $code -eq 0 ] || fail "recording exited with $code"
	has calls 'weir [baseline] [record] [run-1] [run-2] [run-3] [--name] [main] [--keep] [30]'
	grep -qF '[--upload-file] [.weir/baselines.db] [https://lab/api/v4/projects/9/packages/' "$work/calls" || fail "not published"
	job weir-record.script WEIR_BASELINE=main GATE_CODE=1 GATE_VERDICT=regression HTTP=200
	[ $code -eq 1 ] || fail "a regression of the default branch: exited with $code"
	! grep -q upload-file "$work/calls" || fail "a regression was published"
	job weir-record.script WEIR_BASELINE=main WEIR_ACCEPT=true GATE_CODE=1 GATE_VERDICT=regression HTTP=200
	[ $code -eq 0 ] || fail "an accepted regression: exited with $code"
	has calls 'weir [baseline] [promote] [main-next] [--as] [main]'
	job weir-gate.script WEIR_BASELINE=main GATE_CODE=0 HTTP=200

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
