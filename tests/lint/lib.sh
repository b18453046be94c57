# SPDX-License-Identifier: GPL-3.0-or-later
# What the lints share. A lint is called with the folder to look at (default: the project), prints one line an offence
# as FILE:LINE: WHAT, and ends with 1 where there was one. It fails, never skips, where its tool is missing.
# shellcheck shell=sh

set -eu
LC_ALL=C
export LC_ALL

project=$(cd "$(dirname "$0")/../.." && pwd)
cd "${1:-$project}"

offences=0

offend() {
	printf '%s\n' "$1"
	offences=$((offences + 1))
}

finish() {
	[ "$offences" -eq 0 ] || { printf '%s: %d offences\n' "$(basename "$0")" "$offences" >&2; exit 1; }
}

need() { # TOOL PACKAGE
	command -v "$1" >/dev/null || { printf '%s is missing: apt-get install %s\n' "$1" "$2" >&2; exit 1; }
}

# Our C files, sorted; folders that a sample tree leaves out are no error.
c_files() {
	for folder in engine rules baselines ci tests; do
		[ -d "$folder" ] && find "$folder" -name '*.[ch]'
	done | sort
}
