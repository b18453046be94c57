/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/drift.h"
#include "engine/analysis/compare/history.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* Runs by the unit that they belong to: a session, or the run itself. */
struct units {
	size_t *unit; /* [run] */
	size_t count, anchor, newest;
	size_t anchor_runs, newest_runs;
};

static bool same_session(const struct weir_run *a, const struct weir_run *b)
{
	const char *left = weir_run_label(a, WEIR_RUN_SESSION);
	const char *right = weir_run_label(b, WEIR_RUN_SESSION);

	return left && right && strcmp(left, right) == 0;
}

/* True if the runs name two sessions or more. */
static bool have_sessions(const struct weir_run *const *runs, size_t count)
{
	bool several = false;

	for (size_t i = 0; i < count; i++) {
		if (!weir_run_label(runs[i], WEIR_RUN_SESSION))
			return false;
		several = several || !same_session(runs[i], runs[0]);
	}
	return several;
}

static size_t count_anchor(const struct weir_run *const *runs, const bool *pinned, size_t count)
{
	size_t found = 0;

	while (found < count &&
	       ((pinned && pinned[found]) || weir_run_label(runs[found], WEIR_DRIFT_PIN)))
		found++;
	return found;
}

/* Numbers the units in order of time. Runs of a session that do not follow each other are two
 * units. */
static void number_units(const struct weir_run *const *runs, size_t count, struct units *units)
{
	bool sessions = have_sessions(runs, count);

	units->unit = weir_alloc((count + 1) * sizeof(*units->unit));
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && !(sessions && same_session(runs[i], runs[i - 1])))
			units->count++;
		units->unit[i] = units->count;
	}
	units->count += count > 0;
}

/* Chooses the units of the anchor and the newest ones. Returns false if they overlap. */
static bool choose(const struct weir_run *const *runs, const bool *pinned, size_t count,
                   size_t new_runs, struct units *units)
{
	size_t anchor = count_anchor(runs, pinned, count), newest = new_runs;

	anchor = anchor > 0 ? anchor : WEIR_DRIFT_RUNS;
	newest = newest > WEIR_DRIFT_RUNS ? newest : WEIR_DRIFT_RUNS;
	if (anchor + newest > count)
		return false;
	units->anchor = units->unit[anchor - 1] + 1;
	units->newest = units->count - units->unit[count - newest];
	for (size_t i = 0; i < count; i++) {
		units->anchor_runs += units->unit[i] < units->anchor;
		units->newest_runs += units->unit[i] >= units->count - units->newest;
	}
	return units->anchor + units->newest <= units->count;
}

/* Adds the subjects of one table of the newest run. */
static void add_figures(struct weir_drift *drift, const struct weir_series_table *table,
                        enum weir_scope_kind kind, const struct weir_compare_policy *policy)
{
	enum weir_metric metric = WEIR_METRIC_DRIFT;

	for (size_t i = 0; i < table->count; i++) {
		struct weir_text scope = {0};
		struct weir_drift_figure *figure = &drift->figures[drift->count];

		weir_text_printf(&scope, "%s%s", weir_scope_word(kind), table->items[i].name);
		if (policy->treatment(policy->context, scope.data, metric) == WEIR_TREAT_JUDGE) {
			*figure = (struct weir_drift_figure){
				.kind = kind,
				.scope = weir_alloc_text(scope.data),
				.higher_is_better = table->items[i].higher_is_better,
				.margin = policy->margin(policy->context, scope.data, metric)};
			drift->count++;
		}
		weir_text_release(&scope);
	}
}

/* Fills the logs of one figure, mean over the runs of a unit; larger is worse. */
static void fill_figure(const struct weir_run *const *runs, size_t count, const struct units *units,
                        const struct weir_drift_figure *figure, double *y)
{
	struct weir_history_metric metric;
	size_t held = 0;

	weir_history_parse(figure->scope, &metric);
	if (figure->kind != WEIR_SCOPE_METRIC)
		metric.metric = WEIR_METRIC_SHIFT;
	for (size_t i = 0; i < count; i++) {
		double value = log(weir_history_value(runs[i], &metric));

		if (!isfinite(value))
			value = NAN;
		held = i > 0 && units->unit[i] == units->unit[i - 1] ? held + 1 : 1;
		value = figure->higher_is_better ? -value : value;
		y[units->unit[i]] += (value - (held > 1 ? y[units->unit[i]] : 0)) / (double)held;
	}
}

/* Lists the runs whose unit lies beyond half of the change. */
static void fill_carriers(size_t count, const struct units *units, const double *y,
                          struct weir_drift_figure *figure)
{
	double half = figure->cell.anchor + figure->cell.change / 2;

	figure->carriers = weir_alloc((count + 1) * sizeof(*figure->carriers));
	for (size_t i = 0; i < count; i++)
		if (units->unit[i] >= units->anchor && y[units->unit[i]] >= half)
			figure->carriers[figure->carrier_count++] = i;
}

static void test(const struct weir_run *const *runs, size_t count, size_t new_runs,
                 const struct units *units, double alpha, struct weir_drift *drift)
{
	double *y = weir_alloc((drift->count * units->count + 1) * sizeof(*y));
	double *margins = weir_alloc((drift->count + 1) * sizeof(*margins));
	struct weir_drift_cell *cells = weir_alloc((drift->count + 1) * sizeof(*cells));
	const struct weir_drift_input in = {
		drift->count, units->count, units->anchor, units->newest, y,
		margins,      alpha,        new_runs};

	for (size_t m = 0; m < drift->count; m++) {
		margins[m] = drift->figures[m].margin;
		fill_figure(runs, count, units, &drift->figures[m], y + m * units->count);
	}
	weir_drift_test(&in, cells);
	for (size_t m = 0; m < drift->count; m++) {
		drift->figures[m].cell = cells[m];
		if (cells[m].drifts)
			fill_carriers(count, units, y + m * units->count, &drift->figures[m]);
	}
	free(y);
	free(margins);
	free(cells);
}

void weir_drift_find(const struct weir_run *const *runs, const bool *pinned, size_t count,
                     size_t new_runs, const struct weir_compare_policy *policy,
                     struct weir_drift *out)
{
	struct units units = {0};

	*out = (struct weir_drift){0};
	if (new_runs == 0 || count < WEIR_DRIFT_LEAST + new_runs)
		return;
	number_units(runs, count, &units);
	if (choose(runs, pinned, count, new_runs, &units)) {
		const struct weir_run *newest = runs[count - 1];

		out->figures = weir_alloc(
			(newest->stages.count + newest->device.count + newest->metrics.count + 1) *
			sizeof(*out->figures));
		add_figures(out, &newest->stages, WEIR_SCOPE_STAGE, policy);
		add_figures(out, &newest->device, WEIR_SCOPE_DEVICE, policy);
		add_figures(out, &newest->metrics, WEIR_SCOPE_METRIC, policy);
		out->anchor_runs = units.anchor_runs;
		out->newest_runs = units.newest_runs;
		test(runs, count, new_runs, &units, policy->alpha_stages, out);
	}
	free(units.unit);
}

void weir_drift_release(struct weir_drift *drift)
{
	for (size_t i = 0; i < drift->count; i++) {
		free(drift->figures[i].scope);
		free(drift->figures[i].carriers);
	}
	free(drift->figures);
	*drift = (struct weir_drift){0};
}
