/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of metrics pages into scrapes: what both formats share. */
#ifndef WEIR_READERS_SCRAPE_BUILD_H
#define WEIR_READERS_SCRAPE_BUILD_H

#include "engine/base/error.h"
#include "engine/base/source.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"
#include "engine/readers/scrape/scrape_line.h"

#define SCRAPE_MAX_BYTES ((size_t)128 << 20) /* of one file, decompressed */
#define SCRAPE_MAX_PAGES 65536u              /* one behind the other in one file */

/* The whole text of a source; WEIR_E_LIMIT beyond SCRAPE_MAX_BYTES. Release it in any case. */
enum weir_status weir_scrape_read_text(struct weir_source *source, struct weir_text *out,
                                       struct weir_error *err);

struct scrape_builder {
	struct weir_input *input;
	struct weir_scrape *first; /* the first page of several, complete */
	struct weir_scrape *page;  /* being filled */
	/* Dumps of a data base give points in time one behind the other: the last of each is in
	 * `page`, the first of those with several here. NULL: no series has several. */
	struct weir_scrape *oldest;
	uint8_t *has_oldest; /* per sample of the page */
	size_t oldest_capacity;
	uint32_t pages;
	/* Prometheus text has no end of a page, so a page ends where a block of metadata comes
	 * again and repeats a sample. */
	uint32_t *block_of; /* per family of the page: the block that its TYPE line last stood in */
	size_t block_capacity;
	uint32_t block, open; /* open: the family of the last TYPE line */
	size_t block_start;   /* samples before the block */
	struct weir_rowmap places;
};

void weir_scrape_builder_init(struct scrape_builder *builder, struct weir_input *input);
/* A "# TYPE" line. */
void weir_scrape_builder_type(struct scrape_builder *builder, struct weir_slice name,
                              enum weir_scrape_type type);
void weir_scrape_builder_unit(struct scrape_builder *builder, struct weir_slice name,
                              struct weir_slice unit);
/*
 * Where a sample belongs: to its family by type and suffix. *fault is what is wrong with it in a
 * few words, static, and NULL where it was added. WEIR_E_LIMIT: too many samples.
 */
enum weir_status weir_scrape_builder_add(struct scrape_builder *builder,
                                         const struct scrape_line *line, uint64_t at,
                                         const char **fault, struct weir_error *err);
/* The page is complete, and the next sample is of another. WEIR_E_LIMIT: too many pages. */
enum weir_status weir_scrape_builder_end_page(struct scrape_builder *builder,
                                              struct weir_error *err);
/* Gives the first and the last page to the input and fills its telemetry; the builder is empty
 * then. */
void weir_scrape_builder_finish(struct scrape_builder *builder);
void weir_scrape_builder_release(struct scrape_builder *builder);

/* Figures of devices in the input's scrapes as telemetry: dcgm-exporter's and Triton's names. */
void weir_scrape_fill_telemetry(struct weir_input *input);

#endif
