#!/usr/bin/env bash
# Outputs read the Gaussian, the energy of accelerations, free accelerations and constraint forces as the papers have them.
set -eu
python3 -B "$(dirname "$0")/quantities.py" "$ZWANG"
