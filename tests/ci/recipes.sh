#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# recipes.sh WEIR RECIPE: executes a script of ci/recipes with a stand-in for its tool, which notes its arguments and writes a
# profile of tests/data; then gates or classifies the outcome. RECIPE is the name of a script, or `turns` or `refused`.
# shellcheck disable=SC2016 # the texts of the stand-ins are quoted literally
set -eu
weir=$(cd "$(dirname "$1")" && pwd)
recipe=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
data=$root/tests/data
recipes=$root/ci/recipes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/modules"
cd "$work"
export data work
PATH=$work/bin:$weir:$PATH

fail() {
	printf '%s: %s\n' "$recipe" "$*" >&2
	cat "$work"/out "$work"/calls >&2 2>/dev/null || true
	exit 1
}

# Writes a stand-in that notes its arguments in `calls`; its script comes from standard input. The function `after` prints the
# word behind an option, or the value of --option=value; `next` copies the next of several files.
tool() { # NAME
	{
		cat <<'END'
#!/bin/sh
set -eu
echo "${0##*/} $*" >>"$work/calls"
words=" $* "
after() { # OPTION
	value=${words#* "$1"[= ]}
	[ "$value" != "$words" ] || { echo "no $1" >&2; exit 64; }
	echo "${value%% *}"
}
next() { # PATTERN TO
	echo >>"$work/count"
	count=$(($(wc -l <"$work/count") - 1))
	set -- "$2" $1
	to=$1
	shift $((1 + count % ($# - 1)))
	cp "$1" "$to"
}
END
		cat
	} >"bin/$1"
	chmod +x "bin/$1"
}

play() { # COMMAND...
	"$@" >out 2>&1 || fail "$* ends with $?"
}

called() { # TEXT
	grep -qF -- "$1" calls || fail "was not called with $1"
}

counted() { # NUMBER PATTERN
	[ "$(grep -c -- "$2" calls)" -eq "$1" ] || fail "was called $(grep -c -- "$2" calls) times with $2, expected $1"
}

# Checks the folders of all runs: complete, with labels.
runs_are() { # NUMBER
	set -- "$1" weir-runs/run-*
	[ "$#" -eq $(($1 + 1)) ] || fail "made $(($# - 1)) runs, expected $1"
	shift
	for run; do
		grep -q '"host"' "$run/weir-labels.json" || fail "$run has no labels"
	done
}

# A server that answers until it is ended, and the program that asks it.
tool curl <<'END'
[ -e "$work/serving" ]
END
serving='touch "$work/serving"; trap "rm -f $work/serving; echo ended >>$work/calls; exit 0" TERM; while :; do sleep 0.1; done'

case $recipe in
nsys)
	tool nsys <<'END'
case $1 in
profile) : >"$(after -o).nsys-rep" ;;
export) cp "$data/captures/nsys_decode.sqlite" "$(after -o)" ;;
esac
END
	RUNS=2 play "$recipes/nsys.sh" ./program --steps 3
	runs_are 2
	counted 3 '^nsys profile --trace=cuda,nvtx --cuda-graph-trace=node .* ./program --steps 3$'
	[ ! -e weir-runs/run-01/profile.nsys-rep ] || fail "leaves the binary report"
	play weir classify weir-runs/run-01
	CAPTURE=1 RUNS=1 FOLDER=captured play "$recipes/nsys.sh" ./program
	called '--capture-range=cudaProfilerApi --capture-range-end=stop'
	;;
ncu)
	tool ncu <<'END'
cp "$data/ncu/h200_gemm.csv" "$(after --log-file)"
END
	play "$recipes/ncu.sh" ./program
	runs_are 1
	counted 1 '^ncu --set=full --csv --page=raw .*--launch-skip=100 --launch-count=50'
	play weir classify weir-runs/run-01
	;;
rocm)
	tool rocprofv3 <<'END'
cp "$data/rocpd/run.db" "$(after --output-directory)/$(after --output-file)_results.db"
END
	RUNS=2 play "$recipes/rocm.sh" ./program
	runs_are 2
	counted 3 '^rocprofv3 --kernel-trace --hip-runtime-trace .* -- ./program$'
	play weir classify weir-runs/run-01
	;;
pytorch)
	mkdir modules/torch
	cat >modules/torch/__init__.py <<'END'
class cuda:
    synchronized = 0
    is_available = staticmethod(lambda: True)
    synchronize = staticmethod(lambda: None)
END
	cat >modules/torch/profiler.py <<'END'
import os, shutil
class ProfilerActivity:
    CPU, CUDA = "cpu", "cuda"
def schedule(**given):
    return given
class profile:
    def __init__(self, activities, schedule, on_trace_ready, record_shapes):
        assert activities == ["cpu", "cuda"] and record_shapes and schedule["active"] == 60 and schedule["repeat"] == 1
        self.wanted, self.ready, self.steps = schedule["wait"] + schedule["warmup"] + schedule["active"], on_trace_ready, 0
    def __enter__(self):
        return self
    def __exit__(self, *error):
        assert error[0] or self.steps == self.wanted, self.steps
    def step(self):
        self.steps += 1
        if self.steps == self.wanted:
            self.ready(self)
    def export_chrome_trace(self, path):
        shutil.copy(os.environ["data"] + "/kineto/malloc_churn.pt.trace.json.gz", path)
END
	mkdir model
	printf 'import os\ndef step():\n    with open(os.environ["work"] + "/calls", "a") as file:\n        file.write("step\\n")\n' >model/net.py
	PYTHONPATH=$work/modules RUNS=2 play "$recipes/pytorch.sh" -C model net:step
	runs_are 2
	counted $((3 * (20 + 5 + 60))) '^step$'
	play weir classify weir-runs/run-01
	;;
jax)
	mkdir modules/jax
	cat >modules/jax/__init__.py <<'END'
from . import profiler
def block_until_ready(value):
    assert value == "result"
END
	cat >modules/jax/profiler.py <<'END'
import contextlib, os, shutil
@contextlib.contextmanager
def trace(folder):
    yield
    place = folder + "/plugins/profile/2026_01_01_00_00_00"
    os.makedirs(place)
    shutil.copy(os.environ["data"] + "/captures/jax.trace.json.gz", place + "/host.trace.json.gz")
@contextlib.contextmanager
def StepTraceAnnotation(name, step_num):
    with open(os.environ["work"] + "/calls", "a") as file:
        file.write(f"annotated {name}\n")
    yield
END
	printf 'def step():\n    return "result"\n' >net.py
	PYTHONPATH=$work/modules RUNS=2 play "$recipes/jax.sh" net:step
	runs_are 2
	counted 180 '^annotated step$'
	play weir classify weir-runs/run-01
	;;
vllm)
	tool vllm <<END
case \$1 in
serve) $serving ;;
bench) next "\$data/bench/serve-?.json" "\$(after --result-dir)/\$(after --result-filename)" ;;
esac
END
	WARMUP=0 RUNS=6 MODEL=org/m play "$recipes/vllm.sh" vllm serve org/m --max-num-seqs 64
	runs_are 6
	counted 6 '^vllm serve org/m --max-num-seqs 64$'
	counted 6 '^vllm bench serve --model org/m .* --ignore-eos --seed 0 .* --save-result --save-detailed'
	counted 6 '^ended$'
	weir gate --against weir-runs/run-01 weir-runs/run-02 weir-runs/run-03 -- weir-runs/run-04 weir-runs/run-05 weir-runs/run-06 >out 2>&1 ||
		fail "the gate refuses unchanged code with $?"
	grep -q 'verdict=pass exit=0' out || fail "the gate does not pass"
	;;
sglang)
	real=$(command -v python3)
	export real
	tool python3 <<END
case "\$*" in
"-m sglang.launch_server"*) $serving ;;
"-m sglang.bench_serving"*) cp "\$data/bench/sglang.jsonl" "\$(after --output-file)" ;;
*) exec "\$real" "\$@" ;;
esac
END
	RUNS=2 play "$recipes/sglang.sh" python3 -m sglang.launch_server --model-path org/m
	runs_are 2
	counted 3 'sglang.bench_serving --backend sglang .* --random-range-ratio 1 --seed 0 .* --output-details'
	counted 3 '^ended$'
	play weir convert weir-runs/run-01
	;;
triton)
	tool tritonserver <<END
$serving
END
	tool perf_analyzer <<'END'
cp "$data/perf_analyzer/tensors.json" "$(after --profile-export-file)"
END
	RUNS=2 MODEL=net play "$recipes/triton.sh" tritonserver --model-repository=models
	runs_are 2
	counted 3 '^perf_analyzer -m net -i grpc .* --measurement-mode=count_windows --measurement-request-count=500'
	counted 3 '^ended$'
	play weir classify weir-runs/run-01
	;;
turns)
	# Both versions by turns, after a warm-up of both; words with blanks and quotes arrive whole.
	tool rocprofv3 <<'END'
cp "$data/rocpd/run.db" "$(after --output-directory)/profile_results.db"
END
	RUNS=2 BASE="../base/program 'a b'" play "$recipes/rocm.sh" ./program "it's" 'c  d'
	counted 3 ' -- ../base/program a b$'
	counted 3 " -- ./program it's c  d\$"
	[ "$(sed 's/.* -- //; s/program.*//' calls | tr -d '\n')" = '../base/./../base/././../base/' ] ||
		fail "another order: $(sed 's/.* -- //; s/program.*//' calls | tr -d '\n')"
	play weir classify weir-ab/a/run-01.json
	;;
refused)
	# A tool that fails, and a server that never answers.
	tool rocprofv3 <<'END'
echo "no such agent" >&2
exit 3
END
	code=0
	RUNS=2 "$recipes/rocm.sh" ./program >out 2>&1 || code=$?
	[ "$code" -eq 7 ] || fail "ends with $code, expected 7"
	grep -q 'exits with 3' out || fail "does not tell the exit code"
	tool vllm <<'END'
echo "out of memory" >&2
exit 1
END
	code=0
	RUNS=2 FOLDER=served MODEL=m "$recipes/vllm.sh" vllm serve m >out 2>&1 || code=$?
	[ "$code" -eq 7 ] || fail "ends with $code, expected 7"
	grep -q 'out of memory' out || fail "does not show the output of the server"
	"$recipes/nsys.sh" >out 2>&1 && fail "no command is no error"
	grep -q 'nsys.sh COMMAND' out || fail "does not show its usage"
	;;
*) fail "unknown recipe" ;;
esac
