/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/readers/parts/figures.h"

void weir_figure_add(struct weir_run *run, const char *name, const char *unit,
                     bool higher_is_better, double value)
{
	struct weir_series *series;

	if (!isfinite(value) || run->metrics.count >= WEIR_FIGURE_MAX ||
	    weir_series_find(&run->metrics, name))
		return;
	series = weir_series_get(&run->metrics, name);
	series->higher_is_better = higher_is_better;
	series->unit = weir_alloc_text(unit);
	weir_series_push(series, value);
}

static bool means_unknown(struct weir_slice raw)
{
	static const char *const words[] = {"null", "NaN", "None", "none", "N/A", "", NULL};

	for (size_t i = 0; words[i]; i++)
		if (weir_slice_equals(raw, words[i]))
			return true;
	return false;
}

void weir_figure_label(struct weir_run *run, const char *key, struct weir_slice raw)
{
	struct weir_text scratch = {0}, value = {0};
	struct weir_slice text = weir_jsoncursor_decode(raw, &scratch, NULL);

	weir_text_add(&value, text.data, text.length);
	if (!means_unknown(text) && value.length <= WEIR_FIGURE_LABEL_TEXT &&
	    (run->label_count < WEIR_FIGURE_MAX_LABELS || weir_run_label(run, key)))
		weir_run_set_label(run, key, value.data);
	weir_text_release(&scratch);
	weir_text_release(&value);
}

const char *weir_figure_unit(const char *name)
{
	static const struct {
		const char *ending, *unit;
	} units[] = {
		{"_per_sec", "1/s"}, {"_per_s", "1/s"}, {"_per_second", "1/s"}, {"_rps", "1/s"},
		{"_qps", "1/s"},     {"_tps", "1/s"},   {"_ns", "ns"},          {"_us", "us"},
		{"_ms", "ms"},       {"_sec", "s"},     {"_seconds", "s"},      {"_s", "s"},
		{"_kb", "kB"},       {"_mb", "MB"},     {"_gb", "GB"},          {"_mib", "MiB"},
		{"_gib", "GiB"},     {"_bytes", "B"},   {"_pct", "%"},          {"_percent", "%"},
		{"_usd", "USD"},
	};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t ending = strlen(units[i].ending);

		if (length > ending && strcmp(name + length - ending, units[i].ending) == 0)
			return units[i].unit;
	}
	return NULL;
}

bool weir_figure_higher_is_better(const char *name)
{
	static const char *const words[] = {"per_s",   "throughput", "goodput",  "_rps",  "_qps",
	                                    "_tps",    "active",     "util",     "mfu",   "mbu",
	                                    "speedup", "hit_rate",   "accuracy", "flops", NULL};
	/* "p95_ms_per_step" and similar names are times although they contain "per_s". */
	static const char *const times[] = {"latency", "_ms", "_us", "_ns", NULL};

	for (size_t i = 0; times[i]; i++)
		if (strstr(name, times[i]))
			return false;
	for (size_t i = 0; words[i]; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

double weir_figure_label_number(const struct weir_run *run, const char *key)
{
	const char *text = weir_run_label(run, key);
	double value;

	return text && weir_parse_double(text, strlen(text), &value) ? value : NAN;
}
