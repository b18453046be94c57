# SPDX-License-Identifier: GPL-3.0-or-later
"""One check per picture: the marks on the page against the figures in the JSON. A check yields the sentences that are wrong."""
import math
import re

ACROSS = 0.0051  # percent: the drawing has two decimals
DOWN = 0.051  # pixels: it has one
# Marks of a picture: element, class, attributes and title, by group.
MARKS = """function (id) {
    var chart = document.querySelector('#' + id + ' .chart');
    return chart && Array.from(chart.querySelectorAll('.m')).map(function (mark) {
        var found = { element: mark.tagName, class: mark.getAttribute('class'), title: mark.querySelector('title').textContent,
                      group: mark.parentNode.dataset.lane || null, number: mark.parentNode.dataset.number || null };
        Array.from(mark.attributes).forEach(function (a) { found[a.name] = found[a.name] || a.value; });
        return found;
    });
}"""

# The same for any selector.
MARKS_OF = """function (selector) {
    return Array.from(document.querySelectorAll(selector)).map(function (mark) {
        return { title: mark.querySelector('title').textContent, width: mark.getAttribute('width'), class: mark.getAttribute('class') };
    });
}"""


def percent(text):
    assert text.endswith("%"), text
    return float(text[:-1])


def number_in(text):
    """Returns the nanoseconds of a duration as the page prints it, and the error of its last digit."""
    value, unit = text.split()
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}[unit]
    digits = len(value.split(".")[1]) if "." in value else 0
    return float(value) * scale, 0.5000001 * scale / 10**digits


def says(text, nanoseconds):
    value, error = number_in(text)
    return abs(value - nanoseconds) <= error


def has(document, key):
    return (document.get("pictures") or {}).get(key)


def check_strip(made, page):
    strip = has(made.document, "strip")
    marks = page.read(MARKS, "strip")
    if not strip:
        if marks:
            yield "a strip without figures"
        return
    if not marks:
        yield "no strip on the page"
        return
    wanted = [(lane, span) for lane in strip["lanes"] for span in lane["spans"]]
    if len(wanted) != len(marks):
        yield f"{len(marks)} marks for {len(wanted)} spans"
    for (lane, (start, end, kind, name, count, time)), mark in zip(wanted, marks):
        x, width = 100 * start / strip["length_ns"], 100 * (end - start) / strip["length_ns"]
        shown = strip["names"][name]
        if (mark["group"], int(mark["number"])) != (lane["row"], lane["number"]):
            yield f"a mark in the lane {mark['group']} {mark['number']}, expected {lane['row']} {lane['number']}"
        if abs(percent(mark["x"]) - x) > ACROSS or abs(percent(mark["width"]) - width) > ACROSS:
            yield f"a mark at {mark['x']} + {mark['width']}, expected {x:.3f} + {width:.3f}"
        if mark["class"].split()[1] != (f"i-{shown}" if kind == "idle" else f"s-{kind}"):
            yield f"a mark of the class {mark['class']}, expected {kind}"
        words, figures = mark["title"].rsplit(": ", 1)
        if kind != "idle" and count == 1 and len(shown) <= 60 and words != shown:
            yield f"a mark is called {words!r}, expected {shown!r}"
        if count > 1 and not words.startswith(f"{count:,} together"):
            yield f"a mark is called {words!r}, expected {count} together"
        parts = figures.split(", ")
        if not says(parts[0], time) or not says(parts[1].removeprefix("from "), start):
            yield f"a mark says {figures!r}, expected {time} ns from {start} ns"


def check_step_times(made, page):
    times = has(made.document, "step_times")
    marks = page.read(MARKS, "step-times")
    if not times:
        if marks:
            yield "step times without figures"
        return
    counted = [point[4] for point in times["points"] if point[5] == "steady"]
    if not marks:
        if counted and max(counted) > 0:
            yield "no step times on the page"
        return
    if len(marks) != len(times["points"]):
        yield f"{len(marks)} marks for {len(times['points'])} points"
    top = max(counted) * 1.12
    for (first, count, low, p50, high, state), mark in zip(times["points"], marks):
        x = 100 * (first + (count + 1) / 2 - 0.5) / times["steps"]
        if mark["class"].split()[1] != ("t-steady" if state == "steady" else "t-apart"):
            yield f"step {first} is drawn as {mark['class']}, expected {state}"
        words = mark["title"].split(": ", 1)[1].split(", ")
        if count == 1 and not says(words[0], p50):
            yield f"step {first} says {words[0]}, expected {p50} ns"
        if (words[-1] == f"set apart as {state}") != (state != "steady"):
            yield f"step {first} says {words[-1]}, expected {state}"
        if mark["element"] == "path":
            if low <= top:
                yield f"step {first} is above the picture, which reaches to {top} ns"
        elif mark["element"] == "circle":
            if abs(percent(mark["cx"]) - x) > ACROSS or abs(float(mark["cy"]) - 190 * (1 - high / top)) > DOWN:
                yield f"step {first} is at {mark['cx']}, {mark['cy']}, expected {x:.3f} and {190 * (1 - high / top):.2f}"
        elif abs(percent(mark["x"]) + percent(mark["width"]) / 2 - x) > 2 * ACROSS:
            yield f"the steps from {first} are at {mark['x']}, expected {x:.3f} in the middle"
    lines = page.read("""function () { return Array.from(document.querySelectorAll('#step-times [data-quantile]')).map(function (line) {
        var name = line.dataset.quantile;
        return [name, +line.getAttribute('y1'), document.querySelector('#step-times [data-key=' + name + ']').textContent]; }); }""")
    wanted = {name: times[f"{name}_ns"] for name in ("p95", "p50") if times[f"{name}_ns"] is not None}
    if [line[0] for line in lines] != list(wanted):
        yield f"lines at {[line[0] for line in lines]}, expected {list(wanted)}"
    for name, y, text in lines:
        if abs(y - 190 * (1 - wanted[name] / top)) > DOWN or not says(text.removeprefix(name + " "), wanted[name]):
            yield f"{text!r} at {y}, expected {wanted[name]} ns"


# The operators: name, cells and sort values of each row, and the lines of what it unfolds to.
OPERATORS = """function () {
    return Array.from(document.querySelectorAll('#operators tbody')).map(function (body) {
        var cells = {}, values = {};
        Array.from(body.rows[0].cells).forEach(function (cell) {
            var id = cell.className.split(' ')[0].slice(5), code = cell.querySelector('code');
            cells[id] = (code || cell).textContent;
            values[id] = cell.dataset.v === undefined ? null : +cell.dataset.v;
        });
        return { cells: cells, values: values, parts: Array.from(body.querySelectorAll('.unfolded > td > div > div')).map(function (part) {
            return [part.querySelector('h3').firstChild.textContent.trim(), Array.from(part.querySelectorAll('li')).map(function (line) { return line.textContent; })];
        }) };
    });
}"""


def check_parts(operator, parts):
    """Compares the lists of an operator: the number and the time that each line ends with."""
    wanted = [(heading, operator[key]) for heading, key in (("Kernels", "kernels"), ("Shapes", "shapes"),
                                                            ("Called from, in the median step", "sites")) if operator.get(key)]
    if [heading for heading, _ in parts] != [heading for heading, _ in wanted]:
        yield f"unfolds to {[heading for heading, _ in parts]}, expected {[heading for heading, _ in wanted]}"
        return
    for (heading, lines), (_, entries) in zip(parts, wanted):
        if len(lines) != len(entries):
            yield f"{heading}: {len(lines)} lines, expected {len(entries)}"
        for line, entry in zip(lines, entries):
            found = re.search(r"([\d,]+) (launch|launches|call|calls), ([\d.]+ \w+)(, [<\d.]+ %)?$", line)
            if not found or int(found[1].replace(",", "")) != entry["count"] or not says(found[3], entry.get("total_ns", entry.get("step_ns"))):
                yield f"{heading}: {line!r}, expected {entry}"


def check_operators(made, page):
    rows = page.read(OPERATORS)
    operators = made.document["operators"]
    if len(rows) != min(len(operators), 300):
        yield f"{len(rows)} rows, expected {len(operators)}"
    for operator, row in zip(operators, rows):
        if not row["cells"]["operator"].endswith(operator["name"]) and len(operator["name"]) <= 96:
            yield f"{row['cells']['operator']}, expected {operator['name']}"
        for cell, key in (("p50", "p50_ns"), ("p95", "p95_ns"), ("total", "total_ns")):
            if operator[key] is not None and not (says(row["cells"][cell], operator[key]) and abs(row["values"][cell] - operator[key]) <= 0.5):
                yield f"{operator['name']}: {cell} is {row['cells'][cell]} ({row['values'][cell]}), expected {operator[key]} ns"
        if row["values"]["count"] != operator["count"]:
            yield f"{operator['name']}: {row['cells']['count']} calls, expected {operator['count']}"
        yield from (f"{operator['name']}: {text}" for text in check_parts(operator, row["parts"]))


def check_histogram(key):
    def check(made, page):
        histogram = has(made.document, key)
        marks = page.read(MARKS, key)
        if not histogram:
            if marks:
                yield "a histogram without figures"
            return
        bins = histogram["bins"]
        if not marks or len(marks) != 2 * len(bins):
            yield f"{len(marks or [])} bars for {len(bins)} bins"
            return
        if made.document["run"]["ranks"] == 1:
            gpu, total = made.document["gpu"], sum(row[3] for row in bins)
            if key == "kernels" and sum(row[2] for row in bins) != gpu["kernels"]:
                yield f"{sum(row[2] for row in bins)} kernels, but the report has {gpu['kernels']}"
            if key == "gaps" and abs(total - gpu["idle"] * made.document["run"]["span_ns"]) > 1e-6 * made.document["run"]["span_ns"]:
                yield f"gaps of {total} ns, but the device is idle for {gpu['idle']} of {made.document['run']['span_ns']} ns"
        most, longest = max(row[2] for row in bins), max(row[3] for row in bins)
        low, high = math.log(bins[0][0] or 0.5), math.log(bins[-1][1])
        for i, row in enumerate(bins):
            title = re.fullmatch(r"(.+) to (.+): ([\d,]+) \w+, (.+?) together(?:, most of it .*)?", marks[2 * i]["title"])
            if not title or not (says(title[1], row[0]) and says(title[2], row[1]) and int(title[3].replace(",", "")) == row[2]
                                 and says(title[4], row[3])):
                yield f"a bar says {marks[2 * i]['title']!r}, expected {row}"
            for mark, size in ((marks[2 * i], 95 * row[2] / most), (marks[2 * i + 1], 75 * row[3] / longest if longest else 0)):
                x = 100 * (max(math.log(row[0] or 0.5), low) - low) / (high - low)
                if abs(percent(mark["x"]) - x) > ACROSS or abs(float(mark["height"]) - size) > DOWN:
                    yield f"a bar at {mark['x']} of {mark['height']} pixels, expected {x:.3f} and {size:.2f}"
                if len(row) > 4 and mark["class"].split()[-1] != f"i-{row[4]}":
                    yield f"a bar of the class {mark['class']}, expected {row[4]}"
    return check


def figure(text):
    """Returns a number as the page prints it and the error of its last digit."""
    digits = len(text.split(".")[1]) if "." in text else 0
    return float(text), 0.5000001 / 10**digits


def near(text, value):
    number, error = figure(text)
    return abs(number - value) <= error


def check_roofline(made, page):
    roofs, marks = has(made.document, "roofs"), page.read(MARKS, "roofline")
    placed = [row for row in made.document["operators"] if roofs and row["device"] == roofs["device"] and (row["flops"] or 0) > 0
              and (row["bytes"] or 0) > 0 and (row["tflops"] or 0) > 0]
    if not placed:
        if marks:
            yield "a roofline without figures"
        return
    if not marks or len(marks) != len(placed):
        yield f"{len(marks or [])} dots for {len(placed)} operators"
        return
    points = [(row["flops"] / row["bytes"], row["tflops"]) for row in placed]
    high_y = max([y for _, y in points] + [roof["theoretical"] / 1e12 for roof in roofs["flops_per_s"]])
    low_y = max(min([y for _, y in points] + [high_y / 20]), high_y * 1e-6)
    high_x = max([x for x, _ in points] + [2 * roof["theoretical"] / roofs["bytes_per_s"] for roof in roofs["flops_per_s"]])
    low_x = min([x for x, _ in points] + [roof["theoretical"] / roofs["bytes_per_s"] / 10 for roof in roofs["flops_per_s"]])

    def place(value, low, high):
        return min(1, max(0, math.log(value / (low / 2)) / math.log(4 * high / low)))

    for row, (x, y), mark in zip(placed, points, marks):
        wanted = 100 * place(x, low_x, high_x), 300 * (1 - place(y, low_y, high_y))
        # The JSON rounds FLOPs and bytes to whole numbers and TFLOP/s to six decimals.
        blur = 1e-6 / y * 300 / math.log(4 * high_y / low_y), 100 * (1 / row["bytes"] + 1 / row["flops"]) / math.log(4 * high_x / low_x)
        if abs(percent(mark["cx"]) - wanted[0]) > ACROSS + blur[1] or abs(float(mark["cy"]) - wanted[1]) > DOWN + blur[0]:
            yield f"{row['name']} is at {mark['cx']}, {mark['cy']}, expected {wanted}"
        if abs(float(mark["r"]) - (3 + 6 * math.sqrt(row["share"] or 0))) > DOWN:
            yield f"{row['name']} has the radius {mark['r']} for a share of {row['share']}"
        if mark["class"].split()[-1] != (row["bound"] or "unattributed"):
            yield f"{row['name']} is drawn as {mark['class']}, expected {row['bound']}"
        said = re.search(r": ([\d.]+) TFLOP/s at ([\d.]+) FLOP a byte", mark["title"])
        if row["name"][:20] not in mark["title"] or not (said and abs(float(said[1]) - y) <= figure(said[1])[1] + 1e-6 and
                                                         abs(float(said[2]) - x) <= figure(said[2])[1] + 1e-3 * x):
            yield f"a dot says {mark['title']!r}, expected {row['name']} of {y} TFLOP/s at {x}"
    said = page.read("function () { return Array.from(document.querySelectorAll('[data-roof]')).map(function (e) { return e.textContent; }); }")
    rates = [(roofs["bytes_per_s"], roofs["sustained_bytes_per_s"])] + [(roof["theoretical"], roof["sustained"]) for roof in roofs["flops_per_s"]]
    for text, rate in zip(said, rates):
        numbers = re.search(r"([\d.]+) T(?:B|FLOP)/s, reached ([\d.]+)$", text)
        if len(said) != len(rates) or not (near(numbers[1], rate[0] / 1e12) and near(numbers[2], rate[1] / 1e12)):
            yield f"a roof says {text!r}, expected {rate}"


def check_queue(made, page):
    queue, marks = has(made.document, "queue"), page.read(MARKS, "queue")
    known = [(i, row) for i, row in enumerate(queue["bins"] if queue else []) if row[0] > 0]
    if not known:
        if marks:
            yield "a queue without figures"
        return
    most, count = max(row[2] for _, row in known), len(queue["bins"])
    bars = page.read("""function () { return Array.from(document.querySelectorAll('#queue .part')).map(function (part) {
        return Array.from(part.querySelectorAll('rect')).map(function (bar) { return [bar.getAttribute('class'), +bar.getAttribute('height'), 113 - bar.getAttribute('y')]; }); }); }""")
    if not marks or len(marks) != len(known):
        yield f"{len(marks or [])} parts, expected {len(known)}"
        return
    for (i, row), mark, heights in zip(known, marks, bars):
        wanted = {"q-mean": 95 * row[1] / most, "q-most": 95 * row[2] / most} if most else {}
        wanted["q-empty"] = 45 * row[3]
        if [name for name, *_ in heights] != list(wanted) or any(abs((height if name == "q-empty" else above) - wanted[name]) > DOWN + 1e-4
                                                                 for name, height, above in heights):
            yield f"a part of {heights}, expected {wanted}"
        if abs(percent(mark["x"]) - 100 * i / count) > ACROSS:
            yield f"a part at {mark['x']}, expected {100 * i / count}"
        said = re.fullmatch(r"from (0 ns|[\d.]+ \w+): ([\d.]+) works wait, at most ([\d,]+); the queue is empty ([<\d.]+) % of the time", mark["title"])
        if not said or not says(said[1], queue["length_ns"] * i / count) or abs(float(said[2]) - row[1]) > figure(said[2])[1] + 1e-6 or int(said[3].replace(",", "")) != row[2] or not shows(said[4], row[3]):
            yield f"a bar says {mark['title']!r}, expected {row}"
    analysed = sum(row[0] for _, row in known)
    mean, largest = sum(row[0] * row[1] for _, row in known) / analysed, made.document["gpu"]["queue"]["waiting"]
    if sum(device["count"] for device in made.document["run"]["devices"]) == 1 and (abs(mean - largest["mean"]) > 1e-5 or most != largest["max"]):
        yield f"a mean of {mean} and at most {most}, but the report has {largest}"


def check_rank_steps(made, page):
    data = has(made.document, "rank_steps")
    cells = page.read("""function () { return Array.from(document.querySelectorAll('#rank-steps .cells')).map(function (layer) {
        return Array.from(layer.querySelectorAll('.m')).map(function (cell) {
            return [+cell.getAttribute('x'), +cell.getAttribute('y'), cell.getAttribute('class'), cell.querySelector('title').textContent]; }); }); }""")
    if not data:
        if cells:
            yield "a map of ranks without figures"
        return
    if len(cells) != 2:
        yield f"{len(cells)} maps of ranks"
        return
    most = max(value for row in data["rows"] for cell in row["cells"] for value in cell if value is not None)
    for which, layer in enumerate(cells):
        wanted = [(x, y, row["rank"], cell[which]) for y, row in enumerate(data["rows"]) for x, cell in enumerate(row["cells"]) if cell[which] is not None]
        if [(x, y) for x, y, _, _ in layer] != [(x, y) for x, y, _, _ in wanted]:
            yield f"{len(layer)} cells, expected {len(wanted)}"
            continue
        for (x, _, kind, title), (_, _, rank, value) in zip(layer, wanted):
            first = data["first_step"] + x * data["steps_per_column"] + 1
            if int(kind.split()[1][1:]) != math.ceil(8 * value / most - 1e-12):
                yield f"a cell of the shade {kind}, expected {8 * value / most}"
            said = re.fullmatch(r"rank (-?\d+), steps? (\d+)(?: to \d+)?: (waits|late by) (.+)", title)
            if not said or (int(said[1]), int(said[2])) != (rank, first) or not says(said[4], value):
                yield f"a cell says {title!r}, expected rank {rank}, step {first}, {value} ns"


PERCENTILES = ("p50", "p95", "p99")


def check_map(made, page):
    """The bars of the map: each as long as its latency, its parts by the shares of the stages."""
    stages = [stage for stage in made.document["stages"] if stage["view"] == "request"
              and (stage["name"] != "between stages" or any((stage[f"{p}_share"] or 0) >= 1e-3 for p in PERCENTILES))]
    marks = page.read(MARKS, "map")
    if not any(stage["p95_share"] for stage in stages):
        if marks:
            yield "a map without figures"
        return
    latency = made.document["requests"]["latency_ns"]
    longest = max(latency[p] for p in PERCENTILES)
    wanted = [(p, stage, stage[f"{p}_share"]) for p in PERCENTILES for stage in stages if (stage[f"{p}_share"] or 0) >= 1e-3]
    if not marks or [p for p, _, _ in wanted] != [mark["group"] for mark in marks]:
        yield f"{len(marks or [])} parts, expected {len(wanted)}"
        return
    x = {p: 0.0 for p in PERCENTILES}
    for (p, stage, share), mark in zip(wanted, marks):
        width = 100 * share * latency[p] / longest
        if abs(percent(mark["width"]) - width) > ACROSS + 1e-4 or abs(percent(mark["x"]) - x[p]) > ACROSS + 1e-3:
            yield f"{stage['name']} at {p}: {mark['x']} + {mark['width']}, expected {x[p]:.3f} + {width:.3f}"
        x[p] += width
        said = re.fullmatch(r"(.+): ([<\d.]+) % of (p\d+), (\w+)", mark["title"])
        if not said or said[1] != stage["name"] or said[3] != p or not shows(said[2], share):
            yield f"a part says {mark['title']!r}, expected {stage['name']} with {share} of {p}"
    labels = page.read("""function () { return Array.from(document.querySelectorAll('#map .lane')).map(function (e) { return e.textContent; }); }""")
    for p, label in zip(PERCENTILES, labels):
        if not label.startswith(p + " ") or not says(label.removeprefix(p + " "), latency[p]):
            yield f"a bar is called {label!r}, expected {p} of {latency[p]} ns"


def shows(text, share):
    """Returns whether a share is printed as the page does: whole percent, one decimal below 1 %."""
    if text.startswith("<"):
        return 0 <= share <= 0.000501
    return abs(float(text) - 100 * share) <= (0.0501 if "." in text else 0.501)


def check_savings(made, page):
    """Two bars for each recommendation that predicts a step, on one axis."""
    fixes = [fix for fix in made.document["recommendations"] if fix["saving"] and fix["saving"]["step_ns"]]
    marks = page.read(MARKS_OF, "#advice .m")
    if len(marks) != 2 * len(fixes):
        yield f"{len(marks)} bars for {len(fixes)} predictions"
        return
    high = max([max(fix["saving"][key] or 0 for key in ("before_ns", "step_ns", "high_ns")) for fix in fixes], default=0)
    ranges = page.read("""function () { return Array.from(document.querySelectorAll('#advice .range line:first-child')).map(function (line) {
        return [line.getAttribute('x1'), line.getAttribute('x2')]; }); }""")
    for i, fix in enumerate(fixes):
        saving = fix["saving"]
        for mark, ns in ((marks[2 * i], saving["before_ns"]), (marks[2 * i + 1], saving["step_ns"])):
            if abs(percent(mark["width"]) - 100 * ns / high) > ACROSS or not says(re.search(r"[\d.]+ \w+", mark["title"])[0], ns):
                yield f"{fix['id']}: a bar of {mark['width']} that says {mark['title']!r}, expected {ns} ns"
        if saving["low_ns"] is not None and any(abs(percent(x) - 100 * saving[key] / high) > ACROSS
                                                for x, key in zip(ranges[i], ("low_ns", "high_ns"))):
            yield f"{fix['id']}: a range of {ranges[i]}, expected {saving['low_ns']} to {saving['high_ns']} ns"


CHECKS = {"ranks and steps": check_rank_steps, "queue": check_queue, "map": check_map, "savings": check_savings, "roofline": check_roofline, "kernels": check_histogram("kernels"), "gaps": check_histogram("gaps"), "operators": check_operators, "strip": check_strip, "step times": check_step_times}
