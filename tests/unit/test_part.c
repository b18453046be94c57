/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part gives the inputs that were put into it, in one order, and any other file is refused. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/base/pack.h"
#include "engine/base/sha256.h"
#include "engine/part/part.h"
#include "engine/part/planes.h"
#include "engine/part/trace_pack.h"
#include "engine/pipeline/parting.h"
#include "engine/readers/readers.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/packed.h"
#include "tests/unit/random_trace.h"

#define SAMPLE       "tests/data/part/three_inputs.part"
#define COUNT_OF(a)  (sizeof(a) / sizeof((a)[0]))
#define HEADER_BYTES (8 + 4 + 4 + 8 + WEIR_SHA256_SIZE)

/* ---- traces ---- */

static struct weir_trace *unpacked(const struct weir_text *columns)
{
	struct weir_error err = {0};
	struct weir_trace *trace = NULL;

	if (weir_trace_unpack(columns->data, columns->length, &trace, &err))
		fail_msg("%s", err.message);
	return trace;
}

#define SAME(a, b, column)                                                                         \
	assert_memory_equal((a)->column, (b)->column, (a)->count * sizeof(*(a)->column))

static void expect_same_rows(const struct weir_trace *one, const struct weir_trace *other)
{
	const struct weir_host_columns *h = &one->host, *i = &other->host;
	const struct weir_device_columns *d = &one->device, *e = &other->device;

	assert_int_equal(h->count, i->count);
	assert_int_equal(d->count, e->count);
	if (h->count > 0) {
		SAME(h, i, start_ns);
		SAME(h, i, end_ns);
		SAME(h, i, name);
		SAME(h, i, thread);
		SAME(h, i, shape);
		SAME(h, i, correlation);
		SAME(h, i, external);
		SAME(h, i, kind);
	}
	if (d->count == 0)
		return;
	SAME(d, e, start_ns);
	SAME(d, e, end_ns);
	SAME(d, e, name);
	SAME(d, e, launch);
	SAME(d, e, stream);
	SAME(d, e, correlation);
	SAME(d, e, external);
	SAME(d, e, graph_node);
	SAME(d, e, bytes);
	SAME(d, e, blocks);
	SAME(d, e, threads_per_block);
	SAME(d, e, device);
	SAME(d, e, kind);
	SAME(d, e, flags);
}

#define EQUAL(table, member) assert_true(one->table[i].member == other->table[i].member)

static void expect_same_places(const struct weir_trace *one, const struct weir_trace *other)
{
	assert_int_equal(one->thread_count, other->thread_count);
	for (size_t i = 0; i < one->thread_count; i++) {
		EQUAL(threads, pid);
		EQUAL(threads, tid);
		EQUAL(threads, name);
	}
	assert_int_equal(one->stream_count, other->stream_count);
	for (size_t i = 0; i < one->stream_count; i++) {
		EQUAL(streams, id);
		EQUAL(streams, device);
	}
	assert_int_equal(one->device_count, other->device_count);
	for (size_t i = 0; i < one->device_count; i++) {
		EQUAL(devices, id);
		EQUAL(devices, name);
		EQUAL(devices, memory_bytes);
		EQUAL(devices, sms);
		EQUAL(devices, compute_major);
		EQUAL(devices, compute_minor);
		EQUAL(devices, warp_size);
		EQUAL(devices, described);
	}
	assert_int_equal(one->shape_count, other->shape_count);
	for (size_t i = 0; i < one->shape_count; i++) {
		EQUAL(shapes, dims);
		EQUAL(shapes, types);
		EQUAL(shapes, scalars);
		EQUAL(shapes, strides);
	}
}

static void expect_same_records(const struct weir_trace *one, const struct weir_trace *other)
{
	assert_int_equal(one->collective_count, other->collective_count);
	for (size_t i = 0; i < one->collective_count; i++) {
		EQUAL(collectives, device_row);
		EQUAL(collectives, external);
		EQUAL(collectives, name);
		EQUAL(collectives, group);
		EQUAL(collectives, members);
		EQUAL(collectives, dtype);
		EQUAL(collectives, elements_in);
		EQUAL(collectives, elements_out);
		EQUAL(collectives, group_size);
		EQUAL(collectives, sequence);
	}
	assert_int_equal(one->memory_count, other->memory_count);
	for (size_t i = 0; i < one->memory_count; i++) {
		EQUAL(memory, at_ns);
		EQUAL(memory, bytes);
		EQUAL(memory, allocated_bytes);
		EQUAL(memory, reserved_bytes);
		EQUAL(memory, device_id);
		EQUAL(memory, device_type);
	}
	assert_int_equal(one->sync_count, other->sync_count);
	for (size_t i = 0; i < one->sync_count; i++) {
		EQUAL(syncs, start_ns);
		EQUAL(syncs, end_ns);
		EQUAL(syncs, kind_name);
		EQUAL(syncs, stream);
		EQUAL(syncs, wait_on_stream);
		EQUAL(syncs, correlation);
		EQUAL(syncs, wait_on_correlation);
	}
	assert_int_equal(one->label_count, other->label_count);
	for (size_t i = 0; i < one->label_count; i++) {
		EQUAL(labels, key);
		EQUAL(labels, value);
	}
}

static void expect_same_trace(const struct weir_trace *one, const struct weir_trace *other)
{
	assert_true(one->base_ns == other->base_ns);
	assert_int_equal(one->rank, other->rank);
	assert_int_equal(one->world_size, other->world_size);
	assert_int_equal(one->has_shapes, other->has_shapes);
	assert_int_equal(one->has_stacks, other->has_stacks);
	assert_int_equal(one->has_memory, other->has_memory);
	assert_int_equal(weir_names_count(one->names), weir_names_count(other->names));
	for (uint32_t i = 0; i < weir_names_count(one->names); i++)
		assert_string_equal(weir_names_text(one->names, i),
		                    weir_names_text(other->names, i));
	expect_same_places(one, other);
	expect_same_records(one, other);
	expect_same_rows(one, other);
}

static void expect_round_trip(const struct weir_trace *trace)
{
	struct weir_text once = {0}, twice = {0};
	struct weir_trace *back;

	weir_trace_pack(trace, &once);
	back = unpacked(&once);
	expect_same_trace(trace, back);
	weir_trace_pack(back, &twice);
	assert_int_equal(once.length, twice.length);
	assert_memory_equal(once.data, twice.data, once.length);
	weir_trace_free(back);
	weir_text_release(&once);
	weir_text_release(&twice);
}

/* Returns the number of traces that the file gives; 0 if it is refused. */
static size_t round_trip_of(const char *path)
{
	struct weir_profile *profile = weir_profile_new();
	size_t traces = 0;

	if (!weir_read_path(profile, path, NULL, NULL))
		for (size_t i = 0; i < profile->input_count; i++)
			if (profile->inputs[i].trace) {
				expect_round_trip(profile->inputs[i].trace);
				traces++;
			}
	weir_profile_free(profile);
	return traces;
}

static size_t round_trips_in(const char *folder)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;
	size_t traces = 0;

	assert_non_null(stream);
	while ((entry = readdir(stream)) != NULL) {
		struct weir_text path = {0};
		struct stat status;

		weir_text_printf(&path, "%s/%s", folder, entry->d_name);
		if (stat(path.data, &status) == 0 && S_ISREG(status.st_mode))
			traces += round_trip_of(path.data);
		weir_text_release(&path);
	}
	closedir(stream);
	return traces;
}

static void every_trace_of_the_test_data_comes_back(void **state)
{
	static const struct {
		const char *folder;
		size_t least; /* traces that it holds, at least */
	} folders[] = {
		{"tests/data/kineto", 10},         {"tests/data/kineto/straggler", 4},
		{"tests/data/kineto/written", 20}, {"tests/data/nsys", 2},
		{"tests/data/rocpd", 2},           {"tests/data/rocprof_json", 1},
		{"tests/data/rocprof", 1},         {"tests/data/xla", 1},
		{"tests/data/onnxruntime", 1},     {"tests/data/chrome", 1},
		{"tests/data/captures", 3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		size_t traces = round_trips_in(folders[i].folder);

		if (traces < folders[i].least)
			fail_msg("%s: %zu traces", folders[i].folder, traces);
	}
}

static void random_traces_come_back(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct weir_trace *trace = random_trace(&seed);

		expect_round_trip(trace);
		weir_trace_free(trace);
	}
}

/* ---- columns that no reader makes ---- */

/* Host rows of thread 0: a range with two calls in it. Device rows: two kernels and a copy. */
static struct weir_trace *small_trace(void)
{
	struct make_trace *make = make_trace_new();

	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 90, 200);
	make_call(make, 0, "cudaLaunchKernel", 100, 110, 7);
	make_call(make, 0, "cudaLaunchKernel", 120, 130, 8);
	make_kernel(make, 0, "gemm", 112, 150, 7);
	make_kernel(make, 0, "add", 160, 170, 8);
	make_kernel(make, 1, "add", 170, 180, 0);
	make_memory(make, 100, 512, 512, 1024);
	return make_trace_finish(make);
}

static void set_bool(bool *value, uint8_t byte)
{
	memcpy(value, &byte, 1);
}

static void host_name(struct weir_trace *t)
{
	t->host.name[0] = (uint32_t)weir_names_count(t->names);
}
static void host_thread(struct weir_trace *t)
{
	t->host.thread[2] = (uint32_t)t->thread_count;
}
static void host_shape(struct weir_trace *t)
{
	t->host.shape[1] = (uint32_t)t->shape_count;
}
static void host_kind(struct weir_trace *t)
{
	t->host.kind[0] = WEIR_HOST_OVERHEAD + 1;
}
static void host_order(struct weir_trace *t)
{
	t->host.start_ns[1] = 80;
}
static void host_nesting(struct weir_trace *t)
{
	t->host.start_ns[1] = 90;
	t->host.end_ns[1] = 201;
}
static void host_end(struct weir_trace *t)
{
	t->host.end_ns[2] = t->host.start_ns[2] - 1;
}
static void host_late(struct weir_trace *t)
{
	t->host.end_ns[2] = INT64_MAX;
}
static void host_early(struct weir_trace *t)
{
	t->host.start_ns[0] = INT64_MIN;
}
static void device_name(struct weir_trace *t)
{
	t->device.name[0] = WEIR_NONE;
}
static void device_kind(struct weir_trace *t)
{
	t->device.kind[0] = WEIR_DEVICE_SET + 1;
}
static void device_row(struct weir_trace *t)
{
	t->device.device[2] = (uint16_t)t->device_count;
}
static void device_stream(struct weir_trace *t)
{
	t->device.stream[0] = (uint32_t)t->stream_count;
}
static void device_order(struct weir_trace *t)
{
	t->device.start_ns[1] = 1;
}
static void device_end(struct weir_trace *t)
{
	t->device.end_ns[0] = 111;
}
static void launch_row(struct weir_trace *t)
{
	t->device.launch[0] = (uint32_t)t->host.count;
}
static void launch_kind(struct weir_trace *t)
{
	t->device.launch[0] = 0;
}
static void thread_name(struct weir_trace *t)
{
	t->threads[0].name = WEIR_NONE - 1;
}
static void stream_device(struct weir_trace *t)
{
	t->streams[0].device = 99;
}
static void device_text(struct weir_trace *t)
{
	t->devices[0].name = 1000;
}
static void device_flag(struct weir_trace *t)
{
	set_bool(&t->devices[0].described, 2);
}
static void shape_text(struct weir_trace *t)
{
	t->shapes[0].strides = 1000;
}
static void no_shape(struct weir_trace *t)
{
	t->shape_count = 0;
}
static void trace_flag(struct weir_trace *t)
{
	set_bool(&t->has_memory, 255);
}

static const struct {
	const char *fault;
	void (*make)(struct weir_trace *trace);
} faults[] = {
	{"a name of a host row", host_name},
	{"a thread", host_thread},
	{"a shape", host_shape},
	{"a kind of host row", host_kind},
	{"host rows out of order", host_order},
	{"a range that ends after the one around it", host_nesting},
	{"a host row that ends before it starts", host_end},
	{"a time too late", host_late},
	{"a time too early", host_early},
	{"a name of a device row", device_name},
	{"a kind of device row", device_kind},
	{"a device", device_row},
	{"a stream", device_stream},
	{"device rows out of order", device_order},
	{"a device row that ends before it starts", device_end},
	{"a launch beyond the host rows", launch_row},
	{"a launch by a row that is no call", launch_kind},
	{"a name of a thread", thread_name},
	{"a stream of another device", stream_device},
	{"a name of a device", device_text},
	{"a bool of a device", device_flag},
	{"a text of a shape", shape_text},
	{"no shapes", no_shape},
	{"a bool of the trace", trace_flag},
};

static void rows_and_names_out_of_range_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(faults); i++) {
		struct weir_trace *trace = small_trace(), *back = NULL;
		struct weir_text columns = {0};
		struct weir_error err = {0};

		expect_round_trip(trace);
		faults[i].make(trace);
		weir_trace_pack(trace, &columns);
		if (weir_trace_unpack(columns.data, columns.length, &back, &err) != WEIR_E_FORMAT)
			fail_msg("%s is read", faults[i].fault);
		assert_non_null(strstr(err.message, "damaged"));
		trace->shape_count = trace->shape_count ? trace->shape_count : 1;
		weir_trace_free(trace);
		weir_text_release(&columns);
	}
}

/* Packs two names and no row, as weir_trace_pack() does, and returns the status of reading them. */
static enum weir_status status_of_names(const char *second, size_t length)
{
	uint32_t lengths[] = {0, 1, (uint32_t)length};
	size_t count = 3, total = 1 + length;
	struct weir_trace *empty = weir_trace_new(), *back = NULL;
	struct weir_text whole = {0}, columns = {0};
	struct weir_planes planes = {.out = &columns};
	enum weir_status status;
	size_t names;

	weir_planes_count(&planes, &count, 0, 0);
	weir_planes_integers(&planes, lengths, 4, 4, count, WEIR_PREDICT_NOTHING);
	weir_planes_count(&planes, &total, 0, 0);
	weir_text_add(&columns, "a", 1);
	weir_text_add(&columns, second, length);
	/* The other columns come from a trace without rows. */
	names = 8 + 2 + 1 + 8;
	empty->shapes = weir_grow(empty->shapes, &empty->shape_capacity, 1, sizeof(*empty->shapes));
	empty->shapes[0] = (struct weir_shape){0};
	empty->shape_count = 1;
	weir_trace_pack(empty, &whole);
	weir_text_add(&columns, whole.data + names, whole.length - names);
	status = weir_trace_unpack(columns.data, columns.length, &back, NULL);
	if (!status)
		weir_trace_free(back);
	weir_trace_free(empty);
	weir_text_release(&whole);
	weir_text_release(&columns);
	return status;
}

static void names_with_zeros_and_names_twice_are_refused(void **state)
{
	(void)state;
	assert_int_equal(status_of_names("bc", 2), WEIR_OK);
	assert_int_equal(status_of_names("b\0", 2), WEIR_E_FORMAT);
	assert_int_equal(status_of_names("a", 1), WEIR_E_FORMAT);
	assert_int_equal(status_of_names("", 0), WEIR_E_FORMAT);
}

static void cut_columns_are_refused(void **state)
{
	struct weir_trace *trace = small_trace(), *back = NULL;
	struct weir_text columns = {0};

	(void)state;
	weir_trace_pack(trace, &columns);
	for (size_t cut = 0; cut < columns.length; cut++) {
		struct bytes copy = plain_bytes(columns.data, cut);

		assert_int_equal(weir_trace_unpack(copy.data, cut, &back, NULL), WEIR_E_FORMAT);
		free(copy.data);
	}
	weir_text_add(&columns, "", 1);
	assert_int_equal(weir_trace_unpack(columns.data, columns.length, &back, NULL),
	                 WEIR_E_FORMAT);
	weir_text_release(&columns);
	weir_trace_free(trace);
}

/* Any bit of the columns may be changed: a trace that is read then packs again. */
static void changed_columns_are_read_or_refused(void **state)
{
	struct weir_trace *trace = small_trace(), *back;
	struct weir_text columns = {0};
	size_t refused = 0;

	(void)state;
	weir_trace_pack(trace, &columns);
	for (size_t at = 0; at < columns.length; at++)
		for (int bit = 0; bit < 8; bit++) {
			columns.data[at] = (char)(columns.data[at] ^ 1 << bit);
			back = NULL;
			if (weir_trace_unpack(columns.data, columns.length, &back, NULL))
				refused++;
			else
				expect_round_trip(back);
			weir_trace_free(back);
			columns.data[at] = (char)(columns.data[at] ^ 1 << bit);
		}
	assert_true(refused > columns.length);
	weir_text_release(&columns);
	weir_trace_free(trace);
}

/* ---- part files ---- */

static struct bytes sample(void)
{
	struct bytes bytes = {weir_alloc(1 << 20), 0};
	FILE *file = fopen(SAMPLE, "rb");

	assert_non_null(file);
	bytes.len = fread(bytes.data, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static void add_text_member(struct weir_part_file *part, const char *path, int64_t rank,
                            const char *node, const char *content)
{
	struct weir_part_member *member = weir_part_add(part, path, "samples", node);

	member->content = WEIR_PART_FILE;
	member->facts.rank = rank;
	weir_packed_fill(&member->packed, content, strlen(content));
}

static void members_come_back_with_their_heads(void **state)
{
	struct weir_part_file part = {0}, back;
	struct weir_text bytes = {0}, content = {0};
	struct weir_part_member *member = weir_part_add(&part, "a/rank3.json", "kineto", "host-a");
	struct weir_error err = {0};

	(void)state;
	member->content = WEIR_PART_TRACE;
	member->facts.rank = 3;
	member->facts.world_size = 64;
	member->bytes = UINT64_C(1) << 40;
	member->events = 12345;
	member->warnings[WEIR_WARN_TRUNCATED] = (struct weir_warning){.count = 1, .first_at = 99};
	memcpy(member->warnings[WEIR_WARN_TRUNCATED].detail, "in an event", 12);
	weir_packed_fill(&member->packed, "content", 7);
	weir_part_write(&part, &bytes);
	if (weir_part_read(bytes.data, bytes.length, &back, &err))
		fail_msg("%s", err.message);
	assert_int_equal(back.count, 1);
	assert_string_equal(back.members[0].path, "a/rank3.json");
	assert_string_equal(back.members[0].node, "host-a");
	assert_string_equal(back.members[0].format, "kineto");
	assert_int_equal(back.members[0].content, WEIR_PART_TRACE);
	assert_int_equal(back.members[0].facts.rank, 3);
	assert_int_equal(back.members[0].facts.world_size, 64);
	assert_true(back.members[0].bytes == UINT64_C(1) << 40);
	assert_int_equal(back.members[0].events, 12345);
	assert_int_equal(back.members[0].warnings[WEIR_WARN_TRUNCATED].count, 1);
	assert_int_equal(back.members[0].warnings[WEIR_WARN_TRUNCATED].first_at, 99);
	assert_string_equal(back.members[0].warnings[WEIR_WARN_TRUNCATED].detail, "in an event");
	assert_int_equal(weir_packed_content(&back.members[0].packed, &content, &err), WEIR_OK);
	assert_int_equal(content.length, 7);
	assert_memory_equal(content.data, "content", 7);
	weir_part_release(&part);
	weir_part_release(&back);
	weir_text_release(&bytes);
	weir_text_release(&content);
}

static void a_part_has_one_form_regardless_of_the_order_of_its_members(void **state)
{
	static const struct {
		const char *path, *node, *content;
		int64_t rank;
	} members[] = {
		{"r2", "", "x", -1},  {"r10", "", "x", -1}, {"r2", "b", "x", -1},
		{"r2", "b", "y", -1}, {"r2", "b", "x", 4},  {"r2", "b", "longer", -1},
	};
	struct weir_text first = {0};
	uint64_t seed = 3;

	(void)state;
	for (int turn = 0; turn < 50; turn++) {
		struct weir_part_file all = {0};
		struct weir_text bytes = {0};
		size_t order[COUNT_OF(members)] = {0};

		for (size_t i = 0; i < COUNT_OF(members); i++) {
			size_t j = (size_t)(next_number(&seed) % (i + 1));

			order[i] = order[j];
			order[j] = i;
		}
		for (size_t i = 0; i < COUNT_OF(members); i++) {
			struct weir_part_file one = {0};

			add_text_member(&one, members[order[i]].path, members[order[i]].rank,
			                members[order[i]].node, members[order[i]].content);
			weir_part_take(&all, &one);
		}
		weir_part_write(&all, &bytes);
		assert_string_equal(all.members[0].path, "r2");
		assert_string_equal(all.members[COUNT_OF(members) - 1].path, "r10");
		if (turn == 0)
			weir_text_add(&first, bytes.data, bytes.length);
		assert_int_equal(bytes.length, first.length);
		assert_memory_equal(bytes.data, first.data, first.length);
		weir_part_release(&all);
		weir_text_release(&bytes);
	}
	weir_text_release(&first);
}

static void expect_refused(const void *data, size_t length, const char *message)
{
	struct bytes copy = plain_bytes(data, length);
	struct weir_part_file part;
	struct weir_error err = {0};

	assert_int_not_equal(weir_part_read(copy.data, length, &part, &err), WEIR_OK);
	assert_int_equal(part.count, 0);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
	free(copy.data);
}

static void every_changed_byte_and_every_cut_is_refused(void **state)
{
	struct bytes bytes = sample();

	(void)state;
	for (size_t at = 0; at < bytes.len; at++) {
		bytes.data[at] ^= 0x40;
		expect_refused(bytes.data, bytes.len,
		               at < 8    ? "not a part"
		               : at < 12 ? "version"
		               : at < 16 ? "a"
		               : at < 24 ? "truncated"
		                         : "checksum");
		bytes.data[at] ^= 0x40;
		expect_refused(bytes.data, at, at < 8 ? "not a part" : "truncated");
	}
	bytes = joined_bytes(bytes, plain_bytes("", 1));
	expect_refused(bytes.data, bytes.len, "truncated");
	free(bytes.data);
}

/* Sets the length and the checksum of a part to those of its bytes. */
static void repair(struct weir_text *part)
{
	uint64_t rest = part->length - HEADER_BYTES;
	struct weir_sha256 hash;

	for (size_t i = 0; i < 8; i++)
		part->data[16 + i] = (char)(rest >> (8 * i));
	weir_sha256_init(&hash);
	weir_sha256_add(&hash, part->data + HEADER_BYTES, (size_t)rest);
	weir_sha256_end(&hash, (uint8_t *)part->data + 24);
}

static struct weir_text part_of_one(void)
{
	struct weir_part_file part = {0};
	struct weir_text bytes = {0};

	add_text_member(&part, "r0", -1, "", "content");
	weir_part_write(&part, &bytes);
	weir_part_release(&part);
	return bytes;
}

static void counts_and_lengths_beyond_the_bytes_are_refused(void **state)
{
	struct weir_text bytes = part_of_one();
	struct weir_part_file part;
	char head = bytes.data[HEADER_BYTES], content = bytes.data[HEADER_BYTES + 8];

	(void)state;
	repair(&bytes);
	assert_int_equal(weir_part_read(bytes.data, bytes.length, &part, NULL), WEIR_OK);
	weir_part_release(&part);
	bytes.data[12] = 2;
	expect_refused(bytes.data, bytes.length, "a member is missing");
	bytes.data[12] = 0;
	expect_refused(bytes.data, bytes.length, "follow the last member");
	bytes.data[12] = 1;
	bytes.data[15] = 1;
	expect_refused(bytes.data, bytes.length, "members");
	bytes.data[15] = 0;
	bytes.data[HEADER_BYTES + 8]++;
	repair(&bytes);
	expect_refused(bytes.data, bytes.length, "a member is longer than the part");
	bytes.data[HEADER_BYTES + 8] = content;
	bytes.data[HEADER_BYTES + 7] = (char)0xff;
	repair(&bytes);
	expect_refused(bytes.data, bytes.length, "a member is longer than the part");
	bytes.data[HEADER_BYTES + 7] = 0;
	bytes.data[HEADER_BYTES] = (char)(head - 1);
	bytes.data[HEADER_BYTES + 8]++;
	repair(&bytes);
	expect_refused(bytes.data, bytes.length, "");
	weir_text_release(&bytes);
}

/* Reads a part of one member whose head has this path and content kind, and `more` bytes behind. */
static enum weir_status status_of_warnings(const char *path, size_t length, uint8_t content,
                                           size_t more, size_t warnings)
{
	struct weir_text head = {0}, frame = {0}, bytes = part_of_one();
	struct weir_planes planes = {.out = &head};
	uint64_t numbers[8] = {0}; /* rank, ranks, start, end, devices, bytes, events, content */
	size_t none = 0;
	struct weir_warning warning = {0};
	struct weir_part_file part;
	enum weir_status status;

	weir_planes_count(&planes, &length, 0, 0);
	weir_text_add(&head, path, length);
	weir_planes_count(&planes, &none, 0, 0);
	weir_planes_count(&planes, &none, 0, 0);
	weir_planes_integers(&planes, &content, 1, 1, 1, WEIR_PREDICT_NOTHING);
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		weir_planes_integers(&planes, &numbers[i], 8, 8, 1, WEIR_PREDICT_NOTHING);
	weir_planes_count(&planes, &warnings, 0, 0);
	for (size_t i = 0; i < warnings; i++) {
		weir_planes_integers(&planes, &warning.count, 8, 8, 1, WEIR_PREDICT_NOTHING);
		weir_planes_integers(&planes, &warning.first_at, 8, 8, 1, WEIR_PREDICT_NOTHING);
		weir_planes_bytes(&planes, warning.detail, WEIR_PART_DETAIL);
	}
	for (size_t i = 0; i < more; i++)
		weir_text_add(&head, "", 1);
	weir_pack(head.data, head.length, &frame);
	bytes.length = HEADER_BYTES;
	for (size_t i = 0; i < 16; i++) {
		char byte = (char)(i < 8 ? (uint64_t)frame.length >> (8 * i) : 0);

		weir_text_add(&bytes, &byte, 1);
	}
	weir_text_add(&bytes, frame.data, frame.length);
	repair(&bytes);
	status = weir_part_read(bytes.data, bytes.length, &part, NULL);
	weir_part_release(&part);
	weir_text_release(&head);
	weir_text_release(&frame);
	weir_text_release(&bytes);
	return status;
}

static enum weir_status status_of_head(const char *path, size_t length, uint8_t content,
                                       size_t more)
{
	return status_of_warnings(path, length, content, more, WEIR_WARN_COUNT);
}

/* Codes are only added: a part of an earlier version has fewer of them. */
static void a_part_may_know_fewer_warnings(void **state)
{
	(void)state;
	assert_int_equal(status_of_warnings("a", 1, 0, 0, WEIR_WARN_COUNT), WEIR_OK);
	assert_int_equal(status_of_warnings("a", 1, 0, 0, WEIR_WARN_COUNT - 1), WEIR_OK);
	assert_int_equal(status_of_warnings("a", 1, 0, 0, 0), WEIR_OK);
	assert_int_equal(status_of_warnings("a", 1, 0, 0, WEIR_WARN_COUNT + 1), WEIR_E_FORMAT);
}

static void heads_with_zeros_in_texts_or_other_kinds_are_refused(void **state)
{
	char *longest = weir_alloc(WEIR_PART_MOST_TEXT + 1);

	(void)state;
	memset(longest, 'x', WEIR_PART_MOST_TEXT + 1);
	assert_int_equal(status_of_head("abc", 3, WEIR_PART_FILE, 0), WEIR_OK);
	assert_int_equal(status_of_head("a\0c", 3, WEIR_PART_FILE, 0), WEIR_E_FORMAT);
	assert_int_equal(status_of_head("abc", 3, WEIR_PART_FILE + 1, 0), WEIR_E_FORMAT);
	assert_int_equal(status_of_head("abc", 3, WEIR_PART_FILE, 1), WEIR_E_FORMAT);
	assert_int_equal(status_of_head(longest, WEIR_PART_MOST_TEXT, WEIR_PART_FILE, 0), WEIR_OK);
	assert_int_equal(status_of_head(longest, WEIR_PART_MOST_TEXT + 1, WEIR_PART_FILE, 0),
	                 WEIR_E_FORMAT);
	free(longest);
}

/* ---- contents ---- */

/* A file of one line again and again packs into less than a two-thousandth. */
static void contents_that_repeat_come_back(void **state)
{
	static const size_t lengths[] = {0, 1, 1000, 16 << 20, (16 << 20) + 1, 40 << 20};
	char *data = weir_alloc(40 << 20);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		struct weir_packed packed;
		struct weir_text back = {0};
		struct weir_error err = {0};

		weir_packed_fill(&packed, data, lengths[i]);
		if (weir_packed_content(&packed, &back, &err))
			fail_msg("%zu bytes: %s", lengths[i], err.message);
		assert_int_equal(back.length, lengths[i]);
		free(packed.data);
		weir_text_release(&back);
	}
	free(data);
}

static void contents_of_another_length_are_refused(void **state)
{
	struct weir_packed packed;
	struct weir_text back = {0};

	(void)state;
	weir_packed_fill(&packed, "content", 7);
	packed.unpacked = 6;
	assert_int_equal(weir_packed_content(&packed, &back, NULL), WEIR_E_LIMIT);
	packed.unpacked = 8;
	assert_int_equal(weir_packed_content(&packed, &back, NULL), WEIR_E_FORMAT);
	packed.unpacked = UINT64_C(1) << 30; /* more than such a frame may hold */
	assert_int_equal(weir_packed_content(&packed, &back, NULL), WEIR_E_LIMIT);
	packed.unpacked = 7;
	packed.length--;
	assert_int_equal(weir_packed_content(&packed, &back, NULL), WEIR_E_FORMAT);
	free(packed.data);
	weir_text_release(&back);
}

/* ---- traces of a profile in memory ---- */

static void more_traces_than_wanted_are_packed(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	for (int i = 0; i < 3; i++)
		weir_profile_add_input(profile, "r")->trace = small_trace();
	weir_profile_add_input(profile, "run without a trace");
	for (size_t most = 2; most <= 3; most++) {
		assert_int_equal(weir_traces_settle(profile, most, NULL), WEIR_OK);
		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(profile->inputs[i].packed_trace, most < 3);
			assert_int_equal(profile->inputs[i].trace == NULL, most < 3);
			assert_int_equal(weir_input_rank(&profile->inputs[i]), -1);
		}
		assert_false(profile->inputs[3].packed_trace);
	}
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_may_know_fewer_warnings),
		cmocka_unit_test(every_trace_of_the_test_data_comes_back),
		cmocka_unit_test(random_traces_come_back),
		cmocka_unit_test(rows_and_names_out_of_range_are_refused),
		cmocka_unit_test(names_with_zeros_and_names_twice_are_refused),
		cmocka_unit_test(cut_columns_are_refused),
		cmocka_unit_test(changed_columns_are_read_or_refused),
		cmocka_unit_test(members_come_back_with_their_heads),
		cmocka_unit_test(a_part_has_one_form_regardless_of_the_order_of_its_members),
		cmocka_unit_test(every_changed_byte_and_every_cut_is_refused),
		cmocka_unit_test(counts_and_lengths_beyond_the_bytes_are_refused),
		cmocka_unit_test(heads_with_zeros_in_texts_or_other_kinds_are_refused),
		cmocka_unit_test(contents_that_repeat_come_back),
		cmocka_unit_test(contents_of_another_length_are_refused),
		cmocka_unit_test(more_traces_than_wanted_are_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
