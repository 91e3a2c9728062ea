#!/usr/bin/env bash
# run --formulation gibbs-appell --eliminate: the partition of T27 is that of the user, as long as it can be.
. "$(dirname "$0")/lib.bash"
model pendulum <<'E'
coord x = 0.6, y = -0.8
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
constraint rod: x^2 + y^2 = 1
run 0 .. 3 every 0.1
E
by=(--formulation gibbs-appell)

# another partition, the same motion
zwang run pendulum.zw -o plain.csv
is 0
x=$(tail -n 1 plain.csv | cut -d, -f2)
zwang run pendulum.zw "${by[@]}" --eliminate y
is 0
says_nothing
prints "formulation gibbs-appell"
ends_at pendulum.csv 2 "$x" 1e-7
cp "$root/test/papers/data/uk98_appell.zw" .
zwang run uk98_appell.zw -o plain.csv
x=$(tail -n 1 plain.csv | cut -d, -f2)
for e in x y; do
  zwang run uk98_appell.zw "${by[@]}" --eliminate $e -o $e.csv
  is 0
  ends_at $e.csv 2 "$x" 1e-7
done
# rows that repeat each other count once; two at a time; forces and sensitivities beside it
cp "$root/test/papers/data/u96_twice.zw" .
zwang run u96_twice.zw "${by[@]}" --eliminate z --forces --sensitivity m
is 0
model two <<'E'
coord x = 1, y, z, w
kinetic 1/2*(x'^2 + 2*y'^2 + 3*z'^2 + w'^2) + 0.3*x'*w'
potential x*y + w^2
constraint a: z = x*y
constraint b: w' = x' + z*y'
run 0 .. 1
E
zwang run two.zw -o plain.csv
x=$(tail -n 1 plain.csv | cut -d, -f2)
for e in z,w w,z x,z; do
  zwang run two.zw "${by[@]}" --eliminate $e -o other.csv
  is 0
  ends_at other.csv 2 "$x" 1e-7
done

# independent at the start, not later: the run ends there, and keeps its rows
zwang run pendulum.zw "${by[@]}" --eliminate x -o lost.csv
is 1
says "at t = 0.5148" "the acceleration of 'x' cannot be eliminated: the constraints do not determine it from those that stay"
absent lost.csv
whole_rows lost.csv.part
awk -F, 'NR > 1 && !($2 > 0 && $1 < 0.54) { exit 1 }' lost.csv.part || fail "rows behind the place where x = 0"
# not before: a step that is too long is tried shorter, whatever its method; what happens before still happens
model circle <<'E'
coord x = 1, y = 0
kinetic 1/2*(x'^2 + y'^2)
constraint track: x^2 + y^2 = 1
start y' = 1
run 0 .. 3 every 0.1
E
integrators="auto explicit radau"
zwang --version
if grep -qi sundials out; then integrators="$integrators bdf adams"; fi
for integrator in $integrators; do
  zwang run circle.zw "${by[@]}" --eliminate x --integrator $integrator -o lost.csv
  is 1
  says "at t = 1.570795" "the acceleration of 'x' cannot be eliminated" "eliminate others; without --eliminate"
  absent lost.csv
  ends_at lost.csv.part 1 1.5 1e-12
  whole_rows lost.csv.part
  rm lost.csv.part
  zwang run circle.zw "${by[@]}" --eliminate x --integrator $integrator --to 1.5707 -o near.csv
  is 0
done
{ cat circle.zw; echo "stop when x < 1e-3"; } >stops.zw
zwang run stops.zw "${by[@]}" --eliminate x -o stops.csv
is 0
ends_at stops.csv 1 1.5697963 1e-6
zwang run circle.zw "${by[@]}" --eliminate x --json -o lost.csv
is 1
is_json
json_is "errors[0].remedy" "eliminate others; without --eliminate the largest columns are taken at every instant"
rm lost.csv.part
# the rank changes on the way
sed 's/= 1$/= 1 while t < 0.25/' pendulum.zw >lets_go.zw
zwang run lets_go.zw "${by[@]}" --eliminate y
is 1
says "at t = 0.25 1 acceleration cannot be eliminated: as many are as constraints are independent, and that is 0"
exists lets_go.csv.part
# what was interrupted goes on with the same partition only
background run pendulum.zw "${by[@]}" --eliminate y --to 1e7 --checkpoint 0.01 -o long.csv
await is_there long.resume
finish INT
is 130
zwang run pendulum.zw "${by[@]}" --to 1e7 -o long.csv --resume
is 2
says "is of another run: 'rows' was 5 columns, eliminating y and is 5 columns"

# ---- what is refused ----
refused() { # LIST WORDS
  zwang run pendulum.zw "${by[@]}" --eliminate "$1" -o refused.csv
  is 2
  says "$2"
  absent refused.csv refused.csv.part
}
refused x,y "2 accelerations cannot be eliminated: as many are as constraints are independent, and that is 1"
refused q "--eliminate: 'q' is no coordinate; the coordinates are x, y"
refused y,y "--eliminate names 'y' twice"
refused "" "--eliminate: '' is no coordinate"
sed 's/x = 0.6, y = -0.8/x = 1, y = 0/' pendulum.zw >level.zw
zwang run level.zw "${by[@]}" --eliminate y
is 2
says "at t = 0 the acceleration of 'y' cannot be eliminated: the constraints do not determine it from those that stay"
absent level.csv level.csv.part
zwang run two.zw "${by[@]}" --eliminate x,w -o refused.csv
is 2
says "at t = 0 the acceleration of 'w' cannot be eliminated"
absent refused.csv
# rows that repeat each other and read velocities, where numbers grow before the state itself is reached
zwang run "$root/examples/u96-cone.zw" "${by[@]}" --eliminate x --out .
is 1
says "the acceleration of 'x' cannot be eliminated" "eliminate others"
for other in auto lagrange gibbs-appell-quasi; do
  zwang run pendulum.zw --formulation $other --eliminate y -o refused.csv
  is 2
done
zwang run pendulum.zw --eliminate y -o refused.csv
is 2
says "accelerations cannot be eliminated by this formulation: gibbs-appell does that" "write --formulation gibbs-appell"
zwang check pendulum.zw --eliminate y
is 2
says "'zwang check' has no option '--eliminate'"
done_well
