#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# circles.sh ROOT OBJECTS: refuses modules that call each other in a circle. A module is one object file. OBJECTS is the
# folder that holds them, or a file that lists them. A module depends on another one if it uses a function or a variable
# that the other one defines.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need nm binutils
need tsort coreutils
objects=$2

# Modules that may form one circle: a hub and its parts in one folder. Each line needs its reason.
hubs='
readers/chrome/kineto_event readers/chrome/rows # one scan of the events; rows.c keeps the rows of devices apart
'

edges=$(mktemp)
trap 'rm -f "$edges"' EXIT
if [ -d "$objects" ]; then
	(cd "$objects" && find . -name '*.o' | sort | xargs nm -A)
else
	xargs nm -A <"$objects"
fi | awk -v hubs="$hubs" '
	BEGIN {
		count = split(hubs, lines, "\n")
		for (i = 1; i <= count; i++) {
			members = split(lines[i], words, " ")
			for (j = 1; j <= members && words[j] != "#"; j++)
				hub[words[j]] = words[1]
		}
	}
	{
		module = $1; sub(/^.*\.dir\//, "", module); sub(/^\.\//, "", module); sub(/\.c\.o:.*$/, "", module)
		if (module in hub)
			module = hub[module]
		symbol = $NF; kind = $(NF - 1)
	}
	kind == "U" { users[symbol] = users[symbol] " " module; next }
	kind ~ /^[TDBRG]$/ { home[symbol] = module }
	END {
		for (symbol in users)
			if (symbol in home) {
				count = split(users[symbol], names, " ")
				for (i = 1; i <= count; i++)
					if (names[i] != home[symbol])
						print names[i], home[symbol]
			}
	}' | sort -u >"$edges"
[ -s "$edges" ] || { echo "circles.sh: no module found in $objects" >&2; exit 1; }

# tsort names the members of one circle after another.
report "$(tsort "$edges" 2>&1 >/dev/null | sed 's/^tsort: //' | awk '
	/input contains a loop/ { if (circle) print "a circle of modules:" circle; circle = ""; next }
	{ circle = circle " " $0 }
	END { if (circle) print "a circle of modules:" circle }')"
