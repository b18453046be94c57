/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/plain/escape.h"

#define NAME_COLUMNS 40  /* of a name inside a sentence */
#define TEXT_COLUMNS 200 /* of a reason or a remark */
#define UNIT_COLUMNS 12
#define LONGEST_NS   1e17 /* three years */
#define LARGEST      1e4  /* a limit above 1,000,000 % is none */
#define NO_CHANGE    5e-5 /* a share whose percentage would read 0.00, or worse -0.00 */

static void add_cut(struct weir_text *out, const char *plain, size_t columns)
{
	if (plain)
		weir_cut(out, plain, columns);
}

void weir_gate_print_name(const char *name, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_escape_name(&plain, name);
	add_cut(out, plain.data, NAME_COLUMNS);
	weir_text_release(&plain);
}

void weir_gate_print_text(const char *text, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_escape_plain(&plain, text ? text : "-");
	add_cut(out, plain.data, TEXT_COLUMNS);
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
	add_cut(out, subject.data, NAME_COLUMNS);
	if (row->metric != WEIR_METRIC_VALUE)
		weir_text_printf(out, " %s", weir_metric_name(row->metric));
	weir_text_release(&subject);
}

/* Three digits, and all of a whole number: "0.0123", "61.2", "1,743". */
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

/* A file can claim any figure: what no clock measures gets no more digits for it. */
static void add_duration(struct weir_text *out, double ns)
{
	if (fabs(ns) < LONGEST_NS || !isfinite(ns))
		weir_text_duration(out, ns);
	else
		weir_text_printf(out, "%.2e ns", ns);
}

static void add_value(struct weir_text *out, double value, const char *unit)
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
	add_cut(out, plain.data, UNIT_COLUMNS);
	weir_text_release(&plain);
}

void weir_gate_print_baseline(const struct weir_row *row, struct weir_text *out)
{
	add_value(out, row->baseline, row->unit);
}

void weir_gate_print_candidate(const struct weir_row *row, struct weir_text *out)
{
	add_value(out, row->candidate, row->unit);
}

/* The unit is said once where both sides have the same. */
void weir_gate_print_pair(const struct weir_row *row, struct weir_text *out)
{
	struct weir_text before = {0}, after = {0};
	const char *unit, *other;

	weir_gate_print_baseline(row, &before);
	weir_gate_print_candidate(row, &after);
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

/* A percentage's figure: one decimal, none where it is large, two where it would be 0.0. */
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

void weir_gate_print_interval(const struct weir_row *row, struct weir_text *out)
{
	add_ends(row, " to ", " %", out);
}

void weir_gate_print_range(const struct weir_row *row, struct weir_text *out)
{
	add_ends(row, " .. ", "", out);
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

/* "26 -> 58 calls", "new, 2 calls", "gone"; nothing where neither is known. */
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

void weir_gate_print_counted(uint64_t count, const char *singular, struct weir_text *out)
{
	weir_text_count(out, count);
	weir_text_printf(out, " %s%s", singular, count == 1 ? "" : "s");
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
