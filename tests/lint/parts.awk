# SPDX-License-Identifier: GPL-3.0-or-later
# Splits C sources. -v want=code prints the code of each line, comments and texts taken out: FILE:LINE: CODE.
# -v want=prose prints comments and texts instead, each as FILE:LINE:KIND: TEXT. KIND is "open" for the line that opens
# a comment, "more" for its other lines, "text" for a string literal.

function prose(kind, text) {
	if (want == "prose" && text ~ /[A-Za-z]/)
		print FILENAME ":" FNR ":" kind ": " text
}

# Takes the rest of a comment from `line`; returns what follows it.
function rest_of_comment(line,   at, text) {
	at = index(line, "*/")
	inside = at == 0
	text = inside ? line : substr(line, 1, at - 1)
	sub(/^[ \t]*\*?[ \t]*/, "", text)
	if (text ~ /[A-Za-z]/) {
		prose(opening ? "open" : "more", text)
		opening = 0
	}
	return inside ? "" : substr(line, at + 2)
}

FNR == 1 { inside = 0 }
{
	line = $0
	code = ""
	if (inside)
		line = rest_of_comment(line)
	while (match(line, /\/\*|\/\/|"|'/)) {
		mark = substr(line, RSTART, RLENGTH)
		code = code substr(line, 1, RSTART - 1)
		line = substr(line, RSTART + RLENGTH)
		if (mark == "/*") {
			opening = 1
			line = rest_of_comment(line)
		} else if (mark == "//") {
			prose("open", line)
			line = ""
		} else if (mark == "\"") {
			match(line, /^([^"\\]|\\.)*"/)
			prose("text", substr(line, 1, RLENGTH - 1))
			line = substr(line, RLENGTH + 1)
			code = code "\"\""
		} else {
			match(line, /^([^'\\]|\\.)*'/)
			line = substr(line, RLENGTH + 1)
			code = code "0"
		}
	}
	if (want == "code" && !inside)
		print FILENAME ":" FNR ": " code line
}
