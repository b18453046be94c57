#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# states.sh OUT [STATE...]: serves random requests on one accelerator (server.py) in states that the settings induce, and again
# with the setting that weir names changed (STATE-after). Leaves OUT/STATE with server.log, metrics and requests.jsonl.
set -eu
out=$1
shift
here=$(dirname "$0")

serve() # NAME OPTION...
{
	name=$1
	shift
	case " $wanted " in
	*" $name "*) python3 "$here/server.py" "$out/$name" --seconds 38 --interval 5 "$@" ;;
	esac
}

wanted=${*:-healthy slots slots-after kv kv-after preemption preemption-after interference interference-after saturated saturated-after}
small='--device-gb 10 --gpu-memory-utilization 0.25'
large='--device-gb 10 --gpu-memory-utilization 0.6'
serve healthy --rate 3 --prompt 300 --output 100
serve slots --rate 6 --prompt 100 --output 200 --max-num-seqs 8
serve slots-after --rate 6 --prompt 100 --output 200 --max-num-seqs 64
# shellcheck disable=SC2086
{
	serve kv --rate 4 --prompt 1500 --output 60 $small
	serve kv-after --rate 4 --prompt 1500 --output 60 $large
	serve preemption --rate 2 --prompt 100 --output 800 $small
	serve preemption-after --rate 2 --prompt 100 --output 800 $large
}
serve interference --rate 3.5 --prompt 8000 --output 40 --max-num-batched-tokens 32768
serve interference-after --rate 3.5 --prompt 8000 --output 40 --max-num-batched-tokens 2048
serve saturated --rate 14 --prompt 2000 --output 30 --max-num-seqs 256
serve saturated-after --rate 4 --prompt 2000 --output 30 --max-num-seqs 256
