#!/usr/bin/env bash
# What `zwang paper --latex` prints, read as TeX would.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
/usr/bin/python3 -B "$here/latex.py" "$ZWANG"
