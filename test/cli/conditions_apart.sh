#!/usr/bin/env bash
# Conditions are looked for each by itself: one that is too fast to be followed costs the others nothing, and what ranges tell is not
# searched. With every integrator and in other units; efforts are counted, in evaluations.
. "$(dirname "$0")/lib.bash"

# evaluations: of the last run
evaluations() {
  sed -n 's/.* \([0-9]*\) evaluations.*/\1/p' out
}

# fewer NUMBER: the last run had fewer evaluations
fewer() {
  checks=$((checks + 1))
  [ "$(evaluations)" -lt "$1" ] || fail "$(evaluations) evaluations, not fewer than $1"
}

# passes EXTRA [LENGTH]: a ball at 1000 lengths a second past four narrow places
passes() {
  cat > passes.zw <<E2
param L = ${2:-1}
coord P = (-500.3*L, 0)
memory n = 0, m = 0
kinetic 1/2*P'^2
when norm(P) < 0.001*L: n = n + 1
when abs(P.x - 7*L) < 1e-6*L and t > 0.2: n = n + 10
when P.x > 8*L and P.x < 8.0001*L: n = n + 100
when exp(-((P.x/L - 9)*1e4)^2) > 0.5: n = n + 1000
$1
start P' = (1000*L, 0)
output nn = n, mm = m
run 0 .. 1
E2
}

# beyond: a condition that cannot hold, by its range; alone, as a part of others, in a switch of a force, and of a contact
for beyond in "when sin(1e5*P.x/L) > 2: m = 1" "when 2*cos(1e6*t) < -2.1 or P.y > L: m = 1" \
  "when P.x > 10*L and P.x < 10.0001*L and sin(1e5*P.x/L) > 1: m = 1" \
  "when sin(1e5*P.x/L) > 0.9999999 and norm(P) < 0.3*L - 0.5*L: m = 1" \
  "force P.y = if sin(1e5*P.x/L) > 2 then 1 else 0" "stop when atan(1e5*P.x/L) > 1.6" \
  "contact far: sin(1e5*P.x/L) + P.y/L >= -3"; do
  for length in 1 1e6 1e-6; do
    for integrator in auto radau adams bdf; do
      passes "$beyond" "$length"
      zwang run passes.zw --integrator $integrator
      is 0
      prints "verdict      trusted"
      ends_at passes.csv 6 1111 0
      ends_at passes.csv 7 0 0
      fewer 2000
    done
  done
done

# a window in which a fast condition is asked, and outside of which it is not
passes "when P.x > 10*L and P.x < 10.0001*L and sin(1e5*P.x/L) > 0.9: m = m + 1"
zwang run passes.zw
is 0
prints "verdict      trusted"
ends_at passes.csv 6 1111 0
ends_at passes.csv 7 2 0

# one that nobody can follow is said with its name and line, and the others are found
for length in 1 1e6 1e-6; do
  passes "when sin(1e5*P.x/L) + sin(2e5*P.x/L) > 1.9: m = 1" $length # it has at most 1.76
  zwang run passes.zw
  is 0
  prints "verdict      doubtful"
  says "passes.zw:9:6: note: from t = "
  says "on 'sin(1e5*P.x/L) + sin(2e5*P.x/L) > 1.9' changes too fast to be followed"
  prints "'sin(1e5*P.x/L) + sin(2e5*P.x/L) > 1.9' changes too fast to be followed"
  ends_at passes.csv 6 1111 0
done

# nor do two of them hide the others
passes "when sin(1e5*P.x/L) + sin(2e5*P.x/L) > 1.9: m = 1
when cos(1.1e5*P.x/L) - cos(2.2e5*P.x/L) > 1.9: m = 2"
zwang run passes.zw
is 0
says "passes.zw:9:6: note: from t = "
says "passes.zw:10:6: note: from t = "
ends_at passes.csv 6 1111 0
ends_at passes.csv 7 0 0

# boxes that rest on a floor between walls far away: the rates of the gaps of the walls are zero but for rounding, which is nothing to look for
boxes() {
  echo "param g = 9.81, mu = 1.2, e = 0, a = 0.224025, b = 0.288124, L = $1"
  for k in 0 1; do
    echo "coord P$k = ((-0.0688 - 0.2*$k)*L, (0.6 + 0.8*$k)*L), f$k = 4.32 - 0.85*$k"
    echo "kinetic 1/2*1.76757*(P$k'/L)^2 + 1/2*0.0784817*f$k'^2"
    echo "potential 1.76757*g*P$k.y/L"
    echo "let at$k(u) = P$k + L*(u.x*cos(f$k) - u.y*sin(f$k), u.x*sin(f$k) + u.y*cos(f$k))"
    for corner in "a, b" "a, -b" "-a, b" "-a, -b"; do
      echo "contact at$k(($corner)).y >= 0, restitution e, friction mu, slip at$k(($corner)).x"
      echo "contact at$k(($corner)).x <= 3*L, restitution e, friction mu, slip at$k(($corner)).y"
      echo "contact at$k(($corner)).x >= -3*L, restitution e, friction mu, slip at$k(($corner)).y"
    done
    echo "start P$k' = (-1.57419*L, -0.795653*L), f$k' = 7.64476 - 5.5*$k"
  done
  echo "run 0 .. 4"
}
for length in 1 1e6 1e-6; do
  boxes $length > boxes.zw
  zwang run boxes.zw
  is 0
  prints "verdict      trusted"
  fewer 20000
done

# a contact that comes to rest again and again says so once
boxes 1 | sed 's/e = 0,/e = 0.3,/; s/mu = 1.2/mu = 0.4/' > rock.zw
zwang run rock.zw
is 0
checks=$((checks + 1))
[ -z "$(sed -n "s/.*note: after [0-9]* impacts \('.*'\) comes to rest.*/\1/p" err | sort | uniq -d)" ] || fail "a rest is said twice"
says "comes to rest"

echo "$checks checks"
