/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/profile.h"

struct weir_profile *weir_profile_new(void)
{
	return weir_alloc(sizeof(struct weir_profile));
}

bool weir_input_is_timeline(const struct weir_input *input)
{
	return input->trace || input->packed_trace;
}

/* Adds an interval to [facts->start_ns, facts->end_ns); times that exceed int64_t do not count. */
static void widen(struct weir_trace_facts *facts, int64_t base_ns, int64_t start_ns, int64_t end_ns)
{
	if (start_ns > INT64_MAX - base_ns || end_ns > INT64_MAX - base_ns || end_ns <= start_ns)
		return;
	start_ns += base_ns;
	end_ns += base_ns;
	if (facts->start_ns == facts->end_ns) {
		facts->start_ns = start_ns;
		facts->end_ns = end_ns;
	}
	facts->start_ns = start_ns < facts->start_ns ? start_ns : facts->start_ns;
	facts->end_ns = end_ns > facts->end_ns ? end_ns : facts->end_ns;
}

struct weir_trace_facts weir_input_facts(const struct weir_input *input)
{
	const struct weir_trace *trace = input->trace;
	struct weir_trace_facts facts = {.rank = -1};

	if (!trace)
		return input->packed_trace ? input->packed_facts : facts;
	facts.rank = trace->rank;
	facts.world_size = trace->world_size;
	for (size_t r = 0; trace->base_ns > 0 && r < trace->device.count; r++)
		widen(&facts, trace->base_ns, trace->device.start_ns[r], trace->device.end_ns[r]);
	for (size_t r = 0; trace->base_ns > 0 && trace->device.count == 0 && r < trace->host.count;
	     r++)
		widen(&facts, trace->base_ns, trace->host.start_ns[r], trace->host.end_ns[r]);
	for (size_t d = 0; trace->device.count > 0 && d < trace->device_count; d++)
		facts.devices += trace->devices[d].described || trace->device_count == 1;
	return facts;
}

void weir_input_release(struct weir_input *input)
{
	free(input->path);
	free(input->node);
	free(input->packed.data);
	weir_trace_free(input->trace);
	weir_run_free(input->run);
	weir_run_free(input->repeats);
	weir_requests_free(input->requests);
	weir_server_log_free(input->server);
	weir_telemetry_free(input->telemetry);
	weir_billing_free(input->billing);
	weir_counters_free(input->counters);
	weir_host_profile_free(input->host_profile);
	weir_scrape_free(input->scrape);
}

void weir_profile_free(struct weir_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->input_count; i++)
		weir_input_release(&profile->inputs[i]);
	free(profile->inputs);
	free(profile);
}

struct weir_input *weir_profile_add_input(struct weir_profile *profile, const char *path)
{
	size_t size = strlen(path) + 1;
	struct weir_input *input;

	profile->inputs = weir_grow(profile->inputs, &profile->input_capacity,
	                            profile->input_count + 1, sizeof(*profile->inputs));
	input = &profile->inputs[profile->input_count++];
	*input = (struct weir_input){0};
	input->path = weir_alloc(size);
	memcpy(input->path, path, size);
	return input;
}

int64_t weir_input_rank(const struct weir_input *input)
{
	if (input->trace)
		return input->trace->rank;
	return input->packed_trace ? input->packed_facts.rank : -1;
}

void weir_profile_take(struct weir_profile *profile, struct weir_profile *from)
{
	size_t count = profile->input_count + from->input_count;

	if (from->input_count == 0)
		return;
	profile->inputs = weir_grow(profile->inputs, &profile->input_capacity, count,
	                            sizeof *profile->inputs);
	memcpy(profile->inputs + profile->input_count, from->inputs,
	       from->input_count * sizeof *from->inputs);
	profile->input_count = count;
	from->input_count = 0;
}

/* Copies as much of the text as fits, cut between two UTF-8 characters. */
static void copy_cut(char *to, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size) {
		len = size - 1;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(to, text, len);
	to[len] = '\0';
}

void weir_input_warn(struct weir_input *input, enum weir_warning_code code, uint64_t at,
                     const char *detail)
{
	struct weir_warning *warning = &input->warnings[code];

	if (warning->count++ > 0)
		return;
	warning->first_at = at;
	if (detail)
		copy_cut(warning->detail, sizeof(warning->detail), detail);
}

void weir_input_warn_of_tool(struct weir_input *input, uint64_t at, const char *text)
{
	static const char between[] = "; ";
	struct weir_warning *warning = &input->warnings[WEIR_WARN_OF_TOOL];
	size_t used = strlen(warning->detail);

	weir_input_warn(input, WEIR_WARN_OF_TOOL, at, text);
	if (warning->count == 1 || strstr(warning->detail, text) ||
	    used + sizeof(between) + strlen(text) > sizeof(warning->detail))
		return;
	memcpy(warning->detail + used, between, sizeof(between) - 1);
	memcpy(warning->detail + used + sizeof(between) - 1, text, strlen(text) + 1);
}
