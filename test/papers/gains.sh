#!/usr/bin/env bash
# `export --c` has the gains that make the force of the constraints; exchanged ones would be seen.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python3 -B "$here/gains.py" "$ZWANG"
command -v cc >/dev/null || exit 0
cat >liar <<'L'
#!/bin/sh
"$ZWANG" "$@" && { [ "$1" != export ] || sed -i 's/w->h\[j\] = 1.0;/w->h[j] = -1.0;/' model.c; }
L
chmod +x liar
if python3 -B "$here/gains.py" ./liar >out 2>&1; then
  echo "a wrong sign was not seen" >&2
  exit 1
fi
tail -n 1 out
