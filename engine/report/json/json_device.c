/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/json/json_device.h"

static void put_name(struct weir_jsonout *json, const struct weir_idle_name *name)
{
	weir_jsonout_begin_object_inline(json, NULL);
	weir_jsonout_text(json, "name", name->name);
	weir_jsonout_text(json, "in", name->in);
	weir_jsonout_int(json, "count", (int64_t)name->count);
	weir_jsonout_share(json, "share", name->share);
	weir_jsonout_end(json);
}

static void put_idle_names(struct weir_jsonout *json, const struct weir_gpu_figures *gpu)
{
	weir_jsonout_begin_array(json, "idle_names");
	for (int idle = 0; idle < WEIR_IDLE_COUNT; idle++) {
		const struct weir_idle_cause *cause = &gpu->idle_cause[idle];

		if (cause->total_ns == 0)
			continue;
		weir_jsonout_begin_object(json, NULL);
		weir_jsonout_text(json, "cause", weir_idle_name((enum weir_idle)idle));
		weir_jsonout_int(json, "total_ns", cause->total_ns);
		weir_jsonout_begin_array(json, "names");
		for (size_t i = 0; i < cause->name_count; i++)
			put_name(json, &cause->names[i]);
		weir_jsonout_end(json);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

static void put_depth(struct weir_jsonout *json, const char *key, const struct weir_depth *depth)
{
	weir_jsonout_begin_object_inline(json, key);
	weir_jsonout_share(json, "mean", depth->mean);
	weir_jsonout_rounded(json, "p50", depth->p50);
	weir_jsonout_rounded(json, "p95", depth->p95);
	weir_jsonout_rounded(json, "max", depth->max);
	weir_jsonout_end(json);
}

static void put_queue(struct weir_jsonout *json, const struct weir_queue_figures *queue)
{
	weir_jsonout_begin_object(json, "queue");
	put_depth(json, "waiting", &queue->waiting);
	put_depth(json, "in_flight", &queue->in_flight);
	weir_jsonout_share(json, "starved_of_idle", queue->starved_share);
	weir_jsonout_int(json, "launches", (int64_t)queue->launches);
	weir_jsonout_int(json, "full_launches", (int64_t)queue->full_launches);
	weir_jsonout_end(json);
}

static void put_delay(struct weir_jsonout *json, const char *key,
                      const struct weir_delay_figures *delay)
{
	weir_jsonout_begin_object_inline(json, key);
	weir_jsonout_rounded(json, "p50", delay->p50_ns);
	weir_jsonout_rounded(json, "p90", delay->p90_ns);
	weir_jsonout_rounded(json, "p99", delay->p99_ns);
	weir_jsonout_rounded(json, "max", delay->max_ns);
	weir_jsonout_end(json);
}

static void put_launches(struct weir_jsonout *json, const struct weir_gpu_figures *gpu)
{
	weir_jsonout_begin_array(json, "launches");
	for (size_t i = 0; i < gpu->launch_count; i++) {
		const struct weir_launch_row *row = &gpu->launches[i];

		weir_jsonout_begin_object(json, NULL);
		weir_jsonout_text(json, "api", row->api);
		weir_jsonout_text(json, "work", row->work);
		weir_jsonout_int(json, "count", (int64_t)row->count);
		weir_jsonout_int(json, "early", (int64_t)row->early);
		put_delay(json, "call_ns", &row->call);
		put_delay(json, "delay_ns", &row->delay);
		put_delay(json, "queue_ns", &row->queue);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

static void put_waits(struct weir_jsonout *json, const struct weir_host_waits *waits)
{
	weir_jsonout_begin_object_inline(json, "host_waits");
	weir_jsonout_share(json, "sync_share", waits->sync_share);
	weir_jsonout_share(json, "launch_call_share", waits->launch_call_share);
	weir_jsonout_int(json, "syncs", (int64_t)waits->syncs);
	weir_jsonout_int(json, "blocking_copies", (int64_t)waits->blocking_copies);
	weir_jsonout_int(json, "scalar_reads", (int64_t)waits->scalar_reads);
	weir_jsonout_end(json);
}

void weir_json_put_launching(struct weir_jsonout *json, const struct weir_gpu_figures *gpu)
{
	put_idle_names(json, gpu);
	weir_jsonout_rounded(json, "inter_kernel_limit_ns", gpu->inter_kernel_limit_ns);
	put_queue(json, &gpu->queue);
	put_launches(json, gpu);
	put_waits(json, &gpu->waits);
}

static void put_device(struct weir_jsonout *json, const struct weir_memory_device *device)
{
	weir_jsonout_begin_object_inline(json, NULL);
	if (device->rank < 0)
		weir_jsonout_null(json, "rank");
	else
		weir_jsonout_int(json, "rank", device->rank);
	weir_jsonout_int(json, "device", device->device_id);
	weir_jsonout_rounded(json, "peak_allocated_bytes", device->peak_allocated_bytes);
	weir_jsonout_rounded(json, "peak_reserved_bytes", device->peak_reserved_bytes);
	weir_jsonout_share(json, "fragmentation", device->fragmentation);
	weir_jsonout_rounded(json, "leak_bytes_per_step", device->leak_bytes_per_step);
	weir_jsonout_share(json, "allocations_per_step", device->allocations_per_step);
	weir_jsonout_share(json, "used_share", device->used_share);
	weir_jsonout_end(json);
}

void weir_json_put_memory(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_memory_figures *memory = &report->memory;
	const struct weir_memory_device *largest = &memory->largest;

	if (!report->has_memory) {
		weir_jsonout_null(json, "memory");
		return;
	}
	weir_jsonout_begin_object(json, "memory");
	weir_jsonout_rounded(json, "peak_allocated_bytes", largest->peak_allocated_bytes);
	weir_jsonout_rounded(json, "peak_reserved_bytes", largest->peak_reserved_bytes);
	weir_jsonout_share(json, "fragmentation", largest->fragmentation);
	weir_jsonout_rounded(json, "leak_bytes_per_step", largest->leak_bytes_per_step);
	weir_jsonout_rounded(json, "slow_allocations", memory->slow_allocations);
	weir_jsonout_share(json, "allocations_per_step", largest->allocations_per_step);
	weir_jsonout_share(json, "used_share", largest->used_share);
	weir_jsonout_rounded(json, "slow_allocation_ns", memory->slow_allocation_ns);
	weir_jsonout_share(json, "slow_share", memory->slow_share);
	weir_jsonout_rounded(json, "allocator_calls", memory->allocator_calls);
	weir_jsonout_share(json, "allocator_share", memory->allocator_share);
	weir_jsonout_share(json, "allocator_of_host", memory->allocator_of_late);
	weir_jsonout_begin_array(json, "devices");
	for (size_t i = 0; i < memory->device_count; i++)
		put_device(json, &memory->devices[i]);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}
