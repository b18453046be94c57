/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rule files are read in one order, checked in every detail, and their examples are run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/embed.h"
#include "engine/base/text.h"
#include "engine/model/feature.h"
#include "rules/ruleset.h"
#include "tests/unit/rule_features.h"

#define RULE(id, when, examples)                                                                   \
	"{\"id\":\"" id "\",\"about\":\"operator\",\"bound\":\"memory\",\"cause\":\"bandwidth\","  \
	"\"title\":\"t\",\"when\":[" when "],\"share\":\"share\",\"see\":[\"s\"],"                 \
	"\"examples\":[" examples "]}"
#define EXAMPLES                                                                                   \
	"{\"share\":0.9,\"expect\":\"true\"},{\"share\":0.1,\"expect\":\"false\"},"                \
	"{\"expect\":\"unknown\"}"
#define SMALL(id)      RULE(id, "\"share > 0.5\"", EXAMPLES)
#define FILE_OF(rules) "{\"rules\":[" rules "]}"

static const char complete[] =
	"{\"rules\":[{\"id\":\"runtime/host-dispatch\",\"about\":[\"profile\",\"stage\"],"
	"\"bound\":\"runtime\",\"cause\":\"host-dispatch\",\"title\":\"The device waits for the "
	"host\","
	"\"when\":[\"gpu_active < 0.60\",\"idle_host > "
	"0.2\"],\"share\":\"idle_host\",\"last\":false,"
	"\"headline\":\"the GPU waits for the host {idle_host:share} of the time\","
	"\"next\":\"capture {kernels} kernels in a graph\","
	"\"recommend\":[{\"id\":\"cuda-graphs\",\"title\":\"Capture the step\",\"why\":\"{kernels} "
	"launches\","
	"\"effort\":\"medium\",\"low\":1.5,\"high\":2.3,\"what_if\":\"runtime=0.5\",\"saves\":"
	"\"idle_host\"}],"
	"\"see\":[\"one source\",\"another\"],"
	"\"examples\":[{\"gpu_active\":0.2,\"idle_host\":0.7,\"expect\":\"true\"},"
	"{\"gpu_active\":0.9,\"expect\":\"false\"},{\"gpu_active\":0.2,\"expect\":\"unknown\"}]}]}";

/* This program's own embedded files, out of order on purpose, with one that is no rule file. */
static const char batching[] = FILE_OF(SMALL("batching/b"));
static const char memory[] = FILE_OF(SMALL("memory/m1") "," SMALL("memory/m2"));
static const char advice[] = FILE_OF(SMALL("advice/a"));
static const char hardware[] = FILE_OF(SMALL("hardware/h"));

const struct weir_embedded weir_embedded_files[] = {
	{"rules/devices.json", "{}", 2},
	{"rules/catalog/hardware.json", hardware, sizeof(hardware) - 1},
	{"rules/catalog/advice.json", advice, sizeof(advice) - 1},
	{"rules/catalog/memory.json", memory, sizeof(memory) - 1},
	{"rules/catalog/README.md", "#", 1},
	{"rules/catalog/batching.json", batching, sizeof(batching) - 1},
	{NULL, NULL, 0},
};

static struct weir_ruleset *load_text(const char *text)
{
	struct weir_ruleset *set = NULL;
	struct weir_error err = {0};

	if (weir_ruleset_load_text(&rule_features, "x.json", text, strlen(text), &set, &err))
		fail_msg("%s", err.message);
	return set;
}

static void assert_refused(const char *text, const char *reason)
{
	struct weir_ruleset *set = NULL;
	struct weir_error err = {0};

	if (weir_ruleset_load_text(&rule_features, "x.json", text, strlen(text), &set, &err) !=
	    WEIR_E_USAGE)
		fail_msg("not refused: %s", text);
	if (strncmp(err.message, "x.json: ", 8) != 0 || !strstr(err.message, reason))
		fail_msg("says \"%s\", expected \"x.json: \" first and \"%s\" in it", err.message,
		         reason);
	assert_int_equal(err.status, WEIR_E_USAGE);
	assert_null(set);
}

/* The complete file with one piece replaced; the piece must be there. */
static void assert_change_refused(const char *piece, const char *by, const char *reason)
{
	struct weir_text text = {0};
	const char *at = strstr(complete, piece);

	assert_non_null(at);
	weir_text_add(&text, complete, (size_t)(at - complete));
	weir_text_puts(&text, by);
	weir_text_puts(&text, at + strlen(piece));
	assert_refused(text.data, reason);
	weir_text_release(&text);
}

static void a_complete_rule_is_read_whole(void **state)
{
	struct weir_ruleset *set = load_text(complete);
	const struct weir_rule *rule = weir_ruleset_find(set, "runtime/host-dispatch");

	(void)state;
	assert_int_equal(weir_ruleset_count(set), 1);
	assert_non_null(rule);
	assert_string_equal(rule->file, "x.json");
	assert_int_equal(rule->subjects, WEIR_FOR_PROFILE | WEIR_FOR_STAGE);
	assert_int_equal(rule->bound, WEIR_BOUND_RUNTIME);
	assert_string_equal(rule->cause, "host-dispatch");
	assert_int_equal(rule->clause_count, 2);
	assert_string_equal(rule->clauses[1].text, "idle_host > 0.2");
	assert_int_equal(rule->share, F_IDLE_HOST);
	assert_false(rule->last);
	assert_int_equal(rule->advice_count, 1);
	assert_string_equal(rule->advice[0].effort, "medium");
	assert_true(rule->advice[0].low == 1.5 && rule->advice[0].high == 2.3);
	assert_int_equal(rule->advice[0].saves, F_IDLE_HOST);
	assert_true(rule->advice[0].has_change);
	assert_string_equal(rule->advice[0].change.class_name, "runtime");
	assert_true(rule->advice[0].change.factor == 0.5);
	assert_int_equal(rule->see_count, 2);
	assert_string_equal(rule->see[1], "another");
	assert_int_equal(rule->example_count, 3);
	assert_int_equal(rule->examples[2].expect, WEIR_UNKNOWN);
	assert_true(rule->examples[2].values[F_GPU_ACTIVE] == 0.2);
	assert_true(isnan(rule->examples[2].values[F_IDLE_HOST]));
	weir_ruleset_free(set);
}

static void advice_alone_needs_no_bound(void **state)
{
	struct weir_ruleset *set =
		load_text("{\"rules\":[{\"id\":\"advice/"
	                  "a\",\"about\":\"operator\",\"bound\":null,\"title\":\"t\","
	                  "\"when\":[\"share > "
	                  "0.5\"],\"see\":[\"s\"],\"recommend\":[{\"id\":\"r\",\"title\":\"t\","
	                  "\"why\":\"w\",\"effort\":\"low\"}],\"examples\":[" EXAMPLES "]}]}");
	const struct weir_rule *rule = weir_ruleset_rule(set, 0);

	(void)state;
	assert_int_equal(rule->bound, WEIR_BOUND_NONE);
	assert_null(rule->cause);
	assert_true(rule->share == WEIR_NO_FEATURE);
	assert_true(rule->advice[0].saves == WEIR_NO_FEATURE);
	assert_false(rule->advice[0].has_change);
	assert_true(isnan(rule->advice[0].low) && isnan(rule->advice[0].high));
	weir_ruleset_free(set);
}

static void unknown_keys_name_the_nearest(void **state)
{
	(void)state;
	assert_change_refused("\"headline\"", "\"headlin\"", "headline");
	assert_change_refused("\"effort\"", "\"efort\"", "effort");
	assert_change_refused("{\"rules\"", "{\"rule\"", "rules");
	assert_change_refused("\"title\":\"The", "\"cause\":\"x\",\"title\":\"The",
	                      "cause: comes twice");
}

static void unknown_features_name_the_nearest(void **state)
{
	(void)state;
	assert_change_refused("gpu_active < 0.60", "gpu_activ < 0.60",
	                      "the nearest is \"gpu_active\"");
	assert_change_refused("\"share\":\"idle_host\"", "\"share\":\"idle_hots\"",
	                      "the nearest is \"idle_host\"");
	assert_change_refused("runtime=0.5", "runtme=0",
	                      "what_if: runtme=0: no such class; did you mean runtime?");
	assert_change_refused("\"saves\":\"idle_host\"", "\"saves\":\"idle_ho\"",
	                      "saves: no feature \"idle_ho\"");
	assert_change_refused("{idle_host:share}", "{idle_hst}",
	                      "headline: no feature \"idle_hst\"");
	assert_change_refused("{\"gpu_active\":0.9", "{\"gpu_activ\":0.9",
	                      "examples[1]: no feature \"gpu_activ\"");
}

static void every_subject_must_have_what_a_rule_reads(void **state)
{
	(void)state;
	assert_change_refused("[\"profile\",\"stage\"]", "[\"profile\",\"operator\"]",
	                      "not measured per operator");
	assert_change_refused("{kernels} kernels", "{peak_bytes}", "not measured per stage");
	assert_change_refused("gpu_active < 0.60", "peak_bytes > 1", "not measured per stage");
}

static void members_are_checked_one_by_one(void **state)
{
	(void)state;
	assert_change_refused("\"runtime/host-dispatch\"", "\"Runtime\"", "id: \"Runtime\"");
	assert_change_refused("\"runtime/host-dispatch\"", "\"a//b\"", "id: \"a//b\"");
	assert_change_refused("\"runtime/host-dispatch\"", "7", "id");
	assert_change_refused("[\"profile\",\"stage\"]", "[]", "about: is an empty list");
	assert_change_refused("[\"profile\",\"stage\"]", "\"kernel\"", "about: expected");
	assert_change_refused("\"about\":[\"profile\",\"stage\"],", "", "about: expected");
	assert_change_refused("\"bound\":\"runtime\"", "\"bound\":\"cpu\"", "bound: expected");
	assert_change_refused("\"bound\":\"runtime\",", "", "bound: expected");
	assert_change_refused("\"bound\":\"runtime\"", "\"bound\":null",
	                      "cause: a rule without a bound");
	assert_change_refused("\"cause\":\"host-dispatch\"", "\"cause\":\"Host dispatch\"",
	                      "cause: ");
	assert_change_refused("\"cause\":\"host-dispatch\",", "", "cause: is missing");
	assert_change_refused("\"share\":\"idle_host\",", "", "share: is missing");
	assert_change_refused("\"share\":\"idle_host\"", "\"share\":\"kernels\"",
	                      "\"kernels\" is a count");
	assert_change_refused("\"title\":\"The device", "\"title\":\"\\u001b[31mThe device",
	                      "control character");
	assert_change_refused("\"see\":[\"one source\",\"another\"]", "\"see\":[]",
	                      "see: 0 elements, expected 1 to 8");
	assert_change_refused("\"next\":\"capture {kernels} kernels in a graph\",", "",
	                      "next: is missing");
	assert_change_refused("\"last\":false", "\"last\":\"no\"", "last");
	assert_change_refused("\"effort\":\"medium\"", "\"effort\":\"some\"",
	                      "recommend[0]: effort");
	assert_change_refused("\"low\":1.5", "\"low\":3", "low, high");
	assert_change_refused("\"low\":1.5,", "", "low, high");
	assert_change_refused("\"low\":1.5", "\"low\":0.5", "low, high");
	assert_change_refused("\"expect\":\"false\"", "\"expect\":\"maybe\"",
	                      "examples[1]: expect");
	assert_change_refused("\"gpu_active\":0.9", "\"gpu_active\":\"much\"",
	                      "gpu_active: expected a number");
	assert_change_refused("\"gpu_active\":0.9", "\"gpu_active\":0.9,\"gpu_active\":1",
	                      "comes twice");
}

static void examples_of_all_three_kinds_are_needed(void **state)
{
	(void)state;
	assert_change_refused("\"expect\":\"unknown\"", "\"expect\":\"false\"",
	                      "no example has \"expect\": \"unknown\"");
	assert_change_refused("\"expect\":\"true\"", "\"expect\":\"false\"",
	                      "no example has \"expect\": \"true\"");
	assert_change_refused("\"expect\":\"false\"", "\"expect\":\"true\"",
	                      "no example has \"expect\": \"false\"");
}

static void a_fault_names_file_rule_and_clause(void **state)
{
	(void)state;
	assert_change_refused(
		"idle_host > 0.2", "idle_host >",
		"x.json: rules[0] (runtime/host-dispatch): when[1]: clause \"idle_host >\": ");
	assert_refused(FILE_OF(SMALL("a/a") "," SMALL("a/a")),
	               "rules[1] (a/a): id: a rule of x.json has the same id");
}

static void a_clause_that_is_no_truth_is_found_at_load(void **state)
{
	(void)state;
	assert_change_refused("\"idle_host > 0.2\"", "\"idle_host\"", "gives a number");
	assert_change_refused("idle_host > 0.2", "iif(idle_host > 0.2, idle_host, 0)",
	                      "gives a number");
	assert_change_refused("idle_host > 0.2", "1 > 0.2", "reads no feature");
}

static void clauses_are_counted(void **state)
{
	(void)state;
	assert_change_refused("[\"gpu_active < 0.60\",\"idle_host > 0.2\"]", "[]",
	                      "when: 0 elements, expected 1 to 12");
	assert_change_refused(
		"\"idle_host > 0.2\"",
		"\"idle_host > 0.2\",\"share>1\",\"share>1\",\"share>1\",\"share>1\",\"share>1\","
		"\"share>1\",\"share>1\",\"share>1\",\"share>1\",\"share>1\",\"share>1\"",
		"when: 13 elements, expected 1 to 12");
	assert_change_refused("\"idle_host > 0.2\"", "{}", "when[1]: expected text");
}

static void what_is_no_rule_file_is_refused(void **state)
{
	(void)state;
	assert_refused("", "");
	assert_refused("{", "");
	assert_refused("[]", "expected an object");
	assert_refused("{}", "rules: is missing");
	assert_refused("{\"rules\":{}}", "rules");
	assert_refused("{\"rules\":[1]}", "rules[0]: expected an object");
}

static void a_file_beyond_the_limit_is_refused(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"rules\":[]}");
	weir_text_repeat(&text, "          ", WEIR_RULESET_MAX_FILE_SIZE / 10 + 1);
	assert_refused(text.data, "at most 1048576");
	weir_text_release(&text);
}

static void embedded_files_are_read_top_down(void **state)
{
	static const char *const order[] = {"batching/b", "memory/m1", "memory/m2", "hardware/h",
	                                    "advice/a"};
	struct weir_ruleset *set = NULL;
	struct weir_error err = {0};

	(void)state;
	if (weir_ruleset_load_embedded(&rule_features, &set, &err))
		fail_msg("%s", err.message);
	assert_int_equal(weir_ruleset_count(set), 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(weir_ruleset_rule(set, i)->id, order[i]);
	assert_string_equal(weir_ruleset_rule(set, 0)->file, "batching.json");
	weir_ruleset_free(set);
}

/* A folder with the given files; the caller removes it with drop_folder(). */
static char *make_folder(const char *const *names, const char *const *texts)
{
	static const char form[] = "/tmp/weir-rules-XXXXXX";
	static char folder[sizeof(form)];
	char path[256];

	memcpy(folder, form, sizeof(form));
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; names[i]; i++) {
		assert_in_range(snprintf(path, sizeof(path), "%s/%s", folder, names[i]), 1,
		                sizeof(path) - 1);
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(fwrite(texts[i], 1, strlen(texts[i]), file), strlen(texts[i]));
		assert_int_equal(fclose(file), 0);
	}
	return folder;
}

static void drop_folder(const char *folder, const char *const *names)
{
	char path[256];

	for (size_t i = 0; names[i]; i++) {
		assert_in_range(snprintf(path, sizeof(path), "%s/%s", folder, names[i]), 1,
		                sizeof(path) - 1);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(folder), 0);
}

static void a_folder_replaces_the_embedded_rules(void **state)
{
	static const char *const names[] = {"kernel.json", "runtime.json", "notes.txt",
	                                    ".hidden.json", NULL};
	static const char *const texts[] = {FILE_OF(SMALL("k/k")), FILE_OF(SMALL("r/r")), "no JSON",
	                                    "no JSON"};
	const char *folder = make_folder(names, texts);
	struct weir_ruleset *set = NULL;
	struct weir_error err = {0};

	(void)state;
	if (weir_ruleset_load_dir(&rule_features, folder, &set, &err))
		fail_msg("%s", err.message);
	assert_int_equal(weir_ruleset_count(set), 2);
	assert_string_equal(weir_ruleset_rule(set, 0)->id, "r/r");
	assert_string_equal(weir_ruleset_rule(set, 1)->id, "k/k");
	weir_ruleset_free(set);
	drop_folder(folder, names);
}

static void ids_are_unique_across_files(void **state)
{
	static const char *const names[] = {"kernel.json", "runtime.json", NULL};
	static const char *const texts[] = {FILE_OF(SMALL("k/k")), FILE_OF(SMALL("k/k"))};
	const char *folder = make_folder(names, texts);
	struct weir_ruleset *set = NULL;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_ruleset_load_dir(&rule_features, folder, &set, &err), WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "kernel.json: rules[0] (k/k): id: a rule of "));
	drop_folder(folder, names);
}

static void a_folder_without_rules_is_an_error(void **state)
{
	static const char *const names[] = {NULL};
	const char *folder = make_folder(names, NULL);
	struct weir_ruleset *set = NULL;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_ruleset_load_dir(&rule_features, folder, &set, &err), WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "no rules"));
	drop_folder(folder, names);
	assert_int_equal(weir_ruleset_load_dir(&rule_features, folder, &set, &err), WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "cannot open the folder"));
	assert_non_null(strstr(err.message, folder));
	assert_null(set);
}

static void a_mistyped_id_has_a_nearest(void **state)
{
	struct weir_ruleset *set =
		load_text(FILE_OF(SMALL("memory/bandwidth") "," SMALL("memory/copies")));

	(void)state;
	assert_null(weir_ruleset_find(set, "memory/bandwith"));
	assert_string_equal(weir_ruleset_nearest(set, "memory/bandwith"), "memory/bandwidth");
	assert_null(weir_ruleset_nearest(set, "zzz"));
	weir_ruleset_free(set);
}

static void kept_texts_are_shared(void **state)
{
	struct weir_ruleset *set = load_text(complete);
	const char *one = weir_ruleset_keep(set, "one"), *two = weir_ruleset_keep(set, "two");

	(void)state;
	assert_ptr_equal(weir_ruleset_keep(set, "one"), one);
	assert_ptr_not_equal(one, two);
	assert_string_equal(two, "two");
	weir_ruleset_free(set);
}

/* --- clauses --- */

static struct weir_clause clause_of(struct weir_arena *arena, const char *text)
{
	const struct weir_rule_parser parser = {&rule_features, arena};
	struct weir_clause clause = {0};
	struct weir_error err = {0};

	if (weir_clause_parse(&parser, text, WEIR_FOR_PROFILE, &clause, &err))
		fail_msg("%s", err.message);
	return clause;
}

static void the_features_read_are_the_evidence(void **state)
{
	static const char text[] = "p99_us / p50_us > 4 AND (gpu_active < 0.3 OR p50_us < 1)";
	struct weir_arena *arena = weir_arena_new();
	struct weir_clause clause = clause_of(arena, text);
	struct weir_evidence evidence;
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	values[F_P99_US] = 9;
	values[F_P50_US] = 2;
	weir_clause_explain(&clause, &rule_features, values, &evidence);
	assert_string_equal(evidence.clause, text);
	assert_int_equal(evidence.truth, WEIR_UNKNOWN);
	assert_int_equal(evidence.reading_count, 3);
	assert_string_equal(evidence.readings[0].feature, "p99_us");
	assert_true(evidence.readings[0].value == 9);
	assert_string_equal(evidence.readings[1].feature, "p50_us");
	assert_true(evidence.readings[1].value == 2);
	assert_string_equal(evidence.readings[2].feature, "gpu_active");
	assert_true(isnan(evidence.readings[2].value));
	assert_true(weir_clause_reads(&clause, F_P50_US));
	assert_false(weir_clause_reads(&clause, F_SHARE));
	weir_arena_free(arena);
}

static void one_clause_serves_every_row(void **state)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_clause clause = clause_of(arena, "share > 0.5");
	double values[F_COUNT];

	(void)state;
	all_unknown(values);
	assert_int_equal(weir_clause_evaluate(&clause, values), WEIR_UNKNOWN);
	values[F_SHARE] = 1;
	assert_int_equal(weir_clause_evaluate(&clause, values), WEIR_TRUE);
	values[F_SHARE] = 0;
	assert_int_equal(weir_clause_evaluate(&clause, values), WEIR_FALSE);
	weir_arena_free(arena);
}

/* --- examples --- */

static void remember_last(void *context, const struct weir_example_failure *failure)
{
	*(struct weir_example_failure *)context = *failure;
}

static void right_examples_pass(void **state)
{
	struct weir_ruleset *set = load_text(complete);

	(void)state;
	assert_int_equal(weir_ruleset_check(set, NULL, NULL), 0);
	weir_ruleset_free(set);
}

static void a_wrong_example_is_reported_with_its_clauses(void **state)
{
	struct weir_ruleset *set = load_text(FILE_OF(
		SMALL("m/good") "," RULE("m/bad", "\"share > 0.5\",\"kernels > 1\"",
	                                 "{\"share\":0.9,\"kernels\":2,\"expect\":\"true\"},"
	                                 "{\"share\":0.9,\"expect\":\"unknown\"},"
	                                 "{\"share\":0.4,\"kernels\":7,\"expect\":\"unknown\"},"
	                                 "{\"share\":0.4,\"expect\":\"false\"}")));
	struct weir_example_failure failure = {0};

	(void)state;
	assert_int_equal(weir_ruleset_check(set, NULL, NULL), 1);
	assert_int_equal(weir_ruleset_check(set, remember_last, &failure), 1);
	assert_string_equal(failure.rule->id, "m/bad");
	assert_int_equal(failure.example, 2);
	assert_int_equal(failure.expected, WEIR_UNKNOWN);
	assert_int_equal(failure.got, WEIR_FALSE);
	assert_int_equal(failure.evidence_count, 2);
	assert_int_equal(failure.evidence[0].truth, WEIR_FALSE);
	assert_int_equal(failure.evidence[1].truth, WEIR_TRUE);
	assert_true(failure.evidence[1].readings[0].value == 7);
	weir_ruleset_free(set);
}

static void assert_change_accepted(const char *piece, const char *by)
{
	struct weir_text text = {0};
	const char *at = strstr(complete, piece);

	assert_non_null(at);
	weir_text_add(&text, complete, (size_t)(at - complete));
	weir_text_puts(&text, by);
	weir_text_puts(&text, at + strlen(piece));
	weir_ruleset_free(load_text(text.data));
	weir_text_release(&text);
}

/* Writes `before`, an element `count` times separated by `joint`, and `after`. */
static const char *repeated(struct weir_text *text, const char *before, const char *element,
                            size_t count, const char *after)
{
	weir_text_clear(text);
	weir_text_puts(text, before);
	weir_text_repeat(text, element, count);
	weir_text_puts(text, after);
	return text->data;
}

#define ADVICE(id) "{\"id\":\"" id "\",\"title\":\"t\",\"why\":\"w\",\"effort\":\"low\"}"
#define OLD_RECOMMEND                                                                              \
	"[{\"id\":\"cuda-graphs\",\"title\":\"Capture the step\",\"why\":\"{kernels} launches\","  \
	"\"effort\":\"medium\",\"low\":1.5,\"high\":2.3,\"what_if\":\"runtime=0.5\",\"saves\":"    \
	"\"idle_host\"}]"

static void texts_and_lists_have_limits(void **state)
{
	static const char id[] = "\"runtime/host-dispatch\"", title[] =
								      "\"The device waits for the "
								      "host\"";
	static const char see[] = "[\"one source\",\"another\"]";
	static const char first[] = "{\"gpu_active\":0.9,\"expect\":\"false\"},";
	struct weir_text text = {0};

	(void)state;
	assert_change_accepted(id, repeated(&text, "\"", "a", 64, "\""));
	assert_change_refused(id, repeated(&text, "\"", "a", 65, "\""), "id: more than 64 bytes");
	assert_change_accepted(title, repeated(&text, "\"", "a", 600, "\""));
	assert_change_refused(title, repeated(&text, "\"", "a", 601, "\""), "title: 601 bytes");
	assert_change_refused(title, "\"\"", "title: is empty");
	assert_change_refused(title, "\"a\x7f\"", "control character");
	assert_change_accepted(title, "\" ~\"");
	assert_change_accepted(see, repeated(&text, "[", "\"s\",", 7, "\"s\"]"));
	assert_change_refused(see, repeated(&text, "[", "\"s\",", 8, "\"s\"]"), "see: 9 elements");
	assert_change_refused(see, "\"one\"", "see");
	assert_change_refused(see, "[7]", "see[0]: expected text");
	assert_change_accepted(OLD_RECOMMEND, "[]");
	assert_change_accepted(OLD_RECOMMEND,
	                       repeated(&text, "[", ADVICE("a") ",", 7, ADVICE("a") "]"));
	assert_change_refused(OLD_RECOMMEND,
	                      repeated(&text, "[", ADVICE("a") ",", 8, ADVICE("a") "]"),
	                      "recommend: 9 elements, expected 0 to 8");
	assert_change_accepted(first, repeated(&text, "", first, 62, ""));
	assert_change_refused(first, repeated(&text, "", first, 63, ""),
	                      "examples: 65 elements, expected 1 to 64");
	assert_change_refused(first, "7,", "examples[1]: expected an object");
	weir_text_release(&text);
}

static void gains_lie_between_one_and_a_thousand(void **state)
{
	(void)state;
	assert_change_accepted("\"low\":1.5", "\"low\":1");
	assert_change_accepted("\"low\":1.5", "\"low\":2.3");
	assert_change_accepted("\"high\":2.3", "\"high\":1000");
	assert_change_refused("\"high\":2.3", "\"high\":1000.5", "low, high");
	assert_change_refused("\"high\":2.3,", "", "low, high");
	assert_change_accepted("\"low\":1.5,\"high\":2.3,", "");
	assert_change_refused("\"what_if\":\"runtime=0.5\"", "\"what_if\":\"runtime\"", "what_if");
	assert_change_accepted("\"what_if\":\"runtime=0.5\",", "");
	assert_change_refused("\"low\":1.5", "\"low\":\"x\"", "low");
	assert_change_refused("\"saves\":\"idle_host\"", "\"saves\":\"kernels\"", "saves");
	assert_change_refused("\"why\":\"{kernels} launches\",", "", "why: is missing");
	assert_change_refused("\"title\":\"Capture the step\",", "", "title: is missing");
	assert_change_refused("\"id\":\"cuda-graphs\"", "\"id\":\"a/b\"", "id: \"a/b\"");
	assert_change_accepted("\"effort\":\"medium\"", "\"effort\":\"high\"");
}

/* A rule without a bound: about the profile, and with or without limits. */
static void assert_unbound(const char *members, const char *reason)
{
	struct weir_text text = {0};

	weir_text_printf(
		&text,
		"{\"rules\":[{\"id\":\"a\",\"about\":\"profile\",\"bound\":null,\"title\":\"t\","
		"\"when\":[\"share > 0.5\"],\"see\":[\"s\"],%s\"examples\":[" EXAMPLES "]}]}",
		members);
	if (reason)
		assert_refused(text.data, reason);
	else
		weir_ruleset_free(load_text(text.data));
	weir_text_release(&text);
}

static void a_rule_without_a_bound_advises_or_limits_confidence(void **state)
{
	(void)state;
	assert_unbound("\"recommend\":[" ADVICE("r") "],", NULL);
	assert_unbound("", "recommend: 0 elements, expected 1 to 8");
	assert_unbound("\"confidence\":\"low\",\"headline\":\"h\",", NULL);
	assert_unbound("\"confidence\":\"medium\",\"headline\":\"h\",", NULL);
	assert_unbound("\"confidence\":\"high\",\"headline\":\"h\",", "confidence: expected");
	assert_unbound("\"confidence\":\"low\",", "headline: is missing");
	assert_unbound("\"last\":true,\"recommend\":[" ADVICE("r") "],", "last: a rule without");
	assert_unbound("\"descend\":true,\"recommend\":[" ADVICE("r") "],", "of_compute, descend");
	assert_change_refused("\"last\":false", "\"confidence\":\"low\"",
	                      "confidence: only a rule");
	assert_change_refused("\"last\":false", "\"of_compute\":true", "of_compute, descend");
	assert_change_refused("\"last\":false", "\"descend\":true", "of_compute, descend");
	assert_change_refused("\"last\":false", "\"last\":false,\"last\":true",
	                      "last: comes twice");
	assert_change_refused("\"cause\":\"host-dispatch\"", "\"cause\":7", "cause");
	assert_change_refused("[\"profile\",\"stage\"]", "[\"profile\",7]", "about: expected");
	assert_change_refused(
		"\"headline\":\"the GPU waits for the host {idle_host:share} of the time\",", "",
		"headline: is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_complete_rule_is_read_whole),
		cmocka_unit_test(advice_alone_needs_no_bound),
		cmocka_unit_test(unknown_keys_name_the_nearest),
		cmocka_unit_test(unknown_features_name_the_nearest),
		cmocka_unit_test(every_subject_must_have_what_a_rule_reads),
		cmocka_unit_test(members_are_checked_one_by_one),
		cmocka_unit_test(examples_of_all_three_kinds_are_needed),
		cmocka_unit_test(a_fault_names_file_rule_and_clause),
		cmocka_unit_test(a_clause_that_is_no_truth_is_found_at_load),
		cmocka_unit_test(clauses_are_counted),
		cmocka_unit_test(what_is_no_rule_file_is_refused),
		cmocka_unit_test(a_file_beyond_the_limit_is_refused),
		cmocka_unit_test(embedded_files_are_read_top_down),
		cmocka_unit_test(a_folder_replaces_the_embedded_rules),
		cmocka_unit_test(ids_are_unique_across_files),
		cmocka_unit_test(a_folder_without_rules_is_an_error),
		cmocka_unit_test(a_mistyped_id_has_a_nearest),
		cmocka_unit_test(kept_texts_are_shared),
		cmocka_unit_test(the_features_read_are_the_evidence),
		cmocka_unit_test(one_clause_serves_every_row),
		cmocka_unit_test(right_examples_pass),
		cmocka_unit_test(a_wrong_example_is_reported_with_its_clauses),
		cmocka_unit_test(texts_and_lists_have_limits),
		cmocka_unit_test(gains_lie_between_one_and_a_thousand),
		cmocka_unit_test(a_rule_without_a_bound_advises_or_limits_confidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
