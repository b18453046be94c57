/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/gate.h"
#include "engine/stats/gate_impl.h"
#include "engine/stats/outlier.h"

/* Columns of one row, [subject] each, of those that both sides have. */
struct columns {
	double *ratio, *error, *floor;
	size_t *subject;
	struct weir_outlier_cell *cells;
	size_t count;
};

static void columns_init(struct columns *columns, size_t subjects)
{
	columns->ratio = weir_alloc((3 * subjects + 1) * sizeof(double));
	columns->error = columns->ratio + subjects;
	columns->floor = columns->error + subjects;
	columns->subject = weir_alloc((subjects + 1) * sizeof(*columns->subject));
	columns->cells = weir_alloc((subjects + 1) * sizeof(*columns->cells));
}

static void columns_release(struct columns *columns)
{
	free(columns->ratio);
	free(columns->subject);
	free(columns->cells);
}

static void collect(const struct weir_gate_row *row, struct columns *columns)
{
	const struct weir_gate_input *in = row->in;

	columns->count = 0;
	for (size_t m = 0; m < in->subjects; m++) {
		const struct weir_gate_cell *cell = &row->cells[m];
		size_t at = columns->count;

		if (isnan(cell->change))
			continue;
		columns->ratio[at] = cell->change;
		columns->error[at] =
			in->within_error ? in->within_error[row->index * in->subjects + m] : NAN;
		columns->floor[at] = cell->width * weir_gate_row_floor(row, m);
		columns->subject[at] = m;
		columns->count++;
	}
}

static void judge(const struct weir_gate_row *row, const struct columns *columns, double df)
{
	const struct weir_gate_input *in = row->in;

	for (size_t i = 0; i < columns->count; i++) {
		struct weir_gate_cell *cell = &row->cells[columns->subject[i]];
		const struct weir_outlier_cell *found = &columns->cells[i];
		size_t at = row->index * in->subjects + columns->subject[i];

		cell->relative = found->relative;
		cell->df = df;
		cell->variance = found->scale * found->scale / cell->width;
		cell->p = found->p;
		cell->p_faster = found->p_faster;
		cell->tested = columns->count >= WEIR_GATE_LEAST_OPERATORS &&
		               (!in->tested || in->tested[at]);
	}
}

void weir_gate_outliers(const struct weir_gate_input *in, struct weir_gate_cell *cells)
{
	bool one = in->baseline_runs == 1 && in->candidate_runs == 1;
	double df = one ? WEIR_OUTLIER_DF_ONE : WEIR_OUTLIER_DF_FEW;
	struct weir_gate_row row;
	struct columns columns = {0};

	weir_gate_row_init(&row, in);
	columns_init(&columns, in->subjects);
	for (size_t k = 0; k < in->rows; k++) {
		struct weir_outlier_input outliers;

		weir_gate_row_fill(&row, k, cells + k * in->subjects);
		collect(&row, &columns);
		outliers = (struct weir_outlier_input){columns.ratio, columns.error, columns.floor,
		                                       columns.count, df};
		weir_outlier_test(&outliers, columns.cells);
		judge(&row, &columns, df);
		/* Nothing rests on a variance between runs, so no other number of runs does. */
		for (size_t m = 0; m < in->subjects; m++)
			cells[k * in->subjects + m].residual_df = NAN;
	}
	columns_release(&columns);
	weir_gate_row_release(&row);
}
