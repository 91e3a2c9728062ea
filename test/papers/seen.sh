#!/usr/bin/env bash
# Every quantity of the papers' examples stands in `zwang compare --json`, under its name; and a wrong one would be seen.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python3 -B "$here/seen.py" "$ZWANG"
# the same with a program that gets one sign wrong
cat >liar <<'L'
#!/bin/sh
"$ZWANG" "$@" | sed 's/"Qc_h":\[/"Qc_h":[-/; s/\[--/[/'
L
chmod +x liar
if python3 -B "$here/seen.py" ./liar >out; then
  echo "a wrong sign was not seen" >&2
  exit 1
fi
tail -n 1 out
