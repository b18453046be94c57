/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/database.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/sql/sqldb.h"

#define MAX_READERS 64

/* One a line, so that readers can be added side by side. */
/* clang-format off */
const struct weir_reader *const weir_readers[] = {
	&weir_reader_aiperf,
	&weir_reader_amd,
	&weir_reader_bench,
	&weir_reader_chrome,
	&weir_reader_cprofile,
	&weir_reader_dcgmi,
	&weir_reader_focus,
	&weir_reader_folded,
	&weir_reader_genai_perf,
	&weir_reader_guidellm,
	&weir_reader_inference_perf,
	&weir_reader_jaeger,
	&weir_reader_key_averages,
	&weir_reader_kineto,
	&weir_reader_lmdeploy,
	&weir_reader_memory_timeline,
	&weir_reader_model_analyzer,
	&weir_reader_native,
	&weir_reader_ncu,
	&weir_reader_nsys,
	&weir_reader_nsys_stats,
	&weir_reader_onnxruntime,
	&weir_reader_openmetrics,
	&weir_reader_otlp,
	&weir_reader_perf_analyzer,
	&weir_reader_perf_analyzer_csv,
	&weir_reader_perf_script,
	&weir_reader_prices,
	&weir_reader_prometheus,
	&weir_reader_requests,
	&weir_reader_rocpd,
	&weir_reader_rocprof,
	&weir_reader_rocprof_json,
	&weir_reader_smi_dmon,
	&weir_reader_smi_query,
	&weir_reader_speedscope,
	&weir_reader_triton,
	&weir_reader_trtexec,
	&weir_reader_trtllm,
	&weir_reader_wrapper,
	&weir_reader_xla,
	&weir_reader_zipkin,
	NULL,
};
/* clang-format on */

/* By the head alone. */
static enum weir_status choose_by_head(const char *head, size_t len, const struct weir_reader **out,
                                       struct weir_error *err)
{
	const struct weir_reader *rival = NULL;
	int best = 0;

	for (size_t i = 0; weir_readers[i]; i++) {
		int bits = weir_readers[i]->sniff(head, len);

		if (bits > best) {
			best = bits;
			*out = weir_readers[i];
			rival = NULL;
		} else if (bits && bits == best) {
			rival = weir_readers[i];
		}
	}
	if (!rival)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "looks like %s and like %s: say which with --input-format", (*out)->name,
	                 rival->name);
}

enum weir_status weir_reader_choose(struct weir_source *source, const struct weir_reader **out,
                                    struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	*out = NULL;
	if (status)
		return status;
	if (!len)
		return weir_fail(err, WEIR_E_EMPTY, "empty: there is not one byte in it");
	if (weir_sqldb_begins(head, len) && weir_source_file(source))
		status = weir_database_choose(weir_source_file(source), out, err);
	if (!status && !*out)
		status = choose_by_head(head, len, out, err);
	if (status)
		return status;
	if (!*out)
		return weir_fail(err, WEIR_E_FORMAT, "not a profile: %s",
		                 weir_sniff_hint(head, len));
	return WEIR_OK;
}

enum weir_status weir_reader_find(const char *name, const struct weir_reader **out,
                                  struct weir_error *err)
{
	const char *names[MAX_READERS + 1] = {NULL}, *nearest;

	*out = NULL;
	for (size_t i = 0; weir_readers[i] && i < MAX_READERS; i++) {
		names[i] = weir_readers[i]->name;
		if (strcmp(names[i], name) == 0)
			*out = weir_readers[i];
	}
	if (*out)
		return WEIR_OK;
	nearest = weir_text_nearest(name, names);
	if (nearest)
		return weir_fail(err, WEIR_E_USAGE, "no input format \"%s\"; did you mean \"%s\"?",
		                 name, nearest);
	return weir_fail(err, WEIR_E_USAGE, "no input format \"%s\"; see \"weir formats\"", name);
}
