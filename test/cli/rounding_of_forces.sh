#!/usr/bin/env bash
# What large forces leave when they cancel is known to no more than their rounding: coordinates that only this moves, or that are reached
# by a wave as a high power of the time, must not be followed digit by digit of what is none. Steps are counted, not seconds.
. "$(dirname "$0")/lib.bash"

# ends_near K V M of the table of the last run; took_at_most N steps
ends_near() {
  checks=$((checks + 1))
  tail -n 1 "$1.csv" | awk -F, -v k="$2" -v v="$3" -v m="$4" '{ d = $k - v; exit !(d <= m && d >= -m) }' ||
    fail "column $2 of $1 ends at $(tail -n 1 "$1.csv" | cut -d, -f"$2"), not at $3"
}
took_at_most() {
  checks=$((checks + 1))
  steps=$(sed -n 's/^ *steps *\([0-9]*\) accepted.*/\1/p' out)
  [ "$steps" -le "$1" ] || fail "$steps steps instead of at most $1"
}

# a lattice that flies apart from its ends: in the middle exp(0) - exp(0)
model lattice <<'E2'
param N = 6
coord x[1..N]
kinetic sum(i in 1..N: 1/2*x[i]'^2)
potential sum(i in 1..N - 1: exp(x[i] - x[i + 1]))
run 0 .. 5
E2
for N in 4 6 10 20 60; do
  zwang run lattice.zw --set N=$N --tolerance 1e-12
  is 0
  x=$(tail -n 1 lattice.csv | cut -d, -f3)
  zwang run lattice.zw --set N=$N
  is 0
  prints "verdict      trusted"
  took_at_most 100
  ends_near lattice 3 "$x" 1e-6
done
for integrator in radau bdf adams; do
  zwang run lattice.zw --integrator $integrator
  is 0
  took_at_most 1000
done

# the same with other masses and units of energy
model heavy <<'E2'
param N = 10, m = 1, e = 1
coord x[1..N]
kinetic sum(i in 1..N: 1/2*m*x[i]'^2)
potential sum(i in 1..N - 1: m*e*exp(x[i] - x[i + 1]))
run 0 .. 5/sqrt(e)
E2
zwang run heavy.zw
x=$(tail -n 1 heavy.csv | cut -d, -f3)
for set in m=1e-12 m=1e12 e=1e-6 e=1e6; do
  zwang run heavy.zw --set $set
  is 0
  took_at_most 100
  ends_near heavy 3 "$x" 1e-6
done

# inside one expression: x'' = 2 sinh(x) by the difference of two exponentials, from 1e-12: x = 1e-12 cosh(sqrt(2) t) while it is small
model apart <<'E2'
coord x = 1e-12
kinetic 1/2*x'^2
potential -exp(x) - exp(-x)
run 0 .. 10
E2
zwang run apart.zw
is 0
took_at_most 200
ends_near apart 2 6.95e-7 5e-9

# a wave along a chain, and a net of it: before the front there is nothing
model wave <<'E2'
param N = 200
coord x[1..N]
kinetic sum(i in 1..N: 1/2*x[i]'^2)
potential sum(i in 1..N - 1: 1/2*(x[i] - x[i + 1])^2 + 0.1*(x[i] - x[i + 1])^4)
start x[1]' = 1
run 0 .. 20
E2
zwang run wave.zw
is 0
took_at_most 400

echo "$checks checks"
