#!/usr/bin/env bash
# Events in models whose rows repeat each other: what happens at an event is judged at the state there, so rows that repeat contradict
# nothing. Against the same model with every row stated once.
. "$(dirname "$0")/lib.bash"

# pendulum LINE: with this line, stated twice and once: the same end
pendulum() {
  model once <<M
coord P = (1, 0)
memory n = 0
kinetic 1/2*P'^2
potential 9.81*P.y
constraint a: norm(P) = 1
$1
run 0 .. 4 tolerance 1e-11
M
  { cat once.zw && echo 'constraint a2: P^2 = 1'; } >twice.zw
  for integrator in auto explicit radau adams bdf; do
    zwang run once.zw --integrator $integrator
    is 0
    IFS=, read -r _ x y _ < <(tail -n 1 once.csv)
    zwang run twice.zw --integrator $integrator
    is 0
    prints "verdict      trusted"
    ends_at twice.csv 2 "$x" 1e-6
    ends_at twice.csv 3 "$y" 1e-6
  done
}

pendulum 'contact w: P.x >= -0.3, restitution 0.6'
pendulum 'when P.x < -0.9: n = n + 1'
pendulum 'when t > 0.9: n = 1'
pendulum 'force P.x = 2 while t > 0.9'

# Bennett's linkage, three of whose twenty rows repeat others, and an event that touches nothing
for t in 0.1 0.5 1.7; do
  {
    cat "$root/examples/bennett.zw"
    echo 'memory seen = 0'
    echo "when t > $t: seen = seen + 1"
  } >bennett.zw
  zwang run bennett.zw
  is 0
  prints "events       1" "verdict      trusted"
done

# what does contradict from an event on is still said, with its names
model pulled <<'M'
coord P = (1, 0)
memory n = 0
kinetic 1/2*P'^2
potential 9.81*P.y
constraint a: norm(P) = 1
constraint a2: P^2 = 1
constraint a3: 2*norm(P) = 2 + n
when t > 0.5: n = 0.1
run 0 .. 1
M
zwang run pulled.zw
is 1
says "a3"

echo "$checks checks"
