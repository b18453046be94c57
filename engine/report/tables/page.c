/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/embed.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/page.h"

#define NAME_COLUMNS 96 /* longer names are cut */

void weir_page_open(struct weir_text *title, struct weir_text *out)
{
	const struct weir_embedded *style = weir_embedded_find("engine/report/tables/report.css");

	weir_text_puts(out,
	               "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	               "<meta http-equiv=\"Content-Security-Policy\" "
	               "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>weir: ");
	weir_flush_html(out, title);
	weir_text_puts(out, "</title>\n<style>\n");
	if (style)
		weir_text_add(out, style->data, style->length);
	weir_text_puts(out, "</style>\n</head>\n<body>\n<main>\n");
}

void weir_page_close(struct weir_text *out)
{
	weir_text_puts(out, "</footer>\n</main>\n</body>\n</html>\n");
}

void weir_page_name(struct weir_text *plain, struct weir_text *out)
{
	struct weir_text cut = {0};

	weir_cut(&cut, plain->data ? plain->data : "", NAME_COLUMNS);
	weir_text_puts(out, "<code>");
	weir_flush_html(out, &cut);
	weir_text_puts(out, "</code>");
	weir_text_clear(plain);
	weir_text_release(&cut);
}

void weir_page_items(struct weir_items *items, bool one_a_line, struct weir_text *out)
{
	for (size_t i = 0; i < items->count; i++) {
		bool breaks = one_a_line || items->starts_line[i];

		weir_text_puts(out, !i ? "" : breaks ? "<br>" : " · ");
		weir_flush_html(out, &items->item[i]);
	}
	weir_items_release(items);
}
