#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# completion.sh PROGRAM SHELL: runs the completion script for zsh or fish in its shell. Skipped (exit 77) without the shell.
set -eu
program=$(cd "$(dirname "$1")" && pwd)
shell=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v "$shell" >/dev/null; then
	echo "skipped: $shell is not installed"
	exit 77
fi
PATH=$program:$PATH
WEIR_DB=$work/main.db
HOME=$work
LC_ALL=C
export PATH WEIR_DB HOME LC_ALL
weir baseline record tests/data/runs/none-01.json --name main >/dev/null

case $shell in
zsh)
	# shellcheck disable=SC2016 # the script is for zsh
	zsh -f -c '
		compdef() { echo "compdef $*" }
		eval "$(weir completion zsh)"
		_files() { echo "files${*:+ $*}" }
		_describe() { print -l -- $offered }
		complete_words() { words=(weir "$@"); CURRENT=$#words; echo "$*:"; _weir }
		complete_words cl
		complete_words baseline show ""
		complete_words classify --device "NVIDIA\ H2"
		complete_words rules show runtime/host-d
		complete_words rules check ""
		complete_words classify -o ""
	' >"$work/got"
	cat >"$work/wanted" <<'END'
compdef _weir weir
cl:
classify:show where the time goes, what bounds the run, and what to do
baseline show :
main:NVIDIA H200
classify --device NVIDIA\ H2:
NVIDIA H200 SXM:
NVIDIA H200 NVL:
NVIDIA H20:
rules show runtime/host-d:
runtime/host-dispatch:The device waits for operators to be dispatched
rules check :
files -/
classify -o :
files
END
	;;
fish)
	# shellcheck disable=SC2016 # the script is for fish
	fish --no-config -c '
		weir completion fish | source
		for line in "weir cl" "weir baseline show " "weir classify --window " "weir rules show runtime/host-d" "weir rules check rules/f" "weir classify READ"
			echo "$line:"
			complete -C $line
		end
	' >"$work/got"
	printf '%s\n' >"$work/wanted" 'weir cl:' \
		'classify	show where the time goes, what bounds the run, and what to do' \
		'weir baseline show :' 'main	NVIDIA H200' 'weir classify --window :' all steady 'weir rules show runtime/host-d:' \
		'runtime/host-dispatch	The device waits for operators to be dispatched' \
		'weir rules check rules/f:' 'rules/fixes/	Directory' 'weir classify READ:' README.md
	;;
*)
	echo "no script for $shell" >&2
	exit 2
	;;
esac
diff -u "$work/wanted" "$work/got"
