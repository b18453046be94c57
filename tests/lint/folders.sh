#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that each folder with C sources has a README.md: what goes in and out, and the header to start from.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

report "$(c_files | while read -r file; do
	folder=${file%/*}
	[ "$folder" = "${last:-}" ] || [ -s "$folder/README.md" ] || echo "$file: its folder has no README.md"
	last=$folder
done)"
