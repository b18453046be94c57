#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# hardening.sh BUILD: checks that the program and the library of a build are hardened: position independent, read-only after
# relocation, all symbols bound at the start, no executable stack, stack protector, fortified calls if the build is optimised,
# and control flow protection where the processor has it.
set -eu
build=$1
failed=0

fail() # MESSAGE
{
	echo "hardening.sh: $1" >&2
	failed=1
}

optimised=$(grep -c '^CMAKE_BUILD_TYPE:STRING=Rel' "$build/CMakeCache.txt" || true)
library=$(find "$build/engine" -name 'libweir.so.*.*' -type f | head -n 1)
for file in "$(find "$build" -maxdepth 2 -name weir -type f -perm -u+x | head -n 1)" "$library"; do
	[ -f "$file" ] || { fail "a program or library was not built"; continue; }
	dynamic=$(readelf -dW "$file")
	segments=$(readelf -lW "$file")
	symbols=$(readelf -sW "$file")
	readelf -hW "$file" | grep -q 'Type: *DYN' || fail "$file: not position independent"
	echo "$segments" | grep -q GNU_RELRO || fail "$file: no part is read-only after relocation"
	echo "$dynamic" | grep -qE 'BIND_NOW|FLAGS.*NOW' || fail "$file: symbols are bound late"
	echo "$segments" | grep GNU_STACK | grep -q 'RWE' && fail "$file: the stack is executable"
	echo "$symbols" | grep -q '__stack_chk_fail' || fail "$file: no stack protector"
	[ "$optimised" -eq 0 ] || echo "$symbols" | grep -q '_chk@' || fail "$file: no fortified call"
	# The linker states the protection in a note only if the startup files of the system have it, too.
	case $(uname -m) in
	x86_64) objdump -d "$file" | grep -q endbr64 || fail "$file: no control flow protection" ;;
	esac
done
exit "$failed"
