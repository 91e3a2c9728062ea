#!/usr/bin/env bash
# What `zwang paper` checks and prints, evaluated a second time by sympy and numpy; and wrong signs would be seen.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3 # Debian's own, which has numpy, scipy and sympy
"$python" -B "$here/pages.py" "$ZWANG"
"$python" -B "$here/pages.py" "$ZWANG" --lie
