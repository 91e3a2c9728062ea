#!/usr/bin/env bash
# Decimal commas: in the environment (LC_ALL), and in a host program that has chosen its locale before it calls us. Every table,
# picture and answer is byte for byte that of the locale C.
. "$(dirname "$0")/lib.bash"

# ---- a locale with decimal commas, and a host that has chosen it ----

command -v localedef >/dev/null || fail "localedef is missing (package libc-bin)"
mkdir locales
localedef -i de_DE -f UTF-8 --no-archive "$PWD/locales/de_DE.UTF-8" >localedef.log 2>&1 || [ -d locales/de_DE.UTF-8 ] ||
  fail "localedef made no locale (package locales): $(cat localedef.log)"

cat >host.c <<'C'
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void begin(void) {
  setlocale(LC_ALL, "");
  const char* proof = getenv("PROOF");
  FILE* file = proof ? fopen(proof, "w") : NULL;
  if (!file) return;
  fprintf(file, "%.2f\n", strtod("0,25", NULL));
  fclose(file);
}
C
cc -shared -fPIC -o host.so host.c

in_c() {
  last="in C: zwang $*"
  status=0
  env LC_ALL=C "$ZWANG" "$@" >out 2>err || status=$?
}

with_commas() {
  last="with commas: zwang $*"
  status=0
  env LOCPATH="$PWD/../locales" LC_ALL=de_DE.UTF-8 LD_PRELOAD="$PWD/../host.so" PROOF="$PWD/../proof" \
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$ZWANG" "$@" >out 2>err || status=$?
}

in_environment() {
  last="LC_ALL: zwang $*"
  status=0
  env LOCPATH="$PWD/../locales" LC_ALL=de_DE.UTF-8 "$ZWANG" "$@" >out 2>err || status=$?
}

# ---- models that read and write numbers in every way ----

model drawn <<'E'
param m = 0.75, k = 2.5e+1, c = 1.25e-2
coord x = 0.1, y
kinetic 1/2*m*x'^2 + 1/2*m*y'^2
potential 1/2*k*x^2 + 9.81*m*y
force x = table("push.csv", t) - c*x'
constraint slope: y = 0.5*x^2
output speed = norm((x', y'))
start x' = 0.25
run 0 .. 1.5 every 0.05
E
printf 't,F\n0,0.25\n0.5,-1.75\n1.0,2.5e-1\n2,.5\n' >push.csv
model bounce <<'E'
coord y = 1.5
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= 0, restitution 0.625
let place = (0, y)
draw circle place, 0.1
run 0 .. 1.25 every 0.125
E
model spun <<'E'
param a = 0.25
coord x = 0.5
kinetic 1/2*x'^2
potential 1/4*x^4 - a*x^2
force x = -0.125*x'
run 0 .. 0.5
E

commands() {
  "$1" run drawn.zw --forces --evidence --sensitivity m,c --tolerance 1e-9 --every 0.025
  is 0
  "$1" run bounce.zw --to 1.0625 --record all
  is 0
  "$1" sweep drawn.zw --over m=0.5,0.75,1e0 --over c=0..0.5:3 --out swept
  is 0
  "$1" sweep drawn.zw --draw k=20.5..30.25 --count 4 --seed 7 --out drawn
  is 0
  "$1" linearize spun.zw --over a=0.125..0.5:4
  is 0
  "$1" run drawn.zw --set m=1.5 --gradient x --out gradient
  is 0
  "$1" plot drawn.csv --columns x,y --output plotted.svg
  is 0
  "$1" export drawn.zw --c --output exported.c
  is 0
  "$1" derive drawn.zw --latex --output derived.tex
  is 0
  "$1" animate bounce.zw --fps 12.5 --speed 0.5 -o film.html
  is 0
}

# what takes time says how much
without_times() {
  sed -E 's/[0-9.e+-]+ (us|ms|s)\b/TIME/g; s/"(seconds|before)":[0-9.e+-]+/TIME/g' "$1"
}

for how in in_c with_commas in_environment; do
  mkdir $how
  cp ./*.zw push.csv $how/
  cd $how
  mkdir -p swept drawn gradient
  commands $how
  for command in "linearize spun.zw" "check drawn.zw" "run drawn.zw --quiet --json" "derive drawn.zw" "dump drawn.zw"; do
    # shellcheck disable=SC2086
    $how $command
    is 0
    without_times out >"answer ${command// /_}.txt"
  done
  printf 'coord x = 1e-400\nrun 0 .. 1\n' >wrong.zw
  $how run wrong.zw
  is 2
  mv err wrong.txt
  rm -f out
  cd ..
done
[ "$(cat proof)" = "0,25" ] || fail "the host has no decimal commas: $(cat proof)"

count=0
for how in with_commas in_environment; do
  (cd in_c && find . -type f | LC_ALL=C sort) >names
  (cd $how && find . -type f | LC_ALL=C sort) | cmp -s - names || fail "other files than in C"
  while read -r name; do
    cmp "in_c/$name" "$how/$name" || fail "$name is not that of the locale C"
    count=$((count + 1))
  done <names
done
for table in drawn.csv bounce.csv bounce.contacts.csv swept/drawn.sweep.csv spun.locus.csv gradient/drawn.csv; do
  [ -s "in_c/$table" ] || fail "$table was not made: $(ls in_c in_c/*)"
done
[ $count -ge 40 ] || fail "only $count files compared"
echo "$checks checks, $count files alike"
