#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Include direction between folders. A change of the table needs a page in docs/decisions.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

# folder: folders whose headers it may include, beside its own
layers='
engine/base:
engine/model:    engine/base
engine/stats:    engine/base
engine/readers:  engine/base engine/model
engine/analysis: engine/base engine/model engine/stats
engine/report:   engine/base engine/model
rules:           engine/base engine/model
baselines:       engine/base engine/model
ci:              engine/base engine/model
engine/pipeline: engine/base engine/model engine/readers engine/analysis engine/report engine/cli engine/include rules baselines ci
engine/cli:      engine/base engine/model engine/readers engine/analysis engine/report engine/pipeline rules baselines ci
engine/include:
tests:           engine/base engine/model engine/stats engine/readers engine/analysis engine/report rules baselines ci engine/cli engine/pipeline engine/include
'

# The folder of the table that a path lies in: the first two parts, else the first.
layer_of() {
	case $1 in
	engine/*/*) printf '%s\n' "$1" | cut -d/ -f1-2 ;;
	*) printf '%s\n' "${1%%/*}" ;;
	esac
}

allowed_for() {
	printf '%s' "$layers" | sed -n "s|^$1: *||p"
}

may_include() { # FROM TO
	[ "$1" = "$2" ] && return 0
	case " $(allowed_for "$1") " in
	*" $2 "*) return 0 ;;
	esac
	return 1
}

includes=$(mktemp)
trap 'rm -f "$includes"' EXIT
c_files | xargs -r grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' >"$includes" || true

while IFS=: read -r file line text; do
	header=$(printf '%s\n' "$text" | sed 's/[^"]*"\([^"]*\)".*/\1/')
	from=$(layer_of "$file")
	to=$(layer_of "$header")
	printf '%s' "$layers" | grep -q "^$from:" || offend "$file:$line: the folder $from is not in the table of layers.sh"
	[ -e "$header" ] || offend "$file:$line: \"$header\" is no path from the project's root"
	may_include "$from" "$to" || offend "$file:$line: $from may not include \"$header\""
done <"$includes"
finish
