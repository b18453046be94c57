/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures without samples: percentiles of one latency, and thresholds by configuration. */
#include <math.h>
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/wrapper.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/jsonleaves.h"
#include "engine/readers/parts/wholejson.h"

/* A number that is not there is counted, unless the file says so itself. */
static double number_of(struct weir_input *input, const struct weir_jsonleaf *leaf)
{
	bool odd = false;
	double value = weir_jsonleaf_number(leaf, &odd);

	if (odd)
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, leaf->at, NULL);
	return value;
}

static enum weir_status conclude(struct weir_input *input, struct weir_error *err)
{
	if (!input->run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY, "no figure in this report is a number");
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}

/* ---- percentiles of one latency ---- */

/* A spread is neither better nor worse, and extremes are single iterations. */
static enum weir_status take_statistic(void *context, const struct weir_jsonleaf *leaf,
                                       struct weir_error *err)
{
	static const char *const statistics[][2] = {
		{"mean_ms", "mean_latency_ms"}, {"p50_ms", "median_latency_ms"},
		{"p90_ms", "p90_latency_ms"},   {"p95_ms", "p95_latency_ms"},
		{"p99_ms", "p99_latency_ms"},
	};
	struct weir_input *input = context;

	(void)err;
	if (strcmp(leaf->path, "num_iterations") == 0)
		weir_figure_label(input->run, "num_iterations", leaf->text);
	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++)
		if (strcmp(leaf->path, statistics[i][0]) == 0) {
			double value = number_of(input, leaf);

			/* No iteration takes no time: nothing was measured. */
			weir_figure_add(input->run, statistics[i][1], "ms", false,
			                value > 0 ? value : NAN);
		}
	return WEIR_OK;
}

enum weir_status weir_wrapper_latency(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	const struct weir_jsonleaves leaves = {.leaf = take_statistic, .context = input};
	enum weir_status status;

	input->run = weir_run_new();
	status = weir_jsonleaves_read(&leaves, source, err);
	return status ? status : conclude(input, err);
}

/* ---- figures by configuration ---- */

#define MAX_CONFIGURATION 128 /* bytes of its name */

struct configurations {
	struct weir_input *input;
	struct weir_text prefix; /* "CONFIG/" of the one that is being read */
	struct weir_text date;   /* of the one read last */
	size_t count;
};

static enum weir_status take_figure(void *context, const struct weir_jsonleaf *leaf,
                                    struct weir_error *err)
{
	struct configurations *all = context;
	struct weir_run *run = all->input->run;
	const char *metric =
		strncmp(leaf->path, "metrics/", 8) == 0 ? leaf->path + strlen("metrics/") : NULL;
	struct weir_text name = {0};

	if (strcmp(leaf->path, "timestamp") == 0) {
		weir_text_clear(&all->date);
		weir_text_add(&all->date, leaf->text.data, leaf->text.length);
	}
	if (!metric || !*metric || leaf->quoted)
		return WEIR_OK;
	if (run->metrics.count == WEIR_FIGURE_MAX)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d figures", WEIR_FIGURE_MAX);
	weir_text_printf(&name, "%s%s", all->prefix.data, metric);
	weir_figure_add(run, name.data, weir_figure_unit(metric),
	                weir_figure_higher_is_better(metric), number_of(all->input, leaf));
	weir_text_release(&name);
	return WEIR_OK;
}

static enum weir_status take_configuration(void *context, const struct weir_jsonscan_item *item,
                                           struct weir_error *err)
{
	struct configurations *all = context;
	const struct weir_jsonleaves leaves = {.leaf = take_figure, .context = all};
	struct weir_text scratch = {0};
	struct weir_slice name = weir_jsoncursor_decode(item->key, &scratch, NULL);
	enum weir_status status = WEIR_OK;

	if (item->text.data[0] != '{' || !name.length || name.length > MAX_CONFIGURATION) {
		weir_input_warn(all->input, WEIR_WARN_SKIPPED_EVENT, item->at, NULL);
	} else {
		all->count++;
		weir_text_clear(&all->prefix);
		weir_text_add(&all->prefix, name.data, name.length);
		weir_text_puts(&all->prefix, "/");
		status = weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, item->text, item->at,
		                              err);
		if (status)
			status = weir_fail_in(err, "%s", all->prefix.data);
	}
	weir_text_release(&scratch);
	return status;
}

/* One configuration is one run under labels; it needs no prefix. */
static void drop_prefix(struct configurations *all)
{
	struct weir_run *run = all->input->run;
	size_t length = all->prefix.length;

	for (size_t i = 0; i < run->metrics.count; i++) {
		char *name = run->metrics.items[i].name;

		memmove(name, name + length, strlen(name + length) + 1);
	}
	all->prefix.data[length - 1] = '\0';
	weir_run_set_label(run, "config", all->prefix.data);
	weir_figure_label(run, "date", (struct weir_slice){all->date.data, all->date.length});
}

/*
 * One input is one run. A file of several configurations is one run as well, for that is how it was
 * written: the figures of each go under its name, "CONFIG/NAME".
 */
enum weir_status weir_wrapper_configurations(struct weir_source *source, struct weir_input *input,
                                             struct weir_error *err)
{
	struct configurations all = {.input = input};
	const struct weir_wholejson document = {.member = take_configuration,
	                                        .context = &all,
	                                        .expected = "one object a configuration"};
	enum weir_status status;

	input->run = weir_run_new();
	status = weir_wholejson_read(&document, source, err);
	if (!status)
		status = conclude(input, err);
	if (!status && all.count == 1)
		drop_prefix(&all);
	weir_text_release(&all.prefix);
	weir_text_release(&all.date);
	return status;
}
