# SPDX-License-Identifier: GPL-3.0-or-later
# Messages of a server that refuses, passwords that must not be shown, and the role of a runner. run.sh sources it.
# shellcheck shell=sh disable=SC2154 # variables of lib.sh

scenario_messages() {
	make_run 0
	store=$(make_store here)
	code=0
	"$weir" baseline show main --db "$store" 2>"$work/said" || code=$?
	if [ $code != 4 ] || ! grep -qF "holds no baselines yet" "$work/said"; then give_up "exit $code: $(cat "$work/said")"; fi
	record "$store" main 0 >/dev/null
	stops "has no such database: make it with createdb" record "$(address_of weir nowhere)" main 0
	stops "refuses this user" record "$(address_of nobody here)" main 0
	stops "wants a password: put it into PGPASSFILE or PGPASSWORD" with_role secret record "$(address_of secret here)" main 0
	stops "does not answer: start the server, or correct host and port" record "postgresql://weir@/here?host=$work/none" main 0
	stops "the address of the store is malformed" record "postgresql://weir:a@b@c/here" main 0
	stops "refuses this to the user: ask the owner of the store" record "$(role_without_rights)" main 0
	stops "holds no store yet, and this user may not create one" record "postgresql://guest@/postgres?host=$sock" main 0
	sql postgres "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0"
	stops "does not store UTF-8" record "$(address_of weir latin)" main 0
	sql here "UPDATE weir.store SET version = 99"
	stops "was written by a newer weir (schema 99, this one knows 3)" record "$store" main 0
	stops "was written by a newer weir" "$weir" baseline list --db "$store"
	sql postgres "CREATE DATABASE other"
	sql other "CREATE SCHEMA weir; CREATE TABLE weir.things (a int)"
	stops "is no baseline store: it is a database of something else" record "$(address_of weir other)" main 0
	second=$(make_store second)
	record "$second" main 0 >/dev/null
	sql second "ALTER DATABASE second SET default_transaction_read_only = on"
	record "$second" main 0 >/dev/null || give_up "a default of the database stops recording"
	stop_server fast
	stops "does not answer" record "$store" main 0
}

# Runs a command after the role was made, with a password.
with_role() { # ROLE COMMAND...
	sql postgres "CREATE ROLE $1 LOGIN PASSWORD 'kept-2a9f'"
	shift
	"$@"
}

role_without_rights() {
	sql postgres "CREATE ROLE guest LOGIN"
	address_of guest here
}

# Whatever happens, the password is not in any output.
scenario_password() {
	word=kept-2a9f
	make_run 0
	make_run 1
	sql postgres "CREATE ROLE secret LOGIN PASSWORD '$word'"
	sql postgres "CREATE DATABASE kept OWNER secret"
	store="postgresql://secret:$word@/kept?host=$sock"
	keyed="host=$sock user=secret password=$word dbname=kept"
	missing="postgresql://secret:$word@/gone?host=$sock"
	wrong="postgresql://secret:${word}x@/kept?host=$sock"
	broken="postgresql://secret:$word@x@/kept?host=$sock"
	slash="postgresql://secret:1/$word@localhost/kept"
	space="postgresql://secret:$word yy@/kept?host=$sock"
	WEIR_TRACE=$work/trace
	export WEIR_TRACE
	for address in "$store" "$keyed" "$missing" "$wrong" "$broken" "$slash" "$space"; do
		for command in "baseline record $work/run-0.json --name main" "baseline list" "baseline verify" "baseline show main" \
			"baseline promote nain --as main" "doctor" "history main" "gate $work/run-1.json --baseline main" \
			"gate $work/run-1.json --baseline other -f json" "gate $work/run-1.json --baseline main -f markdown"; do
			# shellcheck disable=SC2086 # words of one command
			"$weir" $command -v --db "$address" >>"$work/all" 2>&1 || true
			# shellcheck disable=SC2086
			WEIR_DB=$address "$weir" $command -v >>"$work/all" 2>&1 || true
		done
	done
	cat "$work/trace" >>"$work/all"
	if grep -nF "$word" "$work/all"; then give_up "a password was printed"; fi
	grep -qF "postgresql://secret@/kept?host=" "$work/all" || give_up "no output names the store: $(cat "$work/all")"
	grep -qF "refuses the password" "$work/all" || give_up "no output tells that the password is wrong"
	printf '*:*:kept:secret:%s\n' "$word" >"$work/pass"
	chmod 600 "$work/pass"
	PGPASSFILE=$work/pass "$weir" baseline verify --db "$(address_of secret kept)" || give_up "PGPASSFILE is not read"
	printf '[ours]\nhost=%s\nuser=secret\ndbname=kept\npassword=%s\n' "$sock" "$word" >"$work/services"
	PGSERVICEFILE=$work/services "$weir" baseline verify --db service=ours >"$work/out" || give_up "a service is not found"
	if grep -F "$word" "$work/out"; then give_up "a password was printed"; fi
}

# The role of a runner records and gates; everything else is refused with one line.
scenario_rights() {
	store=$(make_store shared)
	n=0
	while [ $n -lt 6 ]; do
		make_run $n
		[ $n = 5 ] || record "$store" main $n >/dev/null
		n=$((n + 1))
	done
	psql -X -q -v runner=ci -h "$sock" -U weir -d shared -f ci/postgresql/roles.sql || give_up "roles.sql fails"
	psql -X -q -v runner=ci -h "$sock" -U weir -d shared -f ci/postgresql/roles.sql || give_up "roles.sql fails the second time"
	runner=$(address_of ci shared)
	record "$runner" main 5 | grep -qF '1 run recorded' || give_up "the runner cannot record"
	record "$runner" main 5 | grep -qF '1 already there' || give_up "the runner cannot record twice"
	record "$runner" fresh 5 >/dev/null || give_up "the runner cannot add a name"
	make_run 6
	code=0
	"$weir" gate "$work/run-6.json" --baseline main --db "$runner" >"$work/out" 2>&1 || code=$?
	[ $code -le 3 ] || give_up "the runner cannot gate: exit $code: $(cat "$work/out")"
	"$weir" baseline verify --db "$runner" >/dev/null || give_up "the runner cannot verify"
	"$weir" baseline export main --db "$store" >"$work/before"
	for command in "promote fresh --as main" "remove main --yes" "prune main --keep 1" "pin main"; do
		# shellcheck disable=SC2086 # words of one command
		stops "refuses this to the user: ask the owner of the store" "$weir" baseline $command --db "$runner"
	done
	"$weir" baseline export main --db "$store" | cmp - "$work/before" || give_up "the runner changed the store"
	sql shared "DROP TABLE weir.pin, weir.pruned; UPDATE weir.store SET version = 2"
	stops "this user may not migrate it: run weir baseline verify as its owner" record "$runner" main 4
	"$weir" baseline verify --db "$store" >/dev/null || give_up "the owner cannot migrate"
	record "$runner" main 4 | grep -qF '1 already there' || give_up "the runner cannot record after a migration"
}
