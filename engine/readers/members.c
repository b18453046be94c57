/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/archive.h"
#include "engine/base/text.h"
#include "engine/readers/inside.h"
#include "engine/readers/listing.h"
#include "engine/readers/members.h"

/* An archive that is being read. */
struct walk {
	const struct weir_opened *how;
	struct weir_profile *profile;
	const char *path; /* of the archive */
	struct weir_archive *archive;
	struct weir_archive_budget *budget; /* of the outermost archive */
	unsigned nesting;                   /* archives around it */
	bool *claimed;
};

const char *weir_members_reason(const char *message)
{
	static const char *const starts[] = {"not a profile: ", "cannot be read: "};

	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
		if (strncmp(message, starts[i], strlen(starts[i])) == 0)
			return message + strlen(starts[i]);
	return message;
}

static enum weir_status read_source(const struct weir_opened *how, struct weir_profile *profile,
                                    const char *path, struct weir_source *source,
                                    const struct weir_reader *reader, struct weir_error *err)
{
	struct weir_input *input;
	enum weir_status status;

	weir_source_divide(source, (struct weir_source_division){.threads = how->threads});
	if (reader->read_all)
		return reader->read_all(source, weir_reader_find, profile, err);
	input = weir_profile_add_input(profile, path);
	input->format = reader->name;
	input->gives = reader->gives;
	input->tool = reader->tool;
	status = reader->read(source, input, err);
	input->bytes = weir_source_stored_bytes(source);
	if (status)
		weir_input_release(&profile->inputs[--profile->input_count]);
	return status;
}

/* Context of read_inside(). */
struct plain {
	const struct weir_opened *how;
	struct weir_profile *profile;
	const char *path;
	const struct weir_reader *reader; /* that read the file */
};

/* Reads a text that stands inside a file. */
static enum weir_status read_inside(void *context, struct weir_source *source,
                                    const struct weir_reader *reader, struct weir_error *err)
{
	struct plain *plain = context;

	if (reader->read_all)
		return weir_fail(err, WEIR_E_FORMAT, "several inputs inside a text");
	plain->reader = reader;
	return read_source(plain->how, plain->profile, plain->path, source, reader, err);
}

/* Reads a file that no reader claims, if it holds the output of a tool. A file that a reader or the
 * table of tools knows has a better answer. */
static bool read_unclaimed(struct plain *plain, struct weir_source *source)
{
	return !weir_reader_describes(source) &&
	       weir_inside_find(source, false, read_inside, plain, plain->profile);
}

/* Reads a file that is no archive. */
static enum weir_status read_plain(const struct weir_opened *how, struct weir_profile *profile,
                                   const char *path, struct weir_source *source, bool *claimed,
                                   struct weir_error *err)
{
	struct plain plain = {how, profile, path, how->reader};
	bool searches = !plain.reader && how->named;
	bool has_margin = searches && weir_inside_has_margin(source);
	enum weir_status status = WEIR_OK;

	if (!plain.reader)
		status = weir_reader_choose(source, &plain.reader, err);
	if (status == WEIR_E_FORMAT && searches && read_unclaimed(&plain, source))
		status = WEIR_OK;
	else if (!status)
		status = read_source(how, profile, path, source, plain.reader, err);
	else
		return status;
	*claimed = true;
	if (status && has_margin && weir_inside_find(source, true, read_inside, &plain, profile))
		status = WEIR_OK;
	if (!status) {
		*err = (struct weir_error){0};
		weir_choice_take(how->choice, plain.reader->name);
	}
	return status;
}

static enum weir_status read_archive(const struct walk *around, const char *path,
                                     struct weir_source *source, struct weir_error *err);

/* Reads an opened member into the profile, or the members of an archive in an archive. */
static enum weir_status read_opened(const struct walk *walk, const char *path,
                                    struct weir_source *source, bool *claimed,
                                    struct weir_error *err)
{
	const char *head;
	size_t len, before = walk->profile->input_count;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (!status && weir_archive_begins(head, len))
		status = read_archive(walk, path, source, err);
	else if (!status)
		status = read_plain(walk->how, walk->profile, path, source, claimed, err);
	for (size_t i = before; i < walk->profile->input_count; i++)
		walk->profile->inputs[i].elsewhere = true;
	return status;
}

/* Reads the current member. One that no reader claims is left out; a bad one that a reader claims
 * is an error, as it is in a folder. */
static enum weir_status read_member(struct walk *walk, const char *path, const char *name,
                                    struct weir_error *err)
{
	struct weir_source_supply supply = weir_archive_supply(walk->archive);
	struct weir_source *source = NULL;
	struct weir_error reason = {0};
	bool claimed = false;
	enum weir_status status = weir_source_open_supply(path, &supply, &source, &reason);

	if (!status)
		status = read_opened(walk, path, source, &claimed, &reason);
	weir_source_free(source);
	*walk->claimed |= claimed;
	if (status && !claimed && *name && status != WEIR_E_IO && status != WEIR_E_LIMIT) {
		weir_choice_leave(walk->how->choice, 1, path, weir_members_reason(reason.message));
		return WEIR_OK;
	}
	if (status && err) {
		*err = reason;
		if (*name)
			return weir_fail_in(err, "%s", name);
	}
	return status;
}

static bool is_hidden(const char *name)
{
	for (const char *part = name; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (weir_listing_hides(part, strcspn(part, "/")))
			return true;
	}
	return false;
}

/* Notes damage of the archive in its last input: members may be missing after it. */
static void note_damage(const struct walk *walk, size_t before)
{
	const char *damage = weir_archive_damage(walk->archive);
	struct weir_profile *profile = walk->profile;

	if (damage && profile->input_count > before &&
	    !profile->inputs[profile->input_count - 1].warnings[WEIR_WARN_TRUNCATED].count)
		weir_input_warn(&profile->inputs[profile->input_count - 1], WEIR_WARN_TRUNCATED,
		                UINT64_MAX, damage);
}

static int by_path(const void *left, const void *right)
{
	const struct weir_input *a = left, *b = right;

	return weir_text_compare_numbered(a->path, b->path);
}

/* Reads a member unless it is hidden or unusable. */
static enum weir_status visit(struct walk *walk, const struct weir_archive_member *member,
                              struct weir_error *err)
{
	struct weir_text path = {0};
	enum weir_status status = WEIR_OK;

	weir_text_printf(&path, "%s%s%s", walk->path, *member->name ? "/" : "", member->name);
	if (member->unusable)
		weir_choice_leave(walk->how->choice, 1, path.data, member->unusable);
	else if (!is_hidden(member->name))
		status = read_member(walk, path.data, member->name, err);
	weir_text_release(&path);
	return status;
}

static enum weir_status read_members(struct walk *walk, struct weir_error *err)
{
	size_t before = walk->profile->input_count;
	struct weir_archive_member member;
	enum weir_status status = WEIR_OK;

	while (!status && !(status = weir_archive_next(walk->archive, &member, err)) && member.name)
		status = visit(walk, &member, err);
	note_damage(walk, before);
	/* As in a folder, the order of the files does not show. */
	if (walk->profile->input_count > before + 1)
		qsort(walk->profile->inputs + before, walk->profile->input_count - before,
		      sizeof *walk->profile->inputs, by_path);
	return status;
}

static enum weir_status read_archive(const struct walk *around, const char *path,
                                     struct weir_source *source, struct weir_error *err)
{
	struct walk walk = *around;
	enum weir_status status;

	if (around->nesting > WEIR_MEMBERS_MAX_NESTING)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "an archive in %d others: unpack the outer ones",
		                 WEIR_MEMBERS_MAX_NESTING);
	walk.path = path;
	walk.nesting++;
	status = weir_archive_open(source, walk.budget, &walk.archive, err);
	if (status)
		return status;
	status = read_members(&walk, err);
	weir_archive_free(walk.archive);
	return status;
}

/* Fails for an archive without a profile, and gives the reasons. */
static enum weir_status fail_without_profile(struct weir_choice *choice, const char *path,
                                             struct weir_error *err)
{
	struct weir_text left = {0};
	size_t files = weir_choice_left(choice);

	if (files == 0)
		return weir_fail(err, WEIR_E_FORMAT, "the archive holds no files");
	weir_choice_shorten(choice, path);
	weir_choice_describe_left(choice, &left);
	weir_fail(err, WEIR_E_FORMAT, "no profile in this archive (%zu %s checked): %s", files,
	          files == 1 ? "file" : "files", left.data);
	weir_text_release(&left);
	return WEIR_E_FORMAT;
}

enum weir_status weir_members_read(const struct weir_opened *how, struct weir_profile *profile,
                                   const char *path, struct weir_source *source, bool *claimed,
                                   struct weir_error *err)
{
	struct weir_archive_budget budget = weir_archive_budget_of(source);
	struct weir_opened member = *how;
	const struct walk walk = {
		.how = &member, .profile = profile, .budget = &budget, .claimed = claimed};
	size_t before = profile->input_count, len;
	const char *head;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	*claimed = false;
	if (status)
		return status;
	if (!weir_archive_begins(head, len)) {
		*claimed = how->reader != NULL;
		return read_plain(how, profile, path, source, claimed, err);
	}
	member.named = false;
	status = read_archive(&walk, path, source, err);
	*claimed |= how->reader != NULL;
	if (!status && profile->input_count == before)
		status = fail_without_profile(how->choice, path, err);
	return status;
}
