/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/model/feature.h"
#include "engine/model/template.h"

#define ID_MAX    64   /* bytes of a feature id */
#define COUNT_MAX 1e15 /* larger counts are written without separators */
#define FLOP_STEP 1000.0

static void write_ratio(struct weir_text *out, double value)
{
	double size = fabs(value);

	weir_text_printf(out, "%.*f", size < 10 ? 2 : size < 100 ? 1 : 0, value);
}

static void write_count(struct weir_text *out, double value)
{
	double whole = round(value);

	if (whole >= 0 && whole <= COUNT_MAX)
		weir_text_count(out, (uint64_t)whole);
	else
		weir_text_printf(out, "%.0f", whole);
}

/* Writes "1 launch call" or "64 launch calls". */
static void write_launches(struct weir_text *out, double value)
{
	write_count(out, value);
	weir_text_puts(out, round(value) == 1 ? " launch call" : " launch calls");
}

static void write_flops(struct weir_text *out, double value)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E", NULL};
	size_t step = 0;

	while (fabs(value) >= FLOP_STEP && prefixes[step + 1]) {
		value /= FLOP_STEP;
		step++;
	}
	write_ratio(out, value);
	weir_text_printf(out, " %sFLOP", prefixes[step]);
}

static void write_flag(struct weir_text *out, double value)
{
	weir_text_puts(out, value != 0 ? "yes" : "no");
}

struct format {
	const char *name;
	void (*write)(struct weir_text *out, double value); /* the value is not NAN */
};

static const struct format formats[] = {
	{"share", weir_text_share}, {"ratio", write_ratio},       {"duration", weir_text_duration},
	{"count", write_count},     {"launches", write_launches}, {"bytes", weir_text_bytes},
	{"flops", write_flops},     {"flag", write_flag},         {NULL, NULL},
};

static const char *format_of_unit(enum weir_unit unit)
{
	switch (unit) {
	case WEIR_UNIT_SHARE:
		return "share";
	case WEIR_UNIT_RATIO:
		return "ratio";
	case WEIR_UNIT_NS:
		return "duration";
	case WEIR_UNIT_COUNT:
		return "count";
	case WEIR_UNIT_BYTES:
		return "bytes";
	case WEIR_UNIT_FLOPS:
		return "flops";
	case WEIR_UNIT_FLAG:
		return "flag";
	}
	return "ratio"; /* an invalid value */
}

static const struct format *find_format(const char *name, size_t len)
{
	for (const struct format *format = formats; format->name; format++) {
		if (strncmp(format->name, name, len) == 0 && format->name[len] == '\0')
			return format;
	}
	return NULL;
}

/* The text between two braces: "id" or "id:format". */
struct slot {
	const char *id, *format; /* format: NULL if none is given */
	size_t id_length, format_length;
	const char *end; /* after the closing brace */
};

/* Parses the placeholder at `open`, which is a "{". Returns false if no "}" closes it. */
static bool read_slot(const char *open, struct slot *slot)
{
	const char *id = open + 1;
	size_t inside = strcspn(id, "{}");

	if (id[inside] != '}')
		return false;
	const char *colon = memchr(id, ':', inside);
	*slot = (struct slot){.id = id, .id_length = inside, .end = id + inside + 1};
	if (colon) {
		slot->id_length = (size_t)(colon - id);
		slot->format = colon + 1;
		slot->format_length = inside - slot->id_length - 1;
	}
	return true;
}

static bool doubled(const char *at)
{
	return at[0] == at[1];
}

static enum weir_status check_slot(const struct slot *slot,
                                   const struct weir_feature_table *features, unsigned subjects,
                                   struct weir_error *err)
{
	char id[ID_MAX + 1];
	size_t row;

	if (slot->id_length == 0 || slot->id_length > ID_MAX)
		return weir_fail(err, WEIR_E_USAGE, "braces hold a feature, as in {gpu_active}");
	memcpy(id, slot->id, slot->id_length);
	id[slot->id_length] = '\0';
	enum weir_status status = weir_feature_require(features, id, subjects, &row, err);
	if (status)
		return status;
	if (slot->format && !find_format(slot->format, slot->format_length))
		return weir_fail(
			err, WEIR_E_USAGE,
			"{%s:...}: formats are share, ratio, duration, count, launches, bytes, "
			"flops, flag",
			id);
	return WEIR_OK;
}

enum weir_status weir_template_check(const char *template,
                                     const struct weir_feature_table *features, unsigned subjects,
                                     struct weir_error *err)
{
	const char *at = template;
	struct slot slot;

	while (*(at += strcspn(at, "{}"))) {
		if (doubled(at)) {
			at += 2;
			continue;
		}
		if (*at == '}' || !read_slot(at, &slot))
			return weir_fail(err, WEIR_E_USAGE,
			                 "stray brace at character %zu; write {{ or }} for one",
			                 (size_t)(at - template) + 1);
		enum weir_status status = check_slot(&slot, features, subjects, err);
		if (status)
			return status;
		at = slot.end;
	}
	return WEIR_OK;
}

/* Writes the figure; clears *known if it was not measured. Returns false for an unknown feature or
 * format. */
static bool expand_slot(const struct slot *slot, const struct weir_feature_table *features,
                        const double *values, struct weir_text *out, bool *known)
{
	size_t row = weir_feature_find(features, slot->id, slot->id_length);

	if (row == WEIR_NO_FEATURE)
		return false;
	const char *name = slot->format ? slot->format : format_of_unit(features->items[row].unit);
	const struct format *format =
		find_format(name, slot->format ? slot->format_length : strlen(name));
	if (!format)
		return false;
	if (isfinite(values[row]))
		format->write(out, values[row]);
	else
		weir_text_puts(out, "?");
	*known = *known && isfinite(values[row]);
	return true;
}

bool weir_template_expand(const char *template, const struct weir_feature_table *features,
                          const double *values, struct weir_text *out)
{
	const char *at = template;
	bool known = true;

	while (*at) {
		size_t plain = strcspn(at, "{}");
		weir_text_add(out, at, plain);
		at += plain;
		if (!*at)
			break;
		struct slot slot;
		if (!doubled(at) && *at == '{' && read_slot(at, &slot) &&
		    expand_slot(&slot, features, values, out, &known)) {
			at = slot.end;
			continue;
		}
		weir_text_add(out, at, 1);
		at += doubled(at) ? 2 : 1;
	}
	return known;
}

/* Appends a part without its last bracket: "short kernels (median {kernel_p50_ns})". */
static bool expand_unbracketed(const char *part, const struct weir_feature_table *features,
                               const double *values, struct weir_text *out)
{
	const char *open = strstr(part, " ("), *close = open ? strrchr(open, ')') : NULL;
	struct weir_text rest = {0};
	bool known = false;

	if (close) {
		weir_text_add(&rest, part, (size_t)(open - part));
		weir_text_puts(&rest, close + 1);
		known = weir_template_expand(rest.data, features, values, out);
	}
	weir_text_release(&rest);
	return known;
}

void weir_template_expand_known(const char *template, const struct weir_feature_table *features,
                                const double *values, struct weir_text *out)
{
	static const char separator[] = "; ";
	struct weir_text part = {0}, plain = {0};
	size_t written = 0;

	for (const char *at = template, *end; at; at = end ? end + strlen(separator) : NULL) {
		end = strstr(at, separator);
		weir_text_clear(&part);
		weir_text_clear(&plain);
		weir_text_add(&part, at, end ? (size_t)(end - at) : strlen(at));
		if (!weir_template_expand(part.data ? part.data : "", features, values, &plain)) {
			weir_text_clear(&plain);
			if (!expand_unbracketed(part.data ? part.data : "", features, values,
			                        &plain))
				continue;
		}
		weir_text_puts(out, written++ ? separator : "");
		weir_text_add(out, plain.data ? plain.data : "", plain.length);
	}
	weir_text_release(&part);
	weir_text_release(&plain);
}

void weir_template_quote(const char *plain, struct weir_text *out)
{
	while (*plain) {
		size_t run = strcspn(plain, "{}");
		weir_text_add(out, plain, run);
		plain += run;
		if (*plain) {
			weir_text_add(out, plain, 1);
			weir_text_add(out, plain, 1);
			plain++;
		}
	}
}
