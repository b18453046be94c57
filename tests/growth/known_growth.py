# SPDX-License-Identifier: GPL-3.0-or-later
"""known_growth.py KIND N: takes time or memory that grows with N in a known way, to test growth.py. Other arguments do nothing."""
import sys


def burn(count):
    """Takes time proportional to the count."""
    for _ in range(count):
        pass


def main():
    kind, n = sys.argv[1], sys.argv[2]
    if kind == "linear":
        burn(40 * int(n))
    elif kind == "quadratic":
        burn(int(n) * int(n))
    elif kind == "hungry":
        # On a slow machine few steps take long enough to be measured; their memory must show then, too.
        burn(2500 * int(n))
        _ = b"x" * (4 * int(n) * int(n))
    elif kind == "refusing":
        sys.exit(5)
    elif kind == "killed":
        burn(1 << 60)


main()
