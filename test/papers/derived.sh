#!/usr/bin/env bash
# The formulas that zwang derive --all prints, against those of sympy; and a wrong sign in each part would be seen.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3 # Debian's own, which has numpy, scipy and sympy
"$python" -B "$here/derived.py" "$ZWANG"
"$python" -B "$here/derived.py" "$ZWANG" --lie
