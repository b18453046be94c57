#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# stored.sh PROGRAM [FOLDER]: runs every golden case with a `weir` that also stores the result of each classify, gate and
# compare as JSON, reads it back with `weir report`, and expects the same bytes. FOLDER keeps the results.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/results"

cat >"$work/bin/weir" <<'WRAPPER'
#!/bin/sh
input=/dev/null
for argument; do
	[ "$argument" != - ] || { input=$HOME/stdin; cat >"$input"; }
done
case ${1:-} in classify | gate | compare) ;; *) exec "$PROGRAM" "$@" <"$input" ;; esac
result=$(mktemp "$RESULTS/$CASE.XXXXXX.json")
code=0
"$PROGRAM" "$@" -o - -o "$result" <"$input" || code=$?
[ -s "$result" ] || { rm "$result"; exit $code; }
"$PROGRAM" report "$result" -f json >"$HOME/again" 2>"$HOME/err" || true
if ! diff "$result" "$HOME/again" >"$HOME/diff"; then
	echo "$CASE: weir $*: the stored result reads back differently:"
	head -n 5 "$HOME/err" "$HOME/diff"
fi >>"$RESULTS/failures"
exit $code
WRAPPER
chmod +x "$work/bin/weir"

cd "$root"
for cmd in tests/golden/*/cmd; do
	grep -qE 'classify|gate|compare' "$cmd" || continue
	case=$(basename "$(dirname "$cmd")")
	rm -rf "${work:?}/home"
	mkdir "$work/home"
	env -i PATH="$work/bin:$PATH" HOME="$work/home" TMPDIR="$work/home" LC_ALL=C NO_COLOR=1 COLUMNS=80 CASE="$case" \
		PROGRAM="$program" RESULTS="$work/results" ASAN_OPTIONS="${ASAN_OPTIONS:-}" \
		sh "$cmd" >/dev/null 2>&1 </dev/null || true
done

[ $# -lt 2 ] || cp -r "$work/results/." "$2"
count=$(find "$work/results" -name '*.json' | wc -l)
[ "$count" -ge 120 ] || { echo "only $count results were stored; expected at least 120"; exit 1; }
[ ! -s "$work/results/failures" ] || { cat "$work/results/failures"; exit 1; }
echo "$count results read back byte for byte"
