/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Devices on metrics pages: dcgm-exporter (DCGM_FI_..., and dcgm_... of its 1.x), Triton's
 * nv_gpu_... One row of telemetry a device and page.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/telemetry.h"
#include "engine/readers/scrape/scrape_build.h"

#define MIB      (1024.0 * 1024.0)
#define MILLI    1e-3
#define PER_CENT 1e-2

/* PCIe as the device sees it: what it transmits goes to the host. */
static const struct {
	const char *name;
	enum weir_gauge gauge;
	double scale;
} gauges[] = {
	{"DCGM_FI_DEV_SM_CLOCK", WEIR_GAUGE_SM_CLOCK_MHZ, 1},
	{"DCGM_FI_DEV_MEM_CLOCK", WEIR_GAUGE_MEMORY_CLOCK_MHZ, 1},
	{"DCGM_FI_DEV_MAX_SM_CLOCK", WEIR_GAUGE_SM_CLOCK_MAX_MHZ, 1},
	{"DCGM_FI_DEV_MEMORY_TEMP", WEIR_GAUGE_MEMORY_TEMPERATURE_C, 1},
	{"DCGM_FI_DEV_GPU_TEMP", WEIR_GAUGE_TEMPERATURE_C, 1},
	{"DCGM_FI_DEV_POWER_USAGE", WEIR_GAUGE_POWER_W, 1},
	{"DCGM_FI_DEV_POWER_MGMT_LIMIT", WEIR_GAUGE_POWER_LIMIT_W, 1},
	{"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", WEIR_GAUGE_POWER_LIMIT_W, 1},
	{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", WEIR_GAUGE_ENERGY_J, MILLI},
	{"DCGM_FI_DEV_GPU_UTIL", WEIR_GAUGE_UTILIZATION, PER_CENT},
	{"DCGM_FI_DEV_MEM_COPY_UTIL", WEIR_GAUGE_MEMORY_ACTIVITY, PER_CENT},
	{"DCGM_FI_DEV_FB_USED", WEIR_GAUGE_MEMORY_USED_BYTES, MIB},
	{"DCGM_FI_DEV_FB_TOTAL", WEIR_GAUGE_MEMORY_TOTAL_BYTES, MIB},
	{"DCGM_FI_DEV_POWER_VIOLATION", WEIR_GAUGE_POWER_CAPPED_NS, 1},
	{"DCGM_FI_DEV_THERMAL_VIOLATION", WEIR_GAUGE_THERMAL_NS, 1},
	{"DCGM_FI_PROF_SM_ACTIVE", WEIR_GAUGE_SM_ACTIVE, 1},
	{"DCGM_FI_PROF_SM_OCCUPANCY", WEIR_GAUGE_SM_OCCUPANCY, 1},
	{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", WEIR_GAUGE_TENSOR_ACTIVE, 1},
	{"DCGM_FI_PROF_DRAM_ACTIVE", WEIR_GAUGE_DRAM_ACTIVE, 1},
	{"DCGM_FI_PROF_PCIE_TX_BYTES", WEIR_GAUGE_TO_HOST_BYTES_PER_S, 1},
	{"DCGM_FI_PROF_PCIE_RX_BYTES", WEIR_GAUGE_FROM_HOST_BYTES_PER_S, 1},
	{"DCGM_FI_PROF_NVLINK_TX_BYTES", WEIR_GAUGE_LINK_SENT_BYTES_PER_S, 1},
	{"DCGM_FI_PROF_NVLINK_RX_BYTES", WEIR_GAUGE_LINK_RECEIVED_BYTES_PER_S, 1},
	{"dcgm_sm_clock", WEIR_GAUGE_SM_CLOCK_MHZ, 1},
	{"dcgm_memory_clock", WEIR_GAUGE_MEMORY_CLOCK_MHZ, 1},
	{"dcgm_memory_temp", WEIR_GAUGE_MEMORY_TEMPERATURE_C, 1},
	{"dcgm_gpu_temp", WEIR_GAUGE_TEMPERATURE_C, 1},
	{"dcgm_power_usage", WEIR_GAUGE_POWER_W, 1},
	{"dcgm_total_energy_consumption", WEIR_GAUGE_ENERGY_J, MILLI},
	{"dcgm_gpu_utilization", WEIR_GAUGE_UTILIZATION, PER_CENT},
	{"dcgm_mem_copy_utilization", WEIR_GAUGE_MEMORY_ACTIVITY, PER_CENT},
	{"dcgm_fb_used", WEIR_GAUGE_MEMORY_USED_BYTES, MIB},
	{"dcgm_power_violation", WEIR_GAUGE_POWER_CAPPED_NS, 1},
	{"dcgm_thermal_violation", WEIR_GAUGE_THERMAL_NS, 1},
	{"dcgm_fi_prof_sm_active", WEIR_GAUGE_SM_ACTIVE, 1},
	{"dcgm_fi_prof_sm_occupancy", WEIR_GAUGE_SM_OCCUPANCY, 1},
	{"dcgm_fi_prof_pipe_tensor_active", WEIR_GAUGE_TENSOR_ACTIVE, 1},
	{"dcgm_fi_prof_dram_active", WEIR_GAUGE_DRAM_ACTIVE, 1},
	{"dcgm_fi_prof_pcie_tx_bytes", WEIR_GAUGE_TO_HOST_BYTES_PER_S, 1},
	{"dcgm_fi_prof_pcie_rx_bytes", WEIR_GAUGE_FROM_HOST_BYTES_PER_S, 1},
	{"nv_gpu_utilization", WEIR_GAUGE_UTILIZATION, 1},
	{"nv_gpu_power_usage", WEIR_GAUGE_POWER_W, 1},
	{"nv_gpu_power_limit", WEIR_GAUGE_POWER_LIMIT_W, 1},
	{"nv_gpu_memory_total_bytes", WEIR_GAUGE_MEMORY_TOTAL_BYTES, 1},
	{"nv_gpu_memory_used_bytes", WEIR_GAUGE_MEMORY_USED_BYTES, 1},
	{"nv_energy_consumption", WEIR_GAUGE_ENERGY_J, 1},
};

/* Why clocks are not higher, as one number of bits. */
static const char *const reason_names[] = {"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
                                           "DCGM_FI_DEV_CLOCKS_EVENT_REASONS"};

/* DCGM's marks for "no value", as they leak: of 64-bit numbers all round to 2^63, of doubles and
 * 32-bit numbers there are four each (dcgm_structs.h). */
static bool is_blank(double value)
{
	return isnan(value) || value >= 9223372036854775792.0 ||
	       (value >= 140737488355328.0 && value <= 140737488355331.0) ||
	       (value >= 2147483632.0 && value <= 2147483635.0);
}

/* One page into telemetry. */
struct filling {
	struct weir_telemetry *telemetry;
	const struct weir_scrape *scrape;
	size_t *row_of; /* per device: its row + 1; 0: none yet */
};

/* As the exporter counts: "0", "0/3" of a part of a divided device, else the device's UUID. */
static uint32_t find_device(struct filling *filling, uint32_t series)
{
	static const char *const id_labels[] = {"gpu", "UUID", "uuid", "gpu_uuid"};
	const char *part = weir_scrape_label(filling->scrape, series, "GPU_I_ID");
	const char *name = weir_scrape_label(filling->scrape, series, "modelName");
	struct weir_text id = {0};
	uint32_t device;

	for (size_t i = 0; i < sizeof id_labels / sizeof *id_labels && !id.length; i++) {
		const char *text = weir_scrape_label(filling->scrape, series, id_labels[i]);

		weir_text_puts(&id, text ? text : "");
	}
	if (!id.length)
		weir_text_puts(&id, "0");
	if (part)
		weir_text_printf(&id, "/%s", part);
	device = weir_telemetry_device(filling->telemetry, id.data, id.length);
	if (name)
		weir_telemetry_name_device(filling->telemetry, device, name, strlen(name));
	weir_text_release(&id);
	return device;
}

static struct weir_telemetry_sample *find_row(struct filling *filling, uint32_t series)
{
	uint32_t device = find_device(filling, series);

	if (!filling->row_of[device]) {
		struct weir_telemetry_sample *sample = weir_telemetry_add(filling->telemetry);

		sample->device = device;
		sample->at_ns = filling->scrape->at_ns;
		filling->row_of[device] = filling->telemetry->count;
	}
	return &filling->telemetry->samples[filling->row_of[device] - 1];
}

/* gauge WEIR_GAUGE_COUNT: the reasons of clocks. */
static void fill_family(struct filling *filling, uint32_t row, enum weir_gauge gauge, double scale)
{
	const struct weir_scrape *scrape = filling->scrape;
	const struct weir_scrape_family *family = &scrape->families[row];

	for (size_t i = 0; i < family->series_count; i++) {
		uint32_t series = scrape->by_family[family->first_series + i];
		double value = weir_scrape_value(scrape, series, WEIR_PART_VALUE);
		struct weir_telemetry_sample *sample;

		if (!scrape->series[series].sample_count)
			continue;
		sample = find_row(filling, series);
		if (is_blank(value) || value < 0)
			continue;
		if (gauge != WEIR_GAUGE_COUNT) {
			sample->value[gauge] = value * scale;
		} else if (value <= UINT32_MAX) {
			sample->has_reasons = true;
			sample->reasons = (uint32_t)value;
		}
	}
}

static void fill_page(struct filling *filling, const struct weir_scrape *scrape)
{
	filling->scrape = scrape;
	memset(filling->row_of, 0, WEIR_MAX_TELEMETRY_DEVICES * sizeof *filling->row_of);
	for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++) {
		uint32_t family =
			weir_scrape_find_family(scrape, gauges[i].name, strlen(gauges[i].name));

		if (family != WEIR_ROWMAP_NONE)
			fill_family(filling, family, gauges[i].gauge, gauges[i].scale);
	}
	for (size_t i = 0; i < sizeof reason_names / sizeof *reason_names; i++) {
		uint32_t family =
			weir_scrape_find_family(scrape, reason_names[i], strlen(reason_names[i]));

		if (family != WEIR_ROWMAP_NONE)
			fill_family(filling, family, WEIR_GAUGE_COUNT, 1);
	}
}

void weir_scrape_fill_telemetry(struct weir_input *input)
{
	struct filling filling = {.telemetry = weir_telemetry_new()};

	filling.row_of = weir_alloc(WEIR_MAX_TELEMETRY_DEVICES * sizeof *filling.row_of);
	if (input->scrape->earlier)
		fill_page(&filling, input->scrape->earlier);
	fill_page(&filling, input->scrape);
	free(filling.row_of);
	if (filling.telemetry->count)
		input->telemetry = filling.telemetry;
	else
		weir_telemetry_free(filling.telemetry);
}
