#!/usr/bin/env bash
# zwang linearize: equilibria, steady motions, eigenvalues, root loci.
. "$(dirname "$0")/lib.bash"

model cart <<'E'
param M = 2, m = 1, l = 0.5, g = 9.81, c = 0
coord x, a = 0.1
kinetic 1/2*M*x'^2 + 1/2*m*((x' + l*a'*cos(a))^2 + (l*a'*sin(a))^2)
potential -m*g*l*cos(a)
force a = -c*a'
E
zwang linearize cart.zw
is 0
prints "equilibrium" "one of a family with 1 parameter" "+-5.4249424" "a 1, x 0.167 at 180 deg" "symmetry" \
  "stable to first order" "2 eigenvalues belong to symmetries"
no_results
zwang linearize cart.zw --set c=0.2
is 0
prints "The equilibrium is stable: disturbances die out" "0.1106"
zwang linearize cart.zw -q
is 0
[ ! -s out ] || fail "--quiet prints"

# constraints and their reactions; redundant ones
model twice <<'E'
coord P = (0.1, -1)
kinetic 1/2*P'^2
potential 9.81*P.y
constraint rod: P^2 = 1
constraint again: 2*P^2 = 2
E
zwang linearize twice.zw
is 0
prints "reaction" "rod" "again" "+-3.132092" "2 zeros of the constraints are left out"

# as JSON
zwang linearize twice.zw --json
is 0
is_json
json_is status ok
json_is at equilibrium
json_is verdict undamped
json_is constraint_zeros 2
json_is "eigenvalues[0].re" 0
json_is "eigenvalues[0].kind" undamped
json_is "eigenvalues[0].shape.P.x.re" 1
json_has "eigenvalues[1].im" "eigenvalues[1].damping" "reactions[1].value" isolated symmetry_zeros
json_has "matrix[1][1]" "basis[1][3]" "projection[1][3]"
awk -v w="$(json_value "eigenvalues[0].im")" 'BEGIN { exit !(w*w > 9.81 - 1e-12 && w*w < 9.81 + 1e-12) }' || fail "frequency"

# a steady motion, its root locus
model disc <<'E'
param w = 0.7
coord x, y, h, e, p
let c = (x, y, 0) + (sin(e)*sin(h), -sin(e)*cos(h), cos(e))
kinetic 1/2*c'^2 + 1/8*(e'^2 + (h'*cos(e))^2) + 1/4*(p' + h'*sin(e))^2
potential c.z
constraint along:  x' = p'*cos(h)
constraint across: y' = p'*sin(h)
start p' = w, x' = w
E
zwang linearize disc.zw
is 0
prints "steady motion" "+-0.61318839" "6 eigenvalues belong to symmetries"
zwang linearize disc.zw --over w=0..1:21
is 0
prints "21 values of w, 8 eigenvalues" "unstable up to w = 0.5773503, then undamped" "disc.locus.csv"
[ "$(wc -l <disc.locus.csv)" = 22 ] || fail "rows of the table"
head -1 disc.locus.csv | grep -q '^w,re 1,im 1,.*,verdict$' || fail "names of columns"
grep -q '<svg' disc.locus.svg || fail "plot"
grep -q '>w = 0.57735</text>' disc.locus.svg || fail "the border in the plot"
grep -q '>unstable</text>' disc.locus.svg || fail "what is shaded"
rm disc.locus.*
zwang linearize disc.zw --over w=0.5,0.6 --json --out .
is 0
is_json
json_is parameter w
json_is "locus[0].verdict" unstable
json_is "locus[1].verdict" undamped
json_is "borders[0].before" unstable
json_is "borders[0].after" undamped
awk -v w="$(json_value "borders[0].high")" 'BEGIN { d = w - 1/sqrt(3); exit !(d*d < 1e-14) }' || fail "border"
json_has "locus[1].eigenvalues[7].im"

# borders: also the very value that was asked for, from right to left, and behind a gap
model damped <<'E'
param c = 0
coord x = 0.1
kinetic 1/2*x'^2
potential 1/2*x^2*(1 + sqrt(c^2 - 1/4))
force x = -c*x'
E
zwang linearize damped.zw --over c=2..-2:4
is 0
prints "stable up to c = 0.6666667, then unstable from -0.666667 on"
model damped <<'E'
param c = 0
coord x = 0.1
kinetic 1/2*x'^2
potential 1/2*x^2
force x = -c*x'
E
zwang linearize damped.zw --over c=2..-2:4
is 0
prints "stable up to c = 0, then unstable"
zwang linearize damped.zw --over c=-1,0,1
is 0
prints "unstable up to c = 0, undamped there, then stable"
zwang linearize damped.zw --over c=1,2
is 0
prints "stable at all of them"

# where an equilibrium ends: the left well of two, at 2/(3 sqrt 3), and one with no other behind
model well <<'E'
param P = 0
coord x = -1
kinetic 1/2*x'^2
potential 1/4*x^4 - 1/2*x^2 - P*x
E
zwang linearize well.zw --over P=-0.2..1:13
is 0
prints "undamped up to P = 0.3849002, where this equilibrium ends, then undamped at another one"
zwang linearize well.zw --over P=-0.2..0.3:6
is 0
prints "undamped at all of them"
zwang linearize well.zw --over P=0.3,0.5 --json
is 0
is_json
json_is "borders[0].ends" true
awk -v P="$(json_value "borders[0].low")" 'BEGIN { d = P - 2/3/sqrt(3); exit !(d*d < 1e-14) }' || fail "end"
model saddle <<'E'
param P = 0
coord x = 1
kinetic 1/2*x'^2
potential 1/3*x^3 - x + P*x
E
zwang linearize saddle.zw --over P=0,0.5,1.5
is 1
prints "undamped up to P = 1, where this equilibrium ends, and no other was found there" "1 failed"

# however far the values are from each other, seven digits
zwang linearize well.zw --over P=0,10
is 0
prints "undamped up to P = 0.3849002, where this equilibrium ends, then undamped at another one"
zwang linearize well.zw --over P=0,1e6
is 0
prints "undamped up to P = 0.3849002, where this equilibrium ends, then undamped at another one"
# x = P^(1/3) is steep at 0, and goes on
model steep <<'E'
param P = 0
coord x = 0.1
kinetic 1/2*x'^2
potential 1/4*x^4 - P*x
E
zwang linearize steep.zw --over P=0,1
is 0
prints "neutral up to P = 0, then undamped"
zwang linearize steep.zw --over P=-1..1:8
is 0
prints "undamped at all of them"

# a strut that is not quite straight: its branch goes on where another equilibrium is nearer, a - 0.01 = P sin(a), s^2 = P cos(a) - 1
model strut <<'E'
param P = 0
coord a = 0.05
kinetic 1/2*a'^2
potential 1/2*(a - 0.01)^2 - P*(1 - cos(a))
E
for values in 0,3 0..3:13 0..1.3:2 0,0.5,3; do
  zwang linearize strut.zw --over "P=$values"
  is 0
  prints "undamped at all of them"
done
awk -F, '$1 == 3 { d = $3 - 1.72011605169; found = d*d < 1e-14 } END { exit !found }' strut.locus.csv || fail "the branch at P = 3"
zwang linearize strut.zw --over P=3..0:4
is 0
prints "unstable up to P = 1.048973, where this equilibrium ends, then undamped at another one"

# corners: a contact that closes or opens on the way; the branch goes on
model stop <<'E'
param P = 0
coord x = 0, y = 0.1
kinetic 1/2*x'^2 + 1/2*y'^2
potential 1/2*x^2 - P*x + 2*y^2
contact w: x <= 0.5
contact u: x >= -0.25
E
zwang linearize stop.zw --over P=-1..1:9
is 0
prints "9 values of P, up to 4 eigenvalues" \
  "undamped up to P = -0.25, where 'u' opens, then undamped up to P = 0.5, where 'w' closes, then undamped"
head -1 stop.locus.csv | grep -q '^P,re 1,im 1,.*,re 4,im 4,change,verdict$' || fail "names of columns"
grep -q ",'u' opens at P = -0.25," stop.locus.csv || fail "where 'u' opens"
grep -q "^0.5,.*nan.*,'w' closes at P = 0.5,corner$" stop.locus.csv || fail "where 'w' closes"
grep -q "^0.25,[^n]*,,undamped$" stop.locus.csv || fail "all eigenvalues between the stops"
zwang linearize stop.zw --over P=1,-1 --json
is 0
is_json
json_is failed 0
json_is "borders[0].kind" corner
json_is "borders[0].changed[0].name" w
json_is "borders[0].changed[0].before" closed
json_is "borders[0].changed[0].after" open
json_is "borders[1].changed[0].name" u
awk -v P="$(json_value "borders[1].high")" 'BEGIN { d = P + 0.25; exit !(d*d < 1e-14) }' || fail "where 'u' closes"
# walls that move: a weight on a spring and a rope, which is slack from L = 0.0981/0.05 on; the state before may lie behind the wall
model rope <<'E'
param L = 1
coord P = (0.3*L, -0.9*L)
kinetic 1/2*P'^2
potential 9.81*P.y + 50*(norm(P) - L)^2
contact rope: norm(P) <= 1.05*L
E
zwang linearize rope.zw --over L=0.5..2:4
is 0
prints "undamped up to L = 1.962, where 'rope' opens, then undamped"
awk -F, '$1 == 1 { d = $3 - sqrt(9.81/1.05); found = d*d < 1e-18 } END { exit !found }' rope.locus.csv || fail "the pendulum on the rope"
zwang linearize rope.zw --over L=2,0.5
is 0
prints "undamped up to L = 1.962, where 'rope' closes, then undamped"
# a fold, and a stop on the other side of it; back, the stop lets go where no equilibrium is near
model caught <<'E'
param P = 0
coord x = -1
kinetic 1/2*x'^2
potential 1/4*x^4 - 1/2*x^2 - P*x
contact w: x <= 0.5
E
zwang linearize caught.zw --over P=0..0.6:13
is 0
prints "undamped up to P = 0.3849002, where this equilibrium ends, then stable at another one, where 'w' is closed"
zwang linearize caught.zw --over P=0.6,-0.6
is 0
prints "stable up to P = -0.375, where this equilibrium ends, then undamped at another one, where 'w' is open"
zwang linearize caught.zw --set P=1
is 0
prints "leaves nothing free"
if grep -q "real part" out; then fail "a table of nothing"; fi
# a steady motion is looked for from the start values: it is told where that leads to another one
zwang examples --copy rotating-hoop
zwang linearize rotating-hoop.zw --over w=1..10:10
is 0
prints "undamped up to w = 3.16" "where the search goes to another steady motion, then unstable"

# contacts, friction, what was moved, what has a date
model wall <<'E'
coord a = 1
kinetic 1/2*a'^2
potential -9.81*cos(a)
contact wall: sin(a) >= 0.2
E
zwang linearize wall.zw
is 0
prints "0.2013579" "wall                  closed" "moved from" "leaves nothing free"
zwang linearize wall.zw --json
is 0
is_json
json_is contacts.wall closed
json_is "moved[0].name" a
json_is "moved[0].from" 1
model dry <<'E'
coord x = 0.1
kinetic 1/2*x'^2
potential 1/2*x^2
force x = -0.3*sign(x')
E
zwang linearize dry.zw --json
is 0
is_json
json_is q.x 0.1
json_is verdict stuck
json_is "held[0]" "sign(x')"
json_is stuck_zeros 1
zwang linearize dry.zw
is 0
prints "Friction holds: 'sign(x')'" "stuck"
model dated <<'E'
coord x = 0.1
kinetic 1/2*x'^2
potential 1/2*x^2
force x = if t > 0.5 then 1 else 0
E
zwang linearize dated.zw
is 2
says "the model is not the same at all times"
zwang linearize dated.zw --at 0.7
is 0
model fall <<'E'
coord z
kinetic 1/2*z'^2
potential 9.81*z
force z = -0.3*z'
start z' = -3
E
zwang linearize fall.zw
is 1
says "is another one: z' = -32.7 there, and it was given as -3"
zwang linearize fall.zw --anywhere
is 0
prints "-32.7"

# at a time
zwang linearize cart.zw --at 0.5
is 0
prints "at t = 0.5" "frozen" "not whether the motion is stable"
zwang linearize cart.zw --at 0
is 0
prints "at t = 0"

# what cannot be
zwang linearize cart.zw --at -1
is 2
says "the run begins at t = 0; --at -1 is before that"
model stop <<'E'
param k = 1
coord x = 1
kinetic 1/2*x'^2
potential 1/2*k*x^2
stop when x < 0.5
E
zwang linearize stop.zw --at 5
is 2
says "the run stops at t = 1.0472, before it comes to --at 5"
zwang linearize stop.zw --at 1 --over k=0.1,1,9
is 1
prints "1 failed"
grep -q "^9,.*the run stops at t = 0.349" stop.locus.csv || fail "why it failed"
zwang linearize cart.zw --at 1,2
is 2
says "one instant"
zwang linearize cart.zw --at 1 --steady
is 2
says "exclude each other"
zwang linearize cart.zw --over l=1,2 --over m=1,2
is 2
says "one parameter"
zwang linearize cart.zw --over nothing=1,2
is 2
says "nothing"
model fall <<'E'
coord z
kinetic 1/2*z'^2
potential 9.81*z
E
zwang linearize fall.zw
is 1
says "no equilibrium was found" "start nearer to one"
zwang linearize fall.zw --json
is 1
is_json
json_is status failed
model driven <<'E'
coord x
kinetic 1/2*x'^2
potential 1/2*x^2
force x = sin(t)
E
zwang linearize driven.zw
is 2
says "depend on the time"

# values that decide of what the model is made: it is compiled anew for them, as in a sweep
model made <<'E'
param k = 4
component mass(k, x0) { coord x = x0; kinetic 1/2*x'^2; potential 1/2*k*x^2
  if k > 5 { potential 1/4*x^4 } else { dissipation 1/2*0.1*x'^2 } }
part o = mass(k, 0.5)
run 0 .. 1
E
zwang linearize made.zw --over k=4,6
is 0
prints "stable up to k = 5, then undamped"
grep -q "^6,0,2.449489742.*,undamped" made.locus.csv || fail "the state at k = 6"
zwang linearize made.zw --over k=6,8
is 0
prints "undamped at all of them"
# of other coordinates there is no branch to follow; and what was not found is not called stable
model more <<'E'
param n = 1
component chain(n) { coord x = 0.5; kinetic 1/2*x'^2; potential 1/2*x^2; dissipation 1/2*0.1*x'^2
  if n > 1 { coord y; kinetic 1/2*y'^2; potential 1/2*y^2 } }
part o = chain(n)
run 0 .. 1
E
zwang linearize more.zw --over n=1,2
is 1
prints "1 failed" "stable at those that were found"
done_well
