/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the outcomes of fixes and reads them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/store_impl.h"
#include "engine/base/arena.h"

#define FIRST_VERSION 2 /* of the schema with the table */

/* ---- seals ---- */

/* The order of bytes is fixed: a store may move to another machine. */
static void add_number(struct weir_sha256 *hash, uint64_t number)
{
	uint8_t bytes[sizeof number];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
	weir_sha256_add(hash, bytes, sizeof bytes);
}

static void add_text(struct weir_sha256 *hash, const char *text)
{
	add_number(hash, text ? strlen(text) : UINT64_MAX);
	if (text)
		weir_sha256_add(hash, text, strlen(text));
}

static void add_figure(struct weir_sha256 *hash, double value)
{
	double figure = isnan(value) ? -1 : value;
	uint64_t bits;

	memcpy(&bits, &figure, sizeof bits);
	add_number(hash, bits);
}

static void seal_of(const struct weir_advice_outcome *outcome, uint8_t seal[WEIR_SHA256_SIZE])
{
	struct weir_sha256 hash;

	weir_sha256_init(&hash);
	add_text(&hash, outcome->fix);
	add_text(&hash, outcome->device);
	add_figure(&hash, outcome->promised_ns);
	add_figure(&hash, outcome->low_ns);
	add_figure(&hash, outcome->high_ns);
	add_figure(&hash, outcome->before_ns);
	add_figure(&hash, outcome->measured_ns);
	add_text(&hash, outcome->recorded);
	add_text(&hash, outcome->before);
	add_text(&hash, outcome->after);
	weir_sha256_add(&hash, outcome->pair, WEIR_SHA256_SIZE);
	weir_sha256_end(&hash, seal);
}

/* ---- reading ---- */

/* Columns of select_sql. */
enum { FIX, DEVICE, PROMISED, LOW, HIGH, BEFORE_NS, MEASURED, RECORDED, BEFORE, AFTER, PAIR, SEAL };

#define SELECT                                                                                     \
	"SELECT fix, device, promised_ns, low_ns, high_ns, before_ns, measured_ns, recorded,"      \
	" before, after, pair, seal FROM advice"

static const char *text_at(struct weir_arena *arena, struct weir_db_statement *row, int column)
{
	const char *text = weir_db_text(row, column);

	return text ? weir_arena_copy(arena, text, strlen(text)) : NULL;
}

/* Fills an outcome, whose texts belong to the arena, and checks its seal. */
static enum weir_status read_row(const struct weir_store *store, struct weir_db_statement *row,
                                 struct weir_arena *arena, struct weir_advice_outcome *out,
                                 struct weir_error *err)
{
	uint8_t seal[WEIR_SHA256_SIZE];

	*out = (struct weir_advice_outcome){
		.fix = text_at(arena, row, FIX),
		.device = text_at(arena, row, DEVICE),
		.promised_ns = weir_db_double(row, PROMISED),
		.low_ns = weir_db_double(row, LOW),
		.high_ns = weir_db_double(row, HIGH),
		.before_ns = weir_db_double(row, BEFORE_NS),
		.measured_ns = weir_db_double(row, MEASURED),
		.recorded = text_at(arena, row, RECORDED),
		.before = text_at(arena, row, BEFORE),
		.after = text_at(arena, row, AFTER),
	};
	if (weir_db_size(row, PAIR) != WEIR_SHA256_SIZE ||
	    weir_db_size(row, SEAL) != WEIR_SHA256_SIZE)
		return weir_store_damaged(store, "an outcome of advice without a seal", err);
	memcpy(out->pair, weir_db_blob(row, PAIR), WEIR_SHA256_SIZE);
	seal_of(out, seal);
	if (memcmp(seal, weir_db_blob(row, SEAL), WEIR_SHA256_SIZE) != 0)
		return weir_store_damaged(store, "an outcome of advice is not what its seal says",
		                          err);
	return WEIR_OK;
}

static enum weir_status load(const struct weir_store *store, struct weir_advice_list *list,
                             struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	size_t capacity = 0;
	bool row = true;
	enum weir_status status =
		weir_store_prepare(store, SELECT " ORDER BY fix, recorded, id", &select, err);

	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (status || !row)
			break;
		list->items =
			weir_grow(list->items, &capacity, list->count + 1, sizeof *list->items);
		status = read_row(store, select, list->arena, &list->items[list->count], err);
		list->count++;
	}
	weir_db_finalize(select);
	return status;
}

static enum weir_status load_body(struct weir_store *store, void *context, struct weir_error *err)
{
	struct weir_advice_list *list = context;

	free(list->items);
	list->items = NULL;
	list->count = 0;
	return store->version >= FIRST_VERSION ? load(store, list, err) : WEIR_OK;
}

enum weir_status weir_store_load_advice(struct weir_store *store, struct weir_advice_list **out,
                                        struct weir_error *err)
{
	struct weir_advice_list *list = weir_alloc(sizeof *list);
	enum weir_status status;

	list->arena = weir_arena_new();
	status = weir_store_transact(store, false, load_body, list, err);
	if (status) {
		weir_advice_list_free(list);
		return status;
	}
	*out = list;
	return WEIR_OK;
}

void weir_advice_list_free(struct weir_advice_list *list)
{
	if (!list)
		return;
	weir_arena_free(list->arena);
	free(list->items);
	free(list);
}

enum weir_status weir_store_verify_advice(const struct weir_store *store,
                                          struct weir_store_health *health, struct weir_error *err)
{
	struct weir_advice_list list = {.arena = weir_arena_new()};
	enum weir_status status = WEIR_OK;

	if (store->version >= FIRST_VERSION)
		status = load(store, &list, err);
	for (size_t i = 0; !status && i < list.count; i++)
		if (!weir_recorded_valid(list.items[i].recorded))
			status = weir_store_damaged(store, "an outcome of advice without a time",
			                            err);
	health->advice = status ? 0 : list.count;
	weir_arena_free(list.arena);
	free(list.items);
	return status;
}

/* ---- keeping ---- */

static enum weir_status check_text(const char *what, const char *text, size_t most,
                                   struct weir_error *err)
{
	if (!text || !*text)
		return weir_fail(err, WEIR_E_FORMAT, "%s: expected a text", what);
	if (strlen(text) > most)
		return weir_fail(err, WEIR_E_LIMIT, "%s: more than %zu bytes", what, most);
	return WEIR_OK;
}

static bool is_step(double ns)
{
	return isfinite(ns) && ns > 0;
}

static enum weir_status check(const struct weir_advice_outcome *outcome, struct weir_error *err)
{
	enum weir_status status = check_text("fix", outcome->fix, WEIR_RUN_MAX_LABEL, err);

	if (!status && outcome->device)
		status = check_text("device", outcome->device, WEIR_RUN_MAX_LABEL, err);
	if (!status)
		status = check_text("before", outcome->before, WEIR_RUN_MAX_NAME, err);
	if (!status)
		status = check_text("after", outcome->after, WEIR_RUN_MAX_NAME, err);
	if (status)
		return status;
	if (!is_step(outcome->promised_ns) || !is_step(outcome->low_ns) ||
	    !is_step(outcome->high_ns) || !is_step(outcome->measured_ns) ||
	    !(isnan(outcome->before_ns) || is_step(outcome->before_ns)))
		return weir_fail(err, WEIR_E_FORMAT, "%s: expected finite steps above 0",
		                 outcome->fix);
	if (!weir_recorded_valid(outcome->recorded))
		return weir_fail(
			err, WEIR_E_FORMAT,
			"recorded: expected a time like 2026-11-20T14:00:00Z, not \"%.40s\"",
			outcome->recorded);
	return WEIR_OK;
}

/* Finds the outcome of the same fix and pair. */
static enum weir_status find(const struct weir_store *store,
                             const struct weir_advice_outcome *outcome, struct weir_arena *arena,
                             struct weir_advice_outcome *known, bool *found, struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	enum weir_status status =
		weir_store_prepare(store, SELECT " WHERE fix = ?1 AND pair = ?2", &select, err);

	if (!status) {
		weir_db_bind_text(select, 1, outcome->fix);
		weir_db_bind_blob(select, 2, outcome->pair, WEIR_SHA256_SIZE);
		status = weir_db_step(select, found, err);
	}
	if (!status && *found)
		status = read_row(store, select, arena, known, err);
	weir_db_finalize(select);
	return status;
}

static bool same_figure(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_figures(const struct weir_advice_outcome *a, const struct weir_advice_outcome *b)
{
	return same_figure(a->promised_ns, b->promised_ns) && same_figure(a->low_ns, b->low_ns) &&
	       same_figure(a->high_ns, b->high_ns) && same_figure(a->before_ns, b->before_ns) &&
	       same_figure(a->measured_ns, b->measured_ns);
}

static enum weir_status write(const struct weir_store *store,
                              const struct weir_advice_outcome *outcome, struct weir_error *err)
{
	uint8_t seal[WEIR_SHA256_SIZE];
	struct weir_db_statement *insert = NULL;
	enum weir_status status = weir_store_prepare(
		store,
		"INSERT INTO advice (fix, device, promised_ns, low_ns, high_ns, before_ns,"
		" measured_ns, recorded, before, after, pair, seal)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
		" ON CONFLICT (fix, pair) DO UPDATE SET device = excluded.device,"
		" promised_ns = excluded.promised_ns, low_ns = excluded.low_ns,"
		" high_ns = excluded.high_ns, before_ns = excluded.before_ns,"
		" measured_ns = excluded.measured_ns, recorded = excluded.recorded,"
		" before = excluded.before, after = excluded.after, seal = excluded.seal",
		&insert, err);

	if (status)
		return status;
	seal_of(outcome, seal);
	weir_db_bind_text(insert, FIX + 1, outcome->fix);
	weir_db_bind_text(insert, DEVICE + 1, outcome->device);
	weir_db_bind_double(insert, PROMISED + 1, outcome->promised_ns);
	weir_db_bind_double(insert, LOW + 1, outcome->low_ns);
	weir_db_bind_double(insert, HIGH + 1, outcome->high_ns);
	weir_db_bind_double(insert, BEFORE_NS + 1, outcome->before_ns);
	weir_db_bind_double(insert, MEASURED + 1, outcome->measured_ns);
	weir_db_bind_text(insert, RECORDED + 1, outcome->recorded);
	weir_db_bind_text(insert, BEFORE + 1, outcome->before);
	weir_db_bind_text(insert, AFTER + 1, outcome->after);
	weir_db_bind_blob(insert, PAIR + 1, outcome->pair, WEIR_SHA256_SIZE);
	weir_db_bind_blob(insert, SEAL + 1, seal, WEIR_SHA256_SIZE);
	status = weir_db_run(insert, err);
	weir_db_finalize(insert);
	return status;
}

static enum weir_status keep(const struct weir_store *store,
                             const struct weir_advice_outcome *outcome, enum weir_advice_kept *kept,
                             struct weir_error *err)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_advice_outcome known = {0};
	bool found = false;
	enum weir_status status = find(store, outcome, arena, &known, &found, err);

	*kept = !found                          ? WEIR_ADVICE_ADDED
	        : same_figures(outcome, &known) ? WEIR_ADVICE_KNOWN
	                                        : WEIR_ADVICE_REPLACED;
	if (!status && *kept != WEIR_ADVICE_KNOWN)
		status = write(store, outcome, err);
	weir_arena_free(arena);
	return status;
}

struct keeping {
	const struct weir_advice_outcome *outcome;
	enum weir_advice_kept *kept;
};

static enum weir_status keep_body(struct weir_store *store, void *context, struct weir_error *err)
{
	const struct keeping *keeping = context;

	return keep(store, keeping->outcome, keeping->kept, err);
}

enum weir_status weir_store_keep_advice(struct weir_store *store,
                                        const struct weir_advice_outcome *outcome,
                                        enum weir_advice_kept *kept, struct weir_error *err)
{
	enum weir_status status = check(outcome, err);

	*kept = WEIR_ADVICE_ADDED;
	if (status)
		return status;
	return weir_store_transact(store, true, keep_body, &(struct keeping){outcome, kept}, err);
}
