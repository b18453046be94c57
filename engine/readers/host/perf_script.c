/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the output of `perf script`: a line about each sample, then its stack from the leaf on,
 * then a blank line; without call chains, the leaf in the same line. The program's name may hold
 * blanks, digits and colons, and blanks may pad it on the left, so the line is parsed from its time
 * stamp outward, or, if the fields were chosen without one (-F comm,pid,event,ip,sym), from its
 * event backward. The weight of a sample is its period. Samples of idle processors are not host
 * time, and samples of other events than clocks and cycles are no time: the profile names their
 * event. Of several events the first that is a time is read, or else the first.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/host/host_frames.h"
#include "engine/readers/host/perf_event.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/readers.h"

#define MAX_DEPTH  4096 /* frames of one stack; callers beyond are left out */
#define MAX_EVENTS 8    /* events whose names a note holds */
#define SURE_BITS  96   /* the form of a time stamp, an event and an address */

/* The line about a sample; texts are borrowed. */
struct sample {
	struct weir_slice program, event, rest;
	int64_t pid, period; /* period 0: not printed */
};

/* Samples of an event that were left out. */
struct left_out {
	char name[WEIR_MAX_HOST_EVENT];
	uint64_t count;
};

struct perf {
	struct weir_input *input;
	struct weir_host_profile *profile;
	struct weir_text event; /* that is read; samples of other events are left out */
	struct left_out others[MAX_EVENTS];
	uint64_t unnamed;     /* samples of events beyond these */
	uint64_t taken;       /* samples of the event, idle ones included */
	uint64_t first_at;    /* byte offset of the first of them */
	uint64_t first_other; /* the same of those left out */
	uint32_t *frames;     /* of the current sample, leaf first */
	size_t depth;
	int64_t weight; /* of the current sample; -1: no sample */
	uint32_t program;
	bool idle;
	bool opened;  /* a sample was read */
	bool untimed; /* the first line about a sample has no time stamp */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct weir_slice *text)
{
	while (text->length && is_blank(*text->data)) {
		text->data++;
		text->length--;
	}
}

/* Takes the next word off the text; empty at its end. */
static struct weir_slice take_word(struct weir_slice *text)
{
	struct weir_slice word;

	skip_blanks(text);
	word = (struct weir_slice){text->data, 0};
	while (word.length < text->length && !is_blank(word.data[word.length]))
		word.length++;
	text->data += word.length;
	text->length -= word.length;
	return word;
}

/* True for "788.624887:". */
static bool is_time(struct weir_slice word)
{
	size_t at = 0, whole, fraction;

	while (at < word.length && is_digit(word.data[at]))
		at++;
	whole = at;
	if (at == word.length || word.data[at++] != '.')
		return false;
	for (fraction = 0; at < word.length && is_digit(word.data[at]); at++)
		fraction++;
	return whole && fraction >= 6 && at + 1 == word.length && word.data[at] == ':';
}

/* True for "[002]". */
static bool is_processor(struct weir_slice word)
{
	if (word.length < 3 || word.data[0] != '[' || word.data[word.length - 1] != ']')
		return false;
	for (size_t i = 1; i + 1 < word.length; i++)
		if (!is_digit(word.data[i]))
			return false;
	return true;
}

/* Takes the process from "19145" or "19145/19146". */
static bool take_pid(struct weir_slice word, int64_t *pid)
{
	const char *slash = memchr(word.data, '/', word.length);
	size_t length = slash ? (size_t)(slash - word.data) : word.length;
	int64_t tid;

	if (slash && !weir_parse_i64(slash + 1, word.length - length - 1, &tid))
		return false;
	return weir_parse_i64(word.data, length, pid);
}

/* Takes what follows the time: an optional period, the event, and its arguments. */
static bool take_event(struct weir_slice rest, struct sample *sample)
{
	struct weir_slice word = take_word(&rest);

	sample->period = 0;
	if (weir_parse_i64(word.data, word.length, &sample->period))
		word = take_word(&rest);
	if (!word.length || !memchr(word.data, ':', word.length) || sample->period < 0)
		return false;
	if (word.data[word.length - 1] == ':')
		word.length--;
	sample->event = word;
	sample->rest = rest;
	return word.length > 0;
}

/* Sets the program: the text before its process. Returns false if it is empty. */
static bool set_program(struct weir_slice line, struct weir_slice pid, struct sample *sample)
{
	sample->program = (struct weir_slice){line.data, (size_t)(pid.data - line.data)};
	while (sample->program.length && is_blank(sample->program.data[sample->program.length - 1]))
		sample->program.length--;
	return sample->program.length > 0;
}

/* Parses "1156 leaf+0x2d (/opt/demo/w)". */
static bool take_frame(struct weir_slice line, struct weir_slice *function,
                       struct weir_slice *file);

/* True if the event has a letter, and a colon behind it: "cycles:ppp:". */
static bool is_event(struct weir_slice line, struct weir_slice event)
{
	bool letter = false;

	for (size_t i = 0; i < event.length; i++)
		letter |= (event.data[i] | 32) >= 'a' && (event.data[i] | 32) <= 'z';
	return letter && event.data + event.length < line.data + line.length &&
	       event.data[event.length] == ':';
}

/* True if the rest of a line about a sample is blank or begins with a frame. */
static bool is_frame_or_blank(struct weir_slice rest)
{
	struct weir_slice function, file, copy = rest;

	return !take_word(&copy).length || take_frame(rest, &function, &file);
}

/* Parses a line about a sample without a time: program, process, an optional processor, an optional
 * period and the event. Nothing or a frame follows. */
static bool take_untimed_sample(struct weir_slice line, struct sample *sample)
{
	struct weir_slice rest, pid, behind, after;

	skip_blanks(&line);
	if (!line.length || *line.data == '#')
		return false;
	rest = line;
	take_word(&rest);
	while ((pid = take_word(&rest)).length) {
		behind = after = rest;
		if (!take_pid(pid, &sample->pid))
			continue;
		if (is_processor(take_word(&after)))
			behind = after;
		if (take_event(behind, sample) && is_event(line, sample->event) &&
		    is_frame_or_blank(sample->rest))
			return set_program(line, pid, sample);
	}
	return false;
}

/* Parses a line about a sample by its first time stamp with a process before it. Returns false if
 * there is no such time stamp. */
static bool take_sample(struct weir_slice line, struct sample *sample)
{
	struct weir_slice rest, word, last = {"", 0}, before = {"", 0};

	skip_blanks(&line);
	if (!line.length || *line.data == '#')
		return false;
	rest = line;
	while ((word = take_word(&rest)).length) {
		struct weir_slice pid = is_processor(last) ? before : last;

		if (pid.length && pid.data > line.data && is_time(word) &&
		    take_pid(pid, &sample->pid) && take_event(rest, sample))
			return set_program(line, pid, sample);
		before = last;
		last = word;
	}
	return false;
}

static bool is_address(struct weir_slice word)
{
	for (size_t i = 0; i < word.length; i++)
		if (!strchr("0123456789abcdefABCDEF", word.data[i]) || !word.data[i])
			return false;
	return word.length > 0;
}

/* The name ends at the last " (". */
static bool take_frame(struct weir_slice line, struct weir_slice *function, struct weir_slice *file)
{
	size_t open = 0, end;

	if (!is_address(take_word(&line)))
		return false;
	skip_blanks(&line);
	for (size_t i = 0; i + 1 < line.length; i++)
		if (line.data[i] == ' ' && line.data[i + 1] == '(')
			open = i;
	end = open ? open : line.length;
	*file = (struct weir_slice){"", 0};
	if (open && line.data[line.length - 1] == ')')
		*file = (struct weir_slice){line.data + open + 2, line.length - open - 3};
	for (size_t i = end; i-- > 0;)
		if (end - i > 3 && !memcmp(line.data + i, "+0x", 3)) {
			struct weir_slice offset = {line.data + i + 3, end - i - 3};

			end = is_address(offset) ? i : end;
			break;
		}
	*function = (struct weir_slice){line.data, end};
	return end > 0;
}

/* Returns a frame. Python's perf trampolines put the file into the name:
 * "py::forward:/srv/model.py". */
static uint32_t frame_of(struct weir_host_profile *profile, struct weir_slice function,
                         struct weir_slice file)
{
	if (weir_slice_starts(function, "py::")) {
		const char *colon;

		function.data += 4;
		function.length -= 4;
		colon = memchr(function.data, ':', function.length);
		if (colon) {
			file = (struct weir_slice){
				colon + 1, (size_t)(function.data + function.length - colon - 1)};
			function.length = (size_t)(colon - function.data);
		}
	}
	return weir_host_frame(profile, function, file);
}

static void take_stack_line(struct perf *perf, struct weir_slice line, uint64_t at)
{
	struct weir_slice function, file;

	if (perf->weight < 0)
		return;
	if (!take_frame(line, &function, &file))
		weir_input_warn(perf->input, WEIR_WARN_SKIPPED_EVENT, at, NULL);
	else if (perf->depth == MAX_DEPTH)
		weir_input_warn(perf->input, WEIR_WARN_TOO_DEEP, at, NULL);
	else
		perf->frames[perf->depth++] = frame_of(perf->profile, function, file);
}

/* Notes the current sample if it is the heaviest one. Samples without periods are all alike. */
static void note_largest(struct perf *perf)
{
	struct weir_host_profile *profile = perf->profile;

	if (profile->unit == WEIR_HOST_SAMPLES || perf->weight <= profile->largest)
		return;
	profile->largest = perf->weight;
	profile->largest_frame = perf->depth ? perf->frames[0] : perf->program;
}

/* Adds the current sample, which is complete. */
static void close_sample(struct perf *perf, uint64_t at)
{
	struct weir_host_profile *profile = perf->profile;
	uint32_t node;

	if (perf->weight < 0)
		return;
	if (perf->idle) {
		profile->idle += perf->weight < INT64_MAX - profile->idle ? perf->weight : 0;
	} else {
		node = weir_host_child(profile, WEIR_HOST_ROOT, perf->program);
		for (size_t i = perf->depth; i-- > 0;)
			node = weir_host_child(profile, node, perf->frames[i]);
		if (node == UINT32_MAX)
			weir_input_warn(perf->input, WEIR_WARN_THINNED, at, "call stacks");
		else
			weir_host_weigh(profile, node, perf->weight);
		profile->samples++;
		note_largest(perf);
	}
	perf->weight = -1;
}

/* Counts samples of an event that is not read. */
static void leave_out(struct perf *perf, struct weir_slice event, uint64_t count)
{
	struct left_out *other = perf->others;
	size_t length = event.length < WEIR_MAX_HOST_EVENT ? event.length : WEIR_MAX_HOST_EVENT - 1;
	const struct weir_slice name = {event.data, length};

	while (other < perf->others + MAX_EVENTS && other->count &&
	       !weir_slice_equals(name, other->name))
		other++;
	if (other == perf->others + MAX_EVENTS) {
		perf->unnamed += count;
		return;
	}
	memcpy(other->name, name.data, length);
	other->count += count;
}

/* Warns of the samples that were left out, with the number of each event. */
static void warn_of_others(const struct perf *perf)
{
	struct weir_text names = {0};
	uint64_t count = perf->unnamed;

	for (size_t i = 0; i < MAX_EVENTS && perf->others[i].count; i++) {
		weir_text_printf(&names, "%s%llu of %s", i ? ", " : "",
		                 (unsigned long long)perf->others[i].count, perf->others[i].name);
		count += perf->others[i].count;
	}
	if (count) {
		weir_input_warn(perf->input, WEIR_WARN_OTHER_SAMPLES, perf->first_other,
		                names.data);
		perf->input->warnings[WEIR_WARN_OTHER_SAMPLES].count = count;
	}
	weir_text_release(&names);
}

/* Takes event, unit and weights from a sample. Leaves out the samples of the event before. */
static void take_first(struct perf *perf, const struct sample *sample, uint64_t at)
{
	if (perf->taken) {
		leave_out(perf, (struct weir_slice){perf->event.data, perf->event.length},
		          perf->taken);
		perf->first_other = perf->first_at;
		weir_host_profile_free(perf->profile);
		perf->profile = weir_host_profile_new(WEIR_HOST_SAMPLES);
	}
	perf->taken = 0;
	perf->first_at = at;
	weir_text_clear(&perf->event);
	weir_text_add(&perf->event, sample->event.data, sample->event.length);
	weir_perf_event_set(perf->profile, sample->event, sample->period != 0);
}

/* True for the address of a probe: "(7fa9195fe260)", or "(7fa9195fe260 <- 40113a)" at a return. */
static bool is_probe(struct weir_slice rest)
{
	struct weir_slice word = take_word(&rest);

	if (!weir_slice_take(&word, "("))
		return false;
	word.length -= word.length && word.data[word.length - 1] == ')';
	return is_address(word);
}

/* True if the event of the sample is to be read rather than that of the samples before. */
static bool is_better(const struct perf *perf, const struct sample *sample)
{
	return !perf->event.length ||
	       (*perf->profile->event && weir_perf_event_is_time(sample->event));
}

static void open_sample(struct perf *perf, const struct sample *sample, uint64_t at)
{
	const struct weir_slice no_file = {"", 0};

	if (is_better(perf, sample))
		take_first(perf, sample, at);
	if (!weir_slice_equals(sample->event, perf->event.data)) {
		perf->first_other = perf->first_other ? perf->first_other : at;
		leave_out(perf, sample->event, 1);
		return;
	}
	if (!sample->period && perf->profile->unit != WEIR_HOST_SAMPLES) {
		weir_input_warn(perf->input, WEIR_WARN_UNKNOWN_CATEGORY, at,
		                "a sample without a period");
		return;
	}
	perf->input->events++;
	perf->taken++;
	perf->depth = 0;
	perf->weight = perf->profile->unit == WEIR_HOST_SAMPLES ? 1 : sample->period;
	perf->idle = sample->pid == 0 && weir_slice_starts(sample->program, "swapper") &&
	             weir_perf_event_tells_idle(sample->event);
	perf->program = weir_host_frame(perf->profile, sample->program, no_file);
	if (memchr(sample->rest.data, '(', sample->rest.length) && !is_probe(sample->rest))
		take_stack_line(perf, sample->rest, at);
}

/* Parses a line about a sample in the form of the first one of the file. */
static bool take_header(struct perf *perf, struct weir_slice line, struct sample *sample)
{
	bool timed = (!perf->opened || !perf->untimed) && take_sample(line, sample);

	if (!timed && (perf->opened && !perf->untimed))
		return false;
	if (!timed && !take_untimed_sample(line, sample))
		return false;
	perf->untimed = !timed;
	perf->opened = true;
	return true;
}

/* Takes a line by its first byte. A tab begins a frame. A space begins a frame of a text that lost
 * its tabs, or a line about a sample: without stacks perf pads the program on the left. */
static void take_line(struct perf *perf, const struct weir_csv_row *row)
{
	struct sample sample;
	char first = row->count ? *row->line.data : '\0';

	if (first == '#')
		return;
	if (first && first != '\t' && take_header(perf, row->line, &sample)) {
		close_sample(perf, row->at);
		open_sample(perf, &sample, row->at);
	} else if (is_blank(first)) {
		take_stack_line(perf, row->line, row->at);
	} else {
		close_sample(perf, row->at);
		if (first)
			weir_input_warn(perf->input, WEIR_WARN_SKIPPED_EVENT, row->at, NULL);
	}
}

static enum weir_status read_perf(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct perf perf = {
		.input = input,
		.profile = weir_host_profile_new(WEIR_HOST_SAMPLES),
		.frames = weir_alloc(MAX_DEPTH * sizeof *perf.frames),
		.weight = -1,
	};
	struct weir_csv *lines = weir_csv_new(source, &weir_host_lines);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(lines);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(lines, &row, err)) && row)
		take_line(&perf, row);
	close_sample(&perf, UINT64_MAX);
	warn_of_others(&perf);
	if (skipped->count)
		weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, skipped->first_at,
		                "a line of more than 1 MiB");
	weir_csv_free(lines);
	weir_damage_of_source(input, source);
	free(perf.frames);
	weir_text_release(&perf.event);
	return weir_host_settle(perf.profile, input, status, err);
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, function, file;
	struct sample sample;

	while (weir_csv_take_line(&rest, &line)) {
		if (!line.length || *line.data == '#')
			continue;
		if (take_sample(line, &sample))
			return SURE_BITS;
		if (!take_untimed_sample(line, &sample))
			return 0;
		/* Without a time, only a frame shows that the line is not some other text. */
		if (sample.rest.length && take_frame(sample.rest, &function, &file))
			return SURE_BITS;
		return weir_csv_take_line(&rest, &line) && line.length && is_blank(*line.data) &&
		                       take_frame(line, &function, &file)
		               ? SURE_BITS
		               : 0;
	}
	return 0;
}

static const char *refuse(const char *head, size_t len)
{
	return weir_slice_starts((struct weir_slice){head, len}, "PERFILE2")
	               ? "it is a perf.data file: pass what perf script prints of it"
	               : NULL;
}

const struct weir_reader weir_reader_perf_script = {
	.name = "perf-script",
	.title = "perf script: stacks of a host profile",
	.gives = "host profile",
	.sniff = sniff,
	.refuse = refuse,
	.read = read_perf,
};
