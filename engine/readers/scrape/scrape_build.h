/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds scrapes from lines of metrics pages of both formats. */
#ifndef WEIR_READERS_SCRAPE_SCRAPE_BUILD_H
#define WEIR_READERS_SCRAPE_SCRAPE_BUILD_H

#include "engine/base/error.h"
#include "engine/base/source.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"
#include "engine/readers/scrape/scrape_line.h"

#define SCRAPE_MAX_BYTES ((size_t)128 << 20) /* of one file, decompressed */
#define SCRAPE_MAX_PAGES 65536u              /* in one file */

/* Reads the whole text of a source; WEIR_E_LIMIT beyond SCRAPE_MAX_BYTES. Release it in any case.
 */
enum weir_status weir_scrape_read_text(struct weir_source *source, struct weir_text *out,
                                       struct weir_error *err);

struct scrape_builder {
	struct weir_input *input;
	struct weir_scrape *first; /* the first page of several, complete */
	struct weir_scrape *page;  /* being filled */
	/* Pages between, reduced: of `stride` pages one is kept. */
	struct weir_scrape **between;
	size_t between_count, between_capacity, stride, passed;
	/* Dumps of a database list the points in time of each series: `page` has the last point of
	 * each, this one the first point of series with several. NULL: no series has several. */
	struct weir_scrape *oldest;
	uint8_t *has_oldest; /* per sample of the page */
	size_t oldest_capacity;
	uint32_t pages;
	/* Prometheus text does not mark the end of a page: a page ends if a block of metadata
	 * repeats and brings a sample that the page has. */
	uint32_t *block_of; /* per family of the page: the block of its last TYPE line */
	size_t block_capacity;
	uint32_t block, open; /* open: the family of the last TYPE line */
	size_t block_start;   /* samples before the block */
	struct weir_rowmap places;
};

void weir_scrape_builder_init(struct scrape_builder *builder, struct weir_input *input);
/* Takes a "# TYPE" line. */
void weir_scrape_builder_type(struct scrape_builder *builder, struct weir_slice name,
                              enum weir_scrape_type type);
void weir_scrape_builder_unit(struct scrape_builder *builder, struct weir_slice name,
                              struct weir_slice unit);
/* Adds a sample to its family, which type and suffix decide. *fault is NULL, or the fault of the
 * sample in a few words, static. WEIR_E_LIMIT: too many samples. */
enum weir_status weir_scrape_builder_add(struct scrape_builder *builder,
                                         const struct scrape_line *line, uint64_t at,
                                         const char **fault, struct weir_error *err);
/* Ends a page. WEIR_E_LIMIT: too many pages. */
enum weir_status weir_scrape_builder_end_page(struct scrape_builder *builder,
                                              struct weir_error *err);
/* Gives the first and the last page to the input, fills its telemetry, and leaves the builder
 * empty.
 */
void weir_scrape_builder_finish(struct scrape_builder *builder);
void weir_scrape_builder_release(struct scrape_builder *builder);

#endif
