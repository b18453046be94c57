/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/budget.h"
#include "engine/base/text.h"
#include "engine/cli/memory_limit.h"

/* Returns the bytes that a file of the control group allows, or 0: no limit. */
static uint64_t read_limit(const char *path)
{
	char line[32] = "";
	FILE *file = fopen(path, "re");
	int64_t limit = 0;

	if (!file)
		return 0;
	if (!fgets(line, sizeof line, file) || !weir_parse_i64(line, strcspn(line, "\n"), &limit) ||
	    limit < 0)
		limit = 0; /* "max" */
	fclose(file);
	return (uint64_t)limit;
}

/* Returns the memory of the machine, or of its control group if that has less; 0: unknown. */
static uint64_t memory_of_machine(void)
{
	static const char *const groups[] = {"/sys/fs/cgroup/memory.max",
	                                     "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t bytes = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;

	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		uint64_t limit = read_limit(groups[i]);

		if (limit && (!bytes || limit < bytes))
			bytes = limit;
	}
	return bytes;
}

enum weir_status weir_memory_limit(const struct weir_arguments *arguments, struct weir_error *err)
{
	uint64_t bytes = weir_option_size(arguments, "max-memory", 0);
	struct weir_text reason = {0};
	bool done;

	if (!bytes)
		bytes = memory_of_machine();
	if (!bytes)
		return WEIR_OK;
	weir_text_puts(&reason, "the inputs need more memory than the limit of ");
	weir_text_bytes(&reason, (double)bytes);
	weir_text_puts(&reason, ": raise it with --max-memory, or pass a part of them");
	done = weir_budget_set(bytes, reason.data);
	weir_text_release(&reason);
	return done ? WEIR_OK
	            : weir_fail(err, WEIR_E_INTERNAL, "the limit of memory cannot be set");
}
