#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks which folder includes which. A change of the table needs a page in docs/decisions.
# shellcheck source=tests/lint/lib.sh
. "$(dirname "$0")/lib.sh"

# FOLDER: the folders whose headers it may include, beside its own. A word that ends with / stands for a folder with
# everything below it; @base is engine/base, @model is @base and engine/model, @all is every folder below engine/cli.
layers='
engine/base:
engine/model:               @base
engine/stats:               @base
engine/part:                @model

engine/readers:             @model engine/part engine/readers/
engine/readers/parts:       @model engine/readers
engine/readers/trace:       @model engine/readers
engine/readers/sql:         @model engine/readers engine/readers/parts
engine/readers/chrome:      @model engine/readers engine/readers/parts engine/readers/trace
engine/readers/nvidia:      @model engine/readers engine/readers/parts engine/readers/sql engine/readers/trace engine/readers/monitor
engine/readers/amd:         @model engine/readers engine/readers/parts engine/readers/sql engine/readers/trace
engine/readers/torch:       @model engine/readers engine/readers/parts engine/readers/trace
engine/readers/tensorflow:  @model engine/readers engine/readers/parts
engine/readers/host:        @model engine/readers engine/readers/parts
engine/readers/loadgen:     @model engine/readers engine/readers/parts
engine/readers/requests:    @model engine/readers engine/readers/parts
engine/readers/monitor:     @model engine/readers engine/readers/parts
engine/readers/scrape:      @model engine/readers engine/readers/parts
engine/readers/serverlog:   @model engine/readers engine/readers/parts
engine/readers/cost:        @model engine/readers engine/readers/parts
engine/readers/benchmark:   @model engine/readers engine/readers/parts
engine/readers/native:      @model engine/readers engine/readers/parts
engine/readers/part:        @model engine/part engine/readers engine/readers/parts

engine/analysis/time:       @model engine/stats
engine/analysis/names:      @model engine/stats
engine/analysis/roofline:   @model engine/stats engine/analysis/names
engine/analysis/timeline:   @model engine/stats engine/analysis/time engine/analysis/names
engine/analysis/scrape:     @model engine/stats engine/analysis/names
engine/analysis/graphs:     @model engine/stats engine/analysis/time engine/analysis/timeline
engine/analysis/rank:       @model engine/stats engine/analysis/time engine/analysis/names engine/analysis/timeline engine/analysis/graphs engine/analysis/roofline
engine/analysis/ranks:      @model engine/stats engine/analysis/time engine/analysis/timeline engine/analysis/graphs engine/analysis/roofline engine/analysis/rank
engine/analysis/server:     @model engine/stats engine/analysis/names engine/analysis/scrape engine/analysis/rank
engine/analysis/counters:   @model engine/stats engine/analysis/time engine/analysis/names engine/analysis/roofline engine/analysis/rank
engine/analysis/requests:   @model engine/stats engine/analysis/time engine/analysis/names engine/analysis/rank
engine/analysis/whole:      @model engine/stats engine/analysis/rank engine/analysis/ranks engine/analysis/counters engine/analysis/requests
engine/analysis/path:       @model engine/stats engine/analysis/time engine/analysis/names engine/analysis/timeline engine/analysis/rank engine/analysis/whole
engine/analysis/advice:     @model engine/stats engine/analysis/time engine/analysis/names engine/analysis/roofline engine/analysis/timeline engine/analysis/graphs engine/analysis/rank engine/analysis/whole engine/analysis/path
engine/analysis/rows:       @model engine/stats engine/analysis/time engine/analysis/names engine/analysis/roofline engine/analysis/timeline engine/analysis/graphs engine/analysis/rank engine/analysis/ranks engine/analysis/counters engine/analysis/requests engine/analysis/scrape engine/analysis/server engine/analysis/whole engine/analysis/path
engine/analysis/drawing:    @model engine/stats engine/analysis/time engine/analysis/names engine/analysis/roofline engine/analysis/timeline engine/analysis/rank engine/analysis/ranks engine/analysis/whole engine/analysis/path engine/analysis/rows
engine/analysis/compare:    @model engine/stats engine/analysis/names
engine/analysis:            @model engine/stats engine/part engine/analysis/

engine/report/plain:        @model engine/report
engine/report/words:        @model engine/report engine/report/plain
engine/report/tables:       @model engine/report engine/report/plain engine/report/words
engine/report/classify:     @model engine/report engine/report/plain engine/report/words engine/report/tables engine/report/drawing
engine/report/gate:         @model engine/report engine/report/plain engine/report/words engine/report/tables engine/report/drawing
engine/report/json:         @model engine/report engine/report/plain engine/report/words
engine/report/drawing:      @model engine/report engine/report/plain engine/report/words
engine/report:              @model engine/report/

engine/query:               @model engine/report engine/report/json engine/report/plain

rules:                      @model
baselines:                  @model
ci/policy:                  @model
ci/comment:                 @model

engine/include/weir:
engine/pipeline:            @all engine/include/weir
engine/cli:                 @all engine/pipeline
tests:                      @all engine/pipeline engine/cli engine/include/weir tests/
'
all='@model engine/stats engine/part engine/readers/ engine/analysis/ engine/report/ engine/query rules baselines ci/'

report "$(include_lines '"' | awk -F: -v layers="$layers" -v all="$all" '
	function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path ~ /^tests(\/|$)/ ? "tests" : path }
	function allowed(from, to,   words, count, i) {
		if (from == to)
			return 1
		count = split(may[from], words, " ")
		for (i = 1; i <= count; i++)
			if (words[i] == to || (words[i] ~ /\/$/ && index(to "/", words[i]) == 1))
				return 1
		return 0
	}
	BEGIN {
		gsub(/@all/, all, layers); gsub(/@model/, "@base engine/model", layers); gsub(/@base/, "engine/base", layers)
		count = split(layers, lines, "\n")
		for (i = 1; i <= count; i++)
			if ((at = index(lines[i], ":")) > 0)
				may[substr(lines[i], 1, at - 1)] = substr(lines[i], at + 1)
	}
	{
		match($0, /"[^"]*"/); header = substr($0, RSTART + 1, RLENGTH - 2)
		from = folder_of($1); to = folder_of(header); place = $1 ":" $2 ": "
		if (!(from in may))
			print place "the folder " from " is not in the table of layers.sh"
		else if (!allowed(from, to))
			print place from " may not include \"" header "\""
		if (!(header in seen))
			seen[header] = (getline line < header) >= 0
		if (!seen[header])
			print place "\"" header "\" is not a path from the root of the project"
	}')"
