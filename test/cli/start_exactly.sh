#!/usr/bin/env bash
# Start values that are meant exactly and are off the constraints: refused, with the worst rows by name and the way out; a long chain names
# no more than can be read. Without `exactly` they move.
. "$(dirname "$0")/lib.bash"

chain() { # N HOW PUSH
  awk -v n="$1" -v how="$2" -v push="$3" 'BEGIN {
    printf "coord x[1..%d], y[1..%d]\n", n, n
    for (i = 1; i <= n; i++) {
      a = 0.3*sin(i); px += cos(a); py += sin(a)
      printf "kinetic 1/2*(x[%d]'\''^2 + y[%d]'\''^2)\npotential y[%d]\n", i, i, i
      if (i == 1) printf "constraint link[1]: x[1]^2 + y[1]^2 = 1\n"
      else printf "constraint link[%d]: (x[%d] - x[%d])^2 + (y[%d] - y[%d])^2 = 1\n", i, i, i - 1, i, i - 1
      printf "%s x[%d] = %.17g, y[%d] = %.17g\n", how, i, px + push*(i % 3 - 1), i, py - push*(i % 2)
    }
    print "run 0 .. 0.1" }' >chain.zw
}

for n in 10 100; do
  chain $n "start exactly" 0
  zwang run chain.zw
  is 0
  prints "nothing typed was moved"
  for push in 1e-3 1e-6 1e-8; do
    chain $n "start exactly" $push
    zwang run chain.zw
    is 2
    says "no start positions were found that satisfy these constraints together: '"
    says " more"
    says "write 'start' without 'exactly'"
    checks=$((checks + 1))
    [ "$(wc -c <err)" -lt 1500 ] || fail "a message of $(wc -c <err) bytes"
    chain $n start $push
    zwang run chain.zw
    is 0
    prints " moved from "
  done
done
done_well
