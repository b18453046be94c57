/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workflow commands that GitHub shows as annotations, one per finding. They name no file, because a
 * profile does not say which line of the change is to blame. A step shows ten of a level: the nine
 * worst ones, and a tenth with the number of the others. No text from a profile begins a line.
 */
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_findings.h"
#include "engine/report/gate/gate_phrases.h"
#include "engine/report/writer.h"

#define SHOWN 10 /* annotations of a level that GitHub shows */

struct level {
	const char *command;
	enum weir_outcome outcome;
	const char *more; /* name of the others */
};

static const struct level levels[] = {
	{"error", WEIR_OUTCOME_REGRESSION, "findings that regressed"},
	{"warning", WEIR_OUTCOME_SUSPECT, "suspected findings"},
	{"notice", WEIR_OUTCOME_WAIVED, "waived findings"},
};

/* Escapes a message, or a title, which ":" and "," would end. Each byte is escaped once. */
static void escape(struct weir_text *out, const struct weir_text *plain, bool title)
{
	const char *special = title ? "%\r\n:," : "%\r\n";

	for (size_t i = 0; i < plain->length; i++) {
		char c = plain->data[i];

		if (c && strchr(special, c))
			weir_text_printf(out, "%%%02X", (unsigned)c);
		else
			weir_text_add(out, &c, 1);
	}
}

static void write_command(const char *command, const struct weir_text *title,
                          const struct weir_text *message, struct weir_text *out)
{
	weir_text_printf(out, "::%s title=", command);
	escape(out, title, true);
	weir_text_puts(out, "::");
	escape(out, message, false);
	weir_text_puts(out, "\n");
}

static void write_finding(const struct weir_gate_result *result,
                          const struct weir_gate_finding *finding, const char *command,
                          struct weir_text *out)
{
	const struct weir_row *lead = weir_gate_lead(result, finding);
	struct weir_text title = {0}, message = {0};

	weir_gate_print_title(result, finding, &title);
	weir_gate_phrase_finding(result, finding, &message);
	weir_gate_say(lead, ", margin {margin}", &message);
	if (lead->waiver) {
		weir_text_puts(&message, "; waiver: ");
		weir_gate_print_waiver(lead->waiver, &message);
	}
	write_command(command, &title, &message, out);
	weir_text_release(&title);
	weir_text_release(&message);
}

static void write_more(const struct level *level, size_t more, struct weir_text *out)
{
	struct weir_text title = {0}, message = {0};

	weir_text_printf(&title, "weir: and %zu more", more);
	weir_text_printf(&message, "%zu more %s; the summary lists them", more, level->more);
	write_command(level->command, &title, &message, out);
	weir_text_release(&title);
	weir_text_release(&message);
}

static void write_level(const struct weir_gate_result *result, const struct level *level,
                        size_t room, struct weir_text *out)
{
	size_t total = weir_gate_count_findings(result, level->outcome), shown = 0;

	if (total > room)
		room--;
	for (size_t i = 0; i < result->finding_count && shown < room; i++) {
		if (result->findings[i].outcome != level->outcome)
			continue;
		write_finding(result, &result->findings[i], level->command, out);
		shown++;
	}
	if (total > shown)
		write_more(level, total - shown, out);
}

/* Writes the verdicts that do not come from rows: nothing was compared, or coverage was lost. */
static bool write_verdict(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text title = {0}, message = {0};

	switch (result->verdict) {
	case WEIR_GATE_NO_BASELINE:
	case WEIR_GATE_ENVIRONMENT:
	case WEIR_GATE_COVERAGE:
		break;
	case WEIR_GATE_PASS:
	case WEIR_GATE_REGRESSION:
	case WEIR_GATE_IMPROVEMENT:
	case WEIR_GATE_INCONCLUSIVE:
	case WEIR_GATE_SUSPECT:
		return false;
	}
	weir_text_printf(&title, "weir: %s", weir_gate_verdict_name(result->verdict));
	weir_gate_phrase_headline(result, &message);
	write_command("error", &title, &message, out);
	weir_text_release(&title);
	weir_text_release(&message);
	return true;
}

void weir_write_annotations(const struct weir_gate_result *result,
                            const struct weir_write_options *options, struct weir_text *out)
{
	size_t taken = write_verdict(result, out);

	(void)options;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		write_level(result, &levels[i], i ? SHOWN : SHOWN - taken, out);
}
