/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of operators, which page.js sorts and filters. Without it, rows unfold as well. */
#include <math.h>
#include <string.h>

#include "engine/report/classify/html_table.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define MOST_ROWS     300 /* unless --top asks for more */
#define NAME_COLUMNS  96
#define TYPES_COLUMNS 60

static bool has_parts(const struct weir_report *report, size_t row)
{
	const struct weir_operator_row *op = &report->operators[row];

	return op->kernel_count + op->shape_count + op->site_count > 0;
}

static void write_code(const char *name, size_t columns, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_cut_name(&plain, name, columns);
	weir_text_puts(out, "<code>");
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</code>");
	weir_text_release(&plain);
}

/* Opens a list with its heading: "Kernels", with "5 of 12" if there are more than it shows. */
static void open_list(const char *heading, size_t shown, uint64_t all, struct weir_text *out)
{
	weir_text_printf(out, "<div><h3>%s", heading);
	if (all > shown)
		weir_text_printf(out, " <span class=\"soft\">%zu of %llu</span>", shown,
		                 (unsigned long long)all);
	weir_text_puts(out, "</h3><ul>\n");
}

/* Writes " 144 launches, 1.08 ms, 35 %" and ends the line of a list. */
static void end_line(const char *const counted[2], uint64_t count, double ns, double of_ns,
                     struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_puts(&plain, " ");
	weir_text_count(&plain, count);
	weir_text_printf(&plain, " %s, ", counted[count != 1]);
	weir_text_duration(&plain, weir_as_stored_ns(ns));
	if (of_ns > 0) {
		weir_text_puts(&plain, ", ");
		weir_text_share(&plain, weir_as_stored_ns(ns) / weir_as_stored_ns(of_ns));
	}
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</li>\n");
	weir_text_release(&plain);
}

static void write_kernels(const struct weir_operator_row *op, struct weir_text *out)
{
	static const char *const launches[] = {"launch", "launches"};

	if (!op->kernel_count)
		return;
	open_list("Kernels", op->kernel_count, op->all_kernels, out);
	for (size_t i = 0; i < op->kernel_count; i++) {
		weir_text_puts(out, "<li>");
		write_code(op->kernels[i].name, NAME_COLUMNS, out);
		end_line(launches, op->kernels[i].count, op->kernels[i].total_ns, op->call.total_ns,
		         out);
	}
	weir_text_puts(out, "</ul></div>\n");
}

static const char *const calls[] = {"call", "calls"};

/* Appends "1x2048, 2048x11264" for dims without lists of tensors, and leaves out empty ones.
 * Returns false for any other text. */
static bool add_dims(const char *dims, struct weir_text *out)
{
	unsigned depth = 0;
	bool any = false;

	for (const char *at = dims; *at; at++) {
		if (*at == '[') {
			any = false;
			if (++depth > 2)
				return false;
		} else if (*at == ']') {
			if (depth-- == 0)
				return false;
		} else if (*at >= '0' && *at <= '9' && depth == 2) {
			size_t length = strspn(at, "0123456789");

			weir_text_puts(out, any ? "x" : out->length ? ", " : "");
			weir_text_add(out, at, length);
			any = true;
			at += length - 1;
		} else if (*at != ',' && *at != ' ') {
			return false;
		}
	}
	return depth == 0 && out->length > 0;
}

/* Appends "BFloat16" or "BFloat16, int": the types that occur, without name space. */
static bool add_types(const char *types, struct weir_text *out)
{
	for (const char *at = strchr(types, '"'); at; at = strchr(at, '"')) {
		size_t length = strcspn(++at, "\"");
		const char *name = strncmp(at, "c10::", 5) == 0 ? at + 5 : at;
		struct weir_text word = {0};

		weir_text_add(&word, name, (size_t)(at + length - name));
		if (length > 0 && !(out->data && strstr(out->data, word.data))) {
			weir_text_puts(out, out->length ? ", " : "");
			weir_text_puts(out, word.data);
		}
		weir_text_release(&word);
		at += length;
		at += *at == '"';
	}
	return out->length > 0;
}

static void write_shape(const struct weir_operator_shape *shape, struct weir_text *out)
{
	struct weir_text dims = {0}, types = {0};

	write_code(shape->dims && add_dims(shape->dims, &dims) ? dims.data : shape->dims,
	           NAME_COLUMNS, out);
	if (shape->types && add_types(shape->types, &types)) {
		weir_text_puts(out, " <span class=\"soft\">");
		write_code(types.data, TYPES_COLUMNS, out);
		weir_text_puts(out, "</span>");
	}
	weir_text_release(&dims);
	weir_text_release(&types);
}

static void write_shapes(const struct weir_operator_row *op, struct weir_text *out)
{
	if (!op->shape_count)
		return;
	open_list("Shapes", op->shape_count, op->all_shapes, out);
	for (size_t i = 0; i < op->shape_count; i++) {
		const struct weir_operator_shape *shape = &op->shapes[i];

		weir_text_puts(out, "<li>");
		write_shape(shape, out);
		if (isfinite(shape->efficiency)) {
			struct weir_text plain = {0};

			weir_text_share(&plain, weir_as_stored_share(shape->efficiency));
			weir_text_puts(out, " at ");
			weir_flush_html(out, &plain);
			weir_text_puts(out, " of its roof,");
			weir_text_release(&plain);
		}
		end_line(calls, shape->count, shape->total_ns, op->call.total_ns, out);
	}
	weir_text_puts(out, "</ul></div>\n");
}

static void write_sites(const struct weir_operator_row *op, struct weir_text *out)
{
	if (!op->site_count)
		return;
	open_list("Called from, in the median step", op->site_count, op->all_sites, out);
	for (size_t i = 0; i < op->site_count; i++) {
		weir_text_puts(out, "<li>");
		write_code(op->sites[i].frame, NAME_COLUMNS, out);
		end_line(calls, op->sites[i].count, op->sites[i].step_ns, NAN, out);
	}
	weir_text_puts(out, "</ul></div>\n");
}

static void write_parts(const struct weir_html_columns *page, size_t row, struct weir_text *out)
{
	const struct weir_operator_row *op = &page->report->operators[row];

	weir_text_printf(out, "<tr class=\"unfolded\"><td colspan=\"%zu\"><div>\n", page->count);
	write_kernels(op, out);
	write_shapes(op, out);
	write_sites(op, out);
	weir_text_puts(out, "</div></td></tr>\n");
}

void weir_html_operators(const struct weir_report *report, size_t top, struct weir_text *out)
{
	const struct weir_table *table = &weir_table_operators;
	struct weir_html_columns page = {.table = table, .report = report, .folds = has_parts};
	struct weir_rows rows;
	size_t all = weir_rows_choose(table, report, top > MOST_ROWS ? top : MOST_ROWS, &rows);

	if (rows.count) {
		weir_html_columns_choose(&page, &rows);
		weir_html_title(table, report, out);
		weir_text_puts(out,
		               "<p class=\"aid\">Each row unfolds to the kernels, shapes and call "
		               "sites of its operator.</p>\n"
		               "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" "
		               "aria-label=\"Operators\"><table class=\"sorts\">\n");
		weir_html_headers(&page, out);
		for (size_t i = 0; i < rows.count; i++) {
			weir_text_puts(out, "<tbody>\n");
			weir_html_row(&page, rows.at[i], out);
			if (has_parts(report, rows.at[i]))
				write_parts(&page, rows.at[i], out);
			weir_text_puts(out, "</tbody>\n");
		}
		weir_text_puts(out, "</table></div>\n");
		if (rows.count < all)
			weir_text_printf(out, "<p class=\"more\">... %zu more (--top %zu)</p>\n",
			                 all - rows.count, all);
		weir_text_puts(out, "</section>\n");
	}
	weir_rows_release(&rows);
}
