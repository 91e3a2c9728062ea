#!/usr/bin/env bash
# Equilibria where forces jump: no matrix says how small motions go around them. They are refused with the place of the switch, wherever the
# search starts; equilibria beside a kink are found; and a run goes over the kink as it should, in arcs of parabolas.
. "$(dirname "$0")/lib.bash"

well() { # TERM START
  cat >well.zw <<M
param L = ${3:-1}
coord x = $2*L, y = 0.5*L
kinetic 1/2*(x'^2 + y'^2)
potential y^2
$1
run 0 .. 10
M
}

for length in 1 1e5 1e-5; do
  for start in 0 1 -3; do
    for term in "potential abs(x)" "force x = -sign(x)" "force x = if x > 0 then -1 else 2" "potential 3*abs(x - L/4)+x^2/L" \
      "potential max(x, -2*x)"; do
      well "$term" $start $length
      for kind in --equilibrium --steady; do
        zwang linearize well.zw $kind
        is 1
        says "well.zw:5:"
        says "is at a kink: accelerations jump where"
        says "= round it off"
      done
    done
  done
done

for start in 0.2 3; do
  well "potential abs(x - 1) + x^2" $start
  zwang linearize well.zw --equilibrium
  is 0
  prints "0.5"
  prints "1.4142136"
done

# a period of abs(x) from 1 is 4 sqrt(2), each quarter an arc of a parabola
for term in "potential abs(x)" "force x = -sign(x)"; do
  for until in "1.4142135623730951 0" "2.8284271247461903 -1" "5.656854249492381 1" "56.5685424949238 1" "55.154328932550705 0"; do
    well "$term" 1
    zwang run well.zw --to "${until% *}"
    is 0
    prints "verdict      trusted"
    ends_at well.csv 2 "${until#* }" 1e-6
  done
done
done_well
