/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/embed.h"
#include "engine/base/sha256.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/page.h"

#define NAME_COLUMNS 96 /* longer names are cut */

static const char script_name[] = "engine/report/tables/page.js";

static void write_file(const char *name, struct weir_text *out)
{
	const struct weir_embedded *file = weir_embedded_find(name);

	if (file)
		weir_text_add(out, file->data, file->length);
}

/* Appends bytes in base64 (RFC 4648), padded. */
static void write_base64(const uint8_t *bytes, size_t len, struct weir_text *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t word = (uint32_t)bytes[i] << 16;
		char group[4];

		word |= i + 1 < len ? (uint32_t)bytes[i + 1] << 8 : 0;
		word |= i + 2 < len ? bytes[i + 2] : 0;
		for (size_t d = 0; d < 4; d++)
			group[d] = i + d <= len ? digits[word >> (18 - 6 * d) & 63] : '=';
		weir_text_add(out, group, sizeof group);
	}
}

/* Appends the hash of the page's script, by which the policy of the page permits it. */
static void write_script_hash(struct weir_text *out)
{
	const struct weir_embedded *script = weir_embedded_find(script_name);
	uint8_t digest[WEIR_SHA256_SIZE];
	struct weir_sha256 hash;

	weir_sha256_init(&hash);
	if (script)
		weir_sha256_add(&hash, script->data, script->length);
	weir_sha256_end(&hash, digest);
	weir_text_puts(out, "'sha256-");
	write_base64(digest, sizeof digest, out);
	weir_text_puts(out, "'");
}

void weir_page_open(struct weir_text *title, struct weir_text *out)
{
	weir_text_puts(out,
	               "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	               "<meta http-equiv=\"Content-Security-Policy\" "
	               "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src ");
	write_script_hash(out);
	weir_text_puts(out, "\">\n<title>weir: ");
	weir_flush_html(out, title);
	weir_text_puts(out, "</title>\n<style>\n");
	write_file("engine/report/tables/report.css", out);
	write_file("engine/report/drawing/pictures.css", out);
	weir_text_puts(out, "</style>\n</head>\n<body>\n<main>\n");
}

void weir_page_close(struct weir_text *out)
{
	weir_text_puts(out, "</footer>\n</main>\n<script>");
	write_file(script_name, out);
	weir_text_puts(out, "</script>\n</body>\n</html>\n");
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
