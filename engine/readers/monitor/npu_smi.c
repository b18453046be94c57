/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads npu-smi of Huawei Ascend: the page of `npu-smi info`, with two rows for each chip, and the
 * table of `npu-smi info watch`, which repeats its rows.
 *
 *	| NPU   Name       | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
 *	| Chip  Phy-ID     | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
 *	+==================+===============+====================================================+
 *	| 0     Ascend910  | OK            | 310.5       52                0    / 0             |
 *	| 0     0          | 0000:9D:00.0  | 87          0    / 0          40210/ 65536         |
 *
 *	NpuID(Idx)  ChipId(Idx) Pwr(W)      Temp(C)     AI Core(%)  AI Cpu(%)
 *	0           0           290.1       51          87          0
 *
 * The values stand in the order of their titles. A chip without memory of one kind has "0 / 0". The
 * power of a card with two chips stands at its first. The table of processes is left out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/enums.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/readers.h"

#define CELLS      3
#define MAX_WORDS  16
#define MAX_TITLES 24 /* of the table of watch */
#define MAX_ID     24 /* bytes of "NPU/CHIP" */
#define MAX_NAME   40
#define MAX_HEALTH 96 /* bytes of a warning */
#define NO_GAUGE   WEIR_GAUGE_COUNT

static const struct weir_csv_options blanks = {.separator = ' '};

/* The page has no columns that are bound. */
static const struct weir_monitor_field no_fields[] = {{NULL, WEIR_MONITOR_GAUGE, 0, NULL}};

#define GAUGE(name, gauge, unit)                                                                   \
	{                                                                                          \
		name, WEIR_MONITOR_GAUGE, WEIR_GAUGE_##gauge, unit                                 \
	}

static const struct weir_monitor_field watch_fields[] = {
	{"NpuID(Idx)", WEIR_MONITOR_DEVICE, 0, NULL}, GAUGE("Pwr(W)", POWER_W, "W"),
	GAUGE("Temp(C)", TEMPERATURE_C, "C"),         GAUGE("AI Core(%)", UTILIZATION, "%"),
	GAUGE("AICore(%)", UTILIZATION, "%"),         GAUGE("Memory(%)", MEMORY_USED_SHARE, "%"),
	GAUGE("Memory BW(%)", MEMORY_ACTIVITY, "%"),  {NULL, WEIR_MONITOR_GAUGE, 0, NULL},
};

/* A title of the page, and the gauge of the value behind a slash. */
struct title {
	struct weir_monitor_field field;
	enum weir_gauge limit;
};

static const struct title titles[] = {
	{GAUGE("Power(W)", POWER_W, "W"), NO_GAUGE},
	{GAUGE("Temp(C)", TEMPERATURE_C, "C"), NO_GAUGE},
	{GAUGE("AICore(%)", UTILIZATION, "%"), NO_GAUGE},
	{GAUGE("HBM-Usage(MB)", MEMORY_USED_BYTES, "MB"), WEIR_GAUGE_MEMORY_TOTAL_BYTES},
	{GAUGE("Memory-Usage(MB)", MEMORY_USED_BYTES, "MB"), WEIR_GAUGE_MEMORY_TOTAL_BYTES},
};

/* The titles of a row of the right column; NULL: one without a gauge. */
struct columns {
	const struct title *titles[MAX_WORDS];
	size_t count; /* 0: no titles yet */
};

struct npu {
	struct columns upper, lower;
	bool has_device; /* the row above began a chip */
	size_t chip;     /* column of the table of watch; WEIR_CSV_NO_COLUMN: missing */
	struct weir_monitor_reading reading;
	char card[MAX_ID], name[MAX_NAME];
};

/* ---- the page ---- */

static void copy(char *out, size_t size, struct weir_slice text)
{
	size_t length = text.length < size ? text.length : size - 1;

	memcpy(out, text.data, length);
	out[length] = '\0';
}

static void take_titles(struct weir_slice cell, struct columns *columns)
{
	struct weir_slice words[MAX_WORDS] = {{"", 0}};

	*columns = (struct columns){.count = weir_csv_split(cell, &blanks, words, MAX_WORDS)};
	for (size_t i = 0; i < columns->count; i++)
		for (size_t t = 0; t < WEIR_COUNT_OF(titles); t++)
			if (weir_slice_equals(words[i], titles[t].field.name))
				columns->titles[i] = &titles[t];
}

/* Takes "40210/ 65536". Memory of "0 / 0" does not exist. */
static void take_memory(struct weir_monitor *monitor, const struct title *title,
                        struct weir_slice value, uint64_t at)
{
	struct weir_monitor_reading *reading = &((struct npu *)monitor->context)->reading;
	struct weir_monitor_reading own = weir_monitor_unknown();

	weir_monitor_set_pair(monitor, &title->field, title->limit, value, at, &own);
	if (isnan(own.value[title->limit]) || !isnan(reading->value[title->limit]))
		return;
	reading->value[title->limit] = own.value[title->limit];
	reading->value[title->field.what] = own.value[title->field.what];
}

/* Takes the values of a cell by their titles, from the right: HBM, which models use, is last. A row
 * with another number of values is damaged. */
static bool take_values(struct weir_monitor *monitor, const struct columns *columns,
                        struct weir_slice cell, uint64_t at)
{
	struct npu *npu = monitor->context;
	struct weir_slice values[MAX_WORDS] = {{"", 0}};

	if (weir_monitor_split_values(cell, values, MAX_WORDS) != columns->count) {
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, at, NULL);
		return false;
	}
	for (size_t i = columns->count; i-- > 0;) {
		const struct title *title = columns->titles[i];
		struct weir_monitor_column column = {.field = title ? &title->field : NULL};

		if (title && title->limit != NO_GAUGE)
			take_memory(monitor, title, values[i], at);
		else if (title)
			weir_monitor_set(monitor, &column, values[i], at, &npu->reading);
	}
	return true;
}

/* Warns of a chip that is not well: "Warning", "Alarm", "Critical". */
static void check_health(struct weir_monitor *monitor, struct weir_slice health, uint64_t at)
{
	char words[MAX_HEALTH];

	if (!health.length || weir_slice_equals(health, "OK") || health.length > MAX_NAME)
		return;
	snprintf(words, sizeof(words), "npu-smi states the health of a chip as %.*s",
	         (int)health.length, health.data);
	weir_input_warn(monitor->input, WEIR_WARN_OF_TOOL, at, words);
}

/* Takes the upper row of a chip: card, name, health. */
static void begin_device(struct weir_monitor *monitor, const struct weir_slice *cells, uint64_t at)
{
	struct npu *npu = monitor->context;
	struct weir_slice words[MAX_WORDS] = {{"", 0}}, name = weir_slice_trim(cells[0]);
	size_t count = weir_csv_split(name, &blanks, words, MAX_WORDS);

	npu->has_device = false;
	if (!count || *words[0].data < '0' || *words[0].data > '9' || words[0].length >= MAX_ID)
		return;
	copy(npu->card, sizeof(npu->card), words[0]);
	name = (struct weir_slice){name.data + words[0].length, name.length - words[0].length};
	copy(npu->name, sizeof(npu->name), weir_slice_trim(name));
	npu->reading = weir_monitor_unknown();
	npu->has_device = take_values(monitor, &npu->upper, cells[2], at);
	if (npu->has_device)
		check_health(monitor, weir_slice_trim(cells[1]), at);
}

/* Adds the sample of a chip at its lower row: its number in the machine stands behind that on the
 * card, if it has one. */
static enum weir_status end_device(struct weir_monitor *monitor, const struct weir_slice *cells,
                                   uint64_t at, struct weir_error *err)
{
	struct npu *npu = monitor->context;
	struct weir_slice words[MAX_WORDS] = {{"", 0}};
	size_t count = weir_csv_split(cells[0], &blanks, words, MAX_WORDS);
	char id[2 * MAX_ID];

	npu->has_device = false;
	if (!count || words[0].length >= MAX_ID) {
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, at, NULL);
		return WEIR_OK;
	}
	if (!take_values(monitor, &npu->lower, cells[2], at))
		return WEIR_OK;
	snprintf(id, sizeof(id), "%s/%.*s", npu->card, (int)words[0].length, words[0].data);
	npu->reading.device = weir_slice_of(id);
	if (count > 1)
		npu->reading.device = words[1];
	else if (weir_slice_equals(words[0], "0"))
		npu->reading.device = weir_slice_of(npu->card);
	npu->reading.name = weir_slice_of(npu->name);
	return weir_monitor_add(monitor, &npu->reading, at, err);
}

static enum weir_status take_box(struct weir_monitor *monitor, const struct weir_slice *cells,
                                 uint64_t at, struct weir_error *err)
{
	struct npu *npu = monitor->context;
	struct weir_slice left = weir_slice_trim(cells[0]);

	if (weir_slice_starts(left, "NPU "))
		take_titles(cells[2], &npu->upper);
	else if (weir_slice_starts(left, "Chip"))
		take_titles(cells[2], &npu->lower);
	else if (!npu->upper.count || !npu->lower.count)
		return WEIR_OK;
	else if (!memchr(cells[1].data, ':', cells[1].length))
		begin_device(monitor, cells, at);
	else if (npu->has_device)
		return end_device(monitor, cells, at, err);
	else
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, at, NULL);
	return WEIR_OK;
}

/* ---- the table of watch ---- */

/* Splits titles that end with a unit in brackets: "AI Core(%)". Returns their number; 0: the line
 * is of another kind. */
static size_t split_titles(struct weir_slice line, struct weir_slice *cells)
{
	size_t count = 0;

	line = weir_slice_trim(line);
	if (!weir_slice_starts(line, "NpuID(Idx)"))
		return 0;
	while (count < MAX_TITLES && weir_monitor_take_before(&line, ')', &cells[count])) {
		cells[count].length++;
		count++;
	}
	return count;
}

static void bind_titles(struct weir_monitor *monitor, const struct weir_slice *cells, size_t count)
{
	struct npu *npu = monitor->context;

	monitor->fields = watch_fields;
	weir_monitor_bind(monitor, cells, count);
	npu->chip = WEIR_CSV_NO_COLUMN;
	for (size_t i = 0; i < count; i++)
		if (weir_slice_equals(cells[i], "ChipId(Idx)"))
			npu->chip = i;
}

static enum weir_status take_watch(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                   struct weir_error *err)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();
	const struct npu *npu = monitor->context;
	struct weir_slice chip = weir_csv_cell(row, npu->chip);
	char id[2 * MAX_ID];

	if (!row->count || *row->cells[0].data < '0' || *row->cells[0].data > '9' ||
	    !weir_monitor_fits(monitor, row))
		return WEIR_OK;
	weir_monitor_take(monitor, row->cells, weir_monitor_whole(row), row->at, &reading);
	if (chip.length && !weir_slice_equals(chip, "0") && chip.length < MAX_ID &&
	    reading.device.length < MAX_ID) {
		snprintf(id, sizeof(id), "%.*s/%.*s", (int)reading.device.length,
		         reading.device.data, (int)chip.length, chip.data);
		reading.device = weir_slice_of(id);
	}
	return weir_monitor_add(monitor, &reading, row->at, err);
}

/* ---- the reader ---- */

static enum weir_status take_row(struct weir_monitor *monitor, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct npu *npu = monitor->context;
	struct weir_slice cells[MAX_TITLES] = {{"", 0}};
	size_t count = split_titles(row->line, cells);

	if (count) {
		bind_titles(monitor, cells, count);
	} else if (weir_monitor_split_box(row->line, cells, CELLS)) {
		return take_box(monitor, cells, row->at, err);
	} else if (weir_slice_holds(row->line, "Process id")) {
		npu->upper.count = npu->lower.count = 0;
	} else if (row->cut && npu->has_device) {
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	} else if (monitor->column_count) {
		return take_watch(monitor, row, err);
	}
	return WEIR_OK;
}

static int recognise(struct weir_slice line)
{
	struct weir_slice cells[MAX_TITLES] = {{"", 0}};
	size_t count = split_titles(line, cells);
	int bits = count ? weir_monitor_header_bits(watch_fields, cells, count, 1, true) : 0;

	if (bits > 0)
		return bits;
	return weir_monitor_split_box(line, cells, CELLS) &&
	                       weir_slice_starts(weir_slice_trim(cells[0]), "Chip") &&
	                       weir_slice_holds(cells[2], "AICore(%)")
	               ? 8 * (int)strlen("Chip AICore(%)")
	               : 0;
}

static const struct weir_monitor_table table = {
	.fields = no_fields,
	.options = &blanks,
	.take = take_row,
	.recognise = recognise,
	.header = "npu-smi info with a chip: expected \"| 0  0 | 0000:9D:00.0 | 87  0 / 0  40210 / "
		  "65536 |\" below \"| 0  Ascend910 | OK | 310.5  52  0 / 0 |\"",
};

static int sniff(const char *head, size_t len)
{
	return weir_monitor_sniff(&table, head, len);
}

static const char *refuse(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line;

	while (weir_csv_take_line(&rest, &line))
		if (weir_slice_starts(weir_slice_trim(line), "| npu-smi ") ||
		    weir_slice_starts(line, "NPU-SMI "))
			return "it is a page of npu-smi without figures of a chip in a form that "
			       "is known: record npu-smi info, or npu-smi info watch";
	return NULL;
}

static enum weir_status read_npu(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct weir_monitor_table own = table;
	struct npu npu = {.chip = WEIR_CSV_NO_COLUMN};

	own.context = &npu;
	return weir_monitor_read(&own, source, input, err);
}

const struct weir_reader weir_reader_npu_smi = {
	.name = "npu-smi",
	.title = "npu-smi info of Huawei Ascend, its page and its watch",
	.gives = "telemetry",
	.sniff = sniff,
	.refuse = refuse,
	.read = read_npu,
};
