#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the English of comments, messages, scripts and documents: the words of dialect.txt, and comments that open with a
# noun clause.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

prose=$(mktemp)
trap 'rm -f "$prose"' EXIT

other_files() {
	find . -path ./build -prune -o -path ./.git -prune -o -path ./tests/data -prune -o -path ./tests/golden -prune -o \
		\( -name '*.md' -o -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name CMakeLists.txt -o -name '*.cmake' -o \
		-name '*.yml' -o -path './ci/hooks/*' -o -path './rules/*.json' \) -print |
		sed 's|^\./||' | grep -vE '^(tests/lint/(selftest|english)\.sh|tests/ci/hooks\.sh|docs/style\.md)$' | sort
}

{ split_sources prose; other_files | xargs -r grep -n '' /dev/null |
	sed -E 's/^([^:]*:[0-9]*):/\1:line: /; /^[^:]*\.py:/s/ is None//g'; } >"$prose"

report "$(awk -v words="$project/tests/lint/dialect.txt" '
	BEGIN {
		while ((getline line < words) > 0)
			if (line !~ /^(#|$)/) {
				at = index(line, "  ")
				pattern[++count] = "(^|[^a-z])(" substr(line, 1, at - 1) ")"
				better[count] = substr(line, at + 2)
			}
		if (!count)
			print words ": no pattern"
	}
	{
		at = index($0, ": "); place = substr($0, 1, at); text = substr($0, at + 2)
		split(place, parts, ":"); place = parts[1] ":" parts[2] ": "
		lower = tolower(text)
		for (i = 1; i <= count; i++)
			if (match(lower, pattern[i]))
				print place "\"" substr(text, RSTART, RLENGTH) "\": write " better[i]
		if (parts[3] == "open" && text ~ /^(What|Of|Whether|How|Whose|Which|Who|Whom) /)
			print place "a comment opens with \"" substr(text, 1, index(text, " ") - 1) "\": say what the thing is or does"
	}' "$prose")"
