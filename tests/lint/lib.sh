# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for the lints, which source it. A lint takes the folder to check (default: the project), prints each offence as
# FILE:LINE: MESSAGE, and exits with 1 if there was one. If its tool is missing it fails; it never skips.
# shellcheck shell=sh

set -eu
LC_ALL=C
export LC_ALL

project=$(cd "$(dirname "$0")/../.." && pwd)
cd "${1:-$project}"

offences=0

# Prints an offence and counts it.
offend() { # MESSAGE
	printf '%s\n' "$1"
	offences=$((offences + 1))
}

# Exits with 1 if there were offences.
finish() {
	[ "$offences" -eq 0 ] || { printf '%s: %d offences\n' "$(basename "$0")" "$offences" >&2; exit 1; }
}

# Prints the collected offences and exits like finish.
report() { # LINES
	if [ -n "$1" ]; then
		printf '%s\n' "$1"
		offences=$(printf '%s\n' "$1" | wc -l)
	fi
	finish
}

need() { # TOOL PACKAGE
	command -v "$1" >/dev/null || { printf '%s is missing: apt-get install %s\n' "$1" "$2" >&2; exit 1; }
}

# Lists our C files, sorted. The trees of the self-test lack some of the folders.
c_files() {
	for folder in engine rules baselines ci tests; do
		[ -d "$folder" ] && find "$folder" -name '*.[ch]'
	done | sort
}

# Prints the code or the prose of all C files, see parts.awk.
split_sources() { # code|prose
	c_files | xargs -r awk -v want="$1" -f "$project/tests/lint/parts.awk"
}

# Lists the #include lines of all C files as FILE:LINE:TEXT. The first character of the name is < or ".
include_lines() { # CHARACTER
	c_files | xargs -r grep -Hn "^[[:space:]]*#[[:space:]]*include[[:space:]]*$1" || true
}
