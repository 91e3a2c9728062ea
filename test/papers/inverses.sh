#!/usr/bin/env bash
# What compare shows, against the formulas of the papers with inverses drawn at random; and wrong signs would be seen.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3 # Debian's own, which has numpy, scipy and sympy
"$python" -B "$here/inverses.py" "$ZWANG"
"$python" -B "$here/inverses.py" "$ZWANG" --lie
