#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2016 # faults are quoted literally
# Checks that each lint passes a small clean tree and refuses the same tree with one fault in it.
set -eu

lint=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree" "$tree.out"' EXIT
failures=0

clean_tree() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/engine/base" "$tree/engine/model" "$tree/engine/readers" "$tree/rules" "$tree/tests"
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\nint weir_a(void);\n' >"$tree/engine/base/a.h"
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n#include "engine/base/a.h"\n' >"$tree/engine/readers/r.c"
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n#include "engine/base/a.h"\n' >"$tree/rules/r.h"
	cat >"$tree/engine/base/a.c" <<'END'
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/a.h"

/* strcpy(here, harmless) */
int weir_a(void)
{
	return (int)strlen("exit(1) in a text is harmless");
}
END
	for folder in engine/base engine/readers rules; do
		echo "# $folder" >"$tree/$folder/README.md"
	done
	cp "$lint/../../.clang-format" "$lint/../../.clang-tidy" "$tree"
}

passes() { # LINT [ARGUMENT...]
	name=$1
	shift
	clean_tree
	prepare
	"$lint/$name.sh" "$tree" "$@" >"$tree.out" 2>&1 && return 0
	echo "$name.sh refuses a clean tree:"
	cat "$tree.out"
	failures=$((failures + 1))
}

# Checks that the last lint failed, and that its output matches a pattern.
refused() { # CODE PATTERN FAULT
	if [ "$1" -eq 0 ]; then
		echo "$name.sh passes: $3"
		failures=$((failures + 1))
	elif ! grep -q "$2" "$tree.out"; then
		echo "$name.sh does not say \"$2\", it says:"
		cat "$tree.out"
		failures=$((failures + 1))
	fi
}

# Checks that a lint refuses the clean tree with one line added, and names the file.
refuses() { # LINT FILE LINE-TO-ADD [ARGUMENT...]
	name=$1 file=$2 fault=$3
	shift 3
	clean_tree
	printf '%b\n' "$fault" >>"$tree/$file"
	prepare
	code=0
	"$lint/$name.sh" "$tree" "$@" >"$tree.out" 2>&1 || code=$?
	refused $code "$file" "$file with $fault"
}

prepare() { :; }

passes layers
refuses layers engine/base/a.h '#include "engine/readers/r.h"'
refuses layers engine/readers/r.c '#include "rules/r.h"'
refuses layers rules/r.h '#include "engine/readers/r.c"'
refuses layers engine/base/a.c '#include "a.h"'

passes contain
refuses contain engine/base/a.c '#include <sqlite3.h>'
refuses contain engine/base/a.c '#include <gsl/gsl_cdf.h>'
refuses contain engine/readers/r.c '#include <boost/any.hpp>'

passes headers
refuses headers engine/base/a.h 'size_t weir_b(void);'
refuses headers rules/r.h 'int weir_r(void)'

passes folders
refuses folders engine/model/m.c 'int weir_m;'

passes banned
refuses banned engine/base/a.c 'static int b(const char *t) { return atoi(t); }'
refuses banned engine/base/a.c 'static void b(void) { exit(1); }'
refuses banned engine/readers/r.c 'static void b(void) { fputs("x", stderr); }'
refuses banned engine/readers/r.c 'static void *b(void) { return malloc(1); }'
refuses banned engine/base/a.c '/* TODO */'
refuses banned tests/t.c 'static const char *const t = "../shared/a.json";'

passes english
refuses english engine/base/a.c '/* Rows of which there are so many. */'
refuses english engine/base/a.c '/* What a row is. */'
refuses english engine/base/a.c 'static const char *b = "the value is none";'
refuses english tests/b.sh '# the folder belongs into the other'

passes spdx
refuses spdx engine/b.c 'int weir_b;'
refuses spdx tests/b.sh '#!/bin/sh'

passes size
refuses size engine/base/a.c "$(yes '' | head -n 950 | sed 's/$/\\n/' | tr -d '\n')."

prepare() {
	mkdir -p "$tree/tests/golden/classify-runtime" "$tree/ci"
	echo "packages_to_build='gcc cmake'" >"$tree/ci/lib.sh"
	printf 'answer\nmore\n' >"$tree/tests/golden/classify-runtime/stdout"
	[ -e "$tree/README.md" ] || printf 'sudo apt-get install gcc cmake\nThe first line of the report\n```\nanswer\n```\n[x](tests)\n' >"$tree/README.md"
}
passes readme
refuses readme README.md 'sudo apt-get install gcc cmake\nThe first line of the report\n```\nanother\n```'
refuses readme README.md 'sudo apt-get install gcc cmake\nThe first line of the report\n```\nanswer\n```\n[gone](docs/gone.md)'
refuses readme README.md 'sudo apt-get install gcc\nThe first line of the report\n```\nanswer\n```\n[x](tests)'
prepare() { :; }

passes shell
refuses shell tests/b.sh '#!/bin/sh\nrm -rf $1/x'

passes format
refuses format engine/base/a.c 'static int  b ;'

prepare() {
	build=$tree/build
	mkdir -p "$build"
	printf '[\n{\n  "directory": "%s",\n  "command": "gcc -std=c17 -I%s -c %s",\n  "file": "%s"\n}\n]\n' \
		"$tree" "$tree" "$tree/engine/base/a.c" "$tree/engine/base/a.c" >"$build/compile_commands.json"
}
passes tidy "$tree/build"
refuses tidy engine/base/a.c 'int weir_B(void) { return 0; }' "$tree/build"
refuses tidy engine/base/a.c "int weir_b(int a) {\n$(yes 'a++;\\n' | head -n 70 | tr -d '\n') return a; }" "$tree/build"
refuses tidy engine/base/a.c 'int weir_b(int *a) { a = 0; return *a; }' "$tree/build"
passes tidy "$tree/build" part 2 2
refuses tidy engine/base/a.c 'int weir_B(void) { return 0; }' "$tree/build" part 1 2

prepare() {
	mkdir -p "$tree/engine/include/weir"
	printf 'WEIR_API int weir_a(void);\n' >"$tree/engine/include/weir/weir.h"
	(cd "$tree" && gcc -I. -fPIC -c -o a.o engine/base/a.c && ar rcs a.a a.o && gcc -shared -o a.so a.o)
}
passes names "$tree/a.a" "$tree/a.so"
refuses_names() { # LINE-TO-ADD PATTERN
	clean_tree
	printf '%s\n' "$1" >>"$tree/engine/base/a.c"
	prepare
	name=names code=0
	"$lint/names.sh" "$tree" "$tree/a.a" "$tree/a.so" >"$tree.out" 2>&1 || code=$?
	refused $code "$2" "$1"
}
refuses_names 'int other(void) { return 0; }' 'other does not begin'
refuses_names 'int weir_more(void) { return 0; }' 'exports.*weir_more'

prepare() {
	mkdir -p "$tree/objects"
	printf 'int weir_a(void);\nint weir_b(void);\nint weir_b(void) { return weir_a(); }\n' >"$tree/b.c"
	(cd "$tree" && gcc -I. -c -o objects/a.c.o engine/base/a.c && gcc -c -o objects/b.c.o b.c)
}
passes circles "$tree/objects"
clean_tree
printf 'int weir_b(void);\nint weir_c(void);\nint weir_c(void) { return weir_b(); }\n' >>"$tree/engine/base/a.c"
prepare
name=circles code=0
"$lint/circles.sh" "$tree" "$tree/objects" >"$tree.out" 2>&1 || code=$?
refused $code 'a circle of modules: [ab] [ab]' 'two files that call each other'

[ "$failures" -eq 0 ] || { echo "$failures checks failed"; exit 1; }
echo "every lint passes a clean tree and refuses each fault"
