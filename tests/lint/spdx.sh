#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Refuses source files without the licence in their first two lines.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

sources() {
	c_files
	find . -path ./build -prune -o -path ./.git -prune -o -path ./tests/data -prune -o \
		\( -name '*.sh' -o -name '*.py' -o -path './ci/hooks/*' -o -name '*.awk' -o -name '*.cmake' -o -name CMakeLists.txt -o -name '*.sql' \) -print | sed 's|^\./||'
}

report "$(sources | sort -u | xargs -r awk '
	FNR == 1 { if (file && !tagged) print file ":1: no line with SPDX-License-Identifier: GPL-3.0-or-later"
	           file = FILENAME; tagged = 0 }
	FNR <= 2 && /SPDX-License-Identifier: GPL-3\.0-or-later/ { tagged = 1 }
	END { if (file && !tagged) print file ":1: no line with SPDX-License-Identifier: GPL-3.0-or-later" }')"
