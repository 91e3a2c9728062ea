#!/usr/bin/env bash
# Beads between masses that close in: impacts without end in a finite time, after which all go on together. Their velocity and their
# place are those of the centre of mass, whatever the restitution, the tolerance and the integrator are.
. "$(dirname "$0")/lib.bash"

model bead <<'E'
param e = 0.5, m = 0.01, v = 1
coord a = 0, b = 0.7, c = 2
kinetic 1/2*(a'^2 + m*b'^2 + c'^2)
contact left: b - a >= 0, restitution e
contact right: c - b >= 0, restitution e
start a' = v, c' = -0.5
run 0 .. 3
E
# (2 + 0.7 m + 3 P)/(2 + m) and P/(2 + m) with P = v - 0.5
is_one_body() {
  is 0
  prints "verdict      trusted"
  for k in 2 3 4; do ends_at bead.csv $k 1.744776119402985 1e-12; done
  for k in 5 6 7; do ends_at bead.csv $k 0.248756218905473 1e-12; done
}
for e in 0.2 0.5 0.7; do
  for tolerance in 1e-6 1e-8 1e-10 1e-12; do
    zwang run bead.zw --set e=$e --tolerance $tolerance
    is_one_body
  done
done
for integrator in explicit radau adams bdf; do
  zwang run bead.zw --integrator $integrator
  is_one_body
done

# bounces that lose less have an end of their own, and the tolerance does not matter
for e in 0.8 1; do
  zwang run bead.zw --set e=$e --tolerance 1e-6
  cp bead.csv coarse.csv
  zwang run bead.zw --set e=$e --tolerance 1e-12
  for k in 2 3 4 5 6 7; do ends_at coarse.csv $k "$(tail -n 1 bead.csv | cut -d, -f$k)" 1e-10; done
done

# derivatives by m, v and e go through all the turns
zwang run bead.zw --sensitivity m,v,e
is 0
for k in 8 9 10; do ends_at bead.csv $k -0.519789114130844 1e-10; done
for k in 14 15 16; do ends_at bead.csv $k 1.492537313432836 1e-10; done
for k in 17 18 19; do ends_at bead.csv $k 0.497512437810945 1e-10; done
for k in 20 21 22 23 24 25; do ends_at bead.csv $k 0 1e-10; done

# three beads, and a body on a spring elsewhere that feels nothing of it: cos 3
model beads <<'E'
param e = 0.6
coord a = 0, b[1..3], c = 2, far = 1
kinetic 1/2*(a'^2 + c'^2 + far'^2) + sum(i in 1..3: 0.005*i*b[i]'^2)
potential 1/2*far^2
contact left: b[1] - a >= 0, restitution e
contact first: b[2] - b[1] >= 0, restitution e
contact second: b[3] - b[2] >= 0, restitution e
contact right: c - b[3] >= 0, restitution e
start a' = 1, c' = -0.5, b[1] = 0.3, b[2] = 0.8, b[3] = 1.5
run 0 .. 3
E
for e in 0.6 0.7; do
  for tolerance in 1e-6 1e-9 1e-12; do
    zwang run beads.zw --set e=$e --tolerance $tolerance
    is 0
    prints "verdict      trusted"
    for k in 8 9 10 11 12; do ends_at beads.csv $k 0.242718446601942 1e-9; done # 0.5/2.06
    ends_at beads.csv 7 -0.989992496600445 1e-4
  done
done

echo "$checks checks"
