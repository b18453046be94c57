/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "tests/unit/graph_script.h"

const char *const script_program[SCRIPT_OPS] = {
	"aten::embedding", "aten::rms_norm", "aten::mm",   "aten::sdpa", "aten::mm",
	"aten::add",       "aten::rms_norm", "aten::silu", "aten::mul",  "aten::argmax"};
const char *const script_products[2] = {"[[8,2048],[2048,6144]]", "[[8,4096],[4096,6144]]"};

struct script script_new(void)
{
	return (struct script){make_trace_new(), 1000, 1, 1000, NULL};
}

void script_add_kernel(struct script *script, size_t op, size_t part, uint32_t blocks)
{
	char name[32];

	snprintf(name, sizeof name, "k%zu_%zu", op, part);
	script->at_ns += 100;
	make_device(script->make,
	            &(struct make_device_row){.name = name,
	                                      .start_ns = script->at_ns,
	                                      .end_ns = script->at_ns + script->kernel_ns,
	                                      .bytes = -1,
	                                      .correlation = script->correlation,
	                                      .blocks = blocks,
	                                      .threads_per_block = 128});
	script->at_ns += script->kernel_ns;
}

void script_run_op_by_op(struct script *script)
{
	for (size_t op = 0; op < SCRIPT_OPS; op++) {
		const char *name = op == 3 && script->odd_op ? script->odd_op : script_program[op];

		make_host(script->make, WEIR_HOST_OP, 0, name, script->at_ns, script->at_ns + 50);
		for (size_t part = 0; part <= (op == SCRIPT_SPLIT); part++) {
			script->correlation++;
			make_call(script->make, 0, "cudaLaunchKernel",
			          script->at_ns + 10 - (part ? script->kernel_ns + 90 : 0),
			          script->at_ns + 15 - (part ? script->kernel_ns + 90 : 0),
			          script->correlation);
			script_add_kernel(script, op, part, 8);
		}
	}
}

void script_add_replay(struct script *script, size_t times, size_t odd, bool call)
{
	size_t position = 0;

	script->correlation++;
	if (call)
		make_call(script->make, 0, "cudaGraphLaunch", script->at_ns, script->at_ns + 5,
		          script->correlation);
	for (size_t t = 0; t < times; t++)
		for (size_t op = 0; op < SCRIPT_OPS; op++)
			for (size_t part = 0; part <= (op == SCRIPT_SPLIT); part++)
				script_add_kernel(script, op, part, position++ == odd ? 9 : 8);
}

void script_replay(struct script *script, size_t times, size_t odd)
{
	script_add_replay(script, times, odd, true);
}

void script_give_shapes(struct weir_trace *trace, const char *const *dims, size_t count,
                        const uint32_t *shape_of, size_t runs)
{
	static const char types[] = "[\"c10::BFloat16\",\"c10::BFloat16\"]";
	size_t run = 0;

	trace->shapes =
		weir_grow(trace->shapes, &trace->shape_capacity, count + 1, sizeof *trace->shapes);
	for (size_t i = 0; i < count; i++)
		trace->shapes[i + 1] = (struct weir_shape){
			.dims = weir_names_add(trace->names, dims[i], strlen(dims[i])),
			.types = weir_names_add(trace->names, types, strlen(types)),
		};
	trace->shape_count = count + 1;
	for (size_t i = 0; i < trace->host.count; i++)
		if (trace->host.kind[i] == WEIR_HOST_OP)
			trace->host.shape[i] = shape_of[run++ % runs];
}
