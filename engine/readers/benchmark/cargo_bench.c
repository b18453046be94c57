/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what `cargo bench` prints, one process, anywhere in a log:
 *
 *	test fib_20 ... bench:      26,251 ns/iter (+/- 123)      libtest, criterion's bencher
 *	fib 20                  time:   [26.029 us 26.251 us 26.505 us]            criterion
 *
 * libtest states the median of its samples and their spread. criterion states an estimate between
 * the ends of its interval of confidence. The median, or the estimate, becomes a figure. A name
 * that leaves no room has a line above the times. The spread of libtest, from the least to the
 * largest sample, and the interval of criterion are labels. The samples are in criterion's
 *sample.json.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define BENCH    " ... bench: "
#define PER_ITER "/iter (+/- "
#define TIME     "time:   ["
#define MICRO    "\xc2\xb5s" /* with the sign for micro in UTF-8 */

static const struct weir_mark marks[] = {
	{.first = "", .texts = {{"... bench: ", " ns/iter (+/- "}, .all = 2}},
	{.first = "", .texts = {{" time:   ["}, .all = 1}},
	{0},
};

/* Returns the part of a line before a text, without blanks around it. */
static struct weir_slice before(struct weir_slice line, const char *at)
{
	return weir_slice_trim((struct weir_slice){line.data, (size_t)(at - line.data)});
}

static struct weir_slice after(struct weir_slice line, const char *at)
{
	return weir_slice_trim((struct weir_slice){at, (size_t)(line.data + line.length - at)});
}

/* Takes the first word off a text. */
static struct weir_slice take_word(struct weir_slice *text)
{
	struct weir_slice word = *text;
	size_t length = 0;

	while (length < text->length && text->data[length] != ' ')
		length++;
	word.length = length;
	*text = weir_slice_trim((struct weir_slice){text->data + length, text->length - length});
	return word;
}

/* Parses "26,251" or "1.5" and a unit into ns; false for other texts. */
static bool parse_time(struct weir_slice number, struct weir_slice unit, double *ns)
{
	double scale = weir_slice_equals(unit, MICRO)  ? 1e3
	               : weir_slice_equals(unit, "ps") ? 1e-3
	                                               : weir_benchmark_unit_ns(unit);
	char digits[32];
	size_t length = 0;

	if (scale <= 0 || number.length >= sizeof digits)
		return false;
	for (size_t i = 0; i < number.length; i++)
		if (number.data[i] != ',')
			digits[length++] = number.data[i];
	if (!weir_parse_double(digits, length, ns))
		return false;
	*ns *= scale;
	return *ns > 0;
}

/* The times of a line, in ns; NAN: not stated. */
struct times {
	double ns;              /* the median or the estimate */
	double spread_ns;       /* of libtest */
	double low_ns, high_ns; /* ends of the interval of criterion */
};

/* Parses the line of libtest; false for other lines. */
static bool parse_libtest(struct weir_slice line, struct weir_slice *name, struct times *times)
{
	const char *bench = weir_slice_find(line, BENCH);
	struct weir_slice rest, number, unit;
	const char *slash, *close;

	if (!bench || !weir_slice_starts(line, "test "))
		return false;
	*name = before(line, bench);
	*name = weir_slice_trim((struct weir_slice){name->data + 5, name->length - 5});
	rest = after(line, bench + strlen(BENCH));
	number = take_word(&rest);
	slash = weir_slice_find(rest, PER_ITER);
	if (!slash)
		return false;
	unit = before(rest, slash);
	rest = after(rest, slash + strlen(PER_ITER));
	close = rest.length ? memchr(rest.data, ')', rest.length) : NULL;
	if (close && !parse_time(before(rest, close), unit, &times->spread_ns))
		times->spread_ns = NAN;
	return parse_time(number, unit, &times->ns);
}

/* Parses the line of criterion; false for other lines. The name is empty if it has a line of its
 * own. */
static bool parse_criterion(struct weir_slice line, struct weir_slice *name, struct times *times)
{
	const char *time = weir_slice_find(line, TIME);
	struct weir_slice words[6], rest;

	if (!time || line.data[line.length - 1] != ']')
		return false;
	*name = before(line, time);
	rest = after(line, time + strlen(TIME));
	rest.length--; /* the bracket */
	for (size_t i = 0; i < 6; i++)
		words[i] = take_word(&rest);
	if (!parse_time(words[0], words[1], &times->low_ns))
		times->low_ns = NAN;
	if (!parse_time(words[4], words[5], &times->high_ns))
		times->high_ns = NAN;
	return parse_time(words[2], words[3], &times->ns);
}

struct reading {
	struct weir_input *input;
	struct weir_text above; /* the last line that may be a name */
};

static enum weir_status add(struct reading *reading, struct weir_slice name,
                            const struct times *times, uint64_t line, struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status;

	weir_text_add(&text, name.data, name.length);
	status = memchr(name.data, '\0', name.length)
	                 ? weir_fail(err, WEIR_E_FORMAT, "a name with a zero byte")
	                 : weir_benchmark_figure(reading->input, text.data, times->ns, err);
	if (!status) {
		weir_benchmark_statistic(reading->input, text.data, "spread_ns", times->spread_ns);
		weir_benchmark_statistic(reading->input, text.data, "low_ns", times->low_ns);
		weir_benchmark_statistic(reading->input, text.data, "high_ns", times->high_ns);
	}
	weir_text_release(&text);
	return status ? weir_fail_in(err, "line %llu", (unsigned long long)line) : WEIR_OK;
}

static enum weir_status take_line(struct reading *reading, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	struct weir_slice line = weir_slice_trim(row->line), name = {"", 0};
	struct times times = {.spread_ns = NAN, .low_ns = NAN, .high_ns = NAN};
	enum weir_status status = WEIR_OK;

	if (!line.length)
		return WEIR_OK;
	if (parse_libtest(line, &name, &times) || parse_criterion(line, &name, &times)) {
		if (!name.length)
			name = (struct weir_slice){reading->above.data ? reading->above.data : "",
			                           reading->above.length};
		if (name.length)
			status = add(reading, name, &times, row->number, err);
	}
	weir_text_clear(&reading->above);
	if (line.length <= WEIR_BENCHMARK_MAX_NAME)
		weir_text_add(&reading->above, line.data, line.length);
	return status;
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = ','};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct reading reading = {.input = input};
	const struct weir_csv_row *row;
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_line(&reading, row, err);
		if (status)
			break;
	}
	weir_csv_free(csv);
	weir_text_release(&reading.above);
	weir_damage_of_source(input, source);
	if (status)
		return status;
	if (input->run->metrics.count)
		weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return weir_benchmark_finish(input, err);
}

const struct weir_reader weir_reader_cargo_bench = {
	.name = "cargo-bench",
	.title = "what cargo bench prints (libtest, criterion)",
	.gives = "native run",
	.tool = "cargo bench",
	.whole_run = true,
	.marks = marks,
	.read = read,
};
