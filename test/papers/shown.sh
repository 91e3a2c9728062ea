#!/usr/bin/env bash
# The formulas that zwang derive --all prints of every example and of models that are hard to print, evaluated at the start, against the numbers
# of compare; and a wrong sign in each part would be seen.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python3 -B "$here/shown.py" "$ZWANG" "$ZWANG_ROOT"/examples/*.zw "$ZWANG_ROOT"/test/models/*.zw "$here"/shown/*.zw
for file in "$ZWANG_ROOT"/examples/{u96-cone,andrews,bg99-pendulum,slider-crank,stewart}.zw "$here/shown/chain.zw"; do
  python3 -B "$here/shown.py" "$ZWANG" "$file" --lie
done
