# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of weir.report/1 and weir.gate/1. Written by python/generate.py: do not edit."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._record import Record, member, members
from ._result import Result


@dataclass
class RunIterationNs(Record):
    """`run.iteration_ns`"""

    #: median period of the steady iterations [ns]
    p50: Optional[int] = None
    #: that percentile of the period of the steady iterations [ns]
    p90: Optional[int] = None
    #: that percentile of the period of the steady iterations [ns]
    p95: Optional[int] = None
    #: that percentile of the period of the steady iterations [ns]
    p99: Optional[int] = None


@dataclass
class RunInputWarning(Record):
    """`run.inputs[].warnings[]`"""

    #: name of the warning
    code: Optional[str] = None
    #: times that it occurred
    count: Optional[int] = None
    #: the warning in words
    message: Optional[str] = None


@dataclass
class RunInput(Record):
    """`run.inputs[]`"""

    #: path of the input
    path: Optional[str] = None
    #: format of the input
    format: Optional[str] = None
    #: size of the input [bytes]
    bytes: Optional[int] = None
    #: events in the input
    events: Optional[int] = None
    #: content of the input: timeline, native run, ...
    gives: Optional[str] = None
    warnings: Optional[List[RunInputWarning]] = members(RunInputWarning)


@dataclass
class RunDevice(Record):
    """`run.devices[]`"""

    #: name of the device
    name: Optional[str] = None
    #: devices of this name
    count: Optional[int] = None


@dataclass
class RunSetApart(Record):
    """`run.set_apart[]`"""

    #: step or stage interval that is not analysed
    name: Optional[str] = None
    #: why it is set apart
    reason: Optional[str] = None
    #: number of them
    count: Optional[int] = None
    #: their time [ns]
    duration_ns: Optional[int] = None


@dataclass
class RunNote(Record):
    """`run.notes[]`"""

    #: name of the note
    code: Optional[str] = None
    #: the note in words
    text: Optional[str] = None


@dataclass
class Run(Record):
    """`run`"""

    #: traces with device work
    ranks: Optional[int] = None
    #: steady iterations
    iterations: Optional[int] = None
    #: analysed wall time [ns]
    span_ns: Optional[int] = None
    iteration_ns: Optional[RunIterationNs] = member(RunIterationNs)
    #: warm-up and one-off steps are set apart [0 or 1]
    steady: Optional[bool] = None
    #: percentile at which p95_share and others are read [share]
    percentile: Optional[float] = None
    #: one step without the profiler, estimated [ns]
    unprofiled_step_ns: Optional[int] = None
    inputs: Optional[List[RunInput]] = members(RunInput)
    devices: Optional[List[RunDevice]] = members(RunDevice)
    set_apart: Optional[List[RunSetApart]] = members(RunSetApart)
    notes: Optional[List[RunNote]] = members(RunNote)


@dataclass
class VerdictRunnerUp(Record):
    """`verdict.runner_up`"""

    #: next bound
    bound: Optional[str] = None
    #: its share [share]
    share: Optional[float] = None


@dataclass
class VerdictEvidence(Record):
    """`verdict.evidence[]`"""

    #: condition of the rule that holds
    clause: Optional[str] = None
    values: Optional[Dict[str, float]] = None


@dataclass
class Verdict(Record):
    """`verdict`"""

    #: batching, runtime, kernel, memory, communication, hardware or undetermined
    bound: Optional[str] = None
    #: cause of the bound
    cause: Optional[str] = None
    #: low, medium or high
    confidence: Optional[str] = None
    #: share of the time that the bound holds [share]
    share: Optional[float] = None
    #: id of the rule that decided
    rule: Optional[str] = None
    runner_up: Optional[VerdictRunnerUp] = member(VerdictRunnerUp)
    #: what to do or measure next
    next: Optional[str] = None
    #: first line of the text report
    headline: Optional[str] = None
    evidence: Optional[List[VerdictEvidence]] = members(VerdictEvidence)


@dataclass
class GpuLaunchNs(Record):
    """`gpu.launch_ns`"""

    #: percentile of the launch latency of kernels that did not queue [ns]
    p50: Optional[int] = None
    #: percentile of the launch latency of kernels that did not queue [ns]
    p90: Optional[int] = None
    #: percentile of the launch latency of kernels that did not queue [ns]
    p99: Optional[int] = None


@dataclass
class GpuQueueWaiting(Record):
    """`gpu.queue.waiting`"""

    #: submitted work that has not begun, weighted by time
    mean: Optional[float] = None
    #: submitted work that has not begun, weighted by time
    p50: Optional[int] = None
    #: submitted work that has not begun, weighted by time
    p95: Optional[int] = None
    #: submitted work that has not begun, weighted by time
    max: Optional[int] = None


@dataclass
class GpuQueueInFlight(Record):
    """`gpu.queue.in_flight`"""

    #: submitted work that has not ended, weighted by time
    mean: Optional[float] = None
    #: submitted work that has not ended, weighted by time
    p50: Optional[int] = None
    #: submitted work that has not ended, weighted by time
    p95: Optional[int] = None
    #: submitted work that has not ended, weighted by time
    max: Optional[int] = None


@dataclass
class GpuQueue(Record):
    """`gpu.queue`"""

    waiting: Optional[GpuQueueWaiting] = member(GpuQueueWaiting)
    in_flight: Optional[GpuQueueInFlight] = member(GpuQueueInFlight)
    #: idle time without submitted work: the host was late [share of idle time]
    starved_of_idle: Optional[float] = None
    #: launch calls
    launches: Optional[int] = None
    #: launch calls that waited for room in the queue
    full_launches: Optional[int] = None


@dataclass
class GpuHostWaits(Record):
    """`gpu.host_waits`"""

    #: a launching thread waits for the device [share]
    sync_share: Optional[float] = None
    #: time in launch calls [share of busy time]
    launch_call_share: Optional[float] = None
    #: calls that wait for the device
    syncs: Optional[int] = None
    #: copies that the host waits for
    blocking_copies: Optional[int] = None
    #: copies of less than 64 bytes to the host that it waits for
    scalar_reads: Optional[int] = None


@dataclass
class GpuIdleNameName(Record):
    """`gpu.idle_names[].names[]`"""

    #: call, operator or frame of the launching thread
    name: Optional[str] = None
    #: operator or frame around it
    in_: Optional[str] = None
    #: idle intervals
    count: Optional[int] = None
    #: share of the analysed device time [share]
    share: Optional[float] = None


@dataclass
class GpuIdleName(Record):
    """`gpu.idle_names[]`"""

    #: cause of idle time
    cause: Optional[str] = None
    #: idle time with this cause, over all devices [ns]
    total_ns: Optional[int] = None
    names: Optional[List[GpuIdleNameName]] = members(GpuIdleNameName)


@dataclass
class GpuLaunchCallNs(Record):
    """`gpu.launches[].call_ns`"""

    #: percentile of the duration of the call [ns]
    p50: Optional[int] = None
    #: percentile of the duration of the call [ns]
    p90: Optional[int] = None
    #: percentile of the duration of the call [ns]
    p99: Optional[int] = None
    #: percentile of the duration of the call [ns]
    max: Optional[int] = None


@dataclass
class GpuLaunchDelayNs(Record):
    """`gpu.launches[].delay_ns`"""

    #: percentile of the time from its return to the start of the work [ns]
    p50: Optional[int] = None
    #: percentile of the time from its return to the start of the work [ns]
    p90: Optional[int] = None
    #: percentile of the time from its return to the start of the work [ns]
    p99: Optional[int] = None
    #: percentile of the time from its return to the start of the work [ns]
    max: Optional[int] = None


@dataclass
class GpuLaunchQueueNs(Record):
    """`gpu.launches[].queue_ns`"""

    #: the same from the end of the previous work on the stream [ns]
    p50: Optional[int] = None
    #: the same from the end of the previous work on the stream [ns]
    p90: Optional[int] = None
    #: the same from the end of the previous work on the stream [ns]
    p99: Optional[int] = None
    #: the same from the end of the previous work on the stream [ns]
    max: Optional[int] = None


@dataclass
class GpuLaunch(Record):
    """`gpu.launches[]`"""

    #: launch call
    api: Optional[str] = None
    #: family of the kernel, copy or set
    work: Optional[str] = None
    #: launches
    count: Optional[int] = None
    #: works that begin before their call returns
    early: Optional[int] = None
    call_ns: Optional[GpuLaunchCallNs] = member(GpuLaunchCallNs)
    delay_ns: Optional[GpuLaunchDelayNs] = member(GpuLaunchDelayNs)
    queue_ns: Optional[GpuLaunchQueueNs] = member(GpuLaunchQueueNs)


@dataclass
class Gpu(Record):
    """`gpu`"""

    #: device busy with any work [share]
    active: Optional[float] = None
    #: device idle [share]
    idle: Optional[float] = None
    #: device computes [share]
    compute: Optional[float] = None
    #: device in collectives, exposed or hidden [share]
    communication: Optional[float] = None
    #: device in collectives, without computing [share]
    exposed_communication: Optional[float] = None
    #: device copies, exposed or hidden [share]
    memcpy: Optional[float] = None
    #: device copies, without computing or communicating [share]
    exposed_memcpy: Optional[float] = None
    #: median duration of a kernel [ns]
    kernel_p50_ns: Optional[int] = None
    #: kernels in the analysed time
    kernels: Optional[int] = None
    launch_ns: Optional[GpuLaunchNs] = member(GpuLaunchNs)
    #: replays of CUDA or HIP graphs [share of busy time]
    graph_share: Optional[float] = None
    #: modelled FLOPs over the datasheet's peak [share]
    mfu: Optional[float] = None
    #: modelled bytes over the datasheet's peak [share]
    mbu: Optional[float] = None
    #: work that has a model [share of device time]
    modelled_share: Optional[float] = None
    #: longest gap that counts as between kernels [ns]
    inter_kernel_limit_ns: Optional[int] = None
    queue: Optional[GpuQueue] = member(GpuQueue)
    host_waits: Optional[GpuHostWaits] = member(GpuHostWaits)
    idle_causes: Optional[Dict[str, float]] = None
    idle_names: Optional[List[GpuIdleName]] = members(GpuIdleName)
    launches: Optional[List[GpuLaunch]] = members(GpuLaunch)


@dataclass
class RequestsLatencyNs(Record):
    """`requests.latency_ns`"""

    #: percentile of the time from arrival to response [ns]
    p50: Optional[int] = None
    #: percentile of the time from arrival to response [ns]
    p90: Optional[int] = None
    #: percentile of the time from arrival to response [ns]
    p95: Optional[int] = None
    #: percentile of the time from arrival to response [ns]
    p99: Optional[int] = None


@dataclass
class RequestsBatchSize(Record):
    """`requests.batch_size`"""

    #: requests in one execution, weighted by executions
    mean: Optional[float] = None
    #: requests in one execution, weighted by executions
    p50: Optional[float] = None
    #: requests in one execution, weighted by executions
    p90: Optional[float] = None
    #: requests in one execution, weighted by executions
    p95: Optional[float] = None
    #: requests in one execution, weighted by executions
    p99: Optional[float] = None
    #: requests in one execution, weighted by executions
    max: Optional[float] = None


@dataclass
class RequestsCost(Record):
    """`requests.cost`"""

    #: currency of the costs
    currency: Optional[str] = None
    #: origin of the price
    source: Optional[str] = None
    #: price of a GPU for an hour [currency]
    per_gpu_hour: Optional[float] = None
    #: GPUs
    gpus: Optional[float] = None
    #: cost of the analysed time [currency]
    total: Optional[float] = None
    #: cost of a request, busy and idle [currency]
    per_request: Optional[float] = None
    #: part in which the device works [currency]
    per_request_busy: Optional[float] = None
    #: part in which the device is idle [currency]
    per_request_idle: Optional[float] = None
    #: upper limit of the part that computes padding [currency]
    per_request_padding: Optional[float] = None
    #: cost of a million tokens of that kind [currency]
    per_million_tokens: Optional[float] = None
    #: cost of a million tokens of that kind [currency]
    per_million_input_tokens: Optional[float] = None
    #: cost of a million tokens of that kind [currency]
    per_million_output_tokens: Optional[float] = None
    #: tokens for one unit of the currency
    tokens_per_unit: Optional[float] = None
    #: tokens for one unit of the currency
    output_tokens_per_unit: Optional[float] = None
    #: busy device time over the time in stages; 1: exact [ratio]
    scale: Optional[float] = None


@dataclass
class RequestsWait(Record):
    """`requests.wait`"""

    #: share of waiting while the device was idle, computed, copied, or only the host worked [share]
    idle: Optional[float] = None
    #: share of waiting while the device was idle, computed, copied, or only the host worked [share]
    compute: Optional[float] = None
    #: share of waiting while the device was idle, computed, copied, or only the host worked [share]
    copy: Optional[float] = None
    #: share of waiting while the device was idle, computed, copied, or only the host worked [share]
    host: Optional[float] = None


@dataclass
class RequestsFirstTokenNs(Record):
    """`requests.first_token_ns`"""

    #: percentile of the time to the first token [ns]
    p50: Optional[int] = None
    #: percentile of the time to the first token [ns]
    p90: Optional[int] = None
    #: percentile of the time to the first token [ns]
    p95: Optional[int] = None
    #: percentile of the time to the first token [ns]
    p99: Optional[int] = None


@dataclass
class RequestsLatencyCounted(Record):
    """`requests.latency_counted`"""

    #: exact mean, from counters [ns]
    mean_ns: Optional[int] = None
    p50: Optional[List[Optional[int]]] = None
    p90: Optional[List[Optional[int]]] = None
    p95: Optional[List[Optional[int]]] = None
    p99: Optional[List[Optional[int]]] = None
    #: the buckets are too wide to locate p95 [0 or 1]
    resolution_limited: Optional[bool] = None


@dataclass
class RequestsFirstTokenCounted(Record):
    """`requests.first_token_counted`"""

    #: exact mean, from counters [ns]
    mean_ns: Optional[int] = None
    p50: Optional[List[Optional[int]]] = None
    p90: Optional[List[Optional[int]]] = None
    p95: Optional[List[Optional[int]]] = None
    p99: Optional[List[Optional[int]]] = None
    #: the buckets are too wide to locate p95 [0 or 1]
    resolution_limited: Optional[bool] = None


@dataclass
class Requests(Record):
    """`requests`"""

    #: answered requests; all if none was answered
    count: Optional[int] = None
    latency_ns: Optional[RequestsLatencyNs] = member(RequestsLatencyNs)
    batch_size: Optional[RequestsBatchSize] = member(RequestsBatchSize)
    #: computed tokens that are padding [share]
    padding_waste: Optional[float] = None
    #: finished requests a second [1/s]
    throughput_per_s: Optional[float] = None
    cost: Optional[RequestsCost] = member(RequestsCost)
    #: failed requests
    failed: Optional[int] = None
    #: no request was answered: times are of failed ones [0 or 1]
    all_failed: Optional[bool] = None
    #: the log holds a sample of the requests [0 or 1]
    sampled: Optional[bool] = None
    #: measured by the client [0 or 1]
    client: Optional[bool] = None
    wait: Optional[RequestsWait] = member(RequestsWait)
    first_token_ns: Optional[RequestsFirstTokenNs] = member(RequestsFirstTokenNs)
    latency_counted: Optional[RequestsLatencyCounted] = member(RequestsLatencyCounted)
    first_token_counted: Optional[RequestsFirstTokenCounted] = member(RequestsFirstTokenCounted)
    #: requests a second that the client sent or aimed at [1/s]
    requested_per_s: Optional[float] = None
    #: tokens a second [1/s]
    tokens_per_s: Optional[float] = None
    #: generated tokens a second [1/s]
    output_tokens_per_s: Optional[float] = None
    #: mean number of requests in flight
    concurrency: Optional[float] = None
    #: time in which any request computes [share]
    compute_busy: Optional[float] = None
    #: time in which any request is in a host stage [share]
    host_busy: Optional[float] = None
    #: size of batches formed while others waited, over the largest [ratio]
    batch_fill: Optional[float] = None
    #: time of a small batch over that of a large one [ratio]
    flat_step_ratio: Optional[float] = None
    #: requests a second that met every latency target [1/s]
    goodput_per_s: Optional[float] = None
    #: requests that met every latency target [share]
    goodput_share: Optional[float] = None


@dataclass
class Rank(Record):
    """`ranks[]`"""

    #: number of the rank
    rank: Optional[int] = None
    #: device busy [share]
    active: Optional[float] = None
    #: in collectives, without computing [share]
    exposed_communication: Optional[float] = None
    #: waiting for other ranks [share of collectives]
    wait: Optional[float] = None
    #: transferring [share of collectives]
    transfer: Optional[float] = None
    #: waiting of all ranks that this one alone causes [share]
    straggler_score: Optional[float] = None
    #: why it is late: device or host
    late_by: Optional[str] = None
    #: matched collectives
    collectives: Optional[int] = None
    #: rate of one link during transfers [bytes/s]
    bus_bytes_per_s: Optional[int] = None
    #: that rate over the link's bandwidth [share]
    link_share: Optional[float] = None
    #: added to the rank's clock [ns]
    clock_offset_ns: Optional[int] = None
    #: id of the device; NULL: the whole rank
    device: Optional[int] = None


@dataclass
class StageCounted(Record):
    """`stages[].counted`"""

    #: exact mean, from counters [ns]
    mean_ns: Optional[int] = None
    p50: Optional[List[Optional[int]]] = None
    p90: Optional[List[Optional[int]]] = None
    p95: Optional[List[Optional[int]]] = None
    p99: Optional[List[Optional[int]]] = None
    #: the buckets are too wide to locate p95 [0 or 1]
    resolution_limited: Optional[bool] = None


@dataclass
class Stage(Record):
    """`stages[]`"""

    #: name of the stage
    name: Optional[str] = None
    #: kind of the stage: compute, queue, ...
    kind: Optional[str] = None
    #: intervals of the stage
    count: Optional[int] = None
    #: sum of its durations; stages overlap, so sums of stages are no wall time [ns]
    total_ns: Optional[int] = None
    #: share of the analysed wall time inside the stage [share]
    share: Optional[float] = None
    #: median [ns]
    p50_ns: Optional[int] = None
    #: 90th percentile [ns]
    p90_ns: Optional[int] = None
    #: 95th percentile [ns]
    p95_ns: Optional[int] = None
    #: 99th percentile [ns]
    p99_ns: Optional[int] = None
    #: share of the iterations or requests around run.percentile [share]
    p95_share: Optional[float] = None
    #: bound of the stage alone
    bound: Optional[str] = None
    #: its cause
    cause: Optional[str] = None
    #: source: timeline, request, series or counted
    view: Optional[str] = None
    #: share of the requests around p50 [share]
    p50_share: Optional[float] = None
    #: share of the requests around p99 [share]
    p99_share: Optional[float] = None
    #: mean cost of the stage for one request [currency]
    cost: Optional[float] = None
    counted: Optional[StageCounted] = member(StageCounted)


@dataclass
class OperatorCounters(Record):
    """`operators[].counters`"""

    #: device time that hardware counters cover [share]
    share: Optional[float] = None
    #: measured for one call [bytes]
    dram_bytes: Optional[int] = None
    #: modelled DRAM bytes for one call [bytes]
    expected_bytes: Optional[int] = None
    #: expected over measured bytes [ratio]
    bytes_ratio: Optional[float] = None
    #: the tensors are larger than the cache [0 or 1]
    beyond_cache: Optional[bool] = None
    #: measured for one call [FLOP]
    flops: Optional[int] = None
    #: measured for one call [FLOP]
    vector_flops: Optional[int] = None
    #: measured for one call [FLOP]
    matrix_flops: Optional[int] = None
    #: FLOPs over DRAM bytes [FLOP/byte]
    intensity: Optional[float] = None
    #: class that the model predicts
    modelled_roofline: Optional[str] = None


@dataclass
class OperatorKernel(Record):
    """`operators[].kernels[]`"""

    #: kernel
    name: Optional[str] = None
    #: launches
    count: Optional[int] = None
    #: device time of all launches [ns]
    total_ns: Optional[int] = None


@dataclass
class OperatorShape(Record):
    """`operators[].shapes[]`"""

    #: dimensions of the arguments, as JSON
    dims: Optional[str] = None
    #: types of the arguments, as JSON
    types: Optional[str] = None
    #: calls
    count: Optional[int] = None
    #: device time of all calls [ns]
    total_ns: Optional[int] = None
    #: compute, memory, balanced, latency, inefficient or implausible
    roofline: Optional[str] = None
    #: share of the nearer roof [share]
    efficiency: Optional[float] = None


@dataclass
class OperatorSite(Record):
    """`operators[].sites[]`"""

    #: Python frame or range that calls the operator
    frame: Optional[str] = None
    #: calls in the median step
    count: Optional[int] = None
    #: device time in the median step [ns]
    step_ns: Optional[int] = None


@dataclass
class Operator(Record):
    """`operators[]`"""

    #: framework operator, else kernel
    name: Optional[str] = None
    #: stage in which it was launched
    stage: Optional[str] = None
    #: device
    device: Optional[str] = None
    #: family: gemm, attention, elementwise, communication, ...
    kind: Optional[str] = None
    #: calls
    count: Optional[int] = None
    #: device time of all calls; work overlaps, so sums are no wall time [ns]
    total_ns: Optional[int] = None
    #: share of the device's busy time [share of busy time]
    share: Optional[float] = None
    #: median [ns]
    p50_ns: Optional[int] = None
    #: 90th percentile [ns]
    p90_ns: Optional[int] = None
    #: 95th percentile [ns]
    p95_ns: Optional[int] = None
    #: 99th percentile [ns]
    p99_ns: Optional[int] = None
    #: modelled for one call [FLOP]
    flops: Optional[int] = None
    #: modelled for one call [bytes]
    bytes: Optional[int] = None
    #: achieved rate [TFLOP/s]
    tflops: Optional[float] = None
    #: achieved rate [GB/s]
    gbps: Optional[float] = None
    #: compute, memory, balanced, latency, inefficient or implausible
    roofline: Optional[str] = None
    #: share of the nearer roof [share]
    efficiency: Optional[float] = None
    #: bound of the operator alone
    bound: Optional[str] = None
    counters: Optional[OperatorCounters] = member(OperatorCounters)
    #: kernel with most of its device time
    kernel: Optional[str] = None
    #: kernels in all; operators_kernels lists the largest
    all_kernels: Optional[int] = None
    #: shapes in all; operators_shapes lists the largest
    all_shapes: Optional[int] = None
    #: call sites in all; operators_sites lists the largest
    all_sites: Optional[int] = None
    kernels: Optional[List[OperatorKernel]] = members(OperatorKernel)
    shapes: Optional[List[OperatorShape]] = members(OperatorShape)
    sites: Optional[List[OperatorSite]] = members(OperatorSite)


@dataclass
class RecommendationSaving(Record):
    """`recommendations[].saving`"""

    #: predicted step after the change [ns]
    step_ns: Optional[int] = None
    #: lower end of the prediction [ns]
    low_ns: Optional[int] = None
    #: upper end of the prediction [ns]
    high_ns: Optional[int] = None
    #: step before the change, without the profiler [ns]
    before_ns: Optional[int] = None
    #: step before over step after [ratio]
    speedup: Optional[float] = None
    #: step, row of a batch, or trace, to which the times refer
    of: Optional[str] = None
    #: what the prediction rests on
    basis: Optional[str] = None


@dataclass
class RecommendationCosts(Record):
    """`recommendations[].costs`"""

    #: low, medium or high
    effort: Optional[str] = None
    #: what may change in the results
    numerics: Optional[str] = None


@dataclass
class RecommendationSpeedup(Record):
    """`recommendations[].speedup`"""

    #: typical speed-up, lower end [ratio]
    low: Optional[float] = None
    #: typical speed-up, upper end [ratio]
    high: Optional[float] = None


@dataclass
class RecommendationWhere(Record):
    """`recommendations[].where[]`"""

    #: operator that the fix changes
    operator: Optional[str] = None
    #: its shapes
    shapes: Optional[str] = None
    #: its types
    types: Optional[str] = None
    #: its kernel
    kernel: Optional[str] = None
    #: its stage
    stage: Optional[str] = None
    #: Python frame or range around it
    frame: Optional[str] = None
    #: its time in one step [ns]
    step_ns: Optional[int] = None
    #: its share [share of the step]
    share: Optional[float] = None
    #: calls in one step
    calls: Optional[int] = None


@dataclass
class RecommendationNeed(Record):
    """`recommendations[].needs[]`"""

    #: condition of the fix
    what: Optional[str] = None
    #: met, not-met or unknown
    state: Optional[str] = None
    #: id of the fix that comes first
    first: Optional[str] = None


@dataclass
class Recommendation(Record):
    """`recommendations[]`"""

    #: id of the fix
    id: Optional[str] = None
    #: the fix in a few words
    title: Optional[str] = None
    #: why it helps here
    why: Optional[str] = None
    #: flag, call or setting
    how: Optional[str] = None
    saving: Optional[RecommendationSaving] = member(RecommendationSaving)
    costs: Optional[RecommendationCosts] = member(RecommendationCosts)
    speedup: Optional[RecommendationSpeedup] = member(RecommendationSpeedup)
    #: speed-up if all of the share were saved [ratio]
    limit: Optional[float] = None
    #: ids of fixes for the same time
    instead: Optional[str] = None
    where: Optional[List[RecommendationWhere]] = members(RecommendationWhere)
    needs: Optional[List[RecommendationNeed]] = members(RecommendationNeed)


@dataclass
class WhatIfStage(Record):
    """`what_if[].stages[]`"""

    #: stage
    name: Optional[str] = None
    #: median after the change [ns]
    p50_ns: Optional[int] = None
    #: median before over after [ratio]
    speedup: Optional[float] = None


@dataclass
class WhatIf(Record):
    """`what_if[]`"""

    #: class with the changed time
    class_: Optional[str] = None
    #: factor of its time; 0: removed [ratio]
    factor: Optional[float] = None
    #: median step after the change [ns]
    step_ns: Optional[int] = None
    #: median step before over after [ratio]
    speedup: Optional[float] = None
    stages: Optional[List[WhatIfStage]] = members(WhatIfStage)


@dataclass
class Profiler(Record):
    """`profiler`"""

    #: median step with profiling over without [ratio]
    inflation: Optional[float] = None
    #: input with the unprofiled times
    source: Optional[str] = None


@dataclass
class MemoryDevice(Record):
    """`memory.devices[]`"""

    #: number of the rank
    rank: Optional[int] = None
    #: id of the device
    device: Optional[int] = None
    #: largest allocated memory [bytes]
    peak_allocated_bytes: Optional[int] = None
    #: largest reserved memory [bytes]
    peak_reserved_bytes: Optional[int] = None
    #: 1 - allocated / reserved at the peak [share]
    fragmentation: Optional[float] = None
    #: growth from step to step [bytes]
    leak_bytes_per_step: Optional[int] = None
    #: allocations by the framework
    allocations_per_step: Optional[float] = None
    #: larger peak over the device's memory [share]
    used_share: Optional[float] = None


@dataclass
class Memory(Record):
    """`memory`"""

    #: largest allocated memory [bytes]
    peak_allocated_bytes: Optional[int] = None
    #: largest reserved memory [bytes]
    peak_reserved_bytes: Optional[int] = None
    #: 1 - allocated / reserved at the peak [share]
    fragmentation: Optional[float] = None
    #: growth from step to step [bytes]
    leak_bytes_per_step: Optional[int] = None
    #: allocation calls of more than 1 ms
    slow_allocations: Optional[int] = None
    #: allocations by the framework
    allocations_per_step: Optional[float] = None
    #: larger peak over the device's memory [share]
    used_share: Optional[float] = None
    #: time in these calls [ns]
    slow_allocation_ns: Optional[int] = None
    #: share of the analysed time [share]
    slow_share: Optional[float] = None
    #: driver calls that allocate or free
    allocator_calls: Optional[int] = None
    #: time in which a launching thread is in one [share]
    allocator_share: Optional[float] = None
    #: part of the idle time before late launches [share]
    allocator_of_host: Optional[float] = None
    devices: Optional[List[MemoryDevice]] = members(MemoryDevice)


@dataclass
class TelemetryTransfers(Record):
    """`telemetry.transfers`"""

    #: mean traffic on PCIe (to_host, from_host) and NVLink [bytes/s]
    to_host_bytes_per_s: Optional[int] = None
    #: mean traffic on PCIe (to_host, from_host) and NVLink [bytes/s]
    from_host_bytes_per_s: Optional[int] = None
    #: mean traffic on PCIe (to_host, from_host) and NVLink [bytes/s]
    link_sent_bytes_per_s: Optional[int] = None
    #: mean traffic on PCIe (to_host, from_host) and NVLink [bytes/s]
    link_received_bytes_per_s: Optional[int] = None


@dataclass
class Telemetry(Record):
    """`telemetry`"""

    #: samples of device monitors
    samples: Optional[int] = None
    #: devices
    devices: Optional[int] = None
    #: names of the devices
    device_name: Optional[str] = None
    #: the devices have several names [0 or 1]
    mixed_devices: Optional[bool] = None
    #: time from first to last sample [ns]
    span_ns: Optional[int] = None
    #: only samples within the time of the other inputs [0 or 1]
    aligned: Optional[bool] = None
    #: mean utilisation while in use, as the monitor states it [share]
    utilization: Optional[float] = None
    #: mean over all samples [share]
    utilization_all: Optional[float] = None
    #: mean power [W]
    power_w: Optional[float] = None
    #: largest power [W]
    power_max_w: Optional[float] = None
    #: power limit [W]
    power_limit_w: Optional[float] = None
    #: clock of the compute units: mean while in use, and stated maximum [MHz]
    sm_clock_mhz: Optional[float] = None
    #: clock of the compute units: mean while in use, and stated maximum [MHz]
    sm_clock_max_mhz: Optional[float] = None
    #: highest temperature [C]
    temperature_max_c: Optional[float] = None
    #: largest used memory [bytes]
    memory_used_max_bytes: Optional[int] = None
    #: memory of a device [bytes]
    memory_total_bytes: Optional[int] = None
    #: time in which memory was read or written: mean of all samples [share]
    memory_activity_all: Optional[float] = None
    #: clock of the compute units: mean of all samples [MHz]
    sm_clock_all_mhz: Optional[float] = None
    #: time in use with clocks reduced by power [share]
    power_capped: Optional[float] = None
    #: time in use with clocks reduced by heat [share]
    thermal_capped: Optional[float] = None
    #: mean while in use [share]
    sm_active: Optional[float] = None
    #: mean while in use [share]
    tensor_active: Optional[float] = None
    #: mean while in use [share]
    dram_active: Optional[float] = None
    #: time in which the compute engine worked, beside a utilisation: mean of all samples [share]
    engine_active: Optional[float] = None
    transfers: Optional[TelemetryTransfers] = member(TelemetryTransfers)


@dataclass
class GraphSpanNs(Record):
    """`graphs[].span_ns`"""

    #: percentile of a replay from first start to last end [ns]
    p50: Optional[int] = None
    #: percentile of a replay from first start to last end [ns]
    p90: Optional[int] = None
    #: percentile of a replay from first start to last end [ns]
    p95: Optional[int] = None
    #: percentile of a replay from first start to last end [ns]
    p99: Optional[int] = None


@dataclass
class GraphBusyNs(Record):
    """`graphs[].busy_ns`"""

    #: percentile of the time with work in a replay [ns]
    p50: Optional[int] = None
    #: percentile of the time with work in a replay [ns]
    p90: Optional[int] = None
    #: percentile of the time with work in a replay [ns]
    p95: Optional[int] = None
    #: percentile of the time with work in a replay [ns]
    p99: Optional[int] = None


@dataclass
class GraphIdleNs(Record):
    """`graphs[].idle_ns`"""

    #: percentile of the time without work in a replay [ns]
    p50: Optional[int] = None
    #: percentile of the time without work in a replay [ns]
    p90: Optional[int] = None
    #: percentile of the time without work in a replay [ns]
    p95: Optional[int] = None
    #: percentile of the time without work in a replay [ns]
    p99: Optional[int] = None


@dataclass
class GraphPosition(Record):
    """`graphs[].positions[]`"""

    #: number of the work in the graph
    index: Optional[int] = None
    #: kernel
    kernel: Optional[str] = None
    #: family
    kind: Optional[str] = None
    #: operator, from a run without graphs
    operator: Optional[str] = None
    #: number of the stream
    stream: Optional[int] = None
    #: blocks of the grid
    blocks: Optional[int] = None
    #: threads of a block
    threads_per_block: Optional[int] = None
    #: median time from the start of the replay [ns]
    offset_ns: Optional[int] = None
    #: median idle time before it [ns]
    gap_ns: Optional[int] = None
    #: time over all replays [ns]
    total_ns: Optional[int] = None
    #: median [ns]
    p50_ns: Optional[int] = None
    #: 90th percentile [ns]
    p90_ns: Optional[int] = None
    #: 95th percentile [ns]
    p95_ns: Optional[int] = None
    #: 99th percentile [ns]
    p99_ns: Optional[int] = None
    #: share of the kernels of the graph [share]
    share: Optional[float] = None
    #: modelled for one replay [FLOP]
    flops: Optional[int] = None
    #: modelled for one replay [bytes]
    bytes: Optional[int] = None
    #: achieved rate [TFLOP/s]
    tflops: Optional[float] = None
    #: achieved rate [GB/s]
    gbps: Optional[float] = None
    #: compute, memory, balanced, latency, inefficient or implausible
    roofline: Optional[str] = None
    #: share of the nearer roof [share]
    efficiency: Optional[float] = None


@dataclass
class Graph(Record):
    """`graphs[]`"""

    #: identity of the graph, the same in every run
    signature: Optional[str] = None
    #: stage that replays it
    stage: Optional[str] = None
    #: replays
    replays: Optional[int] = None
    #: kernels, copies and memory sets
    nodes: Optional[int] = None
    #: streams
    streams: Optional[int] = None
    #: replays of this graph [share of busy time]
    share: Optional[float] = None
    span_ns: Optional[GraphSpanNs] = member(GraphSpanNs)
    busy_ns: Optional[GraphBusyNs] = member(GraphBusyNs)
    idle_ns: Optional[GraphIdleNs] = member(GraphIdleNs)
    #: median gap between works [ns]
    gap_p50_ns: Optional[int] = None
    #: median time in gaps that are longer than a device leaves [ns]
    unrecorded_ns: Optional[int] = None
    #: index of the position behind the widest gap
    widest_gap_before: Optional[int] = None
    #: positions whose operator is known
    matched: Optional[int] = None
    #: confidence of the matches
    confidence: Optional[str] = None
    #: input with the operators
    source: Optional[str] = None
    positions: Optional[List[GraphPosition]] = members(GraphPosition)


@dataclass
class CounterFinding(Record):
    """`counters[].findings[]`"""

    #: rule of the counter profiler
    rule: Optional[str] = None
    #: kind of its advice
    kind: Optional[str] = None
    #: its advice
    text: Optional[str] = None
    #: part of the run that the estimate refers to
    scope: Optional[str] = None
    #: the profiler's own estimate [share]
    estimated_saving: Optional[float] = None
    #: launches with this advice
    count: Optional[int] = None


@dataclass
class Counter(Record):
    """`counters[]`"""

    #: kernel
    kernel: Optional[str] = None
    grid: Optional[List[Optional[int]]] = None
    block: Optional[List[Optional[int]]] = None
    #: launches with a duration
    count: Optional[int] = None
    #: mean duration [ns]
    mean_ns: Optional[int] = None
    values: Optional[Dict[str, float]] = None
    findings: Optional[List[CounterFinding]] = members(CounterFinding)


@dataclass
class HostFunction(Record):
    """`host.functions[]`"""

    #: function
    function: Optional[str] = None
    #: its file
    file: Optional[str] = None
    #: self time [share]
    self: Optional[float] = None
    #: time including callees [share]
    total: Optional[float] = None


@dataclass
class Host(Record):
    """`host`"""

    #: unit of the weights
    unit: Optional[str] = None
    #: event that is counted instead of time
    event: Optional[str] = None
    #: host profiles
    profiles: Optional[int] = None
    #: threads in the total
    threads: Optional[int] = None
    #: total weight [unit of the profile]
    total: Optional[int] = None
    #: idle time [share]
    idle: Optional[float] = None
    functions: Optional[List[HostFunction]] = members(HostFunction)


@dataclass
class HostOperators(Record):
    """`host_operators`"""

    #: operators, nested ones included
    calls: Optional[int] = None
    #: threads that ran one
    threads: Optional[int] = None
    #: calls that launch device work
    launches: Optional[int] = None
    #: time in which any thread runs an operator [share]
    busy: Optional[float] = None
    #: mean number of threads in operators in that time
    parallel: Optional[float] = None
    #: time in data loading [share]
    loading: Optional[float] = None
    #: time in collectives [share]
    communication: Optional[float] = None
    #: time in which code is loaded or compiled [share]
    cold: Optional[float] = None
    #: time in which a thread waits for a device [share]
    waiting: Optional[float] = None
    #: self time of operators in those below 10 us [share]
    short_operators: Optional[float] = None
    #: time in such operators and in gaps below 200 us between operators [share]
    dispatch: Optional[float] = None
    #: time between runs of the model [share]
    between_runs: Optional[float] = None
    #: time in runs of the model between their operators [share]
    idle_in_runs: Optional[float] = None
    #: time in runs before the first operator and after the last, if not on the processor [share]
    run_ends: Optional[float] = None
    #: every operator states that it ran on the processor [0 or 1]
    on_processor: Optional[bool] = None


@dataclass
class CriticalPathTop(Record):
    """`critical_path.top[]`"""

    #: kind of time
    kind: Optional[str] = None
    #: operator, call or kernel
    name: Optional[str] = None
    #: pieces of the path
    count: Optional[int] = None
    #: time on the path [ns]
    ns: Optional[int] = None
    #: share of the path [share]
    share: Optional[float] = None


@dataclass
class CriticalPathStage(Record):
    """`critical_path.stages[]`"""

    #: stage
    name: Optional[str] = None
    #: part of the path in the stage [ns]
    total_ns: Optional[int] = None
    ns: Optional[Dict[str, int]] = None


@dataclass
class CriticalPath(Record):
    """`critical_path`"""

    #: analysed time, which the path covers [ns]
    span_ns: Optional[int] = None
    #: the trace does not record what calls waited for [0 or 1]
    approximate: Optional[bool] = None
    #: host, compute, memory, communication, gaps, idle or mixed
    class_: Optional[str] = None
    shares: Optional[Dict[str, float]] = None
    ns: Optional[Dict[str, int]] = None
    top: Optional[List[CriticalPathTop]] = members(CriticalPathTop)
    stages: Optional[List[CriticalPathStage]] = members(CriticalPathStage)


@dataclass
class JobWorstDifference(Record):
    """`job.worst[].differences[]`"""

    #: operator or cause of idle time
    name: Optional[str] = None
    #: its time in one step of the slow rank [ns]
    slow_ns: Optional[int] = None
    #: its time in one step of the fast rank [ns]
    fast_ns: Optional[int] = None


@dataclass
class JobWorst(Record):
    """`job.worst[]`"""

    #: rank, node, group or experts
    kind: Optional[str] = None
    #: rank, node or group that slows the others down
    name: Optional[str] = None
    #: node of the rank
    node: Optional[str] = None
    #: ranks in it
    ranks: Optional[int] = None
    #: why it is late: device or host
    late_by: Optional[str] = None
    #: time that it adds [share]
    share: Optional[float] = None
    #: part of the evidence that names this rank [share]
    votes: Optional[float] = None
    #: over the median of similar groups [ratio]
    factor: Optional[float] = None
    #: collective of a group
    collective: Optional[str] = None
    #: rank that it is compared with
    fast_rank: Optional[int] = None
    differences: Optional[List[JobWorstDifference]] = members(JobWorstDifference)


@dataclass
class Job(Record):
    """`job`"""

    #: ranks of the job
    ranks: Optional[int] = None
    #: ranks that are analysed in detail
    detailed: Optional[int] = None
    #: nodes, ranks or groups that stand out
    slow_nodes: Optional[int] = None
    #: nodes, ranks or groups that stand out
    slow_ranks: Optional[int] = None
    #: nodes, ranks or groups that stand out
    slow_groups: Optional[int] = None
    worst: Optional[List[JobWorst]] = members(JobWorst)


@dataclass
class ServerSettings(Record):
    """`server.settings`"""

    #: setting of one engine
    max_running: Optional[int] = None
    #: setting of one engine
    max_step_tokens: Optional[int] = None
    #: setting of one engine
    kv_tokens: Optional[int] = None
    #: setting of one engine
    memory_share: Optional[float] = None
    #: setting of one engine
    draft_tokens: Optional[int] = None
    #: setting of one engine
    chunked_prefill: Optional[int] = None


@dataclass
class ServerRunning(Record):
    """`server.running`"""

    #: requests that run
    mean: Optional[float] = None
    #: requests that run
    p50: Optional[float] = None
    #: requests that run
    p95: Optional[float] = None
    #: requests that run
    max: Optional[float] = None


@dataclass
class ServerWaiting(Record):
    """`server.waiting`"""

    #: requests that wait
    mean: Optional[float] = None
    #: requests that wait
    p50: Optional[float] = None
    #: requests that wait
    p95: Optional[float] = None
    #: requests that wait
    max: Optional[float] = None


@dataclass
class ServerKvCache(Record):
    """`server.kv_cache`"""

    #: KV cache in use [share]
    mean: Optional[float] = None
    #: KV cache in use [share]
    p50: Optional[float] = None
    #: KV cache in use [share]
    p95: Optional[float] = None
    #: KV cache in use [share]
    max: Optional[float] = None


@dataclass
class ServerStepsDecode(Record):
    """`server.steps.decode`"""

    #: steps of this phase
    count: Optional[int] = None
    #: time of the steps of this phase [ns]
    total_ns: Optional[int] = None
    #: median step of this phase [ns]
    p50_ns: Optional[int] = None
    #: 95th percentile of the steps of this phase [ns]
    p95_ns: Optional[int] = None
    #: mean tokens of a step of this phase
    tokens: Optional[float] = None


@dataclass
class ServerStepsMixed(Record):
    """`server.steps.mixed`"""

    #: steps of this phase
    count: Optional[int] = None
    #: time of the steps of this phase [ns]
    total_ns: Optional[int] = None
    #: median step of this phase [ns]
    p50_ns: Optional[int] = None
    #: 95th percentile of the steps of this phase [ns]
    p95_ns: Optional[int] = None
    #: mean tokens of a step of this phase
    tokens: Optional[float] = None


@dataclass
class ServerStepsPrefill(Record):
    """`server.steps.prefill`"""

    #: steps of this phase
    count: Optional[int] = None
    #: time of the steps of this phase [ns]
    total_ns: Optional[int] = None
    #: median step of this phase [ns]
    p50_ns: Optional[int] = None
    #: 95th percentile of the steps of this phase [ns]
    p95_ns: Optional[int] = None
    #: mean tokens of a step of this phase
    tokens: Optional[float] = None


@dataclass
class ServerSteps(Record):
    """`server.steps`"""

    decode: Optional[ServerStepsDecode] = member(ServerStepsDecode)
    mixed: Optional[ServerStepsMixed] = member(ServerStepsMixed)
    prefill: Optional[ServerStepsPrefill] = member(ServerStepsPrefill)


@dataclass
class ServerSpeculationPosition(Record):
    """`server.speculation.positions[]`"""

    #: drafts whose token at this position was accepted [share]
    accepted: Optional[float] = None


@dataclass
class ServerSpeculation(Record):
    """`server.speculation`"""

    #: drafted tokens
    drafted: Optional[int] = None
    #: accepted tokens
    accepted: Optional[int] = None
    #: accepted over drafted [share]
    acceptance: Optional[float] = None
    #: mean tokens of a request in a step
    accepted_length: Optional[float] = None
    #: tokens gained over time lost; 1: no change [ratio]
    profit: Optional[float] = None
    #: the times of steps are a model [0 or 1]
    estimated: Optional[bool] = None
    positions: Optional[List[ServerSpeculationPosition]] = members(ServerSpeculationPosition)


@dataclass
class ServerSlowRequests(Record):
    """`server.slow_requests`"""

    #: time of slow requests in rows of the server [share]
    covered: Optional[float] = None
    #: time of slow requests in mixed steps, with the cache near full, with preemptions [share]
    in_mixed_steps: Optional[float] = None
    #: time of slow requests in mixed steps, with the cache near full, with preemptions [share]
    in_kv_wait: Optional[float] = None
    #: time of slow requests in mixed steps, with the cache near full, with preemptions [share]
    in_preemption: Optional[float] = None


@dataclass
class ServerWaitingFor(Record):
    """`server.waiting_for[]`"""

    #: reason to wait
    reason: Optional[str] = None
    #: mean requests that wait for it
    mean: Optional[float] = None


@dataclass
class ServerEngine(Record):
    """`server.engines[]`"""

    #: engine
    name: Optional[str] = None
    #: mean requests that run
    running: Optional[float] = None
    #: mean requests that wait
    waiting: Optional[float] = None
    #: KV cache in use: median, peak [share]
    kv_p50: Optional[float] = None
    #: KV cache in use: median, peak [share]
    kv_peak: Optional[float] = None
    #: tokens a second [1/s]
    tokens_per_s: Optional[float] = None
    #: running and waiting over the median of the others [ratio]
    load: Optional[float] = None
    #: preemptions
    preemptions: Optional[int] = None
    #: restarts
    restarts: Optional[int] = None


@dataclass
class Server(Record):
    """`server`"""

    #: name of the server
    product: Optional[str] = None
    #: from a log [0 or 1]
    log: Optional[bool] = None
    #: from metrics pages [0 or 1]
    pages: Optional[bool] = None
    #: observations
    moments: Optional[int] = None
    #: time from the first to the last observation [ns]
    span_ns: Optional[int] = None
    settings: Optional[ServerSettings] = member(ServerSettings)
    running: Optional[ServerRunning] = member(ServerRunning)
    waiting: Optional[ServerWaiting] = member(ServerWaiting)
    kv_cache: Optional[ServerKvCache] = member(ServerKvCache)
    #: time with waiting requests [share]
    waiting_share: Optional[float] = None
    #: part of the time of requests that they wait [share]
    queue_of_latency: Optional[float] = None
    #: KV cache near full [share of waiting time]
    kv_full_share: Optional[float] = None
    #: all slots taken, with room in the KV cache [share of waiting time]
    slots_share: Optional[float] = None
    #: requests that run at once at most
    slot_limit: Optional[int] = None
    #: the limit is read from the maximum [0 or 1]
    slots_inferred: Optional[bool] = None
    #: steps that hold the most tokens [share of waiting time]
    full_steps: Optional[float] = None
    #: mean requests that wait for a transfer of their KV cache
    transfer_waiting: Optional[float] = None
    #: mean time of such a transfer [ns]
    transfer_ns: Optional[int] = None
    #: finished requests
    requests: Optional[int] = None
    #: prompt tokens
    prompt_tokens: Optional[int] = None
    #: generated tokens
    output_tokens: Optional[int] = None
    #: tokens a second [1/s]
    prompt_tokens_per_s: Optional[float] = None
    #: tokens a second [1/s]
    output_tokens_per_s: Optional[float] = None
    #: preemptions
    preemptions: Optional[int] = None
    #: preemptions for a thousand requests
    preemptions_per_thousand: Optional[float] = None
    #: prompt tokens that preemption repeats, estimated [share]
    recomputed_share: Optional[float] = None
    #: hits of the prefix cache [share]
    hit_rate: Optional[float] = None
    steps: Optional[ServerSteps] = member(ServerSteps)
    #: time of decodes that prefills add [share]
    prefill_interference: Optional[float] = None
    #: step with prompts over a step of decodes only [ratio]
    stall_ratio: Optional[float] = None
    #: from rates or gaps, not from steps [0 or 1]
    interference_estimated: Optional[bool] = None
    #: step for twice the requests over the step [ratio]
    step_growth: Optional[float] = None
    #: tokens a second while requests wait, over the most of any time [ratio]
    throughput_plateau: Optional[float] = None
    #: mean waiting in the last third of the time less the first
    waiting_growth: Optional[float] = None
    #: load of the busiest engine over the median of the others [ratio]
    imbalance: Optional[float] = None
    #: time in which a queue waits while another engine has room [share]
    unbalanced_wait: Optional[float] = None
    speculation: Optional[ServerSpeculation] = member(ServerSpeculation)
    slow_requests: Optional[ServerSlowRequests] = member(ServerSlowRequests)
    #: energy of a token [J]
    joules_per_token: Optional[float] = None
    #: restarts
    restarts: Optional[int] = None
    #: gaps in the record
    gaps: Optional[int] = None
    #: longest gap [ns]
    longest_gap_ns: Optional[int] = None
    #: observations more than an hour apart [0 or 1]
    far_apart: Optional[bool] = None
    #: one observation only [0 or 1]
    single: Optional[bool] = None
    #: observations that were left out
    left_out: Optional[int] = None
    waiting_for: Optional[List[ServerWaitingFor]] = members(ServerWaitingFor)
    engines: Optional[List[ServerEngine]] = members(ServerEngine)


@dataclass
class PicturesStripLane(Record):
    """`pictures.strip.lanes[]`"""

    #: kind of the lane
    row: Optional[str] = None
    #: id of the thread, device or stream
    number: Optional[int] = None
    spans: Optional[List[Any]] = None


@dataclass
class PicturesStrip(Record):
    """`pictures.strip`"""

    #: step that the strip shows
    step: Optional[str] = None
    #: number of the rank
    rank: Optional[int] = None
    #: duration of the step [ns]
    period_ns: Optional[int] = None
    #: length of the strip [ns]
    length_ns: Optional[int] = None
    #: instant in the strip, or the length below which neighbours are joined [ns]
    host_start_ns: Optional[int] = None
    #: instant in the strip, or the length below which neighbours are joined [ns]
    host_end_ns: Optional[int] = None
    #: instant in the strip, or the length below which neighbours are joined [ns]
    device_start_ns: Optional[int] = None
    #: instant in the strip, or the length below which neighbours are joined [ns]
    device_end_ns: Optional[int] = None
    #: instant in the strip, or the length below which neighbours are joined [ns]
    joined_below_ns: Optional[int] = None
    #: devices in the strip
    devices: Optional[int] = None
    #: streams in the strip
    streams: Optional[int] = None
    names: Optional[List[str]] = None
    lanes: Optional[List[PicturesStripLane]] = members(PicturesStripLane)


@dataclass
class PicturesStepTimes(Record):
    """`pictures.step_times`"""

    #: stage whose steps are shown; NULL: the run
    stage: Optional[str] = None
    #: number of the rank
    rank: Optional[int] = None
    #: steps
    steps: Optional[int] = None
    #: percentile of the steps [ns]
    p50_ns: Optional[int] = None
    #: percentile of the steps [ns]
    p95_ns: Optional[int] = None
    points: Optional[List[Any]] = None


@dataclass
class PicturesRoofsFlopsPerS(Record):
    """`pictures.roofs.flops_per_s[]`"""

    #: precision and kind of unit
    name: Optional[str] = None
    #: datasheet's peak [FLOP/s]
    theoretical: Optional[int] = None
    #: rate that kernels reach [FLOP/s]
    sustained: Optional[int] = None


@dataclass
class PicturesRoofs(Record):
    """`pictures.roofs`"""

    #: device of the roofs
    device: Optional[str] = None
    #: datasheet's bandwidth [bytes/s]
    bytes_per_s: Optional[int] = None
    #: bandwidth that kernels reach [bytes/s]
    sustained_bytes_per_s: Optional[int] = None
    flops_per_s: Optional[List[PicturesRoofsFlopsPerS]] = members(PicturesRoofsFlopsPerS)


@dataclass
class PicturesQueue(Record):
    """`pictures.queue`"""

    #: number of the rank
    rank: Optional[int] = None
    #: id of the device
    device: Optional[int] = None
    #: time from the first to the last bin [ns]
    length_ns: Optional[int] = None
    bins: Optional[List[Any]] = None


@dataclass
class PicturesRankStepsRow(Record):
    """`pictures.rank_steps.rows[]`"""

    #: number of the rank
    rank: Optional[int] = None
    cells: Optional[List[Any]] = None


@dataclass
class PicturesRankSteps(Record):
    """`pictures.rank_steps`"""

    #: ranks with matched collectives
    ranks: Optional[int] = None
    #: number of the first step
    first_step: Optional[int] = None
    #: steps
    steps: Optional[int] = None
    #: steps in one column
    steps_per_column: Optional[int] = None
    rows: Optional[List[PicturesRankStepsRow]] = members(PicturesRankStepsRow)


@dataclass
class PicturesKernels(Record):
    """`pictures.kernels`"""

    bins: Optional[List[Any]] = None


@dataclass
class PicturesGaps(Record):
    """`pictures.gaps`"""

    bins: Optional[List[Any]] = None


@dataclass
class Pictures(Record):
    """`pictures`"""

    strip: Optional[PicturesStrip] = member(PicturesStrip)
    step_times: Optional[PicturesStepTimes] = member(PicturesStepTimes)
    roofs: Optional[PicturesRoofs] = member(PicturesRoofs)
    queue: Optional[PicturesQueue] = member(PicturesQueue)
    rank_steps: Optional[PicturesRankSteps] = member(PicturesRankSteps)
    kernels: Optional[PicturesKernels] = member(PicturesKernels)
    gaps: Optional[PicturesGaps] = member(PicturesGaps)


@dataclass
class Report(Result):
    """A classification: weir.report/1."""

    #: weir.report/1
    schema: Optional[str] = None
    #: version of weir that wrote the document
    weir: Optional[str] = None
    run: Optional[Run] = member(Run)
    verdict: Optional[Verdict] = member(Verdict)
    attribution: Optional[Dict[str, float]] = None
    gpu: Optional[Gpu] = member(Gpu)
    requests: Optional[Requests] = member(Requests)
    ranks: Optional[List[Rank]] = members(Rank)
    stages: Optional[List[Stage]] = members(Stage)
    operators: Optional[List[Operator]] = members(Operator)
    recommendations: Optional[List[Recommendation]] = members(Recommendation)
    what_if: Optional[List[WhatIf]] = members(WhatIf)
    profiler: Optional[Profiler] = member(Profiler)
    memory: Optional[Memory] = member(Memory)
    telemetry: Optional[Telemetry] = member(Telemetry)
    graphs: Optional[List[Graph]] = members(Graph)
    counters: Optional[List[Counter]] = members(Counter)
    host: Optional[Host] = member(Host)
    host_operators: Optional[HostOperators] = member(HostOperators)
    critical_path: Optional[CriticalPath] = member(CriticalPath)
    job: Optional[Job] = member(Job)
    server: Optional[Server] = member(Server)
    pictures: Optional[Pictures] = member(Pictures)


@dataclass
class GateSessions(Record):
    """`sessions`"""

    #: one, blocks, nested or confounded
    design: Optional[str] = None
    #: sessions of the baseline
    baseline: Optional[int] = None
    #: sessions of the candidate
    candidate: Optional[int] = None
    #: sessions with runs of both sides
    shared: Optional[int] = None


@dataclass
class GateAlpha(Record):
    """`alpha`"""

    #: false-alarm level of operators
    operators: Optional[float] = None
    #: false-alarm level of stages
    stages: Optional[float] = None


@dataclass
class GateBaseline(Record):
    """`baseline`"""

    #: name of the baseline
    name: Optional[str] = None
    #: runs of the baseline
    runs: Optional[int] = None
    recorded: Optional[List[Optional[str]]] = None
    labels: Optional[Dict[str, str]] = None


@dataclass
class GateCandidate(Record):
    """`candidate`"""

    #: runs of the candidate
    runs: Optional[int] = None
    labels: Optional[Dict[str, str]] = None


@dataclass
class GateEnvironmentDifference(Record):
    """`environment.differences[]`"""

    #: label
    key: Optional[str] = None
    #: value of the baseline
    baseline: Optional[str] = None
    #: value of the candidate
    candidate: Optional[str] = None
    #: must or warn
    policy: Optional[str] = None


@dataclass
class GateEnvironment(Record):
    """`environment`"""

    #: hardware and labels that must match do [0 or 1]
    match: Optional[bool] = None
    differences: Optional[List[GateEnvironmentDifference]] = members(GateEnvironmentDifference)


@dataclass
class GateCounts(Record):
    """`counts`"""

    #: rows that were judged
    judged: Optional[int] = None
    #: rows that regressed
    regressions: Optional[int] = None
    #: rows that improved
    improvements: Optional[int] = None
    #: rows without a change beyond the margin
    no_change: Optional[int] = None
    #: rows that the runs do not decide
    inconclusive: Optional[int] = None
    #: rows that are shown and not judged
    informational: Optional[int] = None
    #: regressions that a waiver covers
    waived: Optional[int] = None
    #: rows that the candidate lacks
    missing: Optional[int] = None
    #: rows that the baseline lacks
    new: Optional[int] = None
    #: rows that need more runs
    suspect: Optional[int] = None
    #: operators whose change others of the stage make up for
    moved: Optional[int] = None


@dataclass
class GateRowWaiver(Record):
    """`rows[].waiver`"""

    #: largest change that the waiver covers [ratio]
    up_to: Optional[float] = None
    #: reason of the waiver
    reason: Optional[str] = None
    #: issue of the waiver
    issue: Optional[str] = None
    #: last day of the waiver
    expires: Optional[str] = None
    #: the waiver has expired [0 or 1]
    expired: Optional[bool] = None
    #: the change is larger than the waiver covers [0 or 1]
    exceeded: Optional[bool] = None


@dataclass
class GateRow(Record):
    """`rows[]`"""

    #: stage:NAME, device:STAGE, operator:STAGE/NAME, metric:NAME or all-operators
    scope: Optional[str] = None
    #: p50, p90, p95, p99, shift, drift or value
    metric: Optional[str] = None
    #: mean of the metric over the runs of the baseline [unit of the row]
    baseline: Optional[float] = None
    #: mean of the metric over the runs of the candidate [unit of the row]
    candidate: Optional[float] = None
    #: unit of baseline and candidate: ns, or that of the metric
    unit: Optional[str] = None
    #: candidate over baseline, minus 1 [ratio]
    change: Optional[float] = None
    ci90: Optional[List[Optional[float]]] = None
    #: p value of the row alone
    p: Optional[float] = None
    #: p value adjusted for the number of rows
    p_adjusted: Optional[float] = None
    #: change that is accepted [ratio]
    margin: Optional[float] = None
    #: regression, improvement, no-change, inconclusive, suspect, informational, missing, new, moved or waived
    outcome: Optional[str] = None
    #: smallest change that these runs would detect with 80 % power [ratio]
    mde: Optional[float] = None
    #: candidate runs that would detect twice the margin
    runs_needed: Optional[float] = None
    samples: Optional[List[Optional[int]]] = None
    waiver: Optional[GateRowWaiver] = member(GateRowWaiver)
    #: remark about the row
    note: Optional[str] = None
    #: why the row is undecided: sessions
    reason: Optional[str] = None
    #: stage of a device or operator row
    stage: Optional[str] = None
    #: name of the stage, operator or metric
    name: Optional[str] = None
    #: candidate minus baseline in one iteration [ns]
    contributed_ns: Optional[float] = None
    calls: Optional[List[Optional[float]]] = None
    #: slowest over fastest run of the baseline, minus 1 [ratio]
    spread: Optional[float] = None
    #: name of the operator in the candidate, if it differs
    renamed: Optional[str] = None
    #: change of the kernels that the row sums, such as 2 -> 3 kernels
    family: Optional[str] = None


@dataclass
class GateBound(Record):
    """`bound`"""

    #: bound of the baseline
    baseline: Optional[str] = None
    #: bound of the candidate
    candidate: Optional[str] = None
    #: the bounds differ [0 or 1]
    moved: Optional[bool] = None
    #: stage that both bounds describe; NULL: the whole run
    stage: Optional[str] = None
    cause: Optional[List[Optional[str]]] = None


@dataclass
class GateFix(Record):
    """`fixes[]`"""

    #: worst row that the fix would undo
    scope: Optional[str] = None
    #: id of the fix
    fix: Optional[str] = None
    #: the fix in a few words
    title: Optional[str] = None
    #: call or setting
    how: Optional[str] = None
    #: predicted step of the candidate with the fix [ns]
    step_ns: Optional[int] = None
    #: the baseline was classified too, and does not need the fix [0 or 1]
    compared: Optional[bool] = None


@dataclass
class GateContribution(Record):
    """`contributions[]`"""

    #: regressed stage
    stage: Optional[str] = None
    #: operator in it
    operator: Optional[str] = None
    #: change of its device time in one iteration [ns]
    delta_ns: Optional[float] = None
    calls: Optional[List[Optional[float]]] = None
    #: its name in the candidate, if it differs
    renamed: Optional[str] = None


@dataclass
class GateAdvice(Record):
    """`advice[]`"""

    #: name of the next step: promote, measure, ...
    id: Optional[str] = None
    #: purpose of the next step
    label: Optional[str] = None
    #: the next step for people
    text: Optional[str] = None
    commands: Optional[List[str]] = None


@dataclass
class GateFindingAlike(Record):
    """`findings[].alike`"""

    #: change that operators or stages share [ratio]
    change: Optional[float] = None
    #: operators or stages that share it
    count: Optional[int] = None


@dataclass
class GateFindingAccept(Record):
    """`findings[].accept`"""

    #: change that a waiver would have to cover [ratio]
    up_to: Optional[float] = None
    #: last day of such a waiver
    expires: Optional[str] = None


@dataclass
class GateFinding(Record):
    """`findings[]`"""

    #: scope of the cause
    id: Optional[str] = None
    #: scope of the cause: a stage, an operator, all-stages, ...
    scope: Optional[str] = None
    #: worst outcome of its rows
    outcome: Optional[str] = None
    #: time that it adds to an iteration [ns]
    added_ns: Optional[float] = None
    #: the finding as in the text report
    sentence: Optional[str] = None
    #: id of a fix that would undo it
    fix: Optional[str] = None
    alike: Optional[GateFindingAlike] = member(GateFindingAlike)
    accept: Optional[GateFindingAccept] = member(GateFindingAccept)
    rows: Optional[List[int]] = None


@dataclass
class GatePicturesRun(Record):
    """`pictures.runs[]`"""

    #: the run is of the candidate [0 or 1]
    candidate: Optional[bool] = None
    #: path of the run, or its id in the store
    name: Optional[str] = None
    #: number of the session, from 1
    session: Optional[int] = None


@dataclass
class GatePicturesRow(Record):
    """`pictures.rows[]`"""

    #: row_id in rows
    row: Optional[int] = None
    values: Optional[List[float]] = None
    odd: Optional[List[int]] = None


@dataclass
class GatePicturesCurve(Record):
    """`pictures.curves[]`"""

    #: scope of a row
    scope: Optional[str] = None
    percentiles: Optional[List[Any]] = None


@dataclass
class GatePicturesStagePart(Record):
    """`pictures.stages[].parts[]`"""

    #: operator, operators, device or rest
    kind: Optional[str] = None
    #: operator
    name: Optional[str] = None
    #: its name in the candidate, if it differs
    renamed: Optional[str] = None
    #: family of the operator
    family: Optional[str] = None
    #: operators in the part
    operators: Optional[int] = None
    times_ns: Optional[List[Optional[int]]] = None
    calls: Optional[List[Optional[float]]] = None


@dataclass
class GatePicturesStage(Record):
    """`pictures.stages[]`"""

    #: stage
    name: Optional[str] = None
    #: the times are device time [0 or 1]
    device_only: Optional[bool] = None
    times_ns: Optional[List[Optional[int]]] = None
    parts: Optional[List[GatePicturesStagePart]] = members(GatePicturesStagePart)


@dataclass
class GatePicturesHistorieStep(Record):
    """`pictures.histories[].steps[]`"""

    #: first run of a new level: its place among the points of the history, from 0
    point: Optional[int] = None
    #: mean of the level over the one before, minus 1 [ratio]
    change: Optional[float] = None
    #: labels that change there
    labels: Optional[str] = None


@dataclass
class GatePicturesHistorie(Record):
    """`pictures.histories[]`"""

    #: row_id in rows
    row: Optional[int] = None
    #: older runs, which are not listed
    older: Optional[int] = None
    points: Optional[List[Any]] = None
    steps: Optional[List[GatePicturesHistorieStep]] = members(GatePicturesHistorieStep)


@dataclass
class GatePictures(Record):
    """`pictures`"""

    #: runs that are compared, but not drawn
    older_baseline: Optional[int] = None
    #: runs that are compared, but not drawn
    older_candidate: Optional[int] = None
    runs: Optional[List[GatePicturesRun]] = members(GatePicturesRun)
    rows: Optional[List[GatePicturesRow]] = members(GatePicturesRow)
    curves: Optional[List[GatePicturesCurve]] = members(GatePicturesCurve)
    stages: Optional[List[GatePicturesStage]] = members(GatePicturesStage)
    histories: Optional[List[GatePicturesHistorie]] = members(GatePicturesHistorie)


@dataclass
class Gate(Result):
    """A comparison: weir.gate/1."""

    #: weir.gate/1
    schema: Optional[str] = None
    #: version of weir that wrote the document
    weir: Optional[str] = None
    #: pass, regression, improvement, inconclusive, suspect, no-baseline, environment or coverage
    verdict: Optional[str] = None
    #: exit code of the gate
    exit: Optional[int] = None
    #: evidence: full, two-run, single-run, outlier or none
    method: Optional[str] = None
    #: why the verdict is inconclusive: sessions
    reason: Optional[str] = None
    #: first recorded run in which the worst row is slower
    since: Optional[str] = None
    #: first fault of a candidate run that lacks iterations or a stage
    incomplete: Optional[str] = None
    #: command line that made the result
    command: Optional[str] = None
    codes: Optional[List[int]] = None
    sessions: Optional[GateSessions] = member(GateSessions)
    alpha: Optional[GateAlpha] = member(GateAlpha)
    baseline: Optional[GateBaseline] = member(GateBaseline)
    candidate: Optional[GateCandidate] = member(GateCandidate)
    environment: Optional[GateEnvironment] = member(GateEnvironment)
    counts: Optional[GateCounts] = member(GateCounts)
    rows: Optional[List[GateRow]] = members(GateRow)
    bound: Optional[GateBound] = member(GateBound)
    fixes: Optional[List[GateFix]] = members(GateFix)
    contributions: Optional[List[GateContribution]] = members(GateContribution)
    remarks: Optional[List[str]] = None
    advice: Optional[List[GateAdvice]] = members(GateAdvice)
    findings: Optional[List[GateFinding]] = members(GateFinding)
    pictures: Optional[GatePictures] = member(GatePictures)
