/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/slice.h"
#include "tests/unit/span_lines.h"

/* Takes the next word of a line; empty at its end. */
static struct weir_slice take_word(const char **at)
{
	struct weir_slice word;

	*at += strspn(*at, " ");
	word = (struct weir_slice){*at, strcspn(*at, " \n")};
	*at += word.length;
	return word;
}

static const char *comma(const struct weir_text *before)
{
	return before->length && before->data[before->length - 1] == '}' ? "," : "";
}

static void put_attribute(struct weir_text *out, struct weir_slice key, struct weir_slice value)
{
	const char *type = "stringValue";

	if (strspn(value.data, "-0123456789") >= value.length)
		type = "intValue";
	else if (strspn(value.data, "-+.e0123456789") >= value.length)
		type = "doubleValue";
	weir_text_printf(out, "%s{\"key\":\"%.*s\",\"value\":{\"%s\":\"%.*s\"}}", comma(out),
	                 (int)key.length, key.data, type, (int)value.length, value.data);
}

static void put_event(struct weir_text *out, struct weir_slice name, struct weir_slice at)
{
	weir_text_printf(out, "%s{\"timeUnixNano\":\"1700000000%09d\",\"name\":\"%.*s\"}",
	                 comma(out), (int)strtol(at.data, NULL, 10), (int)name.length, name.data);
}

/* Writes the attributes and events after the times of a line. */
static void put_more(struct weir_text *out, const char **at)
{
	struct weir_text attributes = {0}, events = {0};
	struct weir_slice word;

	while ((word = take_word(at)).length > 0) {
		size_t sign = strcspn(word.data, "=@");
		struct weir_slice key = {word.data, sign};
		struct weir_slice value = {word.data + sign + 1, word.length - sign - 1};

		if (word.data[sign] == '=')
			put_attribute(&attributes, key, value);
		else
			put_event(&events, key, value);
	}
	weir_text_printf(out, ",\"attributes\":[%s],\"events\":[%s]}",
	                 attributes.data ? attributes.data : "", events.data ? events.data : "");
	weir_text_release(&attributes);
	weir_text_release(&events);
}

/* Writes one line of spans_as_otlp(), and moves *at after it. */
static void put_span(struct weir_text *out, const char **at)
{
	struct weir_slice id = take_word(at), parent = take_word(at), name = take_word(at);
	int start = (int)strtol(take_word(at).data, NULL, 10);
	int end = (int)strtol(take_word(at).data, NULL, 10);

	weir_text_printf(out,
	                 "%s{"
	                 "\"traceId\":\"5b8efff798038103d269b633813fc60c\","
	                 "\"spanId\":\"%.*s\",\"parentSpanId\":\"%.*s\",\"name\":"
	                 "\"%.*s\",\"startTimeUnixNano\":\"1700000000%09d\","
	                 "\"endTimeUnixNano\":\"1700000000%09d\"",
	                 comma(out), (int)id.length, id.data, (int)parent.length, parent.data,
	                 (int)name.length, name.data, start, end);
	put_more(out, at);
	*at += **at == '\n';
}

struct weir_text spans_as_otlp(const char *lines)
{
	struct weir_text out = {0};

	weir_text_puts(&out, "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[");
	while (*lines)
		put_span(&out, &lines);
	weir_text_puts(&out, "]}]}]}");
	return out;
}
