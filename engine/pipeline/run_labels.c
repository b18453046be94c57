/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/json.h"
#include "engine/base/jsonout.h"
#include "engine/pipeline/run_labels.h"
#include "engine/pipeline/session.h"
#include "engine/pipeline/worktree.h"

#define SCHEMA       "weir.labels/1"
#define MOST_BYTES   (1u << 20)
#define LONGEST_HOST 256

/* ---- finding ---- */

/* Sets a label to the part of a line; an empty one is unknown. */
static void set_part(struct weir_run *labels, const char *key, const char *part, size_t length)
{
	struct weir_text value = {0};

	weir_text_add(&value, part, length);
	if (length > 0)
		weir_run_set_label(labels, key, value.data);
	weir_text_release(&value);
}

/* Takes lines "NVIDIA H200, 570.86.15", one for each GPU. The label gpu needs GPUs that are alike;
 * their number is no label, since nobody knows how many the command uses. */
static void take_gpus(struct weir_run *labels, const char *lines)
{
	size_t length = strcspn(lines, "\n"), name;
	const char *comma;

	for (const char *at = lines + length; *at == '\n' && at[1]; at += 1 + strcspn(at + 1, "\n"))
		if (strcspn(at + 1, "\n") != length || memcmp(at + 1, lines, length) != 0)
			return;
	comma = memchr(lines, ',', length);
	if (!comma)
		return;
	name = (size_t)(comma - lines);
	set_part(labels, "gpu", lines, name);
	name += 1 + strspn(comma + 1, " ");
	if (name < length)
		set_part(labels, "driver", lines + name, length - name);
}

static enum weir_status find_gpus(struct weir_run *labels, struct weir_signals *signals,
                                  struct weir_error *err)
{
	static const char *const words[] = {"nvidia-smi", "--query-gpu=name,driver_version",
	                                    "--format=csv,noheader", NULL};
	struct weir_child_end end;
	struct weir_error missing = {0};
	enum weir_status status = weir_child_run(
		&(struct weir_child){.words = words, .apart = true}, signals, &end, &missing);

	if (!status && end.code == 0 && end.output.length > 0)
		take_gpus(labels, end.output.data);
	weir_child_end_release(&end);
	return weir_signals_came(signals) ? weir_fail(err, WEIR_E_IO, "interrupted") : WEIR_OK;
}

static void find_commit(struct weir_run *labels, struct weir_signals *signals)
{
	static const char *const words[] = {"rev-parse", "--verify", "--quiet", "HEAD", NULL};
	struct weir_text commit = {0};
	struct weir_error missing = {0};

	if (!weir_git(signals, NULL, words, &commit, &missing) && commit.length > 0)
		weir_run_set_label(labels, "commit", commit.data);
	weir_text_release(&commit);
}

enum weir_status weir_run_labels_find(struct weir_run *labels, const char *const *given,
                                      struct weir_signals *signals, struct weir_error *err)
{
	struct weir_text session = {0};
	char host[LONGEST_HOST] = "";
	enum weir_status status = find_gpus(labels, signals, err);

	if (status)
		return status;
	find_commit(labels, signals);
	if (gethostname(host, sizeof host - 1) == 0 && *host)
		weir_run_set_label(labels, "host", host);
	weir_session_derive(&session);
	weir_session_label(labels, given, session.data);
	weir_text_release(&session);
	return WEIR_OK;
}

/* ---- the file ---- */

enum weir_status weir_run_labels_write(const struct weir_run *labels, const char *folder,
                                       struct weir_error *err)
{
	const struct weir_run_label **sorted = weir_run_labels_sorted(labels);
	struct weir_text text = {0}, path = {0};
	struct weir_jsonout json;
	FILE *file;
	bool written;

	weir_jsonout_init(&json, &text, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", SCHEMA);
	weir_jsonout_begin_object(&json, "labels");
	for (size_t i = 0; i < labels->label_count; i++)
		weir_jsonout_text(&json, sorted[i]->key, sorted[i]->value);
	weir_jsonout_end(&json);
	weir_jsonout_end(&json);
	weir_text_puts(&text, "\n");
	weir_text_printf(&path, "%s/" WEIR_RUN_LABELS, folder);
	file = fopen(path.data, "w");
	written = file && fwrite(text.data, 1, text.length, file) == text.length;
	if (file)
		written = fclose(file) == 0 && written;
	if (!written)
		weir_fail(err, WEIR_E_IO, "cannot write %s: %s", path.data, strerror(errno));
	free(sorted);
	weir_text_release(&path);
	weir_text_release(&text);
	return written ? WEIR_OK : WEIR_E_IO;
}

static enum weir_status take_labels(struct weir_run *run, const cJSON *document,
                                    struct weir_error *err)
{
	static const char *const keys[] = {"schema", "labels", NULL};
	const char *schema;
	const cJSON *labels, *label;
	enum weir_status status = weir_json_known_keys(document, keys, err);

	if (!status)
		status = weir_json_text(document, "schema", &schema, err);
	if (!status && (!schema || strcmp(schema, SCHEMA) != 0))
		status = weir_fail(err, WEIR_E_FORMAT, "schema: expected \"" SCHEMA "\"");
	if (!status)
		status = weir_json_object(document, "labels", &labels, err);
	if (status)
		return status;
	cJSON_ArrayForEach (label, labels) {
		if (!cJSON_IsString(label))
			return weir_fail(err, WEIR_E_FORMAT, "labels.%.100s: expected text",
			                 label->string);
		if (weir_run_label(run, label->string))
			continue;
		if (run->label_count >= WEIR_RUN_MAX_LABELS)
			return weir_fail(err, WEIR_E_LIMIT, "labels: more than %d",
			                 WEIR_RUN_MAX_LABELS);
		weir_run_set_label(run, label->string, label->valuestring);
	}
	return WEIR_OK;
}

enum weir_status weir_run_labels_read(struct weir_run *run, const char *path,
                                      struct weir_error *err)
{
	struct weir_text file = {0};
	struct stat about;
	cJSON *document = NULL;
	enum weir_status status = WEIR_OK;

	weir_text_printf(&file, "%s/" WEIR_RUN_LABELS, path);
	if (stat(file.data, &about) == 0 && S_ISREG(about.st_mode)) {
		if (about.st_size > (off_t)MOST_BYTES)
			status = weir_fail(err, WEIR_E_LIMIT, "%s: more than %u bytes", file.data,
			                   MOST_BYTES);
		else if ((status = weir_json_read_file(file.data, &document, err)) == WEIR_OK &&
		         (status = take_labels(run, document, err)) != WEIR_OK)
			weir_fail_in(err, "%s", file.data);
	}
	cJSON_Delete(document);
	weir_text_release(&file);
	return status;
}
