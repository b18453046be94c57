/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/parts/damage.h"

void weir_monitor_fail(struct weir_monitor *monitor, const char *reason, uint64_t at)
{
	monitor->failure = reason;
	weir_input_warn(monitor->input, WEIR_WARN_DEVICE_ERROR, at, reason);
}

bool weir_monitor_fits(struct weir_monitor *monitor, const struct weir_csv_row *row)
{
	if (!monitor->column_count || !row->count)
		return false;
	if (row->count == monitor->width)
		return true;
	if (row->cut && row->count < monitor->width)
		weir_input_warn(monitor->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else
		weir_input_warn(monitor->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
	return false;
}

size_t weir_monitor_whole(const struct weir_csv_row *row)
{
	return row->count - (row->count && row->cut && row->line.data[row->line.length - 1] != ' ');
}

/* What the file itself lacks. */
static void count_damage(struct weir_input *input, const struct weir_csv *csv,
                         const struct weir_source *source)
{
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);

	if (skipped->count) {
		weir_input_warn(input, WEIR_WARN_RAGGED_ROW, skipped->first_at,
		                "longer than a row may be");
		input->warnings[WEIR_WARN_RAGGED_ROW].count += skipped->count - 1;
	}
	weir_damage_of_source(input, source);
}

enum weir_status weir_monitor_conclude(const struct weir_monitor *monitor, const char *header,
                                       struct weir_error *err)
{
	if (monitor->telemetry->count)
		return WEIR_OK;
	if (monitor->failure)
		return weir_fail(err, WEIR_E_EMPTY, "no sample: %s", monitor->failure);
	if (!monitor->column_count)
		return weir_fail(err, WEIR_E_FORMAT, "no header as of %s", header);
	return weir_fail(err, WEIR_E_EMPTY, "a header, but no row with a value below it");
}

static enum weir_status read_rows(const struct weir_monitor_table *table,
                                  struct weir_source *source, struct weir_monitor *monitor,
                                  struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, table->options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = table->take(monitor, row, err);
		if (status)
			break;
	}
	count_damage(monitor->input, csv, source);
	weir_csv_free(csv);
	return status;
}

enum weir_status weir_monitor_read(const struct weir_monitor_table *table,
                                   struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct weir_monitor monitor;
	const char *head, *refusal;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	refusal = table->refuse ? table->refuse(head, len) : NULL;
	if (refusal)
		return weir_fail(err, WEIR_E_FORMAT, "%s", refusal);
	weir_monitor_open(&monitor, input, table->fields);
	monitor.context = table->context;
	status = read_rows(table, source, &monitor, err);
	if (!status)
		status = weir_monitor_conclude(&monitor, table->header, err);
	weir_monitor_close(&monitor);
	return status;
}
