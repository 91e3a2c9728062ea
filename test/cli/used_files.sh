#!/usr/bin/env bash
# Files that a model uses: libraries, parts, tables; and which of them it may read.
. "$(dirname "$0")/lib.bash"

# ---- libraries ----

model standard <<'E'
use planar
part b = particle(1, (0, 3))
run 0 .. 1
E
zwang check standard.zw
is 0
says_nothing
prints "2 coordinates"

model missing <<'E'
use planarr
coord x
kinetic 1/2*x'^2
run 0 .. 1
E
zwang run missing.zw
is 2
says "missing.zw:1:1: error: there is no library 'planarr'" "there are: common, planar, spatial; a file of your own stands in quotes"
no_results

# --lib: libraries of one's own, also in the place of a standard one
mkdir libs
model libs/springs <<'E'
param k = 4
component block(m) {
  coord x = 1
  kinetic 1/2*m*x'^2
  potential 1/2*k*x^2
}
E
model libs/planar <<'E'
param mine = 7
E
model own <<'E'
use springs with k = 9
use planar
part b = block(1)
output seven = mine
run 0 .. 1 every 1 tolerance 1e-10
E
zwang run own.zw
is 2
says "there is no library 'springs'"
zwang run own.zw --lib libs
is 0
says_nothing
awk -F, 'NR == 3 && ($2 + 0.98999249660044542)^2 < 1e-14 && $4 == 7 { ok = 1 } END { exit !ok }' own.csv || fail "wrong numbers"
rm own.csv own.svg
zwang check own.zw --lib=libs/
is 0
zwang dump own.zw --lib libs --stage model
is 0
prints "b.x"
zwang run own.zw --lib nowhere
is 2
says "there is no library 'springs'"
zwang run own.zw --lib
is 2
says "--lib needs a value"
no_results

# a mistake in a library is told at its own line
model libs/springs <<'E'
param k = 4
component block(m) {
  coord x = 1
  kinetic 1/2*m*y'^2
}
E
zwang check own.zw --lib libs
is 2
says "springs:4:17: error: 'y' is not declared" "     4 |   kinetic 1/2*m*y'^2" "       |                 ^"
no_results
model libs/springs <<'E'
param k = = 4
E
zwang check own.zw --lib libs
is 2
says "springs:1:11: error: expected a value, found '='"
zwang check own.zw --lib libs --json
is 2
is_json
json_is "errors[0].file" springs
json_is "errors[0].line" 1

# ---- files beside the model ----

mkdir -p here/parts elsewhere
model here/parts/arm <<'E'
use "hand.zw"
let arm = 10*hand, lift(x) = table("cam.csv", x)
E
echo "let hand = 5" >here/parts/hand.zw
printf 'x,y\n0,1\n1,2\n2,3\n' >here/parts/cam.csv
printf 'x,y\n0,100\n1,100\n' >here/cam.csv
printf 'x,y\n0,1\n1,1\n' >elsewhere/far.csv
echo "let far = 2" >elsewhere/far.zw
model here/m <<'E'
use "parts/arm.zw"
coord x
kinetic 1/2*x'^2
output a = arm + hand_is_not_passed_on, b = lift(0.5), c = table("cam.csv", 0.5)
run 0 .. 1 every 1
E
zwang check here/m.zw
is 2
says "'hand_is_not_passed_on' is not declared"
sed -i 's/ + hand_is_not_passed_on//' here/m.zw
# paths count from the file they stand in, wherever the program was started
here=$PWD
for folder in . here here/parts elsewhere; do
  last="zwang run m.zw in $folder"
  status=0
  (cd $folder && "$ZWANG" run "$here/here/m.zw" --out "$here") >out 2>err || status=$?
  is 0
  says_nothing
  sed -n 2p m.csv | grep -q ',50,1.5,100$' || fail "wrong values: $(sed -n 2p m.csv)"
  rm m.csv m.svg
done

# ---- where a path may lead ----

# outside PATH: refused without, read with --allow-path
outside() {
  local statement
  for statement in "use \"$1.zw\"" "let far = table(\"$1.csv\", 0.5)"; do
    model here/away <<<"$statement
coord x
kinetic 1/2*x'^2
output o = far
run 0 .. 1 every 1"
    zwang run here/away.zw
    is 2
    says "cannot be used: a path may not leave the folder of the model; --allow-path DIR allows a further folder" \
      "here/away.zw:1:"
    absent away.csv away.csv.part away.svg
    zwang run here/away.zw --allow-path here
    is 2
    absent away.csv away.csv.part away.svg
    zwang run here/away.zw --allow-path elsewhere
    is 0
    exists away.csv
    rm away.csv away.svg
    zwang check here/away.zw --allow-path .
    is 0
  done
}
outside "$PWD/elsewhere/far"
outside "../elsewhere/far"
outside "parts/../../elsewhere/far"
ln -s "$PWD/elsewhere/far.zw" here/link.zw
ln -s "$PWD/elsewhere/far.csv" here/link.csv
outside link
ln -s ../elsewhere here/folder
outside folder/far
# a folder that only begins alike is another one
mkdir else
model here/away <<'E'
use "../elsewhere/far.zw"
coord x
kinetic 1/2*x'^2
E
zwang check here/away.zw --allow-path else
is 2
zwang check here/away.zw --allow-path elsewhere/
is 0
zwang check here/away.zw --allow-path nowhere
is 2
zwang check here/away.zw --allow-path /
is 0
# a link that stays inside is fine
ln -s hand.zw here/parts/thumb.zw
model here/inside <<'E'
use "parts/thumb.zw"
coord x
kinetic hand/2*x'^2
E
zwang check here/inside.zw
is 0
# what lies outside is neither read nor told apart from what is not there
model here/away <<'E'
use "../../../../../../../../../../etc/passwd"
use "/etc/nothing-of-this-name"
coord x
kinetic 1/2*x'^2
E
zwang check here/away.zw
is 2
[ "$(grep -c "may not leave the folder" err)" = 2 ] || fail "two refusals expected"
if grep -q root err; then fail "the file was read"; fi

# ---- tables and files that cannot be read ----

wrong_table() { # FILE WORDS: said at the place of the table
  model table <<<"coord x
kinetic 1/2*x'^2
force x = table(\"$1\", t)
run 0 .. 1"
  zwang run table.zw
  is 2
  says "table.zw:3:17: error:" "$2"
  absent table.csv table.csv.part table.svg
}
mkdir data
wrong_table data/nowhere.csv "there is no file 'data/nowhere.csv' to use"
wrong_table data "'data' cannot be used: Is a directory"
: >data/empty.csv
wrong_table data/empty.csv "a table needs at least two lines of numbers"
printf 'x,y\n0,1\n1,1e999\n' >data/infinite.csv
wrong_table data/infinite.csv "line 3 of the table does not hold numbers in both columns"
printf 'x,y\n0,1\n1\n' >data/short.csv
wrong_table data/short.csv "line 3 of the table has 1 field, and the first 2"
printf 'x,y\n0,1\n0,2\n' >data/same.csv
wrong_table data/same.csv "the first column of the table must ascend; line 3 does not"
printf 'x,y\nnan,1\n' >data/nan.csv
wrong_table data/nan.csv "line 2 of the table does not hold numbers in both columns"
head -c 100000 "$ZWANG" >data/program.csv
wrong_table data/program.csv "of the table"
# other separators, quotes, Windows lines, spaces, no newline at the end
printf '"x";"y"\r\n0;1\r\n 1 ; 2 \r\n\r\n2;3' >data/odd.csv
model table <<'E'
coord x
kinetic 1/2*x'^2
output o = table("data/odd.csv", 1.5)
run 0 .. 1 every 1
E
zwang run table.zw
is 0
sed -n 2p table.csv | grep -q ',2.5$' || fail "the table reads $(sed -n 2p table.csv)"
rm table.csv table.svg
if is_other_user_there; then
  cp data/odd.csv data/secret.csv
  chmod 0 data/secret.csv
  chmod 711 .
  sed -i s/odd/secret/ table.zw
  chmod 644 table.zw
  last="zwang check table.zw as another user"
  status=0
  as_other_user "$ZWANG" check table.zw >out 2>err || status=$?
  is 2
  says "'data/secret.csv' cannot be used: Permission denied"
else
  echo "left out: a table without permission (no other user to be)"
fi

# ---- nothing that a model reads is overwritten by its results ----

kept() { # FILE is as it was
  checks=$((checks + 1))
  cmp -s "$1" before || fail "$1 was changed"
}
printf 'x,y\n0,1\n1,2\n2,3\n' >cam.csv
cp cam.csv before
model cam <<'E'
coord x
kinetic 1/2*x'^2
force x = table("cam.csv", t)
run 0 .. 1
E
zwang run cam.zw
is 2
says "zwang: error: the run would overwrite 'cam.csv', which the model reads; choose another folder with --out DIR"
prints_nothing
kept cam.csv
absent cam.svg cam.csv.part cam.svg.part
zwang run cam.zw --json
is 2
is_json
kept cam.csv
for folder in ./ "$PWD" ../"$(basename "$PWD")"; do
  zwang run cam.zw --out "$folder"
  is 2
  kept cam.csv
done
zwang check cam.zw
is 0
zwang run cam.zw --out else
is 0
exists else/cam.csv else/cam.svg
kept cam.csv
# by another name
mv cam.csv table.dat
sed -i s/cam.csv/table.dat/ cam.zw
ln table.dat cam.csv
zwang run cam.zw
is 2
says "would overwrite 'cam.csv'"
kept table.dat
rm cam.csv
ln -s table.dat cam.csv
zwang run cam.zw
is 2
kept table.dat
rm cam.csv
for ending in csv.part svg svg.part; do
  ln table.dat cam.$ending
  zwang run cam.zw
  is 2
  says "would overwrite 'cam.$ending'"
  kept table.dat
  kept cam.$ending
  rm cam.$ending
done
# the model itself, and a library
cp cam.zw before
ln cam.zw cam.csv
zwang run cam.zw
is 2
says "would overwrite 'cam.csv'"
kept cam.zw
rm cam.csv
model libs/springs <<'E'
param k = 4
E
cp libs/springs.zw before
ln libs/springs.zw uses.csv
model uses <<'E'
use springs
coord x
kinetic k*x'^2
run 0 .. 1
E
zwang run uses.zw --lib libs
is 2
says "would overwrite 'uses.csv'"
kept libs/springs.zw
# results of the run before are no such file
for again in 1 2; do
  zwang run cam.zw
  is 0
  exists cam.csv cam.svg
done
done_well
