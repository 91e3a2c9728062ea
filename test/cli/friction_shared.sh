#!/usr/bin/env bash
# Friction where the force across a gap can be shared with other contacts or constraints: Coulomb's law holds for the forces that are printed, in
# any order of the statements, and the run says that they are a choice. Where no choice changes the motion nothing is doubted.
. "$(dirname "$0")/lib.bash"

# coulomb FILE N T MU: columns N >= 0 and T = -MU N in all rows
coulomb() {
  awk -F, -v N="$2" -v T="$3" -v mu="$4" '
    NR > 1 { d = $T + mu*$N; if ($N < 0 || d > 1e-9 || d < -1e-9) exit 1 }' "$1" || fail "$1: not Coulomb's friction"
  checks=$((checks + 1))
}

# doubted NAME: runs, and doubts the friction
doubted() {
  zwang run "$1.zw"
  is 0
  prints "verdict      doubtful" "its friction is not unique"
  says "can be shared with other contacts or constraints in many ways"
}

# a contact beside a constraint that holds the same gap, and pulls away from it: friction slows down, whatever it is
for order in rail floor; do
  {
    echo "coord x, y"
    echo "kinetic 1/2*(x'^2 + y'^2)"
    echo "potential -9.81*y"
    [ $order = floor ] || echo "constraint rail: y = 0"
    echo "contact floor: y >= 0, friction 0.1, slip x"
    [ $order = rail ] || echo "constraint rail: y = 0"
    echo "start x' = 1"
    echo "output N = reaction(floor), T = reaction(floor.slip)"
    echo "run 0 .. 0.3"
  } >guide-$order.zw
  doubted guide-$order
  coulomb guide-$order.csv 6 7 0.1
  ends_at guide-$order.csv 2 0.298896375 1e-8
done

# a slot without play: the rough floor carries only a little of what the smooth ceiling does
for order in 1 2; do
  floor="contact floor: y >= 0, friction 0.2, slip x"
  ceiling="contact ceiling: y <= 0"
  [ $order = 1 ] && contacts="$floor"$'\n'"$ceiling" || contacts="$ceiling"$'\n'"$floor"
  model slot$order <<M
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
force y = 30
$contacts
start x' = 5
output N = reaction(floor), T = reaction(floor.slip), C = reaction(ceiling)
run 0 .. 1
M
  doubted slot$order
  coulomb slot$order.csv 6 7 0.2
  ends_at slot$order.csv 2 4.949525 1e-8
done

# a sledge on three feet in line, the middle one rough: 1/3 of the load on it, in any order and with every integrator
n=0
for order in "middle left right" "left middle right" "left right middle"; do
  n=$((n + 1))
  {
    echo "coord x, y, a"
    echo "kinetic 1/2*(x'^2 + y'^2) + 1/2*0.1*a'^2"
    echo "potential 9.81*y"
    for foot in $order; do
      case $foot in
        middle) echo "contact middle: y >= 0, friction 0.5, slip x" ;;
        left) echo "contact left: y - a >= 0" ;;
        right) echo "contact right: y + a >= 0" ;;
      esac
    done
    echo "start x' = 5"
    echo "output N = reaction(middle), T = reaction(middle.slip)"
    echo "run 0 .. 0.5"
  } >feet$n.zw
  for integrator in auto explicit radau adams bdf; do
    zwang run feet$n.zw --integrator $integrator
    is 0
    prints "verdict      doubtful"
    ends_at feet$n.csv 2 2.295625 1e-8
    coulomb feet$n.csv 8 9 0.5
  done
done

# all three alike: the sum of the friction is mu m g, whoever carries it
sed -i 's/^contact left: y - a >= 0/&, friction 0.5, slip x/; s/^contact right: y + a >= 0/&, friction 0.5, slip x/' feet2.zw
zwang run feet2.zw
is 0
prints "verdict      trusted"
ends_at feet2.csv 2 1.886875 1e-8
zwang run feet2.zw --sensitivity start.x --to 0.1
is 0

# where it is a choice there is no derivative
zwang run feet1.zw --sensitivity start.x
is 1
says "the motion has no derivatives there"
zwang run feet1.zw --gradient x
is 1
says "the motion has no derivatives there"

# impulses are shared alike
model dropped <<'M'
coord x, y = 0.2, a
kinetic 1/2*(x'^2 + y'^2) + 1/2*0.1*a'^2
potential 9.81*y
contact middle: y >= 0, friction 0.5, slip x, restitution 0.5
contact left: y - a >= 0, restitution 0.5
contact right: y + a >= 0, restitution 0.5
start x' = 5
run 0 .. 0.4
M
doubted dropped
sed -i 's/restitution/friction 0.5, slip x, restitution/; s/friction 0.5, slip x, friction 0.5, slip x/friction 0.5, slip x/' dropped.zw
zwang run dropped.zw
is 0
prints "verdict      trusted"

echo "$checks checks"
