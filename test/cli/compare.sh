#!/usr/bin/env bash
# zwang compare: all formulations side by side.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/appell.zw" "$root/examples/chaplygin-sleigh.zw" .

zwang compare appell.zw
is 0
prints "compared at 11 instants" "formulation" "moore-penrose" "inverse14" "inverse1" "quadratic" "gibbs-appell" \
  "lagrange" "geometric" "bellman" "does not apply: the model states no quasi-velocities" "Gaussian"
no_results

# a model whose runs are sparse is compared on full matrices
printf "coord x[1..60]\nfor i in 1..60 { kinetic 1/2*x[i]'^2; potential 1/2*x[i]^2 }\nstart x[3] = 1\nrun 0 .. 0.1\n" >sparse.zw
zwang run sparse.zw
is 0
prints ", sparse"
zwang compare sparse.zw --at 0
is 0
prints "compared at 1 instant" "moore-penrose"
rm -f sparse.*

# at instants, in any order
zwang compare appell.zw --at 1.5,0 --at 0.25
is 0
prints "compared at 3 instants"
zwang compare appell.zw --at 0
is 0
prints "compared at 1 instant"
zwang compare appell.zw --at 5
is 2
says "t = 5 is not within the run 0 .. 2" "--to T makes the run longer"
zwang compare appell.zw --at 5 --to 6
is 0
zwang compare appell.zw --at soon
is 2
says "--at needs a time, or several with commas"

# as JSON
zwang compare chaplygin-sleigh.zw --json --at 0,1
is 0
is_json
json_is status ok
json_is instants 2
json_is 'formulations[0].name' auto
json_is 'formulations[9].name' gibbs-appell-quasi
json_is 'formulations[9].applies' true
json_has 'formulations[3].max_difference' 'formulations[3].residual' 'formulations[3].optimality' \
  'formulations[3].gaussian' 'formulations[3].seconds' 'formulations[3].reason'
json_is 'frames[0].quasi' stated
json_is 'frames[0].nu[1]' 1.5
json_has 'frames[1].P[1]' 'frames[1].S' 'frames[1].B[2][1]' 'frames[1].r[2]' 'frames[1].K[1][1]' 'frames[1].p[1]'
zwang compare appell.zw --json
is_json
json_is 'formulations[9].applies' false
json_is 'formulations[9].max_difference' null
json_is 'frames[0].quasi' carried

# a model that does not say how long it runs is compared at its start
model short <<'M'
coord x = 1, y
kinetic x'^2 + y'^2
constraint rod: x^2 + y^2 = 1
start y' = 1
M
zwang compare short.zw
is 0
prints "compared at 1 instant"
zwang compare short.zw --at 1
is 2
says "cannot be reached: the model does not say how long to run"

# mistakes
zwang compare
is 2
zwang compare missing.zw
is 2
zwang compare missing.zw --json
is 2
is_json
json_is status refused
zwang compare appell.zw --formulation lagrange
is 2
says "'zwang compare' has no option '--formulation'"
zwang run appell.zw --formulation newton
is 2
says "there is no formulation 'newton'" "one of auto, moore-penrose"
no_results
zwang run appell.zw --formulation gibbs-appell-quasi
is 2
says "needs quasi-velocities, and the model states none" "quasi u ="
no_results

# a run by a formulation says so
zwang run appell.zw --formulation bellman
is 0
prints "formulation bellman"
zwang run appell.zw --formulation lagrange --json
is 0
is_json
json_is formulation lagrange

# quasi-velocities that cease to count the motion end the run with their names
model fold <<'M'
coord x = 1, y
kinetic 1/2*(x'^2 + y'^2)
constraint rod: x^2 + y^2 = 1
quasi up = y'*(if t < 1 then 1 else 0)
start y' = 1
run 0 .. 3
M
zwang run fold.zw --formulation gibbs-appell-quasi
is 1
says "the quasi-velocities do not tell the free velocities apart at t = 1: 'up' vanishes"
absent fold.csv fold.svg

# ... also when they fail at an instant between two steps
model level <<'M'
coord x = 0.6, y = -0.8
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
constraint rod: x^2 + y^2 = 1
quasi across = x'
start exactly across = 4
run 0 .. 3
M
zwang run level.zw --formulation gibbs-appell-quasi
is 1
says "level.zw:5:7: error: between t = 0.22" "the quasi-velocities do not tell the free velocities apart"
zwang run level.zw
is 0

# a formulation that does not apply is refused before anything is simulated
model indefinite <<'M'
coord x = 1, y, z
lagrangian 1/2*x'^2 - y'^2 + 1/2*z'^2 - x - y
constraint tie: x' + z' = 0
start x' = 1
run 0 .. 1
M
zwang run indefinite.zw --formulation bellman
is 2
says "the formulation 'bellman' has no answer at t = 0: it needs a minimum"
absent indefinite.csv indefinite.csv.part
zwang run indefinite.zw --formulation quasi
is 2
says "did you mean 'gibbs-appell-quasi'?"
done_well
