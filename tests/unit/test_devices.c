/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/roofline/devices.h"
#include "tests/unit/near.h"

#define GIB 1073741824u

static struct weir_device_table table;

static int load_table(void **state)
{
	struct weir_error err = {0};

	(void)state;
	if (!weir_device_table_load(&table, &err))
		return 0;
	print_error("%s\n", err.message);
	return 1;
}

static int free_table(void **state)
{
	(void)state;
	weir_device_table_release(&table);
	return 0;
}

/* The name that the table gives, "" for none. */
static const char *found(const char *name, uint64_t memory_bytes, uint32_t sms)
{
	static struct weir_device device;

	return weir_device_find(&table, name, memory_bytes, sms, &device) ? device.name : "";
}

static void names_as_tools_print_them_are_found(void **state)
{
	static const struct {
		const char *printed, *device;
		uint64_t memory_bytes;
		uint32_t sms;
	} rows[] = {
		{"NVIDIA H200", "NVIDIA H200 SXM", 150109880320u, 132},
		{"NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM5", 85018279936u, 132},
		{"NVIDIA H100 PCIe", "NVIDIA H100 PCIe", 85018279936u, 114},
		{"NVIDIA H100 NVL", "NVIDIA H100 NVL", 100000000000u, 132},
		{"NVIDIA H200 NVL", "NVIDIA H200 NVL", 150109880320u, 132},
		{"NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB SXM", 84990623744u, 108},
		{"NVIDIA A100 80GB PCIe", "NVIDIA A100 80GB PCIe", 84990623744u, 108},
		{"NVIDIA A100-PG509-200", "NVIDIA A100 40GB", 42297524224u, 108},
		{"Tesla T4", "NVIDIA T4", 15828320256u, 40},
		{"Tesla V100-SXM2-32GB", "NVIDIA V100 SXM2 32GB", 34000000000u, 80},
		{"NVIDIA B200", "NVIDIA B200", 191503138816u, 148},
		{"NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 3090", 0, 0},
		{"AMD Instinct MI300X VF", "AMD Instinct MI300X", 205571227648u, 304},
		{"AMD Instinct MI210", "AMD Instinct MI210", 68702699520u, 104},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(found(rows[i].printed, rows[i].memory_bytes, rows[i].sms),
		                    rows[i].device);
}

static void memory_and_size_tell_namesakes_apart(void **state)
{
	(void)state;
	assert_string_equal(found("NVIDIA H100", 85018279936u, 132), "NVIDIA H100 SXM5");
	assert_string_equal(found("NVIDIA H100", 85018279936u, 114), "NVIDIA H100 PCIe");
	assert_string_equal(found("NVIDIA H100", 100000000000u, 132), "NVIDIA H100 NVL");
	assert_string_equal(found("NVIDIA A100", 42297524224u, 108), "NVIDIA A100 40GB");
}

static void what_is_ambiguous_or_unknown_is_not_guessed(void **state)
{
	struct weir_device device;

	(void)state;
	assert_string_equal(found("NVIDIA H100", 0, 0), "");
	assert_string_equal(found("", 85018279936u, 132), "");
	assert_string_equal(found("NVIDIA", 0, 0), "");
	assert_string_equal(found("AMD Radeon Graphics", 68702699520u, 110), "");
	assert_string_equal(found("NVIDIA B300 SXM6 AC", 0, 0), "");
	assert_string_equal(found("NVIDIA GH200 480GB", 0, 0), "");
	assert_false(weir_device_find(&table, NULL, 0, 0, &device));
}

static void another_chip_under_the_same_name_is_not_taken(void **state)
{
	(void)state;
	assert_string_equal(found("NVIDIA GeForce RTX 4090", 0, 0), "NVIDIA GeForce RTX 4090");
	assert_string_equal(found("NVIDIA GeForce RTX 4090 Laptop GPU", 0, 0), "");
	assert_string_equal(found("NVIDIA GeForce RTX 4090 D", 0, 0), "");
}

static void numbers_that_contradict_the_name_refuse_it(void **state)
{
	(void)state;
	assert_string_equal(found("NVIDIA H100 64GB HBM2", 64 * (uint64_t)GIB, 132), "");
	assert_string_equal(found("NVIDIA H200", 150109880320u, 60), "");
}

static void a_slice_gets_the_rates_of_its_share(void **state)
{
	struct weir_device whole, slice;

	(void)state;
	assert_true(weir_device_find(&table, "NVIDIA A100-SXM4-80GB", 0, 0, &whole));
	assert_true(weir_device_find(&table, "NVIDIA A100-SXM4-80GB MIG 3g.40gb",
	                             40 * (uint64_t)GIB, 42, &slice));
	assert_int_equal(slice.sms, 42);
	assert_near(slice.bytes_per_s.theoretical, whole.bytes_per_s.theoretical * 42 / 108, 1e-12);
	assert_near(weir_device_flops(&slice, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16).sustained,
	            weir_device_flops(&whole, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16).sustained * 42 /
	                    108,
	            1e-12);
	assert_true(weir_device_find(&table, "NVIDIA A100-SXM4-80GB MIG 1g.10gb", 0, 0, &slice));
	assert_near(slice.bytes_per_s.theoretical, whole.bytes_per_s.theoretical / 7, 1e-12);
}

static void measured_rates_stand_beside_theoretical_ones(void **state)
{
	struct weir_device device;
	struct weir_peak bf16, fp8;

	(void)state;
	assert_true(weir_device_find(&table, "NVIDIA H200", 0, 0, &device));
	bf16 = weir_device_flops(&device, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16);
	assert_near(bf16.theoretical, 989.4e12, 1e-12);
	assert_near(bf16.sustained, 788e12, 1e-12);
	assert_near(device.bytes_per_s.sustained, 4.3e12, 1e-12);
	fp8 = weir_device_flops(&device, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8);
	assert_near(fp8.sustained, fp8.theoretical * WEIR_SUSTAINED_FLOPS_SHARE, 1e-12);
}

static void a_unit_that_the_device_lacks_has_no_peak(void **state)
{
	struct weir_device device;

	(void)state;
	assert_true(weir_device_find(&table, "Tesla V100-SXM2-16GB", 0, 0, &device));
	assert_true(
		isnan(weir_device_flops(&device, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16).theoretical));
	assert_true(
		isnan(weir_device_flops(&device, WEIR_ENGINE_NONE, WEIR_DTYPE_FP32).theoretical));
	/* fp64 products run on the vector units of a device without matrix units for them. */
	assert_near(weir_device_flops(&device, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP64).theoretical,
	            7.8e12, 1e-12);
}

/* Sustained figures above the theoretical ones, and rates a thousand times off, would be slips of
 * the table. */
static void every_entry_of_the_table_is_sane(void **state)
{
	(void)state;
	assert_true(table.count >= 30);
	for (size_t i = 0; i < table.count; i++) {
		const struct weir_device *device = &table.items[i];
		struct weir_peak fp32 =
			weir_device_flops(device, WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32);
		struct weir_peak fp16 =
			weir_device_flops(device, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP16);

		assert_true(device->bytes_per_s.theoretical > 1e11 &&
		            device->bytes_per_s.theoretical < 1e13);
		assert_true(device->bytes_per_s.sustained <= device->bytes_per_s.theoretical);
		assert_true(fp32.theoretical > 1e12 && fp32.theoretical < 1e15);
		assert_true(fp16.theoretical > fp32.theoretical && fp16.theoretical < 1e16);
		assert_true(fp16.sustained <= fp16.theoretical);
		assert_true(device->sms >= 40 && device->sms < 400);
		assert_string_not_equal(found(device->match[0], 0, device->sms), "");
	}
}

static void a_damaged_table_names_the_place(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"{\"devices\": [{\"name\": \"x\", \"match\": [\"x\"], \"numbers\": "
	         "[{\"what\": \"matrix.bf17\", \"theoretical\": 1}]}]}",
	         "devices[0]: numbers[0]: what: no such number: matrix.bf17"},
		{"{\"devices\": [{\"name\": \"x\", \"match\": [\"x\"], \"numbers\": "
	         "[{\"what\": \"l2_mb\", \"theoretical\": -1}]}]}",
	         "devices[0]: numbers[0]: theoretical: expected a positive number"},
		{"{\"devices\": [{\"name\": \"x\", \"match\": [], \"numbers\": []}]}",
	         "devices[0]: match: expected a list of texts"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weir_device_table damaged;
		struct weir_error err = {0};

		assert_int_not_equal(
			weir_device_table_parse(&damaged, rows[i].text, strlen(rows[i].text), &err),
			WEIR_OK);
		assert_string_equal(err.message, rows[i].message);
		weir_device_table_release(&damaged);
	}
}

static void int8_runs_on_the_vector_units_where_there_are_no_others(void **state)
{
	struct weir_device v100, t4;

	(void)state;
	assert_true(weir_device_find(&table, "Tesla V100-PCIE-32GB", 34000000000u, 80, &v100));
	assert_near(v100.memory_bytes, 32e9, 0);
	assert_near(weir_device_flops(&v100, WEIR_ENGINE_TENSOR, WEIR_DTYPE_INT8).theoretical,
	            56e12, 1e-12);
	assert_true(weir_device_find(&table, "Tesla T4", 0, 40, &t4));
	assert_near(weir_device_flops(&t4, WEIR_ENGINE_TENSOR, WEIR_DTYPE_INT8).theoretical, 130e12,
	            1e-12);
	/* Nobody's vector units do fp8. */
	assert_true(
		isnan(weir_device_flops(&v100, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8).theoretical));
}

static void a_rate_that_is_null_is_missing(void **state)
{
	static const char text[] =
		"{\"devices\": [{\"name\": \"x\", \"match\": [\"x\"], \"sms\": null, \"numbers\": "
		"[{\"what\": \"matrix.fp16\", \"theoretical\": 100, \"sustained\": null}, "
		"{\"what\": \"matrix.bf16\", \"theoretical\": 100}]}]}";
	struct weir_device_table parsed;
	struct weir_error err = {0};
	struct weir_peak with, without;

	(void)state;
	assert_int_equal(weir_device_table_parse(&parsed, text, strlen(text), &err), WEIR_OK);
	with = weir_device_flops(&parsed.items[0], WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP16);
	without = weir_device_flops(&parsed.items[0], WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16);
	assert_int_equal(parsed.items[0].sms, 0);
	assert_near(with.theoretical, without.theoretical, 0);
	assert_near(with.sustained, without.sustained, 0);
	assert_true(with.sustained > 0);
	weir_device_table_release(&parsed);
}

static void the_link_to_the_host_is_that_of_the_bus(void **state)
{
	struct weir_device device;

	(void)state;
	assert_true(weir_device_find(&table, "NVIDIA H100 80GB HBM3", 0, 0, &device));
	assert_near(device.host_link_bytes_per_s.theoretical, 63e9, 1e-9);
	assert_near(device.host_link_bytes_per_s.sustained, 0.75 * 63e9, 1e-9);
	assert_true(weir_device_find(&table, "Tesla T4", 0, 0, &device));
	assert_near(device.host_link_bytes_per_s.theoretical, 15.75e9, 1e-9);
}

/* ---- a table of our own ---- */

static struct weir_device_table table_of(const char *devices)
{
	struct weir_device_table parsed;
	struct weir_error err = {0};
	char text[2048];

	(void)snprintf(text, sizeof(text), "{\"devices\": [%s]}", devices);
	if (weir_device_table_parse(&parsed, text, strlen(text), &err))
		fail_msg("%s", err.message);
	return parsed;
}

#define DEVICE(name, match, sms, gb)                                                               \
	"{\"name\": \"" name "\", \"match\": [" match "], \"sms\": " sms                           \
	", \"numbers\": [{\"what\": \"memory_gb\", \"theoretical\": " gb                           \
	"}, {\"what\": \"l2_mb\", "                                                                \
	"\"theoretical\": 70}]}"

static void figures_may_differ_from_the_table_by_so_much(void **state)
{
	static const struct {
		uint64_t memory_bytes;
		uint32_t sms;
		bool found;
	} rows[] = {
		{92000000000u, 100, true},
		{91999999999u, 100, false},
		{115000000000u, 100, true},
		{115000000001u, 100, false},
		{100000000000u, 90, true},
		{100000000000u, 89, false},
		{100000000000u, 110, true},
		{100000000000u, 111, false},
		{0, 0, true},
	};
	struct weir_device_table own = table_of(DEVICE("A", "\"a\"", "100", "100"));
	struct weir_device device;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			weir_device_find(&own, "A", rows[i].memory_bytes, rows[i].sms, &device),
			rows[i].found);
	assert_near(device.l2_bytes, 70e6, 0);
	assert_near(device.memory_bytes, 100e9, 0);
	weir_device_table_release(&own);
}

/* Ratios of 1.05 and 1.06 to the usual 1.07 tie; 1.03 does not. */
static void nearly_equal_candidates_are_a_tie(void **state)
{
	struct weir_device_table own = table_of(DEVICE("A", "\"a\"", "0.5", "100") ", " DEVICE(
		"B", "\"a\"", "0.5", "104") ", " DEVICE("C", "\"a x\"", "0.5", "200"));
	struct weir_device device;

	(void)state;
	assert_true(weir_device_find(&own, "A", 107000000000u, 0, &device));
	assert_string_equal(device.name, "A");
	assert_true(weir_device_find(&own, "A", 111280000000u, 0, &device));
	assert_string_equal(device.name, "B");
	assert_false(weir_device_find(&own, "A", 109140000000u, 0, &device));
	/* A longer key is better, regardless of the figures of the others. */
	assert_true(weir_device_find(&own, "A x", 214000000000u, 0, &device));
	assert_string_equal(device.name, "C");
	assert_false(weir_device_find(&own, "A x", 107000000000u, 0, &device));
	weir_device_table_release(&own);
}

/* The number of multiprocessors decides between namesakes with the same memory. */
static void the_nearest_number_of_multiprocessors_is_taken(void **state)
{
	struct weir_device_table own = table_of(
		DEVICE("A", "\"a\"", "100", "100") ", " DEVICE("B", "\"a\"", "108", "100"));
	struct weir_device device;

	(void)state;
	assert_true(weir_device_find(&own, "A", 107000000000u, 100, &device));
	assert_string_equal(device.name, "A");
	assert_true(weir_device_find(&own, "A", 107000000000u, 108, &device));
	assert_string_equal(device.name, "B");
	weir_device_table_release(&own);
}

static void a_key_is_found_anywhere_in_a_name(void **state)
{
	struct weir_device_table own = table_of(DEVICE("A", "\"none\", \"b c\"", "100", "100"));
	struct weir_device device;

	(void)state;
	assert_true(weir_device_find(&own, "B-C", 0, 0, &device));
	assert_true(weir_device_find(&own, "  a__B (c)", 0, 0, &device));
	assert_true(weir_device_find(&own, "b b c d2", 0, 0, &device));
	assert_false(weir_device_find(&own, "b", 0, 0, &device));
	assert_false(weir_device_find(&own, "c b", 0, 0, &device));
	assert_false(weir_device_find(&own, "b x c", 0, 0, &device));
	assert_false(weir_device_find(&own, "b c max", 0, 0, &device));
	/* 24 words and 255 bytes are the most. */
	assert_true(weir_device_find(
		&own, "b c 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24", 0, 0,
		&device));
	assert_false(weir_device_find(
		&own, "b c 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25", 0, 0,
		&device));
	weir_device_table_release(&own);
}

static void a_name_may_have_255_bytes(void **state)
{
	struct weir_device_table own = table_of(DEVICE("A", "\"b c\"", "100", "100"));
	struct weir_device device;
	char name[300] = "b c ";

	(void)state;
	memset(name + 4, 'x', 251);
	assert_true(weir_device_find(&own, name, 0, 0, &device));
	name[255] = 'x';
	assert_false(weir_device_find(&own, name, 0, 0, &device));
	weir_device_table_release(&own);
}

static void slices_are_sevenths(void **state)
{
	struct weir_device_table own = table_of(DEVICE("A", "\"a\"", "98", "70"));
	struct weir_device device;

	(void)state;
	assert_true(weir_device_find(&own, "A MIG 2g.20gb", 0, 0, &device));
	assert_int_equal(device.sms, 28);
	assert_near(device.memory_bytes, 20e9, 1e-12);
	assert_near(device.l2_bytes, 20e6, 1e-12);
	assert_true(weir_device_find(&own, "A MIG 2g.20gb", 21000000000u, 30, &device));
	assert_int_equal(device.sms, 30);
	assert_near(device.memory_bytes, 21e9, 0);
	assert_near(device.l2_bytes, 70e6 * 30 / 98, 1e-12);
	assert_true(weir_device_find(&own, "A MIG 7g.70gb", 0, 0, &device));
	assert_int_equal(device.sms, 98);
	assert_true(weir_device_find(&own, "A MIG 1g.10gb", 0, 0, &device));
	assert_int_equal(device.sms, 14);
	/* Neither a slice nor, at 8, a share of the device: the whole. */
	assert_true(weir_device_find(&own, "A MIG 8g.80gb", 0, 0, &device));
	assert_int_equal(device.sms, 98);
	assert_true(weir_device_find(&own, "A MIG 0g.80gb", 0, 0, &device));
	assert_int_equal(device.sms, 98);
	assert_true(weir_device_find(&own, "A 2g.20gb", 0, 0, &device));
	assert_int_equal(device.sms, 98);
	assert_true(weir_device_find(&own, "A MIG 2x.20gb", 0, 0, &device));
	assert_int_equal(device.sms, 98);
	assert_true(weir_device_find(&own, "A MIG 2gb", 0, 0, &device));
	assert_int_equal(device.sms, 98);
	/* As large as the whole device. */
	assert_true(weir_device_find(&own, "A MIG 2g.20gb", 1, 98, &device));
	assert_near(device.memory_bytes, 70e9, 0);
	weir_device_table_release(&own);
}

static void peaks_exist_for_known_units_and_types(void **state)
{
	struct weir_device device;

	(void)state;
	assert_true(weir_device_find(&table, "NVIDIA H200", 0, 0, &device));
	assert_near(weir_device_flops(&device, WEIR_ENGINE_COUNT, WEIR_DTYPE_FP32).theoretical, NAN,
	            0);
	assert_near(weir_device_flops(&device, WEIR_ENGINE_VECTOR, WEIR_DTYPE_COUNT).theoretical,
	            NAN, 0);
	assert_near(weir_device_flops(&device, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP32).theoretical,
	            weir_device_flops(&device, WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32).theoretical, 0);
	assert_true(weir_device_flops(&device, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP64).theoretical >
	            weir_device_flops(&device, WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP64).theoretical);
}

#define NUMBER(members)                                                                            \
	"{\"devices\": [{\"name\": \"x\", \"match\": [\"x\"], \"numbers\": [{" members "}]}]}"
#define ENTRY(members) "{\"devices\": [{" members "}]}"
#define NINE           "\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\""

static void every_member_of_a_table_is_checked(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"{", ""},
		{"{}", "devices: expected a list of at most 256"},
		{"{\"devices\": 7}", "devices"},
		{"{\"devices\": [], \"more\": 1}", "more"},
		{ENTRY("\"nam\": \"x\""), "devices[0]: "},
		{ENTRY("\"match\": [\"x\"]"), "devices[0]: name: expected a text of 1 to 63"},
		{ENTRY("\"name\": \"\", \"match\": [\"x\"]"), "devices[0]: name: expected a text"},
		{ENTRY("\"name\": 7"), "devices[0]: name"},
		{ENTRY("\"name\": \"x\", \"match\": 7"), "devices[0]: match"},
		{ENTRY("\"name\": \"x\""), "devices[0]: match: expected a list"},
		{ENTRY("\"name\": \"x\", \"match\": [7]"), "devices[0]: match: expected a text"},
		{ENTRY("\"name\": \"x\", \"match\": [" NINE "]"), "match: at most 8 texts"},
		{ENTRY("\"name\": \"x\", \"match\": [\"x\"], \"numbers\": 7"), "numbers"},
		{ENTRY("\"name\": \"x\", \"match\": [\"x\"], \"sms\": 0"),
	         "sms: expected a positive"},
		{ENTRY("\"name\": \"x\", \"match\": [\"x\"], \"sms\": \"1\""), "sms"},
		{ENTRY("\"name\": \"x\", \"match\": [\"x\"], \"sms\": 4294967296"),
	         "sms: too large"},
		{NUMBER(""), "numbers[0]: what: no such number: none"},
		{NUMBER("\"what\": \"l2_mb\""), "l2_mb: needs a theoretical value"},
		{NUMBER("\"what\": \"l2_mb\", \"theoretical\": 0"),
	         "theoretical: expected a positive"},
		{NUMBER("\"what\": \"l2_mb\", \"theoretical\": 1e999"),
	         "theoretical: expected a positive"},
		{NUMBER("\"what\": \"l2_mb\", \"theoretical\": 1, \"sustained\": -1"),
	         "sustained: expected a positive"},
		{NUMBER("\"what\": \"l2_mb\", \"theoretical\": 1, \"unit\": 1"), "unit"},
		{NUMBER("\"what\": 7"), "what"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weir_device_table damaged;
		struct weir_error err = {0};

		if (!weir_device_table_parse(&damaged, rows[i].text, strlen(rows[i].text), &err) ||
		    !strstr(err.message, rows[i].message))
			fail_msg("%s: \"%s\"", rows[i].text, err.message);
		assert_int_not_equal(err.status, WEIR_OK);
		weir_device_table_release(&damaged);
	}
}

static void rates_are_stored_in_base_units(void **state)
{
	struct weir_device_table own = table_of(
		"{\"name\": \"x\", \"match\": [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", "
		"\"8\"], "
		"\"sms\": 4294967295, \"numbers\": [{\"what\": \"link_gb_per_s\", \"theoretical\": "
		"50}, "
		"{\"what\": \"memory_gb_per_s\", \"theoretical\": 100, \"sustained\": 70}, "
		"{\"what\": \"vector.fp32\", \"theoretical\": 5}]}");
	const struct weir_device *device = &own.items[0];
	struct weir_device found_device;

	(void)state;
	assert_near(device->link_bytes_per_s.theoretical, 50e9, 0);
	assert_near(device->link_bytes_per_s.sustained, 45e9, 1e-12);
	assert_near(device->bytes_per_s.sustained, 70e9, 0);
	assert_near(device->flops[WEIR_ENGINE_VECTOR][WEIR_DTYPE_FP32].theoretical, 5e12, 0);
	assert_near(device->flops[WEIR_ENGINE_VECTOR][WEIR_DTYPE_FP64].theoretical, NAN, 0);
	assert_near(device->memory_bytes, NAN, 0);
	assert_true(device->sms == UINT32_MAX);
	assert_true(weir_device_find(&own, "8", 123, 0, &found_device));
	weir_device_table_release(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_link_to_the_host_is_that_of_the_bus),
		cmocka_unit_test(names_as_tools_print_them_are_found),
		cmocka_unit_test(memory_and_size_tell_namesakes_apart),
		cmocka_unit_test(what_is_ambiguous_or_unknown_is_not_guessed),
		cmocka_unit_test(another_chip_under_the_same_name_is_not_taken),
		cmocka_unit_test(numbers_that_contradict_the_name_refuse_it),
		cmocka_unit_test(a_slice_gets_the_rates_of_its_share),
		cmocka_unit_test(measured_rates_stand_beside_theoretical_ones),
		cmocka_unit_test(a_unit_that_the_device_lacks_has_no_peak),
		cmocka_unit_test(every_entry_of_the_table_is_sane),
		cmocka_unit_test(a_damaged_table_names_the_place),
		cmocka_unit_test(int8_runs_on_the_vector_units_where_there_are_no_others),
		cmocka_unit_test(a_rate_that_is_null_is_missing),
		cmocka_unit_test(figures_may_differ_from_the_table_by_so_much),
		cmocka_unit_test(nearly_equal_candidates_are_a_tie),
		cmocka_unit_test(the_nearest_number_of_multiprocessors_is_taken),
		cmocka_unit_test(a_key_is_found_anywhere_in_a_name),
		cmocka_unit_test(a_name_may_have_255_bytes),
		cmocka_unit_test(slices_are_sevenths),
		cmocka_unit_test(peaks_exist_for_known_units_and_types),
		cmocka_unit_test(every_member_of_a_table_is_checked),
		cmocka_unit_test(rates_are_stored_in_base_units),
	};

	return cmocka_run_group_tests(tests, load_table, free_table);
}
