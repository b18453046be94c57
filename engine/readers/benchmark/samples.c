/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads samples of any program: CSV with one row per sample and the columns name or stage, value,
 * unit (ns, us, ms, s) and, if the file holds several processes, run. Each run becomes one of its
 * own. Rows of a benchmark are in order of its iterations; further columns are ignored.
 */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/names.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_SERIES (1u << 16) /* benchmarks of all runs together */

static const struct weir_mark marks[] = {
	{.first = "", .cells = {{"name", "value", "unit", "run", "iteration"}, .all = 3}},
	{.first = "", .cells = {{"stage", "value", "unit", "run", "iteration"}, .all = 3}},
	{0},
};

enum column { NAME, VALUE, UNIT, RUN, COLUMNS };

/* A benchmark of a run: its place in the table of stages. */
struct place {
	struct weir_run *run;
	size_t index;
};

struct reading {
	struct weir_input *input;
	size_t column[COLUMNS];
	struct weir_names *run_names, *names; /* `names`: run and benchmark, joined */
	struct weir_run **runs;               /* by id of run_names */
	size_t run_count, run_capacity; /* of `runs`, which holds NULL for a name without rows */
	size_t made;                    /* runs */
	struct place *places;           /* by id of names */
	size_t place_count, place_capacity;
	struct weir_run **last; /* end of the chain of runs */
	struct weir_text key;
	size_t samples;
};

static enum weir_status find_columns(struct reading *reading, const struct weir_csv_row *header,
                                     struct weir_error *err)
{
	reading->column[NAME] = weir_csv_find(header, "name");
	if (reading->column[NAME] == WEIR_CSV_NO_COLUMN)
		reading->column[NAME] = weir_csv_find(header, "stage");
	reading->column[VALUE] = weir_csv_find(header, "value");
	reading->column[UNIT] = weir_csv_find(header, "unit");
	reading->column[RUN] = weir_csv_find(header, "run");
	for (size_t i = NAME; i <= UNIT; i++)
		if (reading->column[i] == WEIR_CSV_NO_COLUMN)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "line %llu: expected the columns name (or stage), value "
			                 "and unit",
			                 (unsigned long long)header->number);
	return WEIR_OK;
}

/* Finds or adds the run of a row. Without a column `run` the file is one run without a label. */
static enum weir_status find_run(struct reading *reading, struct weir_slice name,
                                 struct weir_run **out, struct weir_error *err)
{
	/* Id 0 is the empty text. */
	uint32_t id = weir_names_add(reading->run_names, name.data, name.length);
	struct weir_run *run;

	while (reading->run_count <= id) {
		reading->runs = weir_grow(reading->runs, &reading->run_capacity,
		                          reading->run_count + 1, sizeof(struct weir_run *));
		reading->runs[reading->run_count++] = NULL;
	}
	*out = reading->runs[id];
	if (*out)
		return WEIR_OK;
	if (reading->made >= WEIR_BENCHMARK_MAX_RUNS)
		return weir_fail(err, WEIR_E_LIMIT, "more than %u runs", WEIR_BENCHMARK_MAX_RUNS);
	run = weir_run_new();
	reading->made++;
	if (name.length)
		weir_run_set_label(run, "run", weir_names_text(reading->run_names, id));
	*reading->last = run;
	reading->last = &run->next;
	*out = reading->runs[id] = run;
	return WEIR_OK;
}

static enum weir_status add_place(struct reading *reading, struct weir_run *run,
                                  struct weir_slice name, struct weir_error *err)
{
	struct weir_text text = {0};
	struct weir_series *series;
	enum weir_status status;

	if (reading->place_count >= MAX_SERIES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %u benchmarks in all runs",
		                 MAX_SERIES);
	weir_text_add(&text, name.data, name.length);
	status = weir_benchmark_add(&run->stages, text.data, &series, err);
	weir_text_release(&text);
	if (status)
		return status;
	reading->places = weir_grow(reading->places, &reading->place_capacity,
	                            reading->place_count + 1, sizeof(*reading->places));
	reading->places[reading->place_count++] = (struct place){run, run->stages.count - 1};
	return WEIR_OK;
}

static enum weir_status find_series(struct reading *reading, const struct weir_csv_row *row,
                                    struct weir_series **out, struct weir_error *err)
{
	struct weir_slice run_name = weir_csv_cell(row, reading->column[RUN]);
	struct weir_slice name = weir_csv_cell(row, reading->column[NAME]);
	struct weir_run *run;
	const struct place *place;
	uint32_t id;

	if (find_run(reading, run_name, &run, err))
		return err->status;
	weir_text_clear(&reading->key);
	weir_text_add(&reading->key, run_name.data, run_name.length);
	weir_text_add(&reading->key, "\n", 1);
	weir_text_add(&reading->key, name.data, name.length);
	/* No key is empty, so that ids count from 1. */
	id = weir_names_add(reading->names, reading->key.data, reading->key.length);
	if (id > reading->place_count && add_place(reading, run, name, err))
		return err->status;
	place = &reading->places[id - 1];
	*out = &place->run->stages.items[place->index];
	return WEIR_OK;
}

static enum weir_status take_row(struct reading *reading, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_slice value = weir_csv_cell(row, reading->column[VALUE]);
	struct weir_slice unit = weir_csv_cell(row, reading->column[UNIT]);
	struct weir_series *series = NULL;
	double unit_ns = weir_benchmark_unit_ns(unit), number = 0;

	if (row->count <= reading->column[NAME] || row->count <= reading->column[VALUE] ||
	    row->count <= reading->column[UNIT]) {
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return WEIR_OK;
	}
	if (unit_ns <= 0 && row->cut) {
		weir_input_warn(reading->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return WEIR_OK;
	}
	if (unit_ns <= 0)
		return weir_fail(err, WEIR_E_FORMAT, "unit: expected ns, us, ms or s, not \"%.*s\"",
		                 (int)(unit.length < 40 ? unit.length : 40), unit.data);
	if (!weir_parse_double(value.data, value.length, &number)) {
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		return WEIR_OK;
	}
	if (reading->samples++ >= WEIR_BENCHMARK_MAX_SAMPLES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %u samples: write several files",
		                 WEIR_BENCHMARK_MAX_SAMPLES);
	if (find_series(reading, row, &series, err))
		return err->status;
	weir_benchmark_push(reading->input, series, number * unit_ns);
	return WEIR_OK;
}

static enum weir_status read_rows(struct reading *reading, struct weir_csv *csv,
                                  struct weir_error *err)
{
	const struct weir_csv_row *row;
	bool has_header = false;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (!row->count)
			continue;
		if (!has_header)
			status = find_columns(reading, row, err);
		else if (take_row(reading, row, err))
			status = weir_fail_in(err, "line %llu", (unsigned long long)row->number);
		if (status)
			return status;
		has_header = true;
	}
	if (weir_csv_skipped(csv)->count)
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT,
		                weir_csv_skipped(csv)->first_at, NULL);
	return status;
}

static enum weir_status read_samples(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	static const struct weir_csv_options options = {
		.separator = ',', .quotes = true, .trim = true};
	struct reading reading = {.input = input, .last = &input->run};
	struct weir_csv *csv = weir_csv_new(source, &options);
	enum weir_status status;

	reading.run_names = weir_names_new();
	reading.names = weir_names_new();
	status = read_rows(&reading, csv, err);
	weir_damage_of_source(input, source);
	weir_csv_free(csv);
	weir_names_free(reading.run_names);
	weir_names_free(reading.names);
	weir_text_release(&reading.key);
	free(reading.runs);
	free(reading.places);
	return status ? status : weir_benchmark_finish(input, err);
}

const struct weir_reader weir_reader_samples = {
	.name = "samples",
	.title = "samples of any benchmark (CSV: name or stage,value,unit[,run][,iteration])",
	.gives = "native run",
	.marks = marks,
	.read = read_samples,
};
