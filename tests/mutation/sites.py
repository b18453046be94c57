# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the places of a C source that can be mutated. Relies on the shape that clang-format gives our sources."""

import re
from typing import NamedTuple

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+="}
LOGIC = {"&&": "||", "||": "&&"}
BINARY = re.compile(r"(?<= )(<=|>=|==|!=|\+=|-=|&&|\|\||[-<>+*/])(?= |\n)")
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:e-?\d+)?|\d+e-?\d+|\d+)(?![\w.])")
NUMBER_MACRO = re.compile(r"^#define +\w+ +\(?-?(?:INT64_C\()?(\d[\d.e-]*)\)*\s*$", re.M)
# Lines whose constants size memory or order two items: a change of them has no effect that a test could see.
INERT = re.compile(
    r"^\s*(?:static |const |struct |unsigned |union )*\w+ [*\w]+\[|weir_\w*alloc|weir_\w*reserve|weir_\w*grow|\? -1 : 1"
)
CONDITION = re.compile(r"\b(?:if|while) \(")
RETURN = re.compile(r"^[ \t]*return ([^;]+);", re.M)
STATEMENT = re.compile(r"(?:[;{}):]|\belse|\bdo)[ \t]*\n\s*(?=[a-z_*(+-])", re.I)
# Starts of statements that are declarations or control flow, or that only free memory (the asan preset sees those) or end
# a lock.
KEPT = re.compile(
    r"(?:return|if|for|while|do|else|case|default|goto|struct|enum|union|static|const|unsigned|assert|static_assert"
    r"|free|\w+_free|\w+_release|fclose|closedir|pthread_\w+_destroy)\b"
    r"|\w+ +\**\w+"
)


class Site(NamedTuple):
    """A place and the mutation of it: text[start:end] becomes `new`."""

    kind: str
    start: int
    end: int
    new: str


def mask(text):
    """Returns the text with comments, literals and preprocessor lines blanked; every offset stays the same."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", blank, text, flags=re.M)


def closing(code, at):
    """Returns the offset of the parenthesis that closes the one at `at`; -1 if it is never closed."""
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if depth == 0:
            return i
    return -1


def bodies(code):
    """Yields start and end of each function body."""
    depth = 0
    start = None
    for brace in re.finditer(r"[{}]", code):
        if brace.group() == "{":
            if depth == 0 and code[: brace.start()].rstrip().endswith(")"):
                start = brace.start()
            depth += 1
        else:
            depth -= 1
            if depth == 0 and start is not None:
                yield start, brace.end()
                start = None


def line_of(code, at):
    """Returns the line that holds the offset."""
    return code[code.rfind("\n", 0, at) + 1 : code.find("\n", at)]


def number_sites(code):
    """Constants, one up and one down; 0 only goes up, and a fraction grows by a tenth."""
    for match in NUMBER.finditer(code):
        text = match.group()
        if code[: match.start()].endswith("{") or INERT.search(line_of(code, match.start())):
            continue
        if not text.isdigit():
            yield Site("constant", match.start(), match.end(), f"(1.1 * {text})")
            continue
        yield Site("constant", match.start(), match.end(), str(int(text) + 1))
        if int(text) > 0:
            yield Site("constant", match.start(), match.end(), str(int(text) - 1))


def operator_sites(code):
    """Binary operators, which our sources write between blanks."""
    for match in BINARY.finditer(code):
        for kind, table in (("comparison", COMPARISONS), ("arithmetic", ARITHMETIC), ("logic", LOGIC)):
            if match.group() in table:
                yield Site(kind, match.start(), match.end(), table[match.group()])


def condition_sites(code):
    """Conditions of if and while, negated."""
    for match in CONDITION.finditer(code):
        end = closing(code, match.end() - 1)
        yield Site("condition", match.end(), match.end(), "!(")._replace(end=end)


def return_sites(code):
    """Returned values: 0 instead of another, 1 instead of 0."""
    for match in RETURN.finditer(code):
        value = match.group(1)
        if value == "NULL":
            continue
        new = {"0": "1", "false": "true", "true": "false", "WEIR_OK": "1"}.get(value, "0")
        yield Site("return", match.start(1), match.end(1), new)


def statement_sites(code):
    """Expression statements, left out."""
    for match in STATEMENT.finditer(code):
        start, end = match.end(), code.find(";", match.end())
        text = code[start:end]
        since_brace = code[max(code.rfind("{", 0, start), code.rfind("}", 0, start)) : end]
        if since_brace.count("(") == since_brace.count(")") and not re.search(r"[{}]", text) and not KEPT.match(text):
            yield Site("removal", start, end, "")


def find(text):
    """Returns all sites of a source, in a fixed order."""
    code = mask(text)
    sites = []
    for start, end in bodies(code):
        body = " " * start + code[start:end]
        for finder in (number_sites, operator_sites, condition_sites, return_sites, statement_sites):
            sites += [site for site in finder(body) if "assert" not in line_of(body, site.start)]
    for match in NUMBER_MACRO.finditer(text):
        shifted = number_sites(" " * match.start(1) + match.group(1))
        sites += list(shifted)
    return sorted(sites, key=lambda site: (site.start, site.kind, site.new))


def apply(text, site):
    """Returns the mutated text. It has as many lines as before."""
    old = text[site.start : site.end]
    new = f"!({old})" if site.kind == "condition" else site.new
    return text[: site.start] + new + "\n" * (old.count("\n") - new.count("\n")) + text[site.end :]


def describe(text, site):
    """Returns the line of the site before and after, without indentation."""
    first = text.rfind("\n", 0, site.start) + 1
    last = text.find("\n", max(site.start, site.end - 1))
    changed = apply(text, site)
    before = " ".join(text[first:last].split())
    after = " ".join(changed[first : last + len(changed) - len(text)].split())
    return before, after
