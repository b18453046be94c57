#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# slurm.sh PROGRAM: tests ci/cluster/slurm.sh with its own Slurm: munged, slurmctld and one slurmd with two CPUs, on free ports
# and in a temporary folder.
#   requeue  64 ranks, two a task; a task is killed while it runs and queued again: the result is complete
#   missing  16 ranks; a task is cancelled while it runs: the merge ends with 6 and names its ranks
# Ends with 77 if Slurm is missing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
weir=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")

skip() {
	echo "skipped: $*"
	exit 77
}

PATH=$PATH:/usr/sbin
for tool in munged slurmctld slurmd sbatch scontrol sinfo; do
	command -v $tool >/dev/null || skip "no $tool: install slurm-wlm and munge"
done
[ "$(id -u)" -eq 0 ] || skip "Slurm starts only as root"

work=$(mktemp -d)
chmod 755 "$work"
mkdir "$work/state" "$work/spool" "$work/log" "$work/bin"

stop() {
	for name in slurmd slurmctld munged; do
		[ ! -s "$work/$name.pid" ] || kill "$(cat "$work/$name.pid")" 2>/dev/null || true
	done
	for name in slurmd slurmctld munged; do # they write into the folder until they end
		tries=0
		while [ -s "$work/$name.pid" ] && kill -0 "$(cat "$work/$name.pid")" 2>/dev/null && [ $((tries += 1)) -le 100 ]; do
			sleep 0.1
		done
	done
	rm -rf "$work"
}
trap stop EXIT

fail() {
	echo "slurm.sh: $*" >&2
	tail -n 20 "$work"/log/* "$work"/out-* >&2 2>/dev/null || true
	exit 1
}

# Waits up to 50 seconds for a command to succeed.
await() { # COMMAND...
	tries=0
	until "$@" >/dev/null 2>&1; do
		[ $((tries += 1)) -le 250 ] || fail "waited in vain: $*"
		sleep 0.2
	done
}

# ---- Slurm ----

host=$(hostname -s)
ports=$(python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])')
(umask 077 && head -c 1024 /dev/urandom >"$work/munge.key")
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" --log-file="$work/log/munged" \
	--seed-file="$work/munge.seed" 2>"$work/log/start" || fail "munged does not start"
# A task that is queued again waits until its credential has expired.
cat >"$work/slurm.conf" <<END
ClusterName=weir
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
SlurmUser=root
AuthInfo=socket=$work/munge.socket,cred_expire=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=1
SchedulerParameters=batch_sched_delay=0,sched_min_interval=10000
NodeName=node NodeHostname=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF="$work/slurm.conf"
slurmctld -f "$work/slurm.conf" || fail "slurmctld does not start"
slurmd -f "$work/slurm.conf" -N node || fail "slurmd does not start"
is_idle() {
	sinfo -h -o %t | grep -qx idle
}
await is_idle

# ---- weir, which hangs in the trace of rank 5 while $work/hang exists ----

cat >"$work/bin/weir" <<END
#!/bin/sh
case "\$*" in
"part "*/rank005.json.gz*)
	if [ -e "$work/hang" ]; then
		{ head -c 5000 "\$2"; touch "$work/hangs"; sleep 100; } | "$weir" part - -o "\$4"
		exit
	fi
	;;
esac
exec "$weir" "\$@"
END
chmod +x "$work/bin/weir"
PATH=$work/bin:$PATH

# Submits the traces of a job, and waits until rank 5 hangs. Sets `merge` and `array`.
submit() { # NAME RANKS REPORT
	touch "$work/hang"
	rm -f "$work/hangs"
	"$root/tests/ci/ranks.py" "$work/$1" "$2"
	merge=$(sh "$root/ci/cluster/slurm.sh" "$work/$1" "$work/$1.parts" "$2" "$3" --chdir="$work" --output="$work/out-%j") ||
		fail "cannot submit $1"
	array=$(scontrol -o show job "$merge" | sed -n 's/.*Dependency=afterany:\([0-9]*\)_.*/\1/p')
	[ -n "$array" ] || fail "the merge does not wait for the array: $(scontrol -o show job "$merge")"
	await test -e "$work/hangs"
}

has_ended() { # JOB
	scontrol -o show job "$1" | grep -qE 'JobState=(COMPLETED|FAILED|CANCELLED)'
}

# Waits for the merge and sets `code`.
finish() {
	await has_ended "$merge"
	code=$(scontrol -o show job "$merge" | sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p')
}

# ---- requeue ----

export WEIR_TASKS=32
submit requeue 64 "$work/requeue.part"
rm "$work/hang"
scontrol requeue "${array}_5" || fail "cannot requeue"
[ ! -e "$work/requeue.parts/rank005.json.gz.part" ] || fail "a killed task left a part"
finish
[ "$code" -eq 0 ] || fail "requeue: the merge exits with $code"
"$weir" part "$work"/requeue/* -o "$work/whole.part"
cmp "$work/whole.part" "$work/requeue.part" || fail "requeue: the merge is not complete"

# ---- missing ----

unset WEIR_TASKS
submit missing 16 "$work/missing.json"
scancel "${array}_5"
finish
[ "$code" -eq 6 ] || fail "missing: the merge exits with $code"
grep -qxF 'weir: of 16 ranks these are missing: 5' "$work/out-$merge" || fail "missing: the rank is not named"
[ -z "$(find "$work/missing.parts" -name 'rank005*')" ] || fail "missing: the cancelled task left a file"
rm "$work/missing/rank005.json.gz"
"$weir" classify "$work"/missing -o "$work/rest.json"
cmp "$work/rest.json" "$work/missing.json" || fail "missing: the report is not that of the other ranks"
echo "64 ranks after a requeue and 16 ranks without one are merged as they should be"
