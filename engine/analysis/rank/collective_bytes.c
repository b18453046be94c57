/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "engine/analysis/rank/collective_bytes.h"

/* Bytes of one element, by PyTorch's type names. */
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

/* Message size and bus traffic by collective: parts of names, tried in order. The bytes that cross
 * each link are factor * (n - 1) / n * message size. Other collectives have no such figure. */
static const struct {
	const char *part;
	bool of_output;
	double factor;
	bool whole; /* use the factor without (n - 1) / n */
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

double weir_collective_link_bytes(const struct weir_trace *trace,
                                  const struct weir_collective *collective)
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
