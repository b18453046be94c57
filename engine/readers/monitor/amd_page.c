/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the page that amd-smi prints without a subcommand (ROCm 6.4 and later), once or again and
 * again: two rows for each device, below two rows of titles.
 *
 *	| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
 *	| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
 *	|=====================================+========================================|
 *	| 0000:05:00.0    AMD Instinct MI300X | 97 %     61 °C   0           688/750 W |
 *	|   0       0       7        SPX/NPS1 | 98 %       N/A         40310/196592 MB |
 *
 * The values stand in the order of their titles. A device without a limit has "49 W", and one whose
 * power is unknown "N/A" or "N/A/0 W". The table of processes is left out.
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/amd_page.h"

#define MAX_WORDS 16
#define MAX_NAME  40 /* bytes; the column has fewer */
#define MAX_INDEX 6
#define NO_GAUGE  WEIR_GAUGE_COUNT

static const struct weir_csv_options blanks = {.separator = ' '};

/* Lines have no columns that are bound. */
static const struct weir_monitor_field no_fields[] = {{NULL, WEIR_MONITOR_GAUGE, 0, NULL}};

/* A title, the gauge that it names, and that of the limit behind a slash. */
struct title {
	const char *text;
	enum weir_gauge gauge, limit;
	const char *unit; /* if the value has none */
};

static const struct title titles[] = {
	{"GFX-Uti", WEIR_GAUGE_UTILIZATION, NO_GAUGE, "%"},
	{"Mem-Uti", WEIR_GAUGE_MEMORY_ACTIVITY, NO_GAUGE, "%"},
	{"Temp", WEIR_GAUGE_TEMPERATURE_C, NO_GAUGE, "C"},
	{"Power-Usage", WEIR_GAUGE_POWER_W, WEIR_GAUGE_POWER_LIMIT_W, "W"},
	{"Mem-Usage", WEIR_GAUGE_MEMORY_USED_BYTES, WEIR_GAUGE_MEMORY_TOTAL_BYTES, "MB"},
	{"UEC", NO_GAUGE, NO_GAUGE, ""},
	{"Fan", NO_GAUGE, NO_GAUGE, ""},
};

/* The titles of a row of the right column. */
struct columns {
	const struct title *titles[MAX_WORDS];
	size_t count; /* 0: no titles yet */
};

struct page {
	struct columns upper, lower;
	bool has_device; /* the row above began a device */
	struct weir_monitor_reading reading;
	char name[MAX_NAME];
};

/* ---- lines ---- */

static const struct title *find_title(struct weir_slice word)
{
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (weir_slice_equals(word, titles[i].text))
			return &titles[i];
	return NULL;
}

/* Takes the titles of a cell. Returns false if a word is not one: the cell holds values. */
static bool take_titles(struct weir_slice cell, struct columns *columns)
{
	struct weir_slice words[MAX_WORDS] = {{"", 0}};
	size_t count = weir_csv_split(cell, &blanks, words, MAX_WORDS);
	struct columns found = {.count = count < MAX_WORDS ? count : 0};

	for (size_t i = 0; i < found.count; i++) {
		found.titles[i] = find_title(words[i]);
		if (!found.titles[i])
			return false;
	}
	if (found.count)
		*columns = found;
	return found.count > 0;
}

/* ---- values ---- */

/* Takes a value: "61 °C", "N/A", "688/750 W", "N/A/0 W". */
static void take_value(struct weir_monitor *monitor, const struct title *title,
                       struct weir_slice value, uint64_t at)
{
	struct page *page = monitor->context;
	const struct weir_monitor_field field = {title->text, WEIR_MONITOR_GAUGE, title->gauge,
	                                         title->unit};
	const struct weir_monitor_column column = {.field = &field};

	if (title->gauge == NO_GAUGE)
		return;
	if (title->limit == NO_GAUGE)
		weir_monitor_set(monitor, &column, value, at, &page->reading);
	else
		weir_monitor_set_pair(monitor, &field, title->limit, value, at, &page->reading);
}

/* Takes the values of a cell by its titles. A row with another number of values is damaged. */
static bool take_values(struct weir_monitor *monitor, const struct columns *columns,
                        struct weir_slice cell, uint64_t at)
{
	struct weir_slice values[MAX_WORDS] = {{"", 0}};

	if (weir_monitor_split_values(cell, values, MAX_WORDS) != columns->count) {
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, at, NULL);
		return false;
	}
	for (size_t i = 0; i < columns->count; i++)
		take_value(monitor, columns->titles[i], values[i], at);
	return true;
}

/* ---- rows ---- */

/* Takes "0000:05:00.0    AMD Instinct MI300X". A name that is a number of PCI is left out. */
static bool take_device(struct page *page, struct weir_slice cell)
{
	struct weir_slice words[MAX_WORDS] = {{"", 0}}, name;
	size_t count = weir_csv_split(cell, &blanks, words, MAX_WORDS);

	if (count < 2 || !memchr(words[0].data, ':', words[0].length) ||
	    !memchr(words[0].data, '.', words[0].length))
		return false;
	name = (struct weir_slice){words[1].data,
	                           (size_t)(cell.data + cell.length - words[1].data)};
	name = weir_slice_trim(name);
	page->name[0] = '\0';
	if (!weir_slice_starts(name, "0x") && name.length < sizeof(page->name)) {
		memcpy(page->name, name.data, name.length);
		page->name[name.length] = '\0';
	}
	page->reading = weir_monitor_unknown();
	return true;
}

/* Adds the sample of a device at its lower row, whose first word is the index of the device. */
static enum weir_status end_device(struct weir_monitor *monitor, const struct weir_slice *cells,
                                   uint64_t at, struct weir_error *err)
{
	struct page *page = monitor->context;
	struct weir_slice words[MAX_WORDS] = {{"", 0}};
	size_t count = weir_csv_split(cells[0], &blanks, words, MAX_WORDS);
	int64_t index;

	page->has_device = false;
	if (!count || words[0].length > MAX_INDEX ||
	    !weir_parse_i64(words[0].data, words[0].length, &index) || index < 0) {
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, at, NULL);
		return WEIR_OK;
	}
	if (!take_values(monitor, &page->lower, cells[1], at))
		return WEIR_OK;
	page->reading.device = words[0];
	page->reading.name = weir_slice_of(page->name);
	return weir_monitor_add(monitor, &page->reading, at, err);
}

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct page *page = monitor->context;
	struct weir_slice cells[2] = {{"", 0}};

	if (!weir_monitor_split_box(row->line, cells, 2)) {
		if (row->cut && page->has_device)
			weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return WEIR_OK;
	}
	if (weir_slice_starts(cells[0], "BDF"))
		take_titles(cells[1], &page->upper);
	else if (weir_slice_starts(cells[0], "GPU "))
		take_titles(cells[1], &page->lower);
	else if (!page->upper.count || !page->lower.count)
		return WEIR_OK;
	else if (page->has_device)
		return end_device(monitor, cells, row->at, err);
	else if (take_device(page, cells[0]))
		page->has_device = take_values(monitor, &page->upper, cells[1], row->at);
	return WEIR_OK;
}

/* ---- the reader ---- */

static int recognise(struct weir_slice line)
{
	struct weir_slice cells[2] = {{"", 0}};
	struct columns columns;

	if (!weir_monitor_split_box(line, cells, 2) || !weir_slice_starts(cells[0], "BDF") ||
	    !take_titles(cells[1], &columns))
		return 0;
	return 8 * (int)strlen("BDF Power-Usage");
}

static const struct weir_monitor_table table = {
	.fields = no_fields,
	.options = &blanks,
	.take = take_row,
	.recognise = recognise,
	.header = "amd-smi with a figure of a device: record amd-smi metric --json or amd-smi "
		  "monitor "
		  "--csv",
};

int weir_amd_page_sniff(const char *head, size_t len)
{
	return weir_monitor_sniff_log(&table, head, len);
}

enum weir_status weir_amd_page_read(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct weir_monitor_table own = table;
	struct page page = {.has_device = false};

	own.context = &page;
	return weir_monitor_read(&own, source, input, err);
}
