#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run.py WEIR [--only PART-OF-NAME] [--pictures FOLDER]: opens pages of weir in a headless Chromium and reads back what a person would see."""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as chromium
import gate_pictures
import gates
import pages
import pictures

WIDTHS = (1920, 1280, 800, 400)
LEAST_CONTRAST = {"text": 4.5, "mark": 3.0}
offences = []
counts = {}


def offend(page, sentence):
    offences.append(f"{page}: {sentence}")


def counted(what, number=1):
    counts[what] = counts.get(what, 0) + number


# ---- every page ----

# Elements that reach beyond the page, except inside of a part that scrolls.
OVERFLOW = """function () {
    if (document.documentElement.scrollWidth <= innerWidth)
        return [];
    return ['scrolls over ' + document.documentElement.scrollWidth].concat(Array.from(document.querySelectorAll('body *')).filter(function (e) {
        return e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll') && !e.closest('svg');
    }).map(function (e) { return e.tagName + '.' + e.getAttribute('class') + ': ' + e.textContent.slice(0, 40); }));
}"""

# Pairs of visible labels of a picture that overlap, and labels beyond the card.
LABELS = """function () {
    var found = [];
    document.querySelectorAll('.chart').forEach(function (chart) {
        var card = chart.closest('section').getBoundingClientRect();
        var texts = Array.from(chart.querySelectorAll('text')).filter(function (t) {
            return t.textContent && !t.closest('.inside') && t.getBoundingClientRect().width > 0;
        });
        var boxes = texts.map(function (t) { return t.getBoundingClientRect(); });
        for (var i = 0; i < boxes.length; i++) {
            if (boxes[i].left < card.left || boxes[i].right > card.right)
                found.push(chart.closest('section').id + ': "' + texts[i].textContent + '" is outside');
            for (var j = 0; j < i; j++)
                if (Math.min(boxes[i].right, boxes[j].right) - Math.max(boxes[i].left, boxes[j].left) > 1 &&
                    Math.min(boxes[i].bottom, boxes[j].bottom) - Math.max(boxes[i].top, boxes[j].top) > 3)
                    found.push(chart.closest('section').id + ': "' + texts[i].textContent + '" on "' + texts[j].textContent + '"');
        }
    });
    return found;
}"""

# Colours of texts and marks with the colour behind them, one of each class.
COLOURS = """function () {
    var found = {}, card = getComputedStyle(document.querySelector('.card')).backgroundColor;
    function behind(e) {
        for (; e; e = e.parentElement) {
            var colour = getComputedStyle(e).backgroundColor;
            if (colour !== 'rgba(0, 0, 0, 0)')
                return colour;
        }
    }
    document.querySelectorAll('body *').forEach(function (e) {
        var style = getComputedStyle(e), own = Array.from(e.childNodes).some(function (n) { return n.nodeType === 3 && n.textContent.trim(); });
        var name = e.tagName + '.' + (e.getAttribute('class') || '') + (e.closest('.inside') ? ' in ' + e.closest('.inside').getAttribute('class') : '');
        if (!e.getClientRects().length || e.closest('title, desc, script, style'))
            return;
        if (e.closest('svg') && own)
            found['text ' + name] = [style.fill, e.closest('.inside') ? getComputedStyle(e.closest('.inside').previousElementSibling).fill : card];
        else if (e.matches('.m:not(.part):not(.cells > .m), .part rect, .cells > .h8'))
            found['mark ' + name] = [style.fill, card, style.stroke];
        else if (own && !e.closest('svg'))
            found['text ' + name] = [style.color, behind(e)];
    });
    return found;
}"""

# What each picture must have for screen readers and for people who do not know it.
SPOKEN = """function () {
    return Array.from(document.querySelectorAll('.picture')).map(function (card) {
        function text(selector) { var e = card.querySelector(selector); return e ? e.textContent.trim() : ''; }
        return [card.id, text('h2'), text('.aid'), text('svg > title'), text('svg > desc')];
    });
}"""


def luminance(colour):
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)]
    if colour.startswith("color("):
        parts = [part * 255 for part in parts[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in parts[:3])]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check_colours(name, page, theme):
    colours = page.read(COLOURS)
    counted("colours", len(colours))
    for what, (colour, behind, *edge) in colours.items():
        least = LEAST_CONTRAST[what.split()[0]]
        found = max(contrast(one, behind) for one in [colour, *edge] if one != "none")
        if found < least:
            offend(name, f"{theme}: {what}: {colour} on {behind}: a contrast of {found:.1f}, expected {least}")


def check_look(name, page, theme):
    for width in WIDTHS:
        page.resize(width)
        for text in page.read(OVERFLOW) or []:
            offend(name, f"{width} pixels, {theme}: wider than the page: {text}")
        for text in page.read(LABELS):
            offend(name, f"{width} pixels, {theme}: {text}")
        if folder_of_pictures:
            page.picture(f"{folder_of_pictures}/{name}-{width}-{theme}.png")
    page.resize(WIDTHS[0])
    check_colours(name, page, theme)


def check_words(name, page):
    for card, heading, aid, title, description in page.read(SPOKEN):
        counted("pictures")
        if not (heading and title and description):
            offend(name, f"{card}: lacks a heading, title or description")
        if not re.fullmatch(r"[A-Z][^.]+\.", aid):
            offend(name, f"{card}: {aid!r} is not one sentence")


def check_complaints(name, page):
    for text in page.complaints():
        offend(name, text)


def checks_of(made):
    return {"weir.gate/1": gate_pictures.CHECKS, "weir.report/1": pictures.CHECKS}.get(made.document["schema"], {})


def check_page(made, browser):
    page = chromium.Page(browser, made.path)
    check_words(made.name, page)
    for what, check in checks_of(made).items():
        for sentence in check(made, page):
            offend(made.name, f"{what}: {sentence}")
    check_look(made.name, page, "light")
    check_complaints(made.name, page)
    page.close()
    page = chromium.Page(browser, made.path, dark=True)
    check_look(made.name, page, "dark")
    check_complaints(made.name, page)
    page.close()


# ---- without the script ----

def check_without_script(made, browser):
    page = chromium.Page(browser, made.path, script=False)
    for what, check in checks_of(made).items():
        for sentence in check(made, page):
            offend(made.name, f"without scripts: {what}: {sentence}")
    check_complaints(made.name, page)
    page.close()


# ---- keys and pointer ----

READOUT = "function (id) { return document.querySelector('#' + id + ' .readout').textContent; }"
FOCUS = "function (id) { document.querySelector('#' + id + ' .chart').focus(); return document.activeElement.getAttribute('class'); }"
PLACE = """function (id, index) {
    var mark = document.querySelectorAll('#' + id + ' .m')[index], box;
    mark.scrollIntoView({ block: 'center' });
    box = mark.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
}"""


def check_keys(made, browser):
    """The keys of a picture name one mark after the other, as the pointer does."""
    page = chromium.Page(browser, made.path)
    marks = page.read(pictures.MARKS, "strip")
    titles = [mark["title"] for mark in marks]
    if page.read(FOCUS, "strip") != "chart":
        offend(made.name, "the picture cannot be focused")
    for key, expected in (("ArrowRight", titles[0]), ("End", titles[-1]), ("Home", titles[0])):
        page.press(key)
        if page.read(READOUT, "strip") != expected:
            offend(made.name, f"after {key}: {page.read(READOUT, 'strip')!r}, expected {expected!r}")
    page.press("ArrowDown")
    below = page.read(READOUT, "strip")
    page.press("ArrowRight")
    beside = page.read(READOUT, "strip")
    if len({titles[0], below, beside}) != 3 or below not in titles or beside not in titles:
        offend(made.name, f"down and right lead from {titles[0]!r} to {below!r} and {beside!r}")
    widest = max(range(len(marks)), key=lambda i: pictures.percent(marks[i]["width"]))
    page.point(*page.read(PLACE, "strip", widest))
    if page.read(READOUT, "strip") != titles[widest]:
        offend(made.name, f"under the pointer: {page.read(READOUT, 'strip')!r}, expected {titles[widest]!r}")
    check_complaints(made.name, page)
    page.close()


FOCUS_CHART = """function (index) {
    var chart = document.querySelectorAll('.chart')[index];
    chart.focus();
    return [document.activeElement === chart, Array.from(chart.querySelectorAll('.m title')).map(function (title) { return title.textContent; })];
}"""
READOUT_OF = "function (index) { return document.querySelectorAll('.chart')[index].parentNode.nextElementSibling.textContent; }"


def check_every_chart(made, browser):
    """Each picture of the page answers to keys: its first and its last mark are named."""
    page = chromium.Page(browser, made.path)
    charts = page.read("function () { return document.querySelectorAll('.chart').length; }")
    counted("pictures with keys", charts)
    for index in range(charts):
        focused, titles = page.read(FOCUS_CHART, index)
        for key, expected in (("ArrowRight", titles[0]), ("End", titles[-1])):
            page.press(key)
            if not focused or page.read(READOUT_OF, index) != expected:
                offend(made.name, f"picture {index}: after {key}: {page.read(READOUT_OF, index)!r}, expected {expected!r}")
    check_complaints(made.name, page)
    page.close()


# ---- the table of operators ----

CLICK = "function (selector) { document.querySelector(selector).click(); }"
FOCUS_ON = "function (selector) { document.querySelector(selector).focus(); return document.activeElement.tagName; }"
SHOWN = """function () {
    return Array.from(document.querySelectorAll('#operators tbody')).filter(function (body) { return body.getClientRects().length; })
        .map(function (body) { return body.querySelector('.cell-operator code').textContent; });
}"""
UNFOLDED = "function () { return getComputedStyle(document.querySelector('#operators tr.unfolded')).display; }"


def check_sorting(made, page):
    """Each column with figures sorts downwards first, then upwards, then by name again."""
    names = page.read(SHOWN)
    for column, key in (("total", "total_ns"), ("count", "count"), ("p50", "p50_ns"), ("gbps", "gbps")):
        for down in (True, False):
            page.read(CLICK, f"#operators th.cell-{column} button")
            rows = page.read(pictures.OPERATORS)
            values = [row["values"][column] for row in rows if row["values"][column] is not None]
            wanted = sorted((operator[key] for operator in made.document["operators"] if operator[key] is not None), reverse=down)
            if len(values) != len(wanted) or any(abs(a - b) > max(0.5, 1e-5 * abs(b)) for a, b in zip(values, wanted)):
                offend(made.name, f"sorted by {column}: {values[:4]}, expected {wanted[:4]}")
            if any(row["values"][column] is None for row in rows[:len(values)]):
                offend(made.name, f"sorted by {column}: rows without a value are not last")
    page.read(FOCUS_ON, "#operators th.cell-operator button")
    page.press("Enter", "\r")
    if page.read(SHOWN) != sorted(names, key=str.lower):
        offend(made.name, f"sorted by name with the keyboard: {page.read(SHOWN)[:4]}")
    if page.read("function () { return document.querySelector('#operators [aria-sort]').className; }") != "cell-operator":
        offend(made.name, "the sorted column is not marked")


def check_filter(made, page):
    names = page.read(SHOWN)
    for words in ("operator_01", "KERNEL_007", "nothing has this name"):
        page.read(FOCUS_ON, "#operators .filter input")
        page.read("function () { document.querySelector('#operators .filter input').select(); }")
        page.type(words)
        wanted = {operator["name"] for operator in made.document["operators"]
                  if words.lower() in (operator["name"] + " ".join(kernel["name"] for kernel in operator["kernels"])).lower()}
        if set(page.read(SHOWN)) != wanted:
            offend(made.name, f"filtered by {words!r}: {page.read(SHOWN)[:5]}, expected {sorted(wanted)[:5]}")
        count = page.read("function () { return document.querySelector('#operators .filter span').textContent; }")
        if count != f"{len(wanted)} of {len(names)}":
            offend(made.name, f"filtered by {words!r}: {count!r}, expected {len(wanted)} of {len(names)}")


def check_unfolding(made, browser, script):
    page = chromium.Page(browser, made.path, script=script)
    states = [page.read(UNFOLDED)]
    page.read(FOCUS_ON, "#operators summary")
    for _ in range(2):
        page.press("Enter", "\r")
        states.append(page.read(UNFOLDED))
    if states != ["none", "table-row", "none"]:
        offend(made.name, f"a row unfolds {'with' if script else 'without'} the script: {states}")
    check_complaints(made.name, page)
    page.close()


def check_operators(made, browser):
    page = chromium.Page(browser, made.path)
    check_sorting(made, page)
    check_filter(made, page)
    check_complaints(made.name, page)
    page.close()
    check_unfolding(made, browser, True)
    check_unfolding(made, browser, False)


# ---- size and speed ----

def check_size(made, browser):
    """A page of 200 operators is small, and answers soon after it is opened."""
    size, times = os.path.getsize(made.path), []
    for _ in range(3):  # the machine may be busy: the fastest counts
        page = chromium.Page(browser, made.path)
        times.append(page.read("""function () {
            var entry = performance.getEntriesByType('navigation')[0];
            return document.querySelector('#operators .filter input') && document.querySelector('.readout') ? entry.loadEventEnd - entry.startTime : null;
        }"""))
        page.close()
    ready = None if None in times else min(times)
    if len(made.document["operators"]) < 200 or size >= 700_000:
        offend(made.name, f"{size} bytes for {len(made.document['operators'])} operators, expected less than 700,000 for 200")
    if ready is None or ready > 1000:
        offend(made.name, f"ready after {ready} ms, expected at most 1,000")
    print(f"{made.name}: {size} bytes, ready after {ready:.0f} ms")


def main():
    if not chromium.program():
        print("skipped: Chromium is not installed (Debian: apt-get install chromium); the page was not opened")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        made = pages.make(sys.argv[1], folder) | gates.make(sys.argv[1], pathlib.Path(folder))
        if only:
            made = {name: one for name, one in made.items() if only in name}
        browser = chromium.Browser()
        try:
            for one in made.values():
                check_page(one, browser)
            for name, checks in (("eager", (check_without_script, check_keys)), ("wide", (check_operators, check_size)),
                                 ("gate-slower", (check_without_script,)), ("gate-history", (check_every_chart,))):
                for check in checks if name in made else ():
                    check(made[name], browser)
        finally:
            browser.close()
    for offence in offences[:60]:
        print(offence)
    if offences:
        print(f"{len(offences)} offences")
        return 1
    print(", ".join(f"{number} {what}" for what, number in counts.items()), "on", len(made), "pages")
    return 0


only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
folder_of_pictures = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
if __name__ == "__main__":
    sys.exit(main())
