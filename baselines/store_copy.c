/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "baselines/store_copy.h"
#include "baselines/store_impl.h"

#define AT_ONCE 64 /* rows that travel to a server before it is asked whether they arrived */

/* A table by its natural keys: digests and names in place of the numbers of rows. Every insert
 * leaves a row alone that is there already. */
static const struct table {
	const char *name;
	int64_t version;     /* of the first schema that has it */
	bool by_run;         /* ?1 of `select` is the id of a run, ?1 of `insert` its digest */
	const char *columns; /* kinds of the values: Text, Integer, Real, Blob */
	const char *select, *insert;
} tables[WEIR_STORE_TABLES] = {
	{"baseline", 1, false, "T", "SELECT name FROM baseline ORDER BY name",
         "INSERT INTO baseline (name) VALUES (?1) ON CONFLICT (name) DO NOTHING"},
	{"run", 1, false, "BTTB", "SELECT digest, bound, cause, seal FROM run ORDER BY digest",
         "INSERT INTO run (digest, bound, cause, seal) VALUES (?1, ?2, ?3, ?4)"
         " ON CONFLICT (digest) DO NOTHING"},
	{"label", 1, true, "BTT",
         "SELECT r.digest, l.key, l.value FROM run r CROSS JOIN label l"
         " WHERE l.run = r.id AND r.id = ?1 ORDER BY l.key",
         "INSERT INTO label (run, key, value) SELECT id, ?2, ?3 FROM run WHERE digest = ?1"
         " ON CONFLICT (run, key) DO NOTHING"},
	{"series", 1, true, "BTTTTIB",
         "SELECT r.digest, s.kind, s.name, s.unit, s.better, s.count, s.samples"
         " FROM run r CROSS JOIN series s WHERE s.run = r.id AND r.id = ?1"
         " ORDER BY s.kind, s.name",
         "INSERT INTO series (run, kind, name, unit, better, count, samples)"
         " SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM run WHERE digest = ?1"
         " ON CONFLICT DO NOTHING"},
	{"member", 1, false, "TBIT",
         "SELECT b.name, r.digest, m.current, m.recorded FROM baseline b CROSS JOIN member m"
         " CROSS JOIN run r WHERE m.baseline = b.id AND r.id = m.run"
         " ORDER BY b.name, m.recorded, m.id",
         "INSERT INTO member (baseline, run, current, recorded) SELECT b.id, r.id, ?3, ?4"
         " FROM baseline b CROSS JOIN run r WHERE b.name = ?1 AND r.digest = ?2"
         " ON CONFLICT (baseline, run) DO NOTHING"},
	{"pin", 3, false, "TB",
         "SELECT b.name, r.digest FROM pin p CROSS JOIN member m CROSS JOIN baseline b"
         " CROSS JOIN run r WHERE m.id = p.member AND b.id = m.baseline AND r.id = m.run"
         " ORDER BY b.name, r.digest",
         "INSERT INTO pin (member) SELECT m.id FROM baseline b CROSS JOIN run r CROSS JOIN"
         " member m WHERE b.name = ?1 AND r.digest = ?2 AND m.baseline = b.id"
         " AND m.run = r.id ON CONFLICT (member) DO NOTHING"},
	{"pruned", 3, false, "TBTTB",
         "SELECT b.name, p.digest, p.recorded, p.summary, p.seal FROM baseline b"
         " CROSS JOIN pruned p WHERE p.baseline = b.id ORDER BY b.name, p.recorded, p.id",
         "INSERT INTO pruned (baseline, digest, recorded, summary, seal)"
         " SELECT id, ?2, ?3, ?4, ?5 FROM baseline WHERE name = ?1"
         " ON CONFLICT (baseline, digest) DO NOTHING"},
	{"advice", 2, false, "TTRRRRRTTTBB",
         "SELECT fix, device, promised_ns, low_ns, high_ns, before_ns, measured_ns, recorded,"
         " before, after, pair, seal FROM advice ORDER BY fix, recorded, id",
         "INSERT INTO advice (fix, device, promised_ns, low_ns, high_ns, before_ns, measured_ns,"
         " recorded, before, after, pair, seal)"
         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
         " ON CONFLICT (fix, pair) DO NOTHING"},
};

/* --- checksums --- */

static void add_number(struct weir_sha256 *hash, uint64_t number)
{
	uint8_t bytes[sizeof number];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
	weir_sha256_add(hash, bytes, sizeof bytes);
}

static void add_bytes(struct weir_sha256 *hash, const void *data, size_t size)
{
	add_number(hash, data ? size : UINT64_MAX);
	if (data)
		weir_sha256_add(hash, data, size);
}

static void add_value(struct weir_sha256 *hash, struct weir_db_statement *row, int column,
                      char kind)
{
	double real;
	uint64_t bits;

	if (weir_db_is_null(row, column)) {
		add_bytes(hash, NULL, 0);
	} else if (kind == 'T') {
		const char *text = weir_db_text(row, column);

		add_bytes(hash, text, text ? strlen(text) : 0);
	} else if (kind == 'B') {
		add_bytes(hash, weir_db_blob(row, column), weir_db_size(row, column));
	} else if (kind == 'I') {
		add_number(hash, (uint64_t)weir_db_int(row, column));
	} else {
		real = weir_db_double(row, column);
		memcpy(&bits, &real, sizeof bits);
		add_number(hash, bits);
	}
}

/* --- rows --- */

/* One pass over a table: its rows are hashed, and inserted into another store if there is one. */
struct pass {
	const struct table *table;
	struct weir_sha256 hash;
	uint64_t rows;
	struct weir_db_statement *insert; /* NULL: hashed only */
	uint64_t waiting;                 /* rows that were queued since the last answer */
};

static void bind_value(struct weir_db_statement *insert, struct weir_db_statement *row, int column,
                       char kind)
{
	if (kind == 'I')
		weir_db_bind_int(insert, column + 1, weir_db_int(row, column));
	else if (kind == 'R')
		weir_db_bind_double(insert, column + 1, weir_db_double(row, column));
	else if (kind == 'B')
		weir_db_bind_blob(insert, column + 1, weir_db_blob(row, column),
		                  weir_db_size(row, column));
	else
		weir_db_bind_text(insert, column + 1, weir_db_text(row, column));
}

static enum weir_status take_row(struct pass *pass, struct weir_db_statement *row,
                                 struct weir_error *err)
{
	for (int i = 0; pass->table->columns[i]; i++) {
		add_value(&pass->hash, row, i, pass->table->columns[i]);
		if (pass->insert)
			bind_value(pass->insert, row, i, pass->table->columns[i]);
	}
	pass->rows++;
	if (!pass->insert)
		return WEIR_OK;
	if (++pass->waiting < AT_ONCE)
		return weir_db_queue(pass->insert, err);
	pass->waiting = 0;
	return weir_db_run(pass->insert, err);
}

/* Takes the rows of a statement; `run` is ?1 of a table that is read by run. */
static enum weir_status take_rows(const struct weir_store *store, struct pass *pass, int64_t run,
                                  struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	bool row = true;
	enum weir_status status = weir_store_prepare(store, pass->table->select, &select, err);

	if (!status && pass->table->by_run)
		weir_db_bind_int(select, 1, run);
	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (!status && row)
			status = take_row(pass, select, err);
	}
	weir_db_finalize(select);
	return status;
}

/* Samples are read run by run, so that memory holds those of one run. */
static enum weir_status take_table(const struct weir_store *store, struct pass *pass,
                                   struct weir_error *err)
{
	struct weir_db_statement *runs = NULL;
	bool row = true;
	enum weir_status status;

	if (store->version < pass->table->version)
		return WEIR_OK;
	if (!pass->table->by_run)
		return take_rows(store, pass, 0, err);
	status = weir_store_prepare(store, "SELECT id FROM run ORDER BY digest", &runs, err);
	while (!status && row) {
		status = weir_db_step(runs, &row, err);
		if (!status && row)
			status = take_rows(store, pass, weir_db_int(runs, 0), err);
	}
	weir_db_finalize(runs);
	return status;
}

/* Sums up a table, and inserts its rows into `to` unless that is NULL. */
static enum weir_status walk(const struct weir_store *from, const struct weir_store *to,
                             const struct table *table, struct weir_store_sum *sum,
                             struct weir_error *err)
{
	struct pass pass = {.table = table};
	enum weir_status status = WEIR_OK;

	weir_sha256_init(&pass.hash);
	if (to)
		status = weir_store_prepare(to, table->insert, &pass.insert, err);
	if (!status)
		status = take_table(from, &pass, err);
	weir_db_finalize(pass.insert);
	sum->rows = pass.rows;
	weir_sha256_end(&pass.hash, sum->checksum);
	return status;
}

/* --- the copy --- */

bool weir_store_sums_agree(const struct weir_store_copied *copied, size_t table)
{
	const struct weir_store_sum *from = &copied->tables[table].from;
	const struct weir_store_sum *to = &copied->tables[table].to;

	return from->rows == to->rows &&
	       memcmp(from->checksum, to->checksum, sizeof from->checksum) == 0;
}

struct copying {
	struct weir_store *from, *to;
	struct weir_store_copied *copied;
};

static enum weir_status compare(const struct copying *copying, struct weir_error *err)
{
	for (size_t i = 0; i < WEIR_STORE_TABLES; i++)
		if (!weir_store_sums_agree(copying->copied, i))
			return weir_fail(err, WEIR_E_STORE,
			                 "%s holds other rows in the table %s: nothing was copied; "
			                 "copy into an empty store",
			                 copying->to->path, tables[i].name);
	return WEIR_OK;
}

static enum weir_status write_all(struct weir_store *to, void *context, struct weir_error *err)
{
	const struct copying *copying = context;
	struct weir_store_copied *copied = copying->copied;
	int64_t before = weir_db_total_changes(to->db);
	enum weir_status status = WEIR_OK;

	*copied = (struct weir_store_copied){0};
	for (size_t i = 0; !status && i < WEIR_STORE_TABLES; i++)
		status = walk(copying->from, to, &tables[i], &copied->tables[i].from, err);
	for (size_t i = 0; !status && i < WEIR_STORE_TABLES; i++) {
		status = walk(to, NULL, &tables[i], &copied->tables[i].to, err);
		copied->tables[i].name = status ? NULL : tables[i].name;
	}
	copied->added = (uint64_t)(weir_db_total_changes(to->db) - before);
	return status ? status : compare(copying, err);
}

static enum weir_status read_all(struct weir_store *from, void *context, struct weir_error *err)
{
	const struct copying *copying = context;

	(void)from;
	return weir_store_transact(copying->to, true, write_all, context, err);
}

enum weir_status weir_store_copy(struct weir_store *from, struct weir_store *to,
                                 struct weir_store_copied *copied, struct weir_error *err)
{
	struct copying copying = {from, to, copied};

	*copied = (struct weir_store_copied){0};
	return weir_store_transact(from, false, read_all, &copying, err);
}
