# SPDX-License-Identifier: GPL-3.0-or-later
# Several writers, killed clients, a server that dies, lost answers. run.sh sources it.
# shellcheck shell=sh disable=SC2154,SC2034 # variables of lib.sh

# The fault tests of files, on the server.
on_server() { # SCRIPT
	WEIR_TEST_STORE=$(make_store faults) WEIR_TEST_SOCKET=$sock "tests/faults/$1" "$weir" || give_up "$1 fails on the server"
}

scenario_parallel() {
	on_server parallel.sh
}

scenario_kill() {
	on_server kill.sh
}

# Records the four runs of a job one after the other; keeps the numbers of those that were acknowledged. A refused run is
# tried again after a pause, at most 120 times, as a job of a pipeline would be.
recorder() { # JOB
	i=0
	tries=0
	while [ $i -lt 4 ] && [ $tries -lt 120 ]; do
		number=$(($1 * 4 + i))
		code=0
		record "$store" main $number >"$work/said.$number" 2>&1 || code=$?
		case $code in
		0)
			echo $number >>"$work/acknowledged.$1"
			i=$((i + 1))
			;;
		8)
			cat "$work/said.$number" >>"$work/refused.$1"
			tries=$((tries + 1))
			sleep 0.5
			;;
		*)
			echo "run $number: exit $code: $(cat "$work/said.$number")" >>"$work/wrong"
			i=$((i + 1))
			;;
		esac
	done
}

# 32 jobs record 128 runs while the server dies and starts again three times.
scenario_restart() {
	stop_server fast
	fsync=on # of start_server
	start_server
	store=$(make_store crash)
	number=0
	while [ $number -lt 128 ]; do
		make_run $number
		number=$((number + 1))
	done
	record "$store" first 0 >/dev/null
	jobs=
	job=0
	while [ $job -lt 32 ]; do
		recorder $job &
		jobs="$jobs $!"
		job=$((job + 1))
	done
	for pause in 0.7 1.1 0.5; do
		sleep $pause
		stop_server immediate
		sleep 0.3
		start_server
	done
	# shellcheck disable=SC2086 # numbers of jobs
	wait $jobs
	[ ! -e "$work/wrong" ] || give_up "$(cat "$work/wrong")"
	cat "$work"/acknowledged.* | sort -n >"$work/acknowledged"
	touch "$work/refused.none"
	cat "$work"/refused.* >"$work/refusals"
	refused=$(wc -l <"$work/refusals")
	[ "$refused" -gt 0 ] || give_up "the server died three times and no recording was refused"
	if grep -v 'weir: postgresql://weir@/crash.*\(does not answer\|lost the connection\|ended the connection\|is starting\|is restarting\|is shutting\|is locked\)' "$work/refusals"; then
		give_up "these messages are not clear"
	fi
	"$weir" baseline verify --db "$store" || give_up "the store is damaged"
	acknowledged=$(wc -l <"$work/acknowledged")
	[ "$acknowledged" = 128 ] || give_up "$acknowledged of 128 runs were acknowledged at last: $(sort "$work/refusals" | uniq -c)"
	stored=$(runs_of "$store" main)
	[ "$stored" = 128 ] || give_up "128 runs were acknowledged, $stored are in the store"
	while read -r number; do
		record "$store" main "$number" | grep -qF '0 runs recorded, 1 already there' || give_up "run $number was acknowledged and is gone"
	done <"$work/acknowledged"
	[ "$(sql crash "SELECT count(*) - count(DISTINCT digest) FROM weir.run")" = 0 ] || give_up "a run is there twice"
	echo "$acknowledged acknowledged, $refused refusals on the way, $stored stored"
}

# Starts a proxy between weir and the server. It sets `through`.
start_proxy() { # BEHAVIOUR
	rm -rf "$work/proxy"
	mkdir "$work/proxy"
	python3 "$here/proxy.py" "$work/proxy/.s.PGSQL.5432" "$sock/.s.PGSQL.5432" "$1" >"$work/proxied" 2>&1 &
	proxy=$!
	tries=0
	until [ -S "$work/proxy/.s.PGSQL.5432" ]; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || give_up "the proxy did not start: $(cat "$work/proxied")"
		sleep 0.05
	done
	through="postgresql://weir@/$2?host=$work/proxy"
}

stop_proxy() {
	kill "$proxy"
	wait "$proxy" 2>/dev/null || true
	proxy=
}

# The connection is cut before the server reads the COMMIT, or after it has answered.
scenario_commit() {
	store=$(make_store cut)
	make_run 0
	make_run 1
	make_run 2
	record "$store" main 0 >/dev/null
	n=1
	for moment in cut-before-commit cut-after-commit; do
		start_proxy $moment cut
		record "$through" main $n >"$work/out" 2>&1 || give_up "$moment: $(cat "$work/out")"
		grep -qF 'main: 1 run recorded; it holds' "$work/out" || give_up "$moment: $(cat "$work/out")"
		grep -qx "cut" "$work/proxied" || give_up "$moment: the proxy cut nothing"
		stop_proxy
		[ "$(runs_of "$store" main)" = $((n + 1)) ] || give_up "$moment: $(runs_of "$store" main) runs"
		n=$((n + 1))
	done
	"$weir" baseline promote main --as kept --db "$store" >/dev/null
	start_proxy cut-after-commit cut
	"$weir" baseline remove kept --yes --db "$through" >"$work/out" 2>&1 || give_up "remove: $(cat "$work/out")"
	stop_proxy
	# The answer is lost and the server with it: nobody can say whether it happened.
	make_run 3
	start_proxy vanish-after-commit cut
	stops "lost the connection during the commit: run the command again" record "$through" main 3
	stop_proxy
	record "$store" main 3 | grep -qF '1 already there' || give_up "the commit is lost"
	[ "$(sql cut "SELECT count(*) FROM weir.member")" = 4 ] || give_up "a run is there twice"
}

# A server that accepts connections or statements and never answers, one that starts, and locks that nobody releases.
scenario_silent() {
	store=$(make_store still)
	make_run 0
	record "$store" main 0 >/dev/null
	start_proxy never-answer still
	start=$(date +%s)
	PGCONNECT_TIMEOUT=2 stops "does not answer" record "$through" main 0
	[ $(($(date +%s) - start)) -le 8 ] || give_up "gave up after $(($(date +%s) - start)) s, expected 8 at most"
	stop_proxy
	start_proxy starting-then-up still
	"$weir" baseline list --db "$through" >/dev/null || give_up "a server that starts is not waited for"
	stop_proxy
	start_proxy starting still
	stops "is starting or stopping: try again when it runs" "$weir" baseline list --db "$through"
	stop_proxy
	start_proxy fall-silent still
	start=$(date +%s)
	PGOPTIONS='-c statement_timeout=1000' PGCONNECT_TIMEOUT=2 stops "does not answer any more" "$weir" baseline list --db "$through"
	[ $(($(date +%s) - start)) -le 12 ] || give_up "gave up after $(($(date +%s) - start)) s, expected 12 at most"
	stop_proxy
	# A lock that somebody holds for ever.
	psql -X -q -h "$sock" -U weir -d still -c 'SELECT pg_advisory_lock(2003134834), pg_sleep(60)' >/dev/null 2>&1 &
	holder=$!
	sleep 1
	PGOPTIONS='-c lock_timeout=500' stops "is locked by another process for too long" record "$store" main 0
	"$weir" baseline list --db "$store" >/dev/null || give_up "readers wait for writers"
	kill $holder
	PGOPTIONS='-c statement_timeout=1' stops "needs too long for an answer" slow_verify
}

# A table that somebody locks makes every answer slow.
slow_verify() {
	psql -X -q -h "$sock" -U weir -d still -c 'BEGIN; LOCK TABLE weir.run; SELECT pg_sleep(3)' >/dev/null 2>&1 &
	sleep 1
	"$weir" baseline verify --db "$store"
}
