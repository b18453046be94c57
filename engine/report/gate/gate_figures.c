/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define TEXT_COLUMNS 200 /* columns of a reason or a remark */
#define UNIT_COLUMNS 12
#define LONGEST_NS   1e17 /* three years: longer durations are printed with an exponent */
#define LARGEST      1e4  /* larger shares are printed with an exponent */
#define NO_CHANGE    5e-5 /* smaller shares are printed as 0, never as -0.00 */

void weir_gate_print_name(const char *name, struct weir_text *out)
{
	weir_cut_name(out, name, WEIR_NAME_COLUMNS);
}

void weir_gate_print_text(const char *text, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_escape_plain(&plain, text ? text : "-");
	weir_cut(out, plain.data ? plain.data : "", TEXT_COLUMNS);
	weir_text_release(&plain);
}

void weir_gate_print_subject(const struct weir_row *row, struct weir_text *out)
{
	switch (row->kind) {
	case WEIR_SCOPE_STAGE:
	case WEIR_SCOPE_METRIC:
		weir_escape_name(out, row->name);
		return;
	case WEIR_SCOPE_DEVICE:
		weir_escape_name(out, row->name);
		weir_text_puts(out, " (device)");
		return;
	case WEIR_SCOPE_OPERATOR:
		weir_escape_name(out, row->stage);
		weir_text_puts(out, "/");
		weir_escape_name(out, row->name);
		return;
	case WEIR_SCOPE_ALL_OPERATORS:
		weir_text_puts(out, "all operators");
		return;
	}
}

void weir_gate_print_row(const struct weir_row *row, struct weir_text *out)
{
	struct weir_text subject = {0};

	weir_gate_print_subject(row, &subject);
	weir_cut(out, subject.data, WEIR_NAME_COLUMNS);
	if (row->metric != WEIR_METRIC_VALUE)
		weir_text_printf(out, " %s", weir_metric_name(row->metric));
	weir_text_release(&subject);
}

/* Appends three significant digits, and all digits of a whole number: "0.0123", "61.2", "1,743". */
static void add_number(struct weir_text *out, double value)
{
	double size = fabs(value);

	if (!isfinite(value)) {
		weir_text_puts(out, "-");
	} else if (size >= 999.5 && size < 1e15) {
		weir_text_puts(out, value < 0 ? "-" : "");
		weir_text_count(out, (uint64_t)llround(size));
	} else if (size >= 1 && size < 1e15 && size != floor(size)) {
		weir_text_printf(out, "%.*f", size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2, value);
	} else {
		weir_text_printf(out, "%.3g", value);
	}
}

/* Appends a duration; hostile files may claim any. */
static void add_duration(struct weir_text *out, double ns)
{
	if (fabs(ns) < LONGEST_NS || !isfinite(ns))
		weir_text_duration(out, ns);
	else
		weir_text_printf(out, "%.2e ns", ns);
}

void weir_gate_print_value(double value, const char *unit, struct weir_text *out)
{
	struct weir_text plain = {0};

	if (unit && !strcmp(unit, "ns")) {
		add_duration(out, value);
		return;
	}
	add_number(out, value);
	if (!unit || !*unit || !isfinite(value))
		return;
	weir_escape_plain(&plain, unit);
	weir_text_puts(out, " ");
	weir_cut(out, plain.data, UNIT_COLUMNS);
	weir_text_release(&plain);
}

/* Appends both values; a unit that they share is written once. */
static void print_pair(const struct weir_row *row, struct weir_text *out)
{
	struct weir_text before = {0}, after = {0};
	const char *unit, *other;

	weir_gate_print_value(row->baseline, row->unit, &before);
	weir_gate_print_value(row->candidate, row->unit, &after);
	unit = strchr(before.data, ' ');
	other = strchr(after.data, ' ');
	if (unit && other && !strcmp(unit, other))
		weir_text_add(out, before.data, (size_t)(unit - before.data));
	else
		weir_text_puts(out, before.data);
	weir_text_printf(out, " -> %s", after.data);
	weir_text_release(&before);
	weir_text_release(&after);
}

/* Appends a percentage without its sign: one decimal, none for a large one, two for one that would
 * read 0.0. */
static void add_percent(struct weir_text *out, double share, bool with_sign)
{
	double percent = fabs(share) < NO_CHANGE ? 0 : share * 100, size = fabs(percent);
	int decimals = size >= 99.95 ? 0 : size >= 0.05 || size == 0 ? 1 : 2;

	if (!isfinite(percent))
		weir_text_puts(out, "-");
	else if (size >= 1e6)
		weir_text_printf(out, with_sign ? "%+.1e" : "%.1e", percent);
	else
		weir_text_printf(out, with_sign ? "%+.*f" : "%.*f", decimals, percent);
}

void weir_gate_print_change(double change, struct weir_text *out)
{
	add_percent(out, change, true);
	weir_text_puts(out, isfinite(change) ? " %" : "");
}

void weir_gate_print_size(double change, struct weir_text *out)
{
	add_percent(out, fabs(change), false);
	weir_text_puts(out, isfinite(change) ? " %" : "");
}

void weir_gate_print_limit(double share, struct weir_text *out)
{
	if (fabs(share) < LARGEST)
		weir_text_share(out, share);
	else
		weir_gate_print_size(share, out);
}

static void add_ends(const struct weir_row *row, const char *between, const char *unit,
                     struct weir_text *out)
{
	if (!isfinite(row->low) || !isfinite(row->high)) {
		weir_text_puts(out, "-");
		return;
	}
	add_percent(out, row->low, true);
	weir_text_puts(out, between);
	add_percent(out, row->high, true);
	weir_text_puts(out, unit);
}

void weir_gate_print_p(double p, struct weir_text *out)
{
	double scale;

	if (!isfinite(p)) {
		weir_text_puts(out, "-");
	} else if (p < 1e-6) {
		weir_text_puts(out, "<1e-6");
	} else if (p < 9.5e-4) {
		scale = pow(10, floor(log10(p)));
		scale *= p / scale >= 9.5 ? 10 : 1;
		weir_text_printf(out, "%.0fe%.0f", p / scale, log10(scale));
	} else {
		weir_text_printf(out, "%.*f", p < 0.0095 ? 3 : 2, p);
	}
}

void weir_gate_print_time_change(double delta_ns, struct weir_text *out)
{
	weir_text_puts(out, delta_ns > 0 ? "+" : delta_ns < 0 ? "-" : "");
	add_duration(out, fabs(delta_ns));
}

void weir_gate_print_calls(double baseline, double candidate, struct weir_text *out)
{
	if (!isfinite(baseline) && !isfinite(candidate))
		return;
	if (!isfinite(candidate)) {
		weir_text_puts(out, "gone");
		return;
	}
	if (!isfinite(baseline)) {
		weir_text_puts(out, "new, ");
	} else if (baseline != candidate) {
		add_number(out, baseline);
		weir_text_puts(out, " -> ");
	}
	add_number(out, candidate);
	weir_text_puts(out, candidate == 1 && !(baseline != candidate && isfinite(baseline))
	                            ? " call"
	                            : " calls");
}

void weir_gate_print_shell_word(const char *word, struct weir_text *out)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "%+,-./:=@_";
	struct weir_text plain = {0};

	weir_escape_plain(&plain, word);
	if (plain.length && plain.data[0] != '-' && plain.data[strspn(plain.data, safe)] == '\0') {
		weir_text_puts(out, plain.data);
		weir_text_release(&plain);
		return;
	}
	weir_text_puts(out, "'");
	for (const char *at = plain.data ? plain.data : ""; *at; at++) {
		if (*at == '\'')
			weir_text_puts(out, "'\\''");
		else
			weir_text_add(out, at, 1);
	}
	weir_text_puts(out, "'");
	weir_text_release(&plain);
}

void weir_gate_print_waiver(const struct weir_waiver *waiver, struct weir_text *out)
{
	if (waiver->expired)
		weir_text_puts(out, "EXPIRED, no longer covers: ");
	else if (waiver->exceeded)
		weir_text_puts(out, "EXCEEDED, does not cover this much: ");
	weir_gate_print_text(waiver->reason ? waiver->reason : "no reason given", out);
	if (isfinite(waiver->up_to)) {
		weir_text_puts(out, "; up to ");
		weir_gate_print_limit(waiver->up_to, out);
	}
	if (waiver->expires) {
		weir_text_puts(out, isfinite(waiver->up_to) ? ", until " : "; until ");
		weir_gate_print_text(waiver->expires, out);
	}
	if (waiver->issue) {
		weir_text_puts(out, "; ");
		weir_gate_print_text(waiver->issue, out);
	}
}

/* ---- templates ---- */

static void say_baseline(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_value(row->baseline, row->unit, out);
}

static void say_candidate(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_value(row->candidate, row->unit, out);
}

static void say_change(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_change(row->change, out);
}

static void say_interval(const struct weir_row *row, struct weir_text *out)
{
	add_ends(row, " to ", " %", out);
}

static void say_margin(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_limit(row->margin, out);
}

static void say_metric(const struct weir_row *row, struct weir_text *out)
{
	weir_text_puts(out, weir_metric_name(row->metric));
}

static void say_p(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_p(row->p_adjusted, out);
}

static void say_range(const struct weir_row *row, struct weir_text *out)
{
	add_ends(row, " .. ", "", out);
}

static void say_size(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_size(row->change, out);
}

static const struct {
	const char *name;
	void (*print)(const struct weir_row *row, struct weir_text *out);
} words[] = {
	{"baseline", say_baseline},
	{"candidate", say_candidate},
	{"change", say_change},
	{"interval", say_interval},
	{"margin", say_margin},
	{"metric", say_metric},
	{"p", say_p},
	{"pair", print_pair},
	{"range", say_range},
	{"row", weir_gate_print_row},
	{"size", say_size},
	{"subject", weir_gate_print_subject},
};

void weir_gate_say(const struct weir_row *row, const char *template, struct weir_text *out)
{
	while (*template) {
		size_t length = strcspn(template, "{"), word = 0;

		weir_text_add(out, template, length);
		template += length;
		if (!*template)
			return;
		length = strcspn(++template, "}");
		while (word < WEIR_COUNT_OF(words) &&
		       (strlen(words[word].name) != length ||
		        strncmp(words[word].name, template, length) != 0))
			word++;
		assert(word < WEIR_COUNT_OF(words));
		words[word].print(row, out);
		template += length + 1;
	}
}

const struct weir_gate_column weir_gate_columns[] = {
	{"scope", "scope", WEIR_ALIGN_LEFT, "{subject}"},
	{"metric", "metric", WEIR_ALIGN_LEFT, "{metric}"},
	{"baseline", "baseline", WEIR_ALIGN_RIGHT, "{baseline}"},
	{"candidate", "candidate", WEIR_ALIGN_RIGHT, "{candidate}"},
	{"change", "change", WEIR_ALIGN_RIGHT, "{change}"},
	{"interval", "90 % interval", WEIR_ALIGN_LEFT, "{interval}"},
	{"p", "adjusted p", WEIR_ALIGN_RIGHT, "{p}"},
	{"margin", "margin", WEIR_ALIGN_RIGHT, "{margin}"},
	{.id = NULL},
};
