/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/cli/baseline_life.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/clock.h"
#include "engine/pipeline/pruning.h"
#include "engine/report/plain/items.h"

#define ID_DIGITS  12 /* shown digits of the id of a run */
#define SHOWN_RUNS 20 /* runs that a dry run lists */

enum weir_status weir_baseline_open_existing(const struct weir_baseline_call *call,
                                             struct weir_store **out, struct weir_error *err)
{
	const char *path = weir_db_path(call->arguments);
	/* Fails if there is no store: opening it to write would create one. */
	enum weir_status status = weir_store_open(path, WEIR_STORE_READ, out, err);

	if (status)
		return status;
	weir_store_free(*out);
	*out = NULL;
	return weir_store_open(path, WEIR_STORE_WRITE, out, err);
}

/* ---- prune ---- */

enum weir_status weir_baseline_keep_newest(struct weir_store *store,
                                           const struct weir_baseline *recorded, size_t keep,
                                           struct weir_baseline_kept *kept, struct weir_error *err)
{
	const struct weir_store_choice choice = {.name = recorded->name,
	                                         .keep = keep,
	                                         .spared = recorded,
	                                         .spared_count = &kept->spared};
	struct weir_baseline *leaving = NULL;
	enum weir_status status;

	*kept = (struct weir_baseline_kept){0};
	status = weir_prune(store, &choice, false, &leaving, &kept->pruned, err);
	for (size_t i = 0; !status && i < leaving->count; i++)
		kept->current += !leaving->runs[i].history;
	weir_baseline_free(leaving);
	return status;
}

static void add_leaving(struct weir_text *text, const struct weir_baseline *leaving, bool dry_run,
                        size_t pruned)
{
	size_t shown = leaving->count < SHOWN_RUNS ? leaving->count : SHOWN_RUNS;

	weir_text_printf(text, "%s: ", leaving->name);
	weir_items_number(text, dry_run ? leaving->count : pruned, "run");
	weir_text_puts(text, dry_run ? " would be pruned" : " pruned");
	weir_text_puts(text, leaving->count ? "; history keeps their quantiles\n" : "\n");
	for (size_t i = 0; dry_run && i < shown; i++)
		weir_text_printf(text, "  %.*s  %s%s\n", ID_DIGITS, leaving->runs[i].id,
		                 leaving->runs[i].recorded,
		                 leaving->runs[i].history ? "  (history)" : "");
	if (dry_run && leaving->count > shown)
		weir_text_printf(text, "  ... and %zu later ones\n", leaving->count - shown);
}

/* Reads the limits of a prune; at least one must be given. */
static enum weir_status read_choice(const struct weir_baseline_call *call,
                                    struct weir_store_choice *choice, bool aged,
                                    struct weir_error *err)
{
	bool sized = weir_option_given(call->arguments, "max-size");

	if (!choice->keep && !aged && !sized)
		return weir_fail(err, WEIR_E_USAGE,
		                 "prune needs a limit: weir baseline prune %s --older-than DAYS, "
		                 "--keep COUNT, --max-size SIZE or several of them",
		                 call->subject);
	choice->most_bytes = weir_option_size(call->arguments, "max-size", 0);
	return WEIR_OK;
}

/* Appends the size of the samples that a name holds, with the limit if it is exceeded. */
static enum weir_status add_size(struct weir_text *text, struct weir_store *store,
                                 const struct weir_store_choice *choice, struct weir_error *err)
{
	struct weir_store_list *list;
	enum weir_status status = weir_store_list(store, &list, err);

	if (status)
		return status;
	status = weir_store_measure(store, list, err);
	for (size_t i = 0; !status && i < list->count; i++) {
		uint64_t bytes = list->rows[i].sample_bytes;

		if (strcmp(list->rows[i].name, choice->name) != 0)
			continue;
		weir_text_puts(text, "  its samples take ");
		weir_text_bytes(text, (double)bytes);
		weir_text_puts(text, bytes > choice->most_bytes
		                             ? ", more than --max-size: runs that are pinned or "
		                               "kept by another limit stay\n"
		                             : "\n");
	}
	weir_store_list_free(list);
	return status;
}

enum weir_status weir_baseline_prune(struct weir_baseline_call *call, struct weir_error *err)
{
	const struct weir_arguments *arguments = call->arguments;
	bool dry_run = weir_option_given(arguments, "dry-run");
	size_t days = weir_option_count(arguments, "older-than", 0), pruned;
	char before[WEIR_CLOCK_SIZE];
	struct weir_store_choice choice = {.name = call->subject,
	                                   .keep = weir_option_count(arguments, "keep", 0),
	                                   .before = days ? before : NULL};
	struct weir_baseline *leaving = NULL;
	struct weir_store *store;
	enum weir_status status;

	status = read_choice(call, &choice, days > 0, err);
	if (status)
		return status;
	weir_clock_before(before, days);
	status = weir_baseline_open_existing(call, &store, err);
	if (status)
		return status;
	status = weir_prune(store, &choice, dry_run, &leaving, &pruned, err);
	if (!status)
		add_leaving(&call->text, leaving, dry_run, pruned);
	if (!status && choice.most_bytes && !dry_run)
		status = add_size(&call->text, store, &choice, err);
	weir_baseline_free(leaving);
	weir_store_free(store);
	return status;
}

/* ---- pins ---- */

static enum weir_status set_pins(struct weir_baseline_call *call, bool pinned,
                                 struct weir_error *err)
{
	const char *id = weir_arguments_at(call->arguments, 2);
	struct weir_store *store;
	size_t changed;
	enum weir_status status = weir_baseline_open_existing(call, &store, err);

	if (status)
		return status;
	status = weir_store_pin(store, call->subject, id ? id : "", pinned, &changed, err);
	if (!status) {
		weir_text_printf(&call->text, "%s: ", call->subject);
		weir_items_number(&call->text, changed, "run");
		weir_text_puts(&call->text, pinned ? " pinned\n" : " unpinned\n");
	}
	weir_store_free(store);
	return status;
}

enum weir_status weir_baseline_pin(struct weir_baseline_call *call, struct weir_error *err)
{
	return set_pins(call, true, err);
}

enum weir_status weir_baseline_unpin(struct weir_baseline_call *call, struct weir_error *err)
{
	return set_pins(call, false, err);
}

/* ---- remove ---- */

static enum weir_status find_row(struct weir_store *store, const struct weir_baseline_call *call,
                                 struct weir_store_list **list, const struct weir_store_row **out,
                                 struct weir_error *err)
{
	enum weir_status status = weir_store_list(store, list, err);

	*out = NULL;
	for (size_t i = 0; !status && i < (*list)->count; i++)
		if (strcmp((*list)->rows[i].name, call->subject) == 0)
			*out = &(*list)->rows[i];
	return status;
}

/* Appends "main: 12 runs, 30 runs of its history and 4 pruned runs; recorded 2026-01-02 to
 * 2026-11-20". */
static void add_contents(struct weir_text *text, const struct weir_store_row *row)
{
	weir_text_printf(text, "%s: ", row->name);
	weir_items_number(text, row->runs, "run");
	weir_text_puts(text, ", ");
	weir_items_number(text, row->history, "run");
	weir_text_puts(text, " of its history and ");
	weir_items_number(text, row->pruned, "pruned run");
	if (row->pinned)
		weir_text_printf(text, "; %" PRIu64 " of them pinned", row->pinned);
	if (row->first && row->last)
		weir_text_printf(text, "; recorded %.10s to %.10s", row->first, row->last);
}

/* Asks on a terminal. Returns true for an answer that begins with y. */
static bool is_agreed(const char *contents)
{
	char answer[16] = "";

	fprintf(stderr, "%s\nremove all of it? [y/N] ", contents);
	fflush(stderr);
	return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

/* WEIR_OK if --yes was given or a person agrees. */
static enum weir_status agree(const struct weir_baseline_call *call, const char *contents,
                              struct weir_error *err)
{
	if (weir_option_given(call->arguments, "yes"))
		return WEIR_OK;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return weir_fail(
			err, WEIR_E_USAGE,
			"would remove %s; nobody can be asked here: add --yes to remove it",
			contents);
	if (!is_agreed(contents))
		return weir_fail(err, WEIR_E_USAGE, "nothing was removed");
	return WEIR_OK;
}

static enum weir_status remove_from(struct weir_store *store, struct weir_baseline_call *call,
                                    struct weir_error *err)
{
	const struct weir_store_row *row;
	struct weir_store_list *list = NULL;
	struct weir_text contents = {0};
	size_t runs;
	enum weir_status status = find_row(store, call, &list, &row, err);

	if (!status && row) {
		add_contents(&contents, row);
		status = agree(call, contents.data, err);
	}
	if (!status) /* also names the nearest baseline if no such baseline exists */
		status = weir_store_remove(store, call->subject, &runs, err);
	if (!status)
		weir_text_printf(&call->text, "removed %s\n", contents.data ? contents.data : "");
	weir_store_list_free(list);
	weir_text_release(&contents);
	return status;
}

enum weir_status weir_baseline_remove(struct weir_baseline_call *call, struct weir_error *err)
{
	struct weir_store *store;
	enum weir_status status = weir_baseline_check_name(call->subject, err);

	if (!status)
		status = weir_baseline_open_existing(call, &store, err);
	if (status)
		return status;
	status = remove_from(store, call, err);
	weir_store_free(store);
	return status;
}
