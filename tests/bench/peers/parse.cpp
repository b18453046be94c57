/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse tree|stream FILE: parses a trace with simdjson and sums the durations of its events. `tree` keeps all values (DOM); `stream` looks
 * at each value once and skips the others (On-Demand), the least that a reader of JSON does. Prints events and the sum in microseconds.
 */
#include <cstdio>
#include <cstring>
#include <simdjson.h>

struct sums {
	unsigned long long events = 0;
	double duration_us = 0;
};

static bool parse_tree(const char *path, sums &out)
{
	simdjson::dom::parser parser(simdjson::SIMDJSON_MAXSIZE_BYTES);
	simdjson::dom::element document;

	if (parser.load(path).get(document))
		return false;
	for (simdjson::dom::element event : document["traceEvents"].get_array()) {
		double duration_us;

		if (!event["dur"].get(duration_us))
			out.duration_us += duration_us;
		out.events++;
	}
	return true;
}

static bool parse_stream(const char *path, sums &out)
{
	simdjson::ondemand::parser parser(simdjson::SIMDJSON_MAXSIZE_BYTES);
	simdjson::padded_string text;
	simdjson::ondemand::document document;

	if (simdjson::padded_string::load(path).get(text) || parser.iterate(text).get(document))
		return false;
	for (auto event : document["traceEvents"].get_array()) {
		double duration_us;

		if (!event["dur"].get(duration_us))
			out.duration_us += duration_us;
		out.events++;
	}
	return true;
}

int main(int argc, char **argv)
{
	sums sums;

	if (argc != 3)
		return 2;
	if (!(std::strcmp(argv[1], "tree") == 0 ? parse_tree(argv[2], sums) : parse_stream(argv[2], sums)))
		return 1;
	std::printf("%llu events, %.3f us\n", sums.events, sums.duration_us);
	return 0;
}
