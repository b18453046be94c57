/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives as the traces of the ranks have them, in terms that all ranks share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/ranks/ranks.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* Bytes of one element, by the names that PyTorch gives its types. */
static const struct {
	const char *name;
	double bytes;
} dtypes[] = {
	{"Double", 8},
	{"Long", 8},
	{"ComplexFloat", 8},
	{"Float", 4},
	{"Int", 4},
	{"Half", 2},
	{"BFloat16", 2},
	{"Short", 2},
	{"Char", 1},
	{"Byte", 1},
	{"Bool", 1},
	{"Float8_e4m3fn", 1},
	{"Float8_e5m2", 1},
	{"Float8_e4m3fnuz", 1},
	{"Float8_e5m2fnuz", 1},
};

/* What a message is measured by, and how often its bytes cross a link: of (n - 1) / n. Parts of
 * names, tried in order; other collectives have no such figure. */
static const struct {
	const char *part;
	bool of_output;
	double factor;
	bool whole; /* the factor as it is, without (n - 1) / n */
} kinds[] = {
	{"allreduce", false, 2, false},
	{"all_reduce", false, 2, false},
	{"allgather", true, 1, false},
	{"all_gather", true, 1, false},
	{"reduce_scatter", false, 1, false},
	{"all_to_all", false, 1, false},
	{"alltoall", false, 1, false},
	{"broadcast", false, 1, true},
	{"send", false, 1, true},
	{"recv", true, 1, true},
};

static double element_bytes(const char *dtype)
{
	for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
		if (strcmp(dtype, dtypes[i].name) == 0)
			return dtypes[i].bytes;
	return NAN;
}

static double link_bytes(const struct weir_trace *trace, const struct weir_collective *collective)
{
	const char *name = weir_names_text(trace->names, collective->name);
	double bytes = element_bytes(weir_names_text(trace->names, collective->dtype));
	double members = (double)collective->group_size;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		int64_t elements =
			kinds[i].of_output ? collective->elements_out : collective->elements_in;

		if (!strstr(name, kinds[i].part))
			continue;
		if (elements <= 0 || (!kinds[i].whole && members < 2))
			return NAN;
		return bytes * (double)elements * kinds[i].factor *
		       (kinds[i].whole ? 1 : (members - 1) / members);
	}
	return NAN;
}

/* Per device row the collective that it is, WEIR_NONE: without arguments. */
static uint32_t *index_collectives(const struct weir_trace *trace)
{
	uint32_t *of_row = weir_alloc((trace->device.count + 1) * sizeof *of_row);

	for (size_t i = 0; i < trace->device.count; i++)
		of_row[i] = WEIR_NONE;
	for (size_t i = 0; i < trace->collective_count; i++)
		if (trace->collectives[i].device_row < trace->device.count)
			of_row[trace->collectives[i].device_row] = (uint32_t)i;
	return of_row;
}

/* The names and ids of one trace mean nothing in another: the text does. */
static uint32_t shared_key(struct weir_names *shared, const struct weir_trace *trace, uint32_t row,
                           const struct weir_collective *collective, struct weir_text *scratch)
{
	const struct weir_names *names = trace->names;

	weir_text_clear(scratch);
	if (collective)
		weir_text_printf(scratch, "%s\n%s\n%s", weir_names_text(names, collective->group),
		                 weir_names_text(names, collective->members),
		                 weir_names_text(names, collective->name));
	else
		weir_text_puts(scratch, weir_names_text(names, trace->device.name[row]));
	return weir_names_add(shared, scratch->data, scratch->length);
}

struct collecting {
	struct weir_names *shared;
	struct weir_text scratch;
	int64_t first_base_ns; /* of the first trace that states one; 0: none yet */
};

/* Bases of one job are years from zero and seconds apart: what is further apart is no base. */
static int64_t base_of(struct collecting *collecting, const struct weir_trace *trace, bool *based)
{
	*based = trace->base_ns > 0;
	if (!*based)
		return 0;
	if (collecting->first_base_ns == 0)
		collecting->first_base_ns = trace->base_ns;
	return trace->base_ns - collecting->first_base_ns;
}

static void collect_device(struct collecting *collecting, const struct weir_rank *rank,
                           uint16_t device, const uint32_t *collective_of, struct weir_lane *lane)
{
	const struct weir_trace *trace = rank->trace;
	int64_t base_ns = base_of(collecting, trace, &lane->based);

	if (llabs(base_ns) > WEIR_ARRIVAL_MAX_NS)
		return;
	for (uint32_t i = rank->timeline.first_row[device];
	     i < rank->timeline.first_row[device + 1]; i++) {
		const struct weir_collective *collective =
			collective_of[i] == WEIR_NONE ? NULL
						      : &trace->collectives[collective_of[i]];
		int64_t start_ns = trace->device.start_ns[i], end_ns = trace->device.end_ns[i];

		if (rank->timeline.work[i] != WEIR_WORK_COMM || start_ns < -WEIR_ARRIVAL_MAX_NS ||
		    end_ns > WEIR_ARRIVAL_MAX_NS || start_ns > end_ns)
			continue;
		weir_lane_add(lane, &(struct weir_arrival){
					    .key = shared_key(collecting->shared, trace, i,
		                                              collective, &collecting->scratch),
					    .row = i,
					    .sequence = collective ? collective->sequence : -1,
					    .start_ns = start_ns + base_ns,
					    .end_ns = end_ns + base_ns,
					    .link_bytes = collective ? link_bytes(trace, collective)
		                                                     : NAN,
				    });
	}
}

size_t weir_lanes_collect(const struct weir_rank *ranks, size_t count, struct weir_lane **lanes,
                          struct weir_lane_place **places)
{
	struct collecting collecting = {.shared = weir_names_new()};
	size_t found = 0;

	*lanes = weir_alloc(WEIR_MAX_LANES * sizeof **lanes);
	*places = weir_alloc(WEIR_MAX_LANES * sizeof **places);
	for (size_t r = 0; r < count; r++) {
		uint32_t *collective_of = index_collectives(ranks[r].trace);

		for (size_t d = 0; d < ranks[r].trace->device_count && found < WEIR_MAX_LANES;
		     d++) {
			collect_device(&collecting, &ranks[r], (uint16_t)d, collective_of,
			               &(*lanes)[found]);
			if ((*lanes)[found].count > 0)
				(*places)[found++] =
					(struct weir_lane_place){(uint32_t)r, (uint16_t)d};
		}
		free(collective_of);
	}
	weir_text_release(&collecting.scratch);
	weir_names_free(collecting.shared);
	return found;
}
