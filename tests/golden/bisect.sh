# SPDX-License-Identifier: GPL-3.0-or-later
# Makes a repository in $TMPDIR/repository and changes to it, for the cases bisect*. The commits c0 to c9 change the file
# `cost`: 1000 before c6 and 1100 since. measure.sh, beside the repository, writes a run of that cost.
# shellcheck shell=sh
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE='2026-11-20T12:00:00Z'
export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org GIT_COMMITTER_DATE='2026-11-20T12:00:00Z'
git init -q -b main "$TMPDIR/repository"
cd "$TMPDIR/repository" || exit 99
for commit in 0 1 2 3 4 5 6 7 8 9; do
	echo $((commit < 6 ? 1000 : 1100)) >cost
	echo $commit >number
	git add cost number
	git commit -q -m "c$commit"
	git tag "c$commit"
done
cat >"$TMPDIR/measure.sh" <<'END'
#!/bin/sh
# measure.sh RUN: the runs of a commit differ by up to 2 per mille, the iterations by 1 per mille.
set -eu
case " ${SKIP:-} " in *" $(cat number) "*) exit 125 ;; esac
echo . >>"$TMPDIR/count"
run=$(wc -l <"$TMPDIR/count")
awk -v cost="$(cat cost)" -v run="$run" 'BEGIN {
	printf "{\"schema\": \"weir.run/1\", \"unit\": \"us\", \"labels\": {\"gpu\": \"x\"}, \"stages\": {\"decode\": ["
	for (i = 0; i < 40; i++)
		printf "%s%d", i ? ", " : "", 10 * cost + run * 7 % 20 + i % 10
	print "]}}"
}' >"$1"
END
chmod +x "$TMPDIR/measure.sh"
