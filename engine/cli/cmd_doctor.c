/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jsonout.h"
#include "engine/cli/command.h"
#include "engine/cli/help.h"
#include "engine/cli/output.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/advice_record.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/clock.h"
#include "engine/pipeline/doctor.h"
#include "engine/pipeline/gating.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/plain/items.h"

#define LABEL_COLUMNS 18
#define TARGET        0.05 /* false-alarm rate above which a baseline is reported */

static const char *const formats[] = {"text", "json", NULL};

static const struct weir_option options[] = {
	{.name = "baseline-runs",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "runs of the baseline of each gate that is tried (default: all that are left)"},
	{.name = "candidate-runs",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "runs of the candidate of each gate that is tried (default: those of the newest "
                 "session; 3 without sessions)"},
	WEIR_LABEL_OPTION("RUN...: "),
	WEIR_DB_OPTION,
	WEIR_CONFIG_OPTION,
	{.name = "format",
         .letter = 'f',
         .kind = WEIR_OPTION_CHOICE,
         .value = "FORMAT",
         .choices = formats,
         .help = "text (default) or json"},
	{.name = NULL},
};

/* Output, written as text and as JSON at the same time. */
struct findings {
	struct weir_text text, json_text;
	struct weir_jsonout json;
	size_t faults; /* number of problems found */
	struct weir_doctor_sizes sizes;
};

static void tell(struct findings *findings, const char *label, const char *words)
{
	weir_help_row(&findings->text, label, words, LABEL_COLUMNS);
}

static void check_configuration(struct findings *findings, const struct weir_policy *policy)
{
	struct weir_text line = {0};
	size_t expired = 0;

	for (size_t i = 0; i < policy->waiver_count; i++)
		expired += policy->waivers[i].waiver.expired;
	if (policy->path)
		weir_text_printf(&line, "%s: %zu rules, %zu ceilings, %zu waivers (%zu expired)",
		                 policy->path, policy->rule_count, policy->slo_count,
		                 policy->waiver_count, expired);
	else
		weir_text_puts(&line, "no weir.json: the defaults hold");
	tell(findings, "configuration", line.data);
	weir_jsonout_begin_object(&findings->json, "configuration");
	weir_jsonout_text(&findings->json, "path", policy->path);
	weir_jsonout_int(&findings->json, "rules", (int64_t)policy->rule_count);
	weir_jsonout_int(&findings->json, "slo", (int64_t)policy->slo_count);
	weir_jsonout_int(&findings->json, "waivers", (int64_t)policy->waiver_count);
	weir_jsonout_int(&findings->json, "expired_waivers", (int64_t)expired);
	weir_jsonout_end(&findings->json);
	findings->faults += expired;
	weir_text_release(&line);
}

static enum weir_status check_store(struct findings *findings, struct weir_store *store,
                                    const char *path, struct weir_error *err)
{
	struct weir_store_health health;
	struct weir_text line = {0};
	enum weir_status status = weir_store_verify(store, &health, err);

	if (status)
		return status;
	weir_text_printf(&line, "%s is sound: ", path);
	weir_items_number(&line, health.baselines, "baseline");
	weir_text_puts(&line, ", ");
	weir_items_number(&line, health.runs, "run");
	tell(findings, "store", line.data);
	weir_jsonout_begin_object(&findings->json, "store");
	weir_jsonout_text(&findings->json, "path", path);
	weir_jsonout_int(&findings->json, "baselines", (int64_t)health.baselines);
	weir_jsonout_int(&findings->json, "runs", (int64_t)health.runs);
	weir_jsonout_int(&findings->json, "samples", (int64_t)health.samples);
	weir_jsonout_end(&findings->json);
	weir_text_release(&line);
	return WEIR_OK;
}

static void add_share(struct weir_text *text, double share)
{
	weir_text_printf(text, "%.1f %%", 100 * share);
}

/* Tells the draws that did not fail but did not pass either. */
static void tell_other_draws(struct findings *findings, const struct weir_doctor_trial *trial)
{
	struct weir_text line = {0};

	weir_text_printf(&line, "%zu draws suspect a change, %zu are inconclusive", trial->suspect,
	                 trial->inconclusive);
	if (trial->sessions > 0)
		weir_text_printf(&line, "; draws exchange whole sessions (%zu)", trial->sessions);
	tell(findings, "  other draws", line.data);
	weir_text_release(&line);
}

static void tell_false_alarms(struct findings *findings, const struct weir_doctor_trial *trial)
{
	struct weir_text line = {0};

	if (trial->draws == 0) {
		weir_text_puts(&line, "unknown: too few runs to split them; record 8 or more");
	} else {
		weir_text_printf(
			&line,
			"%zu of %zu draws of %zu against %zu unchanged runs failed: ", trial->red,
			trial->draws, trial->baseline_runs, trial->candidate_runs);
		/* The interval: see weir_trial_independent(). */
		add_share(&line, (double)trial->red / (double)trial->draws);
		weir_text_puts(&line, " (95 % interval ");
		add_share(&line, trial->low);
		weir_text_puts(&line, " to ");
		add_share(&line, trial->high);
		weir_text_printf(&line, ", as the draws share runs and are worth %.1f gates)",
		                 trial->independent);
		if (trial->low > TARGET) {
			weir_text_puts(
				&line,
				". More than 5 %: the baseline may mix runs of different hosts or "
				"days; interleave them, or keep one baseline per device");
			findings->faults++;
		}
	}
	tell(findings, "  false alarms", line.data);
	weir_text_release(&line);
	if (trial->draws > 0)
		tell_other_draws(findings, trial);
}

#define BLIND 1 /* a detectable change from here on is not given as a number */

/* Appends "stage:decode p50 4 %". */
static void add_effect(struct weir_text *line, const struct weir_doctor_effect *effect)
{
	weir_text_printf(line, "%s%s %s ", line->length ? ", " : "", effect->scope, effect->metric);
	if (effect->effect < BLIND)
		weir_text_printf(line, "%.0f %%", 100 * effect->effect);
	else
		weir_text_puts(line, "none below 100 %");
}

static void tell_effects(struct findings *findings, const struct weir_doctor_trial *trial)
{
	struct weir_text line = {0};

	for (size_t i = 0; i < trial->effect_count; i++)
		if (strcmp(trial->effects[i].metric, "p50") == 0 ||
		    strcmp(trial->effects[i].metric, "value") == 0)
			add_effect(&line, &trial->effects[i]);
	if (line.length) {
		weir_text_puts(&line, ", in the worst of the draws");
		tell(findings, "  detectable", line.data);
	}
	weir_text_release(&line);
}

/* Names the stages that cannot fail a gate in practice, by `shift`, the most sensitive row. */
static void tell_noisy(struct findings *findings, const struct weir_doctor_trial *trial)
{
	for (size_t i = 0; i < trial->effect_count; i++) {
		const struct weir_doctor_effect *effect = &trial->effects[i];
		struct weir_text line = {0};

		if (strcmp(effect->metric, "shift") != 0 || !weir_doctor_is_noisy(effect))
			continue;
		if (effect->sum < BLIND * (double)effect->draws)
			weir_text_printf(&line, "%s shows changes from %.0f %% on, on average: ",
			                 effect->scope, 100 * effect->sum / (double)effect->draws);
		else
			weir_text_printf(&line,
			                 "%s does not even show a doubling: ", effect->scope);
		weir_text_puts(&line,
		               trial->sessions > 0
		                       ? "record more sessions, or interleave"
		                       : "set its severity to warn in weir.json, and gate its "
		                         "device time");
		tell(findings, "  too noisy", line.data);
		weir_text_release(&line);
		findings->faults++;
	}
}

static void tell_faults(struct findings *findings, const struct weir_doctor_trial *trial)
{
	const char *line = trial->faults.data;

	while (line && *line) {
		size_t len = strcspn(line, "\n");
		struct weir_text one = {0};

		weir_text_add(&one, line, len);
		tell(findings, "  fix", one.data);
		weir_text_release(&one);
		findings->faults++;
		line += len + (line[len] == '\n');
	}
}

static void put_trial(struct weir_jsonout *json, const struct weir_doctor_trial *trial)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "name", trial->name);
	weir_jsonout_int(json, "runs", (int64_t)trial->runs);
	weir_jsonout_int(json, "draws", (int64_t)trial->draws);
	weir_jsonout_begin_array_inline(json, "sizes");
	weir_jsonout_int(json, NULL, (int64_t)trial->baseline_runs);
	weir_jsonout_int(json, NULL, (int64_t)trial->candidate_runs);
	weir_jsonout_end(json);
	weir_jsonout_int(json, "sessions", (int64_t)trial->sessions);
	weir_jsonout_int(json, "red", (int64_t)trial->red);
	weir_jsonout_int(json, "suspect", (int64_t)trial->suspect);
	weir_jsonout_int(json, "inconclusive", (int64_t)trial->inconclusive);
	weir_jsonout_double(json, "independent_gates", trial->independent);
	weir_jsonout_share(json, "false_alarm_rate",
	                   trial->draws ? (double)trial->red / (double)trial->draws : NAN);
	weir_jsonout_begin_array_inline(json, "interval95");
	weir_jsonout_share(json, NULL, trial->low);
	weir_jsonout_share(json, NULL, trial->high);
	weir_jsonout_end(json);
	weir_jsonout_begin_array(json, "detectable");
	for (size_t i = 0; i < trial->effect_count; i++) {
		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "scope", trial->effects[i].scope);
		weir_jsonout_text(json, "metric", trial->effects[i].metric);
		weir_jsonout_share(json, "effect", trial->effects[i].effect);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
	weir_jsonout_text(json, "faults", trial->faults.data);
	weir_jsonout_end(json);
}

static enum weir_status check_runs(struct findings *findings, const struct weir_baseline *baseline,
                                   const struct weir_policy *policy, struct weir_error *err)
{
	struct weir_doctor_trial trial;
	struct weir_text line = {0};
	enum weir_status status = weir_doctor_try(baseline, policy, &findings->sizes, &trial, err);

	if (!status) {
		weir_text_printf(&line, "%s, %zu run%s", baseline->name, trial.runs,
		                 trial.runs == 1 ? "" : "s");
		tell(findings, "baseline", line.data);
		tell_false_alarms(findings, &trial);
		tell_effects(findings, &trial);
		tell_noisy(findings, &trial);
		tell_faults(findings, &trial);
		put_trial(&findings->json, &trial);
	}
	weir_text_release(&line);
	weir_doctor_trial_release(&trial);
	return status;
}

static enum weir_status check_baseline(struct findings *findings, struct weir_store *store,
                                       const char *name, const struct weir_policy *policy,
                                       struct weir_error *err)
{
	const struct weir_store_query query = {.name = name};
	struct weir_baseline *baseline;
	enum weir_status status = weir_store_load(store, &query, &baseline, err);

	if (status)
		return status;
	status = check_runs(findings, baseline, policy, err);
	weir_baseline_free(baseline);
	return status;
}

/* Checks the runs in files, in place of a store. */
static enum weir_status check_files(struct findings *findings,
                                    const struct weir_arguments *arguments,
                                    const struct weir_policy *policy, struct weir_error *err)
{
	const struct weir_settings settings = weir_settings_of(policy, NAN, "");
	struct weir_baseline *baseline = weir_baseline_new("the given files");
	const struct weir_run_list list = {weir_arguments_list(arguments),
	                                   weir_arguments_count(arguments), baseline};
	struct weir_progress_line line;
	struct weir_progress progress;
	struct weir_measuring measuring;
	struct weir_labels labels;
	char now[WEIR_CLOCK_SIZE];
	enum weir_status status = weir_labels_given(&labels, arguments, false, err);

	weir_clock_now(now);
	weir_measuring_given(&measuring, arguments, &settings, &line, &progress);
	measuring.labels = labels.given;
	measuring.recorded = now;
	measuring.consequence = "nothing was tried";
	if (!status)
		status = weir_measure_runs(&measuring, &list, 1, err);
	weir_progress_end(&line);
	weir_jsonout_null(&findings->json, "store");
	weir_jsonout_begin_array(&findings->json, "baselines");
	if (!status)
		status = check_runs(findings, baseline, policy, err);
	if (!status)
		weir_jsonout_end(&findings->json);
	weir_labels_release(&labels);
	weir_baseline_free(baseline);
	return status;
}

static enum weir_status check_baselines(struct findings *findings, struct weir_store *store,
                                        const struct weir_policy *policy, struct weir_error *err)
{
	struct weir_store_list *list;
	enum weir_status status = weir_store_list(store, &list, err);

	if (status)
		return status;
	weir_jsonout_begin_array(&findings->json, "baselines");
	for (size_t i = 0; !status && i < list->count; i++)
		if (list->rows[i].runs > 0)
			status = check_baseline(findings, store, list->rows[i].name, policy, err);
	if (!status)
		weir_jsonout_end(&findings->json);
	weir_store_list_free(list);
	return status;
}

static void tell_record(struct findings *findings, const struct weir_advice_record *record)
{
	struct weir_text line = {0};

	weir_text_printf(&line, "%s: %zu tried, median error %.0f %%, %zu within the range",
	                 record->fix, record->tried, 100 * record->median_error, record->within);
	tell(findings, "advice", line.data);
	weir_text_release(&line);
	weir_jsonout_begin_object_inline(&findings->json, NULL);
	weir_jsonout_text(&findings->json, "fix", record->fix);
	weir_jsonout_int(&findings->json, "tried", (int64_t)record->tried);
	weir_jsonout_share(&findings->json, "median_error", record->median_error);
	weir_jsonout_int(&findings->json, "within", (int64_t)record->within);
	weir_jsonout_end(&findings->json);
}

/* Tells the record of each fix; nothing if no outcome was kept. */
static enum weir_status check_advice(struct findings *findings, struct weir_store *store,
                                     struct weir_error *err)
{
	struct weir_advice_list *list;
	struct weir_advice_record *records;
	size_t count;
	enum weir_status status = weir_store_load_advice(store, &list, err);

	if (status)
		return status;
	records = weir_advice_records(list, &count);
	if (count > 0) {
		weir_jsonout_begin_array(&findings->json, "advice");
		for (size_t i = 0; i < count; i++)
			tell_record(findings, &records[i]);
		weir_jsonout_end(&findings->json);
	}
	free(records);
	weir_advice_list_free(list);
	return WEIR_OK;
}

static enum weir_status look(struct findings *findings, const struct weir_arguments *arguments,
                             const struct weir_policy *policy, struct weir_error *err)
{
	const char *path = weir_db_path(arguments);
	char *label;
	struct weir_store *store;
	enum weir_status status;

	check_configuration(findings, policy);
	if (weir_arguments_count(arguments) > 0)
		return check_files(findings, arguments, policy, err);
	status = weir_store_open(path, WEIR_STORE_READ, &store, err);
	if (status == WEIR_E_NO_BASELINE) {
		*err = (struct weir_error){0};
		tell(findings, "store",
		     "none yet; record runs with: weir baseline record RUN... --name main");
		weir_jsonout_null(&findings->json, "store");
		return WEIR_OK;
	}
	if (status)
		return status;
	label = weir_db_label(arguments);
	status = check_store(findings, store, label, err);
	free(label);
	if (!status)
		status = check_baselines(findings, store, policy, err);
	if (!status)
		status = check_advice(findings, store, err);
	weir_store_free(store);
	return status;
}

static enum weir_status diagnose(const struct weir_arguments *arguments, struct weir_error *err)
{
	const char *format = weir_option_text(arguments, "format");
	struct findings findings = {
		.sizes = {weir_option_count(arguments, "baseline-runs", 0),
	                  weir_option_count(arguments, "candidate-runs", 0)},
	};
	struct weir_policy *policy;
	enum weir_status status =
		weir_policy_today(weir_option_text(arguments, "config"), &policy, err);

	if (status)
		return status;
	weir_jsonout_init(&findings.json, &findings.json_text, true);
	weir_jsonout_begin_object(&findings.json, NULL);
	weir_jsonout_text(&findings.json, "schema", "weir.doctor/1");
	status = look(&findings, arguments, policy, err);
	if (!status) {
		tell(&findings, "verdict",
		     findings.faults ? "problems found, see above" : "no problems found");
		weir_jsonout_int(&findings.json, "faults", (int64_t)findings.faults);
		weir_jsonout_end(&findings.json);
		weir_text_puts(&findings.json_text, "\n");
		status = weir_output_write(NULL,
		                           format && strcmp(format, "json") == 0
		                                   ? &findings.json_text
		                                   : &findings.text,
		                           err);
	}
	weir_text_release(&findings.text);
	weir_text_release(&findings.json_text);
	weir_policy_free(policy);
	return status;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	return weir_exit_of(diagnose(arguments, err));
}

const struct weir_command weir_command_doctor = {
	.name = "doctor",
	.summary = "check configuration and store, measure false alarms",
	.arguments = "[RUN...]",
	.description =
		"Checks weir.json and the store, and measures how far the gate can be "
		"trusted: it splits the runs of each baseline, or those in the files RUN, 200 "
		"times at random into baseline and candidate, and gates them under the "
		"current configuration. No code changed between these runs; therefore the "
		"share of draws that fail is the false-alarm rate of the gate. Runs with the "
		"label `session` are exchanged by whole sessions, as a gate meets them. The "
		"draws share runs; the interval takes this into account.\n\n"
		"It also reports the smallest change that the gate could have detected in "
		"each stage, the patterns and waivers that have no effect, and how well "
		"advice kept its promises (weir advise --verify --keep).",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_STORE) | WEIR_ENDS(WEIR_EXIT_INPUT),
	.example = "weir doctor",
	.example_shows = "shows the false-alarm rate of every baseline in the store",
	.run = run,
};
