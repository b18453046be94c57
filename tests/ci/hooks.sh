#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that ci/hooks/pre-commit and ci/hooks/commit-msg pass a good commit and refuse each fault.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

repository() {
	rm -rf "$work/repository"
	mkdir -p "$work/repository/tests" "$work/repository/ci" "$work/repository/engine/base" "$work/repository/engine/cli"
	cp -r "$root/tests/lint" "$work/repository/tests/"
	cp -r "$root/ci/hooks" "$work/repository/ci/"
	cp "$root/.clang-format" "$work/repository/"
	: >"$work/repository/tests/lint/english.pending"
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* Prints. */\nint weir_a(void);\n' >"$work/repository/engine/cli/a.h"
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* Adds. */\nint weir_b(void);\n' >"$work/repository/engine/base/b.h"
	(cd "$work/repository" && git init -q && git add -A)
}

fault() { # DESCRIPTION
	echo "$1:"
	cat "$work/said"
	failures=$((failures + 1))
}

hook() { # HOOK [FILE]
	(cd "$work/repository" && "ci/hooks/$1" ${2:+"$2"}) >"$work/said" 2>&1
}

commit_refused() { # FILE LINE
	repository
	printf '%b\n' "$2" >>"$work/repository/$1"
	hook pre-commit || fault "pre-commit sees a change that is not staged"
	(cd "$work/repository" && git add -A)
	if hook pre-commit || ! grep -q "$1" "$work/said"; then
		fault "pre-commit does not refuse $1 with $2"
	fi
}

message() { # passes|refused MESSAGE
	printf '%b' "$2" >"$work/message"
	verdict=passes
	hook commit-msg "$work/message" || verdict=refused
	[ $verdict = "$1" ] || fault "expected: $1, but it $verdict: $2"
}

repository
hook pre-commit || fault "pre-commit refuses a good tree"
commit_refused engine/base/b.h 'int  weir_c(void);'
commit_refused engine/base/b.h '#include "engine/cli/a.h"'
commit_refused engine/base/b.h '#include <sqlite3.h>'
commit_refused engine/base/b.h '/* What a row is. */'
commit_refused engine/base/b.h 'static inline void weir_c(void)\n{\n\texit(1);\n}'
commit_refused engine/base/b.h "$(yes '' | head -n 950 | sed 's/$/\\n/' | tr -d '\n')/* The end. */"
commit_refused engine/base/c.h 'int weir_c(void);'
commit_refused ci/b.sh '#!/bin/sh'

message passes 'base: read sizes as 64 bits\n\nA file may exceed 4 GiB.\n'
message passes 'base, cli: embed rules\n# a remark of git\n\nThe program needs no files.\n'
message passes 'Merge branch x\n'
message refused 'base: read sizes as 64 bits\n'
message refused 'base: read sizes as 64 bits\n\n# a remark of git\n'
message refused 'base: read sizes as 64 bits\nA file may exceed 4 GiB.\n'
message refused 'Read sizes as 64 bits\n\nA file may exceed 4 GiB.\n'
message refused 'base: read the sizes of all files that are given as 64 bits, not 32\n\nA file may exceed 4 GiB.\n'
message refused 'base: what is larger than 4 GiB is read\n\nIt was refused.\n'
message refused 'base: reading sizes as 64 bits\n\nA file may exceed 4 GiB.\n'
message refused 'base: read sizes as 64 bits.\n\nA file may exceed 4 GiB.\n'

[ $failures -eq 0 ] || { echo "$failures checks failed"; exit 1; }
