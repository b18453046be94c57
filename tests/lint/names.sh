#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# names.sh ROOT ARCHIVE LIBRARY: checks that every global name begins with weir_, and that the shared library exports
# exactly the functions of its header.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"
need nm binutils
archive=$2
library=$3

sanitizer='^(__asan_|__odr_asan|__ubsan_|_?_?sancov|asan\.)'

for name in $(nm -g --defined-only "$archive" 2>/dev/null | awk 'NF == 3 && $2 != "C" { print $3 }' | grep -vE "$sanitizer" | sort -u); do
	case $name in
	weir_*) ;;
	*) offend "$archive: $name does not begin with weir_" ;;
	esac
done

given=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE "$sanitizer" | sort | tr '\n' ' ')
promised=$(sed -n 's/^WEIR_API .*[ *]\(weir_[a-z_]*\)(.*/\1/p' engine/include/weir/weir.h | sort | tr '\n' ' ')
[ -n "$promised" ] || offend "engine/include/weir/weir.h: no function is marked WEIR_API"
[ "$given" = "$promised" ] || offend "$library exports $given, the header promises $promised"
finish
