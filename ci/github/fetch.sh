#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fetches the baseline that weir-record.yml uploaded last on the default branch, and writes it to .weir/baselines.db. Sets the
# output `found`. Reads BRANCH, WORKFLOW (name of the file), ARTIFACT, GH_TOKEN (actions: read) and GITHUB_REPOSITORY.
#
# A pull request can change weir-record.yml and let it run on pull_request, even from a branch of the same name in a fork.
# Therefore only runs of this repository count that a push, a schedule or a person with the right to write has started.
set -eu

fetched=${RUNNER_TEMP:-.}/weir-baselines.zip
filter='.workflow_runs[] | select(.event == "push" or .event == "schedule" or .event == "workflow_dispatch")'
filter="$filter | select(.head_repository.full_name == \"$GITHUB_REPOSITORY\") | .id"
runs=$(gh api -X GET "repos/$GITHUB_REPOSITORY/actions/workflows/$WORKFLOW/runs" -f "branch=$BRANCH" -f status=success \
	-F per_page=20 --jq "$filter") || runs=

for run in $runs; do
	number=$(gh api "repos/$GITHUB_REPOSITORY/actions/runs/$run/artifacts?name=$ARTIFACT" \
		--jq '.artifacts[] | select(.expired | not) | .id' | head -n 1)
	case $number in
	'' | *[!0-9]*) continue ;;
	esac
	gh api "repos/$GITHUB_REPOSITORY/actions/artifacts/$number/zip" >"$fetched"
	mkdir -p .weir
	# Unpacks one file, to a fixed name.
	unzip -p "$fetched" baselines.db >.weir/baselines.db
	echo "the baseline of run $run"
	echo "found=true" >>"${GITHUB_OUTPUT:-/dev/null}"
	exit 0
done
echo "::notice::no baseline yet: start the workflow $WORKFLOW on $BRANCH"
echo "found=false" >>"${GITHUB_OUTPUT:-/dev/null}"
