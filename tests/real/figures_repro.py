# SPDX-License-Identifier: GPL-3.0-or-later
"""Small files written to show a defect."""
import figures_bench

FOLDER = "repro"
expected, given = figures_bench.expected, figures_bench.given
