# SPDX-License-Identifier: GPL-3.0-or-later
"""One check per picture of a gate's page: the marks on the page against the figures in the JSON. A check yields the sentences that are wrong."""
import math
import re

from pictures import ACROSS, DOWN, figure, has, number_in, percent, says

SHAPES = 6
# The drawings of a card: the marks of each, with the place of the element around a mark, and lines by what they show.
PANELS = """function (id) {
    function attributes(e) {
        var found = {};
        Array.from(e.attributes).forEach(function (a) { found[a.name] = a.value; });
        return found;
    }
    return Array.from(document.querySelectorAll('#' + id + ' .chart')).map(function (chart) {
        return {
            id: chart.querySelector('title').id.replace(/-title$/, ''),
            marks: Array.from(chart.querySelectorAll('.m')).map(function (mark) {
                return { mark: attributes(mark), around: attributes(mark.parentNode), title: mark.querySelector('title').textContent,
                         ring: !!mark.parentNode.querySelector('.ring') };
            }),
            lines: Array.from(chart.querySelectorAll('line, rect, path')).map(attributes),
            ranges: Array.from(chart.querySelectorAll('.range')).map(function (g) { return [g.dataset.percent, attributes(g.querySelector('line'))]; }),
            odd: Array.from(chart.querySelectorAll('.odd')).map(function (e) { return e.textContent; })
        };
    });
}"""


def says_value(text, value, unit):
    """Returns whether a text states a figure: a duration, or a number with its unit."""
    if unit == "ns":
        return says(text, value)
    number = text.split()[0].replace(",", "")
    return abs(float(number) - value) <= max(figure(number)[1] if "e" not in number else 0, 0.005 * abs(value))


def panels_of(card, page, wanted):
    """Returns pairs of a wanted picture's data and its drawing; or None and a sentence."""
    found = page.read(PANELS, card)
    if len(found) != len(wanted):
        return None, f"{len(found)} drawings, expected {len(wanted)}"
    return list(zip(wanted, found)), None


# ---- every run ----

def axis_of_runs(values):
    known = [value for value in values if value is not None]
    low, high = min(known), max(known)
    span = max(high - low, 0.06 * abs((low + high) / 2) or 1)
    return (low + high - span) / 2 - 0.08 * span, (low + high + span) / 2 + 0.08 * span


def check_means(row, drawn, runs):
    """Without sessions as units, the row's figures are the means of the runs."""
    for side, candidate in (("baseline", False), ("candidate", True)):
        values = [value for value, run in zip(drawn["values"], runs) if run["candidate"] == candidate and value]
        mean = math.exp(sum(map(math.log, values)) / len(values)) if values else None
        if values and row[side] and abs(mean / row[side] - 1) > 1e-9:
            yield f"{row['scope']} {row['metric']}: a mean of {mean} on the {side}, expected {row[side]}"


def check_runs(made, page):
    runs, drawn = has(made.document, "runs") or [], has(made.document, "rows") or []
    pairs, wrong = panels_of("runs", page, [one for one in drawn if any(value is not None for value in one["values"])])
    if wrong:
        yield wrong
        return
    older = {False: made.document["pictures"]["older_baseline"], True: made.document["pictures"]["older_candidate"]} if pairs else {}
    counts = {side: sum(run["candidate"] == side for run in runs) for side in (False, True)}
    if pairs and counts != {False: made.document["baseline"]["runs"] - older[False], True: made.document["candidate"]["runs"] - older[True]}:
        yield f"{counts} runs and {older} older ones, expected {made.document['baseline']['runs']} and {made.document['candidate']['runs']}"
    for one, panel in pairs:
        row, (low, high) = made.document["rows"][one["row"]], axis_of_runs(one["values"])
        if not any(older.values()) and (made.document.get("sessions") or {}).get("design") != "nested":
            yield from check_means(row, one, runs)
        known = [i for i, value in enumerate(one["values"]) if value is not None]
        if [int(mark["around"]["data-run"]) for mark in panel["marks"]] != known:
            yield f"{row['scope']}: {len(panel['marks'])} dots, expected {len(known)}"
            continue
        for i, mark in zip(known, panel["marks"]):
            run, side = runs[i], runs[i]["candidate"]
            number = sum(other["candidate"] == side for other in runs[:i]) + 1
            share = (number - 0.5) / counts[side]
            x, y = 100 * (0.52 + 0.48 * share if side else 0.48 * share), 130 * (1 - (one["values"][i] - low) / (high - low))
            if abs(percent(mark["around"]["x"]) - x) > ACROSS or abs(float(mark["around"]["y"]) - y) > DOWN:
                yield f"{row['scope']}: run {i} at {mark['around']['x']}, {mark['around']['y']}, expected {x:.3f} and {y:.2f}"
            if mark["mark"]["class"].split()[1] != ("g-candidate" if side else "g-baseline"):
                yield f"{row['scope']}: run {i} is drawn as {mark['mark']['class']}"
            if mark["ring"] != (i in one["odd"]) or mark["title"].endswith(", far from the others") != (i in one["odd"]):
                yield f"{row['scope']}: run {i}: {mark['title']!r}, odd ones are {one['odd']}"
            said = re.fullmatch(r"(\w+) run (\d+) of (\d+)(?:, (.*?))?(?:, session (\d+))?: (.*?)(, far from the others)?", mark["title"])
            if not said or (said[1] == "candidate", int(said[2]), int(said[3])) != (side, number + older[side], counts[side] + older[side]):
                yield f"{row['scope']}: run {i} says {mark['title']!r}"
            elif not says_value(said[6], one["values"][i], row["unit"]) or int(said[5] or 0) != (run["session"] or 0) \
                    or (len(run["name"]) <= 40 and said[4] != run["name"]):
                yield f"{row['scope']}: run {i} says {mark['title']!r}, expected {run} with {one['values'][i]}"
        shapes = {(runs[i]["session"] or 1, mark["mark"]["d"]) for i, mark in zip(known, panel["marks"])}
        if len({shape for _, shape in shapes}) != min(SHAPES, len({session for session, _ in shapes})) or len({session for session, _ in shapes}) != len(shapes):
            yield f"{row['scope']}: sessions do not have one shape each: {sorted(session for session, _ in shapes)}"
        if one["odd"] and not panel["odd"]:
            yield f"{row['scope']}: no label for the odd runs {one['odd']}"
        for line in panel["lines"]:
            if "data-mean" in line and abs(float(line["y1"]) - 130 * (1 - (row[line["data-mean"]] - low) / (high - low))) > DOWN:
                yield f"{row['scope']}: the mean of the {line['data-mean']} at {line['y1']}, expected {row[line['data-mean']]}"


# ---- distributions ----

Z = {1: -2.326348, 5: -1.644854, 10: -1.281552, 15: -1.036433, 20: -0.841621, 25: -0.674490, 30: -0.524401, 35: -0.385320, 40: -0.253347,
     45: -0.125661, 50: 0.0, 55: 0.125661, 60: 0.253347, 65: 0.385320, 70: 0.524401, 75: 0.674490, 80: 0.841621, 85: 1.036433, 90: 1.281552,
     95: 1.644854, 97: 1.880794, 99: 2.326348}


def axes_of_curve(points):
    values = [value for point in points for value in point[1:] if value is not None]
    low, high = min(values), max(values)
    z = Z[points[0][0]], Z[points[-1][0]]
    across = lambda p: 100 * (Z[p] - z[0]) / (z[1] - z[0])
    if high > 20 * low:
        room = (high / low) ** 0.06
        low, high = math.log(low / room), math.log(high * room)
        return across, lambda ns: 190 * (1 - (math.log(ns) - low) / (high - low))
    room = 0.06 * max(high - low, 0.06 * high)
    low, high = max(low - room, 0), high + room
    return across, lambda ns: 190 * (1 - (ns - low) / (high - low))


def check_points(row_of, points, panel):
    across, down = axes_of_curve(points)
    wanted = [(side, point[0], point[at:at + 3]) for side, at in (("baseline", 1), ("candidate", 4)) for point in points if point[at] is not None]
    if [(mark["around"]["data-lane"]) for mark in panel["marks"]] != [side for side, _, _ in wanted]:
        yield f"{len(panel['marks'])} marks, expected {len(wanted)}"
        return
    for (side, p, (value, low, high)), mark in zip(wanted, panel["marks"]):
        if abs(percent(mark["mark"]["cx"]) - across(p)) > ACROSS or abs(float(mark["mark"]["cy"]) - down(value)) > DOWN:
            yield f"{side} p{p} at {mark['mark']['cx']}, {mark['mark']['cy']}, expected {across(p):.3f} and {down(value):.2f}"
        said = re.fullmatch(r"(\w+) p(\d+): (.+?), runs from (.+?) to (.+?)(?:; (\S+) %, 90 % interval (?:(\S+) to (\S+) %|-), (\S+))?", mark["title"])
        row = row_of(f"p{p}") if side == "candidate" else None
        if not said or (said[1], int(said[2])) != (side, p) or not (says(said[3], value) and says(said[4], low) and says(said[5], high)):
            yield f"{side} p{p} says {mark['title']!r}, expected {value} from {low} to {high}"
        elif bool(row) != bool(said[9]) or row and (said[9] != row["outcome"] or abs(float(said[6]) - 100 * row["change"]) > 0.51):
            yield f"{side} p{p} says {mark['title']!r}, expected the row {row and row['change']}"
    for p, line in panel["ranges"]:
        row, base = row_of(f"p{p}"), next(point[1] for point in points if point[0] == int(p))
        for end, key in ((0, "y1"), (1, "y2")):
            if abs(float(line[key]) - min(190, max(0, down(base * (1 + row["ci90"][end]))))) > DOWN:
                yield f"the interval of p{p} at {line[key]}, expected {row['ci90']} of {base}"
    rows = [p for p, *_ in points if row_of(f"p{p}") and None not in row_of(f"p{p}")["ci90"]]
    if [int(p) for p, _ in panel["ranges"]] != rows:
        yield f"intervals at {[p for p, _ in panel['ranges']]}, expected {rows}"


def check_curves(made, page):
    pairs, wrong = panels_of("distributions", page, has(made.document, "curves") or [])
    if wrong:
        yield wrong
        return
    for curve, panel in pairs:
        rows = {row["metric"]: row for row in made.document["rows"] if row["scope"] == curve["scope"]}
        if (made.document.get("sessions") or {}).get("design") != "nested":
            for point in curve["percentiles"]:
                row = rows.get(f"p{point[0]}")
                if row and row["outcome"] != "informational" and any(abs(a / b - 1) > 1e-9 for a, b in ((point[1], row["baseline"]), (point[4], row["candidate"]))):
                    yield f"{curve['scope']} p{point[0]}: {point[1]} and {point[4]}, but the row has {row['baseline']} and {row['candidate']}"
        yield from (f"{curve['scope']}: {text}" for text in check_points(rows.get, curve["percentiles"], panel))


# ---- the time of a stage ----

def change(part):
    return part["times_ns"][1] - part["times_ns"][0]


def delta_in(text):
    """Returns a signed duration at the beginning of a text and the error of its last digit."""
    said = re.match(r"([+-]?)([\d.]+ (?:ns|us|ms|s|min|h))\b", text)
    value, error = number_in(said[2])
    return (-value if said[1] == "-" else value), error


def check_stages(made):
    """The parts of a stage add up to it, and it changes as its row says."""
    for stage in has(made.document, "stages") or []:
        for side in (0, 1):
            if sum(part["times_ns"][side] for part in stage["parts"]) != stage["times_ns"][side]:
                yield f"{stage['name']}: the parts add up to {sum(part['times_ns'][side] for part in stage['parts'])}, expected {stage['times_ns'][side]}"
        scope = f"{'device' if stage['device_only'] else 'stage'}:{stage['name']}"
        row = next((row for row in made.document["rows"] if row["scope"] == scope and row["metric"] == "p50"), None)
        if not row or abs(row["contributed_ns"] - change(stage)) > 1:
            yield f"{stage['name']}: changes by {change(stage)}, expected {row and row['contributed_ns']}"
        operators = {row["name"]: row["contributed_ns"] for row in made.document["rows"]
                     if row["scope"].startswith("operator:") and row["stage"] == stage["name"] and row["metric"] == "p50"}
        for part in stage["parts"]:
            if part["kind"] == "operator" and abs(change(part) - operators[part["name"]]) > 1:
                yield f"{part['name']}: changes by {change(part)}, expected {operators[part['name']]}"


def check_waterfall(made, page):
    yield from check_stages(made)
    pairs, wrong = panels_of("waterfall", page, has(made.document, "stages") or [])
    if wrong:
        yield wrong
        return
    for stage, panel in pairs:
        bars = [(percent(mark["mark"]["x"]), percent(mark["mark"]["width"]), mark["mark"]["class"].split(), mark["title"]) for mark in panel["marks"]]
        first, last, between = bars[0], bars[-1], bars[1:-1]
        scale = (last[1] - first[1]) / change(stage)  # percent a nanosecond; both begin at the edge
        if first[0] != 0 or last[0] != 0 or not says(first[3].split(": ")[-1], stage["times_ns"][0]) or not says(last[3].split(": ")[-1], stage["times_ns"][1]):
            yield f"{stage['name']}: from {first} to {last}, expected {stage['times_ns']}"
        x, said, blur = first[1], 0.0, 0.0
        for left, width, classes, title in between:
            value, error = delta_in(title)
            at = left if value > 0 else left + width
            if abs(at - x) > 2 * ACROSS + 1e-9 or (classes[1] == "w-added") != (value > 0):
                yield f"{stage['name']}: {title!r} begins at {at}, expected {x:.3f}"
            x += width if value > 0 else -width
            if abs(width - abs(value * scale)) > error * abs(scale) + 2 * ACROSS + abs(value) * 4 * ACROSS / abs(change(stage)):
                yield f"{stage['name']}: {title!r} is {width} wide, expected {abs(value * scale):.3f}"
            said, blur = said + value, blur + error
        if abs(x - last[1]) > 2 * ACROSS * len(bars) or abs(said - change(stage)) > blur:
            yield f"{stage['name']}: the bars lead to {x:.3f} and add {said} ns, expected {last[1]} and {change(stage)} ns"
        names = [title.split(" ", 2)[2] for _, _, _, title in between]
        largest = max((part for part in stage["parts"] if part["kind"] == "operator"), key=lambda part: abs(change(part)))
        rest = [part for part in stage["parts"] if part["kind"] in ("rest", "device") and change(part)]
        if not any(name.startswith(largest["name"][:20]) for name in names) or len([name for name in names if name.startswith(("time without", "device work", "not explained", "other device", "device time"))]) != len(rest):
            yield f"{stage['name']}: {names}, expected {largest['name']} and {[part['kind'] for part in rest]}"


def check_flame(made, page):
    pairs, wrong = panels_of("flame", page, has(made.document, "stages") or [])
    if wrong:
        yield wrong
        return
    for stage, panel in pairs:
        widths = {id(part): max(0, *part["times_ns"]) for part in stage["parts"]}
        total, largest = sum(widths.values()), max(abs(change(part)) for part in stage["parts"])
        frames = [(percent(mark["mark"]["x"]), percent(mark["mark"]["width"]), int(mark["mark"]["y"]) // 25, mark["mark"], mark["title"]) for mark in panel["marks"]]
        leaves = [frame for frame in frames if "data-leaf" in frame[3]]
        drawn = [part for part in stage["parts"] if widths[id(part)]]
        undrawn = sum(change(part) for part in stage["parts"] if not widths[id(part)])
        if len(leaves) != len(drawn):
            yield f"{stage['name']}: {len(leaves)} leaves, expected {len(drawn)}"
            continue
        if abs(sum(width for _, width, *_ in leaves) - 100) > ACROSS * len(leaves):
            yield f"{stage['name']}: the leaves are {sum(width for _, width, *_ in leaves)} % wide"
        if sum(int(mark["data-change"]) for *_, mark, _ in leaves) + undrawn != change(stage):
            yield f"{stage['name']}: the leaves change by {sum(int(mark['data-change']) for *_, mark, _ in leaves)} ns, expected {change(stage)} less {undrawn}"
        said = [delta_in(title) for *_, title in leaves]
        if abs(sum(value for value, _ in said) + undrawn - change(stage)) > sum(error for _, error in said):
            yield f"{stage['name']}: the leaves say {sum(value for value, _ in said)} ns, expected {change(stage)} less {undrawn}"
        left = list(drawn)
        for x, width, row, mark, title in leaves:
            part = next((part for part in left if change(part) == int(mark["data-change"]) and abs(100 * widths[id(part)] / total - width) <= 2 * ACROSS
                         and (part["name"] is None or part["name"][:20] in title)), None)
            if not part or row != (2 if part["kind"].startswith("operator") else 1):
                yield f"{stage['name']}: no part for the leaf {title!r} of {width} %"
                continue
            left.remove(part)
            times = re.search(r", ([\d.-]+ \w+) to ([\d.-]+ \w+)", title[title.index(part["name"][-6:]) if part["name"] and part["name"][-6:] in title else 0:])
            if not times or any(time >= 0 and not says(text, time) for text, time in zip(times.groups(), part["times_ns"])):
                yield f"{stage['name']}: {title!r}, expected {part['times_ns']}"
        for x, width, row, mark, title in frames:
            value, wanted = int(mark["data-change"]), "d-same"
            if abs(value) >= 0.02 * largest:
                wanted = f"{'w-added' if value > 0 else 'w-removed'} d-{min(4, math.ceil(4 * abs(value) / largest))}"
            if not mark["class"].endswith(wanted):
                yield f"{stage['name']}: {title!r} has the colour {mark['class']}, expected {wanted}"
            below = [frame for frame in frames if frame[2] == row + 1 and x - ACROSS <= frame[0] and frame[0] + frame[1] <= x + width + 2 * ACROSS]
            if "data-leaf" not in mark and (abs(sum(frame[1] for frame in below) - width) > ACROSS * (len(below) + 1)
                                            or sum(int(frame[3]["data-change"]) for frame in below) + (0 if row else undrawn) != value):
                yield f"{stage['name']}: {title!r} has {len(below)} frames below, which do not add up to it"
        note = page.read("function (id) { var p = document.getElementById(id + '-title').closest('.plot').parentNode; return p.textContent; }", panel["id"])
        if undrawn and "Not drawn" not in note:
            yield f"{stage['name']}: {undrawn} ns are neither drawn nor stated"


# ---- history ----

def check_history(made, page):
    histories = has(made.document, "histories") or []
    pairs, wrong = panels_of("history", page, histories)
    if wrong:
        yield wrong
        return
    for history, panel in pairs:
        row, points = made.document["rows"][history["row"]], history["points"]
        stored = [point[4] for point in points if not point[3]]
        recorded = [one["value"] for one in made.series[row["scope"]]["runs"]][-len(stored):]
        if stored != recorded or sum(point[3] for point in points) != made.document["candidate"]["runs"]:
            yield f"{row['scope']}: values of {stored}, but the history has {recorded}"
        known = [(i, point) for i, point in enumerate(points) if point[4] is not None]
        dots = [mark for mark in panel["marks"] if "cx" in mark["mark"]]
        lines = [mark for mark in panel["marks"] if "cx" not in mark["mark"]]
        low, high = axis_of_history([point[4] for _, point in known])
        if len(dots) != len(known) or len(lines) != len(history["steps"]):
            yield f"{row['scope']}: {len(dots)} dots and {len(lines)} lines, expected {len(known)} and {len(history['steps'])}"
            continue
        for (i, point), dot in zip(known, dots):
            x, y = 100 * (i + 0.5) / len(points), 170 * (1 - (point[4] - low) / (high - low))
            if abs(percent(dot["mark"]["cx"]) - x) > ACROSS or abs(float(dot["mark"]["cy"]) - y) > DOWN:
                yield f"{row['scope']}: run {i} at {dot['mark']['cx']}, {dot['mark']['cy']}, expected {x:.3f} and {y:.2f}"
            if dot["mark"]["class"].split()[1] != ("g-candidate" if point[3] else "g-baseline"):
                yield f"{row['scope']}: run {i} is drawn as {dot['mark']['class']}"
            value, name, *more = dot["title"].split(", ")
            if not says_value(value, point[4], row["unit"]) or (len(point[0]) <= 40 and name != f"{'candidate' if point[3] else 'run'} {point[0]}") \
                    or (point[1] and more[0] != point[1][:16].replace("T", " ")):
                yield f"{row['scope']}: run {i} says {dot['title']!r}, expected {point}"
        for step, line in zip(history["steps"], lines):
            if abs(percent(line["around"]["x"]) - 100 * step["point"] / len(points)) > ACROSS:
                yield f"{row['scope']}: a change point at {line['around']['x']}, expected the run {step['point']}"
            said = re.fullmatch(r"(\S+) % at (?:run|candidate) (.*?)(?:, .*?)?(?:; labels that change there: (.*))?", line["title"])
            if not said or abs(float(said[1]) - 100 * step["change"]) > 0.51 or said[3] != step["labels"]:
                yield f"{row['scope']}: a change point says {line['title']!r}, expected {step}"
    if made.name == "gate-history" and not any("driver 550 -> 570" in (step["labels"] or "") for history in histories for step in history["steps"]):
        yield "no change point names the driver"


def axis_of_history(values):
    low, high = min(values), max(values)
    span = max(high - low, 0.06 * abs((low + high) / 2) or 1)
    return (low + high - span) / 2 - 0.06 * span, (low + high + span) / 2 + 0.06 * span


CHECKS = {"history": check_history, "runs": check_runs, "distributions": check_curves, "waterfall": check_waterfall, "flame": check_flame}
