#!/usr/bin/env bash
# zwang export --c: the files it writes, the program of docs/export.md, and what it refuses.
. "$(dirname "$0")/lib.bash"
cp "$root/examples/pendulum.zw" .
strict="-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror"

# ---- the files ----
zwang export --c pendulum.zw
is 0
says_nothing
prints "pendulum: 2 coordinates, 1 constraint of rank 1, 1 degree of freedom" \
  "10 operations for M, h, A and b; 3 parameters, 1 output" "files        pendulum.c, pendulum.h"
exists pendulum.c pendulum.h
absent pendulum.c.part pendulum.h.part
# shellcheck disable=SC2086 # several options
cc $strict -c pendulum.c || fail "pendulum.c does not compile"
[ "$(grep -c '#include' pendulum.c)" = 2 ] || fail "it includes more than its header and <math.h>"
if grep -qE 'malloc|calloc|free\(' pendulum.c; then fail "it takes memory"; fi
# a header stands alone, also in C++
# shellcheck disable=SC2086
echo '#include "pendulum.h"' | cc $strict -x c -fsyntax-only - || fail "pendulum.h does not stand alone"
if command -v c++ >/dev/null; then
  echo '#include "pendulum.h"' | c++ -Wall -Wextra -x c++ -fsyntax-only -I. - || fail "pendulum.h is not for C++"
fi
# nothing but functions: no global data that changes, no name without the prefix
nm pendulum.o | awk '$2 ~ /[BDC]/ { print; n++ } END { exit n > 0 }' || fail "there is global data"
nm pendulum.o | awk '$2 == "T" && $3 !~ /^pendulum_/ { print; n++ } END { exit n > 0 }' || fail "a name has no prefix"

# the same again is the same
cp pendulum.c first.c
zwang export --c pendulum.zw --quiet
is 0
prints_nothing
cmp -s pendulum.c first.c || fail "two exports differ"

# names and places
mkdir -p sub
zwang export --c pendulum.zw --name arm_2 -o sub/arm.c
is 0
prints "sub/arm.c, sub/arm.h"
grep -q '#include "arm.h"' sub/arm.c || fail "the header is included by another name"
grep -q 'int arm_2_step(' sub/arm.h || fail "the prefix is another one"
if grep -q 'pendulum_' sub/arm.c; then fail "a name has the old prefix"; fi
zwang export --c pendulum.zw --out sub --set l=2
is 0
grep -q 'p->l = 2.0;' sub/pendulum.c || fail "--set is not heard"
zwang export --c pendulum.zw --compact -o short.c --name pendulum
is 0
[ "$(wc -c <short.c)" -lt "$(wc -c <pendulum.c)" ] || fail "--compact is not shorter"
zwang export --c pendulum.zw --json
is 0
prints '"status":"ok"' '"model":"pendulum"' '"source":"pendulum.c"' '"header":"pendulum.h"' '"operations":10' '"parameters":3'

# a file name that is no name in C
cp pendulum.zw "2 arms.zw"
zwang export --c "2 arms.zw"
is 0
exists "2 arms.c" "2 arms.h"
# shellcheck disable=SC2086
cc $strict -c "2 arms.c" -o arms.o || fail "'2 arms.c' does not compile"
grep -q 'n2_arms_step' "2 arms.h" || fail "the prefix is not made from the name"

# ---- docs/export.md: the program there, against a run ----
awk '
  !inside && /^```zw$/ { inside = 1; file = "driven.zw"; next }
  !inside && /^```c$/  { inside = 1; file = "rig.c"; next }
  !inside && /^```/    { inside = 1; file = ""; next }
  /^```$/              { inside = 0; next }
  inside && file       { print > file }' "$root/docs/export.md"
exists driven.zw rig.c
zwang export --c driven.zw
is 0
# shellcheck disable=SC2086
cc $strict -O2 rig.c driven.c -lm -o rig || fail "the program of docs/export.md does not compile"
./rig >shown || fail "the program of docs/export.md fails"
sed 's/push = 0/push = 1/; s/^force x = push/force x = if t < 0.5 then push else 0/' driven.zw >same.zw
zwang run same.zw --to 2 --tolerance 1e-11 --quiet
is 0
want=$(tail -n 1 same.csv | awk -F, '{ printf "t = 2.000: angle %.6f, pull %.5f\n", $6, $7 }')
got=$(sed 's/\(angle [-0-9]*\.[0-9]\{9\}\), pull \([-0-9.]*\)/\1 \2/' shown | awk '{ printf "t = %s angle %.6f, pull %.5f\n", $3, $5, $6 }')
[ "$want" = "$got" ] || fail "the rig says '$got', a run '$want'"

# ---- what is refused ----
refuses() { # NAME WORDS...
  local name=$1
  shift
  rm -f "$name.c" "$name.h"
  zwang export --c "$name.zw"
  is 2
  says "$@"
  absent "$name.c" "$name.h"
}
for name in bouncing-ball ball-in-a-box slack-string; do cp "$root/examples/$name.zw" .; done
refuses bouncing-ball "bouncing-ball.zw:8:1: error: 'when y < 0' cannot be exported" "change the state or the parameters between steps"
refuses ball-in-a-box "the contact 'left' cannot be exported" "a stiff spring and damper"
refuses slack-string "the constraint 'string' cannot be exported: it comes and goes ('while')"
cp "$root/test/lang/start/singular_along_a_branch.zw" .
refuses singular_along_a_branch "the start is a singular position, where the exported file has no accelerations" "start a little beside it"
cp "$root/examples/n-pendulum.zw" .
zwang export --c n-pendulum.zw --set N=300
is 2
says "are too many to export: the exported solve is dense, the limit is 300 of both together"
zwang export pendulum.zw
is 2
says "export as what? write: zwang export --c FILE"
zwang export --c
is 2
says "which model? write: zwang export FILE"
zwang export --c pendulum.zw -o pendulum.h
is 2
says "the output must be a file with the ending .c, not 'pendulum.h'"
for name in 2x a-b "" é; do
  zwang export --c pendulum.zw --name "$name"
  is 2
  says "'$name' cannot begin names in C" "a letter first"
done
cp pendulum.zw model.c
zwang export --c model.c -o model.c
is 2
says "the output 'model.c' would overwrite a file the model is made from"
cmp -s model.c pendulum.zw || fail "the model was overwritten"
cp pendulum.zw model.h
zwang export --c model.h -o model.c
is 2
says "the output 'model.h' would overwrite"
zwang export --c pendulum.zw -o nowhere/pendulum.c
is 1
says "nowhere/pendulum.h"
mkdir -p folder.h
zwang export --c pendulum.zw -o folder.c
is 1
absent folder.c folder.c.part
echo 'coord x; kinetic x^2; nonsense' >wrong.zw
refuses wrong "wrong.zw:1:"
# a condition that only ends the motion is a question
cp "$root/test/models/rocket.zw" .
zwang export --c rocket.zw
is 0
grep -q 'int rocket_is_over(' rocket.h || fail "'stop when' is lost"
grep -q 'stop when z < 0' rocket.h || fail "the condition is not named"

# ---- other units: the same motion ----
rm -f model.c model.h
cat >mover.c <<'E'
#include <stdio.h>
#include "model.h"
int main(void) {
  static model_work work;
  model_params p;
  double t, q[model_N], v[model_N];
  model_default_params(&p);
  model_start(&t, q, v, &work);
  for (int i = 0; i < 2000; i++) {
    const int status = model_step(&t, q, v, &p, 1e-3 * p.T, &work);
    if (status != model_FINE) return 10 + status;
  }
  for (int i = 0; i < model_N; i++) printf("%.12g\n", q[i] / (i < LENGTHS ? p.L : 1.0));
  p.longer = 1.05; /* a longer rod, by several steps of Newton's method */
  const int status = model_project(t, q, v, &p, &work);
  if (status != model_FINE) return 20 + status;
  for (int i = 0; i < model_N; i++) printf("%.12g\n", q[i] / (i < LENGTHS ? p.L : 1.0));
  p.off = 1e-6; /* two statements that disagree */
  return model_project(t, q, v, &p, &work) == model_OFF ? 0 : 30;
}
E
# same_in_units MODEL LENGTHS: the first coordinates are lengths, the others angles
same_in_units() {
  local first=1
  for set in "L=1" "L=1e-9" "L=1e9" "m=1e-9" "T=1e9" "L=1e9 m=1e-6 T=1e6" "s=1e-12"; do
    # shellcheck disable=SC2046,SC2086
    zwang export --c "$1.zw" --name model -o model.c $(printf -- '--set %s ' $set) --quiet
    is 0
    # shellcheck disable=SC2086
    cc $strict -O0 -DLENGTHS="$2" mover.c model.c -lm -o mover || fail "model.c does not compile"
    last="the exported $1 with $set"
    status=0
    ./mover >moved || status=$?
    is 0
    if [ $first = 1 ]; then cp moved wanted; fi
    first=0
    checks=$((checks + 1))
    paste moved wanted | awk '{ d = $1 - $2; if (d > 1e-9 || d < -1e-9) { print; bad = 1 } } END { exit bad }' >off ||
      fail "it moves elsewhere: $(tr '\n' ';' <off)"
  done
}
model rod <<'E'
param L = 1, m = 1, T = 1, s = 1, longer = 1, off = 0
coord P = (L, 0), still = 0
kinetic 1/2*m*(P'^2 + still'^2)
potential 9.81*m*L/T^2*P.y
constraint rod: s*norm(P) = s*L*longer
constraint again: P^2 = (L*longer)^2*(1 + off)
constraint held: still = 0
run 0 .. 1
E
same_in_units rod 3
model four <<'E'
param L = 1, m = 1, T = 1, s = 1, longer = 1, off = 0
coord A = (0, L), B = (2*L, 1.5*L), phi = pi/2
kinetic 1/2*m*(A'^2 + B'^2) + 0.1*m*L^2*phi'^2
potential 9.81*m*L/T^2*(A.y + B.y)
constraint crank: s*A.x = s*L*cos(phi)
constraint height: A.y = L*sin(phi)
constraint rod: s*(A - B)^2 = s*4.25*L^2
constraint rocker: norm(B - (3*L, 0)) = 1.8*L*longer
constraint again: (A - B)^2 = 4.25*L^2*(1 + off)
start phi' = 1/T
run 0 .. 1
E
same_in_units four 4
done_well
