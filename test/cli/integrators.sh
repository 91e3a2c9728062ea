#!/usr/bin/env bash
# --integrator and 'integrator' in a model: what is chosen, what is said, what is refused.
. "$(dirname "$0")/lib.bash"

# A spring-damper that is far stiffer than the motion: 'auto' notices, and needs a small part of the steps.
model stiff <<'M'
param k = 1e6, c = 1e5
coord x = 1, y = 0
let l = hypot(x, y)
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y + 1/2*k*(l - 1)^2
dissipation 1/2*c*l'^2
run 0 .. 5 tolerance 1e-7
M
steps() { awk '/^  steps/ { print $2 }' out; }
end_of() { tail -n 1 "$1" | cut -d, -f2; }
zwang run stiff.zw
is 0
prints "integrator radau from t =" "Jacobians"
says "note: the motion is stiff at t = "
auto=$(steps) x_auto=$(end_of stiff.csv)
zwang run stiff.zw --integrator explicit
is 0
prints "integrator explicit"
explicit=$(steps) x_explicit=$(end_of stiff.csv)
zwang run stiff.zw --integrator radau --json
is_json
json_is integrator radau
x_radau=$(end_of stiff.csv)
[ "$((explicit))" -gt "$((20 * auto))" ] || fail "$explicit steps without radau, $auto with"
awk -v a="$x_auto" -v b="$x_explicit" -v c="$x_radau" \
  'BEGIN { d = a - b; e = c - b; exit !(d*d < 1e-11 && e*e < 1e-11) }' || fail "x is $x_auto, $x_explicit, $x_radau"

# What is not stiff stays explicit.
model swing <<'M'
coord x = 0.6, y = -0.8
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
constraint rod: x^2 + y^2 = 1
output angle = atan2(x, -y)
run 0 .. 20
M
zwang run swing.zw --json
is_json
json_is stiff_from null
zwang run swing.zw --integrator radau --conserve energy
is 0
prints "energy       held by projection"

# The model's own choice, and the command line before it.
sed 's/^run.*/run 0 .. 1 integrator radau/' swing.zw > own.zw
zwang run own.zw
is 0
prints "integrator radau"
zwang run own.zw --integrator explicit
prints "integrator explicit"
zwang check own.zw --integrator rado
is 2
says "there is no integrator 'rado'" "did you mean 'radau'?" "one of auto, explicit, radau"
zwang run own.zw --step 0.1
is 2
says "a step is given, but the integrator radau chooses its own"

# Quasi-velocities are carried by the explicit method only.
model sleigh <<'M'
coord x, y, phi
kinetic 1/2*(x'^2 + y'^2) + 1/2*phi'^2
constraint blade: x'*sin(phi) = y'*cos(phi)
quasi u = x'*cos(phi) + y'*sin(phi), w = phi'
start phi' = 1, x' = 1
run 0 .. 1
M
zwang run sleigh.zw --formulation gibbs-appell-quasi --integrator radau
is 2
says "the integrator radau works in velocities, not in quasi-velocities"
zwang run sleigh.zw --integrator radau
is 0

# A fixed step is asked for exactly where it is used.
zwang run swing.zw --integrator rattle
is 2
says "the integrator rattle needs a step"
zwang run swing.zw --integrator rattle --step 0.01
is 0
prints "step 0.01, integrator rattle" "2000 accepted, 0 rejected"
zwang run sleigh.zw --integrator rattle --step 0.01
is 2
says "the integrator rattle cannot be used: it is for constraints on positions"

# SUNDIALS: what it can, what it says about the constraints, and that it is silent.
if "$ZWANG" --version | grep -q "SUNDIALS .*: the integrators bdf and adams"; then
  zwang run swing.zw --integrator bdf
  is 0
  prints "integrator bdf" "Jacobians"
  ! grep -q "projected at rows and events only" out || fail "bdf is projected at every step"
  zwang run swing.zw --integrator adams
  is 0
  prints "projected at rows and events only; before that |phi| <= "
  zwang run swing.zw --integrator adams --json
  is_json
  json_is projected "rows and events"
  json_has phi_drift phidot_drift
  model pole <<'M'
coord x = 1
kinetic 1/2*x'^2
force x = 2*x^3
start x' = 1
run 0 .. 2
M
  # what starts from zero at rest, without any energy
  model push <<'M'
coord x = 0
kinetic 1/2*x'^2
force x = 2
run 0 .. 1
M
  for integrator in bdf adams; do
    zwang run push.zw --integrator $integrator
    is 0
    prints "verdict      trusted"
    tail -n 1 push.csv | awk -F, '{ d = $2 - 1; exit !(d*d < 1e-12) }' || fail "$integrator: $(tail -n 1 push.csv)"
  done
  # while the contact sticks nothing moves, but the spring's other end does work: the account follows it as well as the motion
  model stick <<'M'
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y + 10*(x - 0.3*sin(2*t))^2
contact f: y >= 0, friction 0.3, slip x
start x' = 1
run 0 .. 3
M
  for integrator in bdf adams; do
    for tolerance in 1e-7 1e-9 1e-11; do
      zwang run stick.zw --integrator "$integrator" --tolerance "$tolerance" --evidence
      is 0
      prints "verdict      trusted"
    done
  done
  for integrator in bdf adams; do
    zwang run pole.zw --integrator "$integrator"
    is 1
    says "the step size became too small"
    ! grep -q "CVODE" err || fail "CVODE speaks for itself"
  done
else
  zwang run swing.zw --integrator bdf
  is 2
  says "the integrator bdf cannot be used: this build has no SUNDIALS"
fi
done_well
