#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# comment.sh PROGRAM SCENARIO: runs weir comment against a stand-in for the service, on a free loopback port. Every scenario
# checks the exit code, the number of our comments at the end, and that the token appears in no output.
set -eu

program=$1
scenario=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
servers=

STAND_IN_TOKEN=tok_$$_0123456789abcdef
export STAND_IN_TOKEN

end() {
	for server in $servers; do
		kill "$server" 2>/dev/null || true
	done
	rm -rf "$work"
}
trap end EXIT

fail() {
	printf '%s: %s\n' "$scenario" "$*" >&2
	cat "$work"/out* "$work"/err* >&2 2>/dev/null || true
	exit 1
}

# Starts a stand-in and sets `port`.
serve() { # BEHAVIOUR...
	rm -f "$work/port"
	python3 "$here/stand_in.py" "$work/port" "$@" &
	servers="$servers $!"
	tries=0
	until [ -s "$work/port" ]; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || fail "the stand-in did not start"
		sleep 0.05
	done
	port=$(cat "$work/port")
}

# Prints the value of a Python expression over the state of the stand-in: comments, asked, without_token, ours, marked.
state() { # EXPRESSION
	python3 - "$scheme://127.0.0.1:$port/_state" "$1" <<-'END'
		import json, ssl, sys, urllib.request
		unchecked = urllib.request.HTTPSHandler(context=ssl._create_unverified_context())
		opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), unchecked)
		state = json.load(opener.open(sys.argv[1]))
		state["ours"] = [c for c in state["comments"] if c["user"] in ("the-token", "github-actions[bot]")]
		state["marked"] = [c for c in state["ours"] if c["body"].startswith("<!-- weir:gate key=main v1 -->\n")]
		print(eval(sys.argv[2], {}, state))
	END
}

holds() { # EXPRESSION
	[ "$(state "$1")" = True ] || fail "false: $1; requests: $(state 'asked'); comments: $(state 'comments')"
}

event='{"number": 7, "pull_request": {"number": 7, "head": {"repo": {"full_name": "o/r"}}}, "repository": {"full_name": "o/r"}}'
event_name=pull_request
result=tests/ci/data/fail.json
scheme=http

# Runs weir in the environment of one provider; sets `code` and writes $work/out and $work/err.
github() { # ARGUMENT...
	printf '%s' "$event" >"$work/event.json"
	run GITHUB_ACTIONS=true GITHUB_REPOSITORY=o/r GITHUB_API_URL="$scheme://127.0.0.1:$port" GITHUB_EVENT_NAME=$event_name \
		GITHUB_EVENT_PATH="$work/event.json" GITHUB_TOKEN="$STAND_IN_TOKEN" -- "$@"
}

gitlab() {
	run GITLAB_CI=true CI_PROJECT_ID=42 CI_API_V4_URL="http://127.0.0.1:$port/api/v4" CI_MERGE_REQUEST_IID=7 \
		GITLAB_TOKEN="$STAND_IN_TOKEN" --
}

suffix=
run() { # NAME=VALUE... -- ARGUMENT...
	variables=
	while [ "$1" != -- ]; do
		variables="$variables $1"
		shift
	done
	shift
	code=0
	# shellcheck disable=SC2086 # no value contains a blank
	env -i PATH="$PATH" HOME="$work" ASAN_OPTIONS="${ASAN_OPTIONS:-}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}" $variables \
		"$program" comment "$result" "$@" >"$work/out$suffix" 2>"$work/err$suffix" || code=$?
	if grep -qF "$STAND_IN_TOKEN" "$work/out$suffix" "$work/err$suffix"; then
		fail "the token is in the output"
	fi
}

# Checks the exit code and, optionally, a part of standard error.
ends_with() { # CODE [WORDS]
	[ "$code" -eq "$1" ] || fail "expected exit code $1, got $code"
	[ $# -lt 2 ] || grep -q -- "$2" "$work/err" || fail "no \"$2\" on standard error"
}

fail_body='<!-- weir:gate key=main v1 -->\n<!-- weir:verdict fail -->\nbefore'
pass_body='<!-- weir:gate key=main v1 -->\n<!-- weir:verdict pass -->\nbefore'

case $scenario in
create)
	serve foreign=45
	github && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 1 and len(comments) == 46 and without_token == 0'
	holds 'comments[0]["body"].endswith("pasted")'
	;;
gitlab-create)
	serve foreign=45 page=20
	gitlab && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 1 and without_token == 0'
	gitlab && ends_with 0
	grep -q 'left unchanged' "$work/out" || fail "the second run changed something"
	result=tests/ci/data/pass.json
	gitlab && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 2 and "passes now" in ours[1]["body"]'
	holds 'any(line.startswith("PUT ") for line in asked)'
	;;
pages)
	serve foreign=45 page=10 "ours=$fail_body"
	github && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 1 and "before" not in marked[0]["body"]'
	holds 'sum("page=5" in line for line in asked) == 1 and not any(line.startswith("POST") for line in asked)'
	;;
unchanged)
	serve
	github && ends_with 0
	github && ends_with 0
	holds 'sum(not line.startswith("GET") for line in asked) == 1'
	grep -q 'left unchanged' "$work/out" || fail "the second run changed something"
	;;
announced)
	serve "ours=$pass_body"
	github && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 2 and "fails now" in ours[1]["body"]'
	github && ends_with 0
	holds 'len(ours) == 2'
	;;
suites)
	serve
	github && ends_with 0
	github --suite other && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 2 and "key=other v1" in ours[1]["body"]'
	;;
bot)
	serve bot foreign=3
	github && ends_with 0
	github && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 1'
	;;
concurrent)
	serve foreign=45 page=30 barrier
	(suffix=1 && github && [ "$code" -eq 0 ] && : >"$work/done1") &
	first=$!
	suffix=2
	github
	wait $first || true
	[ -e "$work/done1" ] || fail "the first of two jobs failed"
	[ "$code" -eq 0 ] || fail "the second of two jobs failed"
	holds 'len(marked) == 1 and len(ours) == 1'
	;;
http-401 | http-403 | http-404)
	serve foreign=2 "reject=${scenario#http-}"
	github && ends_with 11 "HTTP ${scenario#http-}"
	holds 'len(ours) == 0'
	;;
wrong-token)
	serve
	STAND_IN_TOKEN=another_token_0123456789
	github && ends_with 11 'HTTP 401.*expired or revoked'
	holds 'len(ours) == 0'
	;;
http-422)
	serve foreign=2 refuse=422
	github && ends_with 14 'HTTP 422 to POST, saying: Validation Failed; body: too_long'
	holds 'len(ours) == 0 and sum(line.startswith("POST") for line in asked) == 1'
	;;
locked)
	serve locked
	github && ends_with 11 'the conversation is locked'
	;;
used-up)
	serve used-up=2
	github && ends_with 0
	holds 'len(marked) == 1'
	serve used-up=3600
	github && ends_with 12 'no more requests'
	holds 'len(asked) < 4'
	;;
http-429)
	serve foreign=2 busy=1
	github && ends_with 0
	holds 'len(marked) == 1'
	;;
http-429-long)
	serve busy=30
	github --timeout 4 && ends_with 12 'no more requests'
	holds 'len(ours) == 0'
	;;
http-500)
	serve foreign=2 fail=1
	github && ends_with 0
	holds 'len(marked) == 1'
	;;
http-500-always)
	serve fail=1000
	github --timeout 6 && ends_with 12 'HTTP 500'
	holds 'len(ours) == 0'
	;;
slow)
	serve slow
	github --timeout 4 && ends_with 12
	holds 'len(ours) == 0'
	;;
lost)
	serve foreign=2 lost
	github --timeout 8 && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 1 and sum(line.startswith("POST") for line in asked) == 1'
	;;
unreachable)
	serve
	kill "$servers"
	wait "$servers" 2>/dev/null || true
	github --timeout 2 && ends_with 12
	;;
certificate)
	# No authority has signed this certificate.
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$work/key.pem" -out "$work/certificate.pem" 2>"$work/err"
	cat "$work/certificate.pem" >>"$work/key.pem"
	serve "tls=$work/key.pem"
	scheme=https
	github && ends_with 12 certificate
	holds 'len(asked) == 0'
	;;
redirect-elsewhere)
	serve
	other=$port
	serve "redirect=http://127.0.0.1:$other/repos/o/r/issues/7/comments"
	github && ends_with 12 'another host'
	port=$other
	holds 'len(asked) == 0 and len(ours) == 0'
	;;
redirect-here)
	serve moved foreign=45 page=30
	github && ends_with 0
	github && ends_with 0
	holds 'len(marked) == 1 and len(ours) == 1'
	;;
workflow-run)
	event_name=workflow_run
	event='{"workflow_run": {"head_sha": "c0ffee", "head_branch": "b", "head_repository": {"owner": {"login": "fork"}}}}'
	serve foreign=2
	github && ends_with 0
	holds 'len(marked) == 1'
	event='{"workflow_run": {"head_sha": "beef", "head_branch": "b", "head_repository": {"owner": {"login": "fork"}}}}'
	github && ends_with 13 'moved on'
	holds 'len(marked) == 1'
	;;
fork)
	event='{"pull_request": {"number": 7, "head": {"repo": {"full_name": "x/r"}}}, "repository": {"full_name": "o/r"}}'
	serve
	github && ends_with 11 'workflow_run'
	holds 'len(asked) == 0'
	;;
no-token)
	port=1
	run HOME=/ -- && ends_with 10 GITHUB_TOKEN
	run GITHUB_REPOSITORY=o/r -- --pr 7 && ends_with 10 GITHUB_TOKEN
	run CI_PROJECT_ID=42 CI_MERGE_REQUEST_IID=7 -- && ends_with 10 GITLAB_TOKEN
	;;
no-pull-request)
	event='{"ref": "refs/heads/main"}'
	event_name=push
	serve
	github && ends_with 13 '--pr'
	holds 'len(asked) == 0'
	;;
token-in-url)
	run GITHUB_REPOSITORY=o/r GITHUB_TOKEN="$STAND_IN_TOKEN" GITHUB_API_URL="http://x:$STAND_IN_TOKEN@127.0.0.1:1" -- --pr 7
	ends_with 2 GITHUB_API_URL
	;;
dry-run)
	serve
	github --dry-run && ends_with 0 'pull request 7 of o/r'
	holds 'len(asked) == 0'
	head -n 1 "$work/out" | grep -qx '<!-- weir:gate key=main v1 -->' || fail "the comment does not begin with the marker"
	run HOME=/ -- --dry-run && ends_with 0 'exit code would be 10'
	run GITHUB_REPOSITORY=o/r -- --pr 7 --dry-run && ends_with 0 'exit code would be 10'
	;;
not-a-result)
	port=1
	result=tests/ci/data/missing.json
	github && ends_with 7
	result=tests/ci/stand_in.py
	github && ends_with 7
	;;
*)
	fail "no such scenario"
	;;
esac
