/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the readers of device monitors share: from cells and columns to rows of struct
 * weir_telemetry. A reader brings a table of the columns it knows; a column it does not know is
 * passed over, and every column may be missing.
 *
 *	weir_monitor_open(&monitor, input, fields);
 *	... weir_monitor_bind(&monitor, header, count);        for every header
 *	... reading = weir_monitor_unknown();                  for every row
 *	    weir_monitor_take(&monitor, row, &reading);
 *	    status = weir_monitor_add(&monitor, &reading, at, err);
 *	weir_monitor_close(&monitor);
 */
#ifndef WEIR_READERS_MONITOR_H
#define WEIR_READERS_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/names.h"
#include "engine/base/slice.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/csv.h"

#define WEIR_MONITOR_MAX_COLUMNS                                                                   \
	96                       /* columns of known fields in one header; more are passed over */
#define WEIR_MONITOR_MAX_ID   64 /* bytes; a longer id is none */
#define WEIR_MONITOR_MAX_NAME 128
/* Of more rows an even selection is kept, the same share of every device. */
#define WEIR_MONITOR_MAX_SAMPLES (1u << 20)

enum weir_monitor_kind {
	WEIR_MONITOR_GAUGE,        /* what: enum weir_gauge; the first field with a value counts */
	WEIR_MONITOR_TOTAL,        /* what: enum weir_gauge; the fields are added up */
	WEIR_MONITOR_REASONS,      /* WEIR_CLOCKS_... bits, hexadecimal or decimal */
	WEIR_MONITOR_REASON,       /* what: one bit; "Active", "Not Active", 0, 1 */
	WEIR_MONITOR_REASON_SHARE, /* what: one bit; share of the sample period with it, see below
	                            */
	WEIR_MONITOR_DEVICE,       /* the first field with a text counts */
	WEIR_MONITOR_NAME,
	WEIR_MONITOR_LOCAL_TIME, /* 2026/01/05 10:00:00.000 */
	WEIR_MONITOR_UNIX_TIME,  /* seconds since 1970 UTC */
	WEIR_MONITOR_DATE,       /* 20260105, local */
	WEIR_MONITOR_CLOCK,      /* 10:00:00, local */
};

/* A field of a monitor. Tables of them end with a NULL name; names are compared without regard to
 * case. What is preferred comes first. */
struct weir_monitor_field {
	const char *name;
	enum weir_monitor_kind kind;
	unsigned what;
	const char *unit; /* where neither header nor value say; NULL: that of the gauge */
};

struct weir_monitor_column {
	const struct weir_monitor_field *field;
	size_t column;
	const struct weir_monitor_unit *unit; /* of the header; NULL: it says none */
};

/* What is remembered of a device between rows. */
struct weir_monitor_device {
	uint32_t row; /* of the telemetry's devices */
	int64_t last_ns;
	uint64_t rows;
	double held[2]; /* shares of WEIR_MONITOR_REASON_SHARE not yet told: power, heat */
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
	uint64_t stride;     /* of the rows of a device one in so many is kept */
	const char *failure; /* what the monitor said of itself in a row's place; NULL: nothing */
	void *context;       /* of the table; borrowed */
};

/* One row before it is a sample. Texts are borrowed from the row. */
struct weir_monitor_reading {
	struct weir_slice device, name;
	int64_t at_ns; /* WEIR_NO_TIME */
	int64_t date_ns;
	bool bad_time; /* a time is given and cannot be read */
	bool has_reasons;
	uint32_t reasons;
	double held[2]; /* of WEIR_MONITOR_REASON_SHARE: power, heat; NAN: not given */
	double value[WEIR_GAUGE_COUNT];
};

void weir_monitor_open(struct weir_monitor *monitor, struct weir_input *input,
                       const struct weir_monitor_field *fields);
/* Frees what only reading needs; the input keeps its telemetry. */
void weir_monitor_close(struct weir_monitor *monitor);

/* The field that a header's cell names; *unit is the cell's own, or NULL. NULL: not known. */
const struct weir_monitor_field *weir_monitor_find(const struct weir_monitor_field *fields,
                                                   struct weir_slice cell,
                                                   const struct weir_monitor_unit **unit);
/* Takes the columns of a header. Returns how many fields are known. */
size_t weir_monitor_bind(struct weir_monitor *monitor, const struct weir_slice *header,
                         size_t count);
/* Units that a line of their own gives, a cell a column; "" and unknown ones say nothing. */
void weir_monitor_bind_units(struct weir_monitor *monitor, const struct weir_slice *units,
                             size_t count);

struct weir_monitor_reading weir_monitor_unknown(void);
/* One cell into the reading. Missing values are no news; what is no value is counted. */
void weir_monitor_set(struct weir_monitor *monitor, const struct weir_monitor_column *column,
                      struct weir_slice cell, uint64_t at, struct weir_monitor_reading *reading);
/* The cells of a row by the columns of the header. */
void weir_monitor_take(struct weir_monitor *monitor, const struct weir_slice *cells, size_t count,
                       uint64_t at, struct weir_monitor_reading *reading);
/*
 * Makes a sample of it; a reading that says nothing of its device is passed over. Shares of reasons
 * become bits in as many samples as the shares add up to, so that the share of samples with the bit
 * is the mean of the shares. Fails with WEIR_E_LIMIT beyond WEIR_MAX_TELEMETRY_DEVICES.
 */
enum weir_status weir_monitor_add(struct weir_monitor *monitor,
                                  const struct weir_monitor_reading *reading, uint64_t at,
                                  struct weir_error *err);

/* A line in which the monitor says that it failed; reason is static. */
void weir_monitor_fail(struct weir_monitor *monitor, const char *reason, uint64_t at);
/* Whether the row has the cells of its header; counts what is ragged or cut. A row before any
 * header, and a blank line, do not. */
bool weir_monitor_fits(struct weir_monitor *monitor, const struct weir_csv_row *row);

/* How many cells of a row are certainly whole: all but the last where the file ends in it. */
size_t weir_monitor_whole(const struct weir_csv_row *row);

/* A monitor that prints a table. */
struct weir_monitor_table {
	const struct weir_monitor_field *fields;
	const struct weir_csv_options *options;
	/* One row, header or not. */
	enum weir_status (*take)(struct weir_monitor *monitor, const struct weir_csv_row *row,
	                         struct weir_error *err);
	/* Why a file holds nothing for this reader, from its head; NULL: it may. May be NULL. */
	const char *(*refuse)(const char *head, size_t len);
	void *context;      /* for take() */
	const char *header; /* whose header is expected */
};

/* Reads the source row by row, and fails where no sample is found. */
enum weir_status weir_monitor_read(const struct weir_monitor_table *table,
                                   struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err);
/* WEIR_OK where there are samples; else why there are none. */
enum weir_status weir_monitor_conclude(const struct weir_monitor *monitor, const char *header,
                                       struct weir_error *err);

/* What a cell of a monitor says. */
enum weir_monitor_cell {
	WEIR_MONITOR_VALUE,
	WEIR_MONITOR_MISSING, /* "", "-", "N/A", "[Not Supported]", blank sentinels of DCGM */
	WEIR_MONITOR_ERROR,   /* "[Unknown Error]", "[GPU is lost]": the device did not answer */
	WEIR_MONITOR_BAD,     /* no value and no known word for none */
};

/* "627.40 W", "100 %", "52", "(800Mhz)". *unit is empty where the cell has none. */
enum weir_monitor_cell weir_monitor_number(struct weir_slice cell, double *value,
                                           struct weir_slice *unit);
/* NULL: not a unit that is known. */
const struct weir_monitor_unit *weir_monitor_unit(struct weir_slice name);
/* The value in the gauge's unit; NAN where the unit measures something else, or the value is
 * outside of what the gauge can be. */
double weir_monitor_convert(enum weir_gauge gauge, double value,
                            const struct weir_monitor_unit *unit);

/* "2026/01/05 10:00:00.000" as if it were UTC; the fraction may be missing. */
bool weir_monitor_local_time(struct weir_slice text, int64_t *out_ns);
/* "20260105": its midnight. */
bool weir_monitor_date(struct weir_slice text, int64_t *out_ns);
/* "10:00:00", a fraction may follow: from midnight. */
bool weir_monitor_clock(struct weir_slice text, int64_t *out_ns);

/* ASCII only. */
bool weir_monitor_same(struct weir_slice text, const char *name);

#endif
