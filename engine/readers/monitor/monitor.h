/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns cells and columns of device monitors into rows of struct weir_telemetry. A reader brings a
 * table of the columns that it knows. Other columns are ignored, and every column may be missing.
 *
 *	weir_monitor_open(&monitor, input, fields);
 *	... weir_monitor_bind(&monitor, header, count);        for every header
 *	... reading = weir_monitor_unknown();                  for every row
 *	    weir_monitor_take(&monitor, row, &reading);
 *	    status = weir_monitor_add(&monitor, &reading, at, err);
 *	weir_monitor_close(&monitor);
 */
#ifndef WEIR_READERS_MONITOR_MONITOR_H
#define WEIR_READERS_MONITOR_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/names.h"
#include "engine/base/slice.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/csv.h"

#define WEIR_MONITOR_MAX_COLUMNS 256 /* of known fields in one header */
#define WEIR_MONITOR_MAX_CELLS   512 /* of a line; --query-gpu with every field has 240 */
/* An even selection of more rows is kept, the same share of each device. */
#define WEIR_MONITOR_MAX_SAMPLES (1u << 20)

/* Later times, from 2200 on, are damaged; sums of earlier ones fit. */
#define WEIR_MONITOR_LAST_NS (INT64_C(86400) * 84006 * 1000000000)

enum weir_monitor_kind {
	WEIR_MONITOR_GAUGE,        /* what: enum weir_gauge; the first field with a value counts */
	WEIR_MONITOR_TOTAL,        /* what: enum weir_gauge; the sum of the fields */
	WEIR_MONITOR_REASONS,      /* WEIR_CLOCKS_... bits, hexadecimal or decimal */
	WEIR_MONITOR_REASON,       /* what: one bit; "Active", "Not Active", 0, 1 */
	WEIR_MONITOR_REASON_SHARE, /* what: one bit; share of the sample period with this reason */
	WEIR_MONITOR_DEVICE,       /* the first field with a text counts */
	WEIR_MONITOR_OWN_DEVICE,   /* the same, of a column that scripts add left of the gauges:
	                            * numbers alone count */
	WEIR_MONITOR_NAME,
	WEIR_MONITOR_LOCAL_TIME, /* 2026/01/05 10:00:00.000, or a time since 1970 UTC */
	WEIR_MONITOR_UNIX_TIME,  /* seconds since 1970 UTC */
	WEIR_MONITOR_DATE,       /* 20260105, local */
	WEIR_MONITOR_CLOCK,      /* 10:00:00, local */
};

/* A field of a monitor. A table ends with a NULL name, and has preferred fields first. Names are
 * compared without regard to case. */
struct weir_monitor_field {
	const char *name;
	enum weir_monitor_kind kind;
	unsigned what;
	const char *unit; /* if neither header nor value have one; NULL: that of the gauge */
};

struct weir_monitor_column {
	const struct weir_monitor_field *field;
	size_t column;
	const struct weir_monitor_unit *unit; /* of the header; NULL: not given */
};

/* The state of a device between rows. */
struct weir_monitor_device {
	uint32_t row; /* of the telemetry's devices */
	int64_t last_ns;
	uint64_t rows;
	double reason_shares[2]; /* accumulated shares of WEIR_MONITOR_REASON_SHARE: power, heat */
};

struct weir_monitor {
	struct weir_input *input;
	struct weir_telemetry *telemetry; /* of the input */
	const struct weir_monitor_field *fields;
	struct weir_monitor_column columns[WEIR_MONITOR_MAX_COLUMNS];
	size_t column_count; /* 0: no header yet */
	size_t width;        /* cells of the header */
	bool has_time;       /* the header has a column of times */
	struct weir_names *ids;
	struct weir_monitor_device *devices; /* by id in `ids` */
	size_t device_capacity;
	uint64_t stride;     /* one of `stride` rows of a device is kept */
	uint64_t empty;      /* rows without a value */
	bool has_id;         /* a row named its device */
	bool mixed_names;    /* rows that do not name their device have several models */
	const char *failure; /* the error that the monitor printed instead of a row, or NULL */
	void *context;       /* of the table; borrowed */
};

/* The values of one row. Texts are borrowed from the row. */
struct weir_monitor_reading {
	struct weir_slice device, name;
	bool is_part;  /* the device is an instance of a divided GPU */
	int64_t at_ns; /* WEIR_NO_TIME */
	int64_t date_ns;
	bool bad_time; /* a time is malformed */
	/* The time of a column of WEIR_MONITOR_LOCAL_TIME: local, or UTC since 1970. */
	bool local, since_1970;
	bool has_reasons;
	uint32_t reasons;
	double reason_shares[2]; /* WEIR_MONITOR_REASON_SHARE: power, heat; NAN: not given */
	double value[WEIR_GAUGE_COUNT];
};

void weir_monitor_open(struct weir_monitor *monitor, struct weir_input *input,
                       const struct weir_monitor_field *fields);
/* Frees everything but the input's telemetry. */
void weir_monitor_close(struct weir_monitor *monitor);

/* Finds the field that a header's cell names, and its unit or NULL; NULL: the field is not known.
 */
const struct weir_monitor_field *weir_monitor_find(const struct weir_monitor_field *fields,
                                                   struct weir_slice cell,
                                                   const struct weir_monitor_unit **unit);
/* Takes the columns of a header. */
void weir_monitor_bind(struct weir_monitor *monitor, const struct weir_slice *header, size_t count);
/* Takes units from a separate line with one cell per column; unknown units are ignored. */
void weir_monitor_bind_units(struct weir_monitor *monitor, const struct weir_slice *units,
                             size_t count);

struct weir_monitor_reading weir_monitor_unknown(void);
/* Takes one cell. A malformed value is counted as a warning, a missing one is not. */
void weir_monitor_set(struct weir_monitor *monitor, const struct weir_monitor_column *column,
                      struct weir_slice cell, uint64_t at, struct weir_monitor_reading *reading);
/* Takes the cells of a row by the columns of the header. */
void weir_monitor_take(struct weir_monitor *monitor, const struct weir_slice *cells, size_t count,
                       uint64_t at, struct weir_monitor_reading *reading);
/*
 * Adds a reading as a sample; ignores one without any value. A share of a reason becomes a bit: the
 * number of samples with the bit is the sum of the shares. Fails with WEIR_E_LIMIT beyond
 * WEIR_MAX_TELEMETRY_DEVICES.
 */
enum weir_status weir_monitor_add(struct weir_monitor *monitor,
                                  const struct weir_monitor_reading *reading, uint64_t at,
                                  struct weir_error *err);

/*
 * Divides the samples of a file without ids of devices: several rows with one time are of several
 * devices, in the order of the rows. Times must be finer than seconds, and all must have the same
 * number of rows, but the last may have fewer. Warns if rows have one time and are not divided.
 */
void weir_monitor_divide(struct weir_monitor *monitor);

/* Notes an error that the monitor printed; reason is static. */
void weir_monitor_fail(struct weir_monitor *monitor, const char *reason, uint64_t at);
/* True if the row has the cells of its header; counts ragged and cut rows as warnings. False for a
 * blank line, and before any header. */
bool weir_monitor_fits(struct weir_monitor *monitor, const struct weir_csv_row *row);

/* Returns the number of cells that are certainly whole: all but the last if the file ends in it. */
size_t weir_monitor_whole(const struct weir_csv_row *row);

/* A monitor that prints a table. */
struct weir_monitor_table {
	const struct weir_monitor_field *fields; /* empty: lines name their figures themselves */
	const struct weir_csv_options *options;
	/* Takes one row, which may be a header. */
	enum weir_status (*take)(struct weir_monitor *monitor, const struct weir_csv_row *row,
	                         struct weir_error *err);
	/* Called after the last row. May be NULL. */
	enum weir_status (*end)(struct weir_monitor *monitor, struct weir_error *err);
	/* Returns the number of bits that a line verifies: as a header, or as a row with units. 0:
	 * none. Negative: it is a header without anything measured, so the file is not read. */
	int (*recognise)(struct weir_slice line);
	/* Returns why a file has no samples for this reader, from its head, or NULL. Asked only if
	 * the head has no header: an error may precede a table. May be NULL. */
	const char *(*refuse)(const char *head, size_t len);
	void *context; /* for take() */
	/* The tool whose header is expected; without fields: the tool, and the form of its lines.
	 */
	const char *header;
	/* Says why all rows may lack a value, and what to do. May be NULL. */
	const char *if_empty;
};

/* True for a line of a drawn table, such as the overview of nvidia-smi, and for a blank one. */
bool weir_monitor_draws_box(struct weir_slice line);
/* Returns the number of bits that the first lines of a head verify. */
int weir_monitor_sniff(const struct weir_monitor_table *table, const char *head, size_t len);
/* The same, or 1 if a later line is one of the table: it may stand below many other lines, and a
 * reader that knows those lines comes first. */
int weir_monitor_sniff_log(const struct weir_monitor_table *table, const char *head, size_t len);
/* Returns the number of bits of the known names in a header; negative if it has fewer gauges than
 * `gauges`, or no device although it needs one. */
int weir_monitor_header_bits(const struct weir_monitor_field *fields,
                             const struct weir_slice *cells, size_t count, size_t gauges,
                             bool needs_device);
/* Reads the source row by row. Fails if there is no sample. */
enum weir_status weir_monitor_read(const struct weir_monitor_table *table,
                                   struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err);

/* The kinds of cells. */
enum weir_monitor_cell {
	WEIR_MONITOR_VALUE,
	WEIR_MONITOR_MISSING, /* "", "-", "N/A", "[Not Supported]", blank sentinels of DCGM */
	WEIR_MONITOR_ERROR,   /* "[Unknown Error]", "[GPU is lost]": the device did not answer */
	WEIR_MONITOR_BAD,     /* malformed */
};

/* Parses "627.40 W", "100 %", "52", "(800Mhz)", "668 of 1300 MHz" (668). *unit is empty if the cell
 * has none. */
enum weir_monitor_cell weir_monitor_number(struct weir_slice cell, double *value,
                                           struct weir_slice *unit);
/* Finds a unit; NULL: it is not known. */
const struct weir_monitor_unit *weir_monitor_unit(struct weir_slice name);
/* Converts a value to the gauge's unit. NAN if the unit measures something else, or if the gauge
 * cannot have this value. */
double weir_monitor_convert(enum weir_gauge gauge, double value,
                            const struct weir_monitor_unit *unit);

/* Parses "2026/01/05 10:00:00.000" as if it were UTC; the fraction may be missing. */
bool weir_monitor_local_time(struct weir_slice text, int64_t *out_ns);
/* Parses the same, dates with dashes (2026-01-05, then a blank or T), and what scripts write in its
 * place: any of these with a zone (Z, +08:00), and times since 1970 UTC in s, ms, us or ns. Sets
 * *since_1970 if the time is UTC. */
bool weir_monitor_time(struct weir_slice text, int64_t *out_ns, bool *since_1970);
/* Parses "20260105" into its midnight. */
bool weir_monitor_date(struct weir_slice text, int64_t *out_ns);
/* Finds the date and time in a line such as "node3  Mon Jan  5 10:00:00 2026  550.54.15", in the
 * order of any locale. The first word is skipped. */
bool weir_monitor_time_of_words(struct weir_slice line, int64_t *out_ns);
/* Takes the text before a mark, without blanks at its ends, and the mark off a line, for tools that
 * print lines instead of tables; false: the line lacks the mark. */
bool weir_monitor_take_before(struct weir_slice *line, char mark, struct weir_slice *out);
/* Converts days since 1970 into a date. */
void weir_monitor_civil(int64_t days, int *year, int *month, int *day);
/* Parses "10:00:00", with or without a fraction, into the time since midnight. */
bool weir_monitor_clock(struct weir_slice text, int64_t *out_ns);

/* Splits "| A | B | C |" into `count` cells. Returns false for a line of another form. */
bool weir_monitor_split_box(struct weir_slice line, struct weir_slice *cells, size_t count);
/* Splits a text at blanks into values with their units: "182 W", "42 °C", "46536/ 65536",
 * "2.9/ 15.9 GB". Returns their number, at most `max`. */
size_t weir_monitor_split_values(struct weir_slice text, struct weir_slice *values, size_t max);
/* Sets a gauge and its limit from "688/750 W", "N/A/0 W" or "46536 / 65536". A value without a unit
 * has that of the limit. A limit of 0 is not stated; without a limit only the gauge is set. */
void weir_monitor_set_pair(struct weir_monitor *monitor, const struct weir_monitor_field *field,
                           enum weir_gauge limit, struct weir_slice cell, uint64_t at,
                           struct weir_monitor_reading *reading);

/* Compares without regard to case, in ASCII. */
bool weir_monitor_same(struct weir_slice text, const char *name);

#endif
