#!/usr/bin/env bash
# A body on several feet in line has one motion, however the feet share the load: some of them carry nothing then but rounding, which
# must not decide which of them stick. Two feet and closed forms say where it goes.
. "$(dirname "$0")/lib.bash"

# feet NAME COUNT LENGTH MU STATEMENTS: a block of the height LENGTH on COUNT feet, as far apart as they can be
feet() {
  {
    echo "param M = ${mass:-1}, L = $3"
    echo "coord x = 0, y = 0.5*L, phi = 0"
    echo "kinetic M*x'^2 + M*y'^2 + 0.15*M*L^2*phi'^2"
    echo "let at(p) = (x + p*L*cos(phi) + 0.5*L*sin(phi), y + p*L*sin(phi) - 0.5*L*cos(phi))"
    for i in $(seq 0 $(($2 - 1))); do
      p="($i/$(($2 - 1)) - 0.5)"
      echo "contact f$i: at($p).y >= 0, friction $4, slip at($p).x"
    done
    printf '%s\n' "$5"
  } >"$1.zw"
}

# trusted NAME X SIZE: runs, and ends with x = X, to a part of SIZE
trusted() {
  zwang run "$1.zw"
  is 0
  prints "verdict      trusted"
  ends_at "$1.csv" 2 "$2" "$(awk -v s="$3" 'BEGIN { print 1e-7*s }')"
}

weight="potential 2*M*9.81*L*y"
for count in 2 3 5 7 9; do
  for units in "1 1" "1e6 1e-3" "1e-6 1e6"; do
    mass=${units% *} length=${units#* }
    x() { awk -v x="$1" -v L="$length" 'BEGIN { printf "%.15g", x*L }'; }
    # pulled harder and harder: it begins to slip at 0.6
    feet pull $count "$length" 0.3 "$weight
force x = M*L*9.81*t
run 0 .. 1"
    trusted pull "$(x 0.05232)" "$length"
    # sliding to rest, which tips it by less than it needs
    feet rest $count "$length" 0.4 "$weight
start x' = L
run 0 .. 1"
    trusted rest "$(x 0.12742099898063)" "$length"
    # a plane that tilts
    feet tilt $count "$length" 0.3 "force x = 2*M*9.81*L*sin(0.5*t)
force y = -2*M*9.81*L*cos(0.5*t)
run 0 .. 1"
    zwang run tilt.zw
    is 0
    prints "verdict      trusted"
    at=$(tail -n 1 tilt.csv | cut -d, -f2)
    [ $count = 2 ] && eval "two_${length//[-.]/_}=$at"
    eval "two=\$two_${length//[-.]/_}"
    ends_at tilt.csv 2 "$two" "$(x 1e-7)"
  done
done

# at the instant where all begin to slip none may be left behind
mass=1
feet turn 5 1 0.1 "$weight
let F = 0.3*9.81*sin(5*t)
force x = F
force phi = 0.45*F*cos(phi)
run 0 .. 1"
zwang run turn.zw
is 0
prints "verdict      trusted"
[ ! -s err ] || fail "there is nothing to note"

# feet on feet: the velocities that are zero but for rounding have no size of their own
for feet in "3 3" "5 3" "7 7"; do
  lower=${feet% *} upper=${feet#* }
  {
    echo "coord X, Y, f, U, V, k"
    echo "kinetic X'^2 + Y'^2 + 0.2*f'^2 + 1/2*(U'^2 + V'^2) + 0.1*k'^2"
    echo "potential 9.81*(2*Y + V)"
    echo "for i in 0..$((lower - 1)) { contact a[i]: Y + (i/$((lower - 1)) - 0.5)*f >= 0, friction 0.1, slip X + 0.05*f }"
    echo "for i in 0..$((upper - 1)) { contact b[i]: V - Y + (i/$((upper - 1)) - 0.5)/2*(k - f) >= 0, friction 0.3, slip U - X + 0.05*(k + f) }"
    echo "force X = 1.5*9.81*t"
    echo "run 0 .. 1"
  } >stack.zw
  # from 0.2 on both together, from 0.8 on the upper one with its own friction
  trusted stack 0.42183 1
done
done_well
