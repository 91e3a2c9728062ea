#!/usr/bin/env bash
# Guesses inside parts that the start moves far are listed by name; those that it hardly moves are counted only.
. "$(dirname "$0")/lib.bash"

model drawn <<'M'
component bead(m, X) {
  coord r = X, turn = 0.1
  kinetic 1/2*m*(r'^2 + turn'^2)
}
param l = 1
part a = bead(1, (1, 0))
part b = bead(1, (2, 0))
part c = bead(1, (3.001, 0))
constraint ab: norm(a.r - b.r) = 1
constraint bc: norm(b.r - c.r) = 1
constraint foot: a.r = (l, 0)
run 0 .. 0.1
M
zwang run drawn.zw --json
is 0
prints '"guesses_moved_far":[]'
zwang run drawn.zw
is 0
prints "guess" "inside parts moved"
! grep -q "moved far" out || fail "a small move is listed"
zwang run drawn.zw --set l=1.5
is 0
prints "the guess a.r.x moved far, from 1 to 1.5"
! grep -q "turn moved" out || fail "what did not move is listed"
zwang run drawn.zw --set l=1.5 --json
prints '"guesses_moved_far":[{"name":"a.r.x","from":1,"to":1.5}'
# in other units
sed -e 's/(1, 0)/(1e-6, 0)/; s/(2, 0)/(2e-6, 0)/; s/(3.001, 0)/(3.001e-6, 0)/; s/ = 1$/ = 1e-6/' drawn.zw >tiny.zw
zwang run tiny.zw --set l=1.5e-6
is 0
prints "the guess a.r.x moved far, from 1e-06 to 1.5e-06"
done_well
